"""`setup --into` an environment that is there: what it would change, the change, and the way back byte for byte."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

from tests.environment.cheap import add_conda_package
from tests.line.world import TORCH, World, build_torch
from tests.reuse.conftest import There
from tests.reuse.world import OLD, fill, into, picture, site_of, versions
from tests.servers.index_server import IndexServer

SITE_NOTES = ("torch/my weights.bin", "numpy/notes/mine.txt")


def run_well(world: World, *arguments: str) -> str:
    done = world.run(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stderr + done.stdout


def test_the_plan_names_every_change_and_what_would_break(there: There) -> None:
    before = picture(there.prefix)
    said = run_well(there.world, *into(there.world, there.prefix, "--dry-run"))
    for line in (
        f"torch {OLD} → {TORCH}+cpu",
        "numpy 1.26.4 → 2.3.0",
        "padding-a 0.9 → 1.0",
        "padding-b 1.0 is added",
        "strict 1.0 asks for padding-a<1.0 and would get 1.0",
        "Packages that stay as they are: 2.",
        "(packages: 7)",
        "with Python 3",
    ):
        assert line in said, line
    assert said.index("strict 1.0 asks for") < said.index(f"torch {OLD}"), "what breaks comes first"
    assert picture(there.prefix) == before
    assert there.world.runs() == []


def test_the_three_places_are_named_before_anything_begins(there: There) -> None:
    cache, temp = there.world.home / "缓存 c", there.world.home / "t"
    said = run_well(
        there.world, *into(there.world, there.prefix, "--dry-run", "--cache-dir", str(cache), "--temp-dir", str(temp))
    )
    for line in (f"Environment: {there.prefix} (", f"package cache: {cache} (", f"Temporary files: {temp} ("):
        assert line in said, line
    done = there.world.run(*into(there.world, there.prefix, "--dry-run", "--cache-dir", str(there.prefix / "c")))
    assert done.returncode == 2, done.stderr
    assert "cache" in done.stderr
    assert there.world.runs() == []


def test_what_satisfies_stays(there: There, both_wheels: Path) -> None:
    """numpy 1.26 will do for torch, and an index has it: nothing but torch's own changes."""
    shelf = there.world.home / "shelf"
    shutil.copytree(both_wheels / "new" / "packages", shelf)
    for wheel in (both_wheels / "old").glob("[np]*.whl"):
        shutil.copy(wheel, shelf)
    with IndexServer(shelf) as packages:
        world = World(there.world.home, packages, there.world.torch)
        said = run_well(world, *into(world, there.prefix, "--dry-run"))
    assert "numpy 1.26.4 →" not in said
    assert "padding-a 0.9 →" not in said
    assert "asks for" not in said
    assert "Packages that stay as they are: 4." in said


def test_the_change_and_the_way_back(there: There) -> None:
    before = picture(there.prefix)
    said = run_well(there.world, *into(there.world, there.prefix, "--yes"))
    assert "torch.zeros(1) passed" in said
    now = versions(there.prefix)
    assert (now["torch"], now["numpy"], now["loner"], now["strict"]) == (f"{TORCH}+cpu", "2.3.0", "3.1", "1.0")
    assert (there.prefix / "share" / "pad" / "manual.txt").is_file()
    site = site_of(there.prefix)
    assert [(site / name).is_file() for name in SITE_NOTES] == [True, True], "what no package owns stays in its place"
    shown = json.loads(there.world.run("envs", "show", str(there.prefix), "--json").stdout)["environment"]
    (kept,) = shown["snapshots"]
    assert kept["bytes"] > 2_000_000
    assert {"torch", "numpy", "torchvision"} <= set(kept["packages"])
    assert "comes back with: torch-wizard envs restore '" in there.world.run("envs", "show", str(there.prefix)).stdout
    (site / "torch" / "written later.txt").write_text("after the change")
    assert there.world.run("envs", "restore", str(there.prefix)).returncode == 2, "nobody can be asked"
    said = run_well(there.world, "envs", "restore", str(there.prefix), "--yes")
    assert "again what they were" in said
    (site / "torch" / "written later.txt").unlink()
    assert picture(there.prefix) == before
    assert versions(there.prefix)["torch"] == OLD
    assert there.world.run("envs", "restore", str(there.prefix), "--yes").returncode == 2


