"""The disk and other processes: full disks, two runs on one folder, a crashed one's lock, memory."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.install.files import locked, some_bytes
from tests.servers.fault_server import Faults, FaultServer
from tests.waiting import HANG, wait_until
from wizard.model.errors import WizardError
from wizard.model.lock import LockedFile
from wizard.model.messages import text
from wizard.transfer.download import Downloads, Fetcher, FetchProgress, worker
from wizard.transfer.download.fetcher import Options
from wizard.transfer.download.part_file import read_state, total

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="full disks are made with Linux's means"),
]

MB = 1 << 20
PAGE = 4096
ROOT = Path(__file__).resolve().parents[2]
PLAIN = Options(stall=5.0, backoff=0.02, environment={})
# The look at the free space must not be what finds it: the disk itself says so, in the middle of a write.
BLIND = Options(stall=5.0, backoff=0.02, environment={}, free_bytes=lambda folder: 1 << 40)


def recorded(store: Downloads, file: LockedFile) -> int:
    state = read_state(store.state_for(file))
    return total(state.done) if state else 0


def child(store: Downloads, *files: LockedFile) -> subprocess.Popen[str]:
    order = store.root.parent / "files.json"
    order.write_text(json.dumps([asdict(file) for file in files]), encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, "-m", "tests.install.fetch_child", str(store.root), str(order)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


# -- a full disk ---------------------------------------------------------------------------------------------


def check_sentence(error: WizardError, folder: Path) -> None:
    assert error.code == "fetch-no-space"
    for language in ("en", "zh_CN"):
        assert str(folder) in text(error.summary, language)
        assert text(error.hint, language)


def test_a_device_that_is_full(server: FaultServer, store: Downloads) -> None:
    """The kernel's own full device in the place of the part file."""
    data = some_bytes(3 * MB)
    file = locked(data, server.add("/a", data))
    store.part_for(file).parent.mkdir(parents=True)
    store.part_for(file).symlink_to("/dev/full")
    with pytest.raises(WizardError) as caught:
        Fetcher(store, options=BLIND).fetch([file])
    check_sentence(caught.value, store.root)
    assert not store.path_for(file).exists()


@contextlib.contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[None]:
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def may_mount(folder: Path) -> bool:
    try:
        with small_disk(folder / "probe", 1):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


def test_a_disk_that_fills_up_in_the_middle_goes_on_when_there_is_room(server: FaultServer, tmp_path: Path) -> None:
    """A real small file system; on a computer where none may be mounted, a limit of this process on file sizes."""
    data = some_bytes(14 * MB)
    file = locked(data, server.add("/a", data))
    disk = tmp_path / "disk"
    store = Downloads(disk / "downloads")
    if not may_mount(tmp_path):
        file_too_large(server, Downloads(tmp_path / "limited"), file)
        return
    with small_disk(disk, 8):
        with pytest.raises(WizardError) as caught:
            Fetcher(store, options=BLIND).fetch([file])
        check_sentence(caught.value, store.root)
        kept = recorded(store, file)
        assert 3 * MB < kept < 8 * MB, "its record found room"
        subprocess.run(["mount", "-o", "remount,size=32m", str(disk)], check=True)
        result = Fetcher(store, options=BLIND).fetch([file])
        assert result.paths[0].read_bytes() == data
        assert result.bytes_reused == kept
        assert result.bytes_fetched <= len(data) - kept + 8 * PAGE


def file_too_large(server: FaultServer, store: Downloads, file: LockedFile) -> None:
    import resource  # not on Windows

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8 * MB, before[1]))
    try:
        with pytest.raises(WizardError) as caught:
            Fetcher(store, options=BLIND).fetch([file])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert caught.value.code == "fetch-write"
    assert Fetcher(store, options=BLIND).fetch([file]).paths[0].read_bytes() == server._files["/a"][0]


def test_a_disk_that_others_fill_meanwhile(server: FaultServer, store: Downloads) -> None:
    """Enough before, too little while: it stops before the last byte of room is gone, and nothing is lost."""
    data = some_bytes(6 * MB)
    slow = Faults(bytes_per_second=MB, stall_after=2_500_000)  # the last byte never comes, however busy the computer
    file = locked(data, server.add("/a", data, slow))
    taken: list[int] = []
    options = Options(environment={}, free_bytes=lambda folder: 1000 if max(taken, default=0) > 2 * MB else 1 << 40)
    with pytest.raises(WizardError) as caught:
        Fetcher(store, options=options).fetch([file], on_progress=lambda progress: taken.append(progress.done))
    check_sentence(caught.value, store.root)
    server.add("/a", data)
    result = Fetcher(store, options=PLAIN).fetch([file])
    assert result.bytes_reused > MB
    assert result.bytes_fetched <= len(data) - result.bytes_reused + 8 * PAGE


# -- other processes -----------------------------------------------------------------------------------------


