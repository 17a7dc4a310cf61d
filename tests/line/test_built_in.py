"""The built-in engine through the whole line: what Review says is what is made, and the end says how to use it."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

from tests.environment.served import channel_at
from tests.line.world import World
from wizard.environment.conda.records import read_records
from wizard.model.messages import bytes_text


def test_review_has_the_bytes_of_python_and_the_end_has_the_lines(
    conda_world: World, conda_channel_folder: Path
) -> None:
    name = "我的 env"
    planned = conda_world.run("setup", "--plan-only", "--name", name, *conda_world.sources)
    run = json.loads(planned.stdout)["run"]
    part = conda_world.home / "state" / "runs" / run / "python-part.json"
    rows = json.loads(part.read_text(encoding="utf-8"))
    assert part.stat().st_mode & 0o777 == 0o600
    sizes = {path.name: path.stat().st_size for path in conda_channel_folder.glob("*/*.tar.bz2")}
    assert {row["fn"]: row["size"] for row in rows} == sizes
    shown = conda_world.run("setup", "--dry-run", "--name", name, *conda_world.sources)
    assert f"is fetched for it (packages: {len(rows)}): {bytes_text(sum(sizes.values()))}" in shown.stderr
    done = conda_world.run("run", str(part.with_name("plan.json")))
    assert done.returncode == 0, done.stderr
    prefix = conda_world.home / "state" / "envs" / name
    assert {(row["name"], row["version"], row["build"]) for row in rows} == {
        (record.name, record.version, record.build) for record in read_records(prefix)
    }


def test_python_is_told_with_the_bytes_that_review_counted(conda_world: World, conda_channel_folder: Path) -> None:
    with channel_at(conda_channel_folder) as server:
        world = replace(conda_world, channel=server.url)
        done = world.run("setup", "--yes", "--name", "demo", *world.sources)
    assert done.returncode == 0, done.stderr
    (path,) = (conda_world.home / "state" / "runs").glob("*/events.jsonl")
    events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    (ended,) = (event for event in events if (event["event"], event.get("step")) == ("step-finished", "create"))
    size = sum(path.stat().st_size for path in conda_channel_folder.glob("*/*.tar.bz2"))
    assert ended["message"]["params"]["size"] == bytes_text(size)


def test_the_end_of_a_setup_says_how_to_go_on(conda_world: World) -> None:
    done = conda_world.run("setup", "--yes", "--name", "my env", *conda_world.sources)
    assert done.returncode == 0, done.stderr
    prefix = conda_world.home / "state" / "envs" / "my env"
    line = next(line.strip() for line in done.stderr.splitlines() if "activate" in line and "source " in line)
    asked = f"{line}\npython -c 'import sys, torch; print(sys.prefix)'"
    if "activate.fish" not in line:
        said = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, timeout=60, check=True)
        assert said.stdout.strip() == str(prefix)
    assert re.search(rf"^ +'{re.escape(str(prefix))}/bin/python' my_program.py$", done.stderr, re.MULTILINE)
    assert "ipykernel install --user --name my-env" in done.stderr
    assert f"    {prefix}/bin/python\n" in done.stderr
    assert "CUDA_VISIBLE_DEVICES" not in done.stderr  # a build without CUDA
    assert 'device = "cuda"' in done.stderr
