"""One environment from near: what is in it, how it is used, and what can be done with it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from wizard.gui.shell.translator import Translator
from wizard.gui.tools.environments_table import day_text, engine_name, environment_state, torch_words
from wizard.gui.widgets.code import CodeLines, copy_out
from wizard.gui.widgets.frames import Fold, RowCard, column, line_up
from wizard.gui.widgets.icons import ICON_SIZE, icon
from wizard.gui.widgets.labels import Pill, label, selectable
from wizard.model.messages import bytes_text

if TYPE_CHECKING:
    from wizard.app.tools import Closer, Replaced
    from wizard.environment.model import Environment


_ICONS = {
    "check": "wrench",
    "terminal": "square-terminal",
    "folder": "folder-open",
    "copy": "copy",
    "clone": "layers",
    "export": "download",
    "delete": "trash-2",
}
_BUTTONS = (("check", "terminal", "folder", "copy"), ("clone", "export", "delete"))


class EnvironmentCard(QFrame):
    check = Signal()
    terminal = Signal()
    delete = Signal()
    clone = Signal()
    export = Signal()
    bring_back = Signal(str)  # the run before which it goes back; '' for the newest

    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._translator = translator
        self._one: Environment | None = None
        self._kept: Replaced | None = None
        self._older: tuple[Replaced, ...] = ()
        rows = column(self, (16, 14, 16, 14), 8)
        head = line_up()
        self._name, self._pill = label("", "heading", wrap=False), Pill()
        head.addWidget(self._name)
        head.addWidget(self._pill)
        head.addStretch(1)
        self._prefix, self._inside = selectable(label("", "muted")), label("")
        self._reason = label("")
        self.buttons = {name: QPushButton(self) for row in _BUTTONS for name in row}
        lines = column(gap=6)
        for names in _BUTTONS:
            line = line_up(gap=8)
            for name in names:
                self.buttons[name].setProperty("role", "small")
                self.buttons[name].setIcon(icon(_ICONS[name]))
                self.buttons[name].setIconSize(ICON_SIZE)
                line.addWidget(self.buttons[name])
            line.addStretch(1)
            lines.addLayout(line)
        self._kept_words, self.bring_back_button = label("", "muted"), QPushButton(self)
        self.bring_back_button.setProperty("role", "small")
        kept = line_up()
        kept.addWidget(self._kept_words, 1)
        kept.addWidget(self.bring_back_button)
        self.older = Fold(self)
        self._older_rows = RowCard(3, 1)
        self._older_rows.setProperty("role", "fold")
        self._older_note = label("", "muted")
        self.older.body.addWidget(self._older_note)
        self.older.body.addWidget(self._older_rows)
        self.ways = CodeLines(translator)
        rows.addLayout(head)
        for widget in (self._prefix, self._inside, self._reason):
            rows.addWidget(widget)
        rows.addLayout(lines)
        rows.addLayout(kept)
        rows.addWidget(self.older)
        rows.addWidget(self.ways)
        self.buttons["check"].clicked.connect(self.check)
        self.buttons["terminal"].clicked.connect(self.terminal)
        self.buttons["folder"].clicked.connect(self._open_folder)
        self.buttons["copy"].clicked.connect(self._copy_path)
        self.buttons["delete"].clicked.connect(self.delete)
        self.buttons["clone"].clicked.connect(self.clone)
        self.buttons["export"].clicked.connect(self.export)
        self.bring_back_button.clicked.connect(lambda: self.bring_back.emit(""))

    def show_environment(self, one: Environment) -> None:
        """Show one environment; what was read of another is dropped."""
        if self._one is None or one.prefix != self._one.prefix:
            self._kept, self._older = None, ()
            self.ways.show_sections(())
        self._one = one
        self.retranslate()

    def show_closer(self, found: Closer) -> None:
        self._kept, self._older = found.kept, found.older
        self.ways.show_sections(found.sections)
        self.retranslate()

    def retranslate(self) -> None:
        one = self._one
        words = {
            "check": self.tr("C&heck it"),
            "terminal": self.tr("Open &terminal"),
            "folder": self.tr("Open &folder"),
            "copy": self.tr("&Copy path"),
            "delete": self.tr("&Delete…"),
            "clone": self.tr("C&lone…"),
            "export": self.tr("E&xport…"),
        }
        for name, button in self.buttons.items():
            button.setText(words[name])
        self.bring_back_button.setText(self.tr("Bring it bac&k"))
        self.ways.retranslate()
        if one is None:
            return
        self._name.setText(one.name)
        self._pill.show_state(*environment_state(one.state.value))
        self._pill.setAccessibleName(f"{one.name}: {self._pill.accessibleName()}")
        self._prefix.setText(str(one.prefix))
        self._inside.setText("  •  ".join(self._facts(one)))
        self._reason.setText(self._translator.say(one.reason))
        self._reason.setVisible(one.reason is not None)
        is_usable = one.state.value == "ok"
        self.buttons["terminal"].setVisible(is_usable and one.kind.value != "system")
        self.buttons["clone"].setVisible(is_usable and one.kind.value not in ("system", "base"))
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
        words = self.tr("The last repair or setup in here replaced %1; what was there before is kept (%2).")
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
