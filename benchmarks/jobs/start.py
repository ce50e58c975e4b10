"""Import and first call: processes of their own, with compiled kernels on disk and without."""

import os
import subprocess
import sys
import tempfile

from jobs.tables import Case

TITLE = "Import and first call"
QUALITY = "1 where the process did its work"
CASES = [Case("real", "ionosphere")]
QUICK = ["ionosphere"]
RANK = "import sys; sys.argv = ['tamis', 'rank', 'ionosphere', '--method', 'sbs-mf']; from tamis.cli import main; main()"


def prepared(data):
    """A folder for compiled kernels, and for Python's own files, in which the command has run once; not timed."""
    folder = os.path.join(tempfile.gettempdir(), f"tamis-race-start-{os.getuid()}")
    os.makedirs(folder, exist_ok=True)
    _run(RANK, folder)
    return folder


def judged(_, code):
    return {"quality": float(code == 0)}


def _run(code, folder):
    given = {**os.environ, "NUMBA_CACHE_DIR": folder, "PYTHONPYCACHEPREFIX": f"{folder}/python"}
    given.pop("PYTHONDONTWRITEBYTECODE", None)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.run([sys.executable, "-c", code], env=given, check=False, **quiet).returncode


def tamis():
    return lambda folder: _run(RANK, folder)


def cold():
    def work(folder):
        with tempfile.TemporaryDirectory(prefix="tamis-race-") as fresh:
            os.symlink(f"{folder}/python", f"{fresh}/python")
            return _run(RANK, fresh)

    return work


def imports():
    return lambda folder: _run("import sklearn.feature_selection, numba, polars", folder)


def forward():
    code = (
        "from sklearn.ensemble import GradientBoostingClassifier as G\n"
        "from sklearn.feature_selection import RFE\n"
        "from tamis.datasets import load\n"
        "d = load('ionosphere')\n"
        "RFE(G(n_estimators=100, max_depth=1), n_features_to_select=1).fit(d.X.to_numpy(), d.y)"
    )
    return lambda folder: _run(code, folder)


def nothing():
    return lambda folder: _run("pass", folder)


CONTENDERS = {
    "tamis rank, kernels on disk": tamis,
    "tamis rank, nothing compiled": cold,
    "import scikit-learn, numba, polars": imports,
    "RFE, scikit-learn stumps": forward,
    "nothing": nothing,
}
