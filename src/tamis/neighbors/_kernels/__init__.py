"""The loops over distances: ``nearest`` (rows to rows), ``groups`` (lists with all ties)."""