def test_the_way_back_without_the_run_and_without_the_store(there: There) -> None:
    before = picture(there.prefix)
    run_well(there.world, *into(there.world, there.prefix, "--yes"))
    for name in ("runs", "store"):
        shutil.rmtree(there.world.home / "state" / name)
    run_well(there.world, "envs", "restore", str(there.prefix), "--yes")
    assert picture(there.prefix) == before


def test_nothing_to_change(there: There) -> None:
    run_well(there.world, *into(there.world, there.prefix, "--yes"))
    runs = there.world.runs()
    said = run_well(there.world, *into(there.world, there.prefix, "--yes"))
    assert "Nothing has to be changed" in said
    events = there.world.run(*into(there.world, there.prefix, "--yes", "--events")).stdout
    (told,) = map(json.loads, events.splitlines())
    assert (told["event"], told["prefix"], told["status"]) == ("unchanged", str(there.prefix), 0)
    assert there.world.runs() == runs


def test_the_next_run_keeps_the_older_state_and_goes_back_alone(there: There) -> None:
    run_well(there.world, *into(there.world, there.prefix, "--yes"))
    middle = picture(there.prefix)
    done = there.world.run(*into(there.world, there.prefix, "--yes", "--variant", "cu126", "--with", "none"))
    assert done.returncode == 3, done.stderr
    assert "torchvision 0.28.0+cpu asks for torch==2.13.0+cpu and would get 2.13.0+cu126" in done.stderr
    assert len(list((there.prefix / ".torch-setup-aside").iterdir())) == 2
    run_well(there.world, "envs", "restore", str(there.prefix), "--yes")
    assert picture(there.prefix) == middle


def test_what_is_kept_goes_after_thirty_days(there: There) -> None:
    run_well(there.world, *into(there.world, there.prefix, "--yes"))
    (folder,) = (there.prefix / ".torch-setup-aside").iterdir()
    run_well(there.world, "envs", "list")
    assert folder.exists()
    long_ago = time.time() - 31 * 86_400
    os.utime(folder, (long_ago, long_ago))
    assert str(folder) in run_well(there.world, "envs", "list")
    assert not folder.parent.exists()
    assert versions(there.prefix)["torch"] == f"{TORCH}+cpu"


def test_a_torch_that_cannot_be_imported_is_taken_back(there: There, tmp_path: Path) -> None:
    shelf = tmp_path / "bad torch"
    build_torch(shelf, f"{TORCH}+cpu", [], 1, {"do": "import-error", "cuda": None})
    before = picture(there.prefix)
    with IndexServer(shelf) as torch:
        world = World(there.world.home, there.world.packages, torch)
        done = world.run(*into(world, there.prefix, "--yes"))
    assert done.returncode == 1, done.stderr
    assert picture(there.prefix) == before


def test_the_environment_must_be_named_as_one_that_is_there(there: There) -> None:
    arguments = list(into(there.world, there.prefix))
    arguments[1] = "--prefix"
    done = there.world.run(*arguments, "--dry-run")
    assert done.returncode == 2
    assert "--into" in done.stderr
    assert "torch" in run_well(there.world, *arguments, "--reuse", "--dry-run")


def test_by_its_name(there: There) -> None:
    prefix = there.world.home / "state" / "envs" / "named"
    prefix.parent.mkdir(parents=True)
    run_well(there.world, "envs", "clone", str(there.prefix), "--prefix", str(prefix))
    assert f"torch {OLD} →" in run_well(
        there.world, "setup", "--into", "named", *into(there.world, prefix)[3:], "--dry-run"
    )
    again = ("setup", "--name", "named", "--reuse", *into(there.world, prefix)[3:], "--yes")
    run_well(there.world, *again)
    assert f"all of it is in {prefix} already" in run_well(there.world, *again)


