"""A class profile made from the machine files of a room: two systems, several builds, and what must not stop it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.compatibility.machines import FOLDER
from tests.line.wheel import build_wheel
from tests.line.world import PYTHON, ROOT, TORCH, World
from tests.servers.index_server import IndexServer
from wizard.classroom.profile.read import read_profile
from wizard.system.paths import MATRICES_VARIABLE, matrices_dir

CARDS = ("gtx-1660-ti-windows-546", "laptop-intel-rtx-4060-windows", "v100-linux-535", "no-gpu-linux")


@pytest.fixture
def two_systems(tmp_path: Path) -> Iterator[World]:
    """Wheels of 2.14.1 for Windows and Linux behind a password, but none for the processor on Windows."""
    wheels = tmp_path / "wheels"
    for platform in ("win_amd64", "manylinux_2_28_x86_64"):
        for variant in ("cu126", "cpu") if platform != "win_amd64" else ("cu126",):
            build_wheel(
                wheels / "torch",
                "torch",
                f"2.14.1+{variant}",
                {"torch/__init__.py": b""},
                ["numpy"],
                f"cp312-cp312-{platform}",
            )
        build_wheel(wheels / "packages", "numpy", "2.3.0", {"numpy/__init__.py": b""}, (), f"cp312-cp312-{platform}")
    (tmp_path / "user").mkdir()
    with (
        IndexServer(wheels / "packages", password="me:hunter2", sizes=False) as packages,
        IndexServer(wheels / "torch", password="me:hunter2", sizes=False, json=False) as torch,
    ):
        yield World(tmp_path, packages, torch)


def write_channel(folder: Path) -> Path:
    """An index of packages for two systems, of which some are too new for the class's computers."""
    rows: tuple[tuple[str, str, str, list[str], str | None], ...] = (
        ("linux-64", "python", "3.12.10", ["__glibc >=2.17", "__unix"], None),
        ("linux-64", "python", "3.12.11", ["__glibc >=2.34"], None),
        ("linux-64", "python", "3.13.1", [], None),
        ("win-64", "python", "3.12.11", ["__win", "vc14_runtime"], None),
        ("win-64", "python", "3.12.12", ["__win >=11"], None),
        ("win-64", "vc14_runtime", "14.44", [], None),
        ("noarch", "pip", "25.1", ["python >=3.9"], "python"),
    )
    for subdir in ("linux-64", "win-64", "noarch"):
        packages = {
            f"{name}-{version}-0.conda": {
                "name": name,
                "version": version,
                "build": "0",
                "build_number": 0,
                "subdir": subdir,
                "depends": depends,
                "sha256": hashlib.sha256(f"{subdir}{name}{version}".encode()).hexdigest(),
                "size": 1000,
                **({"noarch": noarch} if noarch else {}),
            }
            for place, name, version, depends, noarch in rows
            if place == subdir
        }
        (folder / subdir).mkdir(parents=True)
        index = {"info": {"subdir": subdir}, "packages": {}, "packages.conda": packages, "repodata_version": 1}
        (folder / subdir / "repodata.json").write_text(json.dumps(index), encoding="utf-8")
    return folder


