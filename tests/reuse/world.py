"""Environments that are there already: an older torch, a program, a shared file, somebody's own notes among packages.

Made with the real uv from wheels of the tests, in a real venv or a real conda prefix; the new packages come from the
world on loopback. `picture` is an environment byte for byte, without compiled modules.
"""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
from pathlib import Path

from tests.line.wheel import build_wheel
from tests.line.world import PYTHON, World, build_torch

OLD = "2.12.0+cpu"
_NUMPY = b"""__version__ = '1.26.4'
class _Array:
    def sum(self): return 6.0
def arange(stop): return _Array()
def main():
    import sys
    print('program of', sys.prefix)
"""
_SHARED = {"shared_space/note.txt": b"the old one's\n"}


def old_wheels(folder: Path) -> Path:
    """torch 2.12 with a program and data outside of site-packages; numpy 1.26; packages that ask for things."""
    noise = random.Random(11)
    build_torch(folder, OLD, ["numpy"], 1, {"do": "work", "cuda": None})
    numpy = {"numpy/__init__.py": _NUMPY, "numpy/old_part.py": b"", **_entry("f2py-old")}
    build_wheel(folder, "numpy", "1.26.4", _of("numpy", "1.26.4", numpy))
    build_wheel(folder, "padding_a", "0.9", {"padding_a/__init__.py": b"", "padding_a/x.bin": noise.randbytes(300_000)})
    build_wheel(folder, "strict", "1.0", {"strict.py": b"", **_SHARED}, ["padding-a<1.0", "numpy"])
    build_wheel(folder, "loner", "3.1", {"loner/__init__.py": b"answer = 42\n"})
    return folder


def _entry(name: str) -> dict[str, bytes]:
    return {"{info}/entry_points.txt": f"[console_scripts]\n{name} = numpy:main\n".encode()}


def _of(name: str, version: str, files: dict[str, bytes]) -> dict[str, bytes]:
    return {path.replace("{info}", f"{name}-{version}.dist-info"): data for path, data in files.items()}


def new_wheels(folder: Path) -> None:
    """Into the index of packages: a package with a program, data, and a file that another one has too."""
    files = {
        "padding_a/__init__.py": b"",
        "padding_a/new.bin": random.Random(12).randbytes(400_000),
        "shared_space/note.txt": b"the new one's\n",
        "{info}/entry_points.txt": b"[console_scripts]\npad = padding_a:main\n",
        "padding_a-1.0.data/data/share/pad/manual.txt": b"read me\n",
        "padding_a-1.0.data/scripts/pad-setup": b"#!python\nprint('pad')\n",
    }
    build_wheel(folder, "padding_a", "1.0", _of("padding_a", "1.0", files))


def make_venv(prefix: Path, wheels: Path, *names: str) -> Path:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", prefix], check=True, timeout=120)
    return fill(prefix, wheels, *names)


def fill(prefix: Path, wheels: Path, *names: str) -> Path:
    uv = Path(sys.executable).with_name("uv")
    wanted = names or (f"torch=={OLD}", "numpy==1.26.4", "padding-a==0.9", "strict", "loner")
    command = [uv, "pip", "install", "-q", "--offline", "--no-index", "--find-links", wheels]
    command += ["--link-mode", "copy", "--no-cache", "--python", prefix / "bin" / "python", *wanted]
    subprocess.run([*map(str, command)], check=True, timeout=120)
    add_strays(prefix)
    return prefix


def site_of(prefix: Path) -> Path:
    return prefix / "lib" / f"python{PYTHON}" / "site-packages"


def add_strays(prefix: Path) -> None:
    (site_of(prefix) / "torch" / "my weights.bin").write_bytes(b"three weeks of training")
    (site_of(prefix) / "numpy" / "notes").mkdir()
    (site_of(prefix) / "numpy" / "notes" / "mine.txt").write_text("mine")


def copy_of(prefix: Path, target: Path) -> Path:
    """For the next try at the same place: with times, modes and links."""
    subprocess.run(["cp", "-a", prefix, target], check=True, timeout=120)
    return target


def picture(prefix: Path) -> dict[str, str]:
    """Every file, link and folder with its content and mode."""
    found = {}
    for path in sorted(prefix.rglob("*")):
        name = path.relative_to(prefix).as_posix()
        if path.suffix == ".pyc" or path.name == "__pycache__":
            continue
        if path.is_symlink():
            found[name] = f"link {path.readlink()}"
        elif path.is_dir():
            found[name] = "folder"
        else:
            found[name] = f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path.stat().st_mode:o}"
    return found


def versions(prefix: Path) -> dict[str, str]:
    code = "import importlib.metadata as m, json; print(json.dumps([(d.name, d.version) for d in m.distributions()]))"
    said = subprocess.run([prefix / "bin/python", "-I", "-c", code], check=True, capture_output=True, text=True)
    rows = json.loads(said.stdout)
    assert len(rows) == len(dict(rows)), f"a package is there twice: {rows}"
    return dict(rows)


def into(world: World, prefix: Path, *more: str) -> tuple[str, ...]:
    sources = [*world.sources]
    for option in ("--engine", "--channel", "--python"):
        if option in sources:
            at = sources.index(option)
            del sources[at : at + 2]
    return ("setup", "--into", str(prefix), *sources, *more)
