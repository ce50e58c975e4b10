"""The loops of single selectors.

``gain`` for BDSFS, ``relief`` for ReliefF and Simba, ``regression_relief`` for ReliefF with a numeric target, ``concordance`` for
UnivariateAUC, ``near_votes`` and ``random_trees`` for Sieve.
"""
