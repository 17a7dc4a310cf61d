"""The project on Build: what each line asks for and what this computer gets, the differences first, with their yes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget

from wizard.app.pages.order import AppState
from wizard.app.pages.project import (
    ProjectRow,
    count_packages,
    day_words,
    different_rows,
    hosts_of,
    kept_rows,
    later_rows,
    left_words,
)
from wizard.app.project import ProjectRequest
from wizard.app.project_parts import has_parts, is_package, source_parts
from wizard.compatibility.model import TODAY
from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.announce import announce
from wizard.gui.widgets.fields import Tick
from wizard.gui.widgets.frames import Fold, FoldList, RowCard, column, empty, stacked
from wizard.gui.widgets.hosts_consent import HostsConsent
from wizard.gui.widgets.labels import Pill, label, selectable, without_key
from wizard.model.marks import in_window
from wizard.model.messages import message
from wizard.project.answer import unasked_words
from wizard.project.model import FileLine
from wizard.run.model import Preview

_HOSTS = message(
    "flow.hosts.project",
    "This project names a host that is not known. Without a tick nothing is taken from it.",
)
_NARROW = 560  # pixels: less has no room for a badge beside the words


class ReadTick(Tick):
    """A yes to what stands above it: Return gives none, for the one that led here may come twice."""

    went_on = Signal()  # by Return, where it is ticked

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif self.isChecked() and not event.isAutoRepeat():
            self.went_on.emit()


class ProjectPanel(QWidget):
    answered = Signal()  # a yes was given or taken back
    file_chosen = Signal(str)

    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._translator = translator
        self._folder, self._is_narrow = "", False
        self._shown: tuple[ProjectRequest, Preview | None] | None = None
        rows = column(self, gap=10)
        self._files = selectable(label("", "muted"))
        self.card = RowCard(3, 1)
        self.agree, self.strict, self.newest, self.parts = ReadTick(), Tick(), Tick(), Tick()
        self.consent = HostsConsent(translator.say, head=_HOSTS)
        self._unasked, self._refused, self._day = Advice("", "muted"), label(""), Advice("", "muted")
        self.more, self.notes = Fold(), Fold()
        self.other = QPushButton()
        answers = (self._day, self.newest, self.agree, self.parts, self.consent, self._refused)
        for widget in (self._files, self.card, self._unasked, *answers):
            rows.addWidget(widget)
        for tick in (self.parts, self.newest, self.agree):
            rows.setAlignment(tick, Qt.AlignmentFlag.AlignLeft)  # its ring is as wide as its words
        rows.addWidget(FoldList(self.more, self.notes))
        rows.addStretch(1)
        for tick in (self.agree, self.strict, self.newest, self.parts):
            tick.toggled.connect(self.answered)
        self.consent.changed.connect(self.answered)
        self.notes.button.toggled.connect(self._tell_notes)
        self.other.clicked.connect(self._choose_file)

    def retranslate(self) -> None:
        self.strict.setText(self.tr("E&xactly as asked"))
        self.newest.setText(self.tr("Ne&west packages"))
        self.parts.setText(self.tr("Install the project itself an&d its parts, too: their build scripts run"))
        self.other.setText(self.tr("&Other file…"))
        self.more.show_words(self.tr("What was noticed &while reading"))
        self.notes.show_words(self.tr("What the project itself &says about installing"))
        self.consent.retranslate()

    def waits_for(self, state: AppState) -> str:
        """Return what is still to be ticked, in words; '' where nothing is, or nothing can be."""
        lacks = [] if self.agree.isHidden() or state.agreed else [without_key(self.agree.text())]
        lacks += [self.consent.boxes[one.name].accessibleName() for one in self.consent.hosts if one.name not in state.trusted]
        return self._translator.listed(f"“{one}”" for one in lacks)

    def show_state(self, state: AppState) -> None:
        """Show the project that was read: what is got, what differs, and what still wants a yes."""
        request, project = state.request, state.project
        if project is None:
            return
        self._folder = project.folder
        self._files.setText(self.tr("Read: %1").replace("%1", self._translator.listed(project.files)))
        answers = (self.parts, self._day, self.newest, self.agree, self.consent, self._refused)
        for part in (self.card, self._unasked, *answers, self.more, self.notes):
            part.setVisible(False)
        if request is None:
            return
        self._shown, different = (request, state.planned), different_rows(request)
        self._show_rows(*self._shown)
        unasked = unasked_words(project, request.decision)
        nothing = self.tr("No source has answered yet; the page {page.review} shows what they have.")
        self._unasked.show_words(self._translator.signed(unasked) if unasked else in_window(nothing))
        self._unasked.setVisible(state.planned is None)
        words = self.tr("I &accept the difference") if len(different) == 1 else self.tr("I &accept the %1 differences")
        self.agree.setText(words.replace("%1", str(len(different))))
        self.agree.setVisible(bool(different) and not state.strict)
        self._tell_refused(bool(different))
        self._refused.setVisible(state.strict and not request.decision.is_exact)
        self._show_answers(state)
        if self.consent.hosts != (hosts := hosts_of(request)):
            self.consent.show_hosts(hosts, state.trusted)
        self.consent.setVisible(bool(hosts))
        self._show_day(state)
        notices = state.planned.plan.notices if state.planned else ()
        self.parts.setVisible(has_parts(request) or state.choices.parts or bool(source_parts(notices)))
        told = left_words(request)
        empty(self.more.body)
        for one in told:
            self.more.body.addWidget(Advice(self._translator.signed(one)))
        self.more.setVisible(bool(told))
        self._show_notes(request.decision.notes)

    def _show_rows(self, request: ProjectRequest, planned: Preview | None) -> None:
        """Show what each line asks for and what comes instead, the differences first."""
        self.card.setVisible(True)
        self.card.clear()
        self.card.grid.setColumnStretch(2, 1)
        given = self.tr("Planned") if planned is None else self.tr("The sources have")
        self.card.add_row(None, *(label(words, "muted") for words in (self.tr("The project asks for"), given)))
        for row in different_rows(request):
            self._add(row, "warning")
        for row in kept_rows(request, planned):
            self._add(row, "ok" if row.origin else "free")
        for row in later_rows(request):
            self._add(row, "warning" if row.is_lost else "note")
        if is_package(request):
            itself = ProjectRow(self.tr("The project itself"), None, None, is_last=request.choices.parts)
            self._add(itself, "note")
        if count := count_packages(request):
            asked = self.tr("Other packages: %1").replace("%1", str(count))
            words = self.tr("as asked")
            pill = Pill("ok", words) if planned else Pill("note", self.tr("not looked up"))
            given = words if planned else self.tr("as asked, if available")
            self._add_row(pill, [label(asked)], label(given, "strong"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put each badge above its words where there is little room: beside them a version was broken."""
        super().resizeEvent(event)
        if (is_narrow := self.width() < _NARROW) != self._is_narrow:
            self._is_narrow = is_narrow
            if self._shown is not None:
                self._show_rows(*self._shown)

    def _add_row(self, pill: Pill, asked: Sequence[QWidget], given: QWidget, ground: str = "") -> None:
        if not self._is_narrow:
            self.card.add_row(pill, stacked(*asked), stacked(given), ground=ground)
            return
        said = stacked(pill, *asked)
        if (layout := said.layout()) is not None:
            layout.setAlignment(pill, Qt.AlignmentFlag.AlignLeft)
        self.card.add_row(None, said, stacked(given), ground=ground)

    def _tell_refused(self, differs: bool) -> None:
        other = self.tr("What the project asks for is not available in exactly these versions. Untick “Exactly as asked” to accept what differs.")
        unread = self.tr("Not every line of the project can be kept to; what was noticed while reading names it. Untick “Exactly as asked” to go on without it.")
        self._refused.setText(other if differs else unread)

    def _show_day(self, state: AppState) -> None:
        """Say of which day an old project gets what it leaves open, with the other way."""
        said, is_newest = state.request and day_words(state.request), state.choices.as_of == TODAY
        newest = self.tr("Packages whose version the project leaves open come in today's newest.")
        self._day.show_words(self._translator.signed(said) if said else newest)
        for part in (self._day, self.newest):
            part.setVisible(is_newest or said is not None)

    def _show_notes(self, notes: Sequence[FileLine]) -> None:
        """Quote what nothing here acts on: the person reads it, line by line."""
        empty(self.notes.body)
        words = self.tr("Quoted from the project's files; this program does not act on it.")
        self.notes.body.addWidget(label(words, "muted"))
        for at in notes:
            said, place = selectable(label(at.text)), label(self._place_of(at), "muted")
            self.notes.body.addWidget(stacked(said, place))
        self.notes.setVisible(bool(notes))

    def _tell_notes(self, is_open: bool) -> None:
        if is_open:
            count = self.notes.body.count() - 1  # below what they are
            announce(self.notes, self.tr("Quoted lines: %1").replace("%1", str(count)))

    def _place_of(self, at: FileLine) -> str:
        return self.tr("%1, line %2").replace("%1", at.file).replace("%2", str(at.line))

    def _show_answers(self, state: AppState) -> None:
        of_choices = ((self.newest, state.choices.as_of == TODAY), (self.parts, state.choices.parts))
        for tick, is_on in ((self.agree, state.agreed), (self.strict, state.strict), *of_choices):
            with QSignalBlocker(tick):
                tick.setChecked(is_on)

    def _add(self, row: ProjectRow, state: str) -> None:
        asked: list[QWidget] = [selectable(label(row.asked, "strong"))]
        if row.origin is not None:
            asked.append(label(self._place_of(row.origin), "muted"))
        if row.why is not None:  # of what was asked: below what is planned it read as if that would not run
            asked.append(Advice(self._translator.signed(row.why), "differs" if state == "warning" else "muted"))
        afterwards = self.tr("last, from its source") if row.is_last else self.tr("by a command afterwards")
        instead = afterwards if state == "note" else self.tr("left out")
        given = label(row.given or instead, "strong")
        words = {"warning": self.tr("differs"), "note": self.tr("later"), "ok": self.tr("as asked")}
        pill = Pill(state, words[state]) if state in words else Pill("ok", self.tr("not specified"))
        ground = "differs" if state == "warning" else ""
        self._add_row(pill, asked, given, ground)

    def _choose_file(self) -> None:
        title = self.tr("The file that lists what the project needs")
        chosen, _ = QFileDialog.getOpenFileName(self, title, self._folder)
        if chosen:
            self.file_chosen.emit(str(Path(chosen)))
