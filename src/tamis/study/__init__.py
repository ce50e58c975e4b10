"""Comparison of selectors: resampling with the selection inside every fold, stability, statistics."""

from tamis._public import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
