"""The steps of a run on the Install page, and what unfolds the log.

One row each, changed in place: they are redrawn many times a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from wizard.app.pages.run import RunView, StepView
from wizard.gui.pages.file_bars import BARS, FileBars
from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.figures import about_text, seconds_text
from wizard.gui.widgets.frames import RowCard, RowCell, column, stacked
from wizard.gui.widgets.icons import ICON_SIZE, Sign, fold_icon
from wizard.gui.widgets.labels import Turned, dress, label, plain_tip, put_words, told_of
from wizard.run.report.text import step_name, step_state

_AIR, _TIGHT, _AROUND = 8, 10, 16  # pixels: between two steps where there is room, else, and around all of them
_NARROW = 520  # pixels: less has no room for what a step did beside its name
_SIGNS = {"done": "ok", "skipped": "ok", "failed": "problem", "running": "running"} | dict.fromkeys(
    ("paused", "stopped", "cancelled"), "note"
)
_SAID = ("paused", "stopped", "failed", "cancelled", "not-started")  # states that are said in words as well
_AT = ("failed", "running", "cancelled", "waiting")  # the run is at the first step in the first of these states
# Until the worker says which steps it has: a new environment's.
_FIRST_SEEN = tuple(StepView(name, 1.0) for name in ("preflight", "create", "fetch", "install", "check", "verify"))
_HELD = ("fetch", "install")  # by a pause: the download and what waits for its files; others go on to their end
_FETCH = "fetch"
_RIGHT = 64  # pixels of how long it took, and of Paused


class _Row:
    def __init__(self) -> None:
        self.sign = Sign("waiting", 20)
        self.name = label("", wrap=False)
        self.words = Turned("muted")
        self.right = label("", "muted", wrap=False)
        self.right.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class RunSteps(QWidget):
    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._translator = translator
        self._rows: dict[str, _Row] = {}
        self._bars: FileBars | None = None
        self._told: tuple[str, ...] = ()  # steps whose end was said
        self._expected: dict[str, float] = {}
        self._is_narrow = False
        self._shown: tuple[RunView, bool, bool, bool, bool] | None = None
        self._gives_way = False  # to the log, in a window that is too low for both
        self._gap, self._is_ending = 0, False
        self._is_new = False  # its rows have no place yet
        self._outer: QVBoxLayout = column(self)
        self._card = RowCard(4, 2, has_lines=False)
        self._outer.addWidget(self._card)

    def show_view(
        self, view: RunView, is_going: bool, is_paused: bool = False, is_new: bool = True, is_ending: bool = False
    ) -> None:
        """Show each step of the run with its sign, and the download's bars below them. `is_new`: it makes an
        environment, so its steps are known before it says them. `is_ending`: what waits will not come."""
        self._is_ending, self._shown = is_ending, (view, is_going, is_paused, is_new, is_ending)
        steps = view.steps or (_FIRST_SEEN[: None if is_new else 1] if is_going else ())
        if list(self._rows) != [step.name for step in steps]:
            self._rebuild([step.name for step in steps])
        self.setVisible(bool(self._rows))
        self._show_rows()
        fetch = view.step(_FETCH)
        is_held = is_paused and fetch is not None and fetch.state in ("waiting", "running")
        for step in steps:
            self._show_step(step, view, is_going, is_held and step.name in _HELD)
        is_fetching = is_going and fetch is not None and fetch.state == "running"
        if self._bars is not None:
            self._bars.stand_below(max(row.name.minimumWidth() for row in self._rows.values()))
            self._bars.show_files((view.bytes.files if view.bytes else ()) if is_fetching else None, is_paused)

    def begin_anew(self) -> None:
        """Another run is shown."""
        self._told, self._expected = (), {}
        if self._bars is not None:
            self._bars.begin_anew()

    def expect(self, times: Mapping[str, float]) -> None:
        """Take what each step took in the last setup like this one, in seconds."""
        self._expected = dict(times)
        if times and self._shown is not None:  # else it would be seen with the run's next word only
            self.show_view(*self._shown)

    def ended(self, view: RunView) -> list[str]:
        """Return the steps that ended since this was asked last, with how, in words."""
        over = tuple(step.name for step in view.steps if step.state not in ("waiting", "running"))
        language, states = self._translator.language, {step.name: step.state for step in view.steps}
        new = [name for name in over if name not in self._told]
        self._told = over
        return [told_of(step_name(name, language), step_state(states[name], language)) for name in new]

    def give_way(self, room: int, may_hide: bool) -> None:
        """Fit into so many pixels: the steps lie close where that is little. `may_hide`: for the log, where it is too
        little, but for the step that the run is at."""
        line, steps = self.fontMetrics().lineSpacing() + _TIGHT, len(self._rows)
        with_bars = (steps + BARS) * line + 3 * _AROUND  # so that nothing moves when they come
        # In a narrow window a step has two lines and more, and how many its words say.
        self._gap = _AIR if not self._is_narrow and with_bars + steps * _AIR <= room else 0
        if self._card.grid.verticalSpacing() != self._gap:
            self._card.grid.setVerticalSpacing(self._gap)
        has_bars = self._bars is not None and not self._bars.isHidden()
        if self._bars is not None:  # before and after the download, too: the card keeps its height to the run's end
            self._bars.keep_place(not self._is_narrow and with_bars <= room and bool(self._shown and self._shown[1]))
        self._gives_way = may_hide and (with_bars if has_bars else steps * line + _AROUND) > room
        self._show_rows()
        if self._is_new and self._rows and self.isVisible():
            self._lay_out()

    def _lay_out(self) -> None:
        """Give new rows their places before they are painted: Qt would do it some rounds later."""
        self._is_new = False
        around: QWidget | None = self._bars or self._card.grid.parentWidget()
        while around is not None and not isinstance(around, QScrollArea):
            if layout := around.layout():
                layout.activate()
            around = around.parentWidget()

    def _show_rows(self) -> None:
        """All of them, or the one that says where the run is: without the bars below it, whose files it counts."""
        steps = self._shown[0].steps if self._shown else ()
        named = (one.name for state in _AT for one in steps if one.state == state)
        at = self._rows.get(next(named, next(iter(self._rows), ""))) if self._gives_way else None
        for cell in self._card.findChildren(RowCell):
            is_bars = self._bars is not None and cell.isAncestorOf(self._bars)
            cell.setVisible(not self._gives_way or (at is not None and at.sign in cell.cells and not is_bars))

    def state_of(self, name: str) -> str:
        """Return the word for its state, which its sign shows."""
        return self._rows[name].sign.accessibleName() if name in self._rows else ""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say what a step did below its name where there is little room."""
        super().resizeEvent(event)
        if (is_narrow := self.width() < _NARROW) != self._is_narrow:
            self._is_narrow, self._gap = is_narrow, 0 if is_narrow else self._gap
            self._rebuild(list(self._rows))
            if self._shown is not None:
                self.show_view(*self._shown)

    def _rebuild(self, names: list[str]) -> None:
        self._card.clear()
        before, self._bars, self._is_new = self._bars, None, True
        self._rows = {name: _Row() for name in names}
        download: Sequence[QWidget | None] = ()
        for name, row in self._rows.items():
            beside = (None, stacked(row.name, row.words)) if self._is_narrow else (row.name, row.words)
            self._card.add_row(row.sign, *beside, row.right, tight=True)
            download = self._card.last if name == _FETCH else download
        if download:  # below all steps, none of which moves when a bar comes or goes
            self._bars = FileBars(before)
            self._card.add_wide(self._bars, download)
        self._card.grid.setVerticalSpacing(self._gap)

    def _show_step(self, step: StepView, view: RunView, is_going: bool, is_paused: bool) -> None:
        row = self._rows[step.name]
        name = step_name(step.name, self._translator.language)
        is_running = step.state == "running"
        state = step.state if not is_running else "stopped" if not is_going else "paused" if is_paused else "running"
        if state == "waiting" and not is_going:
            state = "not-started"
        elif state == "cancelled" and not (view.ending and view.ending.cancelled):
            state = "stopped"  # by what failed beside it
        word = step_state(state, self._translator.language)
        row.sign.show_state(_SIGNS.get(state, "waiting"))
        row.sign.setAccessibleName(word)
        row.sign.setAccessibleDescription(name)
        row.sign.setToolTip(plain_tip(word))
        dress(row.name, "strong" if is_running else "muted" if state in ("waiting", "not-started") else "")
        put_words(row.name, name)
        row.name.setMinimumWidth(_bold_width(row.name))
        said = self._translator.say(step.message)
        detail = self._now(step, view) if is_running else ""
        is_above = state == "failed" and view.ending is not None and view.ending.summary is not None
        is_over = state in ("not-started", "stopped")  # its words still say what it was at
        put_words(row.words, (detail or said) if not is_over and not is_above else "")
        row.words.setVisible(bool(row.words.text()) or not self._is_narrow)
        paused = row.right.fontMetrics().horizontalAdvance(step_state("paused", self._translator.language)) + 1
        row.right.setMinimumWidth(paused if self._is_narrow else _RIGHT)  # so that no pause moves what stands there
        put_words(row.right, word if state in _SAID else self._right(step, is_going))

    def _now(self, step: StepView, view: RunView) -> str:
        """What a step is at: the download counts its files, whose bars name the large ones."""
        counted = view.bytes if step.name == _FETCH else None
        if counted is not None and counted.files_total:
            words = self.tr("Files: %1 of %2").replace("%2", str(counted.files_total))
            return words.replace("%1", str(counted.files_done))
        return _short(self._translator.say(step.detail))

    def _right(self, step: StepView, is_going: bool) -> str:
        if step.seconds is not None:
            return seconds_text(step.seconds)
        if step.state == "waiting" and is_going and not self._is_ending and step.name in self._expected:
            return about_text(self._expected[step.name])
        if step.state != "running" or not is_going or step.name == _FETCH:  # whose speed and bytes stand above
            return ""
        return f"{int(step.fraction * 100)} %" if step.fraction else ""


class LogButton(QPushButton):
    """Unfolds the log."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "plain")
        self.setCheckable(True)
        self.setIconSize(ICON_SIZE)
        self.toggled.connect(self._turn)
        self._turn(False)

    def _turn(self, is_open: bool) -> None:
        self.setIcon(fold_icon(is_open))


def _bold_width(shown: QLabel) -> int:
    """Return the pixels that its words need once the step runs: what stands beside them does not move then."""
    shown.ensurePolished()  # until it is shown, it would have the font of no style sheet
    bold = QFont(shown.font())
    bold.setBold(True)
    return QFontMetrics(bold).horizontalAdvance(shown.text()) + 1


def _short(detail: str) -> str:
    """Name a package file by what is in it: the rest of its name says for which systems it is."""
    return " ".join(detail.split("-")[:2]) if detail.endswith((".whl", ".conda")) else detail
