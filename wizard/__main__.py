"""`torch-wizard` and `python -m wizard`: the command line decides whether a window is wanted."""

from __future__ import annotations

import sys


def main() -> int:
    from wizard.cli.main import main as command_line

    return command_line(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
