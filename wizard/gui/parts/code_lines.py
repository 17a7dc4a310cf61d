"""Sections of lines to copy: switching an environment on, Jupyter, the editor. The first section is open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from wizard.gui.parts.boxes import column, empty
from wizard.gui.parts.code_line import CodeLine
from wizard.gui.parts.fold import Fold
from wizard.gui.parts.labels import label
from wizard.gui.voice import Voice

if TYPE_CHECKING:
    from wizard.flow.afterwards import Line, Section


class CodeLines(QWidget):
    """`head` shows the first line alone, as what most people want; all else is folded away."""

    def __init__(self, voice: Voice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._voice = voice
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
        head, *rest = self._sections
        self._rows.addWidget(label(self._voice.say(head.title), "strong"))
        self.first = CodeLine(head.lines[0].code)
        self._rows.addWidget(self.first)
        if head.lines[0].note:
            self._rows.addWidget(label(self._voice.say(head.lines[0].note), "muted"))
        if len(head.lines) > 1 or rest:
            self._add_rest(head.lines[1:], rest, was_open)

    def _add_rest(self, lines: Sequence[Line], sections: Sequence[Section], is_open: bool) -> None:
        self.fold = Fold()
        for line in lines:
            self._add_line(line)
        for section in sections:
            self.fold.body.addWidget(label(self._voice.say(section.title), "heading"))
            for line in section.lines:
                self._add_line(line)
        self.fold.show_words(self.tr("Other terminals, Jupyter, editor, a first program"))
        self.fold.button.setChecked(is_open)
        self._rows.addWidget(self.fold)

    def _add_line(self, line: Line) -> None:
        assert self.fold is not None
        self.fold.body.addWidget(label(self._voice.say(line.label), "muted"))
        self.fold.body.addWidget(CodeLine(line.code))
        if line.note:
            self.fold.body.addWidget(label(self._voice.say(line.note), "muted"))
