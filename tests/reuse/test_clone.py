"""`envs clone`: the copy runs in its new place, names the old one nowhere, and does not need it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from tests.line.world import World
from tests.reuse.conftest import There
from tests.reuse.world import OLD, picture, site_of, versions
from wizard.app.use.clone import carry_out_clone, plan_clone
from wizard.diagnose.checks.damage import damage_of
from wizard.environment.create.clone import clone, contents_of
from wizard.environment.inspect.look import look
from wizard.environment.remove.unfinished import mark_begun
from wizard.model.distributions import read_distributions
from wizard.model.errors import Cancelled

TARGET = "a copy 副本"


def texts_with(folder: Path, said: str) -> list[str]:
    found = []
    for path in folder.rglob("*"):
        if path.is_symlink():
            if said in str(path.readlink()):
                found.append(str(path))
        elif path.is_file() and path.suffix != ".pyc" and said.encode() in path.read_bytes():
            found.append(str(path))
    return found


def no_longer(path: Path) -> None:
    """Deleted, and nothing can come into its place unseen."""
    shutil.rmtree(path)


def test_one_that_was_moved_is_right_in_its_copy(there: There) -> None:
    """What it still says of the place where it was made is said of the new one."""
    made_in, target = there.prefix, there.world.home / TARGET
    moved = made_in.rename(made_in.with_name("moved"))
    (moved / "named.txt").write_text(f"{made_in}/bin {moved}/bin")
    assert there.world.run("doctor", "--prefix", str(moved)).returncode == 1
    done = there.world.run("envs", "clone", str(moved), "--prefix", str(target))
    assert done.returncode == 0, done.stderr
    assert (target / "named.txt").read_text() == f"{target}/bin {target}/bin"
    assert (texts_with(target, f"{made_in}/"), texts_with(target, f"{moved}/")) == ([], [])
    no_longer(moved)
    assert look(target).reason is None
    assert there.world.run("verify", "--prefix", str(target)).returncode == 0


def test_a_virtual_environment(there: There) -> None:
    prefix, target = there.prefix, there.world.home / TARGET
    outside = there.world.home / "outside.txt"
    outside.write_text("x")
    (prefix / "own link").symlink_to(prefix / "bin")
    (prefix / "own relative").symlink_to("bin/activate")
    (prefix / "foreign").symlink_to(outside)
    kernel = prefix / "share" / "kernel.json"
    kernel.parent.mkdir()
    kernel.write_text(json.dumps({"argv": [str(prefix / "bin" / "python")]}))
    (site_of(prefix) / "mine.pth").write_text(f"{prefix}/share\n{prefix}2/not-this\n")
    before = picture(prefix)
    done = there.world.run("envs", "clone", str(prefix), "--prefix", str(target))
    assert done.returncode == 0, done.stderr
    assert picture(prefix) == before
    assert texts_with(target, f"{prefix}/") == []
    assert json.dumps(str(prefix))[1:-1] not in (target / "share" / "kernel.json").read_text()
    assert f"{prefix}2/not-this" in (site_of(target) / "mine.pth").read_text(), "another folder of a longer name"
    assert os.readlink(target / "own link") == str(target / "bin")  # noqa: PTH115
    assert os.readlink(target / "own relative") == "bin/activate"  # noqa: PTH115
    assert (target / "foreign").read_text() == "x"
    assert [site.joinpath("torch", "my weights.bin").is_file() for site in (site_of(prefix), site_of(target))] == [
        True,
        True,
    ]
    no_longer(prefix)
    assert versions(target)["torch"] == OLD
    said = subprocess.run([target / "bin" / "f2py-old"], capture_output=True, text=True, check=True, timeout=60).stdout
    assert said.strip() == f"program of {target}"
    script = '. "$1/bin/activate" && python -c "import sys; print(sys.prefix)" && f2py-old'
    said = subprocess.run(["bash", "-c", script, "-", target], capture_output=True, text=True, check=True).stdout
    assert said.split("\n")[:2] == [str(target), f"program of {target}"]
    for each in read_distributions((site_of(target),)):
        assert damage_of(each, deep=True) == (), each.name
    assert there.world.run("verify", "--prefix", str(target)).returncode == 0
    rows = json.loads(there.world.run("envs", "show", str(target), "--json").stdout)["environment"]
    assert (rows["state"], rows["torch"], rows["engine"]) == ("ok", "2.12.0", "venv")


def test_never_by_hard_links(there: There) -> None:
    target = there.world.home / TARGET
    assert there.world.run("envs", "clone", str(there.prefix), "--prefix", str(target)).returncode == 0
    for path in target.rglob("*"):
        if path.is_file() and not path.is_symlink():
            assert path.stat().st_nlink == 1
    weights = site_of(target) / "torch" / "my weights.bin"
    weights.write_bytes(b"changed in the copy")
    assert (site_of(there.prefix) / "torch" / "my weights.bin").read_bytes() == b"three weeks of training"


def test_a_conda_environment(conda_world: World) -> None:
    world = conda_world
    assert world.run("setup", "--yes", "--name", "demo", *world.sources).returncode == 0
    prefix = world.home / "state" / "envs" / "demo"
    _add_binary(prefix)
    for name in ("activate.csh", "deactivate.csh", "state_variables.py"):
        (prefix / "bin" / name).unlink()  # as it was made before there were these files
    before = picture(prefix)
    done = world.run("envs", "clone", "demo", "--name", "the 副本")
    assert done.returncode == 0, done.stderr
    target = prefix.with_name("the 副本")
    assert str(target) in (target / "bin" / "activate.csh").read_text(), "written anew for the copy"
    assert picture(prefix) == before
    assert texts_with(target, f"{prefix}/") == []
    data = (target / "lib" / "libthing.so").read_bytes()
    assert len(data) == len((prefix / "lib" / "libthing.so").read_bytes())
    assert f"{target}/share\0".encode() in data
    no_longer(prefix)
    checked = 0
    for record in (target / "conda-meta").glob("*.json"):
        for entry in json.loads(record.read_text())["paths_data"]["paths"]:
            if entry.get("sha256_in_prefix") and entry.get("path_type") != "softlink":
                content = (target / entry["_path"]).read_bytes()
                assert hashlib.sha256(content).hexdigest() == entry["sha256_in_prefix"], entry["_path"]
                checked += entry.get("prefix_placeholder") is not None
    assert checked >= 1  # the library; a Python that was built elsewhere has more
    assert str(target) in (world.home / "user" / ".conda" / "environments.txt").read_text().splitlines()
    assert world.run("verify", "--prefix", str(target)).returncode == 0
    drift = world.run("doctor", "--json")
    assert json.loads(drift.stdout)["drift"] == [], "the copy's record of its good state is its own"
    pip = subprocess.run([target / "bin" / "pip", "--version"], capture_output=True, text=True, timeout=60)
    assert str(target) in pip.stdout, pip.stderr
    code = f"source '{target}/bin/activate' && echo $CONDA_PREFIX"
    on = subprocess.run(["bash", "-c", code], capture_output=True, text=True, timeout=60)
    assert (on.stdout, on.stderr) == (f"{target}\n", "")


def _add_binary(prefix: Path) -> None:
    """As rattler leaves a library into which the prefix was written over a long placeholder."""
    placeholder = "/placehold" * 25
    said = f"{prefix}/share".encode()
    body = b"\x7fELF" + b"\0" * 40 + said + b"\0" * (len(placeholder) - len(str(prefix)) + 1) + b"next string\0"
    (prefix / "lib" / "libthing.so").write_bytes(body)
    entry = {
        "_path": "lib/libthing.so",
        "path_type": "hardlink",
        "prefix_placeholder": placeholder,
        "file_mode": "binary",
        "sha256_in_prefix": hashlib.sha256(body).hexdigest(),
    }
    record = {"name": "thing", "version": "1", "build": "0", "subdir": "linux-64", "files": ["lib/libthing.so"]}
    text = json.dumps({**record, "paths_data": {"paths_version": 1, "paths": [entry]}}, indent=2)
    (prefix / "conda-meta" / "thing-1-0.json").write_text(text)


def test_a_frozen_one_becomes_ones_own_and_a_damaged_record_stays_as_it_is(there: There) -> None:
    meta = there.prefix / "conda-meta"
    meta.mkdir()
    (meta / "history").touch()
    (meta / "frozen").write_text("{}")
    (meta / "damaged-1-0.json").write_bytes(b"\xbe\xff\n\x00{")
    target = there.world.home / TARGET
    done = there.world.run("envs", "clone", str(there.prefix), "--prefix", str(target))
    assert done.returncode == 0, done.stderr
    assert (target / "conda-meta" / "damaged-1-0.json").read_bytes() == b"\xbe\xff\n\x00{"
    assert (target / "conda-meta" / "history").is_file()
    assert not (target / "conda-meta" / "frozen").exists()


def test_refused(there: There) -> None:
    world, prefix = there.world, there.prefix
    for target in (prefix / "inside", prefix, prefix.parent):
        done = world.run("envs", "clone", str(prefix), "--prefix", str(target))
        assert done.returncode == 2, done.stderr
        assert "Traceback" not in done.stderr
        assert ("is the environment itself" in done.stderr) is (target == prefix)
    busy = world.home / "busy"
    busy.mkdir()
    (busy / "thesis.txt").write_text("mine")
    assert "not empty" in world.run("envs", "clone", str(prefix), "--prefix", str(busy)).stderr
    assert (busy / "thesis.txt").read_text() == "mine"
    assert world.run("envs", "clone", str(prefix)).returncode == 2
    (busy / "pyvenv.cfg").write_text("home = /usr/bin")
    taken = world.run("envs", "clone", str(prefix), "--prefix", str(busy))
    assert (taken.returncode, "already an environment called “busy”" in taken.stderr) == (2, True), taken.stderr
    for python in (prefix / "bin").glob("python*"):
        python.unlink()
    assert "unfinished, broken" in world.run("envs", "clone", str(prefix), "--prefix", str(world.home / "x")).stderr
    assert not (world.home / "x").exists()


def test_cancelled_in_the_middle_nothing_is_left(there: There) -> None:
    source = look(there.prefix)
    assert source is not None
    target = there.world.home / "new" / "folders" / "copy"
    stop = threading.Event()
    plan = plan_clone(source, None, str(target), stop.is_set)

    def on_progress(done: int, total: int) -> None:
        if done > total // 3:
            stop.set()

    with pytest.raises(Cancelled):
        carry_out_clone(plan, on_progress, stop.is_set)
    assert not (there.world.home / "new").exists()


def test_progress_is_by_bytes_and_ends_at_all_of_them(there: There) -> None:
    source = look(there.prefix)
    assert source is not None
    target = there.world.home / "copy"
    contents = contents_of(there.prefix)
    mark_begun(target, "clone-test")
    seen: list[int] = []
    clone(source, target, contents, lambda done, total: seen.append(done), lambda: False)
    assert seen == sorted(seen)
    assert seen[-1] == contents.size
    assert len(seen) > 10


def test_what_belongs_to_a_process_is_not_copied(there: There) -> None:
    os.mkfifo(there.prefix / "pipe")
    target = there.world.home / "copy"
    assert there.world.run("envs", "clone", str(there.prefix), "--prefix", str(target)).returncode == 0
    assert not (target / "pipe").exists()
