"""Walks the window to a page, as a person does, and looks at what is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from PySide6.QtCore import QLibraryInfo, QMimeData, QPoint, QPointF, Qt, QVersionNumber
from PySide6.QtGui import QDragEnterEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QLabel,
    QLineEdit,
    QRadioButton,
    QTableWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.gui.fake_session import FakeRun, FakeSession, failed_run
from wizard.app.pages.order import PageId
from wizard.gui.pages.install import InstallPage
from wizard.gui.pages.source.page import SourcePage
from wizard.gui.shell.window import WizardWindow

W = TypeVar("W", bound=QWidget)
LEAST = (496, 280)  # 1024 x 640 at 200 %, less the window's frame


def lower(window: WizardWindow, size: tuple[int, int] = LEAST) -> None:
    """Make the window as small as on a small screen."""
    window._fit = lambda: window.setMinimumSize(1, 1)  # type: ignore[method-assign]  # this screen is a large one
    window._fit()
    window.resize(*size)


def settle(qtbot: QtBot, window: WizardWindow) -> None:
    qtbot.waitUntil(lambda: not window.page.is_busy and not window.tasks.busy)


def cell(table: QTableWidget, row: int, column: int, role: int = Qt.ItemDataRole.DisplayRole) -> str:
    """Return what a cell says. An item that Qt made is asked for by nobody: Python would keep it beyond its end."""
    return str(table.model().index(row, column).data(role) or "")


def dragged_in(data: QMimeData) -> QDragEnterEvent:
    """Make the event of a drag. Qt 6.12 wants a place in parts of a pixel, Qt before in whole ones."""
    place = QPointF(5, 5) if QLibraryInfo.version() >= QVersionNumber(6, 12) else QPoint(5, 5)
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    return QDragEnterEvent(place, copy, data, left, none)


def press(qtbot: QtBot, button: QWidget) -> None:
    """In its middle; a box to tick takes a press on itself and its words alone, so that one where it stands."""
    assert button.isVisible(), "nobody could press that"
    is_box = isinstance(button, QCheckBox | QRadioButton)
    place = QPoint(12, button.height() // 2) if is_box else button.rect().center()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=place)


def is_heard_as_seen(panel: QWidget) -> bool:
    """Whether its labels come before the buttons below them, for who hears it: in the order of its children."""
    children = panel.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    shown = [one for one in children if one.isVisible()]
    lines = [one.y() + one.height() // 2 for one in shown if isinstance(one, QLabel | QAbstractButton)]
    return all(above <= below + 12 for above, below in zip(lines, lines[1:], strict=False))  # of one row


def go_to(qtbot: QtBot, window: WizardWindow, page: PageId) -> None:
    """With the mouse, on the primary button. Install is reached when its run has begun."""
    while window.navigator.page is not page:
        before = window.navigator.page
        qtbot.waitUntil(lambda: window.footer.primary.isVisible() and window.footer.primary.isEnabled())
        choose = getattr(window.page, "choose", None)  # Next would go on to Review by itself
        press(qtbot, choose if choose is not None and choose.isVisible() else window.footer.primary)
        qtbot.waitUntil(lambda before=before: window.navigator.page is not before)
    if page not in (PageId.INSTALL, PageId.VERIFY):
        settle(qtbot, window)


def failed_install(
    qtbot: QtBot, window: WizardWindow, session: FakeSession, script: Callable[[FakeRun], None] = failed_run
) -> InstallPage:
    """Let a run fail, by itself in the download; return the page that says so, at rest."""
    session.script = script
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    assert isinstance(install, InstallPage)
    qtbot.waitUntil(install.trouble.isVisible)
    settle(qtbot, window)
    return install


def leave_the_run(qtbot: QtBot, window: WizardWindow) -> None:
    """Close a window whose run goes on without it."""
    window.close()
    press(qtbot, window.ask.go)


def put_away(*windows: WizardWindow) -> None:
    """Close them without a question and forget them; the next test's window speaks English again."""
    for window in windows:
        window.side.close()
        window.navigator.restart()
        window.close()
        window.tasks.stop()
        window.translator.set_language("en")
        window.deleteLater()
    QApplication.processEvents()


def visible(window: WizardWindow, kind: type[W]) -> Iterator[W]:
    return (one for one in window.findChildren(kind) if one.isVisible())


def mnemonics(window: WizardWindow) -> list[tuple[str, str]]:
    """Letter and text of everything visible that answers to Alt+letter."""
    found = []
    for button in visible(window, QAbstractButton):
        assert isinstance(button, QAbstractButton)
        key = button.shortcut().toString()
        if key.startswith("Alt+") and button.isEnabled():
            found.append((key, button.text()))
    for label in visible(window, QLabel):
        assert isinstance(label, QLabel)
        if label.buddy() is not None:
            text = label.text().replace("&&", "")
            if "&" not in text:
                continue
            found.append((f"Alt+{text[text.index('&') + 1].upper()}", label.text()))
    return found


def typed(qtbot: QtBot, field: QLineEdit, text: str) -> None:
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)


def source_page(window: WizardWindow) -> SourcePage:
    page = window.pages[PageId.SOURCE]
    assert isinstance(page, SourcePage)
    return page


def texts(window: WizardWindow) -> list[str]:
    return [one.text() for one in visible(window, QLabel) if isinstance(one, QLabel)]


def keys_shown(window: WizardWindow) -> list[str]:
    """Return what is a message's key, and not its words."""
    buttons = [one.text() for one in visible(window, QAbstractButton) if isinstance(one, QAbstractButton)]
    return [words for words in (*texts(window), *buttons) if re.fullmatch(r"[a-z-]+(\.[a-z-]+)+", words)]


def choose(page: SourcePage, word: str) -> None:
    place = page.where.choice.findData(word)
    assert place >= 0
    page.where.choice.setCurrentIndex(place)
    page.where.choice.activated.emit(place)
