"""What of a project lies on no index is put in last where that was asked for: its own folder, folders, repositories."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.line.test_project import folder, installed, prefix, setup, write
from tests.line.wheel import build_wheel
from tests.line.world import World
from tests.servers.git_server import GitServer, publish
from tests.tools import needs
from wizard.run.report.text import render_text

__all__ = ["folder"]
OTHER = "git+https://git.example/x/other.git"
# A build backend of a project's own: nothing has to be downloaded for it.
BACKEND = """
import pathlib, time, zipfile
NAME, NEEDS, MARK, HOLD = {how!r}
FILE = "{{}},,\\n".format

def write(folder, path, text):
    if NAME == "broken":
        raise SystemExit("fatal: this part cannot be built")
    if MARK:
        with open(MARK, "a") as marks:
            marks.write("built ")
    while HOLD and pathlib.Path(HOLD).exists():
        time.sleep(0.05)
    info = NAME + "-1.0.dist-info"
    files = {{path: text}}
    files[info + "/METADATA"] = "Metadata-Version: 2.1\\nName: " + NAME + "\\nVersion: 1.0\\n"
    files[info + "/METADATA"] += "".join("Requires-Dist: " + one + "\\n" for one in NEEDS)
    files[info + "/WHEEL"] = "Wheel-Version: 1.0\\nGenerator: own\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    files[info + "/RECORD"] = "".join(map(FILE, [*files, info + "/RECORD"]))
    with zipfile.ZipFile(pathlib.Path(folder) / (NAME + "-1.0-py3-none-any.whl"), "w") as made:
        for name, words in files.items():
            made.writestr(name, words)
    return NAME + "-1.0-py3-none-any.whl"

def build_wheel(folder, settings=None, metadata=None):
    return write(folder, NAME + ".py", "WHERE = 'a copy'")

def build_editable(folder, settings=None, metadata=None):
    return write(folder, "_" + NAME + ".pth", str(pathlib.Path.cwd()))
