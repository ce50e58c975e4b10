"""Figures in the manner of scikit-learn's Display objects, and the one-file HTML page.

Matplotlib is imported only when something is drawn.
"""

from tamis._public import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
