"""The snapshot of a repair: what is replaced is moved aside inside the prefix, and can be moved back.

A list of what will be moved is on the disk before the first move; a move is one rename. So it may be killed at any
line: going on moves what is left, going back brings back what was moved. Nothing is copied but files that are
edited in place, and nothing of the user's is deleted: what came since is moved out of the way as well.

Snapshots lie on each other (`states.py`), and one undoes its own run alone: only the topmost goes on or back.

One file: one list is written, followed forth, and followed back.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wizard.diagnose.repair.owned_files import claims, distributions_named
from wizard.environment.inspect.sizes import measure
from wizard.install.wheel import read_wheel
from wizard.model.distributions import read_distribution
from wizard.model.errors import ErrorText, WizardError
from wizard.system import moving
from wizard.system.links import long_path

ASIDE_FAILED = ErrorText(
    "aside-failed",
    "{path} could not be put aside.",
    "Close programs that use this environment and check that the folder is yours; nothing is lost.",
)
RESTORE_FAILED = ErrorText(
    "restore-failed",
    "{path} could not be brought back to its place.",
    "Close programs that use this environment and go on with the same command; nothing is lost.",
)
STATE_COVERED = ErrorText(
    "state-covered",
    "Another change of {path} lies on top of that of run {run}: run {newer}.",
    "Take that one back first [on the page {page.environments}.|with: torch-wizard envs restore {path} {newer}]",
)

FOLDER = ".torch-setup-aside"
_UNREADABLE = 1 << 60
REPAIR, SETUP, ADD, UPDATE = "repair", "setup", "add", "update"
_LIST, _BACK, _CLEARED, _KEPT, _STRAYS = "list.json", "going-back", "cleared", "kept", "strays"
MOVED, COPIED, NEW = "moved", "copied", "new"


@dataclass(frozen=True, slots=True)
class Item:
    """`path` is relative to the prefix. copied: edited in place afterwards; new: was not there, and may be a folder."""

    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class StateChange:
    """A distribution's versions. `was` None: it came; `now` None: it went."""

    name: str
    was: str | None
    now: str | None


@dataclass(frozen=True, slots=True)
class _List:
    """`names`: the distributions that come in. `spare`: files of nobody stay where they are. `how`: what did it;
    "", and no changes, in a list of an older version of this program. `number`: higher than those below it."""

    items: tuple[Item, ...] = ()
    names: tuple[str, ...] = ()
    spare: bool = False
    number: int = 0
    how: str = ""
    began: float = 0.0
    changes: tuple[StateChange, ...] = ()


