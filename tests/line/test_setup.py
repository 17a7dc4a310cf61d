"""The whole job by the command line, for real, on loopback."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest

from tests.abilities import needs_break
from tests.line.wheel import build_wheel
from tests.line.world import SITE, TORCH, World
from tests.waiting import HANG, wait_until

ASKED_TO_STOP = [signal.CTRL_BREAK_EVENT] if sys.platform == "win32" else [signal.SIGINT, signal.SIGTERM]


def events(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_from_nothing_to_a_tested_environment_by_the_built_in_engine(conda_world: World) -> None:
    done = conda_world.run("setup", "--yes", "--name", "demo", *conda_world.sources)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("no usable NVIDIA card") == 1, "told before the start, and not again"
    prefix = conda_world.home / "state" / "envs" / "demo"
    assert (prefix / "conda-meta" / "history").is_file()
    assert conda_world.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"
    assert conda_world.import_check(prefix, "import torchvision, numpy; print(numpy.__version__)") == "2.3.0"
    assert conda_world.processes() == []


def test_a_path_with_a_space_and_chinese_characters_by_venv(world: World) -> None:
    prefix = world.home / "深度 学习" / "环境 1"
    done = world.run("setup", "--yes", "--prefix", str(prefix), *world.sources)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("contains a space") == 1, "said before the start; neither by the run nor by the report"
    assert world.import_check(prefix, "import torch; print(torch.zeros(1) is not None)") == "True"


@pytest.mark.slow
def test_events_are_the_contract(world: World) -> None:
    done = world.run("setup", "--yes", "--name", "demo", "--events", *world.sources)
    assert done.returncode == 0, done.stderr
    told = events(done.stdout)
    assert [event["seq"] for event in told] == list(range(1, len(told) + 1))
    assert {event["schema"] for event in told} == {1}
    assert told[0]["event"] == "run-started"
    assert [step["name"] for step in told[0]["steps"]] == [  # type: ignore[attr-defined]
        "preflight",
        "create",
        "fetch",
        "install",
        "check",
        "verify",
    ]
    assert (told[-1]["event"], told[-1]["status"]) == ("run-finished", 0)
    fetched = [event for event in told if event["event"] == "progress" and event["step"] == "fetch"]
    assert [event["done"] for event in fetched] == sorted(event["done"] for event in fetched)  # type: ignore[type-var]
    assert fetched[-1]["done"] == fetched[-1]["total"]
    report = json.loads(Path(str(told[-1]["report"])).read_text(encoding="utf-8"))
    assert report["schema"] == 1


@pytest.mark.slow
def test_a_cuda_build_without_a_card_ends_with_3_and_the_cause(world: World) -> None:
    done = world.run("setup", "--yes", "--name", "gpu", "--variant", "cu126", "--with", "none", *world.sources)
    assert done.returncode == 3, done.stderr
    assert "NVIDIA" in done.stderr
    prefix = world.home / "state" / "envs" / "gpu"
    assert world.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cu126"


@pytest.mark.slow
def test_never_a_companion_of_another_variant(world: World) -> None:
    """The torch index has torchvision +cpu only: the CUDA build goes without, and says so."""
    done = world.run("setup", "--yes", "--name", "gpu", "--variant", "cu126", *world.sources)
    assert done.returncode == 3, done.stderr
    assert "torchvision is left out" in done.stderr
    assert not (world.home / "state" / "envs" / "gpu" / SITE / "torchvision").exists()


@pytest.mark.slow
def test_what_was_left_out_is_not_missing_the_next_time(world: World) -> None:
    """A start-up file asks at every start; it was told that flash-attn is missing, and ended with 2."""
    line = ("setup", "--yes", "--if-missing", "--name", "lean", "--with", "flash_attn,padding-a", *world.sources)
    made = world.run(*line)
    asked = len(world.packages.paths())
    again = world.run(*line)
    for done in (made, again):
        assert done.returncode == 0, done.stderr
        assert "flash-attn (named by you) needs a CUDA card" in done.stderr, done.stderr
    assert "Left out: flash-attn (named by you) needs a CUDA card" in made.stderr.partition("Found:")[2], made.stderr
    assert "nothing to do" in again.stderr
    assert (len(world.packages.paths()), len(world.runs())) == (asked, 1), "at once, without a source"
    other = world.run(*line[:6], "flash_attn,padding-a,loner", *world.sources)
    assert (other.returncode, "lean” has no loner; it was left as it is." in other.stderr) == (2, True), other.stderr
    plain = world.run(*line[:6], "padding-a", *world.sources)
    assert (plain.returncode, "named by you" in plain.stderr) == (0, False), "flash-attn was, in an earlier call"
    build_wheel(world.packages.root, "loner", "1.0", {"loner/__init__.py": b""})
    assert world.run("envs", "add", "lean", "loner", "--yes", *world.sources[:4]).returncode == 0
    later = world.run(*line)
    assert (later.returncode, len(world.runs())) == (0, 2), later.stderr
    assert "flash-attn (named by you) needs a CUDA card" in later.stderr, "of the run before the newest"
    newer = world.run(*line[:6], "loner>1", *world.sources)
    assert (newer.returncode, "has loner 1.0, and loner>1 was asked for" in newer.stderr) == (2, True), newer.stderr


def test_dry_run_changes_nothing(world: World) -> None:
    done = world.run("setup", "--dry-run", "--name", "demo", *world.sources)
    assert done.returncode == 0, done.stderr
    assert not (world.home / "state" / "envs").exists()
    assert world.runs() == []


@pytest.mark.slow
def test_a_second_setup_downloads_nothing(world: World) -> None:
    assert world.run("setup", "--yes", "--name", "one", *world.sources).returncode == 0
    before = sum(".whl" in path and not path.endswith(".metadata") for path in world.packages.paths())
    assert world.run("setup", "--yes", "--name", "two", *world.sources).returncode == 0
    after = [path for path in world.packages.paths() if path.endswith(".whl")][before:]
    ranges = [seen.range for seen in world.packages.requests if seen.path.endswith(".whl")][before:]
    assert all(asked == "bytes=0-0" for asked in ranges), after


@pytest.mark.slow
@needs_break
@pytest.mark.parametrize("sign", ASKED_TO_STOP)
def test_cancel_leaves_no_process_and_can_be_resumed(world: World, sign: int) -> None:
    program = world.start("setup", "--yes", "--name", "demo", *world.sources)
    world.wait_for_journal(program)
    program.send_signal(sign)
    _, said = program.communicate(timeout=HANG)
    if program.returncode == 0:
        pytest.fail("the run was over before it could be cancelled: make the packages larger")
    assert program.returncode == 130, said
    assert "resume" in said
    assert world.processes() == []
    done = world.run("resume")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_second_start_at_the_same_place_is_refused(world: World) -> None:
    program = world.start("setup", "--yes", "--name", "demo", *world.sources)
    wait_until((world.home / "state" / "envs" / "demo").exists)
    second = world.run("setup", "--yes", "--name", "demo", *world.sources)
    assert second.returncode in (1, 2)
    program.communicate(timeout=HANG)
    assert program.returncode == 0


@pytest.mark.slow
def test_of_two_starts_in_one_second_one_is_refused_and_leaves_nothing(world: World) -> None:
    """No run that is offered to go on with, where the other one has made the environment."""
    both = [world.start("setup", "--yes", "--name", "demo", *world.sources) for _ in range(2)]
    said = {program.returncode: err for program in both for _, err in [program.communicate(timeout=HANG)]}
    assert sorted(said) == [0, 1], said
    assert "Another setup is at work on" in said[1]
    assert "torch-wizard resume" not in said[1]
    assert len(world.runs()) == 1


def test_the_worker_survives_the_program_that_started_it(world: World) -> None:
    program = world.start("setup", "--yes", "--name", "demo", *world.sources)
    world.wait_for_journal(program)
    program.kill()
    program.communicate()
    world.wait_for_nothing()
    assert "run-finished" in (world.runs()[0] / "events.jsonl").read_text(encoding="utf-8")
    prefix = world.home / "state" / "envs" / "demo"
    assert world.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"
