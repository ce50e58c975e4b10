"""The Markov chains behind SampledEFR: ``engine.py`` prepares arrays and reads results, ``_kernels/`` loops."""
