"""The licence notices of everything that lies in the frozen folder, collected while it is frozen.

Which distributions those are is read from the files that PyInstaller takes, so a new dependency cannot be forgotten:
one without a licence text stops the build. Libraries of the build machine (Linux) bring their Debian copyright file.
"""

from __future__ import annotations

import importlib.metadata
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TEXTS = Path(__file__).resolve().parent / "licences"
# Their wheels hold no licence text: name -> the texts that we keep, or the file of theirs that opens with it.
KEPT = {
    "pyside6-essentials": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "shiboken6": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "py-rattler": ("py-rattler.txt",),
}
OPENS_WITH_IT = {"nvidia-ml-py": "pynvml.py"}
_TEXT_NAME = re.compile(r"(licen[cs]e|copying|notice|authors|third.?party)", re.IGNORECASE)
_BOOT = "pyinstaller"  # its start program is in ours, under the GPL with an exception that allows that

OVERVIEW = """\
Torch Setup {version}: what is inside, and under which licence
==============================================================

Torch Setup itself is under the MIT licence (torch-setup.txt). The texts of the others lie beside this file.

Qt and PySide6 are used under the GNU Lesser General Public License, version 3 (LGPL-3.0.txt, GPL-3.0.txt). They are
separate files in this program's folder: to run it with a Qt or PySide6 of your own, put libraries of the same name and
version line in place of the files named Qt6*, libQt6*, pyside6*, libpyside6*, shiboken6* and libshiboken6*, and in the
folders PySide6 and shiboken6. Nothing else has to be changed, and nothing in this program hinders it or checks for it.
Their source code: https://download.qt.io/official_releases/qt/ and https://download.qt.io/official_releases/QtForPython/

zeroconf is under the LGPL too, version 2.1 or later (zeroconf.txt); it is the folder zeroconf, replaceable in the same
way. Source: https://github.com/python-zeroconf/python-zeroconf

The icons in resources/icons/lucide are Lucide's, under the ISC and MIT licences (LICENSE beside them).

{system}uv and rattler are programs in Rust, linked with the crates that *.cyclonedx.json beside this file lists, each
with its licence.

{rows}
"""


SYSTEM = """\
The libraries of the rows system-* are those of {distribution}, less debug symbols. Some are under the LGPL too (their
texts say which); each is a file of its own and replaceable in the same way. Their source code is that distribution's
source package of the same name and version.

"""
# Nothing under the GPL alone may lie in a program under the MIT licence.
_GPL_ALONE = ("libreadline", "libgdbm")


@dataclass(frozen=True, slots=True)
class Notice:
    name: str
    version: str
    licence: str
    text: str


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def distributions_of(modules: Iterable[str]) -> list[importlib.metadata.Distribution]:
    """Of top-level module names, as the installed wheels list them."""
    owners = importlib.metadata.packages_distributions()
    names = {normal(owner) for module in modules for owner in owners.get(module, ())}
    return [importlib.metadata.distribution(name) for name in sorted(names | {_BOOT}) if name != "torch-setup"]


def notice_of(found: importlib.metadata.Distribution) -> Notice:
    name = normal(found.name)
    texts = [_read(found, file) for file in found.files or () if _is_text(file)]
    texts += [(TEXTS / kept).read_text("utf-8") for kept in KEPT.get(name, ())]
    if name in OPENS_WITH_IT:
        texts.append(_opening_comment(_read(found, OPENS_WITH_IT[name])))
    if not any(text.strip() for text in texts):
        raise LookupError(f"{name} has no licence text: add one to {TEXTS} and name it in notices.KEPT")
    return Notice(name, found.version, _licence_name(found), "\n\n".join(texts))


def _is_text(file: importlib.metadata.PackagePath) -> bool:
    is_metadata = any(part.endswith(".dist-info") for part in file.parts)
    return is_metadata and _TEXT_NAME.search(file.name) is not None


def _read(found: importlib.metadata.Distribution, file: object) -> str:
    return Path(str(found.locate_file(str(file)))).read_text("utf-8", "replace")


def _opening_comment(source: str) -> str:
    lines = source.splitlines()
    end = next((number for number, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return "\n".join(lines[:end])


def _licence_name(found: importlib.metadata.Distribution) -> str:
    """What it calls its licence: a new-style expression, a short field, or its classifiers."""
    said = found.metadata.get_all("License-Expression") or found.metadata.get_all("License") or []
    short = [line.strip() for line in said if line.strip() and "\n" not in line]
    classifiers = [line for line in found.metadata.get_all("Classifier") or () if line.startswith("License")]
    return ", ".join(short or [line.rpartition(" :: ")[2] for line in classifiers]) or "see the text"


def python_notice() -> Notice:
    return Notice("python", platform.python_version(), "PSF-2.0", (TEXTS / "Python.txt").read_text("utf-8"))


def system_notices(files: Iterable[Path]) -> Iterator[Notice]:
    """Of libraries that Debian packages brought; other systems have no such place, and the names say it all."""
    packages: dict[str, set[str]] = {}
    for file in sorted(set(files)):
        if file.name.startswith(_GPL_ALONE):
            raise LookupError(f"{file} is under the GPL alone: leave out what brings it")
        packages.setdefault(_debian_package(file) or f"unknown-{file.name}", set()).add(file.name)
    for package, names in sorted(packages.items()):
        copyright_file = Path("/usr/share/doc", package, "copyright")
        text = copyright_file.read_text("utf-8", "replace") if copyright_file.is_file() else "The system's own licence."
        yield Notice(
            f"system-{package}", _debian_version(package), "see the text", f"{', '.join(sorted(names))}\n\n{text}"
        )


@cache
def _debian_package(file: Path) -> str:
    for name in (str(file), str(file).removeprefix("/usr"), f"/usr{file}"):
        said = _ask("dpkg-query", "-S", name)
        if said:
            return said.split(":")[0]
    return ""


def _debian_version(package: str) -> str:
    return _ask("dpkg-query", "-W", "-f", "${Version}", package) or "-"


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return "the Linux that this was built on"


def _ask(*command: str) -> str:
    if not shutil.which(command[0]):
        return ""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def sboms(found: Iterable[importlib.metadata.Distribution]) -> dict[str, Path]:
    """File name -> place: the lists of crates that Rust programs bring."""
    files = [(each, file) for each in found for file in each.files or () if file.name.endswith(".cyclonedx.json")]
    return {file.name: Path(str(each.locate_file(str(file)))) for each, file in files}


def write(folder: Path, notices: Iterable[Notice], further: Mapping[str, Path], version: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ordered = sorted(notices, key=lambda notice: (notice.name.startswith("system-"), notice.name))
    rows = "\n".join(f"{each.name:32} {each.version:24} {each.licence}" for each in ordered)
    has_system = any(each.name.startswith("system-") for each in ordered)
    system = SYSTEM.format(distribution=_distribution()) if has_system else ""
    (folder / "README.txt").write_text(OVERVIEW.format(version=version, rows=rows, system=system), "utf-8")
    for each in ordered:
        (folder / f"{each.name}.txt").write_text(f"{each.name} {each.version}\n\n{each.text}\n", "utf-8")
    for name in ("LGPL-3.0.txt", "GPL-3.0.txt"):
        shutil.copyfile(TEXTS / name, folder / name)
    for name, place in further.items():
        shutil.copyfile(place, folder / name)