class RepairSnapshot:
    """The snapshot of one run. `site`: where the environment's packages are."""

    def __init__(self, prefix: Path, site: Path, run: str) -> None:
        self.prefix, self.site = prefix, site
        self._root = long_path(prefix)
        self.folder = self._root / FOLDER / run

    @property
    def is_begun(self) -> bool:
        return (self.folder / _LIST).is_file()

    @property
    def is_going_back(self) -> bool:
        """Return whether a way back was begun and did not come to its end."""
        return self.is_begun and (self.folder / _BACK).exists()

    @property
    def names(self) -> tuple[str, ...]:
        """The distributions that the run puts in."""
        return self.read().names

    def check_on_top(self) -> None:
        """Refuse one that others lie on: it can neither go on nor go back. Raises WizardError `state-covered`."""
        runs = kept_runs(self.prefix)
        if self.folder.name in runs[1:]:
            raise WizardError(STATE_COVERED, path=str(self.prefix), run=self.folder.name, newer=runs[0])

    def put(
        self,
        names: Iterable[str],
        wheels: Iterable[Path],
        further: Iterable[Path],
        edits: Iterable[Path],
        spare: bool = False,
        how: str = REPAIR,
    ) -> int:
        """How many items went aside. `edits`: files that will be written. `spare`: files of nobody stay in their place,
        also in a folder of a package that goes. Raises WizardError `aside-failed`, `state-covered`."""
        self.check_on_top()
        if not self.is_begun:
            named, coming, more = tuple(names), tuple(wheels), tuple(further)
            try:
                items = tuple(self._items(named, coming, more, edits, spare))
                changes = tuple(self._changes(named, coming, more))
                number = 1 + max((_read_list(path).number for path in _kept_folders(self.prefix)), default=0)
                self._write_list(_List(items, named, spare, number, how, round(time.time(), 3), changes))
            except OSError as error:
                raise WizardError(ASIDE_FAILED, details=str(error), path=str(self.prefix)) from error
        items = self.read().items
        moving.unlink(self.folder / _BACK, missing_ok=True)
        moving.unlink(self.folder / _CLEARED, missing_ok=True)  # a way back that was cut off: now it goes on instead
        for item in items:
            try:
                self._put_one(item)
            except OSError as error:
                raise WizardError(ASIDE_FAILED, details=str(error), path=str(self.prefix / item.path)) from error
        return sum(item.kind == MOVED for item in items)

    def _items(
        self,
        names: Iterable[str],
        wheels: tuple[Path, ...],
        further: Iterable[Path],
        edits: Iterable[Path],
        spare: bool,
    ) -> list[Item]:
        from wizard.install.wheel_data import beside

        going = distributions_named(self.site, names)
        further = [path for path in further if os.path.lexists(long_path(path))]
        moved = claims(self.prefix, self.site, going, wheels, further, spare)
        inside = [os.path.relpath(path, self.prefix).replace(os.sep, "/") for path in edits]
        inside += beside(self.prefix, self.site, wheels, moved)
        edited = [Item(path, COPIED if os.path.lexists(self._root / path) else NEW) for path in dict.fromkeys(inside)]
        return [*(Item(path, MOVED) for path in moved), *edited]

    def _changes(self, names: Iterable[str], wheels: Iterable[Path], further: Iterable[Path]) -> Iterator[StateChange]:
        """The versions as they are and as they will be: for people, the way back does not need them."""
        coming = {wheel.name: wheel.version for wheel in map(read_wheel, wheels)}
        there = {each.name: each.version for each in distributions_named(self.site, names)}
        for name in names:
            yield StateChange(name, there.get(name), coming.get(name))
        for path in further:
            gone = read_distribution(path) if path.parent == self.site else None
            if gone and gone.name not in there:
                yield StateChange(gone.name, gone.version, None)

    def _write_list(self, listed: _List) -> None:
        self.folder.parent.mkdir(exist_ok=True)  # not its parents: an environment that is gone is not made again
        self.folder.mkdir(exist_ok=True)
        site = os.path.relpath(self.site, self.prefix).replace(os.sep, "/")
        data = {
            "schema": 1,
            "site": site,
            "names": listed.names,
            "spare": listed.spare,
            "items": [[item.path, item.kind] for item in listed.items],
            "number": listed.number,
            "how": listed.how,
            "began": listed.began,
            "changes": [[change.name, change.was, change.now] for change in listed.changes],
        }
        moving.write_whole(self.folder / _LIST, json.dumps(data).encode())

    def read(self) -> _List:
        """What its list says; an empty one for a list that cannot be read."""
        return _read_list(self.folder)

    def _put_one(self, item: Item) -> None:
        there, here = self.folder / _KEPT / item.path, self._root / item.path
        if item.kind == NEW or os.path.lexists(there):
            return
        there.parent.mkdir(parents=True, exist_ok=True)
        if item.kind == COPIED:
            fresh = there.with_name(f"{there.name}.new")
            shutil.copy2(here, fresh, follow_symlinks=False)
            moving.replace(fresh, there)
        elif os.path.lexists(here):
            moving.rename(here, there)

    # -- the way back

    def restore(self, wheels: Iterable[Path] = ()) -> bool:
        """Everything as it was before; False when nothing is kept. `wheels`: those that may have come in part.

        Raises WizardError `restore-failed`, `state-covered`.
        """
        from wizard.install.installer import SCRATCH_NAME

        if not self.is_begun:
            self.forget()
            return False
        self.check_on_top()
        listed = self.read()
        try:
            (self.folder / _BACK).touch()
            moving.remove_tree(self.prefix / SCRATCH_NAME)  # of an install that was cut off
            self._clear(listed, tuple(wheels))
            for item in listed.items:
                self._bring_back(item, listed.spare)
            self._return_strays()
            moving.unlink(self.folder / _LIST)  # first: without it, what is left here is only rubbish
        except OSError as error:
            raise WizardError(RESTORE_FAILED, details=str(error), path=str(error.filename or self.prefix)) from error
        self.forget()
        return True

    def _clear(self, listed: _List, wheels: tuple[Path, ...]) -> None:
        """Takes out what the repair put in. Once only: afterwards, what lies there is what was brought back."""
        from wizard.install.record import remove_partial

        if (self.folder / _CLEARED).exists():
            return
        for distribution in distributions_named(self.site, listed.names):
            if not self._is_untouched(distribution.info, listed.items):
                for path in claims(self.prefix, self.site, (distribution,), (), (), listed.spare):
                    self._discard(path)
        for wheel in wheels:
            if self._has_moved(listed.items):
                with contextlib.suppress(WizardError):
                    remove_partial(wheel, self.site)
        for item in listed.items:
            if item.kind == NEW:
                self._discard(item.path)
        (self.folder / _CLEARED).touch()

    def _is_untouched(self, info: Path, items: tuple[Item, ...]) -> bool:
        """The kill came before this one was moved: it is the old one that lies there."""
        path = os.path.relpath(info, self.prefix).replace(os.sep, "/")
        waiting = {item.path for item in items if item.kind == MOVED and not (self.folder / _KEPT / item.path).exists()}
        return path in waiting

    def _has_moved(self, items: tuple[Item, ...]) -> bool:
        """All of it, the copies too: only then has anything been installed."""
        return all(os.path.lexists(self.folder / _KEPT / item.path) for item in items if item.kind != NEW)

    def _discard(self, path: str, into: str = "discarded") -> None:
        here, there = self._root / path, self.folder / into / path
        if not os.path.lexists(here):
            return
        while os.path.lexists(there):
            there = there.with_name(f"{there.name}~")
        there.parent.mkdir(parents=True, exist_ok=True)
        moving.rename(here, there)

    def _bring_back(self, item: Item, spare: bool) -> None:
        there, here = self.folder / _KEPT / item.path, self._root / item.path
        if not os.path.lexists(there):
            return
        if item.kind == MOVED and os.path.lexists(here):
            self._discard(item.path, _STRAYS if spare else "discarded")
        here.parent.mkdir(parents=True, exist_ok=True)
        moving.replace(there, here)

    def _return_strays(self) -> None:
        """What somebody has put into a folder of the new package meanwhile, unless it is there already."""
        strays = self.folder / _STRAYS
        for folder, _, names in os.walk(strays):
            for name in names:
                path = Path(folder, name)
                here = self._root / path.relative_to(strays)
                if not name.endswith(".pyc") and not os.path.lexists(here):
                    here.parent.mkdir(parents=True, exist_ok=True)
                    moving.rename(path, here)

    def forget(self) -> None:
        """Deletes what is kept: there is no way back afterwards."""
        moving.unlink(self.folder / _LIST, missing_ok=True)
        moving.remove_tree(self.folder)
        with contextlib.suppress(OSError):
            self.folder.parent.rmdir()

    def bytes(self) -> int:
        """What the disk gets back when it goes: a file that the package store or another environment has too, by a
        hard link, is none of its own."""
        with contextlib.suppress(OSError):
            return measure(self.folder).freed
        return 0


