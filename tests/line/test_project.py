"""A project installed for real on loopback: its versions where they run, a yes to what moves, all in one lock."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.line.wheel import build_wheel
from tests.line.world import NUMPY, PYTHON, ROOT, TORCH, World, build_torch
from tests.run.mirrors import write_mirrors
from tests.servers.index_server import IndexServer
from tests.waiting import wait_until

VERSIONS = "import importlib.metadata as m; print(*sorted(f'{d.name}=={d.version}' for d in m.distributions()))"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of a project, in a path as people have it."""
    made = tmp_path / "项目 one"
    made.mkdir()
    return made


def write(folder: Path, name: str, *lines: str) -> None:
    (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")


def setup(world: World, folder: Path, *more: str) -> tuple[str, ...]:
    return ("setup", "--project", str(folder), "--name", "demo", *more, *world.sources)


def prefix(world: World) -> Path:
    return world.home / "state" / "envs" / "demo"


def installed(world: World) -> dict[str, str]:
    found = world.import_check(prefix(world), VERSIONS).split()
    return dict(one.replace("_", "-").split("==") for one in found)


def test_a_project_that_can_be_had_as_it_asks(world: World, folder: Path) -> None:
    write(folder, "requirements.txt", f"torch=={TORCH}", "torchvision", "numpy>=2,<3", "padding-a==1.0", "padding_b")
    write(folder, "train.py", "import torch, numpy, own", "from torch import not_any_more", "import nobody_has_it")
    write(folder, "own.py", "raise SystemExit('nothing of a project is run')")
    write(folder, "README.md", "```", "python train.py --fast", "```")
    done = world.run(*setup(world, folder, "--yes", "--strict"))
    assert done.returncode == 0, done.stderr
    for line in (
        "Every declared package is there as the plan promised (5)",
        "torch (train.py:2) cannot be imported: ImportError: cannot import name 'not_any_more'",
        "by the project declares brings what its files import: nobody_has_it (train.py:3)",
        "can be imported: torch, numpy",
        "    python train.py --fast",
        f"    code '{folder}'",
    ):
        assert line.removeprefix("by ") in done.stderr, line
    [report] = world.home.rglob("report.json")
    checks = {one["name"]: one for one in json.loads(report.read_text("utf-8"))["verification"]["checks"]}
    assert checks["undeclared"]["data"]["modules"] == ["nobody_has_it"]
    assert checks["project-import"]["data"]["place"] == "train.py:2"
    assert "own" not in str(checks["imports"]["data"]["modules"])
    found = installed(world)
    assert (found["torch"], found["torchvision"]) == (f"{TORCH}+cpu", "0.28.0+cpu")
    assert (found["numpy"], found["padding-a"], found["padding-b"]) == ("2.3.0", "1.0", "1.0")


@pytest.mark.slow
def test_what_was_built_before_numpy_2_gets_an_older_one_that_no_line_names(world: World, folder: Path) -> None:
    """In a project's plan, for what is named on the command line, and where it is added later."""
    build_wheel(world.packages.root, "numpy", "1.26.4", {"numpy/__init__.py": NUMPY})
    build_wheel(world.packages.root, "pandas", "1.5.3", {"pandas/__init__.py": b""}, ["numpy>=1.20"])
    write(folder, "requirements.txt", "torch", "pandas==1.5.3")
    for asked in (setup(world, folder), ("setup", "--with", "pandas==1.5.3", "--name", "demo", *world.sources)):
        done = world.run(*asked, "--dry-run")
        assert done.returncode == 0, done.stderr
        assert "numpy-1.26.4-" in done.stdout + done.stderr
    write(folder, "requirements.txt", "torch", "numpy")
    done = world.run(*setup(world, folder, "--yes"))
    assert (done.returncode, installed(world)["numpy"]) == (0, "2.3.0"), done.stderr
    done = world.run("envs", "add", "demo", "pandas==1.5.3", "--yes", *world.sources[:4])
    assert (done.returncode, installed(world)["numpy"]) == (0, "1.26.4"), done.stderr
    assert "numpy 2.3.0 → 1.26.4" in done.stderr
    build_wheel(world.packages.root, "padding_b", "9.0", {"padding_b/__init__.py": b""})
    for named in ((), ("numpy",)):
        done = world.run("envs", "update", "demo", *named, "--yes", *world.sources[:4])
        assert (done.returncode, installed(world)["numpy"]) == (0, "1.26.4"), done.stderr


def test_a_locked_file_is_held_against_the_hashes_of_its_line(world: World, folder: Path, wheels: Path) -> None:
    """Any of them will do, as for pip; those of torch are another build's."""
    [file] = [one for one in wheels.rglob("padding_a-1.0-*.whl")][:1]
    right, wrong = hashlib.sha256(file.read_bytes()).hexdigest(), "0" * 64
    for hashes, status in (((wrong,), 1), ((wrong, right), 0)):
        line = " ".join(("padding-a==1.0", *(f"--hash=sha256:{one}" for one in hashes)))
        write(folder, "requirements.txt", f"torch --hash=sha256:{wrong}", line)
        done = world.run(*setup(world, folder, "--dry-run"))
        assert (done.returncode == 0) == (status == 0), done.stderr
        told = f"has {file.name} with another content than the hashes of that line say."
        assert (told in done.stderr and "requirements.txt, line 2: " in done.stderr) == (status == 1), done.stderr


def test_a_torchvision_that_no_source_has_is_not_lost_unsaid(
    world: World, folder: Path, wheels: Path, tmp_path: Path
) -> None:
    write(folder, "requirements.txt", "torch", "torchvision", "padding-a")
    shelf = shutil.copytree(wheels / "torch", tmp_path / "shelf", ignore=shutil.ignore_patterns("torchvision-*"))
    with IndexServer(shelf) as torch:
        there = World(world.home, world.packages, torch)
        done = there.run(*setup(there, folder, "--yes"))
        assert done.returncode == 2
        assert "--relax torchvision" in done.stderr
        done = there.run(*setup(there, folder, "--yes", "--strict"))
        assert done.returncode == 2
        assert "has no torchvision that belongs to it" in done.stderr
        assert there.runs() == []
        done = there.run(*setup(there, folder, "--yes", "--relax", "torchvision"))
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("torchvision, which the project asks for, will be missing") == 1
    assert "this is missing: torchvision. 3 of 4 packages are there" in done.stderr
    assert "torchvision" not in installed(there)


@pytest.mark.slow
def test_a_torchvision_that_a_package_needs_and_no_source_has_is_left_and_agreed_to(
    world: World, folder: Path, wheels: Path, tmp_path: Path
) -> None:
    """The package index has one for another torch: that is not taken, and the package is not left out for it."""
    write(folder, "requirements.txt", "torch", "looking")
    shelf = shutil.copytree(wheels / "torch", tmp_path / "shelf", ignore=shutil.ignore_patterns("torchvision-*"))
    build_wheel(world.packages.root, "torchvision", "99.0", {"torchvision.py": b""})
    build_wheel(world.packages.root, "looking", "1.0", {"looking.py": b""}, ["torchvision"])
    with IndexServer(shelf) as torch:
        there = World(world.home, world.packages, torch)
        done = there.run("setup", "--with", "looking", "--name", "demo", "--yes", *there.sources)
        assert done.returncode == 1
        assert "looking needs torchvision, which no reachable source has for this torch" in done.stderr
        done = there.run(*setup(there, folder, "--yes", "--strict"))
        assert "looking needs torchvision, which no reachable source has" in done.stderr
        done = there.run(*setup(there, folder, "--yes"))
        assert done.returncode == 2
        assert "--relax torchvision" in done.stderr
        done = there.run(*setup(there, folder, "--yes", "--relax", "torchvision"))
    assert done.returncode == 0, done.stderr
    found = installed(there)
    assert found["looking"] == "1.0"
    assert "torchvision" not in found


@pytest.mark.slow
def test_what_has_to_move_wants_a_yes_of_its_own(world: World, folder: Path) -> None:
    """torch's CUDA without a card, and a pin that no index has."""
    write(folder, "requirements.txt", f"torch=={TORCH}+cu126", "numpy==2.2.0", "padding-a")
    done = world.run(*setup(world, folder, "--yes"))
    assert done.returncode == 2
    assert "--relax cuda --relax numpy" in done.stderr, "one refusal names all"
    assert "requirements.txt:1" in done.stderr
    done = world.run(*setup(world, folder, "--yes", "--relax", "cuda"))
    assert done.returncode == 2
    assert "--relax numpy" in done.stderr
    for why in ("numpy: asked ==2.2.0 (requirements.txt:2), you get 2.3.0", "cuda: asked cu126, you get cpu"):
        assert done.stderr.count(why) == 1, "a yes is asked for what was said, with the reason"
    assert world.runs() == [], "nothing is left of a plan that nobody agreed to"
    done = world.run(*setup(world, folder, "--yes", "--strict"))
    assert done.returncode == 1
    assert "cuda" in done.stderr
    done = world.run(*setup(world, folder, "--yes", "--relax", "cuda, numpy"))
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("numpy: asked ==2.2.0 (requirements.txt:2), you get 2.3.0") == 1
    assert done.stderr.count("cuda: asked cu126, you get cpu") == 1
    found = installed(world)
    assert (found["torch"], found["numpy"]) == (f"{TORCH}+cpu", "2.3.0")
    report = json.loads((world.runs()[0] / "report.json").read_text(encoding="utf-8"))
    assert "==2.2.0" in json.dumps(report)


@pytest.mark.slow
def test_strict_moves_no_pin_for_a_lock(world: World, folder: Path) -> None:
    write(folder, "requirements.txt", "torch", "numpy==2.2.0")
    done = world.run(*setup(world, folder, "--yes", "--strict"))
    assert done.returncode == 1
    assert "requirements.txt:2: numpy==2.2.0" in done.stderr
    assert world.runs() == []


def test_a_package_with_extras_markers_and_parts_that_no_lock_holds(world: World, folder: Path, tmp_path: Path) -> None:
    """pyproject.toml, with a repository beside it: that is named with its command, and not installed."""
    build_wheel(tmp_path / "more", "with_extra", "1.5", {"with_extra.py": b""}, ["padding-c; extra == 'wide'"])
    build_wheel(tmp_path / "more", "bounded", "1.0", {"bounded.py": b""})
    write(
        folder,
        "pyproject.toml",
        "[project]",
        'name = "mine"',
        f'requires-python = ">={PYTHON}"',
        "dependencies = [",
        f'  "torch>={TORCH}", "with-extra[wide]>=1; python_version > \'3.8\'", "nowhere; python_version < \'3\'",',
        '  "elsewhere @ git+https://git.example/elsewhere.git", "bounded<2",',
        "]",
    )
    links = ("--find-links", str(tmp_path / "more"))
    done = world.run(*setup(world, folder, "--yes", *links))
    assert done.returncode == 0, done.stderr
    plan, _, end = done.stderr.partition("What to do:")
    for said in (plan, end):
        assert "-m pip install --no-deps git+https://git.example/elsewhere.git" in said
        assert f"-m pip install --no-deps -e '{folder}'" in said
    found = installed(world)
    assert (found["with-extra"], found["padding-c"]) == ("1.5", "1.0")
    assert "elsewhere" not in found
    for version in ("1.5", "2.0"):
        build_wheel(tmp_path / "more", "bounded", version, {"bounded.py": b""})
    done = world.run("envs", "update", "demo", "--dry-run", *world.sources[:4], *links)
    assert "bounded 1.0 → 1.5" in done.stderr, done.stderr


@pytest.mark.slow
def test_a_package_without_a_wheel_is_left_and_agreed_to(world: World, folder: Path) -> None:
    write(folder, "requirements.txt", "torch", "padding-a", "only-sources==1.0", "not-there")
    (world.packages.root / "only_sources-1.0.tar.gz").write_bytes(b"nothing is built")
    done = world.run(*setup(world, folder, "--yes", "--relax", "Only_Sources, nott-there"))
    assert done.returncode == 2
    assert "--relax nott-there was not needed" in done.stderr, "misspelt"
    assert "--relax not-there" in done.stderr
    done = world.run(*setup(world, folder, "--yes", "--relax", "only-sources,not-there", "--relax", "xyz"))
    assert done.returncode == 0, done.stderr
    assert "--relax xyz was not needed" in done.stderr
    assert "only-sources: asked ==1.0 (requirements.txt:3), you get –" in done.stderr
    assert installed(world)["padding-a"] == "1.0"


def test_what_a_package_needs_and_no_index_has_ready_is_left_and_agreed_to(world: World, folder: Path) -> None:
    """Not an older release, nor one before its time, in silence. As real ones are: a parser's runtime without a wheel
    of the release that everybody needs."""
    shelf = world.packages.root
    for version in ("4.7", "4.9.3"):
        (shelf / f"runtime-{version}.tar.gz").write_bytes(b"nothing is built")
    build_wheel(shelf, "runtime", "4.13", {"runtime.py": b""})
    for version, needs in (("0.11", []), ("1.3.2", ["runtime==4.9.*"]), ("1.3.8", ["runtime==4.9.*"]), ("1.4rc3", [])):
        build_wheel(shelf, "hydra", version, {"hydra.py": b""}, needs)
    for asked, taken in (("hydra>=1", "1.3.8"), ("hydra==1.3.2\nruntime==4.9.3", "1.3.2")):
        write(folder, "requirements.txt", "torch", asked)
        done = world.run(*setup(world, folder, "--dry-run", "--events"))
        assert f"hydra=={taken}" in json.loads(done.stdout)["packages"], done.stderr
        assert "runtime: asked ==4.9." in done.stderr, done.stderr
        assert "you get –: hydra needs it" in done.stderr
        assert "-m pip install --no-deps" in done.stderr
    done = world.run(*setup(world, folder, "--yes"))
    assert done.returncode == 2
    assert "add --relax runtime (" in done.stderr


@pytest.mark.slow
def test_a_pre_release_that_nobody_asked_for_wants_a_yes(world: World, folder: Path) -> None:
    build_wheel(world.packages.root, "early", "2.0rc1", {"early.py": b""})
    write(folder, "requirements.txt", "torch", "early")
    done = world.run(*setup(world, folder, "--yes"))
    assert done.returncode == 2
    assert "--relax early" in done.stderr
    write(folder, "requirements.txt", "torch", "early>=2.0rc1")
    done = world.run(*setup(world, folder, "--yes", "--dry-run"))
    assert "pre-release" not in done.stderr


@pytest.mark.slow
def test_a_list_of_made_up_names_is_refused_soon(world: World, folder: Path) -> None:
    write(folder, "requirements.txt", "torch", *(f"made-up-{number}==1.{number}" for number in range(300)))
    done = world.run(*setup(world, folder, "--yes"))
    assert done.returncode == 2
    assert "The project names 300 packages or more that no index here has, such as made-up-0" in done.stderr


def test_a_project_without_torch_is_told_so(world: World, folder: Path) -> None:
    write(folder, "requirements.txt", "padding-a")
    done = world.run(*setup(world, folder, "--dry-run"))
    assert done.returncode == 0, done.stderr
    assert "does not ask for torch itself" in done.stderr
    assert not prefix(world).exists()


def test_the_folder_of_a_project_is_told_whole(world: World, folder: Path) -> None:
    write(folder, "pyproject.toml", "[project]", 'name = "mine"', 'dependencies = ["torch", "padding-a"]')
    done = world.run(*setup(world, Path(os.path.relpath(folder, ROOT)), "--dry-run"))
    assert done.returncode == 0, done.stderr
    assert f"-m pip install --no-deps -e '{folder}'" in done.stderr


def test_a_pin_that_moves_stays_in_its_major_release(world: World, folder: Path, tmp_path: Path) -> None:
    for version in ("1.1", "1.5", "2.0"):
        build_wheel(tmp_path / "more", "moving", version, {"moving.py": b""})
    write(folder, "requirements.txt", "torch", "moving==1.2", "numpy==2.2.0")
    done = world.run(*setup(world, folder, "--dry-run", "--events", "--find-links", str(tmp_path / "more")))
    assert done.returncode == 0, done.stderr
    assert {"moving==1.5", "numpy==2.3.0"} <= set(json.loads(done.stdout)["packages"])


def test_without_a_card_the_package_for_the_processor_comes_in_the_release_that_is_asked_for(
    world: World, folder: Path, tmp_path: Path
) -> None:
    for version in ("1.18.0", "1.19.0"):
        build_wheel(tmp_path / "more", "onnxruntime", version, {"onnxruntime.py": b""})
    build_wheel(tmp_path / "more", "numpy", "1.26.4", {"numpy/__init__.py": NUMPY})  # 1.18.0 was built before 2
    write(folder, "requirements.txt", "torch", "onnxruntime-gpu==1.18.0")
    done = world.run(*setup(world, folder, "--dry-run", "--events", "--find-links", str(tmp_path / "more")))
    assert done.returncode == 0, done.stderr
    assert [one for one in json.loads(done.stdout)["packages"] if "onnx" in one] == ["onnxruntime==1.18.0"]


def test_what_the_project_sets_in_place_of_what_packages_ask_for_is_kept(
    world: World, folder: Path, tmp_path: Path
) -> None:
    for version in ("3.19.0", "5.29.0", "6.0.0"):
        build_wheel(tmp_path / "more", "protobuf", version, {"protobuf.py": b""})
    build_wheel(tmp_path / "more", "codec", "1.0", {"codec.py": b""}, ["protobuf<3.20"])
    asks = ("[project]", 'name = "mine"', 'dependencies = ["torch", "codec"]', "[tool.uv]")
    options = ("--dry-run", "--events", "--find-links", str(tmp_path / "more"))
    for override, taken in (('["protobuf>=3.20.0,<6.0.0"]', "5.29.0"), ("[]", "3.19.0")):
        write(folder, "pyproject.toml", *asks, f"override-dependencies = {override}")
        done = world.run(*setup(world, folder, *options))
        assert done.returncode == 0, done.stderr
        assert f"protobuf=={taken}" in json.loads(done.stdout)["packages"]


def test_a_lock_is_kept_to_where_it_has_a_solution(world: World, folder: Path, tmp_path: Path) -> None:
    for version in ("1.0", "2.0"):
        build_wheel(tmp_path / "more", "moving", version, {"moving.py": b""})
    write(folder, "pyproject.toml", "[project]", 'name = "mine"', 'dependencies = ["torch", "moving"]')
    write(folder, "uv.lock", "[[package]]", 'name = "moving"', 'version = "1.0"')
    done = world.run(*setup(world, folder, "--dry-run", "--events", "--find-links", str(tmp_path / "more")))
    assert done.returncode == 0, done.stderr
    assert "moving==1.0" in json.loads(done.stdout)["packages"]


def test_what_is_made_for_one_torch_chooses_it(world: World, folder: Path, wheels: Path, tmp_path: Path) -> None:
    """Of the releases that the project allows: with the newest one, only a release of years ago would go."""
    shelf = shutil.copytree(wheels, tmp_path / "shelf")
    build_torch(shelf / "torch", "2.12.1+cpu", [], 0, {"do": "work", "cuda": None})
    for version in (TORCH, "2.12.1"):
        build_wheel(shelf / "packages", "torch", version, {"torch.py": b""})
    build_wheel(shelf / "packages", "whisperx", "3.8.0", {"whisperx.py": b""}, ["torch==2.12.1"])
    build_wheel(shelf / "packages", "whisperx", "1.0.0", {"whisperx.py": b""})
    with IndexServer(shelf / "packages") as packages, IndexServer(shelf / "torch") as torch:
        there = World(world.home, packages, torch)
        for asked, build, taken in (("torch>=2", "2.12.1", "3.8.0"), (f"torch=={TORCH}", TORCH, "1.0.0")):
            write(folder, "requirements.txt", asked, "whisperx")
            done = there.run(*setup(there, folder, "--dry-run", "--events"))
            assert done.returncode == 0, done.stderr
            told = json.loads(done.stdout)
            assert (told["torch"], f"whisperx=={taken}" in told["packages"]) == (build, True), asked
            assert ("since it needs" in done.stderr or "needs it" in done.stderr) == (build != TORCH)


@pytest.mark.slow
def test_an_index_of_a_stranger_wants_trust(world: World, folder: Path, wheels: Path, tmp_path: Path) -> None:
    """It is asked for nothing before; then it gives only what the main one lacks."""
    build_wheel(tmp_path / "theirs", "theirs", "3.0", {"theirs.py": b""})
    build_wheel(tmp_path / "theirs", "numpy", "9.0", {"numpy.py": b""})
    with IndexServer(tmp_path / "theirs") as stranger, IndexServer(wheels / "packages") as main:
        write_mirrors(world.home / "state", {("pypi", "official"): main.simple})
        write(folder, "requirements.txt", f"--extra-index-url {stranger.simple}", "torch", "numpy", "theirs")
        options = ("--project", str(folder), "--name", "demo", "--torch-index", world.torch.simple)
        more = (*options, "--engine", "venv", "--python", PYTHON, "--mirror", "official")
        for yes in ("--yes", "--dry-run"):
            done = world.run("setup", yes, *more)
            assert done.returncode == 2, done.stderr
            assert "--trust 127.0.0.1" in done.stderr
            assert "--distrust 127.0.0.1" in done.stderr
        assert stranger.requests == []
        done = world.run("setup", "--yes", "--trust", "127.0.0.1", *more)
        assert done.returncode == 0, done.stderr
    found = installed(world)
    assert (found["theirs"], found["numpy"]) == ("3.0", "2.3.0")


def test_without_a_stranger_the_project_goes_on(world: World, folder: Path, wheels: Path, tmp_path: Path) -> None:
    """A no in the terminal, or --distrust: the host is asked for nothing, and the plan says so once."""
    pty = pytest.importorskip("pty", reason="a terminal of Linux")
    build_wheel(tmp_path / "theirs", "padding-a", "9.0", {"padding_a.py": b""})
    lay_package(folder)
    with IndexServer(tmp_path / "theirs") as stranger, IndexServer(wheels / "packages") as main:
        write_mirrors(world.home / "state", {("pypi", "official"): main.simple})
        write(folder, "requirements.txt", f"--extra-index-url {stranger.simple}", "torch", "padding-a")
        options = ("--project", str(folder), "--name", "demo", "--torch-index", world.torch.simple)
        more = (*options, "--engine", "venv", "--python", PYTHON, "--mirror", "official")
        port = stranger.simple.partition("//")[2].partition("/")[0]
        for host in ("127.0.0.1", port, stranger.simple):
            done = world.run("setup", "--dry-run", "--trust", "127.0.0.1", "--distrust", host, *more)
            assert done.returncode == 0, done.stderr
            assert done.stderr.count(f"Nothing is taken from {port}, which you did not allow.") == 1
        ours, theirs = pty.openpty()
        os.write(ours, b"n\nn\nn\n")
        done = world.run("setup", *more, stdin=theirs)
        os.close(ours)
        os.close(theirs)
        assert (done.returncode, "--trust" in done.stderr) == (130, False), done.stderr
        assert done.stderr.count(f"Nothing is taken from {port}, which you did not allow.") == 1
        questions = [line for line in done.stderr.splitlines() if "[y/N]" in line]
        assert [port in line for line in questions] == [True, False, False], questions
        assert stranger.requests == []
    done = world.run("setup", "--yes", "--name", "demo", "--distrust", "a.example")
    assert (done.returncode, "--distrust is for a project" in done.stderr) == (2, True)


def lay_package(folder: Path) -> None:
    """Make the folder a package, so that a setup has parts to ask about."""
    write(folder, "pyproject.toml", "[project]", 'name = "mine"', 'version = "1.0"')


def test_a_python_of_this_computer_will_do_where_the_project_leaves_it_open(world: World, folder: Path) -> None:
    """The tables would take another one, of which no source has a wheel."""
    at = world.sources.index("--python")
    own = (*world.sources[:at], *world.sources[at + 2 :])
    write(
        folder, "pyproject.toml", "[project]", 'name = "mine"', 'requires-python = ">=3.8"', 'dependencies = ["torch"]'
    )
    done = world.run("setup", "--project", str(folder), "--name", "demo", "--dry-run", "--events", *own)
    assert done.returncode == 0, done.stderr
    assert (json.loads(done.stdout)["python"], json.loads(done.stdout)["torch"]) == (PYTHON, TORCH)


@pytest.mark.slow
def test_a_killed_one_is_resumed_and_ends_with_every_package(world: World, folder: Path) -> None:
    write(folder, "requirements.txt", "torch", "torchvision", "padding-a==1.0", "padding-d")
    done = world.run(*setup(world, folder, "--plan-only"))
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)["plan"]
    program = world.start("run", plan)
    wait_until(lambda: program.poll() is not None or any((world.home / "state" / "store").glob("*")))
    program.kill()
    program.communicate()
    world.wait_for_nothing()
    done = world.run("resume")
    assert done.returncode == 0, done.stderr
    assert {"torch", "torchvision", "padding-a", "padding-d", "numpy"} <= set(installed(world))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--project", "{folder}", "--if-missing"), "--if-missing"),
        (("--relax", "torch"), "--project"),
        (("--project", "{folder}/nowhere"), "no project"),
    ],
)
def test_what_does_not_go_together_is_said_at_once(
    world: World, folder: Path, options: tuple[str, ...], said: str
) -> None:
    write(folder, "requirements.txt", "torch")
    done = world.run("setup", "--yes", *(word.format(folder=folder) for word in options))
    assert done.returncode == 2
    assert said in done.stderr


