"""The two sides of `wizard.system` against each other, and Windows' side at work: it is plain Python, so it runs here.

What it does on Linux's disk and processes is what it does on Windows' own, less what only Windows can refuse.
"""

from __future__ import annotations

import errno
import inspect
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.windows.fake_windows import library
from wizard.environments import erase, ground, survey, walk
from wizard.environments.clone_copy import Copier
from wizard.environments.windows_volume import WindowsVolume
from wizard.gui import single
from wizard.gui.unix_door import UnixDoor
from wizard.machine import operating_system
from wizard.packages.fetch import part
from wizard.packages.fetch.wake import SleepWatch
from wizard.process import guardian, tree
from wizard.process.request import StopTimeouts
from wizard.system import (
    disk,
    disk_linux,
    disk_windows,
    facts,
    here,
    links,
    places,
    places_linux,
    places_windows,
    processes,
    processes_linux,
    processes_windows,
    sockets,
)
from wizard.windows import creation

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


# --- the disk --------------------------------------------------------------------------------------------------------


def test_a_file_of_several_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks in any order, several threads at once: each goes to its place and writes there undisturbed."""
    monkeypatch.setattr(part, "Positioned", disk_windows.Positioned)
    monkeypatch.setattr(part, "sync_data", disk_windows.sync_data)
    file = part.PartFile(tmp_path / "x.part")
    count, size = 64, part.ALIGN
    written = {number: bytes([number]) * size for number in range(count)}

    def write(numbers: list[int]) -> None:
        for number in numbers:
            block = part.new_buffer(size)
            block[:size] = written[number]
            file.write(block, size, number * size)

    threads = [threading.Thread(target=write, args=([n for n in range(count) if n % 4 == k][::-1],)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    file.sync()
    block = part.new_buffer(size)
    assert all(file.read(block, size, n * size) == size and bytes(block) == written[n] for n in range(count))
    file.finish(count * size - 7)
    file.close()
    assert (tmp_path / "x.part").read_bytes() == b"".join(written.values())[:-7]


def test_copies_are_plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.environments.clone_copy.share_blocks", disk_windows.share_blocks)
    monkeypatch.setattr("wizard.environments.clone_copy.move_blocks", disk_windows.move_blocks)
    (tmp_path / "a").write_bytes(b"x" * 100_000)
    heard: list[int] = []
    copier = Copier(heard.append, lambda: False)
    copier.copy(str(tmp_path / "a"), str(tmp_path / "b"), 100_000)
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()
    assert (sum(heard), copier.shared_bytes) == (100_000, 0)


def as_windows(monkeypatch: pytest.MonkeyPatch, module: ModuleType, *names: str) -> None:
    for name in names:
        monkeypatch.setattr(module, name, getattr(disk_windows, name))


def test_a_tree_is_removed_by_paths_and_links_are_not_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_windows(monkeypatch, erase, "open_folder", "is_true_folder_entry")
    monkeypatch.setattr(erase, "_BY_DESCRIPTOR", False)  # as it is there
    root, outside = tmp_path / "env", tmp_path / "outside"
    (root / "Lib/site-packages/我的").mkdir(parents=True)
    (root / "Lib/site-packages/我的/a.py").write_text("x")
    outside.mkdir()
    (outside / "kept").write_text("x")
    (root / "link").symlink_to(outside, target_is_directory=True)
    seen: list[int] = []
    erase.erase(root, seen.append)
    assert not root.exists()
    assert (outside / "kept").exists()
    assert sum(seen) == 2


def test_a_file_that_is_read_only_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows refuses to remove it until the mark is taken away."""
    as_windows(monkeypatch, erase, "open_folder", "is_true_folder_entry")
    monkeypatch.setattr(erase, "_BY_DESCRIPTOR", False)
    (tmp_path / "env").mkdir()
    protected = tmp_path / "env" / "a"
    protected.write_text("x")
    protected.chmod(0o444)
    real = os.unlink

    def unlink(path: Any, **more: Any) -> None:
        if not os.lstat(path).st_mode & stat.S_IWRITE:
            raise PermissionError(errno.EACCES, "Access is denied", path)
        real(path, **more)

    monkeypatch.setattr(os, "unlink", unlink)
    erase.erase(tmp_path / "env")
    assert not (tmp_path / "env").exists()


def entry(mode: int, tag: int) -> Any:
    """A row of a listing as Windows gives it: a junction calls itself a folder."""
    status = SimpleNamespace(st_mode=mode, st_reparse_tag=tag)
    return SimpleNamespace(is_dir=lambda follow_symlinks: stat.S_ISDIR(mode), stat=lambda follow_symlinks: status)


