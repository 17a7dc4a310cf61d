"""A run as a person sees it: the event lines folded into steps, one bar, speed, time left and the end.

Pure: `view.after(event)` gives the next view. The bar never goes backwards, not even when a resumed
worker begins its count again, because what was fetched is kept.

One file: the folds and what they fold into.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from wizard.model.errors import ExitStatus, kept_message
from wizard.model.events import Event, EventKind
from wizard.model.messages import Message, Words, message, three_digits

if TYPE_CHECKING:
    from wizard.transfer.download import FetchProgress


@dataclass(frozen=True, slots=True)
class StepView:
    """`state`: waiting | running | done | skipped | failed | cancelled."""

    name: str
    weight: float
    state: str = "waiting"
    fraction: float = 0.0
    seconds: float | None = None
    message: Message | None = None
    detail: Words = ""


@dataclass(frozen=True, slots=True)
class FileView:
    """A large file that is on its way: bytes of it that are there, and all of them."""

    name: str
    done: int
    size: int


@dataclass(frozen=True, slots=True)
class Bytes:
    """What the download says now. `rate` bytes per second; `eta` seconds, None while nobody can tell (`TimeLeft`);
    `files_total` 0: it does not say. `is_unanswered`: it waits for others, and nothing has come for `UNANSWERED_AFTER`.
    """

    done: int
    total: int | None
    rate: float | None
    eta: float | None
    limited_by: str | None
    files: tuple[FileView, ...] = ()
    files_done: int = 0
    files_total: int = 0
    is_unanswered: bool = False

    @property
    def limit(self) -> Message | None:
        """Return what holds it up, for people."""
        return limit_words(self.limited_by, self.rate)


UNANSWERED_AFTER = 8.0  # seconds without a byte, after which that is said
_RESTS_ON = 5.0  # seconds of a speed: the first moments of a download tell hours, and seconds a moment later
_FORGETS = 10.0  # seconds without a speed, after which it is measured from the beginning
_FOLLOWS = 5.0  # seconds in which the time left comes near to what the speed of this moment gives
_CALM = 0.25  # of its logarithm in a second: it changes by less than a third, and still follows a slow line in time


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """How the time left is told: not before the speed rests on some seconds, and then without jumps, for a speed of
    a moment swings. `since` and `at`: of the first speed and the last, in the seconds of the events."""

    since: float
    at: float
    left: float | None = None

    @property
    def told(self) -> float | None:
        return None if self.left is None else round(self.left, 1)

    def after(self, at: float, eta: float) -> TimeLeft:
        """`eta`: seconds that all would take at the speed of this moment."""
        if not 0 <= at - self.at <= _FORGETS:
            return TimeLeft(at, at)
        if at - self.since < _RESTS_ON:
            return replace(self, at=at)
        if self.left is None or eta < 1:
            return replace(self, at=at, left=eta)
        passed = at - self.at
        expected = max(self.left - passed, 1.0)
        share, most = 1 - math.exp(-passed / _FOLLOWS), _CALM * passed
        change = max(-most, min(most, share * math.log(eta / expected)))
        return replace(self, at=at, left=expected * math.exp(change))


@dataclass(frozen=True, slots=True)
class Ending:
    """`status` is the exit status (wizard.model.errors.ExitStatus), `outcome` its name in small letters."""

    status: int
    outcome: str
    error_code: str = ""
    summary: Message | None = None
    hint: Message | None = None
    details: str = ""
    has_report: bool = True

    @property
    def cancelled(self) -> bool:
        return self.status == ExitStatus.CANCELLED

    @property
    def blames(self) -> str:
        """The page of the choice that it failed for: place (a full disk, a folder taken meanwhile), source (one that
        does not deliver), or ''."""
        if self.cancelled:
            return ""
        if self.error_code.endswith(_FULL) or self.error_code.startswith(_TARGET):
            return "place"
        return "source" if self.error_code.startswith("fetch-") or self.blames_proxy else ""

    @property
    def fails_again(self) -> bool:
        """Return whether going on meets the same: what is asked for is not there, or is not what was promised."""
        return not self.cancelled and (self.error_code in _SAME_AGAIN or self.error_code.startswith(_TARGET))

    def advice(self, may_choose: bool) -> Message | None:
        """Return what to do about it. `may_choose`: a button beside it leads to another place."""
        if not may_choose or self.blames != "place":
            return self.hint
        return _FULL_HINT if self.error_code.endswith(_FULL) else _TARGET_HINT

    @property
    def blames_proxy(self) -> bool:
        """Whether what is wrong stands in the network form of the page Source."""
        return self.error_code.startswith(PROXY_ERRORS)


PROXY_ERRORS = "network-proxy-"
_FETCH = "fetch"
_FULL = ("no-space", "no-space-quota", "disk-full")
_FULL_HINT = message(
    "flow.full-hint",
    "Free some space and press “Resume”, or press “Choose another place”. What was downloaded is kept.",
)
_TARGET = "target-"
_SAME_AGAIN = tuple(
    f"fetch-{why}" for why in ("not-found", "refused", "hash-mismatch", "size-mismatch", "redirect", "redirect-loop")
)
_TARGET_HINT = message(
    "flow.target-hint",
    "Press “Choose another place” and give another name or folder. All else that you chose is kept.",
)
_LIMITS = ("network", "server", "disk", "processor", "limit")
_FROM_OTHERS = ("network", "server", "none", None)  # what waits for none of this computer's own parts
_OVER = ("done", "skipped")


def resolving_words(progress: FetchProgress) -> Message:
    """Of a file that comes whole before it is known what it needs. In MB."""
    figures = {"done": three_digits(progress.done / 1e6), "rate": three_digits(progress.rate / 1e6)}
    if progress.total is None:
        return message(
            "flow.resolving.whole-unsized",
            "Its source sends no parts of files, so this one comes whole now, and is kept: {file}, "
            "{done} MB, {rate} MB/s",
            file=progress.file,
            **figures,
        )
    return message(
        "flow.resolving.whole",
        "Its source sends no parts of files, so this one comes whole now, and is kept: {file}, "
        "{done} of {total} MB, {rate} MB/s",
        file=progress.file,
        total=three_digits(progress.total / 1e6),
        **figures,
    )


def limit_words(limited_by: str | None, rate: float | None) -> Message | None:
    """What holds the download up, for people; None when nothing does or a newer worker says what is not known here.

    `rate`: bytes a second. A network that brings nothing limits nothing: it is away."""
    if limited_by not in _LIMITS or (limited_by == "network" and not rate):
        return None
    return Message(f"fetch.limited.{limited_by}")


@dataclass(frozen=True, slots=True)
class RunView:
    steps: tuple[StepView, ...] = ()
    fraction: float = 0.0
    bytes: Bytes | None = None
    notices: tuple[Message, ...] = ()
    ending: Ending | None = None
    started: float | None = None
    attempts: int = 0
    pace: TimeLeft | None = None
    moved: tuple[float, float] | None = None  # how many bytes there were, and when the last of them came (event's time)

    def after(self, event: Event) -> RunView:
        fold = _FOLDS.get(event.kind)
        return fold(self, event) if fold else self

    def without_rate(self) -> RunView:
        """For a run that says nothing just now: what it said last of its speed holds no more."""
        if self.bytes is None:
            return self
        return replace(self, bytes=replace(self.bytes, rate=None, eta=None, limited_by=None))

    @property
    def may_pause(self) -> bool:
        """Return whether there is something that a pause holds up: a download, or nobody knows yet."""
        fetch = self.step(_FETCH)
        return not self.steps or (fetch is not None and fetch.state in ("waiting", "running"))

    def step(self, name: str) -> StepView | None:
        return next((step for step in self.steps if step.name == name), None)

    def _with_step(self, name: str, **changes: Any) -> RunView:
        steps = tuple(replace(step, **changes) if step.name == name else step for step in self.steps)
        return replace(self, steps=steps, fraction=max(self.fraction, _overall(steps)))


def _overall(steps: tuple[StepView, ...]) -> float:
    whole = sum(step.weight for step in steps)
    done = sum(step.weight * (1.0 if step.state in _OVER else step.fraction) for step in steps)
    return min(1.0, done / whole) if whole > 0 else 0.0


def as_message(data: Any) -> Message | None:
    """None where there is none, or of a form that is not known here."""
    try:
        return Message.from_json(data) if data else None
    except (KeyError, TypeError, ValueError):
        return None


def _words(data: Any) -> Words:
    """A sentence, or the name of a file or a check as it is."""
    return data if isinstance(data, str) else as_message(data) or ""


def _number(value: Any) -> float | None:
    """None for what is no number that a bar could show (Infinity and NaN are JSON to Python)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _attempt_starting(view: RunView, event: Event) -> RunView:
    """What an earlier attempt said in the end counts no more; its steps will be looked at again."""
    steps = tuple(
        step if step.state in _OVER else replace(step, state="waiting", detail="", seconds=None, message=None)
        for step in view.steps
    )
    return replace(view, steps=steps, ending=None, bytes=None, notices=(), pace=None, moved=None)


