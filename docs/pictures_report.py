"""The picture of the page on ``tamis compare``: the top of a report, as a browser shows it.

``python docs/pictures_report.py`` writes docs/pictures/compare_report.png. It needs the extra `plot` and a
Chromium, whose executable the environment variable CHROMIUM may name.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image  # comes with matplotlib

PICTURE = Path(__file__).parent / "pictures" / "compare_report.png"
METHODS = "univariate-auc,bdsfs,sbs-mf,relieff,f-test,forest,margin-prototypes,psboost,random"
COMMAND = ["compare", "ionosphere", "--methods", METHODS, "--repeats", "1", "--report"]


def main() -> None:
    """Make the report and take its picture."""
    browser = os.environ.get("CHROMIUM", "chromium")
    with TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        subprocess.run([sys.executable, "-m", "tamis", *COMMAND, str(page)], check=True)
        subprocess.run(
            [
                browser, "--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1000,1245",
                f"--screenshot={PICTURE}", page.as_uri(),
            ],
            check=True,
        )  # fmt: skip
    with Image.open(PICTURE) as picture:  # in fewer colours, to be small
        reduced = picture.convert("RGB").quantize(32, dither=Image.Dither.NONE)
    reduced.save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
