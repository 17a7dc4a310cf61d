"""Welcome's cards: a setup that is running or was left unfinished, a plan that was opened, a build that was replaced.

They show a value and offer one or two ways on; what a way does is the page's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton

from wizard.gui.announce import announce
from wizard.gui.figures import variant_text
from wizard.gui.parts.boxes import column, line_up
from wizard.gui.parts.hosts_consent import HostsConsent
from wizard.gui.parts.labels import Pill, label
from wizard.gui.run_watch import RunWatch
from wizard.i18n import message

if TYPE_CHECKING:
    from wizard.gui.desk import Desk
    from wizard.session.model import RunInfo

Way = tuple[str, Callable[[], None]]


def run_name(run: RunInfo) -> str:
    return f"{PurePath(run.prefix).name} (torch {run.torch}, {variant_text(run.variant)})"


class Card(QFrame):
    def __init__(
        self, state: str, word: str, words: str, about: str, name: str, ways: Sequence[Way],
        consent: HostsConsent | None = None,
    ) -> None:  # fmt: skip
        """`name`: what the buttons are about, for who hears them only. `consent`: what they wait for."""
        super().__init__()
        self.setProperty("role", "card")
        self._name = name
        rows = column(self, (18, 12, 18, 12), 6)
        head = line_up()
        self.pill, self.words, self.about = Pill(), label("", "heading"), label("", "muted")
        head.addWidget(self.pill)
        head.addStretch(1)
        rows.addLayout(head)
        rows.addWidget(self.words)
        rows.addWidget(self.about)
        self.show_words(state, word, words, about)
        buttons = line_up()
        self.buttons = [QPushButton() for _ in ways]
        for button, (text, way) in zip(self.buttons, ways, strict=True):
            self.show_way(button, text)
            button.clicked.connect(lambda checked=False, way=way: way())
            buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        buttons.addStretch(1)
        if consent is not None:
            self._wait_for(consent)
            rows.addWidget(consent)
        if ways:
            rows.addLayout(buttons)

    def _wait_for(self, consent: HostsConsent) -> None:
        def look() -> None:
            for button in self.buttons:
                button.setEnabled(consent.is_agreed)

        consent.changed.connect(look)
        look()

    def show_words(self, state: str, word: str, words: str, about: str) -> None:
        self.pill.show_state(state, word)
        self.pill.setAccessibleName(f"{self._name}: {word}")
        self.words.setText(words)
        self.about.setText(about)
        self.about.setVisible(bool(about))

    def show_way(self, button: QPushButton, text: str) -> None:
        button.setText(text)
        button.setAccessibleName(f"{text.split('(')[0].replace('&', '')}: {self._name}")


class RunningCard(Card):
    """A run that goes on: how far it is, and that it has ended well. It follows the run by itself.

    `is_over`: nobody carries it out any more, but it is not done: the page has to look again.
    """

    is_over = Signal()
    done = Signal(object)  # RunInfo

    def __init__(self, desk: Desk, run: RunInfo, show: Callable[[], None]) -> None:
        super().__init__("note", "", "", "", run_name(run), [("", show)])
        self._desk, self._run, self._is_done = desk, run, run.state == "finished"
        self._watch = RunWatch(desk.session, desk.errands, desk.voice.say, self)
        self._watch.changed.connect(self._show_run)
        self._watch.over.connect(self._over)
        self._watch.vanished.connect(self.is_over)
        self._show_run()
        if not self._is_done:
            self._watch.follow(run.id)

    def _show_run(self) -> None:
        name, about = run_name(self._run), self._run.prefix
        if self._is_done:
            words = self.tr("Finished, see the result: %1").replace("%1", name)
            self.show_words("ok", self.tr("Finished"), words, about)
            self.show_way(self.buttons[0], self.tr("&See the result"))
            return
        if self._watch.silence:
            said = self._desk.voice.say(message("flow.silent", seconds=self._watch.silence))
            about = f"{about}\n{said}"
        percent = f"{int(self._watch.view.fraction * 100)} %"
        words = self.tr("A setup is running: %1").replace("%1", name)
        self.show_words("note", self.tr("Running, %1").replace("%1", percent), words, about)
        self.show_way(self.buttons[0], self.tr("Sho&w it"))

    def stop(self) -> None:
        self._watch.stop()

    def _over(self, run: RunInfo) -> None:
        self._watch.stop()
        if run.state != "finished":
            self.is_over.emit()
            return
        self._is_done = True
        self._show_run()
        announce(self, self.words.text())
        self.done.emit(run)
