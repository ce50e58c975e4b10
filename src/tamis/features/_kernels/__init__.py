"""The loops of single selectors: ``gain`` for BDSFS, ``relief`` for ReliefF and Simba, ``near_votes`` for Sieve."""
