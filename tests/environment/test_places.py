"""What a place is good for, before anything is put there: path, kind of disk, room, quota, caches, temporary folder."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from tests.app import values
from wizard.compatibility.model import Choices
from wizard.environment.create.package_cache import is_same_volume, package_cache
from wizard.environment.disk import Ground, look_at_ground, mount_of, parse_mounts, read_mounts
from wizard.environment.naming import hazards
from wizard.environment.remove.unfinished import mark_begun
from wizard.model.errors import WizardError
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import text
from wizard.run.model import Requirement, gigabytes_taken
from wizard.run.plan.place import (
    check_place,
    comfortable_bytes,
    environment_rows,
    in_cloud,
    path_rows,
    state_rows,
    temp_rows,
    told_of,
)
from wizard.run.run_folder import RunFolder
from wizard.run.steps.disk_space import (
    OWN_BYTES,
    PYTHON_BYTES,
    UNPACKED_RATIO,
    Demand,
    check_room,
    demands,
    room_told,
)
from wizard.run.steps.preflight import prefix_lock
from wizard.system import paths
from wizard.transfer.download import Downloads

# A laptop with btrfs, a lab's home on NFS, a stick, Windows seen from WSL, a folder mounted over another.
MOUNTS = r"""25 30 0:23 / /proc rw,nosuid,nodev,noexec,relatime shared:14 - proc proc rw
30 1 0:27 /root / rw,relatime shared:1 - btrfs /dev/nvme0n1p2 rw,compress=zstd:1,subvol=/root
61 30 0:27 /home /home rw,relatime shared:31 - btrfs /dev/nvme0n1p2 rw,compress=zstd:1,subvol=/home
70 30 0:52 / /nfs/home rw,relatime shared:40 - nfs4 filer.example:/export/home rw,vers=4.2,hard,sec=sys
75 30 0:55 / /home/ann/lab\040disk rw,nosuid,nodev,relatime shared:44 - fuse.sshfs ann@lab.example:/data rw,user_id=1000
78 30 8:17 / /media/ann/STICK\134 rw,noexec,nosuid - vfat /dev/sdb1 rw,fmask=0022,codepage=437
80 30 8:33 / /mnt/failing rw,relatime - ext4 /dev/sdc1 ro,errors=remount-ro
82 30 0:60 / /mnt/c rw,noatime - 9p drvfs rw,dirsync,aname=drvfs;path=C:\134
90 30 0:70 / /tmp rw,nosuid,nodev - tmpfs tmpfs rw,size=8G
91 90 0:71 / /tmp/x rw,relatime - tmpfs one rw
92 90 0:72 / /tmp/x rw,noexec - tmpfs two rw
93 30 0:73 / /data/\347\216\257\345\242\203 rw - xfs /dev/sdd1 rw
cut
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Linux's own table")
@pytest.mark.parametrize(
    ("path", "kind", "word"),
    [
        ("/home/ann/torch-envs", "btrfs", ""),
        ("/nfs/home/ann", "nfs4", "is_network"),
        ("/home/ann/lab disk/envs", "fuse.sshfs", "is_network"),
        ("/mnt/c/Users/ann", "9p", "is_network"),
        ("/media/ann/STICK\\", "vfat", "is_noexec"),
        ("/mnt/failing/x", "ext4", "is_read_only"),
        ("/tmp/x/y", "tmpfs", "is_noexec"),
        ("/tmp/xy", "tmpfs", ""),
        ("/data/环境/x", "xfs", ""),
        ("/database", "btrfs", ""),
    ],
)
def test_what_is_mounted_where(path: str, kind: str, word: str) -> None:
    mount = mount_of(Path(path), parse_mounts(MOUNTS))
    assert mount is not None
    assert mount.kind == kind
    true = {name for name in ("is_network", "is_noexec", "is_read_only") if getattr(mount, name)}
    assert true == ({word} if word else set())
    assert mount.has_links is (kind != "vfat")


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's own table")
def test_this_machines_own_table(tmp_path: Path) -> None:
    mount = mount_of(tmp_path.resolve(), read_mounts())
    ground = look_at_ground(tmp_path / "not" / "there")
    if mount is None:  # in a changed root the table names only what is mounted inside
        assert ground.kind == ""
    else:
        assert os.stat(mount.point).st_dev == tmp_path.stat().st_dev  # noqa: PTH116
        assert ground.kind == mount.kind
    assert ground.free is not None
    assert ground.free > 0
    assert not ground.is_noexec


def rows(found: Iterator[Requirement]) -> dict[str, Requirement]:
    listed = list(found)
    for row in listed:
        for words in (row.fact, row.why, row.fix):
            if words is not None:
                assert text(words, "en") != text(words, "zh_CN")
    return {row.fact.key.removeprefix("environments.").removesuffix(".fact"): row for row in listed}


