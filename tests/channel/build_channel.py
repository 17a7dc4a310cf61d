"""A real conda channel made of the running CPython and of the pip that `ensurepip` carries.

`python tests/channel/build_channel.py FOLDER [PYTHON]` writes it; the tests take it from the `conda_channel`
fixture. So the built-in engine is tested on a true solve, download, extraction and linking, without a
network. Not for people: the Python inside leans on this machine's libraries (OpenSSL, zlib).
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.channel.parcel import Item, Parcel, write_parcel

_ASK = """
import importlib.util, json, os, sys, sysconfig
wheels = []
if importlib.util.find_spec("ensurepip"):
    import ensurepip
    folders = [os.path.join(os.path.dirname(ensurepip.__file__), "_bundled"),
               getattr(ensurepip, "_WHEEL_PKG_DIR", None) or ""]
    wheels = [os.path.join(f, n) for f in folders if os.path.isdir(f) for n in os.listdir(f) if n.endswith(".whl")]
print(json.dumps({
    "version": ".".join(map(str, sys.version_info[:3])), "base_prefix": sys.base_prefix,
    "stdlib": sysconfig.get_path("stdlib"), "wheels": wheels,
    "executable": os.path.realpath(sys.executable),
    "libdir": sysconfig.get_config_var("LIBDIR"), "library": sysconfig.get_config_var("INSTSONAME") or "",
}))
"""
# Large, or meaningless in a package: tests, the GUI toolkit, the static library, other people's packages.
_DROPPED = frozenset(
    {
        "test",
        "tests",
        "idlelib",
        "tkinter",
        "turtledemo",
        "lib2to3",
        "ensurepip",
        "pydoc_data",
        "__pycache__",
        "site-packages",
        "dist-packages",
        "_bundled",
        "idle_test",
        "EXTERNALLY-MANAGED",
        "sitecustomize.py",
    }
)
_DROPPED_STARTS = ("config-", "_test", "_ctypes_test", "_tkinter", "_xx", "xx")
# Debian's own site module is frozen into its interpreter: this is the only way to move its folder.
_FIND_PACKAGES = """
import site, sys
site.addsitedir(f"{sys.prefix}/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages")
"""
_LIBRARY_PLACES = ("{libdir}", "{base_prefix}/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu")


@dataclass(frozen=True, slots=True)
class Source:
    """The interpreter that is packed."""

    version: str
    base_prefix: str
    stdlib: Path
    wheels: tuple[Path, ...]
    executable: Path
    libdir: str
    library: str  # "libpython3.11.so.1.0", or "libpython3.11.a" where it is linked in

    @property
    def minor(self) -> str:
        return self.version.rsplit(".", 1)[0]


def ask(python: str) -> Source:
    said = subprocess.run([python, "-I", "-c", _ASK], check=True, capture_output=True, text=True, timeout=60).stdout
    facts = json.loads(said)
    return Source(
        facts["version"],
        facts["base_prefix"],
        Path(facts["stdlib"]),
        tuple(map(Path, sorted(facts["wheels"]))),
        Path(facts["executable"]),
        facts["libdir"] or "",
        facts["library"],
    )


def build_channel(folder: Path, python: str = sys.executable) -> Path:
    """Writes the channel into `folder` and returns it. Raises LookupError when this Python carries no pip wheel."""
    source = ask(python)
    if not any(wheel.name.startswith("pip-") for wheel in source.wheels):
        raise LookupError(f"{python} has no ensurepip wheels (Debian: install python3-venv)")
    (folder / "noarch").mkdir(parents=True, exist_ok=True)
    write_parcel(_python_parcel(source), folder)
    names = {wheel.name.split("-")[0] for wheel in source.wheels}
    for wheel in source.wheels:
        write_parcel(wheel_parcel(wheel, names), folder)
    _index(folder)
    return folder


def _index(folder: Path) -> None:
    from rattler.index import index_fs

    asyncio.run(index_fs(folder))


def subdir() -> str:
    """conda's word for this system."""
    machine = platform.machine().lower()
    return {"x86_64": "linux-64", "amd64": "linux-64"}.get(machine, f"linux-{machine}")


def _python_parcel(source: Source) -> Parcel:
    items = [*_interpreter(source), *_standard_library(source)]
    return Parcel(
        "python",
        source.version,
        "0_cpython",
        subdir(),
        tuple(items),
        depends=("__glibc >=2.17",),
        extra={"license": "PSF-2.0"},
    )


