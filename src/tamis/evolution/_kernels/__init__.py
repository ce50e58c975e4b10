"""The loops of ROGER: ``strategy`` is one evolution, ``runs`` many after one another."""
