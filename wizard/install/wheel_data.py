"""What of a wheel is not linked: metadata, programs, data, headers, and files that packages share.

What wheels write beside their packages: programs, data, headers, and files that several packages share.

No other package's folder is moved for these, so a snapshot keeps a copy of what is there, or a note that nothing was.
What conda's records list, and what makes the folder an environment, is written by no wheel: `clash_of` finds the first
such file of one, and a name that leads out of the environment; `Claims` what two wheels bring differently.
Looks into the wheels and at the disk; changes nothing.
"""

from __future__ import annotations

import configparser
import os
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from installer import install
from installer.destinations import SchemeDictionaryDestination
from installer.exceptions import InstallerError
from installer.records import RecordEntry
from installer.sources import WheelFile
from installer.utils import Scheme, construct_record_file, get_launcher_kind, parse_entrypoints
from packaging.utils import canonicalize_name

from wizard.install.record import write_record
from wizard.install.wheel import INSTALL_BAD_WHEEL, UNREADABLE, Wheel, is_odd, leads_out, read_wheel
from wizard.model.distributions import FAMILY, REWRITTEN, Recorded, is_inside, place
from wizard.model.errors import WizardError
from wizard.system import moving
from wizard.system.links import extended, long_path
from wizard.system.traits import this

# Writes the rest of a package whose files are linked: metadata, programs, data and the RECORD, by PyPA's `installer`.
#
# What that library does in another way than pip and uv (files of `.data/scripts`, headers, pip's own programs) is left
# to them.

_OWN_FILES = {"INSTALLER": b"torch-setup\n", "REQUESTED": b""}
_SAME_FOLDER = re.compile(r'^("?)\./', re.MULTILINE)  # how the library names a file of the other scheme beside it
_DATA = ("data", "purelib", "platlib")
_LIBRARY = re.compile(r"\.(?:so(?:\.[\d.]+)?|pyd|dll|dylib)$", re.IGNORECASE)
_WRONG = (InstallerError, AssertionError, ValueError, KeyError, configparser.Error, zipfile.BadZipFile, zlib.error)


def is_simple(wheel: Wheel) -> bool:
    """Tell whether the library makes of the rest of a wheel what pip and uv would. pip's has a further program, named
    after the Python."""
    info, data = f"{wheel.dist_info}/", f"{'-'.join(wheel.path.name.split('-')[:2])}.data/"
    names = {member.filename for member in wheel.members}
    own = {f"{info}{name}" for name in REWRITTEN} - {f"{info}RECORD"}
    if wheel.name == "pip" or own & names or any(map(is_odd, wheel.members)) or not all(map(is_inside, names)):
        return False
    known = (info, *(f"{data}{scheme}/" for scheme in _DATA))
    if any(not name.startswith(known) or "/__pycache__/" in name for name in names):
        return False
    return f"{info}entry_points.txt" not in names or _has_good_programs(wheel)


def _has_good_programs(wheel: Wheel) -> bool:
    try:
        with zipfile.ZipFile(wheel.path) as archive:
            text = archive.read(f"{wheel.dist_info}/entry_points.txt").decode()
        return all(is_inside(name) for name, *_ in parse_entrypoints(text))
    except _WRONG:
        return False


def write_rest(wheel: Wheel, scheme: Mapping[str, str], python: Path) -> None:
    """Write what a thin wheel holds, and the RECORD of all of it last: what was killed before is not installed.

    `scheme`: folders as `sysconfig` names them. Raises OSError, WizardError `install-bad-wheel`.
    """
    try:
        with WheelFile.open(wheel.path) as source:
            folders = {name: extended(folder) for name, folder in scheme.items()}
            install(source, _Destination(folders, str(python), get_launcher_kind(), wheel=wheel), dict(_OWN_FILES))
    except _WRONG as error:
        raise WizardError(INSTALL_BAD_WHEEL, details=f"{wheel.path}: {error!r}", file=wheel.path.name) from error