"""


def package(name: str, needs: tuple[str, ...] = (), mark: str = "", hold: str = "") -> dict[str, str]:
    """Return the files of a package with a backend of its own and one module, `NAME`. Each build adds to the file
    `mark`, and waits while `hold` is there."""
    lines = ("[project]", f'name = "{name}"', 'version = "1.0"', f"dependencies = {json.dumps(list(needs))}")
    built = ("[build-system]", "requires = []", 'build-backend = "own_backend"', 'backend-path = ["."]')
    return {
        "pyproject.toml": "\n".join((*lines, *built, "")),
        "own_backend.py": BACKEND.format(how=(name, needs, mark, hold)),
        f"{name}.py": "WHERE = 'its source'\n",
    }


def lay(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def at_work(world: World) -> list[str]:
    """Return which part the newest run was at, as its events have it."""
    lines = (world.runs()[-1] / "events.jsonl").read_text("utf-8").splitlines()
    events = [json.loads(line) for line in lines if line]
    return [one["detail"]["text"] for one in events if one["event"] == "progress" and one["step"] == "parts"]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[GitServer]:
    for name in ("elsewhere", "plain", "broken"):
        publish(tmp_path / "served", name, package(name, ("not-there",) if name == "elsewhere" else ()))
    with GitServer(tmp_path / "served") as server:
        yield server


@needs("git")
def test_folders_repositories_and_the_project_itself_come_last(
    world: World, folder: Path, served: GitServer, tmp_path: Path
) -> None:
    lay(folder, package("mine", ("torch", "padding-a")))
    lay(folder / "lib", package("inner"))
    write(
        folder,
        "requirements.txt",
        "torch",
        "padding-a==1.0",
        "-e ./lib",
        f"elsewhere @ git+{served.address}/elsewhere.git",
        f"git+{served.address}/plain.git",
        f"broken @ git+{served.address}/broken.git",
        "-e git+ssh://git@git.example/secret.git#egg=secret",
        "gone @ git+http://127.0.0.1:9/gone.git",
    )
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    for line in (
        "requirements.txt, line 3: lib is installed last, from ./lib; its build code runs.",
        f"elsewhere is installed last, from git+{served.address}/elsewhere.git; its build code runs.",
        "The project itself is installed last, from its folder; its build code runs.",
        "Installed last: elsewhere, plain, inner, mine.",
        "To try it again by hand: ",
        "“gone” could not be installed: unable to access 'http://127.0.0.1:9/gone.git/'",
        "“broken” could not be installed: fatal: this part cannot be built.",
        "elsewhere needs not-there, which is not there",
        "-m pip install --no-deps 'git+ssh://git@git.example/secret.git#egg=secret'",
    ):
        assert line in done.stderr, line
    advised = done.stderr.partition("What to do:")[2].partition("Found:")[0]
    assert "secret lies at an address and is left out" in advised, "as what failed"
    for line in (
        "“broken” could not be installed: fatal: this part cannot be built. The log has all of its words;",
        "-m pip install --no-deps git+http://127.0.0.1:9/gone.git",
        "elsewhere needs not-there, which is not there. Add it: torch-wizard envs add demo not-there.",
    ):
        assert line in advised, line
        assert done.stderr.count(line) == 1 + ("pip install" in line), "once; a command also where the plan has it"
    left = json.loads(world.run("runs", "--json").stdout)["left"]
    assert {"broken", "gone", "secret"} <= {*left}
    assert "elsewhere" not in left, "it is in, and lacks what it needs"
    assert "· 4 of 6 installed; not installed: broken, gone (" in done.stderr
    assert "Nothing needs to be done" not in done.stderr
    told = json.loads((world.runs()[-1] / "report.json").read_text(encoding="utf-8"))
    parts = [one["data"].get("part") for one in told["verification"]["checks"] if one["name"] == "part"]
    assert sorted(filter(None, parts)) == ["broken", "broken", "elsewhere", "gone", "gone"]
    assert "无法安装“broken”" in render_text(told, "zh_CN").partition("解决办法")[2].partition("发现")[0]
    assert at_work(world) == [
        f"Installing {number} of 6: {name}"
        for number, name in enumerate(
            ("elsewhere (git)", "plain (git)", "broken (git)", "gone (git)", "lib (folder)", f"{folder.name} (folder)"),
            1,
        )
    ]
    assert done.stderr.count("mine is installed last") == 0
    found = installed(world)
    assert {name: found.get(name) for name in ("inner", "elsewhere", "plain", "mine", "padding-a")} == {
        **dict.fromkeys(("inner", "elsewhere", "plain", "mine"), "1.0"),
        "padding-a": "1.0",
    }
    where = "import inner, elsewhere, plain, mine; print(*(m.WHERE for m in (inner, elsewhere, plain, mine)), sep='|')"
    assert world.import_check(prefix(world), where).strip() == "its source|its source|a copy|its source"
    assert (prefix(world) / "src" / "elsewhere" / "elsewhere.py").is_file()
    made = world.run("envs", "export", "demo").stdout
    for name in ("elsewhere", "plain"):
        assert f"\n{name} @ git+{served.address}/{name}.git@" in made, made


@needs("git")
def test_what_one_line_declares_and_another_has_at_an_address_is_not_missing(
    world: World, folder: Path, served: GitServer
) -> None:
    lay(folder, package("mine", ("torch", "plain")))
    write(folder, "requirements.txt", "torch", f"plain @ git+{served.address}/plain.git")
    done = world.run(*setup(world, folder, "--dry-run", "--strict", "--parts"))
    assert done.returncode == 0, done.stderr
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "no index here has" not in done.stderr
    assert "plain: asked" not in done.stderr
    assert installed(world)["plain"] == "1.0"


def test_what_is_declared_and_at_no_address_for_this_system_is_missing(world: World, folder: Path) -> None:
    write(folder, "requirements.txt", "torch", "plain", f"plain @ {OTHER} ; python_version < '3'")
    done = world.run(*setup(world, folder, "--dry-run"))
    assert "plain: asked *" in done.stderr, done.stderr
    assert "no index here has a package of this name" in done.stderr


def test_nothing_of_the_project_is_built_unasked(world: World, folder: Path) -> None:
    lay(folder, package("mine", ("torch",)))
    done = world.run(*setup(world, folder, "--yes"))
    assert done.returncode == 0, done.stderr
    assert f"-m pip install --no-deps -e '{folder}'" in done.stderr
    assert "mine" not in installed(world)


def test_what_is_told_of_building_names_the_choice_or_what_it_does(world: World, folder: Path) -> None:
    words = "from setuptools import setup\nfrom torch.utils.cpp_extension import CppExtension\n"
    (folder / "setup.py").write_text(words + "setup(name='mine', ext_modules=[CppExtension('ops', ['ops.cpp'])])\n")
    lay(folder / "lib", package("inner"))
    write(folder, "requirements.txt", "torch", "-e ./lib", "padding-a --global-option=--fast", f"other @ {OTHER}")
    told = [world.run(*setup(world, folder, "--dry-run", *more)).stderr for more in ((), ("--parts",), ("--offline",))]
    for line in (
        "setup.py, line 3: the project itself compiles C++ code, which is done only where you ask for it (--parts).",
        "Build it after the setup, with --no-build-isolation, or have it installed last (--parts).",
        "or installs it last where it is asked to (--parts).",
        "since nothing is built here unasked:",
        f"Installed last, too, where you ask for it (--parts): other, lib, {folder.name}.",
    ):
        assert [line in one for one in told[:2]] == [True, False], line
    for line in (
        "setup.py, line 3: the project itself compiles C++ code, and it is installed last. Have a C++ compiler before",
        "setup.py:2: torch is imported there when it is built. What of it is installed last is built in the",
        "A setup installs it last, or names the command where it cannot.",
        "also not for what is installed last",
    ):
        assert [line in one for one in told[:2]] == [False, True], line
    assert "Installed last, too" not in told[2], "not without a network"


def source_of(name: str, shelf: Path, scratch: Path) -> None:
    """Put the source of `name` 1.0 on the shelf, and nothing that is ready."""
    folder = scratch / f"{name}-1.0"
    lay(folder, package(name))
    (folder / "PKG-INFO").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    shutil.make_archive(str(shelf / folder.name), "gztar", scratch, folder.name)


def test_a_terminal_asks_where_only_the_plan_shows_what_could_be_built(world: World, folder: Path) -> None:
    pty = pytest.importorskip("pty", reason="a terminal of Linux")
    source_of("cutter", world.packages.root, folder.parent)
    source_of("runtime", world.packages.root, folder.parent)
    build_wheel(world.packages.root, "runtime", "1.13", {"runtime.py": b""})
    write(folder, "requirements.txt", "torch", "cutter==1.0", "runtime==1.0")
    ours, theirs = pty.openpty()
    os.write(ours, b"y\ny\n")
    done = world.run(*setup(world, folder), stdin=theirs)
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 0, done.stderr
    asked = [line for line in done.stderr.splitlines() if "[y/N]" in line]
    assert len(asked) == 2
    assert "what the package index has as source alone (runtime, cutter)? Its build code runs then" in asked[0]
    found = installed(world)
    assert (found["cutter"], found["runtime"]) == ("1.0", "1.0")


def test_a_project_that_is_all_on_the_index_is_told_to_have_no_parts(world: World, folder: Path) -> None:
    write(folder, "requirements.txt", "torch")
    done = world.run(*setup(world, folder, "--parts", "--dry-run"))
    assert "Nothing of the project can be installed last." in done.stderr


def test_parts_are_of_a_project(world: World) -> None:
    done = world.run("setup", "--parts", "--yes", "--name", "demo", *world.sources)
    assert done.returncode == 2
    assert "--parts is for a project" in done.stderr
