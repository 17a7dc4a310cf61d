"""Broken data are named by file, line and column."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from wizard.compatibility.data.validate import check_folder
from wizard.system.paths import matrices_dir


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = tmp_path / "matrices"
    copy.mkdir()
    for path in matrices_dir().glob("*.csv"):
        shutil.copyfile(path, copy / path.name)
    return copy


def change(folder: Path, table: str, line: int, column: str, value: str) -> None:
    path = folder / f"{table}.csv"
    lines = path.read_text(encoding="utf-8").split("\n")
    index = lines[0].split(",").index(column)
    cells = lines[line - 1].split(",")
    assert '"' not in ",".join(cells[: index + 1]), "take another line"
    cells[index] = value
    lines[line - 1] = ",".join(cells)
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("releases", "torch", "two"),
        ("releases", "released", "yesterday"),
        ("builds", "variant", "rocm6.4"),
        ("builds", "platform", "macos"),
        ("builds", "pythons", "3.10;3.10"),
        ("builds", "pythons", ""),
        ("builds", "advertised", "maybe"),
        ("builds", "min_glibc", "new"),
        ("builds", "confidence", "sure"),
        ("arch_list", "architectures", "sm_80;unknown"),
        ("cuda_driver_floors", "driver_floor", "580 branch"),
        ("architectures", "dropped_since", "current"),
        ("gpus", "pci_id", "2182"),
        ("gpus", "capability", "high"),
        ("numpy_bounds", "numpy", "2"),
    ],
)
def test_a_bad_cell_is_named_by_its_path(folder: Path, table: str, column: str, value: str) -> None:
    change(folder, table, 3, column, value)
    assert f"{table}.3.{column}" in [problem.path for problem in check_folder(folder)]


def test_shape_and_keys(folder: Path) -> None:
    builds = folder / "builds.csv"
    lines = builds.read_text(encoding="utf-8").splitlines()
    builds.write_text("\n".join([*lines, lines[1], "1.7.0,cpu"]) + "\n", encoding="utf-8")
    (folder / "gpus.csv").unlink()
    (folder / "releases.csv").write_text("torch,date\n", encoding="utf-8")
    found = {problem.path: problem.message for problem in check_folder(folder)}
    assert found[f"builds.{len(lines) + 1}"] == "the same torch, variant, platform as line 2"
    assert found[f"builds.{len(lines) + 2}"].startswith("has 2 cells")
    assert found["gpus"] == "the file is missing"
    assert found["releases.1"].startswith("the columns must be torch, released")


@pytest.mark.parametrize(
    ("table", "column", "value", "path"),
    [
        ("builds", "torch", "9.9.9", "builds.2.torch"),
        ("builds", "min_glibc", "", "builds.2.min_glibc"),
        ("builds", "experimental_pythons", "3.6", "builds.2.experimental_pythons"),
        ("builds", "variant", "cu95", "builds.2.variant"),
        ("arch_list", "architectures", "sm_120", "arch_list.2.architectures"),
        ("arch_list", "variant", "cu95", "arch_list.2"),
        ("numpy_bounds", "torch", "9.9.9", "numpy_bounds.2.torch"),
        ("gpus", "capability", "12.0", "gpus.2.capability"),
    ],
)
def test_a_reference_that_leads_nowhere(folder: Path, table: str, column: str, value: str, path: str) -> None:
    change(folder, table, 2, column, value)
    problems = check_folder(folder)
    assert path in [problem.path for problem in problems]
    assert all(str(problem).startswith(problem.path) for problem in problems)
