"""The whole line of a class, for real: a pack is built, served, found by address and code, and set up from."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.abilities import is_wine
from tests.classroom.profile.known import make_official
from tests.line.world import PYTHON, SITE, TORCH, World
from tests.waiting import HANG
from wizard.classroom.profile.model import Profile, ProfileEnvironment, ProfileLock, ProfileSources
from wizard.classroom.profile.read import read_profile
from wizard.classroom.profile.write import profile_file
from wizard.classroom.results.submit import read_room
from wizard.classroom.server.server import ServeOptions
from wizard.classroom.server.share import serve_downloads
from wizard.environment.layout import python_of
from wizard.model.lock import LockedFile
from wizard.system.traits import this
from wizard.transfer.download import Downloads

pytestmark = pytest.mark.slow


def profile_of(world: World, wheels: Path, path: Path, only_share: bool = False) -> Path:
    files = tuple(
        LockedFile(name, version, wheel.name, (f"{page}{wheel.name}",), _sha256(wheel), wheel.stat().st_size)
        for name, version, wheel, page in _wheels(world, wheels)
    )
    lock = ProfileLock(this().name, "x86_64", PYTHON, TORCH, "cpu", files, "2.17" if this().has_glibc else None)
    profile = Profile("Deep learning 101", "2026-11-21", "0.1.0", ProfileEnvironment("class", "venv"), (lock,))
    profile = replace(profile, sources=ProfileSources(only_share=only_share))
    path.write_bytes(profile_file(profile).data)
    make_official(world)
    return path


def _wheels(world: World, wheels: Path) -> Iterator[tuple[str, str, Path, str]]:
    """Of the CPU build, and what it needs."""
    for kind, server in (("torch", world.torch), ("packages", world.packages)):
        for wheel in sorted((wheels / kind).glob("*.whl")):
            name, version = wheel.name.split("-")[:2]
            if "cu126" not in version and name != "torchvision":
                yield name.replace("_", "-"), version, wheel, f"{server.url}/files/"


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@contextmanager
def served(world: World, pack: Path) -> Iterator[tuple[str, str]]:
    """(address, code), as the server's own words tell them."""
    server = world.start("pack", "serve", str(pack), "--port", "0", "--host", "127.0.0.1")
    try:
        assert server.stderr
        said = server.stderr.readline() + server.stderr.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/", said)
        code = re.search(r"\w{3}-\w{4}-\w{3}-\w{4}\+\w{3}-\w{4}-\w{4}", said)
        assert address, said
        assert code, said
        assert f"torch-wizard setup --pack {address[0]} --class {code[0]} --yes" in said
        yield address[0], code[0]
    finally:
        if is_wine():
            server.kill()  # no console there hands a break on
        else:
            world.interrupt(server)
        server.communicate(timeout=HANG)


def test_a_machine_is_set_up_from_the_class_server_alone(world: World, wheels: Path, tmp_path: Path) -> None:
    profile, pack = profile_of(world, wheels, tmp_path / "course.torchlab"), tmp_path / "pack"
    built = _built(world, profile, pack, wheels)
    assert built.returncode == 0, built.stderr
    with served(world, pack) as (address, code):
        prefix = tmp_path / "state" / "envs" / "class"
        done = world.run(
            "setup", "--pack", address, "--class", code, "--yes", "--label", "seat 7"
        )  # no other option: the profile decides
        assert done.returncode == 0, done.stderr
        assert world.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"
        room = read_room(pack)
        assert [(row.label, row.state, row.build, row.proof) for row in room.rows] == [
            ("seat 7", "green", f"torch {TORCH}+cpu, Python {PYTHON}", "class")
        ]
        (result,) = (pack / "results").glob("*.json")
        told = json.loads(result.read_text(encoding="utf-8"))
        told["proof"] = None  # not signed, or it would be no result now
        told["report"]["created"] = "2020-01-01T00:00:00Z"  # its clock was wrong then
        result.write_text(json.dumps(told))
        assert [row.code for row in read_room(pack).rows] == ["clock"]
        again = world.run("setup", "--pack", address, "--class", code, "--yes", "--label", "seat 7")
        assert again.returncode == 0, again.stderr
        assert [(row.code, row.label, row.build) for row in read_room(pack).rows] == [
            ("ok", "seat 7", f"torch {TORCH}+cpu, Python {PYTHON}")
        ]
        runs = world.runs()
        other = profile_of(world, wheels, tmp_path / "other.torchlab", only_share=True)
        taken = world.run("setup", "--profile", str(other), "--yes")
        assert taken.returncode == 2
        assert "was made from another class profile" in taken.stderr
        assert python_of(prefix).exists()
        shutil.rmtree(next((prefix / SITE).glob("torch-*.dist-info")))
        changed = world.run("setup", "--profile", str(profile), "--yes")
        assert changed.returncode == 2
        assert "packages have changed since: torch" in changed.stderr
        for run in runs:  # as if it had been made without a class
            shutil.rmtree(run)
        taken = world.run("setup", "--profile", str(profile), "--yes")
        assert taken.returncode == 2
        assert "was not made from this class profile" in taken.stderr
        assert world.runs() == []
    shown = world.run("room", str(pack), "--html", str(tmp_path / "room.html"), "--csv", str(tmp_path / "room.csv"))
    assert shown.returncode == 0, shown.stderr
    assert "seat 7" in (tmp_path / "room.html").read_text(encoding="utf-8")
    assert "seat 7" in (tmp_path / "room.csv").read_text(encoding="utf-8-sig")


