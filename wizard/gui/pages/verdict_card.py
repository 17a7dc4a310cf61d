"""The build that was chosen, and why: card, kernels, driver, wheel, each link with its fact."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from wizard.gui.figures import variant_text
from wizard.gui.parts.boxes import column, empty, line_up
from wizard.gui.parts.labels import Pill, label
from wizard.gui.voice import Voice
from wizard.plan.model import Candidate, Choices, Link


def link_name(kind: str) -> str:
    names = {
        "gpu": QCoreApplication.translate("Link", "Your card"),
        "kernels": QCoreApplication.translate("Link", "In the package"),
        "driver": QCoreApplication.translate("Link", "Your driver"),
        "python": QCoreApplication.translate("Link", "Python"),
        "platform": QCoreApplication.translate("Link", "System"),
        "wheel": QCoreApplication.translate("Link", "Package exists"),
    }
    return names.get(kind, kind)


class VerdictCard(QFrame):
    def __init__(self, voice: Voice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "chosen")
        self._voice = voice
        rows = column(self, (16, 14, 16, 14), 8)
        head = line_up()
        self._build = label("", "big", wrap=False)
        self._pill = Pill("ok")
        head.addWidget(self._build)
        head.addWidget(self._pill)
        head.addStretch(1)
        self._with = label("", "muted")
        self._chain = line_up(gap=6)
        self._links: list[_LinkBox] = []
        rows.addLayout(head)
        rows.addWidget(self._with)
        rows.addLayout(self._chain)

    @property
    def words(self) -> str:
        return self._build.text()

    def show_build(self, one: Candidate | None, choices: Choices) -> None:
        self._show_proof(one.proof if one and one.fits else ())
        if one is None:
            self._build.setText(self.tr("No build fits"))
            self._pill.show_state("problem", self.tr("none fits"))
            self._with.setText("")
            return
        self._build.setText(f"torch {one.torch} + {variant_text(one.variant)}")
        if not one.fits:
            self._pill.show_state("warning", self.tr("does not fit here"))
            said = " ".join(self._voice.say(reason.message) for reason in one.reasons)
            self._with.setText(said)
            return
        unsure = one.confidence != "high"
        self._pill.show_state("warning" if unsure else "ok", self.tr("fits, but unsure") if unsure else self.tr("fits"))
        self._with.setText("  •  ".join(self._parts(one, choices)))

    def _show_proof(self, proof: Sequence[Link]) -> None:
        """Another Python has the same links with other words: widgets are slow to make."""
        if len(proof) != len(self._links):
            empty(self._chain)
            self._links = [_LinkBox() for _ in proof]
            for number, made in enumerate(self._links):
                if number:
                    arrow = label("→", "muted", wrap=False)
                    arrow.setAccessibleName(" ")
                    self._chain.addWidget(arrow, 0, Qt.AlignmentFlag.AlignVCenter)
                self._chain.addWidget(made, 1)
        for made, link in zip(self._links, proof, strict=True):
            source = self.tr("Source: %1").replace("%1", link.source) if link.source else ""
            made.show_words(link_name(link.kind), self._voice.say(link.message), source)

    @staticmethod
    def _parts(one: Candidate, choices: Choices) -> list[str]:
        wanted = ("torchvision",) if choices.companions is None else choices.companions
        versions = {"torchvision": one.torchvision, "torchaudio": one.torchaudio}
        parts = [f"Python {one.python}"] if one.python else []
        parts += [f"{name} {versions[name]}" for name in wanted if versions.get(name)]
        return [*parts, *([f"numpy {one.numpy}"] if one.numpy else [])]


class _LinkBox(QFrame):
    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "link")
        lines = column(self, (10, 7, 10, 7), 2)
        self._name, self._words = label("", "strong"), label("", "muted")
        lines.addWidget(self._name)
        lines.addWidget(self._words)
        lines.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)

    def show_words(self, name: str, words: str, source: str) -> None:
        self._name.setText(name)
        self._words.setText(words)
        self.setToolTip(source)
