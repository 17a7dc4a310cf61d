"""Wheels that are damaged, or want more than a place of their own: one sentence, and nothing is changed."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from tests.install import wheels
from tests.install.conftest import stored
from tests.install.files import tree
from wizard.diagnose.checks.damage import damage_of
from wizard.environment.inspect.installation import read_installation
from wizard.install.installer import Installer
from wizard.install.record import is_installed, record_of
from wizard.model.distributions import changed_files
from wizard.model.errors import WizardError


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_damaged_metadata_in_the_store_are_told(tmp_path: Path, python: Path, method: int) -> None:
    entry = stored(wheels.build(tmp_path, method=method))[0]
    with zipfile.ZipFile(entry.wheel) as archive:
        member = archive.getinfo("demo-1.0.dist-info/METADATA")
    with entry.wheel.open("r+b") as stream:
        stream.seek(member.header_offset + 30 + len(member.filename))
        stream.write(b"\xff" * 8)
    with pytest.raises(WizardError) as caught:
        Installer(python).install([entry])
    assert caught.value.code == "install-bad-wheel"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_metadata_are_not_written_through_a_link(tmp_path: Path, site_packages: Path, python: Path) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("x")
    info = site_packages / "demo-1.0.dist-info" / "licenses"
    info.mkdir(parents=True)
    (info / "L").symlink_to(precious)
    wheel = wheels.build(tmp_path / "wheels", files={"demo.py": b"", "demo-1.0.dist-info/licenses/L": b"y"})
    Installer(python).install(stored(wheel))
    assert precious.read_text() == "x"
    assert (info / "L").read_bytes() == b"y"


def test_metadata_of_gigabytes_are_not_unpacked(tmp_path: Path, python: Path) -> None:
    """Zeros pack to a thousandth: the wheel is small."""
    wheel = wheels.build(tmp_path)
    with (
        zipfile.ZipFile(wheel, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("demo-1.0.dist-info/entry_points.txt", "w") as large,
    ):
        for _ in range(65):
            large.write(bytes(1 << 20))
    with pytest.raises(WizardError) as caught:
        Installer(python).install(stored(wheel))
    assert caught.value.code == "install-bad-wheel"
    assert "bytes of metadata" in caught.value.details


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        ("odd-1.0.data/data/pyvenv.cfg", "install-own-files"),
        ("odd-1.0.data/data/bin/activate", "install-own-files"),
        ("odd-1.0.data/data/bin/./activate.fish", "install-own-files"),
        ("odd-1.0.data/data/Scripts/Activate.ps1", "install-own-files"),
        ("odd-1.0.data/data/Scripts/python.exe", "install-own-files"),
        ("odd-1.0.data/data/conda-meta/history", "install-own-files"),
        ("odd-1.0.data/scripts/python3", "install-own-files"),
        ("../../../../../ESCAPED", "install-leads-out"),
        ("odd-1.0.data/data/../../ESCAPED", "install-leads-out"),
        ("odd-1.0.data/data//tmp/ESCAPED", "install-leads-out"),
        ("..\\..\\ESCAPED", "install-leads-out"),
    ],
)
def test_what_makes_the_environment_is_no_wheels_to_write(
    inside: str, code: str, tmp_path: Path, python: Path, site_packages: Path
) -> None:
    prefix = python.parent.parent
    before = tree(prefix)
    entries = stored(wheels.build(tmp_path, "odd", files={"odd.py": b"", inside: b"evil"}))
    with pytest.raises(WizardError) as caught:
        Installer(python).install(entries)
    assert caught.value.code == code
    assert caught.value.params["wheel"] == "odd-1.0-py3-none-any.whl"
    assert tree(prefix) == before


@pytest.mark.parametrize("name", ["python3", "../../ESCAPED"])
def test_a_program_is_no_way_around_that(name: str, tmp_path: Path, python: Path, site_packages: Path) -> None:
    text = f"[console_scripts]\n{name} = odd:main\n".encode()
    entries = stored(wheels.build(tmp_path, "odd", files={"odd.py": b"", "odd-1.0.dist-info/entry_points.txt": text}))
    before = tree(python.parent.parent)
    with pytest.raises(WizardError) as caught:
        Installer(python).install(entries)
    assert caught.value.code in ("install-own-files", "install-leads-out")
    assert tree(python.parent.parent) == before


def test_programs_that_are_only_called_alike_come(tmp_path: Path, python: Path, site_packages: Path) -> None:
    names = ("activate-global-python-argcomplete", "python-config-of-odd")
    files = {f"odd-1.0.data/scripts/{name}": b"#!python\n" for name in names}
    Installer(python).install(stored(wheels.build(tmp_path, "odd", files={"odd.py": b"", **files})))
    assert all((python.parent / name).exists() for name in names)


@pytest.mark.parametrize(
    ("names", "path"),
    [
        (("torch", "helper"), "shared/__init__.py"),
        (("helper", "torch"), "shared/__init__.py"),
        (("helper", "other"), "torch/__init__.py"),
        (("helper", "other"), "shared/core.abi3.so"),
        (("helper", "other"), "shared/lib.so.4.1"),
    ],
)
def test_two_packages_with_one_file_are_named(
    names: tuple[str, str], path: str, tmp_path: Path, python: Path, site_packages: Path
) -> None:
    """Of torch's family also where the file has the same length; of others where it is a library."""
    second = b"answer = 20\n" if ".so" in path else b"answer = 2\n"
    made = [
        wheels.build(tmp_path, name, files={path: text})
        for name, text in zip(names, (b"answer = 1\n", second), strict=True)
    ]
    with pytest.raises(WizardError) as caught:
        Installer(python).install(stored(*made))
    assert caught.value.code == "install-same-file"
    assert caught.value.params == {"path": path, "first": made[0].name, "second": made[1].name}


@pytest.mark.parametrize("texts", [(b"answer = 0\n", b"answer = 1\n"), (b"answer = 0\n", b"# none\n")])
def test_of_a_file_in_two_contents_the_later_one_is_no_damage(
    texts: tuple[bytes, bytes], tmp_path: Path, python: Path, site_packages: Path
) -> None:
    """As the plan let both in, so do the looks at contents afterwards; a third content is one."""
    made = [
        wheels.build(tmp_path, name, files={"shared/__init__.py": text})
        for text, name in zip(texts, ("helper", "other"), strict=True)
    ]
    Installer(python).install(stored(*made))
    both = read_installation(python.parent.parent, {}).distributions
    assert sorted(each.name for each in both) == ["helper", "other"]
    assert [damage_of(each, deep=True) for each in both] == [(), ()]
    assert all(is_installed(wheel, site_packages, deep=True) for wheel in made)
    (site_packages / "shared/__init__.py").unlink()
    (site_packages / "shared/__init__.py").write_bytes(b"answer = 7\n" if len(texts[1]) > 7 else b"# nine\n")
    assert [len(damage_of(each, deep=True)) for each in both] == [1, 1]
    assert not any(is_installed(wheel, site_packages, deep=True) for wheel in made)
    assert changed_files(site_packages, record_of(made[0]), "torch") == ("shared/__init__.py",)


def test_packages_may_share_a_file_that_is_the_same(tmp_path: Path, python: Path, site_packages: Path) -> None:
    both = [
        wheels.build(tmp_path, name, files={"shared/__init__.py": b"# all\n", f"shared/{name}.py": b""})
        for name in ("torch", "helper")
    ]
    Installer(python).install(stored(*both))
    assert sorted(path.name for path in (site_packages / "shared").glob("*.py")) == [
        "__init__.py",
        "helper.py",
        "torch.py",
    ]
