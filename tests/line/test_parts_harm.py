"""What the build code of a part does to the rest of the environment is told, and taken out where it can be."""

from __future__ import annotations

import re
from pathlib import Path

from tests.line.test_project import folder, prefix, setup, write
from tests.line.test_project_parts import lay, package
from tests.line.world import World

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
