"""`envs history` and `envs restore STATE`: a chain of states, gone back through in order, bounded, without holes."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.line.wheel import build_wheel
from tests.line.world import TORCH, World
from tests.reuse.conftest import There
from tests.reuse.test_add import add, held
from tests.reuse.test_reuse import run_well
from tests.reuse.world import OLD, into, picture, versions
from wizard.diagnose.repair.snapshot import FOLDER, RepairSnapshot, kept_runs
from wizard.diagnose.repair.states import states_in
from wizard.environment.activate.programs import register_kernel
from wizard.system.paths import MATRICES_VARIABLE, matrices_dir
from wizard.undo.journal import UndoJournal
from wizard.undo.model import ChangeState

__all__ = ["held"]  # a fixture


def history(there: There) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(run_well_json(there.world, "envs", "history", str(there.prefix), "--json"))
    return document


def run_well_json(world: World, *arguments: str) -> str:
    done = world.run(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def without_kept(shown: dict[str, str]) -> dict[str, str]:
    return {name: what for name, what in shown.items() if not name.startswith(FOLDER)}


def test_each_state_says_what_came_and_all_come_back_in_order(held: There) -> None:
    setup = without_kept(picture(held.prefix))
    run_well(held.world, *add(held, "small", "--yes"))
    added = without_kept(picture(held.prefix))
    run_well(held.world, *add(held, "loner>=4", "--yes"))
    told = history(held)
    newest, middle, oldest = told["states"]
    assert [each["how"] for each in told["states"]] == ["add", "add", "setup"]
    assert newest["changes"] == [{"name": "loner", "was": "3.1", "now": "4.0"}]
    assert [(each["name"], each["was"], each["now"]) for each in middle["changes"]] == [
        ("small", None, "1.0"),
        ("tiny", None, "2.0"),
    ]
    assert {"name": "torch", "was": OLD, "now": f"{TORCH}+cpu"} in oldest["changes"]
    assert newest["time"] > middle["time"] > oldest["time"]
    assert oldest["bytes"] > 2_000_000 > newest["bytes"] > 0
    assert told["bytes"] >= oldest["bytes"]
    assert told["bound"]["days"] == 30
    said = run_well(held.world, "envs", "history", str(held.prefix))
    for words in (f"torch {OLD} → {TORCH}+cpu", "small 1.0 added", "packages added", middle["state"], "Kept: 3"):
        assert words in said, words
    assert "Older states are kept too (2)" in run_well(held.world, "envs", "show", str(held.prefix))
    assert held.world.run("envs", "restore", str(held.prefix), "20200101-000000-abcd", "--yes").returncode == 2
    back = json.loads(
        run_well_json(held.world, "envs", "restore", str(held.prefix), middle["state"], "--yes", "--json")
    )
    assert [each["state"] for each in back["restored"]] == [newest["state"], middle["state"]]
    assert without_kept(picture(held.prefix)) == setup != added
    assert [each["state"] for each in history(held)["states"]] == [oldest["state"]]
    run_well(held.world, "envs", "restore", str(held.prefix), oldest["state"], "--yes")
    assert versions(held.prefix)["torch"] == OLD
    assert not (held.prefix / FOLDER).exists()
    assert history(held)["states"] == []


def test_files_that_the_package_store_has_too_do_not_count(held: There) -> None:
    """The torch of `held` came from the store by links; put aside, it takes no room of its own."""
    done = held.world.run(*into(held.world, held.prefix, "--yes", "--variant", "cu126", "--with", "none"))
    assert done.returncode == 3, done.stderr
    newest = history(held)["states"][0]
    kept = held.prefix / FOLDER / newest["state"] / "kept"
    files = [path for path in kept.rglob("*") if path.is_file() and not path.is_symlink()]
    linked = [path for path in files if path.stat().st_nlink > 1]
    if not linked:
        pytest.skip("this disk shares blocks, not files")
    assert sum(path.stat().st_size for path in linked) > 1_000_000 > newest["bytes"]


@pytest.mark.parametrize("row", ["most = 10", "bytes = 10_000_000_000"])
def test_the_oldest_goes_when_it_is_more_than_the_bound(held: There, tmp_path: Path, row: str) -> None:
    tables = shutil.copytree(matrices_dir(), tmp_path / "tables")
    policy = tables / "policy.toml"
    small = {"most = 10": "most = 2", "bytes = 10_000_000_000": "bytes = 1_000_000"}[row]
    policy.write_text(policy.read_text().replace(row, small))
    world = replace(held.world, more={**held.world.more, MATRICES_VARIABLE: str(tables)})
    bounded = There(world, held.old, held.prefix)
    (setup,) = kept_runs(held.prefix)
    before = without_kept(picture(held.prefix))
    run_well(world, *add(bounded, "small", "--yes"))
    run_well(world, *add(bounded, "loner>=4", "--yes"))
    assert len(history(bounded)["states"]) == 2
    assert setup not in kept_runs(held.prefix)
    assert not (held.prefix / FOLDER / setup).exists()
    run_well(world, "envs", "restore", str(held.prefix), kept_runs(held.prefix)[-1], "--yes")
    assert without_kept(picture(held.prefix)) == before, "the way back has no hole"


def test_the_newest_stays_however_large(there: There, tmp_path: Path) -> None:
    tables = shutil.copytree(matrices_dir(), tmp_path / "tables")
    policy = tables / "policy.toml"
    policy.write_text(policy.read_text().replace("bytes = 10_000_000_000", "bytes = 1"))
    world = replace(there.world, more={**there.world.more, MATRICES_VARIABLE: str(tables)})
    before = picture(there.prefix)
    run_well(world, *into(world, there.prefix, "--yes"))
    run_well(world, "envs", "restore", str(there.prefix), "--yes")
    assert picture(there.prefix) == before


def test_a_run_that_another_lies_on_neither_goes_on_nor_back(held: There) -> None:
    """Its end is forgotten, as by a kill: to take it back now would mix both."""
    run_well(held.world, *add(held, "small", "--yes"))
    run_well(held.world, *add(held, "loner>=4", "--yes"))
    newest, middle, _ = kept_runs(held.prefix)
    before = picture(held.prefix)
    folder = held.world.home / "state" / "runs" / middle
    journal = folder / "journal.jsonl"
    lines = journal.read_text().splitlines()
    journal.write_text("\n".join(lines[:2]) + "\n")
    for line in (("runs", "--remove", middle), ("resume", middle)):
        done = held.world.run(*line)
        assert done.returncode == 1, (line, done.stderr)
        assert newest in done.stderr, done.stderr
        assert picture(held.prefix) == before, line
        journal.write_text("\n".join(lines[:2]) + "\n")
    done = held.world.run(*add(held, "follower", "--yes"))
    assert (done.returncode, "is not finished" in done.stderr) == (1, True), done.stderr
    run_well(held.world, "envs", "restore", str(held.prefix), middle, "--yes")
    assert "small" not in versions(held.prefix)
    assert versions(held.prefix)["loner"] == "3.1"


def test_the_doctors_undo_takes_back_no_addition(held: There) -> None:
    run_well(held.world, *add(held, "small", "--yes"))
    done = held.world.run("doctor", "--prefix", str(held.prefix), "--undo")
    assert done.returncode == 2, done.stderr
    assert "small" in versions(held.prefix)


def test_a_copy_comes_back_itself_and_not_the_original(held: There, tmp_path: Path) -> None:
    """By `cp`, with its states: the runs know the original's folder."""
    copied = tmp_path / "copied"
    run_well(held.world, *add(held, "loner>=4", "--yes"))
    subprocess.run(["cp", "-a", held.prefix, copied], check=True, timeout=120)
    before = picture(held.prefix)
    run_well(held.world, "envs", "restore", str(copied), "--yes")
    assert picture(held.prefix) == before
    assert versions(copied)["loner"] == "3.1"


