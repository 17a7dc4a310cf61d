"""The bar under the page: the page's own controls at the left, Back and the one primary button at the right."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from wizard.gui.pages.base import Page
from wizard.gui.parts.boxes import line_up


class Footer(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("footer")
        self._line = line_up(self, (36, 12, 36, 12), 10)
        self._left, self._right = line_up(), line_up()
        self.back, self.primary = QPushButton(self), QPushButton(self)
        self.primary.setProperty("role", "primary")
        self._line.addLayout(self._left)
        self._line.addStretch(1)
        self._line.addWidget(self.back)
        self._line.addLayout(self._right)
        self._line.addWidget(self.primary)
        self._page: Page | None = None

    def add_page(self, page: Page) -> None:
        for layout, widgets in ((self._left, page.footer_left), (self._right, page.footer_right)):
            for widget in widgets:
                widget.setParent(self)
                widget.setVisible(False)
                layout.addWidget(widget)

    def show_page(self, page: Page) -> None:
        if self._page is not None:
            for widget in (*self._page.footer_left, *self._page.footer_right):
                widget.setVisible(False)
        self._page = page
        for widget in (*page.footer_left, *page.footer_right):
            widget.setVisible(True)

    def refresh(self, is_first: bool) -> None:
        page = self._page
        if page is None:
            return
        words = page.primary_text()
        self.primary.setText(words)
        self.primary.setVisible(bool(words))
        self.primary.setEnabled(page.may_press())
        self.back.setText(self.tr("&Back"))
        self.back.setVisible(not is_first and page.may_back())

    def controls(self) -> list[QWidget]:
        """In tab order."""
        own: list[QWidget] = [*self._page.footer_left, *self._page.footer_right] if self._page else []
        return [*own, self.primary, self.back]
