"""The bar under the page, and what is asked above it before the window is closed.

Asks in the page before the window is closed while something goes on: a run, which lives on without the window, or
what ends with it (the class server, a pack that is being built). Never a modal box.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QPushButton, QTableView, QWidget
from shiboken6 import isValid

from wizard.gui.pages.base import LAID_OUT, Page
from wizard.gui.widgets.fields import MainButton
from wizard.gui.widgets.frames import Turning, column, line_up
from wizard.gui.widgets.labels import dress, in_a_row, label, plain_tip

_SIDE, _NARROW_SIDE = 36, 8  # pixels: as the page, and where the words need the room on a small screen
_ABOVE, _GAP = 12, 10  # pixels
_GAPS, _LEAST_GAP = (_GAP, _ABOVE // 2), 4  # between buttons: no words are cut for them
_LOW = 360  # pixels: a lower window has no room for the question and the footer
_MOST_GAPS = 5  # between the buttons of one line
_LEAST_SEEN = 24  # pixels of what has the keys
_LOOKS = 20  # whether that has its place


class Footer(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("footer")
        self._line = line_up(self, (_SIDE, _ABOVE, _SIDE, _ABOVE), _GAP)
        # In the order in which they are seen: so they are heard, too.
        self._ends = QWidget(self), QWidget(self)
        self._left, right = (line_up(end, gap=_GAP) for end in self._ends)
        self.back = QPushButton(self)
        self._between = QWidget()
        self._right = line_up(self._between)
        self.primary = MainButton()
        self.primary.setProperty("role", "primary")
        right.addStretch(1)
        for part in (self.back, self._between, self.primary):
            right.addWidget(part)
        self._line.addWidget(self._ends[0], 0, Qt.AlignmentFlag.AlignLeft)
        self._line.addWidget(self._ends[1], 1)
        for button in (self.back, self.primary):
            button.installEventFilter(self)
        self._page: Page | None = None
        self._stands_for: QWidget | None = None  # what the main button has the keys of, out of sight
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
            widget.installEventFilter(self)
        holder.setVisible(False)
        layout.addWidget(holder)
        return holder

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The second press of a double click is none: it would meet the button that the first one has put there. Where
        the main button stands for what is out of sight, Tab goes into the page, to the first that it finds there."""
        if isinstance(event, QFocusEvent) and watched is self.primary and event.lostFocus():
            if event.reason() is not Qt.FocusReason.ActiveWindowFocusReason:
                self._stands_for = None
        elif isinstance(event, QKeyEvent) and watched is self.primary and event.type() is QEvent.Type.KeyPress:
            stood, self._stands_for = self._stands_for is not None, None
            stops = tab_stops(self._page) if stood and self._page and event.key() == Qt.Key.Key_Tab else ()
            if (first := next((one for one in stops if one.isVisible() and one.isEnabled()), None)) is not None:
                first.setFocus(Qt.FocusReason.TabFocusReason)
                return True
        return event.type() is QEvent.Type.MouseButtonDblClick

    def show_keys(self, page: Page, control: QWidget) -> None:
        """Show what has got the keys. Of a page that stays at its top, the main button has them where that lies below
        the window's edge: nobody would know what Return presses."""
        page.show_keys(control)

        def look(times: int = _LOOKS) -> None:
            if control not in page.given:
                return  # somebody writes in it
            is_late = isValid(control) and control.height() < control.minimumSizeHint().height()
            if is_late and times:  # not laid out yet, on a busy computer
                QTimer.singleShot(2 * LAID_OUT, self, lambda: look(times - 1))
                return
            is_lost = isValid(control) and control.hasFocus() and control.isVisible() and not _is_seen(control)
            if is_lost and self.primary.isVisible() and self.primary.isEnabled():
                self.primary.setFocus(Qt.FocusReason.OtherFocusReason)
                self._stands_for = control
            elif is_lost and not self.primary.isVisible():  # nothing else could have them
                page.bring_into_view(control)

        if page.is_opening:
            QTimer.singleShot(2 * LAID_OUT, self, look)

    def show_page(self, page: Page) -> None:
        """Hide the buttons of the others. Those of this page are shown by `refresh`, when the page has hidden what does
        not count now: all of them at once would need so much room for a moment that the window would grow."""
        for one, holders in self._holders.items():
            for holder in holders if one is not page else ():
                holder.setVisible(False)
        self._page = page

    def refresh(self, is_first: bool) -> None:
        """Show the main button's words and state as the page says them now."""
        page = self._page
        if page is None:
            return
        ends = (self._ends[0], self._between)
        for end, holder, held in zip(ends, self._holders[page], (page.footer_left, page.footer_right), strict=True):
            for one in (holder, end):
                one.setVisible(any(not each.isHidden() for each in held))  # an empty one would leave a gap
        words = page.primary_text()
        self.primary.setText(words)
        dress(self.primary, "" if page.offers_another else "primary")
        hint = page.say(page.hint_of_primary())
        self.primary.setToolTip(plain_tip(hint))
        self.primary.setAccessibleDescription(hint)
        self.primary.setVisible(bool(words))
        self.primary.setEnabled(page.may_press())
        self.primary.is_late = page.is_late
        self.back.setText(page.back_text() or self.tr("&Back"))
        self.back.setVisible(not is_first and (page.may_back() or page.state.is_beginning))  # nothing goes on Review
        self.back.setEnabled(page.may_back())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        super().resizeEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def _fit(self) -> None:
        """Where even narrow margins leave too little room, the buttons at the left stand above the others."""
        needed = sum(end.minimumSizeHint().width() for end in self._ends) + _GAP
        side = _SIDE if needed + 2 * _SIDE <= self.width() else _NARROW_SIDE
        is_one_line = needed + 2 * _NARROW_SIDE <= self.width()
        above = _ABOVE if is_one_line else _ABOVE // 2
        self._line.setDirection(QBoxLayout.Direction.LeftToRight if is_one_line else QBoxLayout.Direction.TopToBottom)
        self._line.setContentsMargins(side, above, side, above)
        room = self.width() - 2 * _NARROW_SIDE
        widest = max(end.minimumSizeHint().width() for end in self._ends)
        was = self._right.spacing()
        within = next((gap for gap in _GAPS if widest + _MOST_GAPS * (gap - was) <= room), _LEAST_GAP)
        if within != was:
            self._right.setSpacing(within)
            for part in (*self._ends, *(one for both in self._holders.values() for one in both)):
                if (line := part.layout()) is not None:
                    line.setSpacing(within)
        if self._line.spacing() != (gap := _GAP if is_one_line else above):  # else its event would come for ever
            self._line.setSpacing(gap)

    def controls(self) -> list[QWidget]:
        """In tab order: that of the eye, but where keys have to be at the main button first."""
        if self._page is None:
            return [self.back, self.primary]
        if last := self._page.footer_last:
            return [self.primary, *last, self.back]
        return [*self._page.footer_left, self.back, *self._page.footer_right, self.primary]


