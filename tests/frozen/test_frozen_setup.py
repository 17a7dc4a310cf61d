"""The whole job inside the frozen program: its own uv, its own rattler, no Python on PATH, a path that trips others."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.line.world import TORCH, World

pytestmark = [pytest.mark.frozen, pytest.mark.slow, pytest.mark.xdist_group("frozen")]


@pytest.fixture
def frozen_world(conda_world: World, frozen_program: Path, tmp_path: Path) -> World:
    empty = tmp_path / "bin"
    empty.mkdir()
    return replace(
        conda_world, program=(str(frozen_program),), more={"PATH": str(empty), "QT_QPA_PLATFORM": "offscreen"}
    )


def test_a_small_real_setup_with_uv_and_rattler(frozen_world: World) -> None:
    prefix = frozen_world.home / "深度 学习" / "env"
    done = frozen_world.run("setup", "--yes", "--prefix", str(prefix), *frozen_world.sources)
    assert done.returncode == 0, done.stderr
    assert (prefix / "conda-meta" / "history").is_file()
    shown = frozen_world.import_check(
        prefix, "import torch, os; print(torch.__version__, 'LD_LIBRARY_PATH' in os.environ)"
    )
    assert shown == f"{TORCH}+cpu False"
    assert frozen_world.processes() == []
    verified = frozen_world.run("verify", "--prefix", str(prefix))
    assert verified.returncode == 0, verified.stderr


def test_killed_and_resumed(frozen_world: World) -> None:
    program = frozen_world.start("setup", "--yes", "--name", "demo", *frozen_world.sources)
    deadline = time.monotonic() + 60
    while not any((run / "journal.jsonl").exists() for run in frozen_world.runs()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    for process in frozen_world.processes():
        os.kill(process.pid, signal.SIGKILL)
    program.communicate()
    done = frozen_world.run("resume")
    assert done.returncode == 0, done.stderr
    assert frozen_world.processes() == []
