"""The evolution strategy behind ROGER: ``engine.py`` prepares arrays and reads results, ``_kernels/`` loops."""
