"""The evolution strategy behind ROGER: ``engine.py`` packs and unpacks, ``_kernels/`` loops."""