def _read_list(folder: Path) -> _List:
    try:
        data = json.loads((folder / _LIST).read_text(encoding="utf-8"))
        return _List(
            items=tuple(Item(str(path), str(kind)) for path, kind in data["items"]),
            names=tuple(map(str, data["names"])),
            spare=bool(data.get("spare")),
            number=int(data.get("number", 0)),
            how=str(data.get("how", "")),
            began=float(data.get("began", 0.0)),
            changes=tuple(StateChange(*each) for each in data.get("changes", ())),
        )
    except (OSError, ValueError, LookupError, TypeError):
        return _List(number=_UNREADABLE)  # on top, where it is in the way: below, others would go back past it


def kept_in(prefix: Path, run: str) -> RepairSnapshot:
    """The snapshot of that run by its own list: the run's folder may be gone. Raises WizardError `restore-failed`."""
    try:
        data = json.loads((long_path(prefix) / FOLDER / run / _LIST).read_text(encoding="utf-8"))
        return RepairSnapshot(prefix, prefix / str(data["site"]), run)
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise WizardError(RESTORE_FAILED, details=repr(error), path=str(prefix / FOLDER / run)) from error


def kept_runs(prefix: Path) -> tuple[str, ...]:
    """The runs that can be taken back, the newest first: by the number of their states. A run's id would not do: it
    begins with the clock's time, and one that was taken back may go on later, on top of others."""
    folders = _kept_folders(prefix)
    if len(folders) > 1:
        folders.sort(key=lambda path: (_read_list(path).number, path.name), reverse=True)
    return tuple(path.name for path in folders)


def _kept_folders(prefix: Path) -> list[Path]:
    base = long_path(prefix) / FOLDER
    return [path for path in base.iterdir() if (path / _LIST).is_file()] if base.is_dir() else []


def sweep(prefix: Path) -> None:
    """Removes what a kill has left of snapshots that were deleted: without its list, a folder is only rubbish. Under
    the environment's lock."""
    base = long_path(prefix) / FOLDER
    for path in tuple(base.iterdir()) if base.is_dir() else ():
        if not (path / _LIST).is_file():
            moving.remove_tree(path)
    with contextlib.suppress(OSError):
        base.rmdir()