@pytest.mark.slow
def test_what_a_room_needs_is_locked_for_both_systems_without_the_password(two_systems: World, tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    for name in CARDS:
        (room / f"{name}.json").write_bytes((FOLDER / f"{name}.json").read_bytes())
    (room / "on-arm.json").write_bytes((FOLDER / "windows-on-arm.json").read_bytes())
    (room / "mac.json").write_text('{"schema": 1, "os": "darwin", "arch": "arm64", "driver": null, "gpus": []}')
    (room / "office.json").write_bytes((FOLDER / "intel-only-windows.json").read_bytes())
    index, torch = (
        url.replace("http://", "http://me:hunter2@") for url in (two_systems.packages.simple, two_systems.torch.simple)
    )
    path = tmp_path / "room.torchlab"
    with IndexServer(write_channel(tmp_path / "channel"), password="me:hunter2") as server:
        make = (
            "profile",
            "make",
            "--machine",
            str(room),
            "--torch",
            "2.14.1",
            "--with",
            "none",
            "--index",
            index,
            "--torch-index",
            torch,
            "--channel",
            server.url.replace("://", "://me:hunter2@"),
            "-o",
        )
        done = two_systems.run(*make, str(path))
        again = two_systems.run(*make, str(tmp_path / "again.torchlab"))
    assert again.returncode == 1, again.stderr
    assert (tmp_path / "again.torchlab").read_bytes() == path.read_bytes()
    assert done.returncode == 1, done.stderr  # three machines get nothing, and hold up none of the others
    assert "on-arm.json: no build fits" in done.stderr
    assert "mac.json: left out: The machine file mac.json cannot be used: os is not" in done.stderr
    assert "windows x86_64, torch 2.14.1+cpu is left out (office.json): No reachable source" in done.stderr
    assert "(computers: 2)" in done.stderr
    assert "hunter2" not in path.read_text(encoding="utf-8") + done.stderr + done.stdout
    locks = read_profile(path).profile.locks
    assert [(lock.os, lock.variant) for lock in locks] == [("windows", "cu126"), ("linux", "cu126"), ("linux", "cpu")]
    for lock in locks:
        tag = "win_amd64" if lock.os == "windows" else "manylinux_2_28_x86_64"
        assert all(tag in each.filename for each in lock.files)
        assert all(
            each.size
            == (two_systems.packages.find(each.filename) or two_systems.torch.find(each.filename)).stat().st_size
            for each in lock.files
        )
    pythons = {lock.os: [(one.file.name, one.file.version, one.subdir) for one in lock.conda] for lock in locks}
    assert pythons == {  # chosen here for the oldest computer that the wheels run on, whatever this one is
        "windows": [("pip", "25.1", "noarch"), ("python", "3.12.11", "win-64"), ("vc14_runtime", "14.44", "win-64")],
        "linux": [("pip", "25.1", "noarch"), ("python", "3.12.10", "linux-64")],
    }
    assert locks[0].conda[1].file.urls == (f"{server.url}/win-64/python-3.12.11-0.conda",)
    checked = two_systems.run("profile", "check", str(path), "--machine", str(room), "--json")
    assert checked.returncode == 1
    takes = {one["machine"]: one["takes"] and one["takes"]["variant"] for one in json.loads(checked.stdout)["machines"]}
    assert takes == {
        "gtx-1660-ti-windows-546.json": "cu126",
        "laptop-intel-rtx-4060-windows.json": "cu126",
        "no-gpu-linux.json": "cpu",
        "on-arm.json": None,
        "v100-linux-535.json": "cu126",
        "mac.json": None,
        "office.json": None,
    }


@pytest.mark.slow
def test_a_build_that_no_source_has_gives_way_to_the_next_best(tmp_path: Path) -> None:
    """As in a setup; and at the end stands what whoever hands the profile out must know."""
    wheels, path = tmp_path / "wheels", tmp_path / "class.torchlab"
    for name, version in (("torch", "2.13.0+cu126"), ("torchvision", "0.28.0+cu126")):
        requires = ["numpy"] if name == "torch" else ["torch==2.13.0"]
        files = {f"{name}/__init__.py": b""}
        build_wheel(wheels / "torch", name, version, files, requires, "cp312-cp312-win_amd64")
    build_wheel(wheels / "packages", "numpy", "2.3.0", {"numpy/__init__.py": b""})
    (tmp_path / "user").mkdir()
    machine = FOLDER / "gtx-1660-ti-windows-546.json"
    with IndexServer(wheels / "packages") as packages, IndexServer(wheels / "torch") as torch:
        world = World(tmp_path, packages, torch)
        what = ("profile", "make", "--machine", str(machine), "--engine", "venv", "--index", packages.simple)
        done = world.run(*what, "--find-links", torch.flat, "-o", str(path))
        local = world.run(*what, "--find-links", str(wheels / "torch"), "-o", str(tmp_path / "local.torchlab"))
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert "Each build comes with torchvision; change it by --with." in lines
    # Not 2.14.0 on the way, which no source has either.
    assert [line for line in lines if line.startswith("No source has")] == [
        "No source has windows x86_64, torch 2.14.1+cu126; instead of it the next best comes: torch 2.13.0+cu126."
    ]
    assert any(line.startswith("NVIDIA driver 528.33 suffices for every build") for line in lines), lines
    assert any(line.startswith("No other computer can fetch from 127.0.0.1") for line in lines), lines
    (lock,) = read_profile(path).profile.locks
    assert (lock.os, lock.torch, lock.variant, lock.version_of("torchvision")) == (
        "windows",
        "2.13.0",
        "cu126",
        "0.28.0+cu126",
    )
    assert (local.returncode, "on this computer" in local.stderr) == (1, True), local.stderr


@pytest.mark.slow
def test_a_torchvision_that_nobody_asked_for_is_left_out_where_its_source_lacks_it(
    world: World, tmp_path: Path
) -> None:
    """As in a setup; the other build keeps its own, and what was typed is missed."""
    make = ("profile", "make", "--name", "deep", "--torch", TORCH, "--python", PYTHON, "--engine", "venv")
    make += ("--platform", "linux", "--variant", "cpu,cu126")
    make += ("--index", world.packages.simple, "--torch-index", world.torch.simple, "-o")
    path = tmp_path / "class.torchlab"
    done = world.run(*make, str(path))
    assert done.returncode == 0, done.stderr
    assert f"torchvision is left out: no reachable source has it for torch {TORCH}+cu126." in done.stderr
    profile = read_profile(path).profile
    assert {lock.variant: lock.version_of("torchvision") for lock in profile.locks} == {
        "cpu": "0.28.0+cpu",
        "cu126": None,
    }
    assert profile.environment.companions == (), "what every entry has"
    asked = world.run(*make, str(tmp_path / "asked.torchlab"), "--with", "torchvision")
    assert (asked.returncode, f"torch {TORCH}+cu126 is left out" in asked.stderr) == (1, True), asked.stderr


@pytest.mark.slow
def test_a_wheel_with_another_checksum_is_told_and_gives_way(tmp_path: Path) -> None:
    """As in a setup: not that one should try again later."""
    wheels, tag = tmp_path / "wheels", "cp312-cp312-manylinux_2_28_x86_64"
    altered = build_wheel(wheels / "torch", "torch", "2.12.0+cpu", {"torch/__init__.py": b""}, ["numpy"], tag)
    build_wheel(wheels / "packages", "numpy", "2.3.0", {"numpy/__init__.py": b""})
    (tmp_path / "user").mkdir()
    tables = shutil.copytree(matrices_dir(), tmp_path / "tables")  # and of the pins that of this file alone
    pins = (ROOT / "matrices" / "wheel_hashes.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    own = [line for line in pins if line.startswith(("file,", altered.name))]
    (tables / "wheel_hashes.csv").write_text("".join(own), encoding="utf-8")
    with IndexServer(wheels / "packages") as packages, IndexServer(wheels / "torch") as torch:
        world = World(tmp_path, packages, torch, more={MATRICES_VARIABLE: str(tables)})
        make = ["profile", "make", "--platform", "linux", "--variant", "cpu", "--python", "3.12", "--with", "none"]
        make += ["--engine", "venv", "--index", packages.simple, "--torch-index", torch.simple, "-o"]
        alone = world.run(*make, str(tmp_path / "alone.torchlab"))
        build_wheel(wheels / "torch", "torch", "2.11.0+cpu", {"torch/__init__.py": b""}, ["numpy"], tag)
        with_older = world.run(*make, str(tmp_path / "older.torchlab"))
    assert (alone.returncode, f"{altered.name} with another SHA-256" in alone.stderr) == (1, True), alone.stderr
    assert "Try again later" not in alone.stderr
    assert with_older.returncode == 0, with_older.stderr
    assert f"was passed over: it offers {altered.name} with another SHA-256" in with_older.stderr
    (lock,) = read_profile(tmp_path / "older.torchlab").profile.locks
    assert lock.torch == "2.11.0"
