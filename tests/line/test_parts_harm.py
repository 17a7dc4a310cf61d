"""What the build code of a part does to the rest of the environment is told, and taken out where it can be."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path

from tests.line.test_project import folder, prefix, setup, write
from tests.line.test_project_parts import lay, package
from tests.line.wheel import build_wheel
from tests.line.world import SITE, World
from tests.waiting import wait_until

__all__ = ["folder"]
# Into files of torch: one of its own in this environment, and one that it shares with others, with its old time.
INTO_TORCH = """
import os, sys, pathlib
torch = next(pathlib.Path(sys.prefix).rglob("site-packages/torch"))
(torch / "__init__.py").write_text("this is no Python")
shared = torch / "lib" / "libtorch.bin"
facts = shared.stat()
with open(shared, "r+b") as file:
    file.write(b"spoiled")
os.utime(shared, ns=(facts.st_atime_ns, facts.st_mtime_ns))
"""


def building(folder: Path, name: str, code: str) -> None:
    """Lay a package whose build also does what `code` says."""
    files = package(name)
    files["own_backend.py"] += code
    lay(folder, files)


def test_what_a_part_spoiled_is_told_also_where_torch_does_not_start(world: World, folder: Path) -> None:
    done = world.run("setup", "--yes", "--name", "other", *world.sources)
    assert done.returncode == 0, done.stderr
    building(folder / "sub", "sub", INTO_TORCH)
    write(folder, "requirements.txt", "torch", "./sub")
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 1, done.stderr
    cause = (
        "Cause: “sub” has written into files of torch, and these could not be put back: other environments may share"
    )
    assert cause in done.stderr
    advised = done.stderr.partition("What to do:")[2].partition("Found:")[0]
    assert "Set this environment up anew, and have each of the others looked at: " in advised
    assert "“sub” could not" not in advised, "it was put in, and taken out again"
    assert "Install PyTorch into this environment again" not in done.stderr
    assert "SyntaxError" in done.stderr.partition("Found:")[2]
    command = re.search(r"torch-wizard (doctor --deep --prefix) FOLDER", advised)
    assert command
    looked = world.run(*command[1].split(), str(prefix(world).with_name("other")))
    assert "other content: torch/lib/libtorch.bin" in looked.stdout


def test_what_a_build_leaves_for_every_start_of_python_is_taken_out_or_told(world: World, folder: Path) -> None:
    """Of a part that is not in it is taken out, and what it changed of another is as before."""
    hook = (prefix(world) / SITE / "{}.pth").as_posix().format
    over = package("over")
    over["own_backend.py"] = over["own_backend.py"].replace('"_" + NAME + ".pth"', '"padding_a/__init__.py"')
    lay(folder / "over", over)
    with (folder / "over" / "own_backend.py").open("a", encoding="utf-8") as backend:
        backend.write(f"open({hook('over')!r}, 'w').write('import sys; sys.over = 1')\n")
        backend.write(f"open({hook('_first')!r}, 'a').write('import sys; sys.over = 2')\n")
    building(folder / "first", "first", f"open({hook('first')!r}, 'w').write('import sys; sys.first = 1')\n")
    rest = (prefix(world) / SITE / "half").as_posix()  # as pip leaves what it had written of a part on a full disk
    half = f"import os; os.mkdir({rest!r}); open({rest + '/a.py'!r}, 'w').write('1')\n"
    building(folder / "broken", "broken", half + f"open({hook('broken')!r}, 'w').write('import sys; sys.broken = 1')\n")
    write(folder, "requirements.txt", "torch", "padding-a", "-e ./first", "./over", "./broken")
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "over was taken out again: it writes over files of padding-a, which are as before." in done.stderr
    advised = done.stderr.partition("What to do:")[2].partition("Found:")[0]
    assert "The build of “first” has left first.pth among the packages: Python runs that at each start" in advised
    assert "has left over.pth" not in done.stderr
    assert not (prefix(world) / SITE / "half").exists()
    found = sorted(path.name for path in (prefix(world) / SITE).glob("*.pth"))
    assert [name for name in found if name != "distutils-precedence.pth"] == ["_first.pth", "first.pth"]
    assert world.import_check(prefix(world), "import sys; print(hasattr(sys, 'over'), sys.first)") == "False 1"


def test_files_that_are_not_what_their_lines_or_names_say(world: World, folder: Path) -> None:
    """A wheel for another system and one with another hash are refused in the plan; a hash is looked at again before
    the wheel goes in, for a build before it may have written there; a broken file is told in plain words."""
    changed, page = folder / "changed-1.0-py3-none-any.whl", "<!DOCTYPE html><html>Not found</html>"
    lines, shelf = ["torch"], folder.parent / "shelf"
    for name in ("sound", "changed", "other"):
        wheel = build_wheel(folder, name, "1.0", {f"{name}.py": b""})
        digest = "abc" if name == "other" else hashlib.sha256(wheel.read_bytes()).hexdigest()
        lines.append(f"./{wheel.name}#sha256={digest}")
    lines.insert(2, "./harm-1.0.zip")
    building(shelf / "harm-1.0", "harm", f"open({str(changed)!r}, 'ab').write(b' ')\n")
    shutil.make_archive(str(folder / "harm-1.0"), "zip", shelf, "harm-1.0")
    build_wheel(folder, "far", "1.0", {"far.py": b""}, tag="cp39-cp39-win_amd64")
    (folder / "webpage-1.0.tar.gz").write_text(page, encoding="utf-8")
    lay(folder / "cut", {"pyproject.toml": "[project\n"})
    write(folder, "requirements.txt", *lines, "./far-1.0-cp39-cp39-win_amd64.whl", "./webpage-1.0.tar.gz", "./cut")
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    for told in (
        "line 5: other is left out of the plan, for its file has another content than the hash in its line says.",
        "line 6: far is left out of the plan, for its wheel is made for Python 3.9, win_amd64, and the plan is for",
        "changed was not installed: its file has another content than the hash behind its path says.",
        "“webpage” could not be installed: tarfile.ReadError: not a gzip file. The file that pip was given is no",
        "The pyproject.toml of the package that was to be installed has a mistake",
        "Installed last: sound, harm.",
    ):
        assert told in done.stderr, (told, done.stderr)
    assert "pip itself broke off" not in done.stderr


def test_a_torch_that_says_another_version_than_its_own_is_told_with_what_makes_it(world: World, folder: Path) -> None:
    """By the setup, the doctor of the environment, and the doctor of all; the repair puts it aside."""
    hook = prefix(world) / SITE / "left_behind.pth"
    lie = "import torch; torch.__version__ = '9.9.9+cu999'"
    building(folder / "sub", "sub", f"open({str(hook)!r}, 'w').write({lie!r})\n")
    write(folder, "requirements.txt", "torch", "./sub")
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 1, done.stderr
    cause = "Cause: torch 9.9.9+cu999 answers, and 2.13.0+cpu was installed: something in the environment has"
    advised = done.stderr.partition("What to do:")[2].partition("Found:")[0]
    assert cause in done.stderr
    assert "Delete left_behind.pth, which Python runs at each start there and no package lists" in advised
    assert "The build of “sub” has left left_behind.pth among the packages" in advised
    assert "nothing needs to be done" not in done.stderr
    all_known = world.run("doctor")
    assert (all_known.returncode, "left_behind.pth belongs to no package, names torch" in all_known.stderr) == (1, True)
    assert json.loads(world.run("doctor", "--json").stdout)["strays"][0]["files"] == ["left_behind.pth"]
    one = ("doctor", "--prefix", str(prefix(world)))
    looked = world.run(*one)
    assert looked.returncode == 1, looked.stdout
    assert "torch says that it is 9.9.9+cu999, and its files are those of 2.13.0+cpu" in looked.stdout
    assert f"{hook}: Python reads it at each start" in looked.stdout
    mended = world.run(*one, "--repair", "--yes")
    assert mended.returncode == 0, mended.stdout + mended.stderr
    assert not hook.exists()
    assert "Nothing is wrong" in world.run(*one).stdout
    assert "Nothing has replaced PyTorch" in world.run("doctor").stderr


def test_the_doctor_of_all_asks_torch_where_a_package_or_a_file_of_torch_may_change_its_answer(world: World) -> None:
    done = world.run("setup", "--yes", "--name", "demo", *world.sources)
    assert done.returncode == 0, done.stderr
    site = prefix(world) / SITE
    info = site / "liar-1.0.dist-info"
    info.mkdir()
    (info / "RECORD").write_text("liar.pth,,\nliar.py,,\n", encoding="utf-8")
    (site / "liar.pth").write_text("import liar\n", encoding="utf-8")
    (site / "liar.py").write_text("", encoding="utf-8")
    assert world.run("doctor").returncode == 0, "code of a package that changes nothing"
    (site / "liar.py").write_text("import atexit; atexit.register(print, 'bye bye')\n", encoding="utf-8")
    assert world.run("doctor").returncode == 0, "what is printed at the end is no answer of torch"
    (site / "liar.py").write_text("import torch; torch.__version__ = '9.9.9'\n", encoding="utf-8")
    looked = world.run("doctor")
    assert looked.returncode == 1, looked.stderr
    assert "torch says that it is 9.9.9, and its files are those of 2.13.0+cpu." in looked.stderr
    assert "What Python runs at each start there may change it: liar.pth." in looked.stderr
    assert (
        f"{site / 'liar.pth'}: Python reads it at each start"
        in world.run("doctor", "--prefix", str(prefix(world))).stdout
    )
    altered = json.loads(world.run("doctor", "--json").stdout)["altered"]
    words = {"prefix": str(prefix(world)), "imported": "9.9.9", "torch": "2.13.0+cpu", "files": ["liar.pth"]}
    assert altered == [words]
    (site / "liar.pth").unlink()
    assert world.run("doctor").returncode == 0
    with (site / "torch" / "__init__.py").open("a", encoding="utf-8") as file:
        file.write("\n__version__ = '9.9.8'\n")
    assert "torch says that it is 9.9.8, and" in world.run("doctor").stderr


def test_a_torch_that_its_own_damaged_file_changes_is_told_after_the_damage(world: World, folder: Path) -> None:
    done = world.run("setup", "--yes", "--name", "demo", *world.sources)
    assert done.returncode == 0, done.stderr
    torch = next((prefix(world) / SITE).glob("torch/__init__.py"))
    with torch.open("a", encoding="utf-8") as file:
        file.write("\nversion.__version__ = __version__ = '9.9.9'\n")
    looked = world.run("doctor", "--prefix", str(prefix(world)))
    assert "Files of torch are missing or damaged" in looked.stdout, "the graver one"
    assert "torch says that it is 9.9.9, and its files are those of 2.13.0+cpu: something in the" in looked.stdout


def test_what_is_added_while_a_part_is_built_waits_for_the_setup(world: World, folder: Path, tmp_path: Path) -> None:
    """The builder is a program of the setup's own: nobody is told to close it."""
    mark, hold = tmp_path / "mark", tmp_path / "hold"
    hold.touch()
    lay(folder / "slow", package("slow", mark=str(mark), hold=str(hold)))
    write(folder, "requirements.txt", "torch", "./slow")
    program = world.start(*setup(world, folder, "--yes", "--parts"))
    try:
        wait_until(mark.exists)
        added = world.run("envs", "add", "demo", "padding-a", "--yes", *world.sources[:4])
    finally:
        hold.unlink()
        program.communicate()
    assert added.returncode == 1, added.stderr
    assert f"Another setup is at work on {prefix(world)} right now" in added.stderr
    assert "Programs are using" not in added.stderr
    assert program.returncode == 0
