"""What the store holds, what pruning takes, verifying, moving; and a kill at any moment of linking."""

from __future__ import annotations

import os
import random
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.install import wheels
from tests.install.conftest import stored_wheel
from tests.install.files import locked
from tests.install.store.test_harm import LIBRARY, MODULE, environment, python_of
from tests.volumes import another_volume
from wizard.app.use import store as use_cases
from wizard.install.installer import Installer
from wizard.install.record import PART_SUFFIX, check_record
from wizard.install.store import PackageStore, StoreEntry
from wizard.install.store.folder import altered_files
from wizard.install.store.space import move, prune, usage, verify
from wizard.model.errors import UsageError, WizardError
from wizard.system import paths

ROOT = Path(__file__).resolve().parents[3]
KILLS = 50 if os.environ.get("TORCH_SETUP_THOROUGH") else 6


def two(folder: Path) -> tuple[StoreEntry, StoreEntry]:
    return stored_wheel(wheels.rich(folder)), stored_wheel(wheels.build(folder, "other"))


def test_what_an_environment_uses_stays(tmp_path: Path) -> None:
    used, unused = two(tmp_path / "wheels")
    site_packages = environment(tmp_path / "env", used)
    found = usage(PackageStore())
    assert {one.entry.sha256: one.is_used for one in found.stored} == {used.sha256: True, unused.sha256: False}
    assert [one.entry for one in found.unused] == [unused]
    assert found.freed == found.unused[0].size < found.size
    assert [one.entry for one in prune(PackageStore())] == [unused]
    assert [one.sha256 for one in PackageStore().entries()] == [used.sha256]
    assert check_record(site_packages, used.wheel) == ()
    shutil.rmtree(tmp_path / "env")
    assert [one.entry for one in prune(PackageStore())] == [used]
    assert usage(PackageStore()).size == 0


def test_what_a_run_is_to_install_stays(tmp_path: Path) -> None:
    first, second = two(tmp_path)
    assert [one.entry for one in prune(PackageStore(), {first.sha256})] == [second]


def test_what_somebody_is_at_stays(tmp_path: Path) -> None:
    entry = stored_wheel(wheels.rich(tmp_path))
    with PackageStore().lock_for(entry.sha256):
        assert prune(PackageStore()) == ()
    assert [one.entry for one in prune(PackageStore())] == [entry]


def test_a_store_that_is_not_there() -> None:
    assert usage(PackageStore()).stored == ()
    assert prune(PackageStore()) == ()
    assert list(verify(PackageStore())) == []


def test_verifying_takes_out_what_is_damaged_and_knows_where_else_it_is(tmp_path: Path) -> None:
    damaged, sound = two(tmp_path / "wheels")
    site_packages = environment(tmp_path / "env", damaged, sound)
    with (site_packages / LIBRARY).open("r+b") as stream:
        stream.write(b"?")
    status = (site_packages / LIBRARY).stat()
    found = list(verify(PackageStore()))
    assert [(one.entry, [file.path for file in one.files]) for one in found] == [(damaged, [LIBRARY])]
    assert found[0].inodes == ((status.st_dev, status.st_ino),)
    assert [one.sha256 for one in PackageStore().entries()] == [sound.sha256]
    assert list(verify(PackageStore())) == []


def test_moving_on_one_volume_keeps_what_is_shared(tmp_path: Path) -> None:
    entry, _ = two(tmp_path / "wheels")
    site_packages = environment(tmp_path / "env", entry)
    fresh = move(PackageStore(), tmp_path / "new" / "store")
    moved = {one.sha256: one for one in fresh.entries()}
    assert len(moved) == 2
    assert list(PackageStore().entries()) == []
    number = next(file for file in moved[entry.sha256].files if file.path == LIBRARY)
    assert Path(moved[entry.sha256].path_of(number)).samefile(site_packages / LIBRARY)
    assert altered_files(moved[entry.sha256], deep=True) == ()


def test_moving_to_another_volume(tmp_path: Path) -> None:
    entry = stored_wheel(wheels.rich(tmp_path / "wheels"))
    fresh = move(PackageStore(), another_volume(tmp_path) / "store")
    moved = next(fresh.entries())
    assert altered_files(moved) == ()
    environment(tmp_path / "env", moved)  # copied from there
    assert (moved.sha256, entry.folder.exists()) == (entry.sha256, False)
    shutil.rmtree(fresh.root)


