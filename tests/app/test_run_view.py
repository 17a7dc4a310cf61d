"""The event lines of a run, folded: what a person sees at each moment."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wizard.app.pages.event_tail import EventTail
from wizard.app.pages.run import RunView, limit_words
from wizard.model.events import Event, EventKind
from wizard.model.messages import Message

STEPS = [{"name": "create", "weight": 10}, {"name": "fetch", "weight": 60}, {"name": "install", "weight": 30}]


def event(kind: EventKind, **data: Any) -> Event:
    return Event(kind, 1, 1000.0, "r", data)


def fold(events: Sequence[Event], view: RunView | None = None) -> RunView:
    view = view or RunView()
    for one in events:
        view = view.after(one)
    return view


def test_weights_and_bytes_make_one_bar() -> None:
    view = fold(
        [
            event(EventKind.RUN_STARTED, steps=STEPS),
            event(EventKind.STEP_STARTED, step="create", message={"key": "step.create.will"}),
            event(EventKind.STEP_FINISHED, step="create", outcome="done", seconds=1.5, message=None),
            event(EventKind.STEP_STARTED, step="fetch"),
            event(
                EventKind.PROGRESS,
                step="fetch",
                done=50,
                total=100,
                unit="bytes",
                rate=10.0,
                eta=5,
                limited_by="network",
            ),
        ]
    )
    assert view.fraction == 0.4
    assert view.bytes is not None
    assert (view.bytes.done, view.bytes.rate, view.bytes.limited_by) == (50, 10.0, "network")
    create = view.step("create")
    assert create is not None
    assert (create.state, create.seconds, create.message) == ("done", 1.5, Message("step.create.will"))


def test_bytes_are_those_of_the_download_alone() -> None:
    """What was fetched before is installed beside it, and counts its own bytes."""
    begun = fold([event(EventKind.RUN_STARTED, steps=STEPS), event(EventKind.STEP_STARTED, step="fetch")])
    download = event(
        EventKind.PROGRESS,
        step="fetch",
        done=23,
        total=300,
        unit="bytes",
        rate=9.0,
        eta=30,
        files=[["torch", 20, 190]],
    )
    install = event(EventKind.PROGRESS, step="install", done=10, total=219, unit="bytes")
    view = fold([download, install, download, install, install], begun)
    assert view.bytes == fold([download], begun).bytes
    step = view.step("install")
    assert step is not None
    assert step.fraction == 10 / 219


def times_left(speeds: Sequence[float], total: float = 2.9e9, every: float = 0.5) -> list[float | None]:
    """What is said of the time left, by a made clock: the speed of each moment in bytes a second, as it is told."""
    view, done, told = fold([event(EventKind.RUN_STARTED, steps=STEPS)]), 0.0, list[float | None]()
    for number, speed in enumerate(speeds):
        done = min(total, done + speed * every)
        eta = (total - done) / speed if speed else None
        data = {"step": "fetch", "done": int(done), "total": int(total), "unit": "bytes", "rate": speed, "eta": eta}
        view = view.after(Event(EventKind.PROGRESS, 1, 1000.0 + every * number, "r", data))
        assert view.bytes is not None
        told.append(view.bytes.eta)
    return told


def test_no_time_left_is_told_before_the_speed_rests_on_some_seconds() -> None:
    """8 minutes after the first moment, 11 s in the next one: both of nothing."""
    told = times_left([0.0, 0.2e6, 6e6, 250e6, *[5e6] * 40])
    assert told[:11] == [None] * 11
    assert told[11] is not None
    assert 500 < told[11] < 600


def test_the_time_left_never_jumps() -> None:
    """While the speed of single moments is twenty times as much, or next to nothing."""
    told = times_left([5e6] * 12 + [100e6, 0.3e6, 5e6, 5e6] * 10)
    known = [left for left in told if left is not None]
    assert len(known) > 40
    for before, later in zip(known, known[2:], strict=False):  # a second apart
        assert 0.5 < later / before < 1.7
    faster = times_left([5e6] * 12 + [50e6] * 60)[-1]
    assert faster is not None
    assert 27 < faster < 29, "1.37 GB are left: it follows a line that has become fast"


def test_a_download_that_stood_still_is_measured_anew() -> None:
    told = times_left([5e6] * 20 + [0.0] * 30 + [40e6] * 20)
    assert told[19] is not None
    assert told[20:60] == [None] * 40, "nothing comes, and then nobody knows yet how fast"
    assert told[-1] is not None


def test_a_step_that_starts_after_its_first_progress_is_running() -> None:
    view = fold([event(EventKind.RUN_STARTED, steps=STEPS), event(EventKind.STEP_STARTED, step="install")])
    step = view.step("install")
    assert step is not None
    assert step.state == "running"


def test_a_resumed_run_keeps_the_bar() -> None:
    half = fold(
        [
            event(EventKind.RUN_STARTED, steps=STEPS),
            event(EventKind.PROGRESS, step="fetch", done=90, total=100, unit="bytes"),
        ]
    )
    again = fold([event(EventKind.RUN_STARTED, steps=STEPS)], half)
    assert again.fraction == half.fraction
    assert again.attempts == 2
    assert all(step.state == "waiting" for step in again.steps)


def test_failure_names_cause_and_what_to_do_as_messages() -> None:
    error = {"code": "no-space", "params": {"path": "/x"}, "summary": "text", "hint": "text", "details": "tail"}
    view = fold(
        [
            event(EventKind.RUN_STARTED, steps=STEPS),
            event(EventKind.RUN_FINISHED, status=1, outcome="failed", error=error),
        ]
    )
    assert view.ending is not None
    assert view.ending.summary == Message("error.no-space.summary", {"path": "/x"})
    assert view.ending.hint == Message("error.no-space.hint", {"path": "/x"})
    assert not view.ending.cancelled
    assert view.fraction == 0.0


def test_the_gpu_test_that_failed_still_fills_the_bar() -> None:
    view = fold([event(EventKind.RUN_FINISHED, status=3, outcome="gpu_test_failed", error=None, report="r")])
    assert view.fraction == 1.0


def _download(seconds: float, done: int, **more: Any) -> Event:
    data = {"step": "fetch", "done": done, "total": 100, "unit": "bytes", "limited_by": "network", "rate": 0, **more}
    return Event(EventKind.PROGRESS, 1, 1000.0 + seconds, "r", data)


@pytest.mark.parametrize(
    ("told", "is_unanswered"),
    [
        ([_download(0, 50), _download(7, 50)], False),
        ([_download(0, 50), _download(8, 50)], True),
        ([_download(0, 50), _download(4, 49), _download(8, 49)], True),  # what a broken connection lost
        ([_download(0, 50), _download(4, 49), _download(6, 50), _download(9, 50)], False),
        ([_download(0, 50), _download(9, 50, limited_by="disk")], False),
        ([_download(0, 50), _download(6, 50, state="paused"), _download(9, 50)], False),
        ([_download(0, 100), _download(9, 100)], False),
        ([_download(0, 50), event(EventKind.RUN_STARTED, steps=STEPS), _download(9, 50)], False),
    ],
)
def test_a_download_that_nobody_answers(told: list[Event], is_unanswered: bool) -> None:
    view = fold(told, fold([event(EventKind.RUN_STARTED, steps=STEPS), event(EventKind.STEP_STARTED, step="fetch")]))
    assert view.bytes is not None
    assert view.bytes.is_unanswered is is_unanswered


def test_no_limit_is_named_while_nothing_comes() -> None:
    assert limit_words("network", 0.0) is limit_words("network", None) is limit_words("none", 9.0) is None
    assert limit_words("network", 9.0) == Message("fetch.limited.network")
    assert limit_words("disk", 0.0) == Message("fetch.limited.disk")


_ANY = st.one_of(st.none(), st.integers(-5, 200), st.floats(allow_nan=False), st.text(max_size=3))
_PROGRESS = st.builds(
    lambda step, done, total: event(EventKind.PROGRESS, step=step, done=done, total=total, unit="bytes"),
    st.sampled_from(["create", "fetch", "install", "unknown"]),
    st.one_of(st.none(), st.integers(0, 200)),
    st.one_of(st.none(), st.integers(0, 200)),
)
_OTHER = st.sampled_from(
    [
        event(EventKind.RUN_STARTED, steps=STEPS),
        event(EventKind.STEP_FINISHED, step="create", outcome="done"),
        event(EventKind.STEP_FINISHED, step="fetch", outcome="cancelled"),
        event(EventKind.NOTICE, message={"key": "n"}),
        event(EventKind.RUN_FINISHED, status=1, outcome="failed"),
    ]
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy computer
@given(st.lists(st.one_of(_PROGRESS, _OTHER), max_size=40))
def test_the_bar_never_goes_back(events: list[Event]) -> None:
    view = RunView()
    for one in events:
        after = view.after(one)
        assert view.fraction <= after.fraction <= 1.0
        view = after


@given(_ANY, _ANY, _ANY)
def test_odd_numbers_break_nothing(done: object, total: object, rate: object) -> None:
    view = fold(
        [
            event(EventKind.RUN_STARTED, steps=STEPS),
            event(EventKind.PROGRESS, step="fetch", done=done, total=total, unit="bytes", rate=rate),
        ]
    )
    assert 0.0 <= view.fraction <= 1.0


def test_the_tail_waits_for_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    tail = EventTail(path)
    assert tail.read(10) == []
    line = event(EventKind.LOG, step="fetch", text="进度").to_line().encode()
    path.write_bytes(line + b"\n" + line[:20])
    assert [one.data["text"] for one in tail.read(10)] == ["进度"]
    with path.open("ab") as file:
        file.write(line[20:] + b"\n" + b"garbage\n\n" + line + b"\n")
    assert len(tail.read(10)) == 2
    assert tail.read(10) == []


def test_silence_counts_from_the_last_word_also_before_anybody_read(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(event(EventKind.LOG, text="1").to_line() + "\n", encoding="utf-8")
    os.utime(path, (time.time() - 40, time.time() - 40))
    tail = EventTail(path)
    assert tail.read(10)
    assert tail.silence >= 39
    late = EventTail(path)
    for words in ("2", "3"):  # before the first reading, and after it
        with path.open("a", encoding="utf-8") as file:
            file.write(event(EventKind.LOG, text=words).to_line() + "\n")
        assert late.read(10)
        assert late.silence < 30


def test_what_was_said_last_of_an_attempt_is_not_the_next_ones() -> None:
    over = fold(
        [
            event(EventKind.RUN_STARTED, steps=STEPS),
            event(EventKind.STEP_FINISHED, step="create", outcome="done"),
            event(EventKind.STEP_FINISHED, step="fetch", outcome="cancelled", seconds=2.0),
            event(EventKind.RUN_FINISHED, status=130, outcome="cancelled"),
        ]
    )
    assert over.ending is not None
    next_one = fold([event(EventKind.ATTEMPT_STARTING)], over)
    assert next_one.ending is None
    assert [step.state for step in next_one.steps] == ["done", "waiting", "waiting"]
    assert next_one.steps[1].seconds is None


def test_the_tail_hands_out_no_more_than_asked(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text("".join(event(EventKind.LOG, text=str(n)).to_line() + "\n" for n in range(25)), encoding="utf-8")
    tail = EventTail(path)
    assert [len(tail.read(10)) for _ in range(4)] == [10, 10, 5, 0]
