"""Figures in scikit-learn's manner, and the one-file HTML page.

Matplotlib is loaded when something is drawn, and not before.
"""

from tamis._public import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
