"""What people and tools do to a file that environments share, and what becomes of the siblings and of the store."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.abilities import needs_pip_programs
from tests.install import wheels
from tests.install.conftest import stored_wheel
from tests.install.files import locked
from wizard.install.installer import Installer, find_places
from wizard.install.record import check_record
from wizard.install.store import PackageStore, StoreEntry
from wizard.install.store.folder import altered_files
from wizard.model.lock import LockedFile

MODULE = "rich_demo/__init__.py"
LIBRARY = "rich_demo/lib/large.so"


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return wheels.rich(tmp_path / "wheels")


@pytest.fixture
def entry(wheel: Path) -> StoreEntry:
    return stored_wheel(wheel)


@pytest.fixture
def file(wheel: Path) -> LockedFile:
    return locked(wheel.read_bytes(), name="rich_demo")


def environment(folder: Path, *entries: StoreEntry, copies: bool = False, pip: bool = False) -> Path:
    """Its site-packages."""
    subprocess.run(
        [sys.executable, "-m", "venv", *([] if pip else ["--without-pip"]), str(folder)], check=True, timeout=120
    )
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    Installer(python, copies=copies).install(entries)
    return find_places(python).purelib


def python_of(site_packages: Path) -> str:
    return str(next(site_packages.parents[2].glob("bin/python"), site_packages.parents[1] / "Scripts/python.exe"))


def names(path: Path) -> int:
    return path.stat().st_nlink


def test_two_environments_hold_one_file(tmp_path: Path, entry: StoreEntry) -> None:
    one, other = environment(tmp_path / "one", entry), environment(tmp_path / "other", entry)
    for name in (MODULE, LIBRARY, "rich_demo/bin/tool", "rich_demo/data/ü.txt"):
        assert (one / name).stat().st_ino == (other / name).stat().st_ino
        assert names(one / name) == 3
    for name in ("RECORD", "METADATA", "INSTALLER"):
        path = f"rich_demo-1.0.dist-info/{name}"
        assert (one / path).stat().st_ino != (other / path).stat().st_ino


def test_copies_are_its_own(tmp_path: Path, entry: StoreEntry) -> None:
    one = environment(tmp_path / "one", entry, copies=True)
    assert names(one / LIBRARY) == 1
    assert (one / LIBRARY).read_bytes() == wheels.LIBRARY
    assert os.access(one / "rich_demo/bin/tool", os.X_OK)
    assert check_record(one, entry.wheel) == ()


def unlink(path: Path) -> None:
    path.unlink()


def rewrite_and_rename(path: Path) -> None:
    fresh = path.with_name("fresh")
    fresh.write_bytes(path.read_bytes() + b"# edited\n")
    fresh.replace(path)


def sed(path: Path) -> None:
    subprocess.run(["sed", "-i", "s/42/43/", str(path)], check=True)


def byte_code(path: Path) -> None:
    subprocess.run([sys.executable, "-m", "py_compile", str(path)], check=True)


def new_mtime(path: Path) -> None:
    os.utime(path)


def read_only(path: Path) -> None:
    path.chmod(0o444)


GENTLE = [unlink, rewrite_and_rename, sed, byte_code, new_mtime, read_only]


@pytest.mark.skipif(sys.platform == "win32", reason="sed and modes are not there")
@pytest.mark.parametrize("edit", GENTLE, ids=lambda edit: edit.__name__)
def test_what_replaces_a_file_or_touches_no_content_reaches_no_sibling(
    tmp_path: Path, entry: StoreEntry, file: LockedFile, edit: Callable[[Path], None]
) -> None:
    one, other = environment(tmp_path / "one", entry), environment(tmp_path / "other", entry)
    before = (other / MODULE).read_bytes()
    edit(one / MODULE)
    assert (other / MODULE).read_bytes() == before
    assert check_record(other, entry.wheel) == ()
    assert PackageStore().find(file, deep=True) is not None


def append(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b"# edited\n")


def overwrite(path: Path) -> None:
    path.write_bytes(b"answer = 7\n")


def cut(path: Path) -> None:
    os.truncate(path, 0)


def edit_unseen(path: Path) -> None:
    """Same length, same times."""
    status = path.stat()
    path.write_bytes(path.read_bytes().replace(b"42", b"43"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("edit", [append, overwrite, cut], ids=lambda edit: edit.__name__)
def test_an_edit_in_place_is_noticed_and_no_further_environment_gets_it(
    tmp_path: Path, wheel: Path, entry: StoreEntry, file: LockedFile, edit: Callable[[Path], None]
) -> None:
    one = environment(tmp_path / "one", entry)
    edit(one / MODULE)
    assert PackageStore().find(file) is None
    assert not entry.folder.exists()
    fresh = stored_wheel(wheel)  # as the next setup does
    other = environment(tmp_path / "other", fresh)
    assert (other / MODULE).read_bytes().startswith(b"answer = 42")
    assert altered_files(fresh, deep=True) == ()


def test_an_edit_that_nobody_can_see_is_found_by_the_hash(tmp_path: Path, entry: StoreEntry, file: LockedFile) -> None:
    one = environment(tmp_path / "one", entry)
    edit_unseen(one / MODULE)
    assert PackageStore().find(file) is not None
    assert [each.path for each in altered_files(entry, deep=True)] == [MODULE]
    assert PackageStore().find(file, deep=True) is None


def test_a_missing_file_of_the_store_itself(entry: StoreEntry, file: LockedFile) -> None:
    Path(entry.path_of(entry.files[0])).unlink()
    assert PackageStore().find(file) is None
    assert not entry.folder.exists()


def test_a_missing_rest(entry: StoreEntry, file: LockedFile) -> None:
    entry.wheel.unlink()
    assert PackageStore().find(file) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 2, "wheel": "a", "files": []}', '{"schema":1}'])
def test_a_manifest_that_says_nothing(entry: StoreEntry, file: LockedFile, text: str) -> None:
    (entry.folder / "entry.json").write_text(text)
    assert PackageStore().find(file) is None
    assert not entry.folder.exists()


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs a second user")
@pytest.mark.parametrize(("owner", "mode", "is_believed"), [(0, 0o755, True), (65534, 0o755, False), (0, 0o777, False)])
def test_who_could_have_written_it_decides(
    entry: StoreEntry, file: LockedFile, owner: int, mode: int, is_believed: bool
) -> None:
    entry.folder.chmod(mode)
    os.chown(entry.folder, owner, -1)
    assert (PackageStore().find(file) is not None) == is_believed


@pytest.mark.slow
@needs_pip_programs
def test_pip_takes_a_package_out_and_puts_another_in(tmp_path: Path, wheel: Path, entry: StoreEntry) -> None:
    one, other = environment(tmp_path / "one", entry, pip=True), environment(tmp_path / "other", entry)
    newer = wheels.build(tmp_path / "newer", "rich_demo", "2.0", files={MODULE: b"answer = 44\n"})
    pip = [python_of(one), "-m", "pip", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--no-index", "--no-deps", str(newer)], check=True, timeout=120)
    assert (one / MODULE).read_bytes() == b"answer = 44\n"
    assert not (one / LIBRARY).exists()
    subprocess.run([*pip, "uninstall", "-y", "rich_demo"], check=True, timeout=120)
    assert not (one / "rich_demo").exists()
    assert check_record(other, entry.wheel) == ()
    assert altered_files(entry, deep=True) == ()


def test_another_version_is_taken_out_before_the_links_come(tmp_path: Path, entry: StoreEntry) -> None:
    """uv removes what the old RECORD lists, also names that the new version has."""
    older = wheels.build(tmp_path / "older", "rich_demo", "0.9", files={MODULE: b"answer = 41\n", LIBRARY: b"old"})
    site_packages = environment(tmp_path / "one", stored_wheel(older))
    Installer(Path(python_of(site_packages))).install([entry])
    assert (site_packages / LIBRARY).read_bytes() == wheels.LIBRARY
    assert not (site_packages / "rich_demo-0.9.dist-info").exists()
    assert check_record(site_packages, entry.wheel) == ()


def test_a_file_that_is_in_the_way_is_replaced_not_written_through(tmp_path: Path, entry: StoreEntry) -> None:
    """Two packages may bring the same path; the one that came first is shared with somebody else."""
    first = wheels.build(tmp_path / "first", "first", files={"shared/same.py": b"first\n"})
    second = wheels.build(tmp_path / "second", "second", files={"shared/same.py": b"second\n"})
    store = [stored_wheel(first), stored_wheel(second)]
    site_packages = environment(tmp_path / "one", store[0])
    Installer(Path(python_of(site_packages))).install([store[1]])
    assert (site_packages / "shared/same.py").read_bytes() == b"second\n"
    assert altered_files(store[0], deep=True) == ()
