"""The whole job by the unpacked archive: its own uv, its own rattler, no Python on PATH, paths that trip others.

The program's folder is read-only, and (root may write anywhere) its files are compared before and after.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.line.world import TORCH, World
from tests.waiting import wait_until

pytestmark = [pytest.mark.frozen, pytest.mark.slow]

Snapshot = dict[str, tuple[int, int, int]]


@pytest.fixture
def frozen_world(conda_world: World, frozen_program: Path, tmp_path: Path) -> World:
    empty = tmp_path / "bin"
    empty.mkdir()
    more = {"PATH": str(empty), "QT_QPA_PLATFORM": "offscreen", "PYTHONHOME": "/nowhere", "PYTHONPATH": "/nowhere"}
    return replace(conda_world, program=(str(frozen_program),), more=more)


def snapshot(folder: Path) -> Snapshot:
    found = ((path, path.lstat()) for path in folder.rglob("*"))
    return {str(path): (seen.st_mode, seen.st_size, seen.st_mtime_ns) for path, seen in found}


def spy_on(python: Path) -> Path:
    """A note of the environment that it is started with, each time."""
    seen = python.with_name("seen")
    real = python.resolve().rename(python.with_name("real-python"))
    python.unlink(missing_ok=True)
    python.write_text(f"#!/bin/sh\n/usr/bin/env >> '{seen}'\nexec '{real}' \"$@\"\n")
    python.chmod(0o755)
    return seen


def test_a_small_real_setup_with_uv_and_rattler(frozen_world: World, unpacked_folder: Path) -> None:
    before = snapshot(unpacked_folder)
    prefix = frozen_world.home / "深度 学习" / "env"
    done = frozen_world.run("setup", "--yes", "--prefix", str(prefix), *frozen_world.sources)
    assert done.returncode == 0, done.stderr
    assert (prefix / "conda-meta" / "history").is_file()
    assert frozen_world.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"
    assert frozen_world.processes() == []

    seen = spy_on(prefix / "bin" / "python")
    verified = frozen_world.run("verify", "--prefix", str(prefix))
    assert verified.returncode == 0, verified.stderr
    given = seen.read_text("utf-8")
    assert "PYTHONUTF8=1" in given  # the environment that we make, and not a note of nothing
    leaks = [
        line for line in given.splitlines() if line.startswith(("LD_LIBRARY_PATH=", "_PYI", "_MEI", "PYTHONHOME="))
    ]
    assert leaks == []
    assert str(unpacked_folder) not in given
    assert snapshot(unpacked_folder) == before


@pytest.mark.skipif(sys.platform != "win32", reason="on Linux the test above, which needs no Python of the computer")
def test_a_small_real_setup_with_uv_and_the_computers_python(world: World, frozen_program: Path) -> None:
    more = {"PATH": os.pathsep.join((sys.base_prefix, os.environ["PATH"])), "QT_QPA_PLATFORM": "offscreen"}
    frozen = replace(world, program=(str(frozen_program),), more=more)
    done = frozen.run("setup", "--yes", "--name", "demo", *frozen.sources)
    assert done.returncode == 0, done.stderr
    prefix = frozen.home / "state" / "envs" / "demo"
    assert frozen.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"
    assert frozen.processes() == []
    assert frozen.run("verify", "--prefix", str(prefix)).returncode == 0


def test_cancelled_killed_and_resumed(frozen_world: World) -> None:
    program = frozen_world.start("setup", "--yes", "--name", "demo", *frozen_world.sources)
    frozen_world.wait_for_journal(program)
    program.send_signal(signal.SIGINT)
    _, words = program.communicate(timeout=60)
    assert program.returncode == 130, words
    assert frozen_world.processes() == []

    again = frozen_world.start("resume")
    wait_until(lambda: len(frozen_world.processes()) > 1 or again.poll() is not None)
    frozen_world.kill_all()
    again.communicate()

    done = frozen_world.run("resume")
    assert done.returncode == 0, done.stderr
    [prefix] = (frozen_world.home / "state" / "envs").iterdir()
    assert frozen_world.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"
    assert frozen_world.processes() == []
