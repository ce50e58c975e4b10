"""How much the tests try: a few dozen random problems by default, the full numbers at night."""

import os

NIGHTLY = os.environ.get("TAMIS_NIGHTLY") == "1"
N_PROBLEMS = 300 if NIGHTLY else 50
