"""The forms of the Source page: by hand, where from, where this computer is, a mirror for good.

The form for sources by hand. Empty fields leave the choice to the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QGridLayout, QLabel, QLineEdit, QPushButton, QWidget

from wizard.app.pages.sources import WORDS, operators
from wizard.app.use.settings import UsePlan
from wizard.compatibility.model import Choices
from wizard.gui.shell.context import AppContext
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.diff_view import DiffView
from wizard.gui.widgets.fields import PathField, Tick, name_buttons, read_in_order
from wizard.gui.widgets.frames import Turning, column, line_up
from wizard.gui.widgets.labels import label, plain_tip, restyle, without_key
from wizard.model.messages import text
from wizard.sources.benchmark_policy import REGIONS
from wizard.sources.table import MirrorRow

# Where this computer is, as far as sources go: guessed from the system, or said by the person. Nobody is told.


class RegionChoice(QWidget):
    chosen = Signal(str)  # auto | cn | world

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        line = line_up(self, gap=12)
        self._title, self.choice = QLabel(), QComboBox()
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._title.setBuddy(self.choice)
        line.addWidget(self._title)
        line.addWidget(self.choice)
        line.addStretch(1)
        self.choice.activated.connect(lambda place: self.chosen.emit(str(self.choice.currentData())))

    def show_choice(self, chosen: str, seems_cn: bool) -> None:
        """Show the region that was chosen, and which one this computer seems to be in."""
        names = {
            "auto": self.tr("Automatic: China") if seems_cn else self.tr("Automatic: not in China"),
            "cn": self.tr("In China"),
            "world": self.tr("Elsewhere"),
        }
        blocker = QSignalBlocker(self.choice)
        self.choice.clear()
        for word in REGIONS:
            self.choice.addItem(names[word], word)
        self.choice.setCurrentIndex(REGIONS.index(chosen) if chosen in REGIONS else 0)
        del blocker
        self._title.setText(self.tr("&Region"))
        self.choice.setAccessibleName(without_key(self._title.text()))


class LastingBox(QWidget):
    wished = Signal(bool)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        rows = column(self, gap=6)
        self.tick = Tick()
        self.tick.toggled.connect(self.wished)
        self._help, self._notices = label("", "muted"), Advice()
        self.diff = DiffView(context.theme)
        for widget in (self.tick, self._help, self._notices, self.diff):
            rows.addWidget(widget)
        self.setVisible(False)

    def retranslate(self) -> None:
        self.tick.setText(self.tr("A&lso use this mirror for pip, uv and conda later"))
        self.diff.retranslate()

    def show_plans(self, is_on: bool, names: Sequence[str], plans: Sequence[UsePlan], is_asked: bool = False) -> None:
        """Show which lines of which settings files would change for good, before anything does; nothing where no mirror
        is named. `is_asked`: the sources are, and until they have answered it keeps its place."""
        self.tick.setEnabled(not is_asked)
        if not is_asked:  # what lies below would move up and back
            self.setVisible(bool(names))
        blocker = QSignalBlocker(self.tick)
        self.tick.setChecked(is_on)
        del blocker
        diffs = [diff for plan in plans for diff in plan.diffs]
        if not is_on:
            words = self.tr("Shows the change of your settings files first. %1 would then serve every later install.")
            self._help.setText(words.replace("%1", self._context.translator.listed(names)))
        elif plans and not diffs:
            self._help.setText(self.tr("Your settings already use this mirror; nothing will be changed."))
        else:
            self._help.setText(self.tr("Saved when you press “Install”; you can undo it."))
        self._help.setVisible(is_on)
        self.tick.setAccessibleDescription(self._help.text())
        self.tick.setToolTip(plain_tip(self._help.text()))
        notices = [notice for plan in plans for notice in plan.notices] if is_on else []
        self._notices.show_words("\n".join(f"! {self._context.translator.signed(notice)}" for notice in notices))
        self._notices.setVisible(bool(notices))
        self.diff.show_diffs(diffs if is_on else ())
        self.diff.setVisible(is_on and bool(diffs))


class WhereFrom(QWidget):
    chosen = Signal(str)  # auto | official | race | the id of a mirror

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        rows, turning = column(self, gap=6), Turning(12)  # an operator's name is long
        self._title = QLabel()
        self.choice = QComboBox()
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._title.setBuddy(self.choice)
        for part in (self._title, self.choice):
            turning.line.addWidget(part, 0, Qt.AlignmentFlag.AlignLeft)
        turning.line.addStretch(1)
        self._why = label("", "muted")
        rows.addWidget(turning)
        rows.addWidget(self._why)
        self.choice.activated.connect(lambda place: self.chosen.emit(str(self.choice.currentData())))

    @property
    def why(self) -> str:
        return self._why.text()

    @property
    def chosen_name(self) -> str:
        return self.choice.currentText()

    def show_choice(
        self, mirrors: str, table: Sequence[MirrorRow], is_cn: bool, language: str, *, has_own: bool
    ) -> None:
        """Show the ways to choose a source, and each mirror's operator by name. `has_own`: an address was typed."""
        names = {row.id: text(row.operator, language) for row in operators(table)}
        named = (self.tr("Automatic"), self.tr("Only the official servers"), self.tr("Test speed and use the fastest"))
        blocker = QSignalBlocker(self.choice)
        self.choice.clear()
        for word, name in zip(WORDS, named, strict=True):
            self.choice.addItem(name, word)
        for mirror, name in names.items():
            self.choice.addItem(name, mirror)
        if names:
            self.choice.insertSeparator(len(WORDS))
        self.choice.setCurrentIndex(max(0, self.choice.findData(mirrors)))
        del blocker
        self._title.setText(self.tr("&Where from"))
        self.choice.setAccessibleName(without_key(self._title.text()))
        own = self.tr("Your own address below is used; this choice is for everything else.")
        self._why.setText(own if has_own else self._reason(mirrors, is_cn, names))
        self.choice.setAccessibleDescription(self._why.text())

    def _reason(self, mirrors: str, is_cn: bool, names: dict[str, str]) -> str:
        if mirrors == "auto":
            if is_cn:
                return self.tr("This computer seems to be in China: the fastest server is used.")
            return self.tr("Official servers first; public mirrors only if one of them does not answer.")
        words = {
            "official": self.tr("Only the official servers are used."),
            "race": self.tr("Finds the fastest server."),
        }
        chosen = self.tr("%1, else the official server.")
        return words.get(mirrors) or chosen.replace("%1", names.get(mirrors, mirrors))


