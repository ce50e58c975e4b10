"""Honest comparison: resampling, the size of a selection, and how a ranking is judged."""
