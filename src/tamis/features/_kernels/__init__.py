"""The loops of single selectors: ``gain`` for BDSFS, ``relief`` for ReliefF and Simba, ``pair_*`` for PairScan, ``near_votes`` and
``random_trees`` for Sieve."""
