"""The loops of pairs: ``score_tests`` -> ``bases``, ``tails`` -> ``sums`` -> ``lists``; ``polynomials`` stands alone.

``lists`` turns sums of products into the best partners of each column, ``polynomials`` makes the views of numeric columns.
"""