def _run_started(view: RunView, event: Event) -> RunView:
    rows = event.data.get("steps") or ()
    steps = tuple(StepView(str(row["name"]), _number(row.get("weight")) or 0.0) for row in rows)
    attempts = view.attempts + 1
    view = replace(view, steps=steps, ending=None, bytes=None, notices=(), pace=None, moved=None)
    return replace(view, started=event.time, attempts=attempts)


def _step_started(view: RunView, event: Event) -> RunView:
    return view._with_step(
        str(event.data.get("step")), state="running", message=as_message(event.data.get("message")), detail=""
    )


def _progress(view: RunView, event: Event) -> RunView:
    data = event.data
    done, total = _number(data.get("done")), _number(data.get("total"))
    name = str(data.get("step"))
    before = view.step(name)
    if before is None:
        return view
    fraction = min(1.0, done / total) if done is not None and total else before.fraction
    view = view._with_step(
        name, fraction=max(before.fraction, fraction), detail=_words(data.get("detail")) or before.detail
    )
    if name != _FETCH or data.get("unit") != "bytes" or done is None:  # what is installed beside it was fetched before
        return view
    limited, eta, pace = data.get("limited_by"), _number(data.get("eta")), view.pace
    if eta is not None:
        pace = pace.after(event.time, eta) if pace is not None else TimeLeft(event.time, event.time)
    moved = _moved(view, done, event.time, is_paused=data.get("state") == "paused")
    is_busy = limited not in _FROM_OTHERS or (total is not None and done >= total)
    counted = Bytes(
        int(done),
        None if total is None else int(total),
        _number(data.get("rate")),
        pace.told if pace is not None and eta is not None else None,
        None if limited is None else str(limited),
        _files(data.get("files")),
        int(_number(data.get("files_done")) or 0),
        int(_number(data.get("files_total")) or 0),
        not is_busy and event.time - moved[1] >= UNANSWERED_AFTER,
    )
    return replace(view, bytes=counted, pace=pace, moved=moved)


