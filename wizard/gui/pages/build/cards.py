"""The cards beside the grid: the build that was chosen with its proof, and builds that the tables do not know.

Beside the grid: what is said of a cell, builds that the tables do not know yet, and the question before one is taken
that does not fit. One file: each of them is small, and they share the build's name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from wizard.app.pages.build import is_unsure
from wizard.compatibility.data.model import SYSTEMS
from wizard.compatibility.model import Candidate, Choices, Link
from wizard.gui.pages.proof import Chain, LinkBox, link_name
from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.figures import variant_text
from wizard.gui.widgets.frames import Fold, Turning, column, empty, line_up
from wizard.gui.widgets.labels import Pill, in_a_row, label, told_of
from wizard.run.select.learned_rows import JudgedBuild


_SENTENCE = 160  # pixels, at least: of what is said of a cell beside its name
_LONG = re.compile(r"\b(?:NVIDIA |GeForce )|(?<=Laptop) GPU$")  # of a card's name; the sentence has all of it
# The fact of a link in a few signs, from its sentence's blanks; the sentence is one look away.
_FACTS = {
    "gpu": "{gpu} ({arch})",
    "kernels": "{arch}",
    "python": "{python}",
    "platform": "{system}",
    "wheel": "Python {python}, {system}",
}


def _telling(proof: Sequence[Link]) -> Sequence[Link]:
    """Leave out what the package's own name says once more, where there is a card to be proved."""
    if not any(link.kind == "kernels" for link in proof):
        return proof
    return [link for link in proof if link.kind not in ("python", "platform")]


def _fact(link: Link) -> str:
    """Return the short form; '' for a sentence that has other blanks."""
    try:
        params = {name: _LONG.sub("", str(value)) for name, value in link.message.params.items()}
        params.setdefault("system", SYSTEMS.get(params.get("platform", ""), ""))
        return _FACTS.get(link.kind, "").format(**params)
    except KeyError:
        return ""


def _other_card(link: Link) -> str:
    """Return the name of a card that no CUDA build runs on, where the link is of one."""
    return str(link.message.params["gpu"]) if link.message.key == _OTHER_CARD else ""


class VerdictCard(QFrame):
    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._translator = translator
        rows = column(self, (16, 14, 16, 14), 8)
        head, judged = Turning(), QWidget()  # the name alone: with a long verdict beside it the page would scroll
        self._build = label("", "big", wrap=False)
        self._pill = Pill("ok")
        self._with, self._reasons = label("", "muted"), label("", "muted")
        self._with.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        beside = line_up(judged)
        beside.addWidget(self._pill)
        beside.addWidget(self._with, 1)
        head.line.addWidget(self._build)
        head.line.addWidget(judged, 1)
        chain = Chain()
        self._chain = line_up(chain, gap=6)
        self._links: list[LinkBox] = []
        rows.addWidget(head)
        rows.addWidget(self._reasons)
        rows.addWidget(chain)

    @property
    def words(self) -> str:
        return self._build.text()

    def show_build(self, one: Candidate | None, choices: Choices, lacking: str = "") -> None:
        """Show the proof of one build, or the reasons why it does not fit; None: none fits. `lacking`: what is taken
        since no source has it."""
        self._show_proof(_telling(one.proof) if one and one.fits else (), one is not None and is_unsure(one))
        self._reasons.setVisible(one is not None and not one.fits)
        self._with.setText("")
        if one is None:
            self._build.setText(self.tr("No build fits"))
            self._pill.show_state("problem", self.tr("none fits"))
            return
        self._build.setText(f"torch {one.torch} + {variant_text(one.variant)}")
        if not one.fits:
            self._pill.show_state("warning", self.tr("does not fit here"))
            said = self._translator.join(self._translator.say(reason.message) for reason in one.reasons)
            self._reasons.setText(said)
            return
        unsure = is_unsure(one)
        self._pill.show_state("warning" if unsure else "ok", self.tr("fits, but unsure") if unsure else self.tr("fits"))
        self._with.setText("  •  ".join(self._parts(one, choices)))
        if lacking:
            self._pill.show_state("warning", self.tr("not at the sources"))
            self._reasons.setText(lacking)
            self._reasons.setVisible(True)

    def _show_proof(self, proof: Sequence[Link], is_open: bool) -> None:
        """Another Python has the same links with other words: widgets are slow to make. `is_open`: a link is unsure."""
        states = [_state(link, is_open) for link in proof]
        if states != [made.state for made in self._links]:
            empty(self._chain)
            self._links = [LinkBox(link.kind, state) for link, state in zip(proof, states, strict=True)]
            for made in self._links:
                self._chain.addWidget(made, 1)
        for made, link in zip(self._links, proof, strict=True):
            named = (self._translator.name(f"plan.source.{one}", one) for one in link.source.split("; "))
            source = self.tr("Source: %1").replace("%1", "; ".join(named)) if link.source else ""
            idle = {"plan.proof.no-gpu": self.tr("no NVIDIA card"), "plan.proof.cpu": self.tr("not used")}
            fact = idle.get(link.message.key) or _fact(link) or _other_card(link)
            if link.kind == "driver" and link.message.params.keys() >= {"driver", "need"}:
                driver, need = (str(link.message.params[name]) for name in ("driver", "need"))
                fact = self.tr("%1, needs %2").replace("%1", driver).replace("%2", need)
            if link.kind == "kernels" and made.state == "ok":  # of another number than the card's, mostly
                fact = self.tr("%1 code runs on it").replace("%1", fact)
            made.show_words(link_name(link.kind), fact, self._translator.say(link.message), source)

    @staticmethod
    def _parts(one: Candidate, choices: Choices) -> list[str]:
        wanted = ("torchvision",) if choices.companions is None else choices.companions
        versions = {"torchvision": one.torchvision, "torchaudio": one.torchaudio}
        parts = [f"Python {one.python}"] if one.python else []
        parts += [f"{name} {versions[name]}" for name in wanted if versions.get(name)]
        return [*parts, *([f"numpy {one.numpy}"] if one.numpy else [])]


