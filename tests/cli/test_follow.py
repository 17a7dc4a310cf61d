"""A run as a terminal follows it: the newest attempt only, until nobody is at it, and silence as silence."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from wizard.cli.reporter import ConsoleReporter, final_status, read_events
from wizard.cli.terminal import Terminal
from wizard.model.errors import ExitStatus
from wizard.model.events import Event, EventKind


def write(path: Path, *kinds: EventKind, status: int = 0) -> None:
    with path.open("a", encoding="utf-8") as file:
        for kind in kinds:
            data = {"status": status, "outcome": "x"} if kind is EventKind.RUN_FINISHED else {"steps": []}
            file.write("\n" + Event(kind, 1, 1.0, "r", data).to_line() + "\n")


def test_an_earlier_attempt_is_not_told_and_does_not_end_this_one(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    write(path, EventKind.RUN_STARTED, EventKind.RUN_FINISHED, status=130)
    write(path, EventKind.ATTEMPT_STARTING)
    lives = iter((True, True))

    def is_alive() -> bool:
        alive = next(lives, False)
        if alive:
            write(path, EventKind.RUN_STARTED)
        else:
            write(path, EventKind.RUN_FINISHED)
        return alive

    told = list(read_events(path, is_alive, lambda silence: None))
    assert [event.kind for event in told] == [
        EventKind.ATTEMPT_STARTING,
        EventKind.RUN_STARTED,
        EventKind.RUN_STARTED,
        EventKind.RUN_FINISHED,
    ]
    assert final_status(told[-1]) is ExitStatus.DONE


def test_an_ending_does_not_end_it_while_somebody_is_at_it(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    write(path, EventKind.RUN_STARTED, EventKind.RUN_FINISHED, status=130)
    asked: list[bool] = []

    def is_alive() -> bool:
        asked.append(len(asked) < 5)
        if not asked[-1]:
            write(path, EventKind.RUN_STARTED, EventKind.RUN_FINISHED)
        return asked[-1]

    told = list(read_events(path, is_alive, lambda silence: None))
    assert len(asked) == 6
    assert final_status(told[-1]) is ExitStatus.DONE


def test_lines_that_nobody_knows_do_not_hide_the_end(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    write(path, EventKind.RUN_STARTED)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"event": "of-the-future"}\n' * 1000)
    write(path, EventKind.RUN_FINISHED)
    told = list(read_events(path, lambda: False, lambda silence: None))
    assert [event.kind for event in told] == [EventKind.RUN_STARTED, EventKind.RUN_FINISHED]


def test_silence_is_told_with_its_seconds_and_not_at_every_look(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "events.jsonl"
    write(path, EventKind.RUN_STARTED)
    os.utime(path, (time.time() - 40, time.time() - 40))
    narrator, silences = ConsoleReporter(Terminal("en")), list[float]()
    lives = iter((True,))

    def on_wait(silence: float) -> None:
        silences.append(silence)
        narrator.tell_silence(silence)

    list(read_events(path, lambda: next(lives, False), on_wait))
    assert silences[-1] >= 40
    narrator.tell_silence(50)
    narrator.tell_silence(120)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert "shown no progress for" in said[0]
    assert "120 s" in said[1]