def ground(**facts: object) -> Ground:
    return Ground(**{"path": Path("/e/t"), "volume": 1, "free": 90_000_000_000, **facts})  # type: ignore[arg-type]


def code_of(prefix: Path) -> str:
    with pytest.raises(WizardError) as caught:
        check_place(Choices(prefix=str(prefix)))
    assert text(caught.value.hint, "zh_CN") != text(caught.value.hint, "en")
    return caught.value.code


def test_a_folder_that_is_being_filled_is_busy_and_not_unfinished(tmp_path: Path) -> None:
    making, copying = tmp_path / "making 中", tmp_path / "copying"
    mark_begun(making, "20261121-100000-aaaa")
    mark_begun(copying, "clone-1234")
    with prefix_lock(str(making)), prefix_lock(str(copying)):
        assert [code_of(making), code_of(copying)] == ["run-busy", "run-busy"]
    assert [code_of(making), code_of(copying)] == ["target-unfinished", "target-unfinished-copy"]


def test_a_good_disk_is_only_told_of() -> None:
    found = rows(environment_rows(ground(kind="ext4", files_left=10**7)))
    assert list(found) == ["place.free"]
    assert found["place.free"].state == "ok"


@pytest.mark.parametrize(
    ("facts", "key", "state", "blocks"),
    [
        ({"is_read_only": True, "kind": "iso9660"}, "place.read-only", "problem", True),
        ({"is_noexec": True}, "place.noexec", "problem", True),
        ({"is_network": True, "kind": "nfs4"}, "place.network", "warning", False),
        ({"has_links": False, "kind": "exfat"}, "place.no-links", "warning", False),
        ({"files_left": 900}, "place.few-files", "warning", False),
        ({"free": 900_000_000}, "place.free", "problem", True),
        ({"free": 5_000_000_000}, "place.free", "warning", False),
        ({"free": 300_000_000, "by_quota": True}, "place.quota", "problem", True),
    ],
)
def test_each_trouble_of_a_disk(facts: dict[str, object], key: str, state: str, blocks: bool) -> None:
    row = rows(environment_rows(ground(**facts)))[key]
    assert (row.state, row.blocks) == (state, blocks)
    assert row.why is not None
    assert row.fix is not None


@pytest.mark.parametrize(("variant", "state"), [("cpu", "ok"), ("cu130", "warning"), ("", "warning")])
def test_the_room_is_held_against_the_build_that_comes(variant: str, state: str) -> None:
    row = rows(environment_rows(ground(free=5_000_000_000), variant))["place.free"]
    assert row.state == state
    if row.why is not None:
        assert row.why.params["gigabytes"] == round(comfortable_bytes(variant) / 1e9)


def test_a_disk_that_says_nothing_is_let_be() -> None:
    assert rows(environment_rows(ground(free=None))) == {}


def test_the_caches_and_the_temporary_folder() -> None:
    here = ground()
    assert list(rows(state_rows(ground(path=Path("/s")), here))) == ["place.same-disk"]
    other = rows(state_rows(ground(path=Path("/s"), volume=2, free=400_000_000), here))
    assert list(other) == ["place.caches", "place.other-disk"]
    assert other["place.caches"].blocks
    assert list(rows(temp_rows(None))) == ["place.no-temp"]
    assert [row.state for row in rows(temp_rows(Path(tempfile.gettempdir()))).values()] == ["ok"]


def test_hazards_of_the_path_have_a_reason_and_a_remedy() -> None:
    long = "C:\\Users\\ann\\OneDrive\\my 环境\\" + "x" * 110 + "&"
    found = rows(path_rows(hazards(long, "windows"), Path(long), {}, False))
    assert list(found) == [f"hazard.{name}" for name in ("space", "letters", "signs", "long", "cloud")]
    assert all(row.why and row.fix and row.state == "warning" for row in found.values())
    allowed = rows(path_rows(hazards(long, "windows"), Path(long), {}, True))
    assert allowed["hazard.long"].state == "note"
    assert list(told_of(allowed.values())) == [row.fact for name, row in allowed.items() if name != "hazard.long"]


def test_onedrive_by_any_name() -> None:
    own = {"OneDriveCommercial": "C:\\Users\\ann\\Firma"}
    assert in_cloud("c:\\users\\ann\\firma\\torch", own, "windows")
    assert not in_cloud("C:\\Users\\ann\\Firma2\\torch", own, "windows")
    assert not in_cloud("/home/ann/x", {"OneDrive": ""}, "linux")