def test_an_interrupted_move_goes_on(tmp_path: Path) -> None:
    first, second = two(tmp_path / "wheels")
    move_there = PackageStore(tmp_path / "new")
    move_there.create()
    shutil.copytree(first.folder, move_there.folder_for(first.sha256))  # killed before it took the old one away
    fresh = move(PackageStore(), tmp_path / "new")
    assert {one.sha256 for one in fresh.entries()} == {first.sha256, second.sha256}
    assert list(PackageStore().entries()) == []


def test_a_move_that_has_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored_wheel(wheels.rich(tmp_path / "wheels"))
    target = another_volume(tmp_path) / "store"
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10, 9, 1))
    with pytest.raises(WizardError) as caught:
        move(PackageStore(), target)
    assert caught.value.code == "no-space"
    shutil.rmtree(target)


@pytest.mark.slow
def test_killed_while_linking_the_store_stays_right_and_the_next_install_is_whole(tmp_path: Path) -> None:
    files = {f"many/part{number}.py": b"x = 1\n" for number in range(3000)} | {"many/big.bin": wheels.LIBRARY}
    entry = stored_wheel(wheels.build(tmp_path / "wheels", "many", files=files))
    site_packages = environment(tmp_path / "env")
    python = python_of(site_packages)
    code = (
        "import sys; from pathlib import Path; from wizard.install.installer import Installer;"
        "from wizard.install.store.folder import read_entry; print('go', flush=True);"
        "Installer(Path(sys.argv[1])).install([read_entry(Path(sys.argv[2]))])"
    )
    chance = random.Random(1)
    for _ in range(KILLS):
        command = [sys.executable, "-c", code, python, str(entry.folder)]
        child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
        assert child.stdout
        with child:
            child.stdout.readline()
            time.sleep(chance.uniform(0, 0.8))
            child.kill()
        assert altered_files(entry) == ()
    Installer(Path(python)).install([entry])
    assert check_record(site_packages, entry.wheel) == ()
    assert altered_files(entry, deep=True) == ()
    assert not list(site_packages.rglob(f"*{PART_SUFFIX}"))
    assert len(list(site_packages.glob("many/*.py"))) == 3000
    assert (site_packages / MODULE).exists() is False


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs a second user")
def test_an_administrators_store_serves_who_may_only_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it lacks goes into a store of one's own."""
    theirs = PackageStore(tmp_path / "theirs", shared=True)
    wheel = wheels.rich(tmp_path / "wheels")
    monkeypatch.setenv("TORCH_WIZARD_STORE", str(theirs.root))
    entry = stored_wheel(wheel)
    assert stat.S_IMODE(theirs.root.stat().st_mode) == 0o700  # made by the first use, for its owner alone
    theirs.root.chmod(0o755)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # as for an ordinary user; root may write anywhere
    file = locked(wheel.read_bytes(), name="rich_demo")
    found = PackageStore().find(file)
    assert found is not None
    assert found.folder == entry.folder
    assert PackageStore().wheel_of(file) == entry.wheel
    other = stored_wheel(wheels.build(tmp_path / "wheels", "other"))
    assert other.folder.parent == PackageStore().root == paths.home() / "store"
    (entry.folder / "1000000").write_bytes(b"?")  # damaged: theirs to mend
    assert PackageStore().find(file) is None
    assert entry.folder.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="rights are no bits there")
def test_a_shared_store_may_be_read_by_all_and_written_by_its_owner(tmp_path: Path) -> None:
    store = PackageStore(tmp_path / "store", shared=True)
    store.create()
    assert stat.S_IMODE(store.root.stat().st_mode) == 0o755
    private = PackageStore(tmp_path / "private")
    private.create()
    assert stat.S_IMODE(private.root.stat().st_mode) == 0o700


def test_no_folder_of_other_things_becomes_the_store(tmp_path: Path) -> None:
    entry = stored_wheel(wheels.rich(tmp_path / "wheels"))
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "thesis.tex").write_text("x")
    with pytest.raises(UsageError) as caught:
        use_cases.move(str(tmp_path / "documents"))
    assert caught.value.code == "store-folder-taken"
    assert [path.name for path in (tmp_path / "documents").iterdir()] == ["thesis.tex"]
    before = PackageStore().root
    use_cases.move(str(tmp_path / "new"))
    assert not before.exists(), "nothing is left of the old one"
    assert PackageStore().root == tmp_path / "new"
    assert [one.sha256 for one in PackageStore().entries()] == [entry.sha256]


def test_an_entry_without_its_manifest_is_taken_out(tmp_path: Path) -> None:
    entry = stored_wheel(wheels.rich(tmp_path))
    (entry.folder / "entry.json").unlink()
    assert prune(PackageStore()) == ()
    assert not entry.folder.exists()
