"""The package store on real file systems: what an environment shares there, by inode and by the blocks of the disk.

Each is made in a file and mounted (a loop device), which the administrator alone may do.
"""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.install import wheels
from tests.install.conftest import stored_wheel
from tests.install.store.test_harm import environment
from tests.tools import path_of
from wizard.install.record import check_record
from wizard.install.store import StoreEntry
from wizard.install.store.folder import altered_files

CONTENT = random.Random(7).randbytes(24_000_000)  # nothing that a file system could compress
LARGE = "large/large.bin"
ROOM = 640_000_000  # xfs wants 300 MB at least; the file has holes
MAKE = {
    "ext4": ("mkfs.ext4", "-q", "-F"),
    "xfs": ("mkfs.xfs", "-q", "-f", "-m", "reflink=1"),
    "xfs-without-reflink": ("mkfs.xfs", "-q", "-f", "-m", "reflink=0"),
    "btrfs": ("mkfs.btrfs", "-q", "-f"),
    "tmpfs": (),
}
SHARES_BLOCKS = ("xfs", "btrfs")

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0 or not Path("/dev/loop-control").exists(),
    reason="only the administrator mounts file systems, and only where there are loop devices",
)


@contextlib.contextmanager
def mounted(kind: str, folder: Path) -> Iterator[Path]:
    place, image = folder / kind, folder / f"{kind}.img"
    place.mkdir()
    if make := MAKE[kind]:
        path_of(make[0])
        image.touch()
        os.truncate(image, ROOM)
        subprocess.run([*make, str(image)], check=True, capture_output=True)
        command = ["mount", "-o", "loop", str(image), str(place)]
    else:
        command = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(place)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"{kind} cannot be mounted here: {done.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True, timeout=60)


def used(place: Path) -> int:
    os.sync()
    found = os.statvfs(place)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def stored(folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> StoreEntry:
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(home))
    return stored_wheel(wheels.build(folder / "wheels", "large", files={LARGE: CONTENT, "large/__init__.py": b""}))


@pytest.mark.parametrize("kind", MAKE)
def test_a_second_environment_takes_no_room(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with mounted(kind, tmp_path) as place:
        entry = stored(tmp_path, place / "home", monkeypatch)
        one = environment(place / "one", entry)
        before = used(place)
        other = environment(place / "other", entry)
        more = used(place) - before
        assert more < len(CONTENT) // 10, f"{more} bytes more"
        assert check_record(other, entry.wheel) == ()
        shares = kind in SHARES_BLOCKS
        assert (one / LARGE).samefile(other / LARGE) != shares
        assert (other / LARGE).stat().st_nlink == (1 if shares else 3)
        with (one / LARGE).open("r+b") as edited:
            edited.write(b"edited")
        assert ((other / LARGE).read_bytes() == CONTENT) == shares, "shared blocks part at the first edit"
        assert [file.path for file in altered_files(entry)] == ([] if shares else [LARGE])


@pytest.mark.parametrize("kind", ["xfs", "tmpfs"])
def test_an_environment_on_another_volume_has_copies(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with mounted(kind, tmp_path) as place:
        entry = stored(tmp_path, place / "home", monkeypatch)
        site_packages = environment(tmp_path / "env", entry)
        assert (site_packages / LARGE).stat().st_dev != place.stat().st_dev
        assert (site_packages / LARGE).read_bytes() == CONTENT
        assert (site_packages / LARGE).stat().st_nlink == 1
        assert check_record(site_packages, entry.wheel) == ()
        assert altered_files(entry, deep=True) == ()