def test_a_warm_store_gives_a_class_what_it_has(
    world: World, wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Set up without a class first: no wheel is kept. For the class they are, and the next machine gets them here."""
    profile = profile_of(world, wheels, tmp_path / "course.torchlab")
    alone = world.run("setup", "--yes", "--name", "alone", *world.sources)
    assert alone.returncode == 0, alone.stderr
    store = Downloads(world.home / "state" / "downloads")
    assert not list(store.root.rglob("*.whl"))
    done = world.run("setup", "--profile", str(profile), "--yes")
    assert done.returncode == 0, done.stderr
    for key, value in world.environment.items():
        monkeypatch.setenv(key, value)
    file = read_profile(profile)
    asked = _wheels_asked_for(world)
    with serve_downloads(file, profile, file.profile.files, ServeOptions("127.0.0.1", 0), announce=False) as serving:
        next_one = replace(world, home=tmp_path / "next")
        (next_one.home / "user").mkdir(parents=True)
        make_official(next_one)
        taken = next_one.run("setup", "--profile", str(profile), "--pack", serving.addresses[0], "--yes")
        assert taken.returncode == 0, taken.stderr
        assert len(serving.listing.entries) == len(file.profile.files) + 1
    assert _wheels_asked_for(world) == asked
    code = "import torch; print(torch.__version__)"
    assert next_one.import_check(next_one.home / "state" / "envs" / "class", code) == f"{TORCH}+cpu"


def _wheels_asked_for(world: World) -> list[str]:
    return [path for server in (world.packages, world.torch) for path in server.paths() if path.endswith(".whl")]


def _built(world: World, profile: Path, pack: Path, wheels: Path) -> subprocess.CompletedProcess[str]:
    """The files are in the downloads of this home already: what a build does with a network is tested elsewhere."""
    store = Downloads(world.home / "state" / "downloads")
    for file in read_profile(profile).profile.files:
        source = next(path for path in wheels.rglob("*.whl") if path.name == file.filename)
        target = store.path_for(file)
        target.parent.mkdir(parents=True)
        target.write_bytes(source.read_bytes())
    done = world.run("pack", "build", str(profile), "-o", str(pack))
    shutil.rmtree(store.root)
    return done


def test_from_a_stick_with_one_altered_file_nothing_wrong_gets_in(world: World, wheels: Path, tmp_path: Path) -> None:
    """The profile lets nobody else be asked: one sentence, and the class knows."""
    profile, pack = profile_of(world, wheels, tmp_path / "course.torchlab", only_share=True), tmp_path / "pack"
    assert _built(world, profile, pack, wheels).returncode == 0
    wheel = next((pack / "wheels").glob("padding_a*"))
    data = wheel.read_bytes()
    wheel.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    done = world.run("setup", "--profile", str(pack / "profile.torchlab"), "--yes")
    assert done.returncode == 1
    assert "padding-a 1.0" in done.stderr
    assert "Traceback" not in done.stderr
    (log,) = (world.home / "state" / "runs").glob("*/log.txt")
    assert wheel.name in log.read_text(encoding="utf-8")
    (row,) = read_room(pack).rows
    assert row.state == "red"
    assert row.code == "fetch-hash-mismatch"
