"""What conda's records list is never touched by wheels: through the whole line, with the built-in engine and a conda.

The stand-in torch asks for setuptools, as the real one does; conda brings it along with pip.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.channel.setuptools import channel_with, hello, setuptools_wheel
from tests.environment.unmixed import check_unmixed, pip_check, versions
from tests.install.conftest import stored_wheel
from tests.line.wheel import build_wheel
from tests.line.world import PYTHON, World, build_torch, build_wheels
from tests.reuse.world import into
from tests.servers.index_server import IndexServer
from tests.stand_in import make_environment
from tests.stand_in.conda import StandInConda
from wizard.install.installer import Installer
from wizard.model.errors import WizardError

pytestmark = pytest.mark.slow

CONDA = os.environ.get("CONDA_EXE", "")
Make = Callable[[Sequence[str], str], World]


@pytest.fixture
def made(tmp_path: Path, conda_channel_folder: Path) -> Iterator[Make]:
    """A world whose channel has these setuptools and whose torch asks for that one; the index has the newest."""
    servers: list[IndexServer] = []

    def make(channel: Sequence[str], wanted: str) -> World:
        more = (hello("1.0"), hello("2.0"))
        (tmp_path / "user").mkdir()
        wheels = build_wheels(tmp_path / "wheels", megabytes=0)
        build_torch(wheels / "torch", "2.13.0+cpu", ["numpy", wanted], 0, {"do": "work", "cuda": None})
        for version in ("65.5.0", "80.9.0", "81.0.0", "84.0.0"):
            setuptools_wheel(wheels / "packages", version)
        url = channel_with(tmp_path / "channel", conda_channel_folder, channel, more)
        channel_with(tmp_path / "later", conda_channel_folder, {*channel, "80.9.0", "84.0.0"}, more)
        servers.extend((IndexServer(wheels / "packages"), IndexServer(wheels / "torch")))
        for server in servers:
            server.__enter__()
        return World(tmp_path, servers[0], servers[1], url)

    yield make
    for server in servers:
        server.__exit__(None, None, None)


def engine_of(world: World, engine: str) -> tuple[str, ...]:
    if engine == "rattler":
        return ("--engine", "rattler")
    return ("--conda", str(StandInConda(world.home / "user" / "miniforge3").install().root))


def set_up(world: World, engine: str, *more: str) -> Path:
    done = world.run("setup", "--yes", "--name", "demo", *engine_of(world, engine), *more, *world.sources)
    assert done.returncode == 0, done.stderr
    return world.home / "state" / "envs" / "demo"


def check_whole(world: World, prefix: Path) -> None:
    check_unmixed(prefix)
    pip_check(prefix)
    said = world.import_check(prefix, "import setuptools; print(setuptools.__version__, setuptools.parts.made_for)")
    assert said.split() == [versions(prefix)["setuptools"]] * 2
    doctor = world.run("doctor", "--prefix", str(prefix), "--deep")
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr


def locked_names(world: World) -> set[str]:
    return {file["name"] for file in json.loads((world.runs()[0] / "files.json").read_text(encoding="utf-8"))}


@pytest.mark.parametrize("engine", ["rattler", "conda"])
def test_the_lock_keeps_to_what_conda_brings(made: Make, engine: str) -> None:
    """The index has a newer setuptools, and torch would take it."""
    world = made(["80.9.0"], "setuptools>=77.0.3")
    prefix = set_up(world, engine)
    assert versions(prefix)["setuptools"] == "80.9.0"
    assert "setuptools" not in locked_names(world)
    check_whole(world, prefix)
    plan = json.loads((world.runs()[0] / "plan.json").read_text(encoding="utf-8"))
    assert plan["conda_specs"] == ["setuptools==80.9.0"]  # conda itself is told what the wheels were made for


@pytest.mark.parametrize("engine", ["rattler", "conda"])
def test_conda_is_asked_for_what_the_wheels_need(made: Make, engine: str) -> None:
    """conda would bring 84, which this torch refuses; the channel has 80.9, the index 81."""
    world = made(["80.9.0", "84.0.0"], "setuptools<82")
    prefix = set_up(world, engine)
    assert versions(prefix)["setuptools"] == "80.9.0"
    check_whole(world, prefix)


@pytest.mark.parametrize("engine", ["rattler", "conda"])
def test_what_conda_cannot_give_is_said_before_anything_is_begun(made: Make, engine: str) -> None:
    world = made(["65.5.0"], "setuptools>=77.0.3")
    done = world.run("setup", "--yes", "--name", "demo", *engine_of(world, engine), *world.sources)
    assert done.returncode == 1
    assert "conda has setuptools 65.5.0, they go with setuptools 81.0.0" in done.stderr
    assert "--engine venv" in done.stderr
    assert world.runs() == []
    assert not (world.home / "state" / "envs" / "demo").exists()


@pytest.mark.parametrize(("wanted", "version"), [("setuptools", "81.0.0"), ("setuptools>=83", "84.0.0")])
def test_a_setuptools_with_pkg_resources_is_taken_where_nothing_asks_for_more(
    made: Make, wanted: str, version: str
) -> None:
    world = made(["80.9.0"], wanted)
    plan = world.run("setup", "--dry-run", "--name", "demo", "--engine", "venv", *world.sources)
    assert (plan.returncode, f"setuptools-{version}-" in plan.stderr) == (0, True), plan.stderr


def test_packages_that_do_not_go_together_are_not_blamed_on_conda(made: Make) -> None:
    world = made(["80.9.0"], "setuptools")
    done = world.run("setup", "--yes", "--name", "demo", "--with", "numpy==99", *world.sources)
    assert (done.returncode, "do not go together" in done.stderr) == (1, True), done.stderr


def test_a_setup_into_an_environment_of_conda_goes_around_its_packages(made: Make) -> None:
    world = made(["80.9.0"], "setuptools>=77.0.3")
    prefix = set_up(world, "rattler")
    for name, wanted in (("newcomer", "setuptools>=78"), ("demanding", "setuptools>=83")):
        build_wheel(world.home / "wheels" / "packages", name, "1.0", {f"{name}.py": b""}, [wanted])
    done = world.run(*into(world, prefix, "--yes", "--with", "torchvision,newcomer"))
    assert done.returncode == 0, done.stderr
    assert versions(prefix)["newcomer"] == "1.0"
    check_whole(world, prefix)
    done = world.run(*into(world, prefix, "--yes", "--with", "torchvision,demanding"))
    assert (done.returncode, "setuptools (setuptools 80.9.0)" in done.stderr) == (1, True), done.stderr
    check_whole(world, prefix)


@pytest.mark.skipif(not CONDA, reason="opt-in: set CONDA_EXE to a real conda (docs/environments.md)")
@pytest.mark.parametrize(("has", "wanted"), [("65.5.0", "setuptools"), ("80.9.0", "setuptools>=77.0.3")])
@pytest.mark.parametrize("engine", ["rattler", "conda"])
def test_conda_itself_goes_on_with_it(made: Make, engine: str, has: str, wanted: str) -> None:
    """conda installs and updates another package, from a channel that has newer setuptools by then."""
    world = made([has], wanted)
    chosen = ("--conda", CONDA) if engine == "conda" else ("--engine", "rattler")
    done = world.run("setup", "--yes", "--name", "demo", *chosen, *world.sources, timeout=600)
    assert done.returncode == 0, done.stderr
    prefix = world.home / "state" / "envs" / "demo"
    check_whole(world, prefix)
    for verb, spec in (("install", "hello=1.0"), ("update", "hello")):
        conda(
            world,
            verb,
            "--prefix",
            str(prefix),
            "--override-channels",
            "--channel",
            (world.home / "later").as_uri(),
            "--yes",
            spec,
        )
        said = conda(world, "doctor", "--prefix", str(prefix), "--verbose")
        assert "❌" not in said, said
        check_whole(world, prefix)
    assert world.import_check(prefix, "import hello; print(hello.VERSION)") == "2.0"


@pytest.mark.skipif(not CONDA, reason="opt-in: set CONDA_EXE to a real conda (docs/environments.md)")
def test_what_conda_does_in_one_environment_reaches_no_sibling(made: Make) -> None:
    """Both share their wheels' files with the package store. The last step takes the whole environment out."""
    world = made(["80.9.0"], "setuptools")
    prefix = set_up(world, "rattler")
    done = world.run("setup", "--yes", "--name", "sibling", "--engine", "rattler", *world.sources)
    assert done.returncode == 0, done.stderr
    sibling = prefix.parent / "sibling"
    module = f"lib/python{PYTHON}/site-packages/torchvision/__init__.py"
    assert (prefix / module).samefile(sibling / module)
    later = ("--override-channels", "--channel", (world.home / "later").as_uri())
    steps = [
        ("install", *later, "hello=1.0"),
        ("update", *later, "hello"),
        ("install", *later, "--force-reinstall", "pip"),
        ("remove", "hello"),
        ("remove", "--all"),
    ]
    for verb, *rest in steps:
        conda(world, verb, "--prefix", str(prefix), "--yes", *rest)
        check_whole(world, sibling)
        verified = world.run("store", "verify")
        assert verified.returncode == 0, verified.stdout
    assert not (prefix / "conda-meta" / "history").exists()


