"""`torch-wizard` and `python -m wizard`: the command line decides whether a window is wanted.

The only module that knows both; Qt is loaded when the window is opened and not before.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.session.session import Session


def open_window(session: Session, file: str | None, self_test: bool) -> int:
    from wizard.gui.app import run_window

    return run_window(session, file, self_test=self_test)


def main() -> int:
    from wizard.cli.main import main as command_line

    return command_line(sys.argv[1:], open_window)


if __name__ == "__main__":
    sys.exit(main())
