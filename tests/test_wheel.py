"""What `pipx install`, `uv tool install` and `pip install` put in place: the program, all its data, a command."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clone import ROOT, tracked
from wizard import __version__

BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """By the project's own build backend, without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(folder)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(folder / done.stdout.split()[-1]) as opened:
        yield opened


# How the program is packed up and its tables are made is for who has the source.
NOT_IN_IT = ("resources/installer/", "resources/linux/", "resources/tables/")


@pytest.mark.parametrize("folder", ["matrices", "resources"])
def test_every_file_of_data_is_in_it(wheel: zipfile.ZipFile, folder: str) -> None:
    wanted = {f"wizard/_data/{name}" for name in tracked(folder) if not name.startswith(NOT_IN_IT)}
    assert wanted <= set(wheel.namelist())


def test_what_packs_it_up_is_not_in_it(wheel: zipfile.ZipFile) -> None:
    unwanted = tuple(f"wizard/_data/{name}" for name in NOT_IN_IT)
    assert [name for name in wheel.namelist() if name.startswith(unwanted)] == []


def test_the_compiled_catalogues_are_in_it(wheel: zipfile.ZipFile) -> None:
    texts = [name for name in tracked("resources/locale") if name.endswith(".po")]
    assert texts
    assert {f"wizard/_data/{name[:-3]}.mo" for name in texts} <= set(wheel.namelist())


def test_every_module_is_in_it_and_nothing_else_of_the_tree(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    assert set(tracked("wizard")) <= names
    tops = {name.split("/")[0] for name in names}
    assert tops == {"wizard", f"torch_setup-{__version__}.dist-info"}
    assert not [name for name in names if "__pycache__" in name or "/tests/" in name]


def test_it_brings_the_command_and_the_licence(wheel: zipfile.ZipFile) -> None:
    info = f"torch_setup-{__version__}.dist-info"
    assert "torch-wizard = wizard.__main__:main" in wheel.read(f"{info}/entry_points.txt").decode()
    assert f"{info}/licenses/LICENSE" in wheel.namelist()
    assert f"Version: {__version__}" in wheel.read(f"{info}/METADATA").decode()


def test_the_program_finds_its_data_where_it_is_unpacked(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    """Its own copy of wizard, not this tree's; the other packages from here."""
    place = tmp_path / "site 环境"
    wheel.extractall(place)
    others = [entry for entry in sys.path if entry.endswith("site-packages")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(place), *others]), "TORCH_WIZARD_LANG": "en"}
    code = (
        "import sys, wizard.system.paths as p; assert p.__file__.startswith(sys.argv.pop(1)), p.__file__;"
        "from wizard.__main__ import main; sys.exit(main())"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-S",
            "-c",
            code,
            str(place),
            "pick",
            "--offline",
            "--json",
            "--machine",
            str(ROOT / "tests/data/machines/rtx-5070-ti-windows-581.json"),
        ],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"best"' in done.stdout
