"""The evolution strategy behind ROGER: `_kernels.py` is the loop, `_engine.py` its packing and unpacking."""
