"""A sentence with links: its addresses, and the pages that it names; commands that stood in it lie under a fold.
And lists of sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QFocusEvent, QPainter, QPaintEvent, QPen, QShowEvent, QTextDocument
from PySide6.QtWidgets import QLabel, QWidget

from wizard.gui.shell.theme import colour_now
from wizard.gui.widgets.announce import announce
from wizard.gui.widgets.code import CodeLine
from wizard.gui.widgets.commands import apart, kind_of, linked, named, pages_of, with_pages
from wizard.gui.widgets.frames import Fold, column, empty, line_up
from wizard.gui.widgets.labels import SPOKEN_AS, Wrapped, label, selectable

_RING = 2  # pixels
_NO_STEP = (Qt.FocusReason.MouseFocusReason, Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)
_ADDRESS = re.compile(r"https://(?:(?!;)[!-~…])*(?![;:.,)'])[!-~…]")


def _page(widget: QWidget) -> Any:
    """Return the page that it stands on; None before it has a place."""
    owner = widget.parentWidget()
    while owner is not None and not hasattr(owner, "open_page"):
        owner = owner.parentWidget()
    return owner


class _Sentence(Wrapped):
    """Gives the keys to its links, each of which has a ring while it has them, and is scrolled to. Qt stops at the
    sentence before, where nothing is to be seen, and draws dots."""

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        is_back = event.reason() == Qt.FocusReason.BacktabFocusReason
        if event.reason() not in _NO_STEP and self._has_links():
            super().focusNextPrevChild(not is_back)

    def focusNextPrevChild(self, is_next: bool) -> bool:
        has_moved = super().focusNextPrevChild(is_next)
        if has_moved and self.hasFocus() and self.hasSelectedText():
            announce(self, self.selectedText())  # the sentence was said as it got the keys
            if (owner := _page(self)) is not None:
                owner.bring_into_view(self)  # Qt scrolls to the sentence alone
        return has_moved

    def inputMethodQuery(self, query: Qt.InputMethodQuery) -> object:
        """Name the place of the link to who scrolls to what has the keys."""
        if query == Qt.InputMethodQuery.ImCursorRectangle and (rings := self.rings()):
            return rings[0].toAlignedRect()
        return super().inputMethodQuery(query)

    def _has_links(self) -> bool:
        return bool(self.textInteractionFlags() & Qt.TextInteractionFlag.LinksAccessibleByKeyboard)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ring over Qt's own dots."""
        super().paintEvent(event)
        rings = self.rings() if self.hasFocus() and self._has_links() else ()
        if not rings:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour_now("text"), _RING))
        for one in rings:
            painter.drawRoundedRect(one, 3, 3)
        painter.end()

    def rings(self) -> Sequence[QRectF]:
        """Return the places of the link that has the keys, one in each line that it is in."""
        document = self.findChild(QTextDocument)  # what Qt itself lays out and draws
        if not isinstance(document, QTextDocument) or not self.hasSelectedText():
            return ()
        start, end = self.selectionStart(), self.selectionStart() + len(self.selectedText())
        top, found = (self.height() - document.size().height()) / 2, []
        block = document.findBlock(start)
        place = document.documentLayout().blockBoundingRect(block).topLeft() + QPointF(0, max(0.0, top))
        start, end = start - block.position(), end - block.position()
        for number in range(block.layout().lineCount()):
            line = block.layout().lineAt(number)
            first, last = max(start, line.textStart()), min(end, line.textStart() + line.textLength())
            if first < last:
                left, right = (line.cursorToX(at)[0] for at in (first, last))  # type: ignore[index]  # a stub's mistake
                around = QRectF(left, line.y(), right - left, line.height()).translated(place)
                found.append(around & QRectF(self.rect()).adjusted(1, 1, -1, -1))
        return found


