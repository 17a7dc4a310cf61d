"""Shows the sources of one kind of thing: what is true of each, how fast it is, and what it is used for.

Lines are filled in place, for rows come and change their order while sources are probed, and widgets are slow to make.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from wizard.app.pages.sources import pill_of
from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.figures import seconds_text
from wizard.gui.widgets.frames import RowCard, column, stacked
from wizard.gui.widgets.labels import Pill, label
from wizard.process import redact
from wizard.sources.model import SourceStatus

_NO_ANSWER = ("unreachable", "silent")


def origin_name(origin: str) -> str:
    names = {
        "official": QCoreApplication.translate("Origin", "official"),
        "mirror": QCoreApplication.translate("Origin", "mirror"),
        "user-settings": QCoreApplication.translate("Origin", "from your settings"),
        "by-hand": QCoreApplication.translate("Origin", "by hand"),
    }
    return names.get(origin, origin)


def verdict_name(verdict: str) -> str:
    names = {
        "complete": QCoreApplication.translate("SourceVerdict", "has it"),
        "missing": QCoreApplication.translate("SourceVerdict", "missing"),
        "unreachable": QCoreApplication.translate("SourceVerdict", "no answer"),
        "silent": QCoreApplication.translate("SourceVerdict", "no answer"),
        "unchecked": QCoreApplication.translate("SourceVerdict", "not asked"),
        "stale": QCoreApplication.translate("SourceVerdict", "behind"),
        "elsewhere": QCoreApplication.translate("SourceVerdict", "redirects"),
        "refused": QCoreApplication.translate("SourceVerdict", "refuses"),
        "unproven": QCoreApplication.translate("SourceVerdict", "refuses"),
        "busy": QCoreApplication.translate("SourceVerdict", "busy"),
        "portal": QCoreApplication.translate("SourceVerdict", "sign-in page"),
        "tls": QCoreApplication.translate("SourceVerdict", "not trusted"),
        "wrong": QCoreApplication.translate("SourceVerdict", "wrong file"),
        "broken": QCoreApplication.translate("SourceVerdict", "error"),
    }
    return names.get(verdict, verdict)


def use_name(use: str) -> str:
    names = {
        "torch": QCoreApplication.translate("SourceUse", "used for torch"),
        "packages": QCoreApplication.translate("SourceUse", "used for the other packages"),
        "python": QCoreApplication.translate("SourceUse", "used for Python"),
    }
    return names[use]


def age_text(seen: float | None, now: float) -> str:
    """When something was measured; '' for what never was."""
    if seen is None:
        return ""
    minutes = int(max(0.0, now - seen) // 60)
    if minutes < 1:
        return QCoreApplication.translate("SourceAge", "just now")
    if minutes < 60:
        return QCoreApplication.translate("SourceAge", "%1 min ago").replace("%1", str(minutes))
    return QCoreApplication.translate("SourceAge", "%1 h ago").replace("%1", str(minutes // 60))


def rate_words(row: SourceStatus) -> str:
    """Two digits after the point always, so that the points stand below each other."""
    if row.stage == "measuring":
        return QCoreApplication.translate("SourceAge", "measuring…")
    return f"{row.rate / 1e6:,.2f} MB/s" if row.rate is not None else "–"


class _Line:
    """The widgets of one source."""

    def __init__(self) -> None:
        self.pill = Pill("note")
        self.name, self.use = label("", "strong"), Pill("note")
        self.words, self.facts = label(""), label("", "muted")
        self.rate, self.age = label("", "strong", wrap=False), label("", "muted", wrap=False)
        for one in (self.rate, self.age):
            one.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.left = QWidget()
        self.left.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        pills = column(self.left, gap=4)
        for one in (self.pill, self.use):
            pills.addWidget(one, 0, Qt.AlignmentFlag.AlignLeft)
        self.middle = stacked(self.name, self.words, self.facts)
        self.right = stacked(self.rate, self.age)

    def show(self, row: SourceStatus, name: str, said: str) -> None:
        word = verdict_name(row.availability.value)
        self.pill.show_state(pill_of(row), word)
        self.pill.setAccessibleName(f"{name}: {word}")
        self.name.setText(name)
        self.use.setVisible(bool(row.uses))
        self.use.show_state("note", QCoreApplication.translate("SourceUse", "used here"))
        self.use.setAccessibleName(f"{name}: {', '.join(use_name(use) for use in row.uses)}")
        self.words.setText(said[:1].upper() + said[1:])
        address = redact(row.source.url) if row.source.url else ""
        facts = [address, origin_name(row.source.origin.value), _elsewhere(row)]
        if row.seconds is not None and row.availability.value not in _NO_ANSWER:
            facts.append(
                QCoreApplication.translate("SourcePage", "answered in %1").replace("%1", seconds_text(row.seconds))
            )
        self.facts.setText("  •  ".join(fact for fact in facts if fact))
        self.rate.setText(rate_words(row))
        self.rate.setAccessibleName(f"{name}: {self.rate.text()}")
        self.age.setText(age_text(row.asked, time.time()) if row.rate is not None else "")
        self.age.setVisible(bool(self.age.text()))


def _elsewhere(row: SourceStatus) -> str:
    """The host that really hands the file out, where it is another one than the address names."""
    host = row.final_host
    if host is None or host == urlsplit(row.source.url or "").hostname:
        return ""
    return QCoreApplication.translate("SourcePage", "files come from %1").replace("%1", host)


class SourceRows(QWidget):
    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._translator = translator
        self._lines: list[_Line] = []
        self.rows: tuple[SourceStatus, ...] = ()
        rows = column(self, gap=6)
        self.title = label("", "heading")
        self._card = RowCard(3, 1)
        rows.addWidget(self.title)
        rows.addWidget(self._card)

    @property
    def lines(self) -> Sequence[_Line]:
        return self._lines

    def show_rows(self, title: str, rows: Sequence[SourceStatus]) -> None:
        self.title.setText(title)
        self.setVisible(bool(rows))
        self.rows = tuple(rows)
        if len(rows) < len(self._lines):
            self._card.clear()
            self._lines = []
        while len(self._lines) < len(rows):
            self._add()
        for line, row in zip(self._lines, rows, strict=True):
            line.show(row, self._translator.say(row.source.label), self._translator.say(row.message))

    def _add(self) -> None:
        line = _Line()
        self._lines.append(line)
        self._card.add_row(line.left, line.middle, line.right, tight=True)
        widths = self.fontMetrics().horizontalAdvance  # the three cards have their columns below each other
        self._card.grid.setColumnMinimumWidth(0, widths("✓ sign-in page") + 30)
        self._card.grid.setColumnMinimumWidth(2, widths("8888.88 MB/s"))
