"""Channels beside the test channel that carry other setuptools, as pip of an older Python needs it: a real case.

`channel_with(folder, base, versions)` has Python and pip of `base` and just these setuptools; `more` are further
packages. `setuptools_wheel` makes the same package for the index: what pip would lay over conda's files.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.channel.build_channel import wheel_parcel
from tests.channel.parcel import Item, Parcel, write_parcel
from tests.line.wheel import build_wheel

_INDEX = """
import asyncio, os, sys
from pathlib import Path
from rattler.index import index_fs
asyncio.run(index_fs(Path(sys.argv[1])))
os._exit(0)
"""


def setuptools_wheel(folder: Path, version: str) -> Path:
    """Each version has files of the same names with other content, and one of its own."""
    files = {
        "setuptools/__init__.py": f"__version__ = {version!r}\nfrom . import parts\n".encode(),
        "setuptools/parts.py": f"made_for = {version!r}\n".encode(),
        f"setuptools/only_in_{version.replace('.', '_')}.py": b"",
    }
    return build_wheel(folder, "setuptools", version, files)


def hello(version: str, *depends: str) -> Parcel:
    """A package that nothing else needs."""
    module = Item("site-packages/hello.py", f"VERSION = {version!r}\n".encode())
    return Parcel("hello", version, "py_0", "noarch", (module,), ("python", *depends), (), {"noarch": "python"})


def channel_with(folder: Path, base: Path, versions: Iterable[str], more: Iterable[Parcel] = ()) -> str:
    for package in base.glob("*/*.tar.bz2"):
        if not package.name.startswith("setuptools-"):
            (folder / package.parent.name).mkdir(parents=True, exist_ok=True)
            (folder / package.parent.name / package.name).hardlink_to(package)
    for version in versions:
        write_parcel(wheel_parcel(setuptools_wheel(folder / "made", version), ()), folder)
    for parcel in more:
        write_parcel(parcel, folder)
    subprocess.run([sys.executable, "-c", _INDEX, str(folder)], check=True, timeout=120)
    _make_pip_need_it(folder / "noarch" / "repodata.json")
    return folder.as_uri()


def _make_pip_need_it(page: Path) -> None:
    """As it does in conda-forge below Python 3.13, whatever the Python here carries. Only the plain page is kept."""
    data = json.loads(page.read_text(encoding="utf-8"))
    for record in data["packages"].values():
        if record["name"] == "pip" and "setuptools" not in record["depends"]:
            record["depends"].append("setuptools")
    for other in page.parent.glob("repodata*"):
        other.unlink()
    page.write_text(json.dumps(data), encoding="utf-8")
