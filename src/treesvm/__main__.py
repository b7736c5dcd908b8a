"""``python -m treesvm`` is the command ``treesvm``."""

import sys

from treesvm.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
