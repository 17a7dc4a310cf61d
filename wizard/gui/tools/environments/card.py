"""One environment from near: what is in it, how it is used, and what can be done with it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from wizard.gui.shell.translator import Translator
from wizard.gui.tools.environments.table import day_text, engine_name, torch_words
from wizard.gui.widgets.code import CodeLines, copy_out
from wizard.gui.widgets.frames import Fold, RowCard, column, line_up
from wizard.gui.widgets.icons import ICON_SIZE, icon
from wizard.gui.widgets.labels import label, selectable
from wizard.model.messages import bytes_text

if TYPE_CHECKING:
    from wizard.app.tools import Closer, Replaced
    from wizard.environment.model import Environment
    from wizard.model.errors import WizardError


_ICONS = {
    "check": "wrench",
    "terminal": "square-terminal",
    "folder": "folder-open",
    "copy": "copy",
    "packages": "package",
    "clone": "layers",
    "export": "download",
    "delete": "trash-2",
    "details": "search",
}
_FIRST, _MORE = ("check", "terminal", "packages", "delete"), ("clone", "folder", "copy", "export")


class EnvironmentCard(QFrame):
    check = Signal()
    terminal = Signal()
    delete = Signal()
    packages = Signal()
    clone = Signal()
    export = Signal()
    bring_back = Signal(str)  # the run before which it goes back; '' for the newest

    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "in-row")
        self._translator = translator
        self._one: Environment | None = None
        self._kept: Replaced | None = None
        self._older: tuple[Replaced, ...] = ()
        rows = column(self, (8, 0, 14, 12), 8)
        self._prefix, self._inside = selectable(label("", "muted")), label("")
        self._reason = label("", "problem")
        self.buttons = {name: self._button(name) for name in (*_FIRST, *_MORE)}
        self.details = self._button("details")
        self.details.setCheckable(True)
        line, further = line_up(gap=8), line_up(gap=8)
        self._line, self._further = line, further
        for button in (*(self.buttons[name] for name in _FIRST[:-1]), self.details):
            line.addWidget(button)
        line.addStretch(1)
        line.addWidget(self.buttons["delete"])
        for name in _MORE:
            further.addWidget(self.buttons[name])
        further.addStretch(1)
        self._sheet = QWidget(self)
        more = column(self._sheet, (0, 4, 0, 0), 8)
        self._sheet.setVisible(False)
        self.details.toggled.connect(self._sheet.setVisible)
        self._kept_words, self.bring_back_button = label("", "muted"), QPushButton(self)
        self.bring_back_button.setProperty("role", "small")
        kept = line_up()
        kept.addWidget(self.bring_back_button)  # not below Delete, which comes under the mouse as the page moves
        kept.addWidget(self._kept_words, 1)
        self.older = Fold(self)
        self._older_rows = RowCard(3, 1)
        self._older_rows.setProperty("role", "fold")
        self._older_note = label("", "muted")
        self.older.body.addWidget(self._older_note)
        self.older.body.addWidget(self._older_rows)
        self.ways = CodeLines(translator, is_folded=True)
        rows.addWidget(self._reason)
        rows.addLayout(line)
        rows.addLayout(kept)
        rows.addWidget(self._sheet)
        more.addWidget(self._prefix)
        more.addWidget(self._inside)
        more.addLayout(further)
        more.addWidget(self.older)
        more.addWidget(self.ways)
        first = (self.check, self.terminal, self.packages, self.delete)
        ways = (*first, self.clone, self._open_folder, self._copy_path, self.export)
        for name, way in zip((*_FIRST, *_MORE), ways, strict=True):
            self.buttons[name].clicked.connect(way)
        self.bring_back_button.clicked.connect(lambda: self.bring_back.emit(""))

    def _button(self, name: str) -> QPushButton:
        made = QPushButton(self)
        made.setProperty("role", "small")
        made.setIcon(icon(_ICONS[name]))
        made.setIconSize(ICON_SIZE)
        return made

    def show_environment(self, one: Environment) -> None:
        """Show one environment; what was read of another is dropped."""
        if self._one is None or one.prefix != self._one.prefix:
            self._kept, self._older = None, ()
            self.ways.show_sections(())
            self.details.setChecked(False)
        self._one = one
        self.retranslate()

    def show_no_terminal(self, error: WizardError) -> None:
        """Say it in the row, with the lines that are to be pasted elsewhere."""
        self._reason.setText(f"{self._translator.say(error.summary)} {self._translator.say(error.hint)}")
        self._reason.setVisible(True)
        self.details.setChecked(True)
        if self.ways.fold is not None:
            self.ways.fold.button.setChecked(True)

    def show_closer(self, found: Closer) -> None:
        self._kept, self._older = found.kept, found.older
        self.ways.show_sections(found.sections)
        self.retranslate()

    def retranslate(self) -> None:
        one = self._one
        words = {
            "check": self.tr("C&heck it") if one is None or one.state.value != "broken" else self.tr("&Repair…"),
            "terminal": self.tr("Open &terminal"),
            "folder": self.tr("Open &folder"),
            "copy": self.tr("&Copy path"),
            "delete": self.tr("&Delete…"),
            "packages": self.tr("&Packages…"),
            "clone": self.tr("C&lone…"),
            "export": self.tr("E&xport…"),
        }
        for name, button in self.buttons.items():
            button.setText(words[name])
        self.details.setText(self.tr("Deta&ils"))
        self.bring_back_button.setText(self.tr("Undo this chan&ge"))
        self.ways.retranslate()
        if one is None:
            return
        self._prefix.setText(str(one.prefix))
        self._inside.setText("  •  ".join(self._facts(one)))
        self._reason.setText(self._translator.say(one.reason))
        self._reason.setVisible(one.reason is not None)
        is_usable = one.state.value == "ok"
        self.buttons["terminal"].setVisible(is_usable and one.kind.value != "system")
        self.buttons["packages"].setVisible(is_usable and bool(one.torch) and one.kind.value not in ("system", "base"))
        self.buttons["clone"].setVisible((is_usable and one.kind.value not in ("system", "base")) or one.is_moved)
        (self._line if one.is_moved else self._further).insertWidget(0, self.buttons["clone"])  # then it is what helps
        self.buttons["check"].setVisible(not one.is_moved)
        self.buttons["export"].setVisible(is_usable)
        self.buttons["check"].setEnabled(one.state.value != "deleting")
        self.buttons["delete"].setVisible(one.kind.value != "system")
        self._show_kept()

    def _facts(self, one: Environment) -> list[str]:
        facts = [f"Python {one.python}" if one.python else self.tr("no Python")]
        facts.append(f"torch {torch_words(one)}" if one.torch else self.tr("no PyTorch"))
        facts += [f"{package.name} {package.version}" for package in one.companions]
        facts.append(self.tr("packages: %1").replace("%1", str(one.packages)))
        facts.append(self.tr("made by: %1").replace("%1", engine_name(one.kind.value)))
        facts.append(self.tr("last used: %1").replace("%1", day_text(one.last_used)))
        if one.is_frozen:
            facts.append(self.tr("marked as frozen"))
        if one.is_current:
            facts.append(self.tr("activated in this terminal"))
        return facts

    def _show_kept(self) -> None:
        kept = self._kept
        self._show_older()
        self._kept_words.setVisible(kept is not None)
        self.bring_back_button.setVisible(kept is not None)
        if kept is None:
            return
        words = self.tr("Last change: %1. What was there before is kept (%2).")
        names = self._translator.listed(kept.names[:4]) + (" …" if len(kept.names) > 4 else "")
        self._kept_words.setText(words.replace("%1", names or "–").replace("%2", bytes_text(kept.size)))

    def _show_older(self) -> None:
        self.older.setVisible(bool(self._older))
        self.older.show_words(self.tr("Earl&ier states"), str(len(self._older)))
        self._older_note.setText(self.tr("Going back to one of them takes back every change after it, too."))
        self._older_rows.clear()
        for one in self._older:
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.moved))
            names = self._translator.listed(one.names[:4]) + (" …" if len(one.names) > 4 else "")
            go = QPushButton(self.tr("Go back to before this"))
            go.setProperty("role", "small")
            go.setAccessibleName(f"{go.text()}: {when}")
            go.setAccessibleDescription(self._older_note.text())
            go.clicked.connect(lambda checked=False, run=one.run: self.bring_back.emit(run))
            self._older_rows.add_row(label(when, "muted", wrap=False), label(f"{names} ({bytes_text(one.size)})"), go)

    def _open_folder(self) -> None:
        if self._one:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._one.prefix)))

    def _copy_path(self) -> None:
        if self._one:
            copy_out(str(self._one.prefix), self.buttons["copy"])