def test_the_place_of_a_choice(home: Path) -> None:
    found = rows(iter(check_place(Choices(prefix=str(home / "my 环境")))))
    assert {"hazard.space", "hazard.letters", "place.free"} <= set(found)
    assert str(paths.home()) in text(found["place.same-disk"].fact)
    assert os.environ["TORCH_WIZARD_HOME"] == str(paths.home())


def test_another_disk_is_told(home: Path, other_disk: Path) -> None:
    assert not is_same_volume(home, other_disk / "x" / "y")
    assert is_same_volume(home, home / "x")
    assert "place.other-disk" in rows(iter(check_place(Choices(prefix=str(other_disk / "e")))))


def test_room_is_counted_for_each_disk(tmp_path: Path, other_disk: Path) -> None:
    free = look_at_ground(tmp_path).free or 0
    half = free * 6 // 10
    check_room([Demand(tmp_path / "a", half), Demand(other_disk / "b", 1000)])
    with pytest.raises(WizardError) as caught:
        check_room([Demand(tmp_path / "a", half), Demand(tmp_path / "b", half)])
    assert caught.value.code == "no-space"
    with pytest.raises(WizardError):
        check_room([Demand(other_disk / "b", 10**15)])


def test_what_each_place_is_told_to_take_adds_up(home: Path) -> None:
    """The wheels go once they are unpacked: they are told apart, and in no sum."""
    plan = values.plan("r", str(home / "e"))
    name = "torch-2.14.1-py3-none-any.whl"
    lock = Lock((LockedFile("torch", "2.14.1", name, ("https://x.example/t.whl",), "a" * 64, 100_000_000),), "")
    told = {one.key: one.params["needed"] for one in room_told(plan, lock)}
    assert told["change.in-between"] == 0.1
    assert told["environments.volume.environment"] == PYTHON_BYTES / 1e9
    assert told["environments.volume.cache"] == 0.21
    assert gigabytes_taken(room_told(plan, lock)) == 0.51
    keeps = replace(plan, choices=replace(plan.choices, keep_wheels=True))
    assert "change.in-between" not in {one.key for one in room_told(keeps, lock)}
    assert gigabytes_taken(room_told(keeps, lock)) == 0.61


def test_a_python_that_is_shared_takes_no_room_again(home: Path) -> None:
    plan, lock = replace(values.plan("r", str(home / "e")), engine="rattler", python="3.12"), Lock((), "")
    assert demands(plan, lock)[2].size == PYTHON_BYTES
    assert demands(replace(plan, engine="venv"), lock)[2].size == OWN_BYTES
    (package_cache(home / "e").folder / "python-3.12.7-h5d932e8_0").mkdir(parents=True)
    assert demands(plan, lock)[2].size == OWN_BYTES
    assert demands(replace(plan, python="3.11"), lock)[2].size == PYTHON_BYTES
    copies = replace(plan, choices=replace(plan.choices, copies=True))
    assert demands(copies, lock)[2].size == PYTHON_BYTES


def test_into_an_environment_only_what_comes_is_counted(home: Path) -> None:
    """Its own packages are there already, and what is replaced is kept: nothing is taken off for them."""
    made = values.plan("r", str(home / "e"))
    (home / "e").mkdir()
    (home / "e" / "weights.bin").write_bytes(b"x" * 5_000_000)
    file = LockedFile("torch", "2.14.1", "torch-2.14.1-py3-none-any.whl", ("https://x.example/t.whl",), "a" * 64, 1000)
    cache, store, environment = demands(replace(made, engine="existing"), Lock((file,), ""))
    assert (cache.size, store.size, environment.size) == (1000, int(1000 * UNPACKED_RATIO), 0)
    assert environment.path == home / "e"
    copies = replace(made, engine="existing", choices=replace(made.choices, copies=True))
    assert demands(copies, Lock((file,), ""))[2].size == int(1000 * UNPACKED_RATIO)


def test_the_python_that_a_class_has_locked_is_counted_with_the_downloads(home: Path) -> None:
    """Less what is there; the environment's own share for Python is there in any case."""
    plan = values.plan("r", str(home / "e"))
    files = [LockedFile(name, "1", f"{name}-1-0.conda", ("https://x.example/p",), name * 64, 700) for name in "ab"]
    folder = RunFolder(paths.runs_dir() / plan.id)
    folder.path.mkdir(parents=True)
    folder.python_files.write_bytes(msgspec.json.encode(files))
    assert demands(plan, Lock((), ""))[0].size == 1400
    here = Downloads().path_for(files[0])
    here.parent.mkdir(parents=True)
    here.touch()
    assert demands(plan, Lock((), ""))[0].size == 700
