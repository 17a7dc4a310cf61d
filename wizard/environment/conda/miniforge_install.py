"""Runs Miniforge's installer, and takes back what a killed one left.

The installer wants a folder that is not there, so no mark can lie in it: what was begun is noted in our own data,
with the new folder's identity as soon as it appears. Only that very folder is ever removed. Nothing is asked, and
no shell file and no PATH is touched.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from wizard.environment.conda.answer import CondaInfo
from wizard.environment.conda.find import confirm
from wizard.environment.conda.miniforge import BOOTSTRAP_TAKEN, InstallerRow, is_taken
from wizard.environment.model import IsCancelled
from wizard.environment.remove.erase import erase
from wizard.environment.remove.unfinished import REMOVE_FAILED
from wizard.model.errors import Cancelled, UsageError, WizardError
from wizard.model.typed import read_own_json
from wizard.process import Request, StopTimeouts, child_environment, run
from wizard.system import moving, paths

_TRASH = ".torch-setup-trash-"
_STOP = StopTimeouts(interrupt=1.0, terminate=1.0, kill=5.0)
# They would lead the installer's own conda to the user's other installation, or answer a question.
_DROPPED_STARTS = ("CONDA", "MAMBA")


@dataclass(frozen=True, slots=True)
class Begun:
    """One installation that was begun and not finished.

    `identity`: device and inode of the folder, once it was seen. `existed`: an empty one was there before.
    `parents`: folders above that were not there, the innermost first. `is_installed`: the installer had ended well.
    """

    prefix: Path
    identity: tuple[int, int] | None
    existed: bool
    parents: tuple[str, ...]
    is_installed: bool = False


def install(
    row: InstallerRow, installer: Path, prefix: Path, extra: Mapping[str, str], is_cancelled: IsCancelled
) -> CondaInfo:
    """Run the installer and return the new conda's own words. What an earlier, killed start left is finished or taken
    back first.

    Raises WizardError bootstrap-failed, bootstrap-broken, and Cancelled: all of it has then been taken back;
    UsageError `bootstrap-taken`, WizardError `bootstrap-foreign`: nothing was changed.
    """
    earlier = begun_at(prefix)
    note = _Note(earlier) if earlier and earlier.is_installed else None
    if note is None:
        take_back(prefix)
        if is_taken(prefix, row):
            raise UsageError(BOOTSTRAP_TAKEN, path=str(prefix))
        note = _Note(_beginning(prefix))
        note.write()
    try:
        if not note.begun.is_installed:
            _run(row, installer, prefix, extra, note.looking(is_cancelled), is_cancelled)
            note.see(is_installed=True)
        info = _confirm(prefix / row.conda, prefix, extra, is_cancelled)
    except BaseException:
        note.see()
        take_back(prefix)
        raise
    note.forget()
    return info


def _confirm(executable: Path, prefix: Path, extra: Mapping[str, str], is_cancelled: IsCancelled) -> CondaInfo:
    try:
        return confirm(executable, extra, is_cancelled)
    except WizardError as error:
        raise WizardError(
            "bootstrap-broken",
            "Miniforge was installed into “{path}”, but its conda does not answer.",
            "See the details; an antivirus program may hold it back. What was installed has been removed.",
            details=error.details,
            path=str(prefix),
        ) from error


def _run(
    row: InstallerRow,
    installer: Path,
    prefix: Path,
    extra: Mapping[str, str],
    asked: IsCancelled,
    is_cancelled: IsCancelled,
) -> None:
    base = {name: value for name, value in os.environ.items() if not name.upper().startswith(_DROPPED_STARTS)}
    request = Request(row.argv(installer, prefix), environment=child_environment(extra, base), stop=_STOP)
    outcome = run(request, is_cancelled=asked)
    if outcome.cancelled or is_cancelled():
        raise Cancelled
    if not outcome.ok or not (prefix / row.conda).is_file():
        raise WizardError(
            "bootstrap-failed",
            "Miniforge's installer did not finish in “{path}”.",
            "See the details. What it left was removed; trying again is safe.",
            details=outcome.tail(),
            path=str(prefix),
        )


def unfinished() -> tuple[Begun, ...]:
    """Return what killed starts of ours began: to be finished or taken back."""
    found = (read_own_json(path, Begun) for path in sorted(_folder().glob("*.json")))
    return tuple(begun for begun in found if begun)


def begun_at(prefix: Path) -> Begun | None:
    return read_own_json(_note_path(prefix), Begun)


def take_back(prefix: Path) -> bool:
    """Remove what was begun there; False when nothing was. Raises WizardError `bootstrap-foreign`, `remove-failed`."""
    begun = begun_at(prefix)
    if begun is None:
        return False
    trash = prefix.with_name(f"{_TRASH}{prefix.name}")
    try:
        if os.path.lexists(prefix):
            _check_ours(begun)
            moving.rename(prefix, trash)
        if os.path.lexists(trash):
            erase(trash)
        if begun.existed:
            prefix.mkdir()
    except OSError as error:
        raise WizardError(REMOVE_FAILED, details=str(error), path=str(prefix)) from error
    for parent in begun.parents:
        with contextlib.suppress(OSError):  # no longer empty: somebody uses it
            Path(parent).rmdir()
    _Note(begun).forget()
    return True


def _check_ours(begun: Begun) -> None:
    """The very folder that was seen then, not in use since. Killed before it was seen: only an empty one is ours."""
    prefix = begun.prefix
    is_same = begun.identity is not None and _identity(prefix) == begun.identity and not _has_environments(prefix)
    is_bare = begun.identity is None and _identity(prefix) is not None and not any(prefix.iterdir())
    if not (is_same or is_bare):
        _Note(begun).forget()  # it is somebody else's: it is not asked about again
        raise WizardError(
            "bootstrap-foreign",
            "“{path}” holds what an interrupted installation did not put there, so it was left alone.",
            "Look into it and remove it yourself, or choose another folder.",
            path=str(prefix),
        )


def _has_environments(prefix: Path) -> bool:
    """Somebody has worked with it since."""
    try:
        return any((inside / "conda-meta").is_dir() for inside in (prefix / "envs").iterdir())
    except OSError:
        return False


def _folder() -> Path:
    return paths.home() / "bootstrap"


def _note_path(prefix: Path) -> Path:
    return _folder() / f"{hashlib.sha256(os.fsencode(prefix)).hexdigest()[:16]}.json"


def _identity(prefix: Path) -> tuple[int, int] | None:
    """None when no folder is there, or only a link to one."""
    try:
        found = os.lstat(prefix)
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None


def _beginning(prefix: Path) -> Begun:
    parents = tuple(str(place) for place in prefix.parents if not place.exists())
    return Begun(prefix, _identity(prefix), prefix.exists(), parents)


class _Note:
    """The lines in our own data that say what was begun."""

    def __init__(self, begun: Begun) -> None:
        self.begun = begun
        self._path = _note_path(begun.prefix)

    def write(self) -> None:
        begun = self.begun
        data = {
            "schema": 1,
            "prefix": str(begun.prefix),
            "identity": begun.identity,
            "existed": begun.existed,
            "parents": begun.parents,
            "is_installed": begun.is_installed,
        }
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            moving.write_whole(self._path, json.dumps(data).encode())
        except OSError as error:
            raise WizardError("state-not-writable", details=str(error), path=str(self._path.parent)) from error

    def see(self, is_installed: bool = False) -> None:
        """Note the new folder's identity once it is there, and that the installer is through."""
        begun = self.begun
        identity = begun.identity or _identity(begun.prefix)
        self.begun = replace(begun, identity=identity, is_installed=begun.is_installed or is_installed)
        if self.begun != begun:
            self.write()

    def looking(self, is_cancelled: IsCancelled) -> IsCancelled:
        def ask() -> bool:
            self.see()
            return is_cancelled()

        return ask

    def forget(self) -> None:
        moving.unlink(self._path, missing_ok=True)