def test_two_processes_share_a_folder(server: FaultServer, store: Downloads) -> None:
    """Both end well, and every byte comes once."""
    data = [some_bytes(2 * MB, seed=number) for number in range(4)]
    slow = Faults(bytes_per_second=8 * MB)
    files = [locked(item, server.add(f"/{at}", item, slow), name=f"n{at}") for at, item in enumerate(data)]
    running = [child(store, *files), child(store, *reversed(files))]
    for process in running:
        process.communicate()
        assert process.returncode == 0
    for file, item in zip(files, data, strict=True):
        assert store.path_for(file).read_bytes() == item
    assert sum(server.sent.values()) == sum(map(len, data))


def test_a_crashed_holder_of_the_lock_stops_nobody(server: FaultServer, store: Downloads) -> None:
    """The second waits for the first, which is killed; it goes on with what the first had."""
    data = some_bytes(10 * MB)
    file = locked(data, server.add("/a", data, Faults(bytes_per_second=0.3 * MB, etag='"e"')))
    first = child(store, file)
    wait_until(lambda: recorded(store, file) > MB)
    second = child(store, file)
    wait_until(lambda: is_at_work(second.pid))
    first.kill()
    first.communicate()
    kept, asked_before = recorded(store, file), server.requests("/a")
    server.add("/a", data, Faults(etag='"e"'))
    second.communicate()
    assert second.returncode == 0
    assert store.path_for(file).read_bytes() == data
    asked = [re.findall(r"\d+", text or "") for text in server.ranges["/a"][asked_before:]]
    assert sum(int(end) + 1 - int(start) for start, end in asked) <= len(data) - kept + 8 * PAGE


def is_at_work(pid: int) -> bool:
    """Its threads are there, so it has looked at the lock or is about to."""
    with contextlib.suppress(OSError):
        return len(list(Path(f"/proc/{pid}/task").iterdir())) > 4
    return False


# -- memory --------------------------------------------------------------------------------------------------


def test_memory_stays_below_60_megabytes(server: FaultServer, store: Downloads) -> None:
    """Of the whole process, interpreter and imports with it, however large the files are."""
    data = some_bytes(90 * MB)
    small = some_bytes(MB, seed=2)
    files = [locked(data, server.add("/a", data), name="a"), locked(small, server.add("/b", small), name="b")]
    said = child(store, *files).communicate()[0]
    assert store.path_for(files[0]).stat().st_size == len(data)
    assert 10e6 < int(said) < 60e6


def test_a_folder_that_is_removed_in_the_middle_is_made_again(server: FaultServer, store: Downloads) -> None:
    """By a cleaning program, say: everything, with files that were whole and one that is open."""
    small, data = some_bytes(2_000, 7), some_bytes(12 * MB)
    files = [
        locked(small, server.add("/small", small), name="small"),
        locked(data, server.add("/large", data, Faults(bytes_per_second=4 * MB)), name="large"),
    ]
    removed: list[int] = []

    def remove(progress: FetchProgress) -> None:
        if progress.done > 4 * MB and not removed:
            removed.append(progress.done)
            shutil.rmtree(store.root)

    paths = Fetcher(store, connections=2).fetch(files, remove).paths
    assert removed
    assert paths[1].read_bytes() == data


def test_a_folder_that_is_removed_a_few_times_while_many_files_come_slowly(
    server: FaultServer, store: Downloads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every connection meets it at the same time, each with a buffer in its hands: the fetch must end all the same."""
    monkeypatch.setattr(worker, "_FLUSH_SECONDS", 0.1)
    slow = Faults(bytes_per_second=100_000)
    data = [some_bytes(300_000, seed=number) for number in range(8)]
    files = [locked(item, server.add(f"/{at}", item, slow), name=f"n{at}") for at, item in enumerate(data)]
    removed: list[int] = []
    too_late = time.monotonic() + HANG  # a fetch that hangs is ended

    def remove(progress: FetchProgress) -> None:
        if len(removed) < 3 and sum(recorded(store, file) > 0 for file in files) > 6:
            removed.append(progress.done)
            shutil.rmtree(store.root)

    fetcher = Fetcher(store, connections=8, options=PLAIN)
    paths = fetcher.fetch(files, remove, is_cancelled=lambda: time.monotonic() > too_late).paths
    assert len(removed) > 1
    assert [path.read_bytes() for path in paths] == data


def test_a_folder_that_is_removed_again_and_again_is_told(server: FaultServer, store: Downloads) -> None:
    data = some_bytes(200_000)
    file = locked(data, server.add("/a", data, Faults(bytes_per_second=100_000)))

    def remove(progress: FetchProgress) -> None:
        shutil.rmtree(store.root, ignore_errors=True)

    with pytest.raises(WizardError) as caught:
        Fetcher(store).fetch([file], remove)
    assert caught.value.code == "fetch-folder-gone"
    for language in ("en", "zh_CN"):
        assert str(store.root) in text(caught.value.summary, language)