def test_a_junction_is_no_folder_and_a_file_of_the_cloud_is_one() -> None:
    junction, cloud = 0xA000_0003, 0x9000_101A
    assert not disk_windows.is_true_folder_entry(entry(stat.S_IFDIR, junction))
    assert disk_windows.is_true_folder_entry(entry(stat.S_IFDIR, cloud))
    assert disk_windows.is_true_folder_entry(entry(stat.S_IFDIR, 0))
    assert not disk_windows.is_true_folder_entry(entry(stat.S_IFREG, 0))


def test_the_names_of_a_file_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_windows(monkeypatch, walk, "entry_status", "is_true_folder_entry")
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    folders: list[walk.Folder] = []
    walk.walk(tmp_path, folders.append)
    assert {name: status.st_nlink for name, status in folders[0].files} == {"a": 2, "b": 2}


def test_nobody_is_numbered_and_no_quota_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "os_name", lambda: "windows")
    as_windows(monkeypatch, survey, "user_ids")
    monkeypatch.setattr("wizard.environments.quota.user_ids", disk_windows.user_ids)
    from wizard.environments.quota import quota_left

    assert quota_left("/dev/sda1") is None
    tmp_path.chmod(0o500)
    assert survey._may_empty(tmp_path, owner=4711)
    assert survey.mounted_in(tmp_path) == ()
    monkeypatch.setattr(os.path, "ismount", lambda path: True)
    assert survey.mounted_in(tmp_path) == ("",)


def test_the_ground_is_asked_of_the_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_windows(monkeypatch, ground, "room_of")
    monkeypatch.setattr(ground, "look_at_volume", lambda path: WindowsVolume(5, "exFAT", True, False, False))
    seen = ground.look_at_ground(tmp_path / "env")
    assert (seen.free, seen.kind, seen.is_network, seen.has_links, seen.files_left) == (5, "exFAT", True, False, None)


def test_what_a_file_belongs_to_and_how_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a\r\nb")
    status = (tmp_path / "a").stat()
    disk_windows.take_owner(tmp_path / "a", SimpleNamespace(st_uid=1, st_gid=1), status)  # type: ignore[arg-type]
    disk_windows.sync_folder(tmp_path / "gone")
    with os.fdopen(disk_windows.open_quietly(tmp_path / "a"), "rb") as file:
        assert file.read() == b"a\r\nb"
    assert (tmp_path / "a").stat().st_uid == status.st_uid


def test_long_paths_of_this_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "os_name", lambda: "windows")
    assert links.extended("C:\\a") == "\\\\?\\C:\\a"


# --- processes -------------------------------------------------------------------------------------------------------


class FakeJob:
    def __init__(self, seen: list[str]) -> None:
        self._seen = seen

    def assign(self, pid: int) -> bool:
        self._seen.append(f"in {pid}")
        return True

    def terminate(self) -> None:
        self._seen.append("ended")


class FakeProcess:
    pid = 7

    def __init__(self, seen: list[str], obeys: bool) -> None:
        self._seen, self._obeys = seen, obeys

    def send_signal(self, number: int) -> None:
        self._seen.append(f"signal {number}")

    def wait(self, seconds: float) -> int:
        self._seen.append(f"waited {seconds:g}")
        if not self._obeys:
            raise subprocess.TimeoutExpired("x", seconds)
        return 0


@pytest.mark.parametrize("obeys", [True, False])
def test_a_stop_asks_once_then_ends_the_job(monkeypatch: pytest.MonkeyPatch, obeys: bool) -> None:
    seen: list[str] = []
    monkeypatch.setattr(processes_windows, "Job", lambda: FakeJob(seen))
    monkeypatch.setattr(tree, "processes", processes_windows)
    stopped = tree.ProcessTree(FakeProcess(seen, obeys))  # type: ignore[arg-type]
    stopped.stop(StopTimeouts(interrupt=2, terminate=3, kill=4))
    assert seen == ["in 7", "signal 1", "waited 2", "ended"]
    stopped.kill()
    assert seen[4:] == ["ended"]
    assert processes_windows.child_arguments() == {"creationflags": creation.CHILD}


def test_the_worker_joins_a_job_and_needs_no_guardian(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(processes_windows, "Job", lambda: FakeJob(seen))
    monkeypatch.setattr(guardian, "processes", processes_windows)
    with guardian.guarded(("no such program",)):
        assert guardian.current() is None
    assert seen == [f"in {os.getpid()}"]

    def refused() -> FakeJob:
        raise OSError("refused")

    monkeypatch.setattr(processes_windows, "Job", refused)
    assert processes_windows.join_own_family()


def test_files_that_may_be_open() -> None:
    assert processes_windows.may_open(1000) == 1000
    assert processes_linux.may_open(16) >= 16


def test_who_runs_and_what_stops() -> None:
    assert processes_windows.is_running(os.getpid())
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert not processes_windows.is_running(ended.pid)
    assert processes_windows.STOP_SIGNALS == (signal.SIGINT, signal.SIGTERM, 21)
    assert set(processes_linux.STOP_SIGNALS) == {signal.SIGINT, signal.SIGTERM}


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
