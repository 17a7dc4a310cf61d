"""The QApplication: its names, its icon, and a sentence where no display lets it begin."""

from __future__ import annotations

import linecache
import os
import sys

from PySide6.QtCore import QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from wizard import __version__
from wizard.system import paths
from wizard.system.traits import this


def application() -> QApplication:
    """Return the one application of this process, made where there is none yet."""
    there = QApplication.instance()
    app = there if isinstance(there, QApplication) else _new_application()
    app.setApplicationName(paths.APP_NAME)
    app.setApplicationDisplayName("Torch Setup")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName(paths.APP_NAME)
    # Drawn from app.svg beforehand: Qt's SVG library is not loaded at every start for one small picture.
    icon = paths.resources_dir() / "icons" / "app.png"
    if icon.is_file():
        app.setWindowIcon(QIcon(str(icon)))
    return app


def forget_sources() -> None:
    """PySide reads the source of every module that imports something, to look for its own name in it; the lines stay
    in Python's cache for tracebacks (3 MB for the first page), which reads them again when it needs them."""
    linecache.clearcache()


def _new_application() -> QApplication:
    """Without a display or its libraries Qt would print its own words and abort."""
    if this().has_task_bar and not paths.is_frozen():  # the frozen program has a name of its own: its path
        from wizard.system.windows.desktop import name_for_taskbar

        name_for_taskbar()
    qInstallMessageHandler(_tell_fatal)
    try:
        return QApplication([paths.APP_NAME])
    finally:
        qInstallMessageHandler(None)


def _tell_fatal(kind: QtMsgType, context: object, words: str) -> None:
    if kind != QtMsgType.QtFatalMsg:
        return
    from wizard.model.errors import WizardError
    from wizard.model.messages import text
    from wizard.safety.log import append

    failure = WizardError(
        "window-no-display",
        "The window cannot be opened: the desktop's libraries for it are missing, or the display does not answer.",
        "On Debian and Ubuntu: sudo apt-get install libxcb-cursor0 libxkbcommon-x11-0 libegl1. "
        "In the terminal the same job runs without it: torch-wizard setup",
        details=words,
    )
    append("window.log", words)
    if sys.stderr is not None:
        sys.stderr.write(f"✗ {text(failure.summary)}\n  {text(failure.hint)}\n")
        sys.stderr.flush()
    os._exit(int(failure.exit_status))  # to come back from here would be Qt's abort
