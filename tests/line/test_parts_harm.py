"""What the build code of a part does to the rest of the environment is told, and taken out where it can be."""

from __future__ import annotations

import re
from pathlib import Path

from tests.line.test_project import folder, prefix, setup, write
from tests.line.test_project_parts import lay, package
from tests.line.world import SITE, World

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
    building(folder / "broken", "broken", f"open({hook('broken')!r}, 'w').write('import sys; sys.broken = 1')\n")
    write(folder, "requirements.txt", "torch", "padding-a", "-e ./first", "./over", "./broken")
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "over was taken out again: it writes over files of padding-a, which are as before." in done.stderr
    advised = done.stderr.partition("What to do:")[2].partition("Found:")[0]
    assert "The build of “first” has left first.pth among the packages: Python runs that at each start" in advised
    assert "has left over.pth" not in done.stderr
    found = sorted(path.name for path in (prefix(world) / SITE).glob("*.pth"))
    assert [name for name in found if name != "distutils-precedence.pth"] == ["_first.pth", "first.pth"]
    assert world.import_check(prefix(world), "import sys; print(hasattr(sys, 'over'), sys.first)") == "False 1"
