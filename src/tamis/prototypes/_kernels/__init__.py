"""The loops of the row selectors, one file for each idea; ``margin`` -> ``sampling``.

``boosting`` (PSBoost), ``condensing`` (Hart and Gates), ``dropping`` (DROP3), ``margin`` (MarginPrototypes),
``sampling`` (Skalak).
"""
