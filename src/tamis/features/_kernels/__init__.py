"""The loops of single selectors: ``gain`` is BDSFS's, ``relief`` ReliefF's and Simba's."""
