"""The doctor's answer as a card: cause, the smallest repair, evidence, what was found as well, what was ruled out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from wizard.gui.shell.theme import code_font
from wizard.gui.shell.translator import Translator
from wizard.gui.tools.base import button
from wizard.gui.widgets.advice import Advice, Points
from wizard.gui.widgets.fields import LateButton
from wizard.gui.widgets.frames import Fold, FoldList, RowCard, Turning, box, column
from wizard.gui.widgets.labels import Pill, label, restyle, selectable, told_of
from wizard.gui.widgets.messages import Busy
from wizard.model.messages import Message, bytes_text, message

if TYPE_CHECKING:
    from wizard.app.use.doctor import Examination
    from wizard.diagnose.model import Check, DoctorResult
    from wizard.diagnose.repair.plan import RepairPreview
    from wizard.environment.inspect.baseline import EnvironmentChanges

_PILLS = {"nothing-wrong": "ok", "not-tested": "note", "found": "problem", "machine": "warning", "unknown": "note"}
_RULED_OUT, _NOT_LOOKED, _READ = "ruled-out", "not-looked", "doctor.look.files.read"


def drift_messages(drift: EnvironmentChanges) -> Iterator[Message]:
    """What replaced a recorded build, one sentence for each package."""
    for change in drift.changes:
        yield change.words(drift.prefix)
        if change.by:
            yield message("doctor.say.drift-by", by=", ".join(change.by))


def download_message(preview: RepairPreview | None) -> Message | None:
    """Return what a repair fetches; None where all of it is here."""
    size = preview.download_bytes if preview else 0
    return message("doctor.downloads", "Downloads {size}.", size=bytes_text(size)) if size else None


class DoctorAnswer(QWidget):
    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._translator = translator
        rows = column(self, gap=10)
        self._card = box("card")
        lines = column(self._card, (16, 14, 16, 14), 8)
        self._pill = Pill(spoken_as="heading")  # where a cause is found, no verdict stands below it
        self._verdict = label("", "heading")
        self._cause, self._repair = Advice(), Advice()
        self._plan, self._read = Points(), label("", "muted")
        self.copy, self.save, self.deeper = button("small"), button("small"), LateButton()
        self.stop, self.busy, self._stopped = button("small"), Busy(is_part=True), 0.0  # seconds
        self.deeper.setProperty("role", "small")
        for widget in (self._pill, self._verdict, self._cause, self._repair, self._plan, self._read):
            lines.addWidget(widget)
        lines.addWidget(self._make_foot())
        self.evidence, self.looks = Fold(), Fold()
        self._evidence = selectable(label(""))
        self._evidence.setFont(code_font())
        self.evidence.body.addWidget(self._evidence)
        self._others_title, self._others = label("", "heading"), RowCard(2, 1)
        self._drift_title, self._drift = label("", "heading"), Points()
        self._looks = RowCard(3, 2)
        self._looks.setProperty("role", "fold")
        self.looks.body.setContentsMargins(0, 0, 0, 0)
        self.looks.body.addWidget(self._looks)
        parts: tuple[QWidget, ...] = (
            self._card,
            FoldList(self.evidence),
            self._drift_title,
            self._drift,
            self._others_title,
            self._others,
            FoldList(self.looks),
        )
        for part in parts:
            rows.addWidget(part)

    def _make_foot(self) -> QWidget:
        """The buttons, and what goes on, in one place: nothing else moves as it begins and ends."""
        self._foot, reports, going = QStackedWidget(), Turning(8), Turning(12)
        for one in (self.copy, self.save, self.deeper):
            reports.line.addWidget(one)
            one.installEventFilter(self)
        reports.line.addStretch(1)
        self.busy.setMinimumWidth(1)  # long words are cut rather than move the button
        going.line.addWidget(self.busy, 1)
        going.line.addWidget(self.stop)
        for page in (reports, going):
            self._foot.addWidget(page)
        self.stop.clicked.connect(lambda: setattr(self, "_stopped", time.monotonic()))
        self.end()
        return self._foot

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The second press of a double click on Stop is none: in a narrow window another button is there by then."""
        is_press = event.type() in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick)
        return is_press and 1000 * (time.monotonic() - self._stopped) < QApplication.doubleClickInterval()

    def begin(self, words: Callable[[], str], may_stop: bool) -> None:
        """Say in the place of the buttons what goes on."""
        self.busy.begin(words)
        self.stop.setVisible(may_stop)
        self._foot.setCurrentIndex(1)

    def end(self) -> None:
        """Bring the buttons back. What stood there keeps its room."""
        self._foot.setCurrentIndex(0)
        self.busy.end()
        self.busy.setVisible(True)

    def retranslate(self) -> None:
        self.stop.setText(self.tr("Sto&p"))
        self.stop.setAccessibleName(self.tr("Stop reading every file"))
        self.busy.retranslate()
        self.copy.setText(self.tr("&Copy report"))
        self.save.setText(self.tr("&Save report…"))
        self.deeper.setText(self.tr("Check ever&y file"))

    @property
    def words(self) -> str:
        """All that the card says, for whom the screen says it and for the tests."""
        shown = (self._verdict, self._cause, self._repair, self._plan, self._read)
        return "\n".join(one.text() for one in shown if one.text() and not one.isHidden())

    def show_answer(self, found: Examination, preview: RepairPreview | None) -> None:
        """Show the verdict, its cause and evidence, and what a repair would change."""
        answer, say = found.answer, self._translator.say
        self._card.setProperty("role", "error" if answer.verdict == "found" else "card")
        restyle(self._card)
        self._pill.show_state(_PILLS.get(answer.verdict, "note"), self._word(answer.verdict))
        self._verdict.setText(say(message(f"doctor.verdict.{answer.verdict}")))
        self._verdict.setVisible(answer.verdict != "found")  # then the cause says it
        self._show_cause(answer)
        changes = preview.changes if preview else ()
        self._plan.setAccessibleName(self.tr("What the repair changes"))
        self._plan.show_points([label(say(change), "muted") for change in changes])
        read = tuple(look.message for look in answer.looks if look.message.key == _READ)
        self._read.setText(say(read[0]) if read else "")
        self._read.setVisible(bool(read))
        evidence = (*(answer.cause.evidence if answer.cause else ()), *read)
        self._evidence.setText("\n".join(line if isinstance(line, str) else say(line) for line in evidence))
        self.evidence.setVisible(bool(evidence))
        self.evidence.show_words(self.tr("E&vidence (%1)").replace("%1", str(len(evidence))))
        self._show_drift(found.drift)
        self._show_others(answer)
        self._show_looks(answer.looks)

    def _word(self, verdict: str) -> str:
        words = {
            "nothing-wrong": self.tr("No problem found"),
            "found": self.tr("Cause found"),
            "machine": self.tr("This computer"),
            "unknown": self.tr("Not known"),
            "not-tested": self.tr("Not tested"),
        }
        return words.get(verdict, verdict)

    def _show_cause(self, answer: DoctorResult) -> None:
        cause, signed = answer.cause, self._translator.signed
        self._cause.setVisible(cause is not None)
        self._repair.setVisible(cause is not None)
        if cause is not None:
            self._cause.show_words(signed(cause.cause))
            self._repair.show_words(self.tr("Repair: %1").replace("%1", signed(cause.repair)))
        elif answer.verification is not None:
            self._cause.show_words(signed(answer.verification.headline))
            self._cause.setVisible(True)

    def _show_drift(self, drift: EnvironmentChanges | None) -> None:
        changed = [label(self._translator.say(words)) for words in drift_messages(drift)] if drift else []
        self._drift_title.setText(self._translator.say(message("doctor.title.drift")))
        self._drift.setAccessibleName(self._drift_title.text())
        self._drift.show_points(changed)
        self._drift_title.setVisible(bool(changed))

    def _show_others(self, answer: DoctorResult) -> None:
        self._others.clear()
        causes = dict.fromkeys(self._translator.say(each.cause) for each in answer.others)
        for words in causes:
            self._others.add_row(Pill("warning"), label(words))
        self._others_title.setText(self._translator.say(message("doctor.title.others")))
        for one in (self._others_title, self._others):
            one.setVisible(bool(causes))

    def _show_looks(self, looks: Sequence[Check]) -> None:
        self._looks.clear()
        ruled_out = [look for look in looks if look.state == _RULED_OUT]
        for look in [*ruled_out, *(look for look in looks if look.state == _NOT_LOOKED)]:
            name = self._translator.name(f"doctor.name.{look.check}", look.check)
            word = self._translator.say(message(f"doctor.title.{look.state}"))
            pill = Pill("ok" if look.state == _RULED_OUT else "note", word)
            pill.setAccessibleName(told_of(name, word))
            said = label(self._translator.say(look.message), "muted")
            self._looks.add_row(pill, label(name, "strong", wrap=False), said, tight=True)
        self.looks.setVisible(bool(looks))
        self.looks.show_words(self.tr("Wha&t was ruled out (%1)").replace("%1", str(len(ruled_out))))
