"""An index that stands in the user's settings for another purpose: the whole program, the real uv, all on loopback."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.line.wheel import build_wheel
from tests.line.world import PYTHON, TAG, TORCH, World, build_torch
from tests.run.mirrors import write_mirrors
from tests.servers.index_server import Answer, IndexServer
from wizard.system import paths

SERVED = {"a": "99.0", "b": "0.6", "c": "0.7"}  # the first is on the main index too
OPTIONS = ("setup", "--name", "demo", "--engine", "venv", "--python", PYTHON, "--mirror", "official")


@pytest.fixture
def extra(world: World, wheels: Path, tmp_path: Path) -> Iterator[IndexServer]:
    """It has another torch of the same name, higher ones, a higher version of a package of the main index, and two that
    only it has."""
    folder, whole = tmp_path / "extra", tmp_path / "official"
    for version in (f"{TORCH}+cpu", "99.0", "99.0+cpu"):
        build_wheel(folder, "torch", version, {"torch/__init__.py": b"raise SystemExit('a stranger')"}, (), TAG)
    build_wheel(folder, "torchaudio", "99.0", {"torchaudio/__init__.py": b""}, (), TAG)
    for letter, version in SERVED.items():
        build_wheel(folder, f"padding_{letter}", version, {f"padding_{letter}/__init__.py": b""})
    whole.mkdir()
    for path in wheels.rglob("*.whl"):
        if not path.name.startswith(("padding_b", "padding_c")):
            shutil.copy2(path, whole)
    with IndexServer(whole) as official, IndexServer(folder) as server:
        rows = {(kind, "official"): official.simple for kind in ("pypi", "pytorch-wheels")}
        write_mirrors(world.home / "state", rows)
        yield server


def settled(world: World, where: str, extra: IndexServer) -> World:
    if where != "pip.conf":
        return replace(world, more={where: extra.simple})
    path = world.home / "pip.conf"
    path.write_text(f"[global]\nextra-index-url = {extra.simple}\n", encoding="utf-8")
    return replace(world, more={"PIP_CONFIG_FILE": str(path)})


def locked(world: World, *options: str) -> tuple[dict[str, tuple[str, str]], dict[str, Mapping[str, str]]]:
    """{package: (version, address)} of the plan, and its notices by their keys."""
    done = world.run(*OPTIONS, "--plan-only", *options)
    assert done.returncode == 0, done.stderr
    path = Path(json.loads(done.stdout)["plan"])
    plan = json.loads(path.read_text(encoding="utf-8"))
    files = json.loads((path.parent / "files.json").read_text(encoding="utf-8"))
    told = {notice["key"]: notice["params"] for notice in plan["notices"]}
    return {file["name"]: (file["version"], file["urls"][0]) for file in files}, told


@pytest.mark.parametrize("where", ["PIP_EXTRA_INDEX_URL", "UV_EXTRA_INDEX_URL", "pip.conf"])
def test_torch_stays_official_and_the_other_one_is_named(world: World, extra: IndexServer, where: str) -> None:
    files, told = locked(settled(world, where, extra))
    assert files["torch"][0] == f"{TORCH}+cpu"
    assert not files["torch"][1].startswith(extra.url)
    assert told["notice.origin-unproven"]["address"] == extra.simple


def test_a_package_comes_from_the_main_index_unless_asked_for(world: World, extra: IndexServer) -> None:
    """What was added gives only what the main one lacks. A variable of uv's asks for nothing, and torch stays where it
    is either way."""
    own = replace(world, more={"PIP_EXTRA_INDEX_URL": extra.simple, "UV_INDEX_STRATEGY": "unsafe-best-match"})
    files, told = locked(own)
    assert files["padding-a"][0] == "1.0"
    assert not files["padding-a"][1].startswith(extra.url)
    assert files["padding-b"][0] == "0.6"
    assert "notice.any-index" not in told
    both = told["notice.on-both"]
    assert (both["packages"], both["address"]) == ("padding-a 1.0", extra.simple)
    files, told = locked(own, "--index-strategy", "unsafe-best-match")
    assert files["padding-a"][0] == "99.0"
    assert files["torch"][0] == f"{TORCH}+cpu"
    assert not files["torch"][1].startswith(extra.url)
    assert "notice.any-index" in told
    assert "notice.on-both" not in told


def test_both_are_shown_before_anything_happens(world: World, extra: IndexServer) -> None:
    done = settled(world, "PIP_EXTRA_INDEX_URL", extra).run(*OPTIONS, "--dry-run")
    assert done.returncode == 0, done.stderr
    said = done.stdout + done.stderr
    assert re.search(rf"From {re.escape(extra.simple)} \(.+\): padding-b 0\.6, padding-c 0\.7\.", said), said
    assert "padding-a 99.0" not in said
    assert "padding-a 1.0: taken from a public index" in said
    assert f"or with: --index {extra.simple}" in said
    assert f"--torch-index {extra.simple}" in said


@pytest.fixture
def three(world: World, extra: IndexServer) -> Iterator[tuple[IndexServer, str, str, World]]:
    """The first index links to files on another host; the second is at the first's own host and port."""
    with IndexServer(extra.root) as files:
        extra.file_prefix, extra.relative = f"{files.url}/files", False
        second, empty = f"{extra.url}/lab/simple", f"{extra.url}/none/simple"
        wheel = next(extra.root.glob("padding_b-*.whl"))
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        extra.answers["/lab/simple/padding-b/"] = Answer(
            f'<a href="{files.url}/files/{wheel.name}#sha256={digest}">{wheel.name}</a>'.encode()
        )
        extra.answers["/simple/padding-b/"] = Answer(status=404)
        addresses = " ".join((extra.simple.replace("//", "//me:secret@"), second, empty))
        yield extra, second, empty, replace(world, more={"PIP_EXTRA_INDEX_URL": addresses})


