"""The loops over pairs: ``score_tests`` calls ``bases`` and ``tails``; ``bases`` -> ``sums`` -> ``lists``.

``lists`` turns sums of products into the best partners of each column. ``polynomials``, which calls none of them,
makes the views of numeric columns.
"""
