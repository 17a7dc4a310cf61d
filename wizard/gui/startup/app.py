"""Opens the window: its log file, its loop, and what happens to mistakes that nobody caught."""

from __future__ import annotations

import contextlib
import gc
import logging
import signal
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from wizard import __version__
from wizard.gui.shell.window import WizardWindow
from wizard.gui.startup.application import application, forget_sources
from wizard.gui.startup.crash import CrashWatch
from wizard.gui.startup.preferences import Preferences
from wizard.gui.startup.single import SingleInstance
from wizard.model.errors import ExitStatus
from wizard.model.messages import Message, message, text
from wizard.safety.hard_crash import collect_earlier, watched
from wizard.safety.log import SharedLog
from wizard.safety.state import set_right

if TYPE_CHECKING:
    from wizard.app.tools import WindowSession


# Python's collection of garbage, on the window's thread only.
#
# By itself it runs in whatever thread makes the next object. What it finds may be a slot whose receiver is gone: PySide
# then takes Qt's lock of connections and waits for Python's, while the window's thread has Python's and waits for Qt's.
# Both would stand still for ever.

_EVERY_MS = 250


class Collecting(QObject):
    """From its making to `stop`; Python's own stays off after that too: other threads may outlive the window."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._is_frozen = False
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        if self._is_frozen:
            gc.unfreeze()

    def _look(self) -> None:
        """The same thresholds as Python's own."""
        if not self._is_frozen:  # the furnished window lives as long as we do: not looked through again and again
            self._is_frozen = True
            gc.freeze()
        counts, most = gc.get_count(), gc.get_threshold()
        for generation in (2, 1, 0):
            if most[generation] and counts[generation] > most[generation]:
                gc.collect(generation)
                return


Loop = Callable[[QApplication, WizardWindow], int]
_LOG = logging.getLogger("wizard.gui")
_SELF_TEST_SECONDS = 30.0


def run_window(
    session: WindowSession,
    open_file: str | None,
    self_test: bool = False,
    loop: Loop | None = None,
    bare: WizardWindow | None = None,
) -> int:
    """Until the window is closed; with `self_test` until its first page is painted. Returns the exit status.

    Where a window of the same home is open already, that one comes to the front instead. `loop` stands in for Qt's
    own, for who measures. `bare`: the window that shows its first picture already (`first.py`).
    """
    if bare is not None and bare.is_closed:
        return 0
    collecting = Collecting(application())
    try:
        with watched():
            return _run(session, open_file, self_test, loop, bare)
    finally:
        collecting.stop()


def _run(
    session: WindowSession,
    open_file: str | None,
    self_test: bool,
    loop: Loop | None,
    bare: WizardWindow | None,
) -> int:
    app = application()
    forget_sources()
    single = SingleInstance(app)
    if bare is None and not self_test and single.hand_over_or_claim(open_file):
        return 0
    log = _write_log()
    set_aside = set_right()
    preferences = bare.preferences if bare else Preferences()
    crashes = CrashWatch(lambda: preferences.wishes.language)
    try:
        if bare is None:
            window = WizardWindow(app, session, preferences, open_file)
            window.show()
        else:
            window = bare
            window.furnish(session, open_file)
    except Exception as error:  # a window that cannot be made says so, in one that needs nothing of it
        crashes.tell(error)
        if bare is not None:
            bare.hide()
        return _show_the_crash(app, self_test)
    crashes.over = window
    crashes.tell_earlier(collect_earlier())
    if set_aside:
        _tell_set_aside(window, set_aside)
    try:
        return _until_closed(app, window, single, self_test, loop)
    finally:
        single.close()
        crashes.stop()
        logging.getLogger("wizard").removeHandler(log)


def _until_closed(
    app: QApplication, window: WizardWindow, single: SingleInstance, self_test: bool, loop: Loop | None
) -> int:
    if self_test:
        return _self_test(app, window)
    single.asked.connect(window.come_forward)
    QTimer.singleShot(0, single.listen)  # the window is painted first
    if loop is not None:
        return loop(app, window)
    with contextlib.suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Qt's loop would never come to Python's own answer
    return app.exec()


def _self_test(app: QApplication, window: WizardWindow) -> int:
    until = time.monotonic() + _SELF_TEST_SECONDS
    painted = False
    while time.monotonic() < until and not (painted and not window.tasks.busy):
        app.processEvents()
        handle = window.windowHandle()
        painted = painted or (handle is not None and handle.isExposed() and not window.grab().isNull())
        time.sleep(0.01)
    window.close()
    app.processEvents()
    return 0 if painted else 1


def _tell_set_aside(window: WizardWindow, set_aside: tuple[Message, ...]) -> None:
    lines = [text(each, window.translator.language) for each in set_aside]
    window.page.trouble.show_words(
        message("safety.title", "Not everything in the program's folder could be used."),
        message("flow.plain", text="\n".join(lines)),
    )


def _show_the_crash(app: QApplication, self_test: bool) -> int:
    if not self_test:
        app.exec()
    return int(ExitStatus.FAILED)


def _write_log() -> logging.Handler:
    log = SharedLog("window.log")
    logging.getLogger("wizard").addHandler(log)
    _LOG.warning("window %s started", __version__)
    return log
