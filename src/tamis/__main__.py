"""The command line, as ``tamis`` and as ``python -m tamis``."""

import os
import sys


def main() -> None:
    """Run the command line; Ctrl-C is one sentence from the first moment on."""
    try:
        _leave_current_folder()
        from tamis.cli import main as run

        run()
    except KeyboardInterrupt:
        print("tamis: interrupted; what was not finished was not written.", file=sys.stderr)
        sys.exit(130)


def _leave_current_folder() -> None:
    """Take the current folder from the search path, where ``python -m`` puts it first.

    A module that lies there by chance, or laid there by somebody, must not stand in for one of Python's. Where tamis
    itself comes from there, the folder is needed.
    """
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if sys.flags.safe_path or not sys.path:
        return
    first = sys.path[0] or os.curdir
    if os.path.realpath(first) == os.path.realpath(os.curdir) != os.path.realpath(home):
        del sys.path[0]


if __name__ == "__main__":
    main()
