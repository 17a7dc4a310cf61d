"""What of a project lies on no index is put in last where that was asked for: its own folder, folders, repositories."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.line.test_project import folder, installed, prefix, setup, write
from tests.line.wheel import build_wheel
from tests.line.world import World
from tests.servers.git_server import GitServer, publish
from tests.tools import needs
from tests.waiting import wait_until
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


def test_what_an_index_has_as_source_alone_and_what_another_package_brings(world: World, folder: Path) -> None:
    """The source is built last; a part of the name of a locked package does not replace it."""
    shelf = world.packages.root
    source_of("runtime", shelf, folder.parent)
    build_wheel(shelf, "runtime", "2.0", {"runtime.py": b""})
    build_wheel(shelf, "hydra", "1.0", {"hydra.py": b""}, ["runtime==1.0", "inner"])
    build_wheel(shelf, "inner", "0.9", {"inner.py": b"WHERE = 'the index'"})
    lay(folder / "lib", package("inner"))
    for name in ("numpy", "torch"):
        lay(folder / f"{name}like", package(name))
    lay(folder / "padding-b", package("padding_b"))
    write(folder, "requirements.txt", "torch", "hydra", "./lib", "./torchlike", "./numpylike", "./padding-b")
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "runtime, which hydra needs and the package index has as source alone, is installed last" in done.stderr
    why = "lib was not installed: it is the package inner, and the plan has the one of the package index"
    assert why in done.stderr, "only its build tells its name"
    assert "unless you want this one in place of what is there: " in done.stderr
    assert "To try it again by hand" not in done.stderr, "that would replace what is locked"
    advised = done.stderr.partition("What to do:")[2].partition("Found:")[0]
    for name in ("torch", "numpy"):
        assert f"{name}like was not installed: it is the package {name}, and the plan has the one" in advised
        assert f"installed by hand it would replace {name}, which PyTorch needs." in advised
        assert f"{name}like'" not in advised, "no command"
    found = installed(world)
    assert (found["runtime"], found["inner"]) == ("1.0", "0.9")
    build_wheel(shelf, "hydra", "1.1rc1", {"hydra.py": b""}, ["inner"])
    build_wheel(shelf, "hydra", "0.1", {"hydra.py": b""})
    for names in ((), ("hydra",)):
        newer = world.run("envs", "update", "demo", *names, "--yes", *world.sources[:4])
        assert newer.returncode == 0, newer.stderr
        assert (found := installed(world))["hydra"] == "1.0", newer.stderr
        assert found["runtime"] == "1.0"
    build_wheel(shelf, "padding_b", "9.0", {"padding_b/__init__.py": b""})
    newer = world.run("envs", "update", "demo", "padding-b", "--yes", *world.sources[:4])
    assert installed(world)["padding-b"] == "9.0", "no part, though one had its name"


def source_of(name: str, shelf: Path, scratch: Path) -> None:
    """Put the source of `name` 1.0 on the shelf, and nothing that is ready."""
    folder = scratch / f"{name}-1.0"
    lay(folder, package(name))
    (folder / "PKG-INFO").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    shutil.make_archive(str(shelf / folder.name), "gztar", scratch, folder.name)


def test_what_a_line_names_and_an_index_has_as_source_alone(world: World, folder: Path) -> None:
    """Unasked it is left out, which needs a yes; asked for, it is there as the line says."""
    source_of("cutter", world.packages.root, folder.parent)
    write(folder, "requirements.txt", "torch", "cutter==1.0")
    done = world.run(*setup(world, folder, "--yes"))
    assert done.returncode == 2
    why = "the index has its source alone, which is built only where that is asked for (--parts)"
    assert f"cutter: asked ==1.0 (requirements.txt:2), you get –: {why}" in done.stderr
    done = world.run(*setup(world, folder, "--dry-run"))
    assert "cutter is on the package index as source alone and is left out of the plan" in done.stderr
    assert "-m pip install --no-deps cutter==1.0" in done.stderr
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "requirements.txt, line 2: cutter, which the package index has as source alone, is installed last" in (
        done.stderr
    )
    assert "Installed last: cutter." in done.stderr
    assert "cutter: asked" not in done.stderr
    assert "this is missing" not in done.stderr
    assert installed(world)["cutter"] == "1.0"


def test_strictly_what_a_line_names_is_built_last_or_said_to_be_source_alone(world: World, folder: Path) -> None:
    source_of("cutter", world.packages.root, folder.parent)
    write(folder, "requirements.txt", "torch", "cutter==1.0")
    done = world.run(*setup(world, folder, "--yes", "--strict"))
    assert done.returncode == 1
    assert "source alone of this, and nothing is compiled unasked: requirements.txt:2: cutter==1.0." in done.stderr
    assert "do not go together" not in done.stderr
    done = world.run(*setup(world, folder, "--dry-run", "--strict", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "cutter, which the package index has as source alone, is installed last" in done.stderr
    for line, why in (
        ("padding-a==9.9.9", "The package index has no such release: requirements.txt:2: padding-a==9.9.9."),
        ("cutter==9.9.9", "The package index has no such release: requirements.txt:2: cutter==9.9.9."),
        ("numpy==9.9.9", "The package index has no such release: requirements.txt:2: numpy==9.9.9."),
        ("not-there==1.0", "No index here has a package of this name: requirements.txt:2: not-there==1.0."),
    ):
        write(folder, "requirements.txt", "torch", line)
        done = world.run(*setup(world, folder, "--dry-run", "--strict", "--parts"))
        assert done.returncode == 1
        assert why in done.stderr, done.stderr
    done = world.run(*setup(world, folder, "--dry-run"))
    assert "not-there: asked ==1.0 (requirements.txt:2), you get –: no index here has a package of this name" in (
        done.stderr
    )


def test_strictly_what_a_package_needs_as_source_alone_is_built_where_that_is_asked(world: World, folder: Path) -> None:
    source_of("runtime", world.packages.root, folder.parent)
    build_wheel(world.packages.root, "hydra", "1.0", {"hydra.py": b""}, ["runtime==1.0"])
    write(folder, "requirements.txt", "torch", "hydra==1.0")
    done = world.run(*setup(world, folder, "--dry-run", "--strict"))
    assert (done.returncode, "Have it built last (--parts)." in done.stderr) == (1, True), done.stderr
    done = world.run(*setup(world, folder, "--dry-run", "--strict", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "runtime, which hydra needs and" in done.stderr
    assert "is installed last" in done.stderr


def test_a_pin_that_a_source_alone_meets_is_built_and_unasked_it_moves_with_that_reason(
    world: World, folder: Path
) -> None:
    """Another release of it is ready, and another package would bring that."""
    shelf = world.packages.root
    source_of("runtime", shelf, folder.parent)
    build_wheel(shelf, "runtime", "1.13", {"runtime.py": b""})
    build_wheel(shelf, "hydra", "1.0", {"hydra.py": b""}, ["runtime>=1.0"])
    write(folder, "requirements.txt", "torch", "hydra", "runtime==1.0")
    done = world.run(*setup(world, folder, "--yes"))
    assert done.returncode == 2
    why = "the index has what the line asks for as source alone, which is built only where that is asked for (--parts)"
    assert f"runtime: asked ==1.0 (requirements.txt:3), you get 1.13: {why}" in done.stderr, done.stderr
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "requirements.txt, line 3: runtime, which the package index has as source alone, is installed last" in (
        done.stderr
    )
    assert "runtime: asked" not in done.stderr
    found = installed(world)
    assert (found["runtime"], found["hydra"]) == ("1.0", "1.0")


def test_a_range_that_a_source_alone_meets_is_built_as_a_pin_is_and_strictly_all_such_lines_are_named(
    world: World, folder: Path
) -> None:
    shelf = world.packages.root
    for name in ("runtime", "cutter"):
        source_of(name, shelf, folder.parent)
    build_wheel(shelf, "runtime", "1.13", {"runtime.py": b""})
    write(folder, "requirements.txt", "torch", "runtime<1.1", "cutter>=0.5")
    done = world.run(*setup(world, folder, "--dry-run", "--parts"))
    assert done.returncode == 0, done.stderr
    for line, name in ((2, "runtime"), (3, "cutter")):
        said = f"requirements.txt, line {line}: {name}, which the package index has as source alone, is installed last"
        assert said in done.stderr
    assert ": asked" not in done.stderr
    done = world.run(*setup(world, folder, "--yes", "--strict"))
    assert done.returncode == 1
    assert "requirements.txt:2: runtime<1.1" in done.stderr, done.stderr
    assert "requirements.txt:3: cutter>=0.5" in done.stderr


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


@needs("git")
def test_a_part_that_writes_over_a_locked_package_is_taken_out_again(
    world: World, folder: Path, tmp_path: Path
) -> None:
    """Also with as many letters as were there; two repositories of one name are both put in, or told."""
    for owner, name in (("alice", "first"), ("bob", "second")):
        publish(tmp_path / "served" / owner, "utils", package(name))
    over = package("over")
    over["own_backend.py"] = over["own_backend.py"].replace('NAME + ".py", "WHERE', '"padding_a/__init__.py", "WHERE')
    publish(tmp_path / "served", "over", over)
    publish(tmp_path / "served", "same", package("padding_b"))
    with GitServer(tmp_path / "served") as served:
        addresses = [f"git+{served.address}/{name}.git" for name in ("alice/utils", "bob/utils", "over", "same")]
        write(folder, "requirements.txt", "torch", "padding-a", *addresses)
        done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "Installed last: first, second." in done.stderr
    assert "over was taken out again: it writes over files of padding-a, which are as before." in done.stderr
    assert "same was taken out again: it writes over files of padding-b" in done.stderr, "also of the locked version"
    assert "WHERE" not in world.import_check(prefix(world), "import padding_b; print(dir(padding_b))")
    found = installed(world)
    assert (found["first"], found["second"], found.get("over")) == ("1.0", "1.0", None)
    assert (
        world.import_check(
            prefix(world),
            "import padding_a as p, os; print(hasattr(p, 'WHERE'), len(os.listdir(os.path.dirname(p.__file__))) > 3)",
        ).strip()
        == "False True"
    )


def test_a_build_that_writes_into_a_locked_package_reaches_no_other_environment(world: World, folder: Path) -> None:
    """It appends to the file itself, as many letters as were there, and sets its time: pip has no part in that."""
    done = world.run("setup", "--yes", "--name", "other", "--with", "padding-a", *world.sources)
    assert done.returncode == 0, done.stderr
    evil = package("evil")
    evil["own_backend.py"] += """
