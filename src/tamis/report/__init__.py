"""Figures and the one-file HTML page."""