DAYS = {"1.0": "2024-05-01T10:00:00Z", "1.1": "2024-12-01T10:00:00.000000Z", "2.0": "2025-01-16T00:00:00Z"}
_OLD = 1_736_935_200  # 2025-01-15: a torch of that day had this Python


def test_what_an_old_project_leaves_open_is_locked_as_it_was_then(world: World, folder: Path) -> None:
    """Also what its packages need; pins stay, and what cannot be so old is the newest that goes with the rest."""
    for version, day in DAYS.items():
        once = ["once"] if version == "1.1" else []  # what the newest no longer needs
        for name, needs in (("open", ["needed", *once]), ("needed", []), ("pinned", []), ("held", []), ("once", [])):
            made = build_wheel(world.packages.root, name, version, {f"{name}.py": b""}, needs)
            world.packages.uploaded[made.name] = day
    for path in world.packages.root.glob("numpy-*.whl"):
        world.packages.uploaded[path.name] = "2024-01-01T00:00:00Z"
    wants = build_wheel(world.packages.root, "wanting", "1.0", {"wanting.py": b""}, ["held>=2"])
    world.packages.uploaded[wants.name] = "2024-01-01T00:00:00Z"
    write(folder, "requirements.txt", "torch", "open", "pinned==2.0", "wanting")
    os.utime(folder / "requirements.txt", (_OLD, _OLD))
    dry = setup(world, folder, "--dry-run", "--events")
    done = world.run(*dry)
    assert done.returncode == 0, done.stderr
    assert {"open==1.1", "needed==1.1", "once==1.1", "pinned==2.0", "held==2.0"} <= set(
        json.loads(done.stdout)["packages"]
    )
    done = world.run(*setup(world, folder, "--dry-run"))
    assert "As of 2025-01-15, not today's newest: " in done.stderr
    assert "needed 1.1" in done.stderr
    done = world.run(*dry, "--as-of", "today")
    assert {"open==2.0", "needed==2.0"} <= set(json.loads(done.stdout)["packages"])
    done = world.run(*dry, "--as-of", "2024-06-01")
    assert {"open==1.0", "needed==1.0", "pinned==2.0"} <= set(json.loads(done.stdout)["packages"])
    assert world.run(*dry, "--as-of", "2024-6-1").returncode == 2


