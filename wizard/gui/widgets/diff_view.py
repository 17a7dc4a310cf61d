"""What would change in settings files, line by line: signs and colour, to be read and to be copied.

The sign at the start of a line says the same as its colour. Nothing is written from here.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton, QWidget

from wizard.gui.shell.theme import Theme, code_font
from wizard.gui.widgets.code import copy_out
from wizard.gui.widgets.frames import column, empty, line_up
from wizard.gui.widgets.labels import label, selectable, told_of
from wizard.toolconfig.model import Diff

_MOST_LINES = 14
_WIDE = 68  # characters; longer lines need a scroll bar in the smallest window


class _Paint(QSyntaxHighlighter):
    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        theme.changed.connect(self.rehighlight)

    def highlightBlock(self, text: str) -> None:
        pair = {"+": ("ok", "on_ok"), "-": ("problem", "on_problem"), "@": ("code", "muted")}.get(text[:1])
        if pair is None:
            return
        look = QTextCharFormat()
        look.setBackground(self._theme.colour(pair[0]))
        look.setForeground(self._theme.colour(pair[1]))
        self.setFormat(0, len(text), look)


class FileDiff(QFrame):
    """One file: its path, how much changes, the lines, and a button that copies them."""

    def __init__(self, diff: Diff, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "fold")
        lines = [line for line in diff.text.splitlines() if not line.startswith(("--- ", "+++ "))]
        added = sum(line.startswith("+") for line in lines)
        removed = sum(line.startswith("-") for line in lines)
        rows = column(self, gap=4)
        head = line_up()
        path = selectable(label(str(diff.path), "strong"))
        count = label(counts_text(added, removed, diff.before is None), "muted", wrap=False)
        self.copy = QPushButton(QCoreApplication.translate("DiffView", "Copy"))
        self.copy.setProperty("role", "small")
        self.copy.setAccessibleName(
            QCoreApplication.translate("DiffView", "Copy: the change of %1").replace("%1", str(diff.path))
        )
        self.copy.clicked.connect(lambda: copy_out(diff.text, self.copy))
        head.addWidget(path, 1)
        head.addWidget(count)
        head.addWidget(self.copy)
        rows.addLayout(head)
        rows.addWidget(self._text(lines, theme))
        self.view.setAccessibleName(told_of(str(diff.path), count.text()))

    def _text(self, lines: Sequence[str], theme: Theme) -> QPlainTextEdit:
        self.view = QPlainTextEdit()
        self.view.setReadOnly(True)
        self.view.setTabChangesFocus(True)
        self.view.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.view.setFont(code_font())
        self.view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.view.setPlainText("\n".join(lines))
        self._paint = _Paint(self.view.document(), theme)
        shown = min(max(len(lines), 2), _MOST_LINES)
        is_wide = max(map(len, lines), default=0) > _WIDE
        self.view.setFixedHeight(shown * self.view.fontMetrics().lineSpacing() + (48 if is_wide else 36))
        return self.view


def counts_text(added: int, removed: int, is_new: bool) -> str:
    """Return how many lines come and go, and whether the file is a new one."""
    words = QCoreApplication.translate("DiffView", "+%1 −%2 lines")
    words = words.replace("%1", str(added)).replace("%2", str(removed))
    new = QCoreApplication.translate("DiffView", "new file")
    return f"{new}  •  {words}" if is_new else words


class DiffView(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: tuple[Diff, ...] = ()
        self._files = column(self, gap=12)

    @property
    def files(self) -> list[FileDiff]:
        return [one for one in self.findChildren(FileDiff) if not one.isHidden()]

    def show_diffs(self, diffs: Sequence[Diff]) -> None:
        if tuple(diffs) != self._shown:
            self._shown = tuple(diffs)
            self.retranslate()

    def retranslate(self) -> None:
        empty(self._files)
        for diff in self._shown:
            self._files.addWidget(FileDiff(diff, self._theme))
