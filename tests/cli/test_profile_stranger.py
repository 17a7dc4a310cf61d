"""A class profile from a stranger, for real: torch's address, size and hash are those of another server."""

from __future__ import annotations

import hashlib
import os
import pty
import select
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.classroom.profile.known import make_official
from tests.cli.test_profile import made
from tests.line.wheel import build_wheel
from tests.line.world import ROOT, TORCH, World, build_torch
from tests.servers.index_server import IndexServer
from wizard.classroom.profile.read import read_profile
from wizard.system.paths import MATRICES_VARIABLE, matrices_dir

pytestmark = pytest.mark.slow

MARK = "# of a stranger\n"


def turned(path: Path, stranger: IndexServer, name: str, wheel: Path) -> Path:
    """`path` with the file of that package replaced in all that a profile says of it."""
    file = next(each for each in read_profile(path).profile.files if each.name == name)
    assert wheel.name == file.filename
    text = path.read_text(encoding="utf-8")
    for old, new in (
        (file.urls[0], f"{stranger.url}/files/{wheel.name.replace('+', '%2B')}"),
        (f"size = {file.size}\n", f"size = {wheel.stat().st_size}\n"),
        (file.sha256, hashlib.sha256(wheel.read_bytes()).hexdigest()),
    ):
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return path


def evil_numpy(folder: Path) -> Path:
    return build_wheel(folder, "numpy", "2.3.0", {"numpy/__init__.py": MARK.encode() + b"__version__ = '2.3.0'\n"})


@pytest.fixture
def honest(world: World, tmp_path: Path) -> Path:
    return made(world, tmp_path / "class.torchlab", "--variant", "cpu")


def test_the_torch_of_a_stranger_is_not_installed(world: World, honest: Path, tmp_path: Path) -> None:
    with IndexServer(tmp_path / "evil") as stranger:
        wheel = build_torch(tmp_path / "evil", f"{TORCH}+cpu", [], 1, {"do": "work", "cuda": None})
        path, host = turned(honest, stranger, "torch", wheel), stranger.url.rpartition("/")[2]
        for more in ((), ("--dry-run",), ("--events",), ("--trust", "127.0.0.1:9"), ("--trust", "example.org")):
            done = world.run("setup", "--profile", str(path), "--yes", *more)
            assert (done.returncode, host in done.stderr, f"--trust {host}" in done.stderr) == (2, True, True), done
        shown = world.run("profile", "show", str(path))
        assert f"! {host} is neither official nor in this program's tables" in shown.stdout
        assert "Traceback" not in done.stderr + shown.stderr
        assert stranger.requests == []
    assert not (world.home / "state" / "envs").exists()
    assert world.runs() == []


@pytest.mark.parametrize("name", [None, "torch-{0}-1{1}", "torch-{0}{1}"])
def test_a_yes_to_the_host_is_none_to_another_torch(
    name: str | None, world: World, honest: Path, tmp_path: Path
) -> None:
    """The official page names another hash, also where the file is only called otherwise."""
    with IndexServer(tmp_path / "evil") as stranger:
        wheel = build_torch(tmp_path / "evil", f"{TORCH}+cpu", [], 1, {"do": "work", "cuda": None})
        path = turned(honest, stranger, "torch", wheel)
        if name:
            tag = wheel.name.partition("+cpu")[2].replace("2_17", "2_16" if "-1" not in name else "2_17")
            other = wheel.rename(wheel.with_name(name.format(f"{TORCH}+cpu", tag)))
            text = path.read_text(encoding="utf-8").replace(wheel.name, other.name)
            path.write_text(text.replace(wheel.name.replace("+", "%2B"), other.name.replace("+", "%2B")), "utf-8")
        done = world.run("setup", "--profile", str(path), "--yes", "--trust", "127.0.0.1")
        assert (done.returncode, "its checksum differs" in done.stderr) == (2, True), done.stderr
        assert stranger.url.rpartition("/")[2] in done.stderr
        assert stranger.requests == []
    assert world.runs() == []


def test_where_no_official_page_answers_the_own_table_counts(world: World, honest: Path, tmp_path: Path) -> None:
    """An offline room; the table knows the true wheel, the profile has another. Then one that nobody knows."""
    tables = Path(shutil.copytree(matrices_dir(), tmp_path / "tables"))
    true = next(each for each in read_profile(honest).profile.files if each.name == "torch")
    offline = replace(world, more={MATRICES_VARIABLE: str(tables)})
    with IndexServer(tmp_path / "evil") as stranger, IndexServer(tmp_path / "empty") as empty:
        make_official(replace(world, packages=empty, torch=empty))
        asked = ("setup", "--profile", str(honest), "--yes", "--dry-run", "--trust", "127.0.0.1")
        done = offline.run(*asked)
        assert (done.returncode, "not the official file" in done.stderr) == (0, True), done.stderr
        with (tables / "wheel_hashes.csv").open("a", encoding="utf-8") as file:
            file.write(f"{true.filename},{true.sha256},2026-11-22,medium,lab\n")
        empty.requests.clear()
        done = offline.run(*asked)
        assert (done.returncode, "not the official file" in done.stderr) == (0, False), done.stderr
        assert empty.requests == [], "what the table knows is not asked for"
        wheel = build_torch(tmp_path / "evil", f"{TORCH}+cpu", [], 1, {"do": "work", "cuda": None})
        turned(honest, stranger, "torch", wheel)
        done = offline.run(*asked)
        assert (done.returncode, "its checksum differs" in done.stderr) == (2, True), done.stderr
        assert stranger.requests == []