def test_a_source_without_dates_is_told_for_an_old_project(world: World, folder: Path) -> None:
    write(folder, "requirements.txt", "torch", "padding-a")
    os.utime(folder / "requirements.txt", (_OLD, _OLD))
    done = world.run(*setup(world, folder, "--dry-run"))
    assert done.returncode == 0, done.stderr
    assert "does not say which releases there were on 2025-01-15" in done.stderr


def test_what_moves_for_the_python_names_the_one_of_the_environment(world: World, folder: Path) -> None:
    """The project leaves its Python open, and nothing here makes the usual one."""
    write(folder, "requirements.txt", f"torch=={TORCH}", "numpy==1.21.0")
    for version in ("1.23.5", "1.26.4"):
        build_wheel(world.packages.root, "numpy", version, {"numpy/__init__.py": b""})
    places = ("--index", world.packages.simple, "--torch-index", world.torch.simple, "--engine", "venv")
    done = world.run("setup", "--project", str(folder), "--name", "demo", "--dry-run", *places)
    assert done.returncode == 0, done.stderr
    first, _, planned = done.stderr.partition("Checking which builds the sources have")
    decided = re.search(r"torch \S+ \(CPU\), Python (\S+)", first)
    assert decided
    assert f"it has no ready wheel for Python {decided[1]}" in first
    if decided[1] != world.python:
        assert f"Python {world.python} is taken and not {decided[1]}" in planned
        assert f"it has no ready wheel for Python {world.python}" in planned
        assert f"it has no ready wheel for Python {decided[1]}" not in planned
    assert ("numpy-1.23.5" in planned) == (world.python == "3.11"), planned