@dataclass
class _Destination(SchemeDictionaryDestination):
    wheel: Wheel = field(kw_only=True)

    def write_to_fs(self, scheme: Scheme, path: str, stream: BinaryIO, is_executable: bool) -> RecordEntry:
        """Write nothing through a link: what it leads to is not ours. The RECORD also lists what is linked.

        The library asks for the umask by changing it, for all threads, so the mode of programs is set here.
        """
        target = Path(self.scheme_dict[scheme], path)
        if path == f"{self.wheel.dist_info}/RECORD":
            linked = set(self.wheel.left_out)
            text = _SAME_FOLDER.sub(r"\1", stream.read().decode())
            write_record(target, text, (row for row in self.wheel.record if row.path in linked))
            return RecordEntry(path, None, None)
        moving.unlink(target, missing_ok=True)
        entry = super().write_to_fs(scheme, path, stream, is_executable=False)
        if is_executable:
            mode = target.stat().st_mode
            target.chmod(mode | (mode & 0o444) >> 2)
        return entry

    def finalize_installation(
        self, scheme: Scheme, record_file_path: str, records: Iterable[tuple[Scheme, RecordEntry]]
    ) -> None:
        """Write the RECORD with relative paths, as uv and pip do; the library takes absolute ones on Windows."""
        base = self.scheme_dict[scheme]

        def folder_of(other: Scheme) -> str | None:
            return (
                None if other == scheme else os.path.relpath(self.scheme_dict[other], base).replace(os.sep, "/") + "/"
            )

        with construct_record_file(records, folder_of) as stream:
            self.write_to_fs(scheme, record_file_path, stream, is_executable=False)


_GROUPS = ("console_scripts", "gui_scripts")
# Made with the environment: by venv, virtualenv and conda, on both systems.
_OWN = re.compile(
    r"pyvenv\.cfg|conda-meta/.*|pythonw?\.exe|python[0-9.]+t?\.dll"
    r"|(bin|scripts)/(pythonw?[0-9.]*t?(\.exe)?|(de)?activate(\.(bat|csh|fish|nu|ps1|xsh))?|activate_this\.py)",
    re.IGNORECASE,
)


def beside(prefix: Path, site: Path, wheels: Iterable[Path], moved: Iterable[str]) -> tuple[str, ...]:
    """Return, relative to the prefix, with "/", what is there, and where nothing is, the highest folder that would be
    new."""
    gone = frozenset(moved)
    found: dict[str, None] = {}
    for path in wheels:
        wheel = read_wheel(path)
        inside = (target for entry in wheel.record if (target := place(entry.path)))
        shared = (_relative(prefix, site / target) for target in inside)
        found.update(dict.fromkeys(path for path in shared if os.path.lexists(long_path(prefix) / path)))
        found.update(dict.fromkeys(_highest_new(prefix, target) for target in _outside(prefix, site, wheel)))
    return tuple(path for path in found if not _is_below(path, gone))


@dataclass(frozen=True, slots=True)
class Clash:
    """`path` relative to the prefix; `owner` as conda calls the package: "setuptools 80.9.0". `code`: of the error."""

    path: str
    owner: str = ""
    code: str = "install-conda-files"


def clash_of(prefix: Path, site: Path, wheel: Wheel, owners: Mapping[str, str]) -> Clash | None:
    """Return what this wheel would write and must not. `owners`: every file that conda's records list, relative with
    "/" -> its package."""
    if name := next((name for name in (*_names(wheel), *_programs(wheel)) if leads_out(name)), None):
        return Clash(name, code="install-leads-out")
    written = (posixpath.normpath(path) for path in _outside(prefix, site, wheel))
    if path := next((path for path in written if _OWN.fullmatch(path)), None):
        return Clash(path, code="install-own-files")
    return _conda_clash(prefix, site, wheel, owners) if owners else None


def _names(wheel: Wheel) -> Iterator[str]:
    return (member.filename for member in wheel.members)