def _interpreter(source: Source) -> Iterator[Item]:
    name = f"bin/python{source.minor}"
    yield Item(name, _relocated(_stripped(source.executable), source.libdir), executable=True)
    yield Item("bin/python3", link=f"python{source.minor}")
    yield Item("bin/python", link=f"python{source.minor}")
    if ".so" in source.library and source.library.encode() in source.executable.read_bytes():
        folders = [place.format(libdir=source.libdir, base_prefix=source.base_prefix) for place in _LIBRARY_PLACES]
        found = next(Path(place, source.library) for place in folders if Path(place, source.library).exists())
        yield Item(f"lib/{source.library}", _stripped(found), executable=True)


def _standard_library(source: Source) -> Iterator[Item]:
    for path in sorted(source.stdlib.rglob("*")):
        parts = path.relative_to(source.stdlib).parts
        if path.is_dir() or any(part in _DROPPED or part.startswith(_DROPPED_STARTS) for part in parts):
            continue
        inside = "/".join((f"lib/python{source.minor}", *parts))
        if path.suffix == ".so":
            yield Item(inside, _stripped(path), executable=True)
            continue
        data = _undo_debian(path, path.read_bytes())
        placed = parts[0].startswith("_sysconfigdata") and source.base_prefix != "/usr"
        yield Item(inside, data, placeholder=source.base_prefix if placed else "")
    if b"dist-packages" in (source.stdlib / "site.py").read_bytes():
        yield Item(f"lib/python{source.minor}/sitecustomize.py", _FIND_PACKAGES.encode())


def _relocated(data: bytes, libdir: str) -> bytes:
    """An absolute RUNPATH is overwritten in place: the string table keeps its length."""
    old, new = libdir.encode() + b"\0", b"$ORIGIN/../lib\0"
    return data.replace(old, new.ljust(len(old), b"\0")) if len(new) <= len(old) else data


def _stripped(path: Path) -> bytes:
    """Without debug symbols where binutils are there: a third of the size."""
    tool = shutil.which("strip")
    if not tool:
        return path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, path.name)
        shutil.copyfile(path, copy)
        subprocess.run([tool, "--strip-unneeded", copy], check=False, capture_output=True, timeout=60)
        return copy.read_bytes()


def _undo_debian(path: Path, data: bytes) -> bytes:
    """Debian's Python looks for packages in dist-packages; in a prefix of its own it must not."""
    if path.name not in ("site.py", "sysconfig.py", "__init__.py") or b"dist-packages" not in data:
        return data
    for old, new in (
        (b"dist-packages", b"site-packages"),
        (b'"local/lib"', b'"lib"'),
        (b"prefix_scheme = 'posix_local'", b"prefix_scheme = 'posix_prefix'"),
    ):
        data = data.replace(old, new)
    return data


def wheel_parcel(wheel: Path, bundled: Iterable[str]) -> Parcel:
    name, version = wheel.name.split("-")[:2]
    depends = ["python >=3.6"]
    if name == "pip" and "setuptools" in bundled:
        depends.append("setuptools")
    points = ("pip = pip._internal.cli.main:main", "pip3 = pip._internal.cli.main:main") if name == "pip" else ()
    return Parcel(
        name, version, "py_0", "noarch", tuple(_wheel_items(wheel)), tuple(depends), points, {"noarch": "python"}
    )


def _wheel_items(wheel: Path) -> Iterator[Item]:
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    info = next(name.split("/")[0] for name in files if ".dist-info/" in name)
    files[f"{info}/INSTALLER"] = b"conda\n"
    record = f"{info}/RECORD"
    files[record] = "".join(_record_row(name, data) for name, data in files.items() if name != record).encode()
    files[record] += f"{record},,\n".encode()
    for name, data in sorted(files.items()):
        yield Item(f"site-packages/{name}", data)


def _record_row(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def with_dependency(parcel_name: str, dependency: str, channel: Path, folder: Path) -> Path:
    """A copy of a channel in which one package also depends on `dependency` (a `__cuda` floor, say)."""
    shutil.copytree(channel, folder, copy_function=_link)
    for page in folder.glob("*/repodata*"):
        if page.name != "repodata.json":
            page.unlink()
            continue
        data = json.loads(page.read_text(encoding="utf-8"))
        for record in data["packages"].values():
            if record["name"] == parcel_name:
                record["depends"].append(dependency)
        page.unlink()
        page.write_text(json.dumps(data), encoding="utf-8")
    for shards in folder.glob("*/shards"):
        shutil.rmtree(shards)
    return folder


def _link(source: str, target: str) -> None:
    Path(target).hardlink_to(source)


__all__ = ["ask", "build_channel", "with_dependency"]

if __name__ == "__main__":
    build_channel(Path(sys.argv[1]), *sys.argv[2:3])
    # rattler's threads can crash an interpreter that leaves in the ordinary way.
    os._exit(0)