@pytest.fixture
def without_torchvision(world: World, wheels: Path, tmp_path: Path) -> Iterator[World]:
    """No source has the one that goes with its torch. timm needs one, as its metadata says."""
    shelf = shutil.copytree(wheels / "torch", tmp_path / "shelf", ignore=shutil.ignore_patterns("torchvision-*"))
    for name, version, needs in (
        ("numpy", "1.26.4", ()),
        ("torchvision", "99.0", ()),
        ("timm", "1.0.7", ("torchvision",)),
    ):
        build_wheel(world.packages.root, name, version, {f"{name}.py": b""}, needs)
    with IndexServer(shelf) as torch:
        yield replace(world, torch=torch)


@pytest.mark.slow
def test_a_torchvision_that_no_line_names_is_told_by_what_needs_it(without_torchvision: World, folder: Path) -> None:
    world = without_torchvision
    write(folder, "requirements.txt", "torch", "padding-a", "timm==1.0.7")
    done = world.run(*setup(world, folder, "--yes", "--strict"))
    assert done.returncode == 2
    assert "no torchvision that belongs to it, which this needs: requirements.txt:3: timm." in done.stderr
    assert "Leave torchvision out" not in done.stderr, "nobody chose it"
    done = world.run(*setup(world, folder, "--yes"))
    assert "torchvision: asked * (requirements.txt:3), you get –: timm needs it, and no reachable" in done.stderr
    done = world.run(*setup(world, folder, "--yes", "--relax", "torchvision"))
    assert done.returncode == 0, done.stderr
    assert "torchvision, which timm needs, will be missing: no reachable source has it" in done.stderr
    assert "which the project asks for" not in done.stderr
    assert "of 4 packages" not in done.stderr
    assert {"timm", "padding-a"} <= {*installed(world)}
    assert "torchvision" not in installed(world)


def test_strict_names_what_a_source_lacks_beside_a_torch_of_this_python(
    without_torchvision: World, folder: Path
) -> None:
    """Decided is a Python that nothing here has; that of this computer fits, but for torchvision."""
    world = without_torchvision
    write(folder, "requirements.txt", "torch>=2.2", "numpy==1.26.4", "timm==1.0.7")
    at = world.sources.index("--python")
    own = (*world.sources[:at], *world.sources[at + 2 :])
    done = world.run("setup", "--project", str(folder), "--name", "demo", "--dry-run", "--strict", *own)
    assert done.returncode == 2, done.stderr
    assert f"The source of torch {TORCH}+cpu has no torchvision that belongs to it" in done.stderr
    assert "requirements.txt:3: timm" in done.stderr
