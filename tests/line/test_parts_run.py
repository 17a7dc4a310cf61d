"""How a project's parts go in: over locked packages, as files, after a kill, in another attempt; no secret is kept."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from tests.line.test_project import folder, installed, prefix, setup, write
from tests.line.test_project_parts import at_work, lay, package
from tests.line.wheel import build_wheel
from tests.line.world import World
from tests.servers.git_server import GitServer, publish
from tests.tools import needs
from tests.waiting import wait_until

__all__ = ["folder"]


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