def _conda_clash(prefix: Path, site: Path, wheel: Wheel, owners: Mapping[str, str]) -> Clash | None:
    """A package that conda has under the wheel's own name clashes with it in every version: installers take out the
    one that is there."""
    inside = f"{_relative(prefix, site)}/"
    for path, owner in owners.items():
        folder, _, file = path.removeprefix(inside).partition("/")
        is_info = file == "METADATA" and folder.endswith(".dist-info") and path.startswith(inside)
        if is_info and canonicalize_name(folder.partition("-")[0]) == wheel.name:
            return Clash(path, owner)
    written = beside(prefix, site, (wheel.path,), ())
    return next((Clash(path, owners[path]) for path in written if path in owners), None)


class Claims:
    """Which wheel of one install brings which file into site-packages."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[Recorded, Wheel]] = {}

    def check(self, wheel: Wheel) -> None:
        """Refuse a library that another package brings, too, unless it is the same, and any file of torch's. Of others
        in two contents, such as a `tests/__init__.py`, the later stays, as with uv (`changed_files` and `check_record`
        know that).

        Raises WizardError `install-same-file`.
        """
        for entry in wheel.record:
            target = place(entry.path)
            if target is None or not entry.digest:
                continue
            known, other = self._first.setdefault(target, (entry, wheel))
            is_torchs = not {wheel.name, other.name, target.partition("/")[0]}.isdisjoint(FAMILY)
            is_refused = is_torchs or (known.size != entry.size and bool(_LIBRARY.search(target)))
            if known.digest != entry.digest and is_refused:
                raise WizardError(
                    "install-same-file",
                    "Two packages bring the same file {path} with different content: {first} and {second}; "
                    "the second was not installed.",
                    "Leave one of the two packages out, or take versions of them that go together.",
                    path=target,
                    first=other.path.name,
                    second=wheel.path.name,
                )


def _outside(prefix: Path, site: Path, wheel: Wheel) -> Iterator[str]:
    programs, endings = this().scripts, this().entry_point_endings
    for name in filter(is_inside, _programs(wheel)):
        yield from (f"{programs}/{name}{ending}" for ending in endings)
    for member in wheel.members:
        first, _, rest = member.filename.partition("/")
        scheme, _, target = rest.partition("/")
        if not first.endswith(".data") or not is_inside(target):
            continue
        yield _relative(prefix, site / first)  # installers put it there first, and take it away when they are done
        if scheme == "scripts":
            yield f"{programs}/{target}"
        elif scheme == "data":
            yield target
        elif scheme == "headers":
            yield from (f"{folder}/{wheel.name}/{target}" for folder in _header_folders(prefix, site))


def _programs(wheel: Wheel) -> Iterator[str]:
    """The names of its entry points; a file that cannot be read makes no programs."""
    try:
        with zipfile.ZipFile(wheel.path) as archive:
            said = archive.read(f"{wheel.dist_info}/entry_points.txt").decode("utf-8", "replace")
        parser = configparser.RawConfigParser(delimiters=("=",), strict=False)
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read_string(said)
    except (*UNREADABLE, configparser.Error):
        return
    for group in _GROUPS:
        if parser.has_section(group):
            yield from parser.options(group)


def _header_folders(prefix: Path, site: Path) -> tuple[str, ...]:
    """A virtual environment's place and an installation's."""
    minor = site.parent.name
    return (f"include/site/{minor}", f"include/{minor}") if minor != "Lib" else ("include", "Include")


def _highest_new(prefix: Path, path: str) -> str:
    top, root = path, long_path(prefix)
    while not os.path.lexists(root / top):
        above = top.rpartition("/")[0]
        if not above or os.path.lexists(root / above):
            return top
        top = above
    return path


def _is_below(path: str, folders: frozenset[str]) -> bool:
    while path:
        if path in folders:
            return True
        path = path.rpartition("/")[0]
    return False


def _relative(prefix: Path, path: Path) -> str:
    return os.path.relpath(path, prefix).replace(os.sep, "/")
