"""The command line, as ``tamis`` and as ``python -m tamis``."""

import os
import sys


def main() -> None:
    """Run the command line; Ctrl-C is one sentence from the first moment on."""
    try:
        _leave_current_folder()
        from tamis._interrupt import hear_ctrl_c, leave_ctrl_c

        hear_ctrl_c()
        from tamis.cli import main as run

        try:
            run()
        finally:
            leave_ctrl_c()
    except KeyboardInterrupt:
        print("tamis: interrupted; what was not finished was not written.", file=sys.stderr)
        sys.exit(130)


def _leave_current_folder() -> None:
    """Remove the current folder from the search path, where ``python -m`` puts it first.

    A file in that folder, left there by chance or on purpose, must not replace one of Python's modules. The folder
    stays where tamis itself is imported from it.
    """
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if sys.flags.safe_path or not sys.path:
        return
    first = sys.path[0] or os.curdir
    if os.path.realpath(first) == os.path.realpath(os.curdir) != os.path.realpath(home):
        del sys.path[0]


if __name__ == "__main__":
    main()