def test_with_what_jupyter_starts_its_entry_in_the_list_goes(
    held: There, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was asked for stands first, whatever came with it."""
    build_wheel(tmp_path / "shelf", "ipykernel", "7.0", {"ipykernel/__init__.py": b""}, ["small", "also"])
    build_wheel(tmp_path / "shelf", "also", "1.0", {"also.py": b""})
    run_well(held.world, *add(held, "ipykernel", "--yes"))
    for name, value in held.world.environment.items():
        monkeypatch.setenv(name, value)
    (state, *_) = states_in(held.prefix)
    assert state.names == ("ipykernel", "also", "small", "tiny")
    file = register_kernel(held.prefix, "torch", "PyTorch (torch)")
    run_well(held.world, *add(held, "loner>=4", "--yes"))
    assert "no longer" not in run_well(held.world, "envs", "restore", str(held.prefix), "--yes")
    assert file.is_file(), "it works still"
    assert "Jupyter no longer lists “PyTorch (torch)”" in run_well(
        held.world, "envs", "restore", str(held.prefix), "--yes"
    )
    assert not file.exists()
    assert [one.state for one in UndoJournal().changes()] == [ChangeState.UNDONE]


def test_the_order_is_that_of_the_changes_not_of_the_clock(there: There) -> None:
    """The run with the earlier name came later: a clock that was set back, or a run that was taken back and goes on."""
    site = next(there.prefix.glob("lib/python3*/site-packages"))
    for run in ("20300101-000000-aaaa", "20200101-000000-bbbb"):
        RepairSnapshot(there.prefix, site, run).put((), (), (), [there.prefix / "pyvenv.cfg"])
    assert kept_runs(there.prefix) == ("20200101-000000-bbbb", "20300101-000000-aaaa")


def test_a_list_that_nobody_can_read_is_in_the_way_and_not_passed_over(held: There) -> None:
    run_well(held.world, *add(held, "small", "--yes"))
    newest = kept_runs(held.prefix)[0]
    (held.prefix / FOLDER / newest / "list.json").write_text("{")
    before = picture(held.prefix)
    oldest = kept_runs(held.prefix)[-1]
    assert held.world.run("envs", "restore", str(held.prefix), oldest, "--yes").returncode == 1
    assert picture(held.prefix) == before


def test_a_state_of_an_older_version_is_told_by_its_files(held: There) -> None:
    run_well(held.world, *add(held, "loner>=4", "--yes"))
    newest = kept_runs(held.prefix)[0]
    listed = held.prefix / FOLDER / newest / "list.json"
    data = json.loads(listed.read_text())
    for name in ("number", "how", "began", "changes"):
        del data[name]
    listed.write_text(json.dumps(data))
    told = next(each for each in history(held)["states"] if each["state"] == newest)
    assert told["changes"] == [{"name": "loner", "was": "3.1", "now": "4.0"}]
    assert told["how"] is None
