"""A chain of links that prove a build, drawn: the card, the code in the package, the driver, the published package.

On Build it shows what was proved, on Verify the link that does not hold. Judges nothing.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from wizard.gui.shell.theme import colour_now
from wizard.gui.widgets.frames import column
from wizard.gui.widgets.icons import IconView
from wizard.gui.widgets.labels import SPOKEN_AS, label, plain_tip, told_of

_MIDDLE = Qt.AlignmentFlag.AlignHCenter
_ICONS = {
    "gpu": "gpu",
    "kernels": "package",
    "driver": "cpu",
    "python": "file-code",
    "platform": "monitor",
    "wheel": "file-check",
}
_GROUNDS = {"idle": "neutral", "unsure": "on_warning", "broken": "on_problem"}
_SIGNS = {"unsure": "circle-question-mark", "broken": "x"}  # not by the colour alone
_CIRCLE = 34  # pixels


def link_name(kind: str) -> str:
    """Return the name of one link of the proof in the language of the window."""
    names = {
        "gpu": QCoreApplication.translate("Link", "Your card"),
        "kernels": QCoreApplication.translate("Link", "In the package"),
        "driver": QCoreApplication.translate("Link", "Your driver"),
        "python": QCoreApplication.translate("Link", "Python"),
        "platform": QCoreApplication.translate("Link", "System"),
        "wheel": QCoreApplication.translate("Link", "Package published"),
    }
    return names.get(kind, kind)


class Chain(QWidget):
    """Draws the line on which the links stand: dashed up to one that does not hold. A list for a screen reader."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty(SPOKEN_AS, "list")

    def paintEvent(self, event: QPaintEvent) -> None:
        links = [link for link in self.findChildren(LinkBox) if link.state != "idle"]
        links.sort(key=lambda link: link.x())
        painter, high = QPainter(self), _CIRCLE // 2
        for left, right in zip(links, links[1:], strict=False):
            is_broken = right.state == "broken"
            style = Qt.PenStyle.DashLine if is_broken else Qt.PenStyle.SolidLine
            painter.setPen(QPen(colour_now("on_problem" if is_broken else "on_ok"), 2, style))
            painter.drawLine(left.geometry().center().x(), high, right.geometry().center().x(), high)


class LinkBox(QFrame):
    """One link. `state`: ok | unsure | idle (proves nothing here) | broken."""

    def __init__(self, kind: str, state: str = "ok") -> None:
        super().__init__()
        self.setProperty(SPOKEN_AS, "item")
        lines = column(self, gap=4)
        self._name, self._words = label("", "strong"), label("", "muted")
        self.state = state
        sign = _SIGNS.get(state) or _ICONS.get(kind, "check")
        lines.addWidget(IconView(sign, 18, "card", _GROUNDS.get(state, "on_ok"), _CIRCLE), 0, _MIDDLE)
        for one in (self._name, self._words):
            one.setAlignment(_MIDDLE)
            lines.addWidget(one)
        lines.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)

    def show_words(self, name: str, fact: str, sentence: str, source: str = "") -> None:
        """Show its name and fact; the sentence is for who looks closer or hears it."""
        self._name.setText(name)
        self._words.setText(fact or sentence)
        doubt = QCoreApplication.translate("Link", "not confirmed")
        said = f"{sentence} ({doubt})" if self.state == "unsure" else sentence
        self._words.setAccessibleName(said)
        self.setAccessibleName(said if said.startswith(name) else told_of(name, said))
        self.setToolTip(plain_tip("\n".join(part for part in (sentence, source) if part)))
