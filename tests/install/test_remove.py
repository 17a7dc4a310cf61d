"""Taking out what a wheel has put in: what its RECORD may claim, and what is left of others."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.install import wheels
from tests.install.conftest import stored
from wizard.install.installer import Installer
from wizard.install.record import PART_SUFFIX, check_record, remove_partial
from wizard.system import paths


def test_remove_partial_takes_only_what_the_wheel_lists(tmp_path: Path, python: Path, site_packages: Path) -> None:
    first = wheels.build(tmp_path, "first", files={"shared/first.py": b"", "first.py": b"x"})
    second = wheels.build(tmp_path, "second", files={"shared/second.py": b""})
    Installer(python).install(stored(first, second))
    (site_packages / "shared/mine.txt").write_text("the user's own")
    remove_partial(first, site_packages)
    assert not (site_packages / "first.py").exists()
    assert not (site_packages / "first-1.0.dist-info").exists()
    assert sorted(path.name for path in (site_packages / "shared").iterdir()) == ["mine.txt", "second.py"]
    assert check_record(site_packages, second) == ()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_remove_partial_follows_no_link(tmp_path: Path, python: Path, site_packages: Path) -> None:
    wheel = wheels.build(tmp_path, "linked", files={"linked/a.py": b"x"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("precious")
    (site_packages / "linked").symlink_to(outside)
    remove_partial(wheel, site_packages)
    assert (outside / "a.py").read_text() == "precious"
    (site_packages / "linked").unlink()


def test_remove_partial_in_a_folder_that_others_fill(tmp_path: Path, site_packages: Path) -> None:
    """As NVIDIA's wheels do: each has its files in folders that all the others have too."""
    files = {f"vendor/cu13/include/{name}.h": b"x" for name in "ab"} | {"vendor/cu13/lib/a/b.so": bytes(2 << 20)}
    wheel = wheels.build(tmp_path, "vendor_one", files=files)
    include, lib = site_packages / "vendor/cu13/include", site_packages / "vendor/cu13/lib"
    for folder in (include / "a.h", lib / "a"):
        folder.parent.mkdir(parents=True, exist_ok=True)
    (include / "a.h").write_text("half")
    (include / "other.h").write_text("of another wheel")
    (lib / "a").mkdir()
    (lib / "a" / ("b.so" + PART_SUFFIX)).write_text("half")
    assert remove_partial(wheel, site_packages) == 2
    left = sorted(path.relative_to(site_packages).as_posix() for path in (site_packages / "vendor").rglob("*"))
    assert left == ["vendor/cu13", "vendor/cu13/include", "vendor/cu13/include/other.h"]
    assert remove_partial(wheel, site_packages) == 0
    shutil.rmtree(site_packages / "vendor")


def test_a_record_takes_nothing_of_another_package(tmp_path: Path, python: Path, site_packages: Path) -> None:
    """Its own RECORD lists another's files, which it does not hold, and those of no package at all."""
    other = wheels.build(tmp_path, "other", files={"other/a.py": b"a", "both.py": b"x"})
    Installer(python).install(stored(other))
    (site_packages / "notes.txt").write_text("the user's own")
    evil = wheels.build(tmp_path, "evil", files={"evil.py": b"", "both.py": b"y"})
    listed = ["other/a.py", "other-1.0.dist-info/RECORD", "other-1.0.dist-info/METADATA", "notes.txt", "../../bin/pip"]
    wheels.with_lines(evil, listed)
    (site_packages / "evil.py").write_text("half")
    assert remove_partial(evil, site_packages) == 1
    assert check_record(site_packages, other) == ()
    assert (site_packages / "both.py").read_bytes() == b"x"
    assert (site_packages / "notes.txt").exists()
    assert not (site_packages / "evil.py").exists()
    (site_packages / "notes.txt").unlink()
    remove_partial(other, site_packages)


def test_a_record_cannot_reach_outside(tmp_path: Path, site_packages: Path) -> None:
    precious = site_packages.parent / "precious.txt"
    precious.write_text("x")
    wheel = wheels.build(tmp_path, "evil", files={"../precious.txt": b"y", "evil.py": b""})
    remove_partial(wheel, site_packages)
    assert precious.read_text() == "x"
    precious.unlink()


def test_check_record_names_what_is_wrong(tmp_path: Path, python: Path, site_packages: Path) -> None:
    wheel = wheels.rich(tmp_path)
    Installer(python).install(stored(wheel))
    large = site_packages / "rich_demo/lib/large.so"
    large.unlink()
    large.write_bytes(b"short")
    (site_packages / "rich_demo/data/ü.txt").unlink()
    assert set(check_record(site_packages, wheel)) == {"rich_demo/lib/large.so", "rich_demo/data/ü.txt"}


def test_an_uninstall_takes_out_what_came_without_an_installer(
    tmp_path: Path, site_packages: Path, python: Path
) -> None:
    before = {path for path in python.parent.parent.rglob("*") if path.is_file()}
    Installer(python).install(stored(wheels.rich(tmp_path, old_script=False)))
    subprocess.run(
        [str(paths.uv_executable()), "pip", "uninstall", "-q", "--python", str(python), "rich_demo"], check=True
    )
    after = {path for path in python.parent.parent.rglob("*") if path.is_file() and path.name != ".lock"}  # uv's own
    assert after <= before


def test_a_record_without_an_installer_lists_only_what_the_wheel_brought(
    tmp_path: Path, site_packages: Path, python: Path
) -> None:
    """An uninstall deletes what it lists."""
    wheel = wheels.build(tmp_path)
    wheels.with_lines(wheel, ["../../../precious.txt", "demo-1.0.dist-info/more.txt"])
    Installer(python).install(stored(wheel))
    listed = (site_packages / "demo-1.0.dist-info/RECORD").read_text()
    assert "precious" not in listed
    assert "more.txt" not in listed
    assert "demo/__init__.py" in listed
