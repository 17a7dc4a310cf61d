"""The frozen program starts, knows its machine, opens its window, and carries what it needs and no more."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import wizard
from tests.frozen.conftest import ROOT

pytestmark = [pytest.mark.frozen, pytest.mark.slow, pytest.mark.xdist_group("frozen")]

MEBIBYTE = 1 << 20


def run(program: Path, environment: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(program), *arguments], env=dict(environment), cwd=program.parent.parent, stdin=subprocess.DEVNULL,
        capture_output=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip


def test_it_says_its_version(frozen_program: Path, frozen_environment: Mapping[str, str]) -> None:
    said = run(frozen_program, frozen_environment, "--version")
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout == f"torch-wizard {wizard.__version__}\n"


def test_probe_is_one_json_document(frozen_program: Path, frozen_environment: Mapping[str, str]) -> None:
    said = run(frozen_program, frozen_environment, "probe", "--json")
    assert said.returncode == 0, said.stderr
    facts = json.loads(said.stdout)
    assert facts["schema"] == 1
    assert facts["os"] == ("windows" if sys.platform == "win32" else "linux")


def test_the_window_opens_and_closes(frozen_program: Path, frozen_environment: Mapping[str, str]) -> None:
    said = run(frozen_program, frozen_environment, "window", "--self-test")
    assert (said.returncode, said.stderr) == (0, "")


def test_uv_travels_with_it(frozen_folder: Path, frozen_environment: Mapping[str, str]) -> None:
    uv = frozen_folder / "_internal" / "bin" / ("uv.exe" if sys.platform == "win32" else "uv")
    said = run(uv, frozen_environment, "--version")
    assert said.returncode == 0
    assert said.stdout.startswith("uv ")


@pytest.mark.parametrize("name", ["matrices", "resources"])
def test_our_data_are_whole(frozen_folder: Path, name: str) -> None:
    def files(folder: Path) -> set[str]:
        found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        return {path.relative_to(folder).as_posix() for path in found}

    assert files(frozen_folder / "_internal" / name) == files(ROOT / name)


def test_it_carries_no_more_than_it_needs(frozen_folder: Path) -> None:
    names = {path.name for path in frozen_folder.rglob("*")}
    assert "__pycache__" not in names
    assert not {name for name in names if "Qt6Quick" in name or "Qt6Qml" in name or name.startswith("opengl32sw")}
    files = (path for path in frozen_folder.rglob("*") if path.is_file() and not path.is_symlink())
    assert sum(path.stat().st_size for path in files) < 260 * MEBIBYTE