def test_each_index_is_named_with_what_it_lists(three: tuple[IndexServer, str, str, World]) -> None:
    """Neither the host of the files nor that of the index tells them apart: the index's address does."""
    extra, second, empty, world = three
    done = world.run(*OPTIONS, "--dry-run")
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "): padding-c 0.7." in said
    assert re.search(rf"From {re.escape(second)} \(.+\): padding-b 0\.6\.", said), said
    assert f"From {empty} " not in said
    assert "secret" not in said


def typed(world: World, prefix: Path, *options: str) -> tuple[dict[str, str], dict[str, str]]:
    """{package: version} of the run, and of the shown command in a shell with this person's variables."""
    done = world.run(*OPTIONS, "--dry-run", *options)
    assert done.returncode == 0, done.stderr
    line = next(line for line in (done.stdout + done.stderr).splitlines() if "uv pip install" in line)
    words = shlex.split(line)
    words = [str(paths.uv_executable()), *words[words.index("pip") :], "--dry-run", "--no-cache"]
    words[words.index("--python") + 1] = str(prefix)
    shown = subprocess.run(words, env=world.environment, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, f"{words}\n{shown.stderr}"
    files, _ = locked(world, *options)
    wanted = {name: version for name, (version, _) in files.items()}
    found = re.findall(r"^ \+ ([\w-]+)(?:==| @ \S+/[^/-]+-)([^\s/-]+)", shown.stderr, re.MULTILINE)
    return wanted, {name: unquote(version) for name, version in found}


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    prefix = tmp_path_factory.mktemp("by-hand") / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(prefix)], check=True)
    return prefix


@pytest.mark.parametrize("where", ["PIP_EXTRA_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_INDEX", "PIP_FIND_LINKS"])
def test_the_shown_command_installs_what_the_run_does(world: World, extra: IndexServer, bare: Path, where: str) -> None:
    """The real uv has another order of its own for each of these variables."""
    build_wheel(extra.root, "numpy", "99.0", {"numpy/__init__.py": b""})
    address = extra.flat if where == "PIP_FIND_LINKS" else extra.simple
    wanted, shown = typed(replace(world, more={where: address}), bare)
    assert shown == wanted
    assert (wanted["torch"], wanted["numpy"]) == (f"{TORCH}+cpu", "2.3.0")


def test_the_shown_command_follows_a_named_strategy(world: World, extra: IndexServer, bare: Path) -> None:
    own = replace(world, more={"PIP_EXTRA_INDEX_URL": extra.simple})
    wanted, shown = typed(own, bare, "--index-strategy", "unsafe-best-match")
    assert shown == wanted
    assert wanted["padding-a"] == "99.0"


def test_the_shown_command_keeps_to_addresses_by_hand(world: World, extra: IndexServer, bare: Path) -> None:
    """Files named by hand come before the index named by hand, which torch's own does not widen."""
    build_wheel(world.home / "links", "numpy", "2.1.0", {"numpy/__init__.py": b""})
    build_wheel(world.home / "torch", "numpy", "1.9", {"numpy/__init__.py": b""})
    build_torch(world.home / "torch", f"{TORCH}+cpu", ["padding-a", "padding-b"], 0, {"do": "work", "cuda": None})
    with IndexServer(world.home / "torch") as torch:
        options = ("--index", extra.simple, "--torch-index", torch.simple, "--find-links", str(world.home / "links"))
        wanted, shown = typed(world, bare, *options, "--with", "none")
    assert shown == wanted
    assert wanted == {"torch": f"{TORCH}+cpu", "numpy": "2.1.0", "padding-a": "99.0", "padding-b": "0.6"}
