"""The loops of the row selectors, one file per method; distances are those of ``neighbors/_kernels/distance.py``.

``boosting`` (PSBoost), ``condensing`` (Hart and Gates), ``dropping`` (DROP3), ``margin`` (MarginPrototypes),
``sampling`` (Skalak).
"""
