"""The window's first picture, before the command line is read and before anything is loaded that the picture does not
show. `app.run_window` then furnishes the same window.
"""

from __future__ import annotations

from PySide6.QtCore import QEventLoop, QTimer

from wizard.gui.shell.window import WizardWindow
from wizard.gui.startup.application import application
from wizard.gui.startup.preferences import Preferences
from wizard.gui.startup.single import claim, may_be_open

_LONGEST_MS = 1000  # a window that nobody sees (another desktop, minimised) is never painted


def first_picture() -> WizardWindow | None:
    """None where a window of the same home may be open, or is being opened: that one is asked before anything is
    shown."""
    app = application()
    if may_be_open() or not claim():
        return None
    window = WizardWindow(app, None, Preferences(), None)
    loop, watch = QEventLoop(), QTimer()
    window.put_first_picture().painted.connect(loop.quit)
    watch.timeout.connect(loop.quit)
    watch.start(_LONGEST_MS)
    window.show()
    loop.exec()
    watch.stop()
    return window
