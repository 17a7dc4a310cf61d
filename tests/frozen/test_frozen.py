"""The frozen program starts, knows its machine, opens its window, and carries what it needs and no more."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import wizard
from tests.frozen.conftest import ROOT

pytestmark = [pytest.mark.frozen, pytest.mark.slow]

MEBIBYTE = 1 << 20
ON_LINUX = pytest.mark.skipif(sys.platform == "win32", reason="of the archive for Linux")


def run(program: Path, environment: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(program), *arguments],
        env=dict(environment),
        cwd=program.parent.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_it_says_its_version(frozen_program: Path, frozen_environment: Mapping[str, str]) -> None:
    said = run(frozen_program, frozen_environment, "--version")
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.startswith(f"torch-wizard {wizard.__version__}")


def test_probe_is_one_json_document(frozen_program: Path, frozen_environment: Mapping[str, str]) -> None:
    said = run(frozen_program, frozen_environment, "probe", "--json")
    assert said.returncode == 0, said.stderr
    facts = json.loads(said.stdout)
    assert facts["schema"] == 1
    assert facts["os"] == ("windows" if sys.platform == "win32" else "linux")


def test_the_window_opens_and_closes(frozen_program: Path, frozen_environment: Mapping[str, str]) -> None:
    said = run(frozen_program, frozen_environment, "window", "--self-test")
    assert (said.returncode, said.stderr) == (0, "")


@ON_LINUX
def test_an_empty_environment_is_enough(frozen_program: Path, tmp_path: Path) -> None:
    """As from a service or a bare `env -i`: no PATH, no HOME, no language."""
    bare = {"TORCH_WIZARD_HOME": str(tmp_path / "home")}
    said = run(frozen_program, bare, "probe", "--json")
    assert (said.returncode, said.stderr) == (0, "")
    assert json.loads(said.stdout)["schema"] == 1
    window = run(frozen_program, {**bare, "QT_QPA_PLATFORM": "offscreen"}, "window", "--self-test")
    assert window.returncode == 0, window.stderr


def test_uv_travels_with_it(frozen_folder: Path, frozen_environment: Mapping[str, str]) -> None:
    uv = frozen_folder / "_internal" / "bin" / ("uv.exe" if sys.platform == "win32" else "uv")
    said = run(uv, frozen_environment, "--version")
    assert said.returncode == 0
    assert said.stdout.startswith("uv ")


@pytest.mark.parametrize("name", ["matrices", "resources"])
def test_our_data_are_whole(frozen_folder: Path, name: str) -> None:
    """All but what only makes the archive, the installer and the tables: as build_installer.spec leaves it out."""

    def files(folder: Path) -> set[str]:
        found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        names = {path.relative_to(folder).as_posix() for path in found}
        return {name for name in names if not name.startswith(("installer/", "linux/", "tables/"))}

    catalogues = {f"{source.removesuffix('.po')}.mo" for source in files(ROOT / name) if source.endswith(".po")}
    assert files(frozen_folder / "_internal" / name) == files(ROOT / name) | catalogues


def test_it_carries_no_more_than_it_needs(frozen_folder: Path) -> None:
    names = {path.name for path in frozen_folder.rglob("*")}
    assert "__pycache__" not in names
    assert not {name for name in names if "Qt6Quick" in name or "Qt6Qml" in name or name.startswith("opengl32sw")}
    assert "cryptography" not in names
    assert not {name for name in names if name.startswith(("libreadline", "libgdbm"))}, "under the GPL alone"
    assert not {name for name in names if name.startswith(("libgtk", "libatspi", "libepoxy", "libXcomposite"))}
    files = (path for path in frozen_folder.rglob("*") if path.is_file() and not path.is_symlink())
    assert sum(path.stat().st_size for path in files) <= 240 * MEBIBYTE


def test_every_licence_lies_beside_it(frozen_folder: Path) -> None:
    folder = frozen_folder / "_internal" / "licences"
    overview = (folder / "README.txt").read_text("utf-8")
    declared = {re.split(r"[ <>=!~;\[]", line)[0] for line in importlib.metadata.requires("torch-setup") or ()}
    ours = {re.sub(r"[-_.]+", "-", name).lower() for name in declared}
    inside = {path.name for path in (frozen_folder / "_internal").iterdir()}
    for name in {"python", "pyinstaller", "torch-setup", "shiboken6", *ours} - {"tomli"}:
        if name not in {"python", "pyinstaller", "torch-setup"} and not is_needed(name):
            continue
        assert len((folder / f"{name}.txt").read_text("utf-8")) > 500, name
        assert re.search(rf"^{name} +\S+ +\S", overview, re.MULTILINE), name
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in (folder / "LGPL-3.0.txt").read_text("utf-8")
    assert "put libraries of the same name" in overview
    assert {"uv.cyclonedx.json", "py-rattler.cyclonedx.json"} <= {path.name for path in folder.iterdir()}
    # They stay replaceable: Qt and PySide6 are files of their own, none is inside the program.
    assert {"PySide6", "shiboken6"} <= inside


def is_needed(name: str) -> bool:
    """Optional parts and test tools are declared too."""
    wanted = [line for line in importlib.metadata.requires("torch-setup") or () if "extra ==" not in line]
    return any(re.sub(r"[-_.]+", "-", line).lower().startswith(name) for line in wanted)


@ON_LINUX
def test_links_stay_inside(unpacked_folder: Path) -> None:
    links = [path for path in unpacked_folder.rglob("*") if path.is_symlink()]
    assert links
    for link in links:
        assert not link.readlink().is_absolute(), link
        assert link.resolve(strict=True).is_relative_to(unpacked_folder.resolve()), link


@ON_LINUX
def test_no_program_leaves_the_build_machines_paths(frozen_folder: Path) -> None:
    """A library path of the build machine would load other libraries there than here."""
    said = subprocess.run(["ldd", str(frozen_folder / "torch-wizard")], capture_output=True, text=True, check=True)
    assert str(ROOT) not in said.stdout
