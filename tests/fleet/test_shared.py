"""One environment for every user of a computer: its modes, what refuses it, and other users at work in it, for real."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.line.world import PYTHON, TORCH, World
from tests.users import AS_STRANGER, READING, STRANGER
from wizard.environment.create.modes import closed_to_others, open_to_all, open_way_to, shared_mode

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """pytest's own folders are closed to other users."""
    folder = Path(tempfile.mkdtemp(prefix="torch-setup-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def wrong_modes(prefix: Path) -> list[str]:
    found = []
    for path in (prefix, *prefix.rglob("*")):
        status = path.lstat()
        if not stat.S_ISLNK(status.st_mode):
            mode = stat.S_IMODE(status.st_mode)
            runs = path.is_dir() or mode & stat.S_IXUSR
            if mode & 0o022 or mode & 0o444 != 0o444 or (runs and mode & 0o111 != 0o111):
                found.append(f"{mode:o} {path}")
    return found


def test_whatever_the_umask_every_user_may_use_it(conda_world: World, open_folder: Path) -> None:
    prefix = open_folder / "made" / "by setup" / "torch"
    closed = ("bash", "-c", 'umask 077; exec "$@"', "-", *conda_world.program)
    world = World(conda_world.home, conda_world.packages, conda_world.torch, conda_world.channel, closed)
    words = ("setup", "--yes", "--shared", "--prefix", str(prefix), *world.sources)
    done = world.run(*words)
    assert done.returncode == 0, done.stderr
    assert "nobody but its owner may change it" in done.stderr
    assert wrong_modes(prefix) == []
    assert stat.S_IMODE(prefix.parent.stat().st_mode) & 0o055 == 0o055
    assert list(prefix.glob("lib/python3*/site-packages/torch/__pycache__/*.pyc")), "users cannot write them"
    assert stat.S_IMODE((world.home / "state" / "runs").stat().st_mode) == 0o700, "what is the owner's stays so"
    assert world.run(*words, "--if-missing").returncode == 0
    if os.geteuid() == 0:
        _a_stranger_works_in_it(world, prefix)


def _a_stranger_works_in_it(world: World, prefix: Path) -> None:
    before = {path: path.lstat().st_mtime_ns for path in prefix.rglob("*")}
    python = str(prefix / "bin" / "python")
    used = subprocess.run(
        [*AS_STRANGER, python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True, cwd="/"
    )
    assert used.stdout.strip() == f"{TORCH}+cpu", used.stderr
    refused = subprocess.run([*AS_STRANGER, python, "-c", f"open({str(prefix / 'x')!r}, 'w')"], capture_output=True)
    assert b"PermissionError" in refused.stderr

    home = prefix.parents[2] / "stranger"
    home.mkdir()
    os.chown(home, STRANGER, STRANGER)
    theirs = World(
        home,
        world.packages,
        world.torch,
        None,
        (*READING, sys.executable, "-m", "wizard"),
        {"HOME": str(home), "TORCH_WIZARD_HOME": str(home / "state")},
    )
    verified = theirs.run("verify", "--prefix", str(prefix), "--json")
    assert verified.returncode == 0, verified.stderr
    assert json.loads(verified.stdout)["verification"]["torch"] == f"{TORCH}+cpu"
    well = theirs.run("doctor", "--prefix", str(prefix), "--json")
    assert well.returncode == 0, well.stdout + well.stderr
    for language, words in (("en", "You may not write in"), ("zh_CN", "写入权限")):
        more = {**theirs.more, "TORCH_WIZARD_LANG": language}
        into = replace(theirs, more=more).run(
            "setup", "--into", str(prefix), "--yes", "--with", "numpy", *world.sources[:4]
        )
        assert (into.returncode, words in into.stderr, len(into.stderr.splitlines())) == (2, True, 2), into.stderr
    assert theirs.runs() == []
    assert {path: path.lstat().st_mtime_ns for path in prefix.rglob("*")} == before

    record = next(prefix.glob("lib/python3*/site-packages/torch-*/RECORD"))
    record.write_text("replaced\n")
    drifted = theirs.run("doctor", "--prefix", str(prefix), "--no-import", "--json")
    assert json.loads(drifted.stdout)["drift"], "the guard reads the record that the owner's setup left"


def test_a_place_that_others_cannot_reach_is_refused(world: World, tmp_path: Path) -> None:
    """Before anything is done, with the folder that is closed."""
    (tmp_path / "closed").mkdir(mode=0o700)
    done = world.run("setup", "--yes", "--shared", "--prefix", str(tmp_path / "closed" / "env"), *world.sources)
    assert done.returncode == 2
    assert "they may not enter" in done.stderr
    assert list((tmp_path / "closed").iterdir()) == []
    assert world.runs() == []


def stand_in(folder: Path, patch: int) -> Path:
    """A Python that only answers what it is: newer than any real one of its minor version."""
    answer = {
        "version": f"{PYTHON}.{patch}",
        "name": "cpython",
        "is_64_bit": True,
        "is_free_threaded": False,
        "has_venv": True,
        "release": [3, sys.version_info[1]],
        "prefix": "/",
        "base_prefix": "/",
    }
    folder.mkdir(parents=True)
    path = folder / f"python{PYTHON}"
    path.write_text(f"#!/bin/sh\nprintf '%s\\n' '{json.dumps(answer)}'\n")
    path.chmod(0o755)
    return path


def test_the_python_is_one_that_others_may_run(world: World, open_folder: Path) -> None:
    """Not the newest, which lies in a closed folder; by a path it is the one that was named."""
    closed, newer, older = (stand_in(open_folder / name / "bin", 200 - place) for place, name in enumerate("cno"))
    closed.parent.chmod(0o700)
    path = os.pathsep.join([*(str(one.parent) for one in (closed, newer, older)), os.environ["PATH"]])
    here = replace(world, more={"PATH": path})
    words = ("setup", "--dry-run", "--prefix", str(open_folder / "env"), *world.sources)
    alone = here.run(*words)
    assert f"{closed} -m venv" in alone.stderr, alone.stderr
    shared = here.run(*words, "--shared")
    assert f"{newer} -m venv" in shared.stderr, shared.stderr
    place = words.index("--python")
    named = here.run(*words[: place + 1], str(older), *words[place + 2 :], "--shared")
    assert f"{older} -m venv" in named.stderr, named.stderr
    refused = here.run(*words[: place + 1], str(closed), *words[place + 2 :], "--shared")
    assert (refused.returncode, f"they may not enter “{closed.parent}”" in refused.stderr) == (2, True), refused.stderr


def test_a_path_that_is_no_python(world: World) -> None:
    for options, said in (
        (("--python", "/bin/sh"), "is no Python that an environment can be made from"),
        (("--python", "/nowhere/python3"), "is no Python that an environment can be made from"),
        (("--python", sys.executable, "--engine", "rattler"), "brings a Python of its own"),
    ):
        done = world.run("setup", "--dry-run", *options)
        assert (done.returncode, said in done.stderr, len(done.stderr.splitlines())) == (2, True, 2), done.stderr


def test_the_way_is_looked_at_link_by_link(open_folder: Path) -> None:
    (open_folder / "closed" / "python").mkdir(parents=True)
    (open_folder / "closed").chmod(0o711)
    (open_folder / "link").symlink_to("closed/python")
    assert closed_to_others(open_folder / "link" / "bin") is None
    (open_folder / "closed").chmod(0o770)
    assert closed_to_others(open_folder / "link" / "bin") == open_folder / "closed"
    assert closed_to_others(open_folder / "not" / "there") is None


def test_only_folders_that_hold_the_way_alone_are_opened(open_folder: Path) -> None:
    prefix = open_folder / "a" / "b" / "env"
    prefix.mkdir(parents=True)
    for folder in (open_folder / "a", open_folder / "a" / "b"):
        folder.chmod(0o700)
    assert open_way_to(prefix) is None
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in prefix.parents[:2]] == [0o755, 0o755]
    (open_folder / "a").chmod(0o700)
    (open_folder / "a" / "diary").touch()
    assert open_way_to(prefix) == open_folder / "a"
    assert stat.S_IMODE((open_folder / "a").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("mode", "is_folder", "wanted"),
    [(0o600, False, 0o644), (0o775, False, 0o755), (0o700, True, 0o755), (0o2770, True, 0o2755), (0o400, False, 0o444)],
)
def test_modes(mode: int, is_folder: bool, wanted: int) -> None:
    assert shared_mode(mode, is_folder) == wanted


def test_links_out_of_it_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "env").mkdir(mode=0o755)
    (tmp_path / "mine").touch(mode=0o600)
    (tmp_path / "env" / "link").symlink_to(tmp_path / "mine")
    (tmp_path / "env" / "gone").symlink_to(tmp_path / "nowhere")
    (tmp_path / "env").chmod(0o755)
    assert open_to_all(tmp_path / "env") == 0
    assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == 0o600
