"""The pack of a class: opening one, or building one from a class profile, asked and shown in the page.

Shows values and says what was pressed; asks nobody itself.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QLabel, QProgressBar, QPushButton, QWidget

from wizard.gui.widgets.commands import plain
from wizard.gui.widgets.fields import MainButton, PathField, read_in_order
from wizard.gui.widgets.figures import part_text, rate_text
from wizard.gui.widgets.frames import Turning, column, line_up
from wizard.gui.widgets.hosts_consent import HostsConsent
from wizard.gui.widgets.labels import Pill, in_a_row, label, selectable
from wizard.model.marks import in_window
from wizard.model.messages import Message, bytes_text

if TYPE_CHECKING:
    from wizard.app.classroom import PackPlan, PackSeen
    from wizard.transfer.download import FetchProgress

_STEPS = 1000


class PackPanel(QFrame):
    begin_wanted = Signal()
    open_wanted = Signal()
    make_wanted = Signal()
    other_wanted = Signal()
    browse_wanted = Signal()
    folder_named = Signal(str)
    agreed = Signal(bool)  # in parts
    put_away = Signal()  # before the start: not wanted; after it: stop

    def __init__(self, say: Callable[[Message], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.consent = HostsConsent(say, self)
        self._plan: PackPlan | None = None
        self._seen: PackSeen | None = None
        self._progress: FetchProgress | None = None
        self.is_going = False
        rows = column(self, (16, 14, 16, 14), 8)
        self._title, self._words = label("", "heading"), selectable(label("", "muted"))
        self.other = QPushButton(self)
        self.other.setProperty("role", "small")
        head = line_up()
        head.addWidget(self._title, 1)
        head.addWidget(self.other)
        rows.addLayout(head)
        self._text, self.folder, self.browse = QLabel(self), PathField(self), QPushButton(self)
        self._text.setBuddy(self.folder)
        self._field = QWidget(self)
        field = line_up(self._field)
        field.addWidget(self._text)
        field.addWidget(self.folder, 1)
        field.addWidget(self.browse)
        self.split, self._notes, self._lacks = QCheckBox(self), label(""), Pill("warning")
        self._how_far, self.bar = label("", "muted"), QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setRange(0, _STEPS)
        self.begin, self.open, self.make = (QPushButton(self) for _ in range(3))
        self.go, self.again, self.drop = MainButton(self), QPushButton(self), QPushButton(self)
        self.go.setProperty("role", "primary")
        buttons = Turning()
        ways = (self.begin, self.open, self.make, self.go, self.again, self.drop)
        for button in ways:
            buttons.line.addWidget(button)
        buttons.line.addStretch(1)
        for widget in (self._words, self._field, self.split, self._notes):
            rows.addWidget(widget)
        for widget in (self._lacks, self.consent, self._how_far, self.bar):
            rows.addWidget(widget)
        rows.addWidget(buttons)
        read_in_order(self._title, self.other, self._words, self._field, self.split, self._notes, self._lacks)
        read_in_order(self.consent, self._how_far, self.bar, buttons)
        self._connect()

    def _connect(self) -> None:
        self.begin.clicked.connect(self.begin_wanted)
        self.open.clicked.connect(self.open_wanted)
        self.make.clicked.connect(self.make_wanted)
        self.other.clicked.connect(self.other_wanted)
        self.browse.clicked.connect(self.browse_wanted)
        self.folder.editingFinished.connect(self._named)
        self.go.clicked.connect(lambda: self.agreed.emit(self.split.isChecked()))
        self.again.clicked.connect(lambda: self.folder_named.emit(self.folder.text().strip()))
        self.drop.clicked.connect(self.put_away)
        self.consent.changed.connect(lambda: self.go.setEnabled(self.consent.is_agreed))

    def _named(self) -> None:
        words = self.folder.text().strip()
        if self._plan is not None and not self.is_going and words and Path(words) != self._plan.folder:
            self.folder_named.emit(words)

    # -- what is shown

    @property
    def lacks_room(self) -> bool:
        """Of what was begun there, nobody knows how much is missing."""
        plan = self._plan
        if plan is None or plan.total is None or plan.began or plan.is_pack:
            return False
        return plan.free < plan.total

    @property
    def plan(self) -> PackPlan | None:
        return self._plan

    def show_choice(self) -> None:
        """Nothing is open."""
        self._plan = self._seen = None
        self.is_going = False
        self.retranslate()

    def show_plan(self, plan: PackPlan) -> None:
        """Show what a pack of this profile would hold, and which hosts it would be fetched from."""
        self._plan, self._seen, self.is_going = plan, None, False
        self.folder.setText(str(plan.folder))
        self.split.setChecked(plan.needs_split or self.split.isChecked())
        self.split.setEnabled(not plan.needs_split)
        self.consent.show_hosts(plan.foreign, self.consent.trusted)
        self.retranslate()

    def show_going(self) -> None:
        self.is_going, self._progress = True, None
        self.retranslate()

    def show_progress(self, progress: FetchProgress) -> None:
        self._progress = progress
        self.bar.setValue(int(_STEPS * progress.done / progress.total) if progress.total else 0)
        self._how_far.setText(self._far())
        self.bar.setAccessibleName(self._far())

    def show_pack(self, seen: PackSeen) -> None:
        self._plan, self._seen, self.is_going = None, seen, False
        self.retranslate()

    def retranslate(self) -> None:
        plan, seen = self._plan, self._seen
        self._text.setText(self.tr("Fol&der"))
        self.folder.setAccessibleName(self.tr("Folder of the pack"))
        self.browse.setText(self.tr("&Choose…"))
        self.split.setText(self.tr("Split files over 4 GiB (F&AT32 sticks)"))
        self.begin.setText(self.tr("Choose a set&up for the class"))
        self.open.setText(self.tr("&Open a pack…"))
        self.make.setText(self.tr("Build one from a class &profile…"))
        self.go.setText(self.tr("Bui&ld the pack"))
        self.drop.setText(self.tr("&Stop") if self.is_going else self.tr("Ca&ncel"))
        self.again.setText(QCoreApplication.translate("DeletionPanel", "Check a&gain"))
        self.other.setText(self.tr("&Another pack…"))
        self.consent.retranslate()
        self._show_head()
        self._notes.setText("\n".join(self._said(plan)) if plan else "")
        free = bytes_text(plan.free) if plan else ""
        words = self.tr("There is too little room: only %1 are free.").replace("%1", free)
        self._lacks.show_state("warning", words)
        self._how_far.setText(self._far())
        self.bar.setAccessibleName(self._far())
        is_asked = plan is not None and not self.is_going
        for widget, is_shown in (
            (self._field, is_asked),
            (self.split, is_asked),
            (self._notes, bool(plan) and bool(self._notes.text())),
            (self._lacks, self.lacks_room),
            (self.consent, is_asked and bool(self.consent.boxes)),
            (self._how_far, self.is_going),
            (self.bar, self.is_going),
            (self.go, is_asked and not self.lacks_room),
            (self.again, is_asked and self.lacks_room),
            (self.drop, plan is not None),
            (self.other, seen is not None),
            (self.begin, plan is None and seen is None),
            (self.open, plan is None and seen is None),
            (self.make, plan is None and seen is None),
        ):
            widget.setVisible(is_shown)

    def _show_head(self) -> None:
        plan, seen = self._plan, self._seen
        if seen is not None:
            self._title.setText(seen.title)
            words = self.tr("Package files: %1, %2. Made %3.")
            for number, part in enumerate((str(seen.files), bytes_text(seen.total), seen.made), start=1):
                words = words.replace(f"%{number}", part)
            parts = self.tr("Of them in parts: %1.").replace("%1", str(seen.split)) if seen.split else ""
            self._words.setText(in_a_row(words, parts) + f"\n{seen.folder}")
        elif plan is not None:
            self._title.setText(self.tr("A pack for %1").replace("%1", plan.title))
            words = self.tr("Package files: %1, %2, each once. They are fetched into the folder and checked.")
            size = self.tr("size not known yet") if plan.total is None else bytes_text(plan.total)
            self._words.setText(words.replace("%1", str(plan.files)).replace("%2", size))
        else:
            self._title.setText(self.tr("The pack"))
            what = self.tr(
                "A folder with every file that the class needs. It works from a USB stick, a network folder, "
                "a web server, or from this computer."
            )
            first = self.tr(
                "No class profile yet? Choose a setup; “Save class profile…” on the page {page.review} makes one."
            )
            self._words.setText(plain(in_window(f"{what}\n{first}")))

    def _said(self, plan: PackPlan) -> list[str]:
        """What is worth knowing before it begins."""
        said = []
        if plan.needs_split:
            words = self.tr("Files over 4 GiB are split (%1); the setup joins them.")
            said.append(words.replace("%1", plan.volume))
        if plan.large:
            said.append(self.tr("Files over 4 GiB: %1").replace("%1", str(plan.large)))
        if plan.is_pack:
            said.append(self.tr("A pack lies there already: only what is new or damaged is fetched."))
        elif plan.began:
            said.append(self.tr("An unfinished pack is there and will be continued."))
        return said

    def _far(self) -> str:
        told = self._progress
        if told is None:
            return self.tr("Checking what is here already…")
        if told.total is None:
            return f"{bytes_text(told.done, keeps_zeros=True)}   {told.file}"
        words = part_text(self.tr("%1 of %2"), told.done, told.total)
        rate = rate_text(told.rate) if told.rate else ""
        return "   ".join(part for part in (words, rate, told.file) if part)
