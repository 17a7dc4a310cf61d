"""The way to the driver that suits the card: what to know, lines to copy, and the page of who makes the system.

Advice only: nothing is run from here, and the page is opened when somebody asks for it.
"""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QPushButton, QWidget

from wizard.explain.driver_guide import DriverGuide
from wizard.gui.parts.boxes import column, line_up
from wizard.gui.parts.code_line import CodeLine
from wizard.gui.parts.labels import label, selectable
from wizard.gui.voice import Voice


class DriverPanel(QWidget):
    def __init__(self, guide: DriverGuide, voice: Voice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        rows = column(self, gap=8)
        for note in guide.notes:
            rows.addWidget(label(voice.say(note)))
        parts = (
            (self.tr("Install it"), guide.install),
            (self.tr("Keep it at this series"), guide.hold),
            (self.tr("Let it change again"), guide.unhold),
        )
        self.lines: list[CodeLine] = []
        for title, lines in parts:
            if lines:
                rows.addWidget(label(title, "strong"))
            for line in lines:
                self.lines.append(CodeLine(line))
                rows.addWidget(self.lines[-1])
        foot = line_up()
        self.page = QPushButton(self.tr("Open the guide in a browser"))
        self.page.setProperty("role", "small")
        self.page.setAccessibleDescription(guide.page)
        self.page.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(guide.page)))
        foot.addWidget(self.page)
        foot.addWidget(selectable(label(guide.page, "muted")), 1)
        rows.addLayout(foot)
