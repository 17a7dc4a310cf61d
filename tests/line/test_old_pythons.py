"""The whole job for the Pythons that only old releases were built for, each with its real interpreter."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.channel.build_channel import build_channel
from tests.line.wheel import build_wheel
from tests.line.world import NUMPY, World, build_torch
from tests.old_pythons import OLD_PYTHONS, old_python
from tests.servers.index_server import IndexServer
from tests.thorough import times

pytestmark = pytest.mark.slow

# The last release of each, its tags and what it takes, as the default index has them.
BUILDS = {
    "3.6": ("1.10.2", "cp36-cp36m-manylinux1_x86_64", ">=3.6.2", "cu102"),
    "3.7": ("1.13.1", "cp37-cp37m-manylinux1_x86_64", ">=3.7.0", "cu117"),
    "3.8": ("2.4.1", "cp38-cp38-manylinux1_x86_64", ">=3.8.0", "cu121"),
}


SOME = pytest.mark.parametrize("version", OLD_PYTHONS[: times(thorough=3, usual=1)])


@pytest.fixture
def old_world(version: str, tmp_path: Path) -> Iterator[World]:
    python = old_python(version)
    torch, tag, takes, variant = BUILDS[version]
    build_wheel(tmp_path / "packages", "numpy", "1.19.5", {"numpy/__init__.py": NUMPY}, python=f">={version}")
    for local, cuda in (("cpu", None), (variant, f"{variant[2:4]}.{variant[4]}")):
        behaviour = {"do": "no-driver" if cuda else "work", "cuda": cuda, "memory_info": False}
        build_torch(tmp_path / "torch", f"{torch}+{local}", [], 1, behaviour, tag=tag, python=takes)
    more = {"PATH": f"{python.parent}:/usr/bin:/bin"}
    (tmp_path / "user").mkdir()
    with IndexServer(tmp_path / "packages") as packages, IndexServer(tmp_path / "torch") as torches:
        yield World(tmp_path, packages, torches, more=more, python=version)


def checks(world: World) -> dict[str, str]:
    report = json.loads((world.runs()[-1] / "report.json").read_text(encoding="utf-8"))
    assert report["verification"]["python"].startswith(f"{world.python}.")
    return {check["name"]: check["state"] for check in report["verification"]["checks"]}


@pytest.mark.parametrize("version", OLD_PYTHONS)
def test_the_cpu_build_by_venv_and_the_doctor_afterwards(old_world: World) -> None:
    options = ("--variant", "cpu", "--with", "none", *old_world.sources)
    done = old_world.run("setup", "--yes", "--name", "old", *options)
    assert done.returncode == 0, done.stderr
    found = checks(old_world)
    assert found["import"] == found["zeros"] == found["matmul"] == found["convolution"] == found["numpy"] == "ok"
    assert "failed" not in found.values()
    lock = (old_world.runs()[-1] / "pylock.toml").read_text(encoding="utf-8")
    assert ".99" not in lock, "the patch release that is asked for is not told"
    examined = old_world.run("doctor", "--prefix", str(old_world.home / "state" / "envs" / "old"))
    assert examined.returncode == 0, examined.stdout + examined.stderr


@SOME
def test_a_cuda_build_without_a_card(old_world: World) -> None:
    options = ("--variant", BUILDS[old_world.python][3], "--with", "none", *old_world.sources)
    done = old_world.run("setup", "--yes", "--name", "old", *options)
    assert done.returncode == 3, done.stderr
    found = checks(old_world)
    assert found.pop("zeros") == "failed"
    assert "failed" not in found.values()


@SOME
def test_the_built_in_engine_with_a_channel_of_that_python(old_world: World, version: str, tmp_path: Path) -> None:
    channel = build_channel(tmp_path / "channel", str(old_python(version)))
    world = World(
        old_world.home, old_world.packages, old_world.torch, channel.as_uri(), more=old_world.more, python=version
    )
    done = world.run("setup", "--yes", "--name", "old", "--variant", "cpu", "--with", "none", *world.sources)
    assert done.returncode == 0, done.stderr
    assert "failed" not in checks(world).values()
    assert (world.home / "state" / "envs" / "old" / "conda-meta" / "history").is_file()
