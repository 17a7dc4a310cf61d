"""Sockets, facts and doors as Windows has them, and a system that there is not.

The disk's and the processes' sides at work: `test_disk_side.py`, `test_processes_side.py`; whether both systems' sides
fit: `test_both_sides.py`.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.windows.fake_windows import library
from wizard.gui.startup import single
from wizard.gui.startup.local_socket import LocalSocket
from wizard.machine.host import operating_system
from wizard.system import facts, places, sockets, traits
from wizard.transfer.download.fetcher import SleepWatch


def test_a_system_that_nobody_knows() -> None:
    with pytest.raises(KeyError):
        places.places("plan9")


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
        monkeypatch.setattr("wizard.system.windows.calls.load", lambda name, kernel=kernel: kernel)
        assert facts.windows_language() == expected


def test_name_and_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traits, "os_name", lambda: "windows")
    monkeypatch.setattr(operating_system, "windows_build", lambda: (10, 22631))
    monkeypatch.setattr(operating_system, "libc_name", lambda: None)
    monkeypatch.setattr("platform.release", lambda: "10-Microsoft")
    seen = operating_system.probe_system()
    assert (seen.os, seen.os_version, seen.glibc, seen.is_wsl) == ("windows", "Windows 11 (build 22631)", None, False)


def test_the_clock_runs_on_in_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([(0.0, 0.0), (1.0, 1.0), (3600.0, 3600.0)])
    monkeypatch.setattr(traits, "os_name", lambda: "windows")
    watch = SleepWatch(lambda: next(times))
    assert not watch.has_slept()
    assert watch.has_slept()


def test_a_second_start_knocks_at_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answer: Callable[[str], bool] = lambda name: bool(asked.append(name)) or True  # noqa: E731
    monkeypatch.setattr(traits, "os_name", lambda: "windows")
    monkeypatch.setattr("wizard.system.windows.desktop.is_pipe_there", answer)
    assert single.may_be_open("torch-setup-x")
    assert asked == ["torch-setup-x"]


def test_no_socket_is_a_file_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def none() -> socket.socket:
        raise OSError("no such sockets")

    monkeypatch.setattr("wizard.gui.startup.local_socket.local_socket", none)
    with pytest.raises(OSError, match="no such sockets"):
        LocalSocket(str(tmp_path / "door"), lambda line: b"")