def test_another_package_of_a_stranger_comes_for_a_yes_to_that_very_host(
    world: World, honest: Path, tmp_path: Path
) -> None:
    with IndexServer(tmp_path / "evil") as stranger:
        path = turned(honest, stranger, "numpy", evil_numpy(tmp_path / "evil"))
        host = stranger.url.rpartition("/")[2]
        assert world.run("setup", "--profile", str(path), "--yes").returncode == 2
        assert stranger.requests == []
        done = world.run("setup", "--profile", str(path), "--yes", "--dry-run", "--trust", host)
    assert done.returncode == 0, done.stderr
    assert f"You allowed {host}" in done.stderr


def test_the_shown_plan_names_who_hands_out_torch(world: World, honest: Path, tmp_path: Path) -> None:
    """A lab's own build of torch, which no official page has."""
    with IndexServer(tmp_path / "lab") as lab, IndexServer(tmp_path / "empty") as empty:
        make_official(replace(world, torch=empty))
        wheel = build_torch(tmp_path / "lab", f"{TORCH}+cpu", [], 1, {"do": "work", "cuda": None})
        file = next(each for each in read_profile(honest).profile.files if each.name == "torch")
        own = wheel.rename(wheel.with_name(wheel.name.replace("+cpu-", "+cpu-1lab-")))
        text = honest.read_text(encoding="utf-8").replace(file.filename, own.name)
        honest.write_text(text.replace(file.filename.replace("+", "%2B"), own.name), encoding="utf-8")
        lines = honest.read_text(encoding="utf-8").splitlines(keepends=True)
        at = next(number for number, line in enumerate(lines) if own.name in line and "filename" in line)
        lines[at + 1] = f'  url = "{lab.url}/files/{own.name}"\n'
        honest.write_text("".join(lines), encoding="utf-8")
        done = world.run("setup", "--profile", str(honest), "--yes", "--dry-run", "--trust", "127.0.0.1")
    assert done.returncode == 0, done.stderr
    assert "is not the official file of that name" in done.stderr
    command = next(line for line in done.stderr.splitlines() if "uv pip install" in line)
    assert f"torch @ {lab.url}/files/{own.name}#sha256=" in command


def test_one_asked_at_the_terminal_says_yes_or_no_to_each_host(world: World, honest: Path, tmp_path: Path) -> None:
    with IndexServer(tmp_path / "evil") as stranger:
        path = turned(honest, stranger, "numpy", evil_numpy(tmp_path / "evil"))
        host = stranger.url.rpartition("/")[2]
        status, said = typed(world, ["n"], "setup", "--profile", str(path))
        assert (status, f"Do you know {host}" in said) == (2, True), said
        assert stranger.requests == []
        status, said = typed(world, ["y", "n"], "setup", "--profile", str(path))  # the second: to the plan
        assert (status, f"You allowed {host}" in said) == (130, True), said
    assert not (world.home / "state" / "envs" / "deep").exists()


def typed(world: World, answers: list[str], *arguments: str) -> tuple[int, str]:
    """The command at a terminal of its own; an answer is typed whenever it asks."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        world.command(*arguments), cwd=ROOT, env=world.environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    said, waiting = "", list(answers)
    try:
        while select.select([ours], [], [], 120)[0]:
            try:
                said += os.read(ours, 65536).decode(errors="replace")
            except OSError:  # all of them are gone
                break
            while waiting and _questions(said) > len(answers) - len(waiting):
                os.write(ours, f"{waiting.pop(0)}\n".encode())
        return child.wait(60), said
    finally:
        child.kill()
        os.close(ours)


def _questions(said: str) -> int:
    return said.count("[y/N]")


def with_helper(path: Path, world: World, mark: Path, extras: str = "") -> Path:
    """One more package in every lock, on the official host, whose wheel runs code whenever Python starts."""
    code = f"import os; open({str(mark)!r}, 'a').write('x')\n".encode()
    wheel = build_wheel(world.packages.files()[0].parent, "evil_helper", "1.0", {"evil_helper.pth": code})
    file = f"""  [[lock.file]]
  name = "evil-helper"
  version = "1.0"
  filename = "{wheel.name}"
  url = "{world.packages.url}/files/{wheel.name}"
  size = {wheel.stat().st_size}
  sha256 = "{hashlib.sha256(wheel.read_bytes()).hexdigest()}"
"""
    text = path.read_text(encoding="utf-8").replace("extras = []", f"extras = [{extras}]")
    first = '  [[lock.file]]\n  name = "numpy"'
    assert first in text
    path.write_text(text.replace(first, file + first), encoding="utf-8")
    return path


def test_a_package_that_nothing_needs_never_runs(world: World, honest: Path, tmp_path: Path) -> None:
    """Every file lies on an official host, and --yes is all that is said."""
    path = with_helper(honest, world, tmp_path / "ran")
    shown = world.run("setup", "--profile", str(path), "--yes", "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "evil-helper, numpy, padding-a, padding-b, padding-c, padding-d)" in shown.stderr
    assert "--no-deps evil-helper==1.0 numpy==" in shown.stderr
    done = world.run("setup", "--profile", str(path), "--yes")
    assert (done.returncode != 0, "nobody asked for: evil-helper" in done.stderr) == (True, True), done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_package_that_the_profile_asks_for_is_named_and_comes(world: World, honest: Path, tmp_path: Path) -> None:
    path = with_helper(honest, world, tmp_path / "ran", '"evil-helper"')
    done = world.run("setup", "--profile", str(path), "--yes")
    assert done.returncode == 0, done.stderr
    assert "evil-helper" in done.stderr + done.stdout
    assert (tmp_path / "ran").exists()
