"""The Markov chains behind SampledEFR: ``engine.py`` packs and unpacks, ``_kernels/`` loops."""