_OPTIONS = ("--torch-index", "--index", "--find-links", "--channel")  # what an error calls the fields


class SourcesByHand(QWidget):
    left = Signal()  # a field, after something was typed

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        self.torch, self.packages, self.channel = (QLineEdit(self) for _ in range(3))
        self.folder = PathField(self)
        self._labels = [QLabel(self) for _ in range(4)]
        self._browse = QPushButton(self)
        self._browse.clicked.connect(self._choose_folder)
        for row, (name, field) in enumerate(zip(self._labels, self._fields, strict=True)):
            name.setBuddy(field)
            field.setClearButtonEnabled(True)
            grid.addWidget(name, 2 * row, 0)  # between them: what is wrong with one
            grid.addWidget(field, 2 * row, 1, 1, 1 if field is self.folder else 2)
            field.editingFinished.connect(self.left)
            read_in_order(name, field, *([self._browse] if field is self.folder else []))
        grid.addWidget(self._browse, 4, 2)
        grid.setColumnStretch(1, 1)
        self._grid = grid

    @property
    def _fields(self) -> tuple[QLineEdit, ...]:
        return (self.torch, self.packages, self.folder, self.channel)

    def retranslate(self) -> None:
        words = (
            self.tr("Py&Torch from"),
            self.tr("Other &packages from"),
            self.tr("&Folder or page with files"),
            self.tr("Python (conda &channel)"),
        )
        for name, word, field in zip(self._labels, words, self._fields, strict=True):
            name.setText(word)
            field.setAccessibleName(without_key(word))
            name_buttons(field)
        self._browse.setText(self.tr("Brow&se…"))
        for field in (self.torch, self.packages, self.channel):
            field.setPlaceholderText("https://")

    def show_wrong(self, option: object, words: QWidget) -> bool:
        """Put the words below the field that an error is about, and mark it. False: it is about none."""
        if option not in _OPTIONS:
            return False
        row = _OPTIONS.index(str(option))
        self._grid.addWidget(words, 2 * row + 1, 1, 1, 2)
        self.mark(self._fields[row])
        return True

    def mark(self, wrong: QLineEdit | None) -> None:
        for field in self._fields:
            if bool(field.property("wrong")) is not (field is wrong):
                field.setProperty("wrong", field is wrong)
                restyle(field)

    @property
    def is_used(self) -> bool:
        return any(field.text().strip() for field in self._fields)

    def show_choices(self, choices: Choices) -> None:
        values = (choices.torch_index, choices.index, next(iter(choices.find_links), None), choices.channel)
        for field, value in zip(self._fields, values, strict=True):
            field.setText(value or "")

    def put_into(self, choices: Choices) -> Choices:
        """Return the choices with the addresses that were typed; an empty field is no choice."""
        folder = self.folder.text().strip()
        return replace(
            choices,
            torch_index=self.torch.text().strip() or None,
            index=self.packages.text().strip() or None,
            find_links=(folder, *choices.find_links[1:]) if folder else (),
            channel=self.channel.text().strip() or None,
        )

    def _choose_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, without_key(self._labels[2].text()), self.folder.start())
        if chosen:
            self.folder.setText(chosen)
            self.left.emit()
