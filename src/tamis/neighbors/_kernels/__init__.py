"""The loops over distances: ``distance`` (the rule itself), ``nearest`` and ``products`` (rows to rows), ``groups`` (all ties)."""
