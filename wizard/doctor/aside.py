"""The snapshot of a repair: what is replaced is moved aside inside the prefix, and can be moved back.

A list of what will be moved is on the disk before the first move; a move is one rename. So it may be killed at any
line: going on moves what is left, going back brings back what was moved. Nothing is copied but files that are
edited in place, and nothing of the user's is deleted: what came since is moved out of the way as well.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wizard.doctor.claims import claims, distributions_named
from wizard.errors import WizardError
from wizard.packages.record import remove_partial

FOLDER = ".torch-setup-aside"
_LIST, _CLEARED, _KEPT = "list.json", "cleared", "kept"
MOVED, COPIED, NEW = "moved", "copied", "new"


@dataclass(frozen=True, slots=True)
class Item:
    """`path` is relative to the prefix. copied: edited in place afterwards; new: was not there."""

    path: str
    kind: str


class Aside:
    """The snapshot of one run. `site`: where the environment's packages are."""

    def __init__(self, prefix: Path, site: Path, run: str) -> None:
        self.prefix, self.site = prefix, site
        self.folder = prefix / FOLDER / run

    @property
    def is_begun(self) -> bool:
        return (self.folder / _LIST).is_file()

    def put(self, names: Iterable[str], wheels: Iterable[Path], further: Iterable[Path], edits: Iterable[Path]) -> int:
        """How many items went aside. `edits`: files that will be written. Raises WizardError `aside-failed`."""
        if not self.is_begun:
            self._write_list(self._items(names, tuple(wheels), further, edits))
        items = self._read_list()
        for item in items:
            try:
                self._put_one(item)
            except OSError as error:
                raise WizardError("aside-failed", details=str(error), path=str(self.prefix / item.path)) from error
        return sum(item.kind == MOVED for item in items)

    def _items(
        self, names: Iterable[str], wheels: tuple[Path, ...], further: Iterable[Path], edits: Iterable[Path]
    ) -> list[Item]:
        going = distributions_named(self.site, names)
        moved = claims(self.prefix, self.site, going, wheels, [path for path in further if os.path.lexists(path)])
        inside = [os.path.relpath(path, self.prefix).replace(os.sep, "/") for path in edits]
        edited = [Item(path, COPIED if (self.prefix / path).is_file() else NEW) for path in inside]
        return [*(Item(path, MOVED) for path in moved), *edited]

    def _write_list(self, items: list[Item]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        fresh = self.folder / f"{_LIST}.new"
        with fresh.open("w", encoding="utf-8") as file:
            json.dump({"schema": 1, "items": [[item.path, item.kind] for item in items]}, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.folder / _LIST)

    def _read_list(self) -> list[Item]:
        try:
            data = json.loads((self.folder / _LIST).read_text(encoding="utf-8"))
            return [Item(str(path), str(kind)) for path, kind in data["items"]]
        except (OSError, ValueError, LookupError, TypeError):
            return []

    def _put_one(self, item: Item) -> None:
        there, here = self.folder / _KEPT / item.path, self.prefix / item.path
        if item.kind == NEW or os.path.lexists(there):
            return
        there.parent.mkdir(parents=True, exist_ok=True)
        if item.kind == COPIED:
            fresh = there.with_name(f"{there.name}.new")
            shutil.copy2(here, fresh)
            fresh.replace(there)
        elif os.path.lexists(here):
            here.rename(there)

    # -- the way back

    def restore(self, wheels: Iterable[Path] = (), names: Iterable[str] = ()) -> bool:
        """Everything as it was before; False when nothing is kept. Raises WizardError `restore-failed`."""
        if not self.is_begun:
            shutil.rmtree(self.folder, ignore_errors=True)
            return False
        items = self._read_list()
        try:
            self._clear(items, tuple(wheels), names)
            for item in items:
                self._bring_back(item)
            (self.folder / _LIST).unlink()  # first: without it, what is left here is only rubbish
        except OSError as error:
            raise WizardError("restore-failed", details=str(error), path=str(error.filename or self.prefix)) from error
        self.forget()
        return True

    def _clear(self, items: list[Item], wheels: tuple[Path, ...], names: Iterable[str]) -> None:
        """Takes out what the repair put in. Once only: afterwards, what lies there is what was brought back."""
        if (self.folder / _CLEARED).exists():
            return
        for distribution in distributions_named(self.site, names):
            if not self._is_untouched(distribution.info, items):
                for path in claims(self.prefix, self.site, (distribution,), (), ()):
                    self._discard(path)
        for wheel in wheels:
            if self._has_moved(items):
                with contextlib.suppress(WizardError):
                    remove_partial(wheel, self.site)
        for item in items:
            if item.kind == NEW:
                (self.prefix / item.path).unlink(missing_ok=True)
        (self.folder / _CLEARED).touch()

    def _is_untouched(self, info: Path, items: list[Item]) -> bool:
        """The kill came before this one was moved: it is the old one that lies there."""
        path = os.path.relpath(info, self.prefix).replace(os.sep, "/")
        waiting = {item.path for item in items if item.kind == MOVED and not (self.folder / _KEPT / item.path).exists()}
        return path in waiting

    def _has_moved(self, items: list[Item]) -> bool:
        """All of it: only then has anything been installed."""
        return all(os.path.lexists(self.folder / _KEPT / item.path) for item in items if item.kind == MOVED)

    def _discard(self, path: str) -> None:
        here, there = self.prefix / path, self.folder / "discarded" / path
        if not os.path.lexists(here):
            return
        while os.path.lexists(there):
            there = there.with_name(f"{there.name}~")
        there.parent.mkdir(parents=True, exist_ok=True)
        here.rename(there)

    def _bring_back(self, item: Item) -> None:
        there, here = self.folder / _KEPT / item.path, self.prefix / item.path
        if not os.path.lexists(there):
            return
        if item.kind == MOVED and os.path.lexists(here):
            self._discard(item.path)
        here.parent.mkdir(parents=True, exist_ok=True)
        there.replace(here)

    def forget(self) -> None:
        """Deletes what is kept: there is no way back afterwards."""
        (self.folder / _LIST).unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            self.folder.parent.rmdir()

    def bytes(self) -> int:
        total = 0
        for folder, _, files in os.walk(self.folder):
            for name in files:
                with contextlib.suppress(OSError):
                    total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118
        return total


def kept_runs(prefix: Path) -> tuple[str, ...]:
    """The repairs that can be taken back, the newest first (a run's id begins with its time)."""
    base = prefix / FOLDER
    names = [path.name for path in base.iterdir() if (path / _LIST).is_file()] if base.is_dir() else []
    return tuple(sorted(names, reverse=True))