def tab_stops(page: QWidget) -> list[QWidget]:
    """Return where Tab stops on a page, in its order, with what is hidden now."""
    policy = Qt.FocusPolicy
    by_tab = (policy.TabFocus, policy.StrongFocus, policy.WheelFocus)  # for each of hundreds: no sums of flags
    within = (one for one in page.findChildren(QWidget) if one.focusPolicy() in by_tab)
    return [one for one in within if one.window() is page.window()]  # no box's unfolded list


def _is_seen(control: QWidget) -> bool:
    """Of a table that is its current cell."""
    seen, whole = control.visibleRegion().boundingRect(), control.rect()
    if isinstance(control, QTableView) and control.currentIndex().isValid():
        whole = control.visualRect(control.currentIndex())
        seen = control.viewport().visibleRegion().boundingRect().intersected(whole)
    return seen.height() >= min(whole.height(), _LEAST_SEEN)


class AskBar(QFrame):
    leave = Signal()
    cancel_run = Signal()
    stayed = Signal()

    def __init__(self, footer: Footer) -> None:
        super().__init__()
        self._footer = footer
        self.setProperty("role", "ask")
        rows = column(self, (16, 10, 16, 10), 8)
        self._what, self._more = label("", "strong"), label("", "muted")
        rows.addWidget(self._what)
        rows.addWidget(self._more)
        buttons = Turning(_ABOVE // 2)  # cut, the one that lets the run go on looks like the one that cancels it
        self.go, self.cancel, self.stay = MainButton(self), QPushButton(self), QPushButton(self)
        self.go.setProperty("role", "primary")
        for button in (self.go, self.cancel, self.stay):
            buttons.line.addWidget(button)
        buttons.line.addStretch(1)
        rows.addWidget(buttons)
        self.go.clicked.connect(self.leave)
        self.cancel.clicked.connect(self.cancel_run)
        self.stay.clicked.connect(self.put_away)
        self._is_run, self._ends, self._wish = True, "", ""
        self.setVisible(False)

    def ask(self, is_run: bool = True, ends: str = "") -> None:
        """`ends`: serving | building, what would end with the window."""
        self._is_run, self._ends = is_run, ends
        self.retranslate()
        self.setVisible(True)
        self.stay.setFocus()

    def show_wish(self, wish: str) -> None:
        """`wish`: pause | cancel, what the run was asked; '': nothing, it goes on."""
        if wish != self._wish:
            self._wish = wish
            self.retranslate()

    def event(self, event: QEvent) -> bool:
        """In a low window the question takes the place of the footer: its own buttons would lie over each other. As the
        window gets higher or lower alone, the question only moves."""
        kinds = QEvent.Type
        if event.type() in (kinds.Show, kinds.Move, kinds.Resize, kinds.Hide):
            self._footer.setHidden(not self.isHidden() and self.window().height() < _LOW)
        return super().event(event)

    def put_away(self) -> None:
        self.setVisible(False)
        self.stayed.emit()

    def retranslate(self) -> None:
        said = [*([self._running()] if self._is_run else []), *([self._ending()] if self._ends else [])]
        self._what.setText(in_a_row(*(what for what, _ in said)))
        self._more.setText(in_a_row(*(more for _, more in said)))
        running = self.tr("Close &window") if self._wish else self.tr("Close &window, let it run")
        self.go.setText(running if self._is_run else self.tr("Close &window and end it"))
        self.cancel.setVisible(self._is_run and self._wish != "cancel")
        self.cancel.setText(self.tr("Cancel the set&up"))
        self.stay.setText(self.tr("Sta&y"))
        self.setAccessibleName(in_a_row(self._what.text(), self._more.text()))

    def _running(self) -> tuple[str, str]:
        if self._wish == "cancel":
            return self.tr("The setup is being cancelled."), self.tr("The cancelling continues without the window.")
        if self._wish:
            return self.tr("The setup is paused."), self.tr("It stays paused until you open the window and resume it.")
        return self.tr("The setup is still running."), self.tr("It continues without the window.")

    def _ending(self) -> tuple[str, str]:
        if self._ends == "building":
            kept = self.tr("Closing the window stops it. What has been fetched is kept for the next time.")
            return self.tr("The pack is still being built."), kept
        theirs = self.tr("Closing the window stops sharing.")
        return self.tr("This computer is sharing files with the class."), theirs