import os, sys, pathlib
for one in pathlib.Path(sys.prefix).rglob("padding_a/__init__.py"):
    facts, old = one.stat(), one.read_bytes()
    with open(one, "r+b") as file:
        file.write(b"E=1#" + old[4:])
    os.utime(one, ns=(facts.st_atime_ns, facts.st_mtime_ns))
"""
    lay(folder / "lib", evil)
    write(folder, "requirements.txt", "torch", "padding-a", "./lib")
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "padding-a, which are as before" in done.stderr
    for name in ("demo", "other"):
        where = prefix(world).with_name(name)
        assert world.import_check(where, "import padding_a; print(hasattr(padding_a, 'E'))") == "False", name


@needs("git")
def test_of_two_lines_that_give_one_package_the_second_is_told(world: World, folder: Path, tmp_path: Path) -> None:
    """pip would ask what to do with the clone that is there."""
    for owner in ("one", "two"):
        publish(tmp_path / "served", owner, package("twin"))
    with GitServer(tmp_path / "served") as served:
        addresses = [f"git+{served.address}/{owner}.git" for owner in ("one", "two")]
        write(folder, "requirements.txt", "torch", *(f"twin @ {address}" for address in addresses))
        done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    advised = done.stderr.partition("What to do:")[2].partition("Found:")[0]
    first, second = (f"{address}#egg=twin" for address in addresses)
    assert f"Two lines give twin: the first is installed ({first}), the second is not ({second})." in advised
    assert "Nothing needs to be done, unless you want this one in place of what is there: " in advised
    assert "pip itself" not in done.stderr
    assert "· 1 of 2 installed; not installed: twin (" in done.stderr


def test_a_project_that_is_built_and_declares_nothing_there_is_installed_too(world: World, folder: Path) -> None:
    files = package("mine")
    files["pyproject.toml"] = files["pyproject.toml"].replace("dependencies = []\n", "")
    lay(folder, files)
    write(folder, "requirements.txt", "torch")
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "Installed last: mine." in done.stderr


def test_files_of_the_project_go_in_as_they_are(world: World, folder: Path) -> None:
    """pip takes folders alone as editable."""
    for name in ("tiny", "tall"):
        build_wheel(folder / "own wheels", name, "1.0", {f"{name}.py": b""})
    packed = {}
    for name, form in (("fat", "zip"), ("lean", "gztar"), ("slim", "zip"), ("bare-1.0", "zip")):
        lay(folder / "of" / name, package(name.partition("-")[0]))
        packed[name] = Path(shutil.make_archive(str(folder / name), form, folder / "of" / name))
    write(
        folder,
        "requirements.txt",
        "torch",
        '"./own wheels/tiny-1.0-py3-none-any.whl"',
        "tall @ file:./own%20wheels/tall-1.0-py3-none-any.whl",
        "bare-1.0.zip",
        "fat @ file:./fat.zip",
        packed["lean"].as_uri(),
        "./slim.zip#egg=slim",
    )
    left = world.run(*setup(world, folder, "--dry-run"))
    assert "tiny is a file of the project and is left out" in left.stderr, left.stderr
    assert f"-m pip install --no-deps '{folder / 'own wheels' / 'tiny-1.0-py3-none-any.whl'}'" in left.stderr
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "tiny is installed last, as a ready wheel, from ./own wheels/tiny-1.0" in done.stderr
    assert {"tiny", "tall", "fat", "lean", "slim", "bare"} <= {*installed(world)}


def test_a_kill_while_a_part_is_built_is_healed_and_builds_none_twice(
    world: World, folder: Path, tmp_path: Path
) -> None:
    """Each build leaves a mark; the last one hangs until it is killed with all of its processes. What failed before is
    tried again, and told once."""
    hold = tmp_path / "hold"
    hold.touch()
    lay(folder / "first", package("first", mark=str(tmp_path / "first")))
    lay(folder / "second", package("second", mark=str(tmp_path / "second"), hold=str(hold)))
    lay(folder / "broken", package("broken"))
    write(folder, "requirements.txt", "torch", "./first", "./broken", "./second")
    program = world.start(*setup(world, folder, "--yes", "--parts"))
    try:
        wait_until((tmp_path / "second").exists)
    finally:
        world.kill_all()
        program.communicate()
    world.wait_for_nothing()
    hold.unlink()
    done = world.run("resume")
    assert done.returncode == 0, done.stderr
    assert "Installed last: first, second." in done.stderr
    assert done.stderr.count("“broken” could not be installed") == 1
    assert "· 2 of 3 installed; not installed: broken (" in done.stderr
    found = installed(world)
    assert (found["first"], found["second"]) == ("1.0", "1.0")
    built = {name: (tmp_path / name).read_text().count("built") for name in ("first", "second")}
    assert built == {"first": 1, "second": 2}


def test_another_attempt_builds_only_the_part_that_failed(world: World, folder: Path, tmp_path: Path) -> None:
    """What is read meanwhile stays true: nothing to go on with, and what to do."""
    for name in ("first", "second"):
        lay(folder / name, package(name, mark=str(tmp_path / name)))
    write(folder, "requirements.txt", "torch", "./first", "./second")
    backend = folder / "second" / "own_backend.py"
    sound = backend.read_text(encoding="utf-8")
    backend.write_text(sound.replace('NAME == "broken"', "True"), encoding="utf-8")
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "· 1 of 2 installed; not installed: second (" in done.stderr
    shown = world.run("resume")
    assert shown.returncode == 0, shown.stderr
    assert "has ended; there is nothing to go on with. Its result:" in shown.stderr
    advised = shown.stderr.partition("What to do:")[2].partition("Found:")[0]
    assert "“second” could not be installed: fatal: this part cannot be built." in advised
    assert "To try it again by hand: " in advised
    backend.write_text(sound, encoding="utf-8")
    (run,) = world.runs()
    said = [world.run(*line).stdout for line in (("runs",), ("envs", "show", "demo"))]
    told = f"Not installed: second. Why, and how by hand: torch-wizard resume {run.name}"
    assert [told in one for one in said] == [True, True], said
    shown = json.loads(world.run("envs", "show", "demo", "--json").stdout)
    assert (shown["environment"]["left"], json.loads(world.run("runs", "--json").stdout)["left"]) == (["second"],) * 2
    again = world.run("run", run.name)
    assert again.returncode == 0, again.stderr
    assert "✓ 2 of 2 installed (" in again.stderr
    assert all("Not installed" not in world.run(*line).stdout for line in (("runs",), ("envs", "show", "demo")))
    built = {name: (tmp_path / name).read_text().count("built") for name in ("first", "second")}
    assert built == {"first": 1, "second": 1}
    assert at_work(world)[2:] == ["Installing 2 of 2: second (folder)"], "not the one that is there"
    shown = world.run("resume")
    assert "could not be installed" not in shown.stderr
    assert "Installed last: first, second." in shown.stderr


def test_no_secret_of_an_address_is_kept_anywhere(world: World, folder: Path) -> None:
    """Neither on the terminal nor in the plan, the log, the events and the report."""
    write(
        folder,
        "requirements.txt",
        "torch",
        "x @ https://127.0.0.1:9/w/x-1.0-py3-none-any.whl?X-Amz-Signature=s1ecret&auth=s2ecret",
        "git+https://git.example/a/y.git?pat=s3ecret",
        "git+https://me:s4ecret@git.example/a/z.git",
        "https://127.0.0.1:9/w/u-1.0-py3-none-any.whl#key=s5ecret",
    )
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "auth=***" in done.stderr
    kept = [path for path in (world.home / "state").rglob("*") if path.is_file() and "envs" not in path.parts]
    assert any(path.name == "plan.json" for path in kept)
    for path in kept:
        assert re.findall(rb"s\decret[^\n]*", path.read_bytes()) == [], path
    assert re.findall(r"s\decret", done.stdout + done.stderr) == []
