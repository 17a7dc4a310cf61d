"""The bar under the page: the page's own controls at the left, Back and the one primary button at the right."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

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
        self._holders: dict[Page, tuple[QWidget, QWidget]] = {}

    def add_page(self, page: Page) -> None:
        """A page shows and hides its own controls as it likes; its holder keeps them out of other pages."""
        holders = (self._holder(self._left, page.footer_left), self._holder(self._right, page.footer_right))
        self._holders[page] = holders

    def _holder(self, layout: QHBoxLayout, widgets: list[QWidget]) -> QWidget:
        holder = QWidget(self)
        line = line_up(holder)
        for widget in widgets:
            line.addWidget(widget)
        holder.setVisible(False)
        layout.addWidget(holder)
        return holder

    def show_page(self, page: Page) -> None:
        for one, holders in self._holders.items():
            widgets = (one.footer_left, one.footer_right)
            for holder, held in zip(holders, widgets, strict=True):
                holder.setVisible(one is page and bool(held))
        self._page = page

    def refresh(self, is_first: bool) -> None:
        page = self._page
        if page is None:
            return
        for holder, held in zip(self._holders[page], (page.footer_left, page.footer_right), strict=True):
            holder.setVisible(any(not one.isHidden() for one in held))  # an empty one would leave a gap
        words = page.primary_text()
        self.primary.setText(words)
        self.primary.setVisible(bool(words))
        self.primary.setEnabled(page.may_press())
        self.back.setText(page.back_text() or self.tr("&Back"))
        self.back.setVisible(not is_first and page.may_back())

    def controls(self) -> list[QWidget]:
        """In tab order."""
        own: list[QWidget] = [*self._page.footer_left, *self._page.footer_right] if self._page else []
        return [*own, self.primary, self.back]
