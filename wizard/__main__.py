"""`torch-wizard` and `python -m wizard`: the command line decides whether a window is wanted.

The only module that knows both; Qt is loaded when the window is opened and not before. A program that is broken in
itself ends with a sentence (`safety.last_words`), not with a traceback.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.app.tools import WindowSession
    from wizard.gui.shell.window import WizardWindow


_NO_LIBRARY = ": cannot open shared object file: No such file"  # glibc's words, after the library's name


def open_window(session: WindowSession, file: str | None, self_test: bool, bare: WizardWindow | None = None) -> int:
    try:
        from wizard.gui.startup.app import run_window
    except (ImportError, OSError) as error:
        return _tell_that_no_window_opens(error)
    return run_window(session, file, self_test=self_test, bare=bare)


def _first_picture(argv: Sequence[str]) -> WizardWindow | None:
    """A person who double-clicked sees the window before the rest of the program is loaded."""
    from wizard.cli.window import has_display, is_plain_window

    if not is_plain_window(argv) or not has_display():
        return None
    with contextlib.suppress(Exception):  # the long way meets it again, and has words for it
        from wizard.cli.terminal import prepare_streams
        from wizard.gui.startup.first import first_picture

        prepare_streams()
        return first_picture()
    return None


def _tell_that_no_window_opens(error: Exception) -> int:
    """Raises WizardError `window-cannot-load`, `window-no-library` for the terminal, where there is one."""
    from wizard.model.errors import ExitStatus, WizardError
    from wizard.model.messages import text
    from wizard.safety.fatal_error import TITLE
    from wizard.system.windows.desktop import message_box

    what = str(error).splitlines()[0]
    library, of_the_system, _ = what.partition(_NO_LIBRARY)
    code = "window-no-library" if of_the_system else "window-cannot-load"
    failure = WizardError(code, details=repr(error), what=library)
    if sys.stderr is None:  # double-clicked on Windows
        message_box(TITLE, f"{text(failure.summary)}\n\n{text(failure.hint)}")
        return int(ExitStatus.FAILED)
    raise failure


def main() -> int:
    try:
        from wizard.cli.window import with_command

        argv = with_command(sys.argv[1:])
        bare = _first_picture(argv)
        from wizard.cli.main import main as command_line

        return command_line(argv, partial(open_window, bare=bare))
    except Exception as error:
        from wizard.safety.fatal_error import last_words

        return last_words(error)


if __name__ == "__main__":
    sys.exit(main())