def _state(link: Link, is_open: bool) -> str:
    if link.message.key in _NO_CARD:
        return "idle"
    return "unsure" if is_open and link.confidence != "high" else "ok"


_OTHER_CARD = "plan.proof.other-maker"
_NO_CARD = ("plan.proof.no-gpu", "plan.proof.cpu", _OTHER_CARD)  # no link that proves anything: grey
_MOST = 4


def build_text(torch: str, variant: str) -> str:
    return f"torch {torch} + {variant_text(variant)}"


class CellStrip(QFrame):
    """Says what there is to know of the chosen cell, or of the one under the mouse; below that, what is out of reach."""

    def __init__(self, every: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "strip")
        rows = column(self, (16, 7, 16, 7), 2)
        self._cell, self._words, self._beyond = label("", "strong", wrap=False), label(""), label("", "muted")
        self._words.setMinimumWidth(_SENTENCE)
        said = Turning(8)
        said.line.addWidget(self._cell)
        said.line.addWidget(self._words, 1)
        said.line.addWidget(every)
        rows.addWidget(said)
        self._below = QWidget()
        self.driver = QPushButton()
        self.driver.setProperty("role", "small")
        below = line_up(self._below, gap=16)
        below.addWidget(self._beyond, 1)
        below.addWidget(self.driver)
        rows.addWidget(self._below)

    @property
    def words(self) -> str:
        return in_a_row(self._cell.text(), self._words.text())

    @property
    def beyond(self) -> str:
        return self._beyond.text()

    def show_cell(self, cell: str, words: str) -> None:
        """`cell`: its name; what stands after it is of the language of the words."""
        self._cell.setText(told_of(cell, words).removesuffix(words).rstrip() if cell else "")
        self._words.setText(words)

    def show_beyond(self, words: str, has_guide: bool) -> None:
        self._beyond.setText(words)
        self.driver.setVisible(has_guide)
        self._below.setVisible(bool(words) or has_guide)


class NewsBox(QFrame):
    """Told in a row below the verdict; it never takes its place, for the tables have no facts of these builds."""

    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "info")
        self._translator = translator
        self.fold, self._lines, self._then = Fold(), label(""), label("", "muted")
        column(self).addWidget(self.fold)
        for one in (self._lines, self._then):
            self.fold.body.addWidget(one)
        self.setVisible(False)

    @property
    def words(self) -> str:
        return f"{self.fold.button.text()} {self._lines.text()}"

    def show_news(self, news: Sequence[JudgedBuild]) -> None:
        self.setVisible(bool(news))
        self.fold.show_words(self.tr("Newer versions online, not known here yet"), str(len(news)))
        self._lines.setText("\n".join(self._line(one) for one in news[:_MOST]))
        self._then.setText(self.tr("An update of this program brings them here."))

    def _line(self, one: JudgedBuild) -> str:
        build = one.build
        variant = variant_text(build.variant) if build.variant else "CUDA ?"
        if one.fits is None:
            fits = self.tr("whether it fits is not known")
        elif one.fits:
            fits = self.tr("would fit this computer")
        else:
            why = self._translator.say(one.reasons[0].message).rstrip(".。") if one.reasons else ""
            fits = self.tr("would not fit: %1").replace("%1", why)
        return told_of(f"•  torch {build.torch} + {variant} ({self._translator.say(build.source.label)})", fits)


class ForceBox(QFrame):
    """Asks once, in the page: a person may set up for another card than the one that is in the computer now."""

    agreed = Signal(object)  # Candidate

    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "ask")
        self._translator = translator
        self._one: Candidate | None = None
        rows = column(self, (16, 12, 16, 12), 8)
        self._pill, self._what, self._why = Pill("warning"), label("", "strong"), label("")
        self.take, self.leave_it = QPushButton(), QPushButton()
        self.take.clicked.connect(self._agree)
        self.leave_it.clicked.connect(self.put_away)
        line = line_up()
        line.addWidget(self.take)
        line.addWidget(self.leave_it)
        line.addStretch(1)
        for one in (self._pill, self._what, self._why):
            rows.addWidget(one)
        rows.addLayout(line)
        self.setVisible(False)

    @property
    def is_asking(self) -> bool:
        return self._one is not None

    def ask(self, one: Candidate) -> None:
        self._one = one
        self.retranslate()
        self.setVisible(True)
        self.leave_it.setFocus()

    def put_away(self) -> bool:
        """True when it was asking."""
        was_asking, self._one = self.is_asking, None
        self.setVisible(False)
        return was_asking

    def _agree(self) -> None:
        one = self._one
        self.put_away()
        if one:
            self.agreed.emit(one)

    def retranslate(self) -> None:
        self.take.setText(self.tr("&Install anyway"))
        self.leave_it.setText(self.tr("&Keep what fits"))
        self._pill.show_state("warning", self.tr("Does not fit"))
        if self._one is None:
            return
        self._what.setText(self.tr("Install %1 anyway?").replace("%1", build_text(self._one.torch, self._one.variant)))
        said = [self._translator.say(reason.message) for reason in self._one.reasons]
        rest = self.tr("It can be installed, but cannot use the graphics card here. The test at the end will say so.")
        self._why.setText("\n".join((*(f"•  {words}" for words in said), rest)))
        self.setAccessibleName(in_a_row(self._what.text(), self._why.text()))
