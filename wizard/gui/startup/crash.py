"""The plain window of a crash: one sentence, what to do, copy the report, open the log folder. No traceback on screen.

It may have to show before there is a theme or a translator, and after they broke: it uses neither, and takes its words
from the catalogues. `CrashWatch` brings it up for what nobody caught, in whichever thread that was.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from wizard import __version__
from wizard.model.messages import Message, message, text
from wizard.safety.hard_crash import what_of
from wizard.system import paths

_LOG = logging.getLogger("wizard.gui.startup.crash")
_MOST_LOGGED = 50  # a mistake while painting comes again sixty times a second


def report_of(details: str) -> str:
    """What "copy report" puts on the clipboard: no names of this person or computer, no secrets."""
    import platform

    from wizard.run.report.privacy import Private, clean_text

    head = f"Torch Setup {__version__}, Python {platform.python_version()}, {platform.platform()}"
    return clean_text(f"{head}\n{details}", Private.of_this_computer())


class CrashWindow(QDialog):
    def __init__(self, what: Message, details: str, language: str, over: QWidget | None = None) -> None:
        """`over`: the window that it stands on, which waits for it; what broke there must not be pressed further."""
        super().__init__(over)
        self._details, self._language = details, language
        self.setWindowModality(Qt.WindowModality.ApplicationModal)
        self.setWindowTitle("Torch Setup")
        self.words = QLabel(f"{text(what, language)}\n\n{self._say('safety.crash.do')}")
        self.words.setWordWrap(True)
        self.words.setMinimumWidth(460)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = QPushButton(self._say("safety.crash.copy"))
        self.folder = QPushButton(self._say("safety.crash.folder"))
        self.shut = QPushButton(self._say("safety.crash.close"))
        self.copy.clicked.connect(self._copy)
        self.folder.clicked.connect(self._open_folder)
        self.shut.clicked.connect(self.close)
        rows, buttons = QVBoxLayout(self), QHBoxLayout()
        rows.setContentsMargins(24, 24, 24, 20)
        rows.setSpacing(20)
        for button in (self.copy, self.folder):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.shut)
        rows.addWidget(self.words, 1)
        rows.addLayout(buttons)

    def _say(self, key: str) -> str:
        return text(message(key), self._language)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(report_of(self._details))
        self.copy.setText(self._say("safety.crash.copied"))

    def _open_folder(self) -> None:
        """Where nothing opens it, its path is what can be read and copied."""
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(paths.logs_dir()))):
            self.words.setText(f"{self.words.text()}\n\n{paths.logs_dir()}")
            self.folder.setEnabled(False)


class CrashWatch(QObject):
    """From its making until `stop`, what nobody caught is logged whole and told once. Lives in the window's thread."""

    _happened = Signal(str, str)  # the exception's name, the traceback

    def __init__(self, language: Callable[[], str]) -> None:
        """`language`: asked when there is something to say, for the window may have changed it meanwhile."""
        super().__init__()
        self._language = language
        self.over: QWidget | None = None  # the window, once there is one
        self.window: CrashWindow | None = None
        self._logged = 0
        self._before = sys.excepthook, threading.excepthook, sys.unraisablehook
        # A slot of this object runs in the thread that it lives in, from whichever thread the signal comes.
        self._happened.connect(self._show)
        sys.excepthook, threading.excepthook = self._caught, self._caught_in_thread
        sys.unraisablehook = self._caught_while_tidying

    def stop(self) -> None:
        """Give back the hooks of before and close the window about the error."""
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._before
        if self.window is not None:
            self.window.close()
            self.window.deleteLater()
            self.window = None

    def tell_earlier(self, traces: tuple[str, ...]) -> None:
        """Of a hard crash that ended an earlier start."""
        for trace in traces:
            _LOG.error("an earlier start crashed:\n%s", trace)
        if traces:
            self._bring_up(
                message(
                    "safety.crash.earlier",
                    "The last time, the window was closed by a crash ({what}).",
                    what=what_of(traces[-1]) or "?",
                ),
                traces[-1],
            )

    def tell(self, error: BaseException) -> None:
        self._caught(type(error), error, error.__traceback__)

    def _caught(self, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
        details = "".join(traceback.format_exception(kind, error, trace))
        self._log(details)
        if not issubclass(kind, KeyboardInterrupt):
            self._happened.emit(kind.__name__, details)

    def _caught_in_thread(self, told: threading.ExceptHookArgs) -> None:
        if not issubclass(told.exc_type, SystemExit):
            self._caught(told.exc_type, told.exc_value, told.exc_traceback)

    def _caught_while_tidying(self, told: sys.UnraisableHookArgs) -> None:
        """In a destructor: nothing is lost by it, so it is only logged."""
        self._log("".join(traceback.format_exception(told.exc_type, told.exc_value, told.exc_traceback)))

    def _log(self, details: str) -> None:
        self._logged += 1
        if self._logged <= _MOST_LOGGED:
            _LOG.error("unexpected: %s", details)

    def _show(self, kind: str, details: str) -> None:
        self._bring_up(message("safety.crash.now", what=kind), details)

    def _bring_up(self, what: Message, details: str) -> None:
        if self.window is None:  # the first one is the cause; others often only follow from it
            self.window = CrashWindow(what, details, self._language(), self.over)
            self.window.show()
            self.window.raise_()
            self.window.activateWindow()
