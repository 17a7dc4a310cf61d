"""Rows that were learnt here: added, never in place of shipped ones, and left out whole when damaged."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wizard.compatibility.data import load
from wizard.compatibility.data.load import load_matrix, with_rows
from wizard.compatibility.data.overlay import read_overlay, remove_overlay, write_overlay
from wizard.compatibility.data.schema import TABLES
from wizard.system.paths import HOME_VARIABLE, matrices_dir, matrices_overlay_dir

ORIGIN = {"as_of": "2026-11-21", "confidence": "medium", "source": "Lab", "note": ""}
RELEASE = {
    "torch": "2.16.0",
    "released": "2026-11-21",
    "torchvision": "",
    "torchaudio": "",
    "torchaudio_python_max": "",
    **ORIGIN,
}
BUILD = {
    "torch": "2.16.0",
    "variant": "cu132",
    "platform": "linux_x86_64",
    "local_version": "cu132",
    "pythons": "3.12;3.13",
    "experimental_pythons": "",
    "advertised": "yes",
    "pypi_default": "no",
    "min_glibc": "2.28",
    **ORIGIN,
}
KERNELS = {
    "torch": "2.16.0",
    "variant": "cu132",
    "platform": "linux_x86_64",
    "architectures": "sm_75;sm_120",
    "evidence": "table inside the wheel",
    **ORIGIN,
}
TABLES_OF_IT = {"releases": [RELEASE], "builds": [BUILD], "arch_list": [KERNELS]}


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))


def test_rows_are_added_and_taken_back() -> None:
    assert load_matrix().overlay is None
    state = write_overlay(matrices_overlay_dir(), TABLES_OF_IT, matrices_dir())
    assert (state.rows, state.as_of, state.problems) == (3, "2026-11-21", ())
    matrix = load_matrix()
    build = matrix.builds[0]
    assert (build.torch, build.variant, build.pythons) == ("2.16.0", "cu132", ("3.12", "3.13"))
    assert build.kernels
    assert matrix.releases["2.16.0"].torchvision is None
    assert matrix.overlay == state
    assert remove_overlay(matrices_overlay_dir())
    assert not matrices_overlay_dir().exists()
    assert "2.16.0" not in load_matrix().releases
    assert not remove_overlay(matrices_overlay_dir())


def test_without_an_overlay_the_tables_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = load_matrix()
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(tmp_path / "another"))
    assert load_matrix() is shipped


def test_a_shipped_row_counts_before_the_overlays() -> None:
    shipped = load_matrix(matrices_dir()).build("2.14.1", "cu126", "linux_x86_64")
    rows = {"builds": [{**BUILD, "torch": "2.14.1", "variant": "cu126", "pythons": "3.8"}]}
    assert write_overlay(matrices_overlay_dir(), rows, matrices_dir()).problems == ()
    assert load_matrix().build("2.14.1", "cu126", "linux_x86_64") == shipped


def test_a_card_can_be_added_by_hand() -> None:
    card = {
        "pci_id": "10de:ffff",
        "name": "GeForce RTX 6090",
        "chip": "GB302",
        "architecture": "Blackwell",
        "capability": "12.0",
        "segment": "geforce-desktop",
        "several_names": "no",
        **ORIGIN,
    }
    assert write_overlay(matrices_overlay_dir(), {"gpus": [card]}, matrices_dir()).problems == ()
    found = load_matrix().card("10DE:FFFF")
    assert found
    assert found.name == "GeForce RTX 6090"


def row(name: str, cells: str, origin: str = ",2026-11,high,x,") -> str:
    """A whole table of one row."""
    columns = next(table for table in TABLES if table.name == name).columns
    return f"{','.join(columns)}\n{cells}{origin}\n"


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("builds.csv", "torch,variant\n1,2\n", "builds.1: the columns must be"),
        ("builds.csv", "", "builds.1"),
        ("builds.csv", row("builds", "2.16.0,rocm,linux_x86_64,,3.12,,yes,no,2.28"), "builds.2.variant"),
        ("builds.csv", row("builds", "2.99.0,cu132,linux_x86_64,,3.12,,yes,no,2.28"), "builds.2"),
        ("releases.csv", row("releases", "9.9.9,2026-11,,,"), "releases: torch 9.9.9 has no build"),
        ("arch_list.csv", row("arch_list", "2.15.0,cu132,linux_x86_64,sm_60,x"), "arch_list.2.architectures"),
        ("arch_list.csv", row("arch_list", "2.15.0,cu132", ""), "arch_list.2: has 2 cells"),
        ("surprise.csv", "a,b\n", "surprise: there is no such table"),
        ("builds.csv", '"' + "x" * 200_000, "builds"),
    ],
)
def test_a_damaged_overlay_is_named_and_left_out(name: str, text: str, problem: str) -> None:
    write_overlay(matrices_overlay_dir(), TABLES_OF_IT, matrices_dir())
    (matrices_overlay_dir() / name).write_text(text, encoding="utf-8")
    matrix = load_matrix()
    assert matrix.overlay
    assert any(found.startswith(problem) for found in matrix.overlay.problems), matrix.overlay.problems
    assert "2.16.0" not in matrix.releases
    assert matrix.builds == load_matrix(matrices_dir()).builds


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    folder = matrices_overlay_dir()
    folder.mkdir(parents=True)
    (folder / "gpus.csv").write_bytes(b"\xff\xfe\0\x81")
    assert read_overlay(folder, matrices_dir())[1].problems
    assert load_matrix().card("10de:2182")


def test_an_unsound_overlay_does_not_take_the_place_of_a_sound_one() -> None:
    folder = matrices_overlay_dir()
    write_overlay(folder, TABLES_OF_IT, matrices_dir())
    state = write_overlay(folder, {"releases": [{**RELEASE, "torch": "2.17.0"}]}, matrices_dir())
    assert state.problems
    assert "2.16.0" in load_matrix().releases
    assert not folder.with_name("matrices-overlay.new").exists()


def test_a_file_of_someone_elses_stays() -> None:
    folder = matrices_overlay_dir()
    write_overlay(folder, TABLES_OF_IT, matrices_dir())
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    write_overlay(folder, TABLES_OF_IT, matrices_dir())
    assert remove_overlay(folder)
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


def test_what_is_learnt_twice_is_there_once() -> None:
    write_overlay(matrices_overlay_dir(), TABLES_OF_IT, matrices_dir())
    other = {**BUILD, "variant": "cu130"}
    matrix = with_rows({"builds": [BUILD, other], "arch_list": [KERNELS]})
    found = [(build.variant, build.kernels is not None) for build in matrix.builds if build.torch == "2.16.0"]
    assert found == [("cu132", True), ("cu130", False)]


@pytest.mark.skipif(sys.platform == "win32", reason="to make a link needs a right there")
def test_a_table_that_vanishes_while_it_is_looked_at(tmp_path: Path) -> None:
    write_overlay(tmp_path / "overlay", TABLES_OF_IT, matrices_dir())
    stamp = load._stamp(tmp_path / "overlay")
    (tmp_path / "overlay" / "gone.csv").symlink_to(tmp_path / "nowhere")
    assert load._stamp(tmp_path / "overlay") == stamp
    assert len(stamp) == 3