def conda(world: World, *arguments: str) -> str:
    # With it conda's doctor asks a server on the internet.
    environment = {name: value for name, value in world.environment.items() if name != "REQUESTS_CA_BUNDLE"}
    done = subprocess.run(
        [CONDA, *arguments], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Linux folders")
def test_the_installer_itself_never_writes_over_what_conda_lists(tmp_path: Path) -> None:
    """Whatever a lock says: a package of conda's, a file of it, a program."""
    python = make_environment(tmp_path / "env")
    (prefix := tmp_path / "env").joinpath("bin", "tool").write_text("conda's")
    site = f"lib/python{PYTHON}/site-packages"
    owned = {"bin/tool": "tools 1", f"{site}/shared/data.txt": "shared 2"}
    owned[f"{site}/setuptools-80.9.0.dist-info/METADATA"] = "setuptools 80.9.0"
    entry = b"[console_scripts]\ntool = other:main\n"
    wheels = {
        "setuptools 80.9.0": setuptools_wheel(tmp_path, "84.0.0"),
        "tools 1": build_wheel(
            tmp_path, "other", "1.0", {"other.py": b"", "other-1.0.dist-info/entry_points.txt": entry}
        ),
        "shared 2": build_wheel(tmp_path, "sharing", "1.0", {"shared/data.txt": b"the wheel's"}),
    }
    (prefix / site / "shared").mkdir()
    (prefix / site / "shared" / "data.txt").write_text("conda's")
    for owner, entry_of in ((owner, stored_wheel(wheel)) for owner, wheel in wheels.items()):
        with pytest.raises(WizardError) as caught:
            Installer(python, conda_files=owned).install([entry_of])
        assert (caught.value.code, caught.value.params["owner"]) == ("install-conda-files", owner)
    assert (prefix / site / "shared" / "data.txt").read_text() == (prefix / "bin" / "tool").read_text() == "conda's"
    assert not list((prefix / site).glob("*.dist-info"))
