"""The SHA-256 of real wheels: found by what the wheel is, whatever its file is called."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from wizard.app.use.tables import count_pins
from wizard.compatibility.bests import best_builds
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.data.overlay import write_overlay
from wizard.compatibility.data.validate import check_folder
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Driver, Gpu, Machine
from wizard.model.capability import ComputeCapability
from wizard.system.paths import HOME_VARIABLE, MATRICES_VARIABLE, matrices_dir, matrices_overlay_dir

SHIPPED = matrices_dir()
MATRIX = load_matrix(SHIPPED)
# Seen in the lock of karpathy/nanochat and on the default index.
CU128 = "2a1da940f0757621d098c9755f7504d791a72a40920ec85a4fd98b20253fca4e"
LEAST_PINNED = 53  # of 100
NAME = "torch-2.9.1%2Bcu128-cp311-cp311-manylinux_2_28_x86_64.whl"


def test_by_its_own_name() -> None:
    assert MATRIX.pinned_sha256(NAME) == {CU128}
    assert not MATRIX.contradicts_pin(NAME, CU128.upper())
    assert MATRIX.contradicts_pin(NAME, "0" * 64)


@pytest.mark.parametrize(
    "name",
    [
        "torch-2.9.1+cu128-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
        "torch-2.9.1+cu128-1-cp311-cp311-manylinux_2_28_x86_64.whl",
        "torch-2.9.1+CU128-cp311-cp311-linux_x86_64.whl",
        "Torch-2.9.1.0+cu128-cp311-cp311-linux_x86_64.whl",
    ],
)
def test_another_name_for_the_same_wheel_is_held_against_the_same_hash(name: str) -> None:
    assert MATRIX.contradicts_pin(name, "0" * 64)


@pytest.mark.parametrize(
    "tags",
    [
        "py3-none-manylinux_2_17_x86_64",
        "py3-none-any",
        "cp310-abi3-manylinux_2_28_x86_64",
        "cp311-abi3-manylinux_2_28_x86_64",
        "cp311-none-manylinux_2_28_x86_64",
        "cp311.cp312-cp311-manylinux_2_28_x86_64",
        "cp311.cp311-cp311-manylinux_2_28_x86_64",
        "cp311-cp311.none-manylinux_2_28_x86_64",
        "cp311.cp315-cp315-manylinux_2_28_x86_64",
        "cp311-cp311-none",
        "cp311-cp311-manylinux_2_28_X86_64",
        "cp311-cp311-manylinux_2_28_x86_64.any",
        "cp311-cp311-any",
        "CP311-cp311-any",
        "7-py3-none-linux_x86_64.linux_armv7l",
    ],
)
def test_other_tags_do_not_hide_a_strangers_wheel(tags: str) -> None:
    assert MATRIX.contradicts_pin(f"torch-2.13.0+cpu-{tags}.whl", "0" * 64)


@pytest.mark.parametrize("tags", ["cp311-cp311-linux_x86_64.linux_armv7l", "cp311.py3-cp311-any", "1-CP311-cp311-any"])
def test_the_true_wheel_under_other_tags_is_known(tags: str) -> None:
    name = f"torch-2.9.1+cu128-{tags}.whl"
    assert MATRIX.pinned_sha256(name) >= {CU128}
    assert not MATRIX.contradicts_pin(name, CU128)


def test_a_wheel_for_one_python_beside_one_for_all_is_a_strangers() -> None:
    assert MATRIX.contradicts_pin("torchvision-0.29.2-cp311-cp311-manylinux_2_28_x86_64.whl", "0" * 64)


@pytest.mark.parametrize(
    "name",
    [
        "torch-2.9.1+cu128-cp37-cp37m-manylinux_2_28_x86_64.whl",  # a Python without a row
        "torch-2.9.1+cu128-cp313-cp313t-manylinux_2_28_x86_64.whl",
        "torch-2.9.1+cu128-cp311-cp311-macosx_11_0_x86_64.whl",
        "torch-2.9.1+lab-cp311-cp311-manylinux_2_28_x86_64.whl",
        "numpy-2.3.0-cp311-cp311-manylinux_2_28_x86_64.whl",
        "torch.whl",
        "torch-2.9.1.tar.gz",
    ],
)
def test_of_another_wheel_nothing_is_known(name: str) -> None:
    assert MATRIX.pinned_sha256(name) == frozenset()
    assert not MATRIX.contradicts_pin(name, "0" * 64)


def test_every_row_is_found_by_its_file_name() -> None:
    with (SHIPPED / "wheel_hashes.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 1000
    assert [row["file"] for row in rows if row["sha256"] not in MATRIX.pinned_sha256(row["file"])] == []
    # Two sources name each sure row, and one alone each other.
    wrong = [row["file"] for row in rows if (" | " in row["source"]) != (row["confidence"] == "high")]
    assert wrong == []


def test_a_row_of_no_release_is_named(tables: Path, tmp_path: Path) -> None:
    pins = tables / "wheel_hashes.csv"
    before = pins.read_text(encoding="utf-8")
    row = f"torch-9.9.9-cp311-cp311-win_amd64.whl,{CU128},2026-11-22,medium,lab\n"
    try:
        pins.write_text(before + row + row.replace(CU128, CU128.upper()), encoding="utf-8")
        assert [problem.path for problem in check_folder(tables)] == ["wheel_hashes.3.sha256"]
        pins.write_text(before + row, encoding="utf-8")
        assert [problem.path for problem in check_folder(tables)] == ["wheel_hashes.2.file"]
    finally:
        pins.write_text(before, encoding="utf-8")


def test_the_users_rows_add_and_never_replace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.delenv(MATRICES_VARIABLE)
    added = "torch-2.15.0+cu134-cp312-cp312-win_amd64.whl"
    origin = {"as_of": "2026-11-22", "confidence": "medium", "source": "Lab"}
    rows = [{"file": name, "sha256": "0" * 64, **origin} for name in (added, NAME.replace("%2B", "+"))]
    assert write_overlay(matrices_overlay_dir(), {"wheel_hashes": rows[:1]}, matrices_dir()).problems == ()
    assert load_matrix().pinned_sha256(added) == {"0" * 64}
    (problem,) = write_overlay(matrices_overlay_dir(), {"wheel_hashes": rows}, matrices_dir()).problems
    assert problem.startswith("wheel_hashes.3.sha256: ")
    with (matrices_overlay_dir() / "wheel_hashes.csv").open("a", encoding="utf-8") as file:
        file.write(",".join(rows[1].values()) + "\n")
    state = load_matrix().overlay
    assert state is not None
    assert state.problems == (problem,)
    assert load_matrix().pinned_sha256(NAME) == {CU128}


@pytest.mark.parametrize(
    "tags",
    [
        "cp311-cp311-manylinux_2_28_x86_64",
        "cp311-cp311-linux_x86_64",
        "cp311-cp311-any",
        "cp311.cp312-cp311-linux_x86_64",
        "cp314-cp314-linux_aarch64",
    ],
)
def test_a_second_hash_for_a_pinned_wheel_is_named(tables: Path, tags: str) -> None:
    pins = tables / "wheel_hashes.csv"
    before = pins.read_text(encoding="utf-8")
    other = f"torch-2.9.1+cu128-{tags}.whl"
    first = other if "aarch64" in other else NAME.replace("%2B", "+")
    rows = [f"{name},{sha256},2026-11-22,medium,lab\n" for name, sha256 in ((first, CU128), (other, "0" * 64))]
    try:
        pins.write_text(before + "".join(rows), encoding="utf-8")
        assert [problem.path for problem in check_folder(tables)] == ["wheel_hashes.2.sha256"]
    finally:
        pins.write_text(before, encoding="utf-8")


def test_a_wheel_that_was_made_anew_has_a_hash_of_its_own(tables: Path) -> None:
    pins = tables / "wheel_hashes.csv"
    before = pins.read_text(encoding="utf-8")
    name = NAME.replace("%2B", "+")
    try:
        for again in (name.replace("-cp311", "-1-cp311", 1), name.replace("cp311", "cp312")):
            rows = (f"{name},{CU128},2026-11-22,medium,lab\n", f"{again},{'0' * 64},2026-11-22,medium,lab\n")
            pins.write_text(before + "".join(rows), encoding="utf-8")
            assert check_folder(tables) == []
    finally:
        pins.write_text(before, encoding="utf-8")


def test_the_best_builds_that_are_pinned_are_counted(tables: Path, tmp_path: Path) -> None:
    """What the table held on 2026-11-22 is the least; without its rows nothing is pinned."""
    assert count_pins(tables).pinned == 0
    pinned = Path(shutil.copytree(tables, tmp_path / "pinned"))
    shutil.copy(SHIPPED / "wheel_hashes.csv", pinned)
    counts = count_pins(pinned)
    assert counts.best >= 100
    assert counts.best > counts.pinned >= LEAST_PINNED


def test_what_the_rule_names_best_is_among_the_best_builds() -> None:
    best = best_builds(MATRIX)
    card = Gpu("nvidia", "RTX 4090", "10de:2684", ComputeCapability(8, 9))
    for driver, python in (("560.35.03", "3.12"), ("580.95.05", "3.9"), ("525.60.13", "3.14"), ("470.256.02", "3.10")):
        machine = Machine("linux", "x86_64", "2.36", Driver(driver, None), (card,))
        build = resolve(machine, MATRIX, Choices(python=python)).best
        assert build is not None
        assert (build.torch, build.variant, "linux_x86_64", python) in best


def test_a_further_hash_for_a_name_without_a_tag_is_named(tmp_path: Path) -> None:
    """For aarch64, where torchvision and torchaudio have one for each build, and no more; torch has just one."""
    tables = Path(shutil.copytree(SHIPPED, tmp_path / "tables"))
    pins = tables / "wheel_hashes.csv"
    before = pins.read_text(encoding="utf-8")
    tags = "cp312-cp312-manylinux_2_28_aarch64"
    for name in (f"torch-2.15.0-{tags}", f"torchvision-0.24.0-{tags}", f"torchvision-0.25.0-{tags}"):
        line = next(at for at, row in enumerate(before.splitlines(), start=1) if row.startswith(f"{name}.whl,"))
        pins.write_text(f"{before}{name}.whl,{'0' * 64},2026-11-22,medium,lab\n", encoding="utf-8")
        assert [problem.path for problem in check_folder(tables)] == [f"wheel_hashes.{line}.sha256"], name
    missing = f"torchvision-0.24.1-{tags}.whl"  # of five builds the table knows two
    pins.write_text(f"{before}{missing},{'0' * 64},2026-11-22,medium,lab\n", encoding="utf-8")
    assert check_folder(tables) == []
