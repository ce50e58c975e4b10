"""``python -m tamis`` is the command line."""

from tamis.cli import main

if __name__ == "__main__":
    main()
