"""The loops of ROGER: ``strategy`` runs one evolution, ``runs`` many in a row."""
