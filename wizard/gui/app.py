"""Opens the window: the application, its log file, and what happens to mistakes that nobody caught."""

from __future__ import annotations

import contextlib
import logging
import signal
import sys
import time
import traceback
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from wizard import __version__, paths
from wizard.errors import WizardError
from wizard.flow.session_api import SessionApi
from wizard.gui.preferences import Preferences
from wizard.gui.single import SingleInstance
from wizard.gui.window import WizardWindow

if TYPE_CHECKING:
    from wizard.flow.side_api import SideApi

_LOG = logging.getLogger("wizard.gui")
_SELF_TEST_SECONDS = 30.0


def run_window(
    session: SessionApi, open_file: str | None, self_test: bool = False, side_api: SideApi | None = None
) -> int:
    """Until the window is closed; with `self_test` until its first page is painted. Returns the exit status.

    Where a window of the same home is open already, that one comes to the front instead.
    """
    app = application()
    single = SingleInstance(parent=app)
    if not self_test and single.hand_over(open_file):
        return 0
    _write_log()
    window = WizardWindow(app, session, Preferences(), open_file, side_api)
    sys.excepthook = _teller(window)
    window.show()
    if not self_test and single.listen():
        single.asked.connect(window.come_forward)
    if self_test:
        return _self_test(app, window)
    with contextlib.suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Qt's loop would never come to Python's own answer
    return app.exec()


def application() -> QApplication:
    there = QApplication.instance()
    app = there if isinstance(there, QApplication) else QApplication([paths.APP_NAME])
    app.setApplicationName(paths.APP_NAME)
    app.setApplicationDisplayName("Torch Setup")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName(paths.APP_NAME)
    icon = paths.resources_dir() / "icons" / "app.svg"
    if icon.is_file():
        app.setWindowIcon(QIcon(str(icon)))
    return app


def _self_test(app: QApplication, window: WizardWindow) -> int:
    until = time.monotonic() + _SELF_TEST_SECONDS
    painted = False
    while time.monotonic() < until and not (painted and not window.errands.busy):
        app.processEvents()
        handle = window.windowHandle()
        painted = painted or (handle is not None and handle.isExposed() and not window.grab().isNull())
        time.sleep(0.01)
    window.close()
    app.processEvents()
    return 0 if painted else 1


def _write_log() -> None:
    """Best effort: a window that cannot write its log still works."""
    with contextlib.suppress(OSError):
        paths.logs_dir().mkdir(parents=True, exist_ok=True)
        target = RotatingFileHandler(
            paths.logs_dir() / "window.log", maxBytes=1_000_000, backupCount=2, encoding="utf-8"
        )
        target.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
        logging.getLogger("wizard").addHandler(target)


def _teller(window: WizardWindow) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        details = "".join(traceback.format_exception(kind, error, trace))
        _LOG.error("unexpected: %s", details)
        window.show_bug(WizardError("window-unexpected", details=details, what=kind.__name__))

    return tell
