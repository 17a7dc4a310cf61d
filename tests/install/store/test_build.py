"""Into the store: the same files however the bytes come, and nothing left of what was odd, altered or cut off."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.install import wheels
from tests.install.conftest import stored_wheel
from tests.install.files import locked
from tests.install.store.feeding import PLAIN, accepted, contents, fed, pieces
from wizard.install.store import PackageStore
from wizard.install.store.build import StoreBuilder
from wizard.install.store.folder import BUILDING
from wizard.model.errors import Cancelled, WizardError
from wizard.model.lock import LockedFile
from wizard.system import paths
from wizard.transfer.download import Downloads, Fetcher
from wizard.transfer.download.fetcher import Options
from wizard.transfer.download.part_file import ALIGN, PartState, write_state


@pytest.mark.parametrize(("seed", "most"), [(1, 300_000), (2, 3_000_000), (3, 70_000), (4, 1 << 30)])
def test_however_the_bytes_come(tmp_path: Path, builder: StoreBuilder, seed: int, most: int) -> None:
    wheel = wheels.rich(tmp_path / "wheels")
    entry = accepted(builder, fed(builder, wheel, seed, most), wheel)
    assert contents(entry) == PLAIN
    assert max(file.number for file in entry.files) <= len(PLAIN)  # from the stream, not from the wheel


def test_byte_by_byte_through_every_header(tmp_path: Path, builder: StoreBuilder) -> None:
    wheel = wheels.build(tmp_path, files={"demo/a.py": b"a", "demo/empty.py": b"", "demo/b.bin": bytes(1 << 20)})
    entry = accepted(builder, fed(builder, wheel, most=1), wheel)
    assert contents(entry) == {"demo/a.py": b"a", "demo/empty.py": b"", "demo/b.bin": bytes(1 << 20)}


def test_from_the_wheel_alone(tmp_path: Path) -> None:
    assert contents(stored_wheel(wheels.rich(tmp_path))) == PLAIN


def test_programs_stay_programs(tmp_path: Path, builder: StoreBuilder) -> None:
    wheel = wheels.rich(tmp_path)
    entry = accepted(builder, fed(builder, wheel), wheel)
    modes = {file.path: os.access(entry.path_of(file), os.X_OK) for file in entry.files}
    assert modes == {name: name == "rich_demo/bin/tool" or sys.platform == "win32" for name in PLAIN}


def test_what_begins_anew_begins_anew(tmp_path: Path, builder: StoreBuilder) -> None:
    wheel = wheels.rich(tmp_path / "wheels")
    file, data = locked(wheel.read_bytes(), name="rich_demo"), wheel.read_bytes()
    builder.feed(file, 0, memoryview(data)[:2_000_000])
    assert contents(accepted(builder, fed(builder, wheel), wheel)) == PLAIN


def test_a_hole_ends_only_the_stream(tmp_path: Path, builder: StoreBuilder) -> None:
    wheel = wheels.rich(tmp_path / "wheels")
    file, data = locked(wheel.read_bytes(), name="rich_demo"), wheel.read_bytes()
    builder.feed(file, 0, memoryview(data)[:5_000])
    builder.feed(file, 5_001, memoryview(data)[5_001:])
    assert contents(accepted(builder, file, wheel)) == PLAIN


def test_only_what_fits_the_directory_is_kept(tmp_path: Path, builder: StoreBuilder) -> None:
    """The directory at the end is what counts: what stood in front under another name or as other bytes is not used."""
    wheel, other = wheels.rich(tmp_path), wheels.rich(tmp_path / "other", "other_demo")
    file = locked(wheel.read_bytes(), name="rich_demo")
    data = other.read_bytes()
    for start, piece in pieces(data, 1, 300_000):
        builder.feed(file, start, piece)
    assert contents(accepted(builder, file, wheel)) == PLAIN


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_a_file_of_which_a_part_fitted_is_not_believed(tmp_path: Path, builder: StoreBuilder) -> None:
    """The system says how much it took, and raises only at the next write."""
    import resource

    wheel = wheels.build(tmp_path, "demo", files={"demo/a.bin": b"x" * 6000})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        file = fed(builder, wheel)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert contents(accepted(builder, file, wheel))["demo/a.bin"] == b"x" * 6000


def test_the_fetcher_feeds_it(tmp_path: Path, builder: StoreBuilder) -> None:
    """Also with what an earlier attempt had fetched: it is read back for the hash."""
    wheel = wheels.rich(tmp_path / "wheels")
    file = locked(wheel.read_bytes(), wheel.as_uri(), name="rich_demo")
    downloads = Downloads(tmp_path / "downloads")
    part = downloads.part_for(file)
    part.parent.mkdir(parents=True)
    part.write_bytes(wheel.read_bytes()[: 2 * ALIGN])
    write_state(downloads.state_for(file), PartState(file.sha256, file.size or 0, ((0, 2 * ALIGN),), None, ""))
    result = Fetcher(downloads, 2, Options(tap=builder)).fetch([file])
    assert result.bytes_reused == 2 * ALIGN
    entry = accepted(builder, file, result.paths[0])
    assert contents(entry) == PLAIN
    assert max(each.number for each in entry.files) <= len(PLAIN)


def test_a_wrong_file_leaves_nothing(tmp_path: Path, builder: StoreBuilder) -> None:
    wheel = wheels.rich(tmp_path / "wheels")
    data = bytearray(wheel.read_bytes())
    data[-1] ^= 1
    good = locked(wheel.read_bytes(), wheel.as_uri(), name="rich_demo")
    wheel.write_bytes(data)
    with pytest.raises(WizardError) as caught:
        Fetcher(Downloads(tmp_path / "downloads"), 2, Options(tap=builder, backoff=0.01)).fetch([good])
    assert caught.value.code == "fetch-hash-mismatch"
    assert list(PackageStore().entries()) == []


@pytest.mark.parametrize("content", [b"", b"<html>", b"PK\3\4 and nothing else"])
def test_what_is_no_wheel_is_refused(tmp_path: Path, builder: StoreBuilder, content: bytes) -> None:
    path = tmp_path / "bad-1.0-py3-none-any.whl"
    path.write_bytes(content)
    with pytest.raises(WizardError) as caught:
        accepted(builder, locked(content, name="bad"), path)
    assert caught.value.code == "install-bad-wheel"
    assert list(PackageStore().entries()) == []


TEXT = "".join(f"line {number} of {number * 7919}\n" for number in range(200_000)).encode()  # packed by its letters


def spoil(wheel: Path) -> None:
    data = bytearray(wheel.read_bytes())
    for at in range(100_000, 102_000):
        data[at] ^= 0xFF
    wheel.write_bytes(data)


def test_a_file_that_was_spoiled_in_its_middle_is_fetched_anew(tmp_path: Path, builder: StoreBuilder) -> None:
    """What cannot be unpacked on the way is told by its hash, and none of its bytes is used again."""
    wheel = wheels.build(tmp_path / "wheels", "broken", files={"broken/big.txt": TEXT})
    good, whole = locked(wheel.read_bytes(), wheel.as_uri(), name="broken"), wheel.read_bytes()
    spoil(wheel)
    downloads = Downloads(tmp_path / "downloads")
    with pytest.raises(WizardError) as caught:
        Fetcher(downloads, 2, Options(tap=builder, backoff=0.01)).fetch([good])
    assert caught.value.code == "fetch-hash-mismatch"
    wheel.write_bytes(whole)
    result = Fetcher(downloads, 2, Options(tap=builder, backoff=0.01)).fetch([good])
    assert contents(accepted(builder, good, result.paths[0])) == {"broken/big.txt": TEXT}


@pytest.mark.parametrize("content", [wheels.LIBRARY, TEXT], ids=["not to be packed", "packed"])
def test_damage_inside_is_noticed(tmp_path: Path, builder: StoreBuilder, content: bytes) -> None:
    wheel = wheels.build(tmp_path, "broken", files={"broken/big.bin": content})
    spoil(wheel)
    with pytest.raises(WizardError) as caught:
        accepted(builder, fed(builder, wheel), wheel)
    assert caught.value.code == "install-bad-wheel"


def test_two_runs_with_one_wheel(tmp_path: Path) -> None:
    """The second takes what the first has put in, also when the wheel is gone by then."""
    wheel = wheels.rich(tmp_path)
    first, second = StoreBuilder(PackageStore(), "first"), StoreBuilder(PackageStore(), "second")
    file = fed(second, wheel)
    entry = accepted(first, file, wheel)
    inode = Path(entry.path_of(entry.files[0])).stat().st_ino
    wheel.unlink()
    again = accepted(second, file, wheel)
    assert Path(again.path_of(again.files[0])).stat().st_ino == inode
    first.close()
    second.close()


def test_an_altered_entry_is_replaced(tmp_path: Path, builder: StoreBuilder) -> None:
    wheel = wheels.rich(tmp_path)
    altered = accepted(builder, fed(builder, wheel), wheel)
    Path(altered.path_of(altered.files[0])).write_bytes(b"?")
    assert contents(accepted(builder, fed(builder, wheel), wheel)) == PLAIN


def test_it_stops_when_it_is_closed(tmp_path: Path) -> None:
    wheel = wheels.rich(tmp_path)
    builder = StoreBuilder(PackageStore(), "run")
    file = fed(builder, wheel)
    with PackageStore().lock_for(file.sha256):  # another run is at it
        builder.accept(file, wheel)
        closing = threading.Thread(target=builder.close)
        closing.start()
        closing.join(0.3)
    closing.join(20)
    assert not closing.is_alive()
    with pytest.raises(Cancelled):
        builder.wait(1.0)
    assert list(PackageStore().entries()) == []


def test_what_a_killed_run_left_goes_with_the_next() -> None:
    code = (
        "import os; from wizard.install.store import PackageStore;"
        "from wizard.install.store.build import StoreBuilder;"
        "StoreBuilder(PackageStore(), 'killed'); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", code])
    assert killed.returncode != 0
    building = paths.store_dir() / BUILDING
    assert (building / "killed").is_dir()
    going_on = StoreBuilder(PackageStore(), "another")  # runs still
    StoreBuilder(PackageStore(), "next").close()
    assert sorted(path.name for path in building.iterdir() if path.is_dir()) == ["another"]
    going_on.close()


def test_a_wheel_that_is_removed_before_its_turn_is_told(tmp_path: Path, builder: StoreBuilder) -> None:
    """With the folder of downloads, say."""
    wheel = wheels.rich(tmp_path / "downloads")
    file = fed(builder, wheel)
    wheel.unlink()
    with pytest.raises(WizardError) as caught:
        accepted(builder, file, wheel)
    assert (caught.value.code, caught.value.params["file"]) == ("install-wheel-gone", wheel.name)


def test_a_file_for_which_nobody_promised_a_hash(tmp_path: Path, builder: StoreBuilder) -> None:
    """It lies under the hash that was computed, and is found again by the address that it came from."""
    wheel = wheels.rich(tmp_path / "wheels")
    file = LockedFile("rich_demo", "1.0", wheel.name, (wheel.as_uri(),), "")
    Fetcher(Downloads(), 2, Options(tap=builder)).fetch([file], on_file=builder.accept)
    while not builder.wait(1.0):
        pass
    digest = locked(wheel.read_bytes()).sha256
    assert builder.hashes == {wheel.name: digest}
    entry = PackageStore().find(file)
    assert entry is not None
    assert entry.sha256 == digest
    assert contents(entry) == PLAIN
