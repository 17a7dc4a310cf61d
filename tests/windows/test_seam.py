"""The two sides of `wizard.system` against each other; and sockets, facts and doors as Windows has them.

The disk's and the processes' sides at work: `test_disk_side.py`, `test_processes_side.py`.
"""

from __future__ import annotations

import inspect
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.windows.fake_windows import library
from wizard.gui import single
from wizard.gui.unix_door import UnixDoor
from wizard.machine import operating_system
from wizard.packages.fetch.wake import SleepWatch
from wizard.system import (
    disk,
    disk_linux,
    disk_windows,
    facts,
    here,
    places,
    places_linux,
    places_windows,
    processes,
    processes_linux,
    processes_windows,
    sockets,
)

# --- the contract ----------------------------------------------------------------------------------------------------


def public(side: ModuleType) -> dict[str, Any]:
    own = {name: value for name, value in vars(side).items() if not name.startswith("_")}
    made = {name: value for name, value in own.items() if getattr(value, "__module__", "") == side.__name__}
    plain = {name: value for name, value in own.items() if name.isupper()}
    return {**plain, **made}


def taken(value: Any) -> dict[str, list[str]]:
    """What it is called with: its own parameters, or those of each public method."""
    if inspect.isclass(value):
        methods = {name: one for name, one in vars(value).items() if inspect.isfunction(one) and name[0] != "_"}
        return {"": list(inspect.signature(value).parameters)} | {
            name: list(inspect.signature(one).parameters) for name, one in methods.items()
        }
    return {"": list(inspect.signature(value).parameters)} if callable(value) else {}


@pytest.mark.parametrize(("seam", "one", "other"), [
    (disk, disk_linux, disk_windows), (processes, processes_linux, processes_windows),
])  # fmt: skip
def test_both_sides_offer_the_same(seam: ModuleType, one: ModuleType, other: ModuleType) -> None:
    only_one = {"first_allowed", "DRIVER_STORE"}  # of Windows' own, for tests
    first, second = public(one), {name: value for name, value in public(other).items() if name not in only_one}
    assert set(first) == set(second) == set(seam.__all__)
    assert {name: taken(value) for name, value in first.items()} == {n: taken(v) for n, v in second.items()}
    assert all(getattr(seam, name) is first[name] for name in first) or sys.platform == "win32"


def test_both_systems_keep_the_same_things_somewhere() -> None:
    asked = {name for name in vars(places.Places) if not name.startswith("_")}
    for side in (places_linux, places_windows):
        assert asked == {name for name, value in public(side).items() if callable(value)}
    assert (places.places("linux"), places.places("windows")) == (places_linux, places_windows)


def test_a_system_that_nobody_knows() -> None:
    with pytest.raises(KeyError):
        places.places("plan9")


# --- sockets, facts, doors -------------------------------------------------------------------------------------------


def test_waiting_by_select() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert not sockets.by_select(one, 0.0)
        other.send(b"x")
        assert sockets.by_select(one, 5.0)
        assert sockets.is_readable(one, 0.0)


def test_the_language_of_the_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    for language, expected in ((0x0804, "zh_CN"), (0x0409, "en_US"), (0x1234, "")):
        kernel = library("kernel32", GetUserDefaultUILanguage=lambda language=language: language)
        monkeypatch.setattr("wizard.windows.calls.load", lambda name, kernel=kernel: kernel)
        assert facts.windows_language() == expected


def test_name_and_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "os_name", lambda: "windows")
    monkeypatch.setattr(operating_system, "windows_build", lambda: (10, 22631))
    monkeypatch.setattr(operating_system, "libc_name", lambda: None)
    monkeypatch.setattr("platform.release", lambda: "10-Microsoft")
    seen = operating_system.probe_system()
    assert (seen.os, seen.os_version, seen.glibc, seen.is_wsl) == ("windows", "Windows 11 (build 22631)", None, False)


def test_the_clock_runs_on_in_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([(0.0, 0.0), (1.0, 1.0), (3600.0, 3600.0)])
    monkeypatch.setattr(here, "os_name", lambda: "windows")
    watch = SleepWatch(lambda: next(times))
    assert not watch.has_slept()
    assert watch.has_slept()


def test_a_second_start_knocks_at_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answer: Callable[[str], bool] = lambda name: bool(asked.append(name)) or True  # noqa: E731
    monkeypatch.setattr(here, "os_name", lambda: "windows")
    monkeypatch.setattr("wizard.windows.pipes.is_pipe_there", answer)
    assert single.may_be_open("torch-setup-x")
    assert asked == ["torch-setup-x"]


def test_no_socket_is_a_file_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def none() -> socket.socket:
        raise OSError("no such sockets")

    monkeypatch.setattr("wizard.gui.unix_door.local_socket", none)
    with pytest.raises(OSError, match="no such sockets"):
        UnixDoor(str(tmp_path / "door"), lambda line: b"")
