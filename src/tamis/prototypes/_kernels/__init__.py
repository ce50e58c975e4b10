"""The loops of the row selectors, one file per method; ``margin`` imports ``sampling``.

``boosting`` (PSBoost), ``condensing`` (Hart and Gates), ``dropping`` (DROP3), ``margin`` (MarginPrototypes),
``sampling`` (Skalak).
"""
