"""Install: shows the run that the worker carries out, live or after a restart of the window.

Pause and cancel are wishes that the worker reads; the page says "Cancelling…" until it has written its last line.
One file: one page; its parts are in `run_progress.py` and `run_steps.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QPushButton, QWidget

from wizard.app.pages.order import PageId, SideId
from wizard.app.pages.report import REPAIR_STEP, no_report, read_report
from wizard.app.use.runs import last_times, resume_or_show
from wizard.gui.pages.base import Page
from wizard.gui.pages.run_progress import RunProgress
from wizard.gui.pages.run_steps import LogButton, RunSteps
from wizard.gui.pages.run_watch import RunWatch
from wizard.gui.shell.context import AppContext
from wizard.gui.widgets.announce import notify
from wizard.gui.widgets.code import copy_out
from wizard.gui.widgets.fields import LateButton, MainButton
from wizard.gui.widgets.labels import dress, plain_tip
from wizard.gui.widgets.log_view import LogView
from wizard.gui.widgets.messages import Remark
from wizard.model.errors import WizardError
from wizard.model.messages import Message, message

if TYPE_CHECKING:
    from wizard.run.model import RunInfo

_AROUND = 40  # pixels between and below what stands above the log


class InstallPage(Page):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.is_paused = self.is_cancelling = False
        self.keeps_trouble = True  # of a run that failed: what was beside the wizard lay on top only
        self._shown_run = ""
        self._titled, self._before_log = (0, ""), 0  # pixels that the page was scrolled by
        self.watch = RunWatch(context.session, context.tasks, context.translator.say, self)
        self.watch.changed.connect(self._show_run)
        self.watch.asked.connect(self._asked)
        self.watch.over.connect(self._over)
        self.watch.revived.connect(self._show_again)
        self.watch.vanished.connect(context.navigator.restart)
        self.quiet = Remark(context.translator, lambda: self.tr("No progress"))
        self.rest = Remark(
            context.translator,
            lambda: self.tr("Cancelled") if self.rest.code == "flow.cancelled" else self.tr("Stopped"),
        )
        self.progress, self.steps = RunProgress(context.translator), RunSteps(context.translator)
        self.log_button, self.log, self.other = LogButton(), LogView(), MainButton()
        self.log.setVisible(False)
        self.log_button.toggled.connect(self._turn_log)
        self.rest.installEventFilter(self)
        self.progress.placed.connect(self._make_room)
        self.watch.logged.connect(self.log.add)
        for widget in (self.rest, self.quiet, self.progress, self.steps, self.log):
            self.body.addWidget(widget, int(widget is self.log))
        self.body.addStretch(0)
        self.pause, self.cancel, self.remove, self.copy, self.explain = LateButton(), *(QPushButton() for _ in range(4))
        self.pause.clicked.connect(self._ask_pause)
        self.cancel.clicked.connect(self.ask_cancel)
        self.remove.clicked.connect(lambda: self._remove(self.context.navigator.restart))
        self.other.clicked.connect(lambda: self._choose_again())
        self.copy.clicked.connect(lambda: copy_out(self.log.all_words(), self.copy))
        self.explain.clicked.connect(self._explain)
        # Cancel lies apart from what comes on the right in the end: Remove and Resume must not come under the mouse.
        self.footer_left = [self.log_button, self.copy, self.explain, self.cancel]
        self.footer_right = [self.pause, self.remove, self.other]
        QShortcut(QKeySequence("Ctrl+L"), self).activated.connect(self.log_button.toggle)

    def enter(self) -> None:
        state = self.state
        if state.run_id is None:
            return
        if state.run_id != self._shown_run:
            self.log.clear()
            self.log_button.setChecked(False)
            self._shown_run = state.run_id
            self.steps.begin_anew()
            session, run_id = self.context.session, state.run_id
            self.context.tasks.start(lambda *_: last_times(session, run_id), self.steps.expect, lambda error: None)
        is_followed = self.watch.is_following and self.watch.run_id == state.run_id
        if not state.run_over and not is_followed:  # else a page beside the wizard lay on top
            self.is_paused = self.is_cancelling = False
            self.trouble.clear()
            self.rest.clear()
            self.watch.follow(state.run_id)
        self._show_run()

    def leave(self) -> None:
        """A page beside the wizard lies on top only: the run is followed on, for the title and for its end."""
        if self.context.side.here is None:
            self.watch.stop()
            self.cancel_task()

    def first_control(self) -> QWidget | None:
        going = self.log_button if self.pause.isHidden() or not self.pause.isEnabled() else self.pause
        return self.other if self.offers_another else going if self.is_going else None

    @property
    def offers_another(self) -> bool:  # where Resume would meet the same again
        return bool((end := self.watch.view.ending) and end.fails_again) and not self.other.isHidden()

    def primary_text(self) -> str:
        return self.tr("&Next") if self.state.report is not None else "" if self.is_going else self.tr("&Resume")

    def may_press(self) -> bool:
        return not (self.is_busy or self.is_going or self.state.run_id is None)

    def press(self) -> None:
        if self.state.report is not None:
            self.context.navigator.go_next()
        else:
            self._resume()

    @property
    def is_going(self) -> bool:
        return self.state.run_is_going

    def escape(self) -> bool:
        was_open = self.log_button.isChecked()
        self.log_button.setChecked(False)
        return was_open

    # -- words

    def retranslate(self) -> None:
        self.cancel.setText(self.tr("&Cancel"))
        self.remove.setText(self.tr("Re&move"))
        self.remove.setAccessibleDescription(self.tr("Removes the unfinished environment. Downloads are kept."))
        self.other.setAccessibleDescription(self.tr("Back to that choice; the unfinished environment is removed."))
        self.copy.setText(self.tr("C&opy log"))
        self.explain.setText(self.tr("&Explain the error"))
        told = self.tr("Only the download can be paused; a step that has begun is finished first.")
        self.pause.setToolTip(plain_tip(told))
        self.pause.setAccessibleDescription(told)
        self.rest.retranslate()
        self.quiet.retranslate()
        self._fold_log(self.log_button.isChecked())

    def _turn_log(self, is_open: bool) -> None:
        """Show it; once it is put away the page stands where it stood before."""
        bar = self._scroll.verticalScrollBar()
        self._before_log = bar.value() if is_open else self._before_log
        self._fold_log(is_open)
        then = partial(self.log.bring_into, self._scroll) if is_open else partial(bar.setValue, self._before_log)
        QTimer.singleShot(0, self, then)  # once all has its place

    def _fold_log(self, is_open: bool) -> None:
        self.log.setVisible(is_open)
        self._make_room()
        self.log_button.setText(self.tr("&Log"))
        for part in (self.log, self.log_button):
            part.setAccessibleName(self.tr("Log"))

    def _make_room(self) -> None:
        """In a low window the log takes the place of the other steps: the page need not scroll, and its title stays."""
        has_log, room = self.log_button.isChecked(), self._scroll.viewport().height()
        self.progress.give_way(room)
        others = self.progress.geometry().bottom() + has_log * self.log.minimumHeight()
        self.steps.give_way(room - others - _AROUND, may_hide=has_log)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def render_state(self) -> None:
        self._show_run()

    def _show_run(self) -> None:
        view, going = self.watch.view, self.is_going
        if self._show_silence(self.watch.silence if going and not self.is_paused else 0):
            view = view.without_rate()
        ending = view.ending if not going else None
        self._subtitle.keep_room(self._usual if going else "")  # in a pause, too
        if going:
            self.set_head(*self._going_head())
        elif self.state.report is not None:
            self.set_head(self.tr("Installed"), self.tr("The test's result is on the next page."))
        else:
            title = self.tr("Cancelled") if ending is not None and ending.cancelled else self.tr("Not finished")
            self.set_head(title, self.tr("What was downloaded and checked is kept."))
        self.progress.show_view(view, going, self.is_paused or self.is_cancelling)
        preview = self.state.preview
        was_read = preview is not None and preview.plan.id == self.watch.run_id  # on Review, a moment ago
        self.steps.show_view(view, going, self.is_paused, was_read and not self.state.choices.reuse, self.is_cancelling)
        self._make_room()
        self._show_buttons(going)
        for words in self.steps.ended(view):  # for who cannot see the steps change
            self.announce(words)
        self._show_percent(int(view.fraction * 100))

    def _show_silence(self, seconds: int) -> bool:
        """Silence is told as what it is: the process is there and says nothing."""
        if not seconds:
            self.quiet.clear()
            return False
        was_told = bool(self.quiet.code)
        self.quiet.show_words(
            message("flow.silent", seconds=seconds),
            message(
                "flow.silent-hint",
                "The computer may be busy, the disk slow, or it was asleep. Progress appears here when it continues.",
            ),
        )
        if not was_told:
            self.announce(self.quiet.words)
        return True

    @property
    def _usual(self) -> str:
        return self.tr("You can close this window. If the network fails, the download resumes where it stopped.")

    def _going_head(self) -> tuple[str, str]:
        if self.is_cancelling:
            return self.tr("Cancelling…"), self.tr("The current step is ended safely. This takes a moment.")
        if self.is_paused:
            return self.tr("Paused"), self.tr("Nothing is downloaded until you press “Resume”.")
        return self.tr("Installing") if self.watch.view.step(REPAIR_STEP) is None else self.tr("Repairing"), self._usual

    @property
    def percent(self) -> int | None:
        """How far the run is; None when none is going."""
        return self._titled[0] if self.is_going else None

    def _show_percent(self, percent: int) -> None:
        if (titled := (percent, self.title)) != self._titled or not self.is_going:
            self._titled = titled
            self.retitled.emit()

    def _show_buttons(self, going: bool) -> None:
        unfinished = not going and self.state.report is None
        may_pause = going and (self.is_paused or self.watch.view.may_pause)
        comes_or_goes = self.pause.isHidden() is may_pause
        turns_focus = comes_or_goes and (self.log_button if may_pause else self.pause).hasFocus()
        for button, is_shown in ((self.pause, may_pause), (self.cancel, going)):
            button.setVisible(is_shown)
            button.setEnabled(going and not self.is_cancelling)
        if turns_focus:  # else it would go to Cancel
            self.wants_focus.emit()
        if comes_or_goes:  # alone in its place: the footer has to make room
            self.changed.emit()
        self.remove.setVisible(unfinished and self.state.run_id is not None)
        self.remove.setEnabled(not self.is_busy)
        ending = self.watch.view.ending
        failed = unfinished and ending is not None and not ending.cancelled and bool(ending.details)
        blames = ending.blames if unfinished and ending is not None else ""
        self.explain.setVisible(failed and not blames)  # of those its own words know more
        source = self.change_proxy_text() if ending and ending.blames_proxy else self.tr("Choose another &source")
        self.other.setText(self.tr("Choose another &place") if blames == PageId.PLACE.value else source)
        self.other.setVisible(self._may_choose(blames))
        self.other.setEnabled(not self.is_busy)
        dress(self.other, "primary" if self.offers_another else "")
        self.pause.setText(self.tr("&Resume") if self.is_paused else self.tr("&Pause"))
        self.cancel.setText(self.tr("Cancelling…") if self.is_cancelling else self.tr("&Cancel"))

    # -- wishes

    def _ask_pause(self) -> None:
        run_id, ask = self.watch.run_id, self.context.session.request_pause
        self.is_paused = wish = not self.is_paused
        self._show_run()
        self.announce(self.title)
        self.start_task(None, lambda is_cancelled, note: ask(run_id, wish), self._nothing)

    def ask_cancel(self) -> None:
        run_id = self.watch.run_id
        self.is_cancelling, self.is_paused = True, False
        self._show_run()
        self.start_task(None, lambda is_cancelled, note: self.context.session.request_cancel(run_id), self._nothing)

    def _explain(self) -> None:
        if (ending := self.watch.view.ending) is not None:
            self.context.side.open(SideId.EXPLAIN, text=ending.details)

    def _nothing(self, answer: object) -> None:
        """The answer comes as events; what was asked before it was written says nothing of it."""
        self.watch.drop_answer()

    def _asked(self, run: RunInfo) -> None:
        """What the worker was asked, perhaps by another window or a terminal, or before this one was opened."""
        wishes = (run.asked == "pause", run.asked == "cancel")
        if run.state == "running" and not self.is_busy and wishes != (self.is_paused, self.is_cancelling):
            self.is_paused, self.is_cancelling = wishes
            self._show_run()

    def _resume(self) -> None:
        run_id = self.watch.run_id
        self.rest.clear()  # of the attempt before
        self.start_task(
            lambda: self.tr("Starting…"),
            lambda is_cancelled, note: resume_or_show(self.context.session, run_id),
            lambda answer: self._show_again(),
        )

    def _show_again(self) -> None:
        """It goes on, or has ended meanwhile: it is followed until that is known."""
        self.context.navigator.show_run(self.watch.run_id)
        self.enter()

    def _may_choose(self, blamed: str) -> bool:
        """Whether this window chose on the page that the ending blames; a profile leaves few choices."""
        return bool(blamed) and self.context.navigator.may_choose_again(PageId(blamed))

    def _choose_again(self, page: str = "") -> None:
        """Back to this page, else to the one that the ending blames."""
        ending, navigator = self.watch.view.ending, self.context.navigator
        blamed, of_proxy = (ending.blames, ending.blames_proxy) if ending is not None else ("", False)
        if (wanted := page or blamed) and not self.is_busy:
            self._remove(lambda: navigator.choose_again(PageId(wanted), of_proxy and wanted == blamed))

    def open_page(self, page: str) -> str:
        """After a failure what was chosen stays, as by the buttons; a setup begun anew would have lost it."""
        if page in list(SideId) or not self.context.navigator.may_choose_again(PageId(page)):
            return super().open_page(page)
        self._choose_again(page)
        return ""

    def _remove(self, then: Callable[[], None]) -> None:
        run_id = self.watch.run_id
        self.watch.stop()  # who removes a run holds it as a worker would
        self.start_task(
            lambda: self.tr("Removing what the setup had made…"),
            lambda is_cancelled, note: self.context.session.discard(run_id),
            lambda answer: then(),
            on_failed=self._not_removed,
        )

    def _not_removed(self, error: WizardError) -> None:
        if error.code in ("run-finished", "run-busy"):  # somebody went on with it
            self._show_again()
        else:
            self.trouble.show_error(error)

    def _over(self, run: RunInfo) -> None:
        ending, session = self.watch.view.ending, self.context.session
        if ending is None and run.state != "finished":
            self._died()
        elif ending is not None and not ending.has_report:
            self._over_without_test()
        else:
            self.start_task(
                None,
                lambda is_cancelled, note: (session.report(run.id), run.prefix),
                self._reported,
                on_failed=self._no_report,
            )

    def _reported(self, answer: tuple[dict[str, Any], str]) -> None:
        report, prefix = answer
        if read_report(report).verified:
            self.watch.stop()
            self.context.navigator.put_run_over(report, prefix)
            notify(self.window(), self.tr("PyTorch is installed and tested."))
            self.context.navigator.go_next()
        else:
            self._over_without_test()

    def _no_report(self, error: WizardError) -> None:
        """A run that could not even write its report says by its last event what happened."""
        self._over_without_test()
        if (ending := self.watch.view.ending) and ending.summary is None and not ending.cancelled:
            self.trouble.show_error(no_report(error.details))

    def _over_without_test(self) -> None:
        ending = self.watch.view.ending
        self.context.navigator.put_run_over(None, has_failed=ending is None or not ending.cancelled)
        if ending is not None and ending.cancelled:
            hint = message("flow.cancelled-hint", "Resume continues; Remove deletes the unfinished environment.")
            self._rest(message("flow.cancelled"), hint)
        elif ending is not None and ending.summary is not None:
            self.trouble.show_words(ending.summary, ending.advice(self._may_choose(ending.blames)), ending.details)
        self._tell_end()

    def _tell_end(self) -> None:
        notify(self.window(), self.tr("The setup has stopped. The window says why."))
        self.changed.emit()
        if self.isVisible():  # else the person is on a page beside the wizard
            self.wants_focus.emit()

    def _rest(self, what: Message, hint: Message) -> None:
        self.rest.show_words(what, hint)
        self.announce(self.rest.words, urgent=True)

    def _died(self) -> None:
        self.context.navigator.put_run_over(None, has_failed=True)
        self._rest(message("flow.stopped"), message("flow.stopped-hint", "Resume continues where it stopped."))
        self._tell_end()