def _moved(view: RunView, done: float, now: float, is_paused: bool) -> tuple[float, float]:
    """Return it after these bytes. Fewer than before are no news from outside: a broken connection loses some."""
    if view.moved is None or is_paused or done > view.moved[0] or now < view.moved[1]:  # a clock that was set back
        return done, now
    return done, view.moved[1]


def _files(rows: Any) -> tuple[FileView, ...]:
    """Of `[name, done, size]` each; a row of another form is passed over."""
    found = []
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, list) and len(row) == 3:
            done, size = _number(row[1]), _number(row[2])
            if done is not None and size:
                found.append(FileView(str(row[0]), int(done), int(size)))
    return tuple(found)


def _step_finished(view: RunView, event: Event) -> RunView:
    data = event.data
    changes: dict[str, Any] = {
        "state": str(data.get("outcome", "done")),
        "seconds": _number(data.get("seconds")),
        "detail": "",
    }
    said = as_message(data.get("message"))
    if said is not None:
        changes["message"] = said
    return view._with_step(str(data.get("step")), **changes)


def _notice(view: RunView, event: Event) -> RunView:
    said = as_message(event.data.get("message"))
    return replace(view, notices=(*view.notices, said)) if said and said not in view.notices else view


def _run_finished(view: RunView, event: Event) -> RunView:
    error: Mapping[str, Any] = event.data.get("error") or {}
    ending = Ending(
        status=int(_number(event.data.get("status")) or 0),
        outcome=str(event.data.get("outcome", "")),
        error_code=str(error.get("code", "")),
        summary=error_message(error, "summary"),
        hint=error_message(error, "hint"),
        details=str(error.get("details", "")),
        has_report=bool(event.data.get("report")),
    )
    done = ending.status in (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED)
    return replace(view, ending=ending, fraction=1.0 if done else view.fraction)


def error_message(error: Mapping[str, Any], part: str) -> Message | None:
    """`summary` and `hint` come as messages, or are named by the error's code (WizardError.to_json)."""
    value = error.get(part)
    if isinstance(value, Mapping):
        return as_message(value)
    if not error.get("code"):
        return None
    return kept_message(error, part)


_FOLDS = {
    EventKind.ATTEMPT_STARTING: _attempt_starting,
    EventKind.RUN_STARTED: _run_started,
    EventKind.STEP_STARTED: _step_started,
    EventKind.PROGRESS: _progress,
    EventKind.STEP_FINISHED: _step_finished,
    EventKind.NOTICE: _notice,
    EventKind.RUN_FINISHED: _run_finished,
}
