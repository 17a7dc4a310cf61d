"""Writes the rest of a package whose files are linked: metadata, programs, data and the RECORD, by PyPA's `installer`.

What that library does in another way than pip and uv (files of `.data/scripts`, headers, pip's own programs) is left to
them.
"""

from __future__ import annotations

import configparser
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from installer import install
from installer.destinations import SchemeDictionaryDestination
from installer.exceptions import InstallerError
from installer.records import RecordEntry
from installer.sources import WheelFile
from installer.utils import Scheme, get_launcher_kind, parse_entrypoints

from wizard.errors import WizardError
from wizard.packages.record import REWRITTEN, write_record
from wizard.packages.wheel import Wheel, is_inside, is_odd
from wizard.system import moving
from wizard.system.links import extended

_OWN_FILES = {"INSTALLER": b"torch-setup\n", "REQUESTED": b""}
_SAME_FOLDER = re.compile(r'^("?)\./', re.MULTILINE)  # how the library names a file of the other scheme beside it
_DATA = ("data", "purelib", "platlib")
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
        raise WizardError("install-bad-wheel", f"{wheel.path}: {error!r}", file=wheel.path.name) from error


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
