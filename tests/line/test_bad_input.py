"""Bad input ends before anything is changed, with one sentence of cause, one of what to do, and the right status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.line.world import World


def check_refused(world: World, status: int, *arguments: str) -> str:
    """Nothing made, nothing left, no traceback; gives what was said."""
    before = sorted(path for path in world.home.rglob("*") if "logs" not in path.parts)
    done = world.run(*arguments)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    said = [line for line in done.stderr.splitlines() if line.strip()]
    assert said[-2].startswith("✗ "), said
    assert said[-1].startswith("  "), said
    after = sorted(path for path in world.home.rglob("*") if "logs" not in path.parts)
    kept = {world.home / "state", world.home / "state" / "runs", world.home / "state" / "cache"}
    assert [path for path in after if path not in before and not _is_cache(path, world)] == [
        path for path in after if path in kept and path not in before
    ]
    assert world.processes() == []
    return "\n".join(said[-2:])


def _is_cache(path: Path, world: World) -> bool:
    return (world.home / "state" / "cache") in path.parents


@pytest.mark.parametrize(
    "name", ["a/b", "..", ".", "", "CON", "nul.txt", "-x", "a\nb", "x" * 300, "base", "a\\b", "what?"]
)
def test_bad_names(world: World, name: str) -> None:
    said = check_refused(world, 2, "setup", "--yes", f"--name={name}", *world.sources)
    assert "name" in said or "folder" in said


@pytest.mark.parametrize("name", ["has space", "环境", "环境 二"])
def test_good_names_that_look_bad(world: World, name: str) -> None:
    done = world.run("setup", "--dry-run", "--name", name, *world.sources)
    assert done.returncode == 0, done.stderr


def test_non_empty_target(world: World) -> None:
    target = world.home / "mine"
    target.mkdir()
    (target / "thesis.txt").write_text("years of work")
    said = check_refused(world, 2, "setup", "--yes", "--prefix", str(target), *world.sources)
    assert str(target) in said
    assert (target / "thesis.txt").read_text() == "years of work"


def test_unwritable_target(world: World) -> None:
    said = check_refused(world, 2, "setup", "--yes", "--prefix", "/proc/torch-env", *world.sources)
    assert "/proc" in said


def test_name_and_prefix_together_is_wrong_usage(world: World) -> None:
    assert world.run("setup", "--name", "a", "--prefix", "/b").returncode == 2


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff\xfe", b'{"schema": 1}', b'{"schema": "x"}', b"[" * 100_000]
)
def test_unreadable_plans(world: World, content: bytes) -> None:
    plan = world.home / "plan.json"
    plan.write_bytes(content)
    said = check_refused(world, 2, "run", str(plan))
    assert "plan" in said


def test_a_plan_of_another_schema(world: World) -> None:
    done = world.run("setup", "--plan-only", "--name", "demo", *world.sources)
    plan = Path(json.loads(done.stdout)["plan"])
    plan.write_text(plan.read_text(encoding="utf-8").replace('"schema": 1', '"schema": 99'), encoding="utf-8")
    assert "99" in check_refused(world, 2, "run", str(plan))


def test_a_plan_that_is_not_there(world: World) -> None:
    check_refused(world, 2, "run", "no-such-run")
    check_refused(world, 2, "resume")
    check_refused(world, 2, "resume", "no-such-run")


@pytest.mark.parametrize("python", ["3.4", "2.7", "9.9", "banana", "3.12; rm -rf /", ""])
def test_a_python_that_no_build_supports(world: World, python: str) -> None:
    check_refused(world, 2, "setup", "--yes", "--name", "demo", *world.sources, "--python", python)


@pytest.mark.parametrize(("option", "value"), [("--torch", "99.0"), ("--torch", "latest!"), ("--variant", "cu999")])
def test_a_build_that_does_not_exist(world: World, option: str, value: str) -> None:
    check_refused(world, 2, "setup", "--yes", "--name", "demo", *world.sources, option, value)


def test_no_network(world: World) -> None:
    """A port where nobody listens stands for a cable that is out."""
    nobody = "http://127.0.0.1:9/simple"
    sources = ("--index", nobody, "--torch-index", nobody, "--engine", "venv")
    said = check_refused(world, 1, "setup", "--yes", "--name", "demo", *sources)
    assert "reached" in said


@pytest.mark.parametrize(
    "address", ["http://mirror.example/simple", "ftp://x/simple", "not an address", "file:///no/such/folder"]
)
def test_bad_addresses(world: World, address: str) -> None:
    check_refused(world, 2, "setup", "--yes", "--name", "demo", "--engine", "venv", "--torch-index", address)


def test_conda_engine_says_that_it_comes_later(world: World) -> None:
    check_refused(world, 2, "setup", "--yes", "--name", "demo", *world.sources, "--engine", "conda")


def test_without_a_terminal_it_does_not_guess_a_yes(world: World) -> None:
    said = check_refused(world, 2, "setup", "--name", "demo", *world.sources)
    assert "--yes" in said


def test_a_requirement_that_is_not_one(world: World) -> None:
    check_refused(world, 2, "setup", "--yes", "--name", "demo", *world.sources, "--with=--index-url=http://evil")


def test_home_that_cannot_be_written(world: World) -> None:
    blocked = world.home / "blocked"
    blocked.write_text("a file where the folder should be")
    done = world.run("setup", "--yes", "--prefix", str(world.home / "env"), *world.sources)
    assert done.returncode == 0, done.stderr  # the plain case works
    environment = {**world.environment, "TORCH_WIZARD_HOME": str(blocked)}
    import subprocess

    failed = subprocess.run(
        world.command("setup", "--yes", "--prefix", str(world.home / "env2"), *world.sources),
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    assert failed.returncode in (1, 2)
    assert "Traceback" not in failed.stderr
    assert "✗" in failed.stderr
    assert not (world.home / "env2").exists()
