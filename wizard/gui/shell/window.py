"""The window: rail, page, footer. It follows the navigator and the side flow, and decides nothing itself.

One file on purpose: Qt hands keys, drops and closing to this one object; its parts, words and files are elsewhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6 import QtCore, QtGui  # `QtCore.Qt` only where it is needed: see splash
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QAbstractButton, QApplication, QStackedWidget, QWidget

from wizard.gui.shell.parts import WindowParts
from wizard.gui.shell.splash import NARROW_BELOW, SMALLEST, room_on
from wizard.gui.startup.preferences import Preferences
from wizard.model.errors import WINDOW_NOT_SAVED, WizardError
from wizard.system import paths

if TYPE_CHECKING:  # what the first picture does not need is imported by who furnishes the window
    from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent

    from wizard.app.pages.order import PageId, SideId, Visit
    from wizard.app.tools import WindowSession
    from wizard.gui.pages.base import Page

_ROUNDS = 4  # of Qt's loop, until a new page stands as it stays


class WizardWindow(WindowParts):
    """Without a session it stays bare, until somebody furnishes it with one."""

    def __init__(
        self,
        app: QApplication,
        session: WindowSession | None,
        preferences: Preferences,
        opened: str | None,
    ) -> None:
        super().__init__(app, preferences)
        if session is not None:
            self.furnish(session, opened)

    def furnish(self, session: WindowSession, opened: str | None) -> None:
        """Put pages and tools into the window that is shown already, so that it appears at once."""
        from wizard.app.pages.opened import is_of_wizard

        is_for_welcome = opened is None or is_of_wizard(Path(opened))
        self._make_parts(session, opened if is_for_welcome else None)
        self._connect()
        self._apply_theme()
        self.rail.show_narrow(self.width() < NARROW_BELOW)
        self.retranslate()
        self._follow()
        self.is_now_furnished()
        if opened is not None and not is_for_welcome:
            self.open_file(Path(opened))

    def _make_parts(self, session: WindowSession, opened: str | None) -> None:
        from wizard.gui.shell.auto_advance import AutoAdvance
        from wizard.gui.shell.build_ui import lay_out, make_parts
        from wizard.gui.shell.page_factory import WizardPages
        from wizard.gui.shell.wording import RunTitle
        from wizard.gui.widgets.fields import AltLetters
        from wizard.gui.widgets.headings import tell_headings

        tell_headings()
        make_parts(self, session, self._drop_plan)
        self.stack = QStackedWidget()
        self.pages = WizardPages(self.context, opened, self._take_in)
        self.side_pages = {}
        self._shown: PageId | Visit | None = None
        self._shown_page: Page | None = None
        self._front: Page | None = None  # what the stack shows
        self._rounds, self._gives_keys = 0, False  # that the picture before is still kept; the window itself, just now
        self._chain: list[QWidget] = []  # the order of Tab
        self._hurry, self._title = AutoAdvance(self.app, self), RunTitle(self)
        self._alt_letters = AltLetters(self.app, self)
        self._shell = lay_out(self.rail, self.stack, self.ask, self.footer)
        self.setCentralWidget(self._shell)
        self.setAcceptDrops(True)

    def _take_in(self, name: PageId | SideId, page: Page) -> None:
        """A page that has just been made."""
        from wizard.gui.shell.wording import put_words

        page.page_id = name.value
        self.stack.addWidget(page)
        self.footer.add_page(page)
        page.changed.connect(self._refresh)
        page.retitled.connect(self._show_title)
        page.led_back.connect(lambda name: self.page.open_page(name))
        page.wants_focus.connect(self._focus_page)
        put_words(name, page, self.translator)

    def _connect(self) -> None:
        self.app.focusChanged.connect(self._focus_moved)
        self.navigator.listen(self._follow)
        self.side.listen(self._follow)
        self.footer.back.clicked.connect(self._back)
        self.footer.primary.clicked.connect(self._press)
        self.rail.pressed.connect(self._go_to)
        self.rail.tool_pressed.connect(self.side.switch)
        self.rail.back_pressed.connect(self.side.close)
        self.rail.language_chosen.connect(self._set_language)
        self.rail.theme_chosen.connect(self._set_theme)
        self.rail.logs_wanted.connect(self._open_logs)
        self.rail.help_wanted.connect(self._turn_help)
        self.translator.changed.connect(self.retranslate)
        self.theme.changed.connect(self._apply_theme)
        self.ask.leave.connect(self.close)
        self.ask.cancel_run.connect(self._cancel_the_run)
        self.ask.stayed.connect(self._focus_page)

    # -- following the navigator and the side flow

    @property
    def page(self) -> Page:
        visit = self.side.here
        return self.pages[self.navigator.page] if visit is None else self._side_page(visit.page)

    def _side_page(self, page: SideId) -> Page:
        if page not in self.side_pages:
            from wizard.gui.shell.page_factory import make_side_page

            made = self.side_pages[page] = make_side_page(page, self.context)
            self._take_in(page, made)
        return self.side_pages[page]

    def _follow(self) -> None:
        now = self.side.here or self.navigator.page
        turned = now is not self._shown
        if turned:
            before, self._shown = self._shown_page, now
            self._shown_page = page = self.page
            if before is not None:
                before.leave()
            self.ask.setVisible(False)
            self._show_front()
            if not page.keeps_trouble:
                page.trouble.clear()
        self.page.render_state()
        if turned:
            self.page.enter()
        if (self.side.here or self.navigator.page) is now:  # entering a page may lead on at once
            self._refresh()
            if turned:
                self.page.is_opening = True
                self._focus_page()
                self.page.look_whether_open()
                if self._front is self.page:
                    self.page.announce(self.page.spoken)

    def _show_front(self) -> None:
        """While the program chooses, one page stands for those that it goes through."""
        front = self._hurry.front()
        if front is not self.page:
            front.retranslate()
            front.render_state()
        if front is not self._front:
            has_chosen, self._front = self._hurry.is_choosing(self._front), front
            self.theme.dress(front)
            self._hold_picture()
            self._gives_keys = True  # Qt does, where the page before had them
            front.is_opening = True
            self.stack.setCurrentWidget(front)
            self.footer.show_page(front)
            self._focus_page()
            if front is not self.page or has_chosen:  # else whoever turned the page says it
                front.announce(front.spoken)

    def _hold_picture(self) -> None:
        """Qt lays a new page out in several rounds of its loop: until then the whole window keeps the picture before.
        Were the page alone held, rail and footer would paint the ground over it."""
        if self.isVisible():
            if self.updatesEnabled():
                self.setUpdatesEnabled(False)
                QtCore.QTimer.singleShot(0, self, self._end_round)
            self._rounds = _ROUNDS

    def _end_round(self) -> None:
        self._rounds -= 1
        if self._rounds:
            QtCore.QTimer.singleShot(0, self, self._end_round)
        else:
            self.setUpdatesEnabled(True)
            self.repaint()  # what was asked for meanwhile Qt has put off for good

    def _refresh(self) -> None:
        from wizard.app.pages.order import ORDER
        from wizard.gui.shell.wording import order_tabs

        self._hurry.look()
        self._show_front()
        self.page.show_class()
        if self.ask.isVisible() and not (self.navigator.state.run_is_going or self._ends_with_window):
            self.ask.put_away()  # what it asks about is over
        visit = self.side.here
        self.rail.show_navigator(self.navigator, visit.page if visit else None)
        self.footer.refresh(is_first=visit is None and self.navigator.page is ORDER[0])
        self._show_title()
        self._chain = order_tabs(self, self._chain)
        self._fit()
        if self.focusWidget() in (self.page, self._front):
            self._focus_page()
        self.page.look_whether_open()

    def _show_title(self) -> None:
        install = self.pages.install
        percent, is_paused = (install.percent, install.is_paused) if install else (None, False)
        self._title.show((self._front or self.page).window_title, percent, is_paused)
        self.ask.show_wish("cancel" if install and install.is_cancelling else "pause" if is_paused else "")

    def _focus_page(self) -> None:
        """What mends a trouble comes first. While nothing can be pressed the page has it: Return then presses nothing,
        and the first control follows."""
        front = self._front or self.page
        choices = (front.trouble.first_way, front.first_control(), self.footer.primary)
        may = (one for one in choices if one is not None and one.isEnabled() and not one.isHidden())
        control, self._gives_keys = next(may, front), True
        control.setFocus(QtCore.Qt.FocusReason.OtherFocusReason)
        self._gives_keys = False
        self.footer.show_keys(front, control)

    def _focus_moved(self, old: QWidget | None, now: QWidget | None) -> None:
        """What gets the keys is seen, unless the mouse is on it. A button that is switched off hands the focus on by
        itself: to Back or to the rail's first step, which nobody wants to press next."""
        lost = old is not None and (old.isHidden() or not old.isEnabled())
        if lost and now is not None and (now is self.footer.back or self.rail.isAncestorOf(now)):
            self.page.setFocus(QtCore.Qt.FocusReason.OtherFocusReason)
        elif now is not None and not self._gives_keys and not QApplication.mouseButtons().value:
            (self._front or self.page).show_keys(now)

    def _apply_theme(self) -> None:
        for part in (self.rail, self.ask, self.footer, self.page):
            self.theme.dress(part)
        self.update()

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """In a narrow window the rail leaves its room to the page."""
        super().resizeEvent(event)
        if self.is_furnished:
            self.rail.show_narrow(self.width() < NARROW_BELOW)

    def _fit(self) -> None:
        """With large text the footer needs more room than the smallest size; never more than the screen has."""
        needed = self._shell.minimumSizeHint()
        self.setMinimumSize(needed.expandedTo(QSize(*SMALLEST)).boundedTo(room_on(self.screen()).size()))

    # -- buttons and keys

    def _press(self) -> None:
        if self.page.may_press():
            self.page.press()

    def _back(self) -> None:
        if not self.page.may_back():
            return
        if self.side.here is not None:
            self.side.back()
        else:
            self.navigator.go_back()

    def _go_to(self, page: PageId) -> None:
        if self.navigator.may_go_to(page) and page is not self.navigator.page:
            self.navigator.go_to(page)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return presses the focused button, else the primary one. Esc only ever closes what is harmless."""
        if not self.is_furnished:
            super().keyPressEvent(event)
        elif event.key() in (QtCore.Qt.Key.Key_Return, QtCore.Qt.Key.Key_Enter) and not event.isAutoRepeat():
            focused = self.focusWidget()
            button = focused if isinstance(focused, QAbstractButton) else self.footer.primary
            if button.isVisible() and button.isEnabled():
                button.click()
        elif event.key() == QtCore.Qt.Key.Key_Escape:
            if self.ask.isVisible():
                self.ask.put_away()
            elif not self.page.close_help():
                self.page.escape()
        elif event.key() == QtCore.Qt.Key.Key_F1:
            self._turn_help()
        else:
            super().keyPressEvent(event)

    # -- language, theme, folder, help

    def _turn_help(self) -> None:
        visit = self.side.here
        self.page.turn_help((visit.page if visit else self.navigator.page).value)
        self._refresh()

    def _set_language(self, language: str) -> None:
        self.preferences.put(language=language)
        self.translator.set_language(language)
        self.rail.retranslate()

    def _set_theme(self, theme: str) -> None:
        self.preferences.put(theme=theme)
        self.theme.choose(theme)
        self.rail.retranslate()

    def retranslate(self) -> None:
        from wizard.gui.shell.wording import put_all_words

        put_all_words(self)
        self._refresh()

    def _open_logs(self) -> None:
        """The newest run's folder, whose log tells what went wrong; before the first one the window's own logs."""
        from wizard.run.run_folder import run_folders

        folder = next((run.path for run in run_folders() if run.log.is_file()), paths.logs_dir())
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self.page.trouble.show_error(WizardError(WINDOW_NOT_SAVED, details=str(error), path=str(folder)))
            return
        from wizard.gui.widgets.code import open_folder

        if failure := open_folder(folder):
            self.page.trouble.show_error(failure)

    # -- files and other starts

    def open_file(self, path: Path) -> None:
        """What it is decides where it goes."""
        from wizard.gui.shell.incoming import open_file

        open_file(self, path)

    def come_forward(self, file: str) -> None:
        """Another start of the program: this is the window, so it shows itself."""
        self.setWindowState(self.windowState() & ~QtCore.Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()
        if file:
            self.open_file(Path(file))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        from wizard.gui.shell.incoming import files_in

        if files_in(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the file or folder that was dropped."""
        from wizard.gui.shell.incoming import files_in, open_files

        if files := files_in(event.mimeData()):
            event.acceptProposedAction()
            open_files(self, files)

    # -- the end

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask first while a setup runs or something would end with the window."""
        if not self.is_furnished:
            super().closeEvent(event)
            return
        is_run, ends = self.navigator.state.run_is_going, self._ends_with_window
        if (is_run or ends) and not self.ask.isVisible():
            event.ignore()
            self.ask.ask(is_run, ends)
            return
        self._say_goodbye()
        event.accept()

    @property
    def _ends_with_window(self) -> str:
        """What closing it would end: the class server, or what a page beside the wizard is at."""
        pages = (page.ends_with_window for page in self.side_pages.values())
        return next((ends for ends in pages if ends), "serving" if self.serving.is_on else "")

    def _cancel_the_run(self) -> None:
        self.ask.setVisible(False)
        if self.pages.install is not None:
            self.pages.install.ask_cancel()
        self._focus_page()

    def _say_goodbye(self) -> None:
        state = self.navigator.state
        if state.preview and state.run_id is None and not state.is_beginning:
            self._drop_plan(state.preview.plan.id)
        geometry = bytes(self.saveGeometry().toBase64().data()).decode("ascii")
        if geometry != self.preferences.wishes.geometry:
            self.preferences.put(geometry=geometry)
        self.page.leave()
        self.hide()
        self.serving.end()
        self.tasks.stop()

    def _drop_plan(self, run_id: str) -> None:
        """A plan that nobody will carry out: its files go. If that fails, they only lie there."""
        self.tasks.start(
            lambda is_cancelled, note: self.session.discard(run_id), lambda answer: None, lambda error: None
        )