class Advice(QWidget):
    """A sentence for a person: its addresses can be clicked, and commands that stood in it lie under a fold."""

    def __init__(self, words: str = "", role: str = "") -> None:
        super().__init__()
        self.label = selectable(label("", role, spoken_as="advice", kind=_Sentence))
        self.label.linkActivated.connect(self._follow)
        self.fold = Fold()
        self._refused: Advice | None = None
        self._lines = column(self, gap=4)
        self._lines.addWidget(self.label)
        self._lines.addWidget(self.fold)
        self.show_words(words)

    def text(self) -> str:
        """Return the words that are seen, without what makes an address a link."""
        return self._seen

    def show_words(self, signed: str) -> None:
        """Show a sentence with its signs; nothing else in it is taken for a command or a page."""
        self._signed, self.commands = apart(signed)
        self._seen, commands = with_pages(self._signed), self.commands
        if self._refused is not None:
            self._refused.setVisible(False)
        self._link()
        empty(self.fold.body)
        for command in commands:
            if len(commands) > 1:
                self.fold.body.addWidget(label(self._name(command, commands), "muted"))
            self.fold.body.addWidget(CodeLine(command))
        inside = str(len(commands)) if len(commands) > 1 else "".join(self._name(one, commands) for one in commands)
        self.fold.show_words(QCoreApplication.translate("CodeLines", "In a terminal"), inside)  # what "below" is
        self.fold.setVisible(bool(commands))

    def showEvent(self, event: QShowEvent) -> None:
        """Link anew where it has come to stand on a page since: that one's name leads nowhere."""
        super().showEvent(event)
        if self._here != self._page_of():
            self._link()

    def _link(self) -> None:
        self._here, words = self._page_of(), self._seen
        rich = _ADDRESS.sub(lambda found: f'<a href="{found[0]}">{found[0]}</a>', escape(self._signed, quote=False))
        rich = linked(rich, self._here)
        is_rich = "<a " in rich
        self.label.setTextFormat(Qt.TextFormat.RichText if is_rich else Qt.TextFormat.PlainText)
        flags = Qt.TextInteractionFlag
        self.label.setTextInteractionFlags(flags.TextBrowserInteraction if is_rich else flags.TextSelectableByMouse)
        self.label.setText(rich.replace("\n", "<br>") if is_rich else words)
        self.label.setAccessibleName(words)
        pages = (page for page in pages_of(self._signed) if page != self._here)
        names = [*_ADDRESS.findall(words), *map(named, pages)]
        self.label.setAccessibleDescription(self.tr("Links: %1").replace("%1", ", ".join(names)) if is_rich else "")

    def _page_of(self) -> str:
        owner = _page(self)
        return owner.page_id if owner is not None else ""

    def _name(self, command: str, commands: Sequence[str]) -> str:
        kind = kind_of(command)
        alike = [one for one in commands if kind_of(one) == kind]
        if len(alike) == 1:
            return {
                "option": self.tr("Option"),
                "setting": self.tr("Setting"),
                "variable": self.tr("Variable"),
                "command": self.tr("Command"),
            }[kind]
        names = {
            "option": self.tr("Option %1"),
            "setting": self.tr("Setting %1"),
            "variable": self.tr("Variable %1"),
            "command": self.tr("Command %1"),
        }
        return names[kind].replace("%1", str(alike.index(command) + 1))

    def _follow(self, address: str) -> None:
        if address.startswith("https://"):
            QDesktopServices.openUrl(QUrl(address))
            return
        owner = _page(self)
        if owner is not None and (refused := owner.open_page(address)):
            self._refuse(refused)

    def _refuse(self, why: str) -> None:
        """Say below the sentence why a page that it names cannot be opened."""
        if self._refused is None:
            self._refused = Advice("", "muted")
            self._lines.addWidget(self._refused)
        self._refused.show_words(why)
        self._refused.setVisible(True)
        announce(self, self._refused.text(), urgent=True)


class Point(QWidget):
    """An item of a list: its dot stands alone at the left, so that no line of the words begins below it."""

    def __init__(self, said: QLabel | Advice) -> None:
        super().__init__()
        self._said = said
        line = line_up(self, gap=8)
        line.addWidget(label("•", str(said.property("role") or ""), wrap=False), 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(said, 1)
        self.setProperty(SPOKEN_AS, "item")
        self.setAccessibleName(said.text())

    def text(self) -> str:
        """Return the words as they are copied."""
        return f"•  {self._said.text()}"


class Points(QWidget):
    """Sentences with a dot before each; a list for a screen reader."""

    def __init__(self) -> None:
        super().__init__()
        self.points: Sequence[Point] = ()
        self.setProperty(SPOKEN_AS, "list")
        self._rows = column(self, gap=2)

    def show_points(self, said: Sequence[QLabel | Advice]) -> None:
        """Nothing is to be seen where there are none."""
        empty(self._rows)
        self.points = [Point(one) for one in said]
        for point in self.points:
            self._rows.addWidget(point)
            point.show()  # at once, as in a card of rows
        self.setVisible(bool(said))

    def text(self) -> str:
        """Return the list as it is copied."""
        return "\n".join(point.text() for point in self.points)
