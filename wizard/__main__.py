"""`torch-wizard` and `python -m wizard`: the command line decides whether a window is wanted.

The only module that knows both; Qt is loaded when the window is opened and not before. A program that is broken in
itself ends with a sentence (`safety.last_words`), not with a traceback.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.session.session import Session


def open_window(session: Session, file: str | None, self_test: bool) -> int:
    try:
        from wizard.gui.app import run_window
    except (ImportError, OSError) as error:
        return _tell_that_no_window_opens(error)
    return run_window(session, file, self_test=self_test)


def _tell_that_no_window_opens(error: Exception) -> int:
    """Raises WizardError `window-cannot-load` for the terminal, where there is one."""
    from wizard.errors import ExitStatus, WizardError
    from wizard.i18n import text
    from wizard.safety.last_words import TITLE
    from wizard.windows.message_box import message_box

    failure = WizardError("window-cannot-load", details=repr(error), what=str(error).splitlines()[0])
    if sys.stderr is None:  # double-clicked on Windows
        message_box(TITLE, f"{text(failure.summary)}\n\n{text(failure.hint)}")
        return int(ExitStatus.FAILED)
    raise failure


def main() -> int:
    try:
        from wizard.cli.file_argument import with_command
        from wizard.cli.main import main as command_line

        return command_line(with_command(sys.argv[1:]), open_window)
    except Exception as error:
        from wizard.safety.last_words import last_words

        return last_words(error)


if __name__ == "__main__":
    sys.exit(main())
