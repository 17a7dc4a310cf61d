"""What all pages share: title, error and progress in the page, a body that scrolls, and the primary button's words.

A page shows the navigator's state and puts values into it. It starts long calls through `start_task`, of which
one can be under way at a time; leaving the page cancels it.

One file: what a page may say for itself stands beside what it is given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QScrollArea, QWidget
from shiboken6 import isValid

from wizard.app.pages.differences import Difference
from wizard.app.pages.order import ORDER, AppState, PageId, SideId
from wizard.app.pages.unreachable import why_not
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.tasks import OnNote, Task, Work
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.announce import announce
from wizard.gui.widgets.commands import page_name
from wizard.gui.widgets.frames import Fold, Sheet, column, line_up
from wizard.gui.widgets.icons import Sign
from wizard.gui.widgets.labels import Roomy, label
from wizard.gui.widgets.messages import Busy, HelpPanel, Trouble
from wizard.model.errors import WizardError
from wizard.model.messages import Message, Words

T = TypeVar("T")
_OF_NETWORK = ("lock-network",)  # errors of which the same call may know nothing a moment later
LAID_OUT = 50  # ms: a new page has its place by then
_MARGINS = (36, 26, 36, 10)
_MARK, _NARROW, _NARROW_SIDE = 56, 480, 14  # pixels; of a page, and beside its words where that leaves few
_GAP, _WIDE_GAP, _HIGH = 10, 16, 666  # pixels: between what stands below each other; in a page where all fits with it


class Page(QWidget):
    changed = Signal()  # the footer and the rail should be asked again
    wants_focus = Signal()  # what had the focus is gone
    retitled = Signal()  # only the window's title has to be written anew
    keeps_trouble = False  # as the page is come back to
    is_late = False  # whether the primary button is: it comes where another one has just been pressed
    led_back = Signal(str)  # to the page below, which opens this one

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setObjectName("page")
        self.context = context
        self.page_id = ""  # PageId or SideId, as the window has taken it in
        self.footer_left: list[QWidget] = []
        self.footer_last: list[QWidget] = []  # of them, what keys reach after the primary button
        self.footer_right: list[QWidget] = []
        self._task: Task[Any] | None = None
        self._title, self._subtitle = label("", "title"), Roomy("subtitle")
        self.of_class = Advice("", "strong")  # which class this is done for
        self.of_class.setVisible(False)
        self.trouble = Trouble(context.translator, self._ways)
        self.trouble.opened.connect(self.open_page)
        self.trouble.installEventFilter(self)
        self.busy = Busy()
        sheet = Sheet()
        sheet.setObjectName("sheet")
        rows = column(sheet, _MARGINS, _GAP)
        self.body = column(gap=_GAP)
        self._head_mark = Sign("ok", _MARK)
        self.head, lines = line_up(gap=20), column(gap=6)
        for part in (self._title, self._subtitle, self.of_class):
            lines.addWidget(part)
        self.head.addWidget(self._head_mark, 0, Qt.AlignmentFlag.AlignTop)
        self.head.addLayout(lines, 1)
        rows.addLayout(self.head)
        rows.addSpacing(6)
        self._sheet_rows = rows
        self._help: HelpPanel | None = None  # made when somebody asks for it
        self._before_help: QWidget | None = None  # what had the focus
        rows.addWidget(self.trouble)
        rows.addWidget(self.busy)
        rows.addLayout(self.body, 1)
        self._scroll = QScrollArea(self)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(sheet)
        self.is_opening, self.given = False, set[QWidget]()  # has not all to show yet; keys, none of them pressed
        bar = self._scroll.verticalScrollBar()
        bar.rangeChanged.connect(self._space)
        bar.actionTriggered.connect(lambda action: setattr(self, "is_opening", False))
        column(self).addWidget(self._scroll)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._space()

    def _space(self) -> None:
        """The bar takes its room from the margin, so that no line is broken anew when it comes."""
        left, top, right, bottom = _MARGINS
        ways = QBoxLayout.Direction
        if is_narrow := self.width() < _NARROW:
            left = right = _NARROW_SIDE
        self.head.setDirection(ways.TopToBottom if is_narrow else ways.LeftToRight)
        bar = self._scroll.verticalScrollBar()
        shown = bar.sizeHint().width() if bar.maximum() > bar.minimum() else 0
        self._sheet_rows.setContentsMargins(left, top, right - shown, bottom)
        self.body.setSpacing(_WIDE_GAP if self.height() >= _HIGH else _GAP)

    # -- what a page may say for itself

    def enter(self) -> None:
        """The page has become the current one."""

    def leave(self) -> None:
        """Another page has become the current one."""

    def retranslate(self) -> None:
        """Sets every label; called once at the start and when the language changes."""

    def render_state(self) -> None:
        """Shows the navigator's state."""

    def primary_text(self) -> str:
        """The primary button's words; '' hides it."""
        return self.tr("&Next")

    def may_press(self) -> bool:
        """Tell whether the primary button may be pressed now; asked again after each `changed`."""
        return self._task is None and self.context.navigator.may_go_next()

    def hint_of_primary(self) -> Message | None:
        """What the primary button does where its words do not say it, or what it waits for."""
        return None

    def press(self) -> None:
        """Do what the primary button says."""
        self.context.navigator.go_next()

    def may_back(self) -> bool:
        """Tell whether Back may be pressed now."""
        return self.context.navigator.may_go_back()

    def back_text(self) -> str:
        """The way back in words; '' leaves it at the usual ones, a step back."""
        return ""

    def first_control(self) -> QWidget | None:
        """Return what gets the focus as the page comes; None: the primary button."""
        return None

    def show_keys(self, control: QWidget) -> None:
        """Bring what has got the keys into view. A page that opens stays at its top until the first of them."""
        if not self.is_opening:
            self.bring_into_view(control)
        else:
            self.begin_anew()  # Qt scrolls by itself, too, where what had them is hidden
            control.installEventFilter(self)
            self.given.add(control)

    def look_whether_open(self) -> None:
        """It is, once it has all to show, and the keys have been given for that."""
        if self.is_opening and not self.is_busy:
            QTimer.singleShot(0, self, lambda: setattr(self, "is_opening", self.is_opening and self.is_busy))

    def bring_into_view(self, control: QWidget, has_keys: bool = True) -> None:
        """In a low window what gets the keys, or is to be read, may lie outside: it is seen once all has its place. Of
        a sentence it is the line of the link, of what is to be read and higher than the window its beginning."""

        def scroll() -> None:
            if not isValid(control) or control.hasFocus() != has_keys or not self._scroll.isAncestorOf(control):
                return
            if control.visibleRegion().boundingRect().size() == control.size():
                return  # else Qt scrolls to what lies around it, and the page does not open at its top
            if control.height() < self._scroll.viewport().height() or isinstance(control, QLabel):
                self._scroll.ensureWidgetVisible(control)
            elif not has_keys or control.visibleRegion().isEmpty():
                bar = self._scroll.verticalScrollBar()
                bar.setValue(bar.value() + control.mapTo(self._scroll.viewport(), QPoint()).y())

        QTimer.singleShot(LAID_OUT, self, scroll)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Bring into sight what has gone wrong as it is told, and what has the keys at the first of them."""
        if isinstance(watched, QWidget) and event.type() == QEvent.Type.Show and watched not in self.given:
            self.bring_into_view(watched, has_keys=False)
        elif isinstance(watched, QWidget) and event.type() == QEvent.Type.KeyPress and watched in self.given:
            self.given.remove(watched)
            watched.removeEventFilter(self)
            self.is_opening = False
            self.bring_into_view(watched)
        return super().eventFilter(watched, event)

    @property
    def ends_with_window(self) -> str:
        """What closing the window would end, as `AskBar` names it; '': nothing."""
        return ""

    def escape(self) -> bool:
        """Esc was pressed; True when the page had something harmless to close."""
        return False

    def _ways(self) -> dict[str, str]:
        """Return the pages that a message here can lead to."""
        pages = {page_name(page): page.value for page in ORDER if self.context.navigator.may_open(page)}
        return pages | {page_name(side): side.value for side in SideId if side.value != self.page_id}

    def open_page(self, page: str) -> str:
        """Open a page that a sentence names. Return why it cannot be opened; '' where it was."""
        navigator, side = self.context.navigator, self.context.side
        if page in list(SideId):
            side.open(SideId(page))
            return ""
        wanted = PageId(page)
        if wanted is not navigator.page:
            from wizard.app.pages.sources import network_field  # not before somebody follows a sentence

            if side.here and navigator.may_choose_again(wanted):
                side.close()
                self.led_back.emit(page)  # what was chosen stays, and who shows the run removes it
            elif navigator.may_open(wanted):
                navigator.open_page(wanted, opens_network=bool(network_field(self.trouble.code)))
            elif navigator.may_lead_to(wanted):
                navigator.lead_to(wanted)
            else:
                return self.signed(why_not(navigator.state, navigator.page, wanted))
        side.close()
        return ""

    def begin_anew(self, *folds: Fold) -> None:
        """Show its top, with these folds closed."""
        self._scroll.verticalScrollBar().setValue(0)
        for fold in folds:
            fold.button.setChecked(False)

    # -- for pages

    @property
    def state(self) -> AppState:
        return self.context.navigator.state

    def say(self, message: Words | None) -> str:
        """Return it in the window's language; '' for None."""
        return self.context.translator.say(message)

    def signed(self, message: Words | None) -> str:
        """Return it as `Advice` shows it: with signs around commands and pages."""
        return self.context.translator.signed(message)

    def set_head(self, title: str, subtitle: str, mark: str = "") -> None:
        """`mark`: a state whose sign stands before the title."""
        self._head_mark.show_state(mark)
        self._head_mark.setVisible(bool(mark))
        self._title.setText(title)
        self._subtitle.setText(subtitle)
        self._subtitle.setVisible(bool(subtitle))
        self.setAccessibleName(title)

    def show_class(self) -> None:
        """Say in one line which class the setup is of, or that it is chosen for one."""
        words = self.signed(self.state.of_class)
        if words and self.state.profile is None:
            words = self._for_class() or words
        self.of_class.show_words(words)
        self.of_class.setVisible(bool(words))

    def _for_class(self) -> str:
        """How this page says that a class profile is made; '': as all do."""
        return ""

    @property
    def offers_another(self) -> bool:
        """Whether another button than the main one is what the person came for."""
        return False

    def difference_title(self) -> str:
        """Return the title above what is not as it was chosen, or not as usual where nothing was chosen."""
        asked = self.state.request.decision if self.state.project and self.state.request else None
        if asked and (asked.relaxed or asked.left_out):
            return self.tr("Different from what the project asks")
        if self.state.profile is not None:
            return self.tr("Different from what the class uses")
        chosen, usual = self.tr("Different from what you chose"), self.tr("Different from the usual setup")
        without = replace(self.state, choices=replace(self.state.choices, python=None))  # what is chosen of it is kept
        return chosen if without.has_chosen else usual

    def said_row(self, one: Difference) -> tuple[str, str, str, str]:
        return one.subject, self.signed(one.words), self.signed(one.because), self.signed(one.why)

    def turn_help(self, name: str) -> None:
        """`name`: the page's own, as `page.help.<name>` has it."""
        if self._help is None:
            self._help = HelpPanel(self.context.translator, name)
            self._help.closed.connect(self.close_help)
            self._sheet_rows.insertWidget(2, self._help)
        elif not self._help.isHidden():
            self.close_help()
            return
        self._before_help = self.window().focusWidget()
        self._help.setVisible(True)
        self._scroll.verticalScrollBar().setValue(0)
        self._help.close_button.setFocus(Qt.FocusReason.OtherFocusReason)
        self.announce(self._help.words)

    def close_help(self) -> bool:
        """True when it was open."""
        if self._help is None or self._help.isHidden():
            return False
        self._help.setVisible(False)
        before = self._before_help
        if before is not None and isValid(before) and before.isVisible() and before.isEnabled():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.wants_focus.emit()
        return True

    def retranslate_help(self) -> None:
        if self._help is not None:
            self._help.retranslate()

    @property
    def title(self) -> str:
        return self._title.text()

    @property
    def spoken(self) -> str:
        """What a screen reader says when the page comes up."""
        return self.title

    @property
    def window_title(self) -> str:
        """What the window's title and the task bar say of this page."""
        return self.title

    def announce(self, words: str, urgent: bool = False) -> None:
        """Says it aloud where a screen reader listens."""
        announce(self, words, urgent)

    @property
    def is_busy(self) -> bool:
        return self._task is not None

    def _show_failed(self, error: WizardError, again: Callable[[], None]) -> None:
        torch = str(error.params.get("torch", ""))
        if error.code == "no-source-but" and self.state.project is not None:
            words = lambda: self.tr("&Take torch %1").replace("%1", torch)  # noqa: E731
            self.trouble.show_error(error, lambda: self.context.navigator.take_torch(torch), words)
        else:
            self.trouble.show_error(error, again if error.code in _OF_NETWORK else None)

    def change_proxy_text(self) -> str:
        """Words of the button beside an error of the proxy."""
        return QCoreApplication.translate("Page", "Change pro&xy…")

    def start_task(
        self,
        words: Callable[[], str] | None,
        work: Work[T],
        on_done: Callable[[T], None],
        on_note: OnNote | None = None,
        on_failed: Callable[[WizardError], None] | None = None,
    ) -> None:
        """Makes a long call. Without `words` no bar is shown (for calls that are short as a rule)."""
        self.cancel_task()
        self.trouble.clear()
        if words is not None:
            self.busy.begin(words)

        def ended(show: Callable[[], None]) -> None:
            self._task_is_over()
            try:
                show()
            finally:  # a mistake in showing it must not leave the buttons as they were while it was loaded
                self.changed.emit()

        def again() -> None:
            self.start_task(words, work, on_done, on_note)

        told = on_failed or (lambda error: self._show_failed(error, again))
        self._task = self.context.tasks.start(
            work, lambda answer: ended(lambda: on_done(answer)), lambda error: ended(lambda: told(error)), on_note
        )
        self.changed.emit()

    def say_busy(self, note: Words) -> None:
        """Say beside the bar what is waited for, aloud and in sight: it may be waited for long."""
        self.busy.say(lambda: self.say(note))
        self.announce(self.say(note))
        self.bring_into_view(self.busy, has_keys=False)

    def cancel_task(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task_is_over()

    def _task_is_over(self) -> None:
        self._task = None
        self.busy.end()