def refused(there: There, *more: str, prefix: Path | None = None) -> str:
    before = picture(prefix or there.prefix)
    done = there.world.run(*into(there.world, prefix or there.prefix, "--yes", *more))
    assert done.returncode in (1, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert picture(prefix or there.prefix) == before
    assert there.world.runs() == []
    return done.stderr


def test_refused_by_the_name_of_the_package_that_no_index_has(there: There) -> None:
    assert "No package is named nowhere" in refused(there, "--with", "nowhere")


def test_refused_a_conda_installation(there: There) -> None:
    (there.prefix / "conda-meta").mkdir()
    (there.prefix / "conda-meta" / "history").touch()
    add_conda_package(there.prefix, "conda", "25.1.0", "py312_0", ["bin/conda"])
    (there.prefix / "envs").mkdir()
    assert "conda installation itself" in refused(there)


def test_refused_frozen_managed_link_unfinished_other_python(there: There) -> None:
    mark = there.prefix / ".torch-setup-unfinished.json"
    mark.write_text('{"schema": 1, "run": "20260101-000000-abcd", "existed": false, "parents": []}')
    assert "is not finished" in refused(there)
    mark.unlink()
    managed = site_of(there.prefix).parent / "EXTERNALLY-MANAGED"
    managed.touch()
    assert "managed by another tool" in refused(there)
    managed.unlink()
    second = site_of(there.prefix) / "torch-2.13.0+cu126.dist-info"
    second.mkdir()
    (second / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0+cu126\n")
    assert "Two builds of PyTorch lie over each other" in refused(there)
    shutil.rmtree(second)
    link = there.world.home / "link"
    link.symlink_to(there.prefix)
    assert "only a link" in there.world.run(*into(there.world, link, "--yes")).stderr
    assert "has Python 3." in refused(there, "--python", "3.14")
    assert "needs no engine" in refused(there, "--engine", "venv")
    (there.prefix / "conda-meta").mkdir()
    (there.prefix / "conda-meta" / "history").touch()
    (there.prefix / "conda-meta" / "frozen").write_text('{"message": "kept by the lab"}')
    assert "kept by the lab" in refused(there)


def test_refused_in_use(there: There) -> None:
    code = "import time; print('up', flush=True); time.sleep(600)"
    with subprocess.Popen([there.prefix / "bin" / "python", "-c", code], stdout=subprocess.PIPE) as user:
        assert user.stdout is not None
        user.stdout.readline()
        said = refused(there)
        user.kill()
    assert str(user.pid) in said


def test_refused_what_conda_owns(reuse_world: World, both_wheels: Path, tmp_path: Path, conda_channel: str) -> None:
    """A true conda prefix in which conda's own records list a package that is too old for what is asked; then torch
    itself, by a record alone."""
    world = World(reuse_world.home, reuse_world.packages, reuse_world.torch, conda_channel)
    assert world.run("setup", "--yes", "--name", "demo", *world.sources).returncode == 0
    prefix = world.home / "state" / "envs" / "demo"
    fill(prefix, both_wheels / "old", "numpy==1.26.4", "padding-a==0.9", f"torch=={OLD}")
    record = {"name": "numpy", "version": "1.26.4", "build": "py_0", "subdir": "linux-64"}
    inside = site_of(prefix).relative_to(prefix).as_posix()
    record_file = prefix / "conda-meta" / "padding-a-0.9-py_0.json"
    padding = {**record, "name": "padding-a", "version": "0.9"}
    record_file.write_text(json.dumps({**padding, "files": [f"{inside}/padding_a-0.9.dist-info/METADATA"]}))
    before = picture(prefix)
    done = world.run(*into(world, prefix, "--yes", "--with", "torchvision,padding-a>=1"))
    assert (done.returncode, "padding-a (padding-a 0.9)" in done.stderr) == (1, True), done.stderr
    record_file.unlink()
    torch_file = prefix / "conda-meta" / "pytorch-2.12.0-py_0.json"
    torch_file.write_text(json.dumps({**record, "name": "pytorch", "version": "2.12.0", "files": ["lib/libtorch.so"]}))
    done = world.run(*into(world, prefix, "--yes"))
    assert (done.returncode, "torch (pytorch 2.12.0)" in done.stderr) == (1, True), done.stderr
    assert "envs clone" in done.stderr
    torch_file.unlink()
    data_file = prefix / "conda-meta" / "pad-data-1-0.json"
    (prefix / "share" / "pad").mkdir(parents=True, exist_ok=True)
    (prefix / "share" / "pad" / "manual.txt").write_text("conda's")
    data_file.write_text(json.dumps({**record, "name": "pad-data", "version": "1", "files": ["share/pad/manual.txt"]}))
    done = world.run(*into(world, prefix, "--yes"))
    assert (done.returncode, "belongs to conda's package pad-data 1" in done.stderr) == (1, True), done.stderr
    data_file.unlink()
    (prefix / "share" / "pad" / "manual.txt").unlink()
    now = picture(prefix)
    changed = {name for name in {*before, *now} if before.get(name) != now.get(name)}
    assert changed <= {"share/pad", "conda-meta/padding-a-0.9-py_0.json"}
    assert world.run(*into(world, prefix, "--yes")).returncode == 0
