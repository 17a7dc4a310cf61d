"""One environment from near: what is in it, how it is used, and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from wizard.gui.pages.verify.kernel import NotebookAddress
from wizard.gui.tools.base import SidePage
from wizard.gui.tools.environments.going_back import GoingBack
from wizard.gui.tools.environments.words import cannot_take, day_text, engine_name, takes_packages, torch_words
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.code import CodeLine, CodeLines, copy_out, open_folder
from wizard.gui.widgets.fields import read_in_order
from wizard.gui.widgets.frames import Turning, column, line_up
from wizard.gui.widgets.icons import ICON_SIZE, icon
from wizard.gui.widgets.labels import dress, label, selectable

if TYPE_CHECKING:
    from wizard.app.use.environments import Closer
    from wizard.environment.model import Environment
    from wizard.model.errors import WizardError


_ICONS = {
    "check": "wrench",
    "terminal": "square-terminal",
    "notebook": "notebook-text",
    "folder": "folder-open",
    "copy": "copy",
    "packages": "package",
    "clone": "layers",
    "export": "download",
    "delete": "trash-2",
}
_MARGINS = (8, 0, 14, 12)  # pixels
_LEAVING = ("notebook", "packages", "terminal")  # go among the details one by one where a line has no room
_FIRST: tuple[str, ...] = ("check", "terminal", "notebook", "packages", "delete")
_MORE = ("clone", "folder", "copy", "export")


class EnvironmentCard(QFrame):
    check = Signal()
    terminal = Signal()
    notebook = Signal()
    delete = Signal()
    packages = Signal()
    clone = Signal()
    export = Signal()
    _wanted = ""  # a package that the environment is chosen for

    def __init__(self, page: SidePage) -> None:
        super().__init__()
        self.setProperty("role", "in-row")
        self._translator = translator = page.context.translator
        self._one: Environment | None = None
        self.lacks: str | None = None  # for a notebook; None: nobody knows
        rows = column(self, _MARGINS, 8)
        self._prefix, self._inside, self.cannot = selectable(label("", "muted")), label(""), label("")
        self._reason, self.to_type = Advice("", "problem"), CodeLine(parent=self)
        self.address = NotebookAddress(translator)
        in_order = (*_FIRST[:-1], "details", _FIRST[-1], *_MORE)  # as the Tab key goes: what deletes comes last
        self.buttons = {name: self._button(name) for name in in_order}
        self.details = self.buttons.pop("details")
        self.details.setCheckable(True)
        self._line, self._further, self._stay = line_up(gap=8), Turning(8), _FIRST  # in the first line
        for button in (*(self.buttons[name] for name in _FIRST[:-1]), self.details):
            self._line.addWidget(button)
        self._line.addStretch(1)
        self._line.addWidget(self.buttons["delete"])
        for name in _MORE:
            self._further.line.addWidget(self.buttons[name])
        self._further.line.addStretch(1)
        self._sheet = QWidget(self)
        more = column(self._sheet, (0, 4, 0, 0), 8)
        self._sheet.setVisible(False)
        self.details.toggled.connect(self._sheet.setVisible)
        self.back = GoingBack(page)
        self.ways = CodeLines(translator)
        for widget in (self._reason, self.cannot, self.to_type, self.address):
            rows.addWidget(widget)
        rows.addLayout(self._line)
        rows.addWidget(self.back)
        rows.addWidget(self._sheet)
        more.addWidget(self._prefix)
        more.addWidget(self._inside)
        more.addWidget(self._further)
        more.addWidget(self.back.older)
        more.addWidget(self.ways)
        of_first = (self.check, self.terminal, self.notebook, self.packages, self.delete)
        of_more = (self.clone, self._open_folder, self._copy_path, self.export)
        for name, way in zip((*_FIRST, *_MORE), (*of_first, *of_more), strict=True):
            self.buttons[name].clicked.connect(way)

    def _button(self, name: str) -> QPushButton:
        made = QPushButton(self)
        made.setProperty("role", "small")
        if name in _ICONS:
            made.setIcon(icon(_ICONS[name]))
            made.setIconSize(ICON_SIZE)
        return made

    def show_environment(self, one: Environment) -> None:
        """Show one environment; what was read of another is dropped."""
        if self._one is None or one.prefix != self._one.prefix:
            self.lacks = None
            self.back.show_states(one, None, ())
            self.ways.show_sections(())
            self.details.setChecked(False)
            self.address.show_notebook(None)
        self._one = one
        self.retranslate()

    def want(self, package: str) -> None:
        """Lead to adding a package, which an environment is being chosen for; '' where none is."""
        if package != self._wanted:
            self._wanted = package
            dress(self.buttons["packages"], "primary" if package else "small")
            self.buttons["packages"].setIcon(QIcon() if package else icon(_ICONS["packages"]))
            self.retranslate()

    def focus_first(self) -> None:
        """Give the focus to the first of what can be done, or to what it is chosen for."""
        every = (*([self.buttons["packages"]] if self._wanted else ()), *self.buttons.values())
        first = next((one for one in every if one.isVisible() and one.isEnabled()), None)
        if first is not None:
            first.setFocus(Qt.FocusReason.TabFocusReason)

    def show_wrong(self, error: WizardError) -> None:
        """Say in the row what could not be done, and what can be done instead."""
        command = str(error.params.get("command", ""))  # it ends the words, and is copied from its own line
        words = self._translator.join(map(self._translator.say, (error.summary, error.hint)))
        self._reason.show_words(words.removesuffix(command).rstrip())
        self._reason.setVisible(True)
        self.to_type.show_code(command)
        self.to_type.setVisible(bool(command))

    def show_no_terminal(self, error: WizardError) -> None:
        """Say it in the row, with the lines that are to be pasted elsewhere."""
        self.show_wrong(error)
        self.details.setChecked(True)
        if self.ways.fold is not None:
            self.ways.fold.button.setChecked(True)

    def show_closer(self, found: Closer) -> None:
        self.lacks = found.lacks
        if self._one is not None:
            self.back.show_states(self._one, found.kept, found.older)
        self.address.show_address(found.notebook)
        self.ways.show_sections(found.sections)
        self.retranslate()

    def retranslate(self) -> None:
        one = self._one
        words = {
            "check": self.tr("C&heck it") if one is None or one.state.value != "broken" else self.tr("&Repair…"),
            "terminal": self.tr("&Terminal"),
            "notebook": self.tr("Add &Jupyter…") if self.lacks else self.tr("Open &notebook"),
            "folder": self.tr("Open &folder"),
            "copy": self.tr("&Copy path"),
            "delete": self.tr("&Delete…"),
            "packages": self.tr("Add %1…").replace("%1", self._wanted) if self._wanted else self.tr("&Packages…"),
            "clone": self.tr("C&lone…"),
            "export": self.tr("E&xport…"),
        }
        for name, button in self.buttons.items():
            button.setText(words[name])
        self.details.setText(self.tr("Deta&ils"))
        self.back.retranslate()
        self.ways.retranslate()
        if one is None:
            return
        self._prefix.setText(str(one.prefix))
        self._inside.setText("  •  ".join(self._facts(one)))
        self._reason.show_words(self._translator.signed(one.reason))
        self._reason.setVisible(one.reason is not None)
        self.to_type.setVisible(False)
        self.address.retranslate()
        is_usable = one.state.value == "ok"
        self.buttons["terminal"].setVisible(is_usable and one.kind.value != "system")
        is_taking = takes_packages(one)
        self.cannot.setText(cannot_take(one, self._wanted) if self._wanted else "")
        self.cannot.setVisible(bool(self.cannot.text()))
        self.buttons["packages"].setVisible(is_taking)
        is_ready = self.lacks == "" and is_usable
        self.buttons["notebook"].setVisible(is_ready or (bool(self.lacks) and is_taking))
        self.buttons["clone"].setVisible((is_usable and one.kind.value not in ("system", "base")) or one.is_moved)
        helps = self._line if one.is_moved else self._further.line  # then it is what helps
        helps.insertWidget(0, self.buttons["clone"])
        gives_room = bool(self._wanted) and is_taking  # to what it is chosen for
        self.buttons["check"].setVisible(not one.is_moved and not gives_room)
        self.buttons["export"].setVisible(is_usable)
        self.buttons["check"].setEnabled(one.state.value != "deleting")
        self.buttons["delete"].setVisible(one.kind.value != "system" and not gives_room)
        self._place_buttons()

    def event(self, event: QEvent) -> bool:
        """Place the buttons anew also where one of them wants another width: its words, icon or style may come late."""
        is_done = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._place_buttons()
        return is_done

    def _place_buttons(self) -> None:
        """In the first line as many as it has room for, else among the details."""
        room, gap = self.width() - _MARGINS[0] - _MARGINS[2], self._line.spacing()
        stay = list(_FIRST)
        for name in (one for one in _LEAVING if not (self._wanted and one == "packages")):
            shown = [one for one in (*(self.buttons[name] for name in stay), self.details) if not one.isHidden()]
            if sum(one.sizeHint().width() + gap for one in shown) <= room:
                break
            stay.remove(name)
        if tuple(stay) == self._stay:
            return
        self._stay = tuple(stay)
        for name in _FIRST[1:-1]:
            button = self.buttons[name]
            is_hidden = button.isHidden()
            for line in (self._line, self._further.line):
                line.removeWidget(button)  # else Python's side of its item stays behind, and faults later
            if name in stay:
                self._line.insertWidget(self._line.indexOf(self.details), button)
            else:
                self._further.line.insertWidget(self._further.line.indexOf(self.buttons["folder"]), button)
            button.setHidden(is_hidden)  # Qt hides for a round of its loop what gets another parent: it would not count
        delete, below = self.buttons["delete"], (self.back, self._sheet)
        read_in_order(*(self.buttons[name] for name in stay[:-1]), self.details, delete, *below)

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

    def _open_folder(self) -> None:
        if self._one and (error := open_folder(self._one.prefix)):
            self.show_wrong(error)

    def _copy_path(self) -> None:
        if self._one:
            copy_out(str(self._one.prefix), self.buttons["copy"])
