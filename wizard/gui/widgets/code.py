"""A line of code or a command with a button that copies it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QResizeEvent, QTextDocument, QTextLayout
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QWidget

from wizard.gui.shell.theme import code_font
from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.announce import announce
from wizard.gui.widgets.frames import Fold, column, empty, line_up
from wizard.gui.widgets.labels import BREAK, JOINT, Wrapped, label, may_end_lines, selectable
from wizard.model.errors import WizardError

if TYPE_CHECKING:
    from wizard.app.pages.after_setup import Line, Section


# What a button copies: it says so for a moment, and so does a screen reader. Every copy button goes this way.

SAID_FOR_MS = 1800
_BEFORE = "words before"


def copied_word() -> str:
    return QCoreApplication.translate("CodeLine", "Copied")


def copy_out(words: str, button: QPushButton) -> None:
    QGuiApplication.clipboard().setText(words)
    say_for_a_moment(copied_word(), button)


def open_folder(folder: Path) -> WizardError | None:
    """Show a folder in the system's file manager; where there is none, return what is to be said instead."""
    if QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
        return None
    return WizardError(
        "folder-not-opened",
        "No file manager was found that opens the folder.",
        "Open it in your own way: {path}",
        path=str(folder),
    )


def say_for_a_moment(said: str, button: QPushButton) -> None:
    """Let a button say what it has done, also to a screen reader."""
    announce(button, said)
    if button.text() == said:  # pressed twice: the first press gives its words back
        return
    button.setProperty(_BEFORE, button.text())
    button.setMinimumWidth(button.width())  # its neighbours stay where they are
    button.setText(said)
    QTimer.singleShot(SAID_FOR_MS, button, lambda: _give_back(button, said))


def _give_back(button: QPushButton, said: str) -> None:
    button.setMinimumWidth(0)
    if button.text() == said:  # else the language was switched meanwhile, and the button has new words
        button.setText(str(button.property(_BEFORE)))


_WORD = re.compile(r"\S+")


class _Code(Wrapped):
    """A command ends its lines between two words, never within an option. Only a word that is longer than a whole line
    goes on in the next one."""

    def __init__(self, code: str) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setMinimumWidth(40)
        self.setText(code)

    def setText(self, words: str) -> None:
        self._words = words
        self._lay_out()

    def heightForWidth(self, width: int) -> int:
        """Of the text as it will be in that width, which need not be the width of now."""
        laid = QTextDocument()
        laid.setDefaultFont(self.font())
        laid.setDocumentMargin(0)
        laid.setPlainText(self._joined(width))
        laid.setTextWidth(width)
        return ceil(laid.size().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        words = self._joined(self.width())
        if words != QLabel.text(self):
            QLabel.setText(self, words)
            self.say_plainly()

    def _joined(self, width: int) -> str:
        advance = self.fontMetrics().horizontalAdvance

        def join(found: re.Match[str]) -> str:
            word = found[0]
            if advance(word) <= width:
                return JOINT.join(word)
            parts = may_end_lines(word)
            return parts if self._has_room(parts, width) else BREAK.join(word)  # else it would lose letters

        return _WORD.sub(join, self._words)

    def _has_room(self, word: str, width: int) -> bool:
        """Tell whether no part of it, between two places where Qt ends a line, is longer than one."""
        laid = QTextLayout(word, self.font())
        laid.beginLayout()
        has_room = True
        while (line := laid.createLine()).isValid():
            line.setLineWidth(width)
            has_room = has_room and line.naturalTextWidth() <= width
        laid.endLayout()
        return has_room


class CodeLine(QFrame):
    def __init__(self, code: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "code")
        row = line_up(self, (12, 6, 8, 6))
        self._label = selectable(_Code(code))
        self._label.setFont(code_font())
        self._button = QPushButton(self)
        self._button.setProperty("role", "small")
        self._button.clicked.connect(self._copy)
        row.addWidget(self._label, 1)
        row.addWidget(self._button)
        self.retranslate()

    @property
    def code(self) -> str:
        return self._label.text()

    @property
    def button(self) -> QPushButton:
        return self._button

    def show_code(self, code: str) -> None:
        self._label.setText(code)
        self.retranslate()

    def retranslate(self) -> None:
        self._button.setText(self.tr("Copy"))
        self._button.setAccessibleName(self.tr("Copy: %1").replace("%1", self.code))

    def _copy(self) -> None:
        copy_out(self.code, self._button)


class SaidCode(QWidget):
    """A line with what it is for above it; hidden where there is none."""

    def __init__(self, translator: Translator) -> None:
        super().__init__()
        self._translator = translator
        self._line: Line | None = None
        self._words, self.code = label("", "muted"), CodeLine()
        self.rows = column(self, gap=4)
        self.rows.addWidget(self._words)
        self.rows.addWidget(self.code)
        self.setVisible(False)

    @property
    def words(self) -> str:
        return self._words.text()

    def show_line(self, line: Line | None) -> None:
        self._line = line
        self.setVisible(line is not None)
        self.retranslate()

    def retranslate(self) -> None:
        if self._line is not None:
            self._words.setText(self._translator.say(self._line.label))
            self.code.show_code(self._line.code)


# Sections of lines to copy: switching an environment on, Jupyter, the editor. All are folded away.


class CodeLines(QWidget):
    """`first`: the line that most people want, for a button outside the fold."""

    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._translator = translator
        self._sections: tuple[Section, ...] = ()
        self._rows = column(self, gap=8)
        self.first: CodeLine | None = None
        self.fold: Fold | None = None

    def show_sections(self, sections: Sequence[Section]) -> None:
        if tuple(sections) != self._sections:
            self._sections = tuple(sections)
            self.retranslate()

    def retranslate(self) -> None:
        was_open = self.fold.button.isChecked() if self.fold else False
        empty(self._rows)
        self.first = self.fold = None
        if not self._sections:
            return
        self.fold = Fold()
        for section in self._sections:
            self.fold.body.addWidget(label(self._translator.say(section.title), "heading"))
            for line in section.lines:
                self._add_line(self.fold, line)
        self.fold.show_words(self.tr("In a terminal"))
        self.fold.button.setChecked(was_open)
        self._rows.addWidget(self.fold)

    def _add_line(self, fold: Fold, line: Line) -> None:
        code = CodeLine(line.code)
        self.first = self.first or code
        fold.body.addWidget(label(self._translator.say(line.label), "muted"))
        fold.body.addWidget(code)
        if line.note:
            fold.body.addWidget(label(self._translator.say(line.note), "muted"))
