"""Takes newer tables that were offered: fetched, checked as a whole, put beside the program's own, and given back.

They count from the next start. What names them is one file, written through the undo journal.
"""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urljoin

import msgspec
from filelock import FileLock, Timeout

from wizard import __version__
from wizard.app.update.offer import UPDATE_ALTERED, Offered, UpdateSource, fetched
from wizard.app.use.tables import check
from wizard.classroom.profile.signature import ENDING
from wizard.compatibility.data.load import load_matrix
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import Message, bytes_text, message
from wizard.model.table_update import (
    DOCUMENT,
    InUse,
    TableFile,
    hashes,
    in_use_file,
    table_names,
    tables_in_use,
    updates_dir,
)
from wizard.system import moving, paths
from wizard.system.moving import NO_ROOM
from wizard.toolconfig import edit as door
from wizard.transfer.address import host_of
from wizard.transfer.http import Client
from wizard.undo.journal import UndoJournal
from wizard.undo.model import Change, ChangeState


def missing_bytes(offered: Offered) -> int:
    """What is to be fetched: tables that are here already are not asked for."""
    here = set((hashes(paths.matrices_dir()) or {}).values())
    return sum(file.bytes for file in offered.document.tables.values() if file.sha256 not in here)


def told(offered: Offered, source: UpdateSource) -> Iterator[Message]:
    """Yield what there is, in sentences."""
    document, newest = offered.document, offered.document.newest
    if newest and offered.is_newer_program:
        yield message(
            "update.program",
            "There is a newer program: {version} (this one is {own}). Get it at {page}; nothing of it was fetched.",
            version=newest.version,
            own=__version__,
            page=newest.page,
        )
    if offered.state == "newer":
        yield message(
            "update.newer",
            "There are newer tables: number {number} of {date} (here: {own}), {size} to fetch.",
            number=document.version,
            date=document.date,
            own=tables_in_use().version or source.tables,
            size=bytes_text(missing_bytes(offered)),
        )
    elif offered.state == "program":
        yield message(
            "update.wants-program",
            "There are newer tables, number {number} of {date}, for program {program} or newer; this one is {own}.",
            number=document.version,
            date=document.date,
            program=document.program,
            own=__version__,
        )
    else:
        yield message("update.same", "The tables are the newest: number {number}.", number=document.version)


def take(client: Client, offered: Offered, tell: Callable[[str, int], None] = lambda name, size: None) -> None:
    """Fetch, check as a whole, put in place; they count from the next start. `tell`: each file that came.

    Raises SourceUnreachable, WizardError `update-altered`, `update-refused`, `update-busy`, `update-no-room`,
    `state-not-writable`.
    """
    updates = updates_dir()
    try:
        updates.mkdir(parents=True, exist_ok=True)
        with FileLock(updates / "lock", timeout=0):
            _taken(client, offered, tell)
    except Timeout as error:
        raise WizardError(
            "update-busy",
            "Another window or terminal of this program is taking an update right now.",
            "Wait until it is done.",
            details=str(error),
        ) from error
    except OSError as error:
        if error.errno in NO_ROOM:
            raise WizardError(
                "update-no-room",
                "The disk that holds {path} is full, so the newer tables could not be kept.",
                "Make room there, then try again; nothing was changed.",
                details=str(error),
                path=str(updates),
            ) from error
        raise WizardError("state-not-writable", details=str(error), path=str(updates)) from error


def _taken(client: Client, offered: Offered, tell: Callable[[str, int], None]) -> None:
    document, updates = offered.document, updates_dir()
    fresh, place = updates / ".fresh", updates / str(document.version)
    moving.remove_tree(fresh)  # of a run that was killed
    try:
        fresh.mkdir()
        for name in table_names(paths.matrices_dir()) - document.tables.keys():
            shutil.copyfile(paths.matrices_dir() / name, fresh / name)
        for name, data in _tables(client, offered, tell):
            (fresh / name).write_bytes(data)
        _check_loads(fresh)
        (fresh / DOCUMENT).write_bytes(offered.data)
        (fresh / (DOCUMENT + ENDING)).write_bytes(offered.signature)
        moving.remove_tree(place)
        moving.rename(fresh, place)
    finally:
        moving.remove_tree(fresh)
    in_use = InUse(document.version, document.date, __version__, dict(hashes(place) or {}))
    reason = message(
        "update.reason", "newer tables, number {number} of {date}", number=document.version, date=document.date
    )
    content = json.dumps(msgspec.to_builtins(in_use), indent=1).encode()
    if in_use_file().is_file() and in_use_file().read_bytes() == content:
        return  # it was damaged, and has come anew
    UndoJournal().write(in_use_file(), content, reason=reason)


def _tables(client: Client, offered: Offered, tell: Callable[[str, int], None]) -> Iterator[tuple[str, bytes]]:
    for name, file in offered.document.tables.items():
        here = paths.matrices_dir() / name
        data = here.read_bytes()
        if not _is(data, file):
            address = urljoin(offered.address, f"{offered.document.version}/{name}")
            data = fetched(client, address, file.bytes, exactly=file.bytes)
            if not _is(data, file):
                raise WizardError(UPDATE_ALTERED, host=host_of(address), file=name)
            tell(name, len(data))
        yield name, data


def _is(data: bytes, file: TableFile) -> bool:
    return len(data) == file.bytes and hashlib.sha256(data).hexdigest() == file.sha256


def _check_loads(folder: Path) -> None:
    """Raises WizardError `update-refused`."""
    try:
        problems = check(folder)
        if not problems:
            load_matrix(folder)
    except (WizardError, ValueError, OSError, csv.Error, RecursionError) as error:
        problems = (str(error),)
    if problems:
        raise WizardError(
            "update-refused",
            "The newer tables are signed, but this program cannot work with them: {first}.",
            "Nothing was changed. Get a newer program where you got this one, or wait for the next update.",
            details="\n".join(problems),
            first=problems[0],
        )


def take_back() -> Change:
    """Give back the tables from before the last update. Raises UsageError `update-none`."""
    for change in UndoJournal().changes():
        if change.state is ChangeState.WRITTEN and any(Path(file.path) == in_use_file() for file in change.files):
            return door.undo(change.id).change
    raise UsageError(
        "update-none",
        "No tables of an update are in use that could be taken back.",
        "[{page.undo}|`torch-wizard undo list`] shows what was changed on this computer.",
    )
