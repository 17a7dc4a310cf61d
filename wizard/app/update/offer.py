"""Asks what newer tables and which newer program there are, when a person asks; believes a signature and nobody else.

One document (`model/table_update.py`) with a number that only rises, a last day, and the length and SHA-256 of each
table, signed in minisign's form by a key that travels with the program. After TUF's ideas, in the smallest form:
whoever serves it can hold it back until that day, and nothing else. A newer program is only named, never fetched.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Literal

import msgspec
from packaging.version import Version

from wizard import __version__
from wizard.app.use.network import with_network
from wizard.classroom.profile import signature as minisign
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.model.table_update import UpdateDocument, decide, parse_document, table_names, updates_dir
from wizard.model.tables import Count, Https, Row, TableError, Words, parse_table
from wizard.model.typed import read_own_json
from wizard.system import moving, paths
from wizard.toolconfig.settings import read_user_settings
from wizard.transfer.address import host_of
from wizard.transfer.http import Client, HttpPage, explain_status
from wizard.transfer.proxy.model import Network

VARIABLE = "TORCH_WIZARD_UPDATES"  # "off"; or another file of the form of resources/updates/source.toml
_OFF = "off"
_MOST_DOCUMENT_BYTES = 64 * 1024
_MOST_BYTES = 32 * 1024 * 1024  # of all tables
_CLOCK = timedelta(days=2)  # by which clocks and time zones may differ
_HEADERS = {"Accept": "*/*", "Accept-Encoding": "identity"}
UPDATE_ALTERED = ErrorText(
    "update-altered",
    "What {host} sends as {file} is not what was signed: it was altered, or cut short.",
    "Nothing was changed. Try again later or in another network; if it stays so, tell the people who run that place.",
)


class UpdateSource(Row, frozen=True, kw_only=True):
    """`tables`: the number of the tables that travel with this copy."""

    tables: Count
    addresses: tuple[Https, ...]
    keys: tuple[Words, ...]


class Seen(msgspec.Struct, frozen=True):
    """The highest number that a key of ours has signed, so that no older one is believed, even after `--undo`."""

    key: str
    version: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Offered:
    """`state`: the tables are `newer`, `same` as those in use, or want another `program`. `newest`: of the program."""

    document: UpdateDocument
    data: bytes
    signature: bytes
    address: str
    state: Literal["newer", "same", "program"]

    @property
    def is_newer_program(self) -> bool:
        newest = self.document.newest
        return newest is not None and Version(newest.version) > Version(__version__)


def update_source() -> UpdateSource:
    """Raises UsageError `updates-off`, `updates-no-source`, `updates-not-offered`, `updates-other-tables`,
    `updates-source-bad`."""
    named = os.environ.get(VARIABLE, "").strip()
    if named.lower() == _OFF:
        raise UsageError(
            "updates-off",
            "Updates are switched off on this computer ({name}).",
            "Ask whoever looks after it; nobody was asked and nothing was changed.",
            name=f"{VARIABLE}={_OFF}",
        )
    if os.environ.get(paths.MATRICES_VARIABLE):
        raise UsageError(
            "updates-other-tables",
            "This program reads its tables from a folder that {name} names, so an update of its own would not count.",
            "Take that variable away first.",
            name=paths.MATRICES_VARIABLE,
        )
    path = Path(named).expanduser() if named else paths.resources_dir() / "updates" / "source.toml"
    if named and not path.is_file():
        raise UsageError(
            "updates-no-source",
            "{name} is neither “off” nor a file that says where updates are offered.",
            "Write off, or the path of such a file; nobody was asked and nothing was changed.",
            name=f"{VARIABLE}={named}",
        )
    try:
        source = parse_source(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, TableError) as error:
        raise UsageError(
            "updates-source-bad",
            "{path} does not say where updates are offered: {problem}.",
            "Correct the file, or install the program again.",
            path=str(path),
            problem=str(error).partition(";")[0],
        ) from error
    if not (source.addresses and source.keys):
        raise UsageError(
            "updates-not-offered",
            "This copy of the program offers no updates: it names no place for them, or no key that signs them.",
            "Get a newer program where you got this one; [{page.versions}|`torch-wizard matrices refresh`] learns "
            "new releases of torch.",
        )
    return source


def update_client(network: Network) -> Client:
    """Return a client that goes the way of this network wish."""
    known = with_network(read_user_settings(os.environ, Path.home(), paths.os_name()), network)
    return Client(known.certificate, known.proxy, environment=known.environment)


def parse_source(document: str) -> UpdateSource:
    """Raises TableError."""
    source = parse_table("source", document, UpdateSource)
    try:
        for key in source.keys:
            minisign.parse_public(key)
    except UsageError as error:
        raise TableError([f"source.keys: {error}"]) from error
    return source


def ask(client: Client, source: UpdateSource, today: date | None = None) -> Offered:
    """What the first place offers that answers soundly. Raises WizardError of the first: `source-…`, `update-…`."""
    trouble: WizardError | None = None
    for address in source.addresses:
        try:
            return _asked(client, source, address, today or datetime.now(timezone.utc).date())
        except WizardError as error:
            trouble = trouble or error
    assert trouble is not None, "a source without an address"
    raise trouble


def _asked(client: Client, source: UpdateSource, address: str, today: date) -> Offered:
    data = fetched(client, address, _MOST_DOCUMENT_BYTES)
    signature = fetched(client, address + minisign.ENDING, minisign.LARGEST_BYTES)
    key = _signed_by(data, signature, source, host_of(address))
    document = _understood(data, host_of(address))
    _check_days(document, today, host_of(address))
    _check_number(document, data, key, source, host_of(address))
    if Version(document.program) > Version(__version__):
        return Offered(document, data, signature, address, "program")
    in_use = decide(paths.matrices_dir(), updates_dir()).version or source.tables
    return Offered(document, data, signature, address, "newer" if document.version > in_use else "same")


def fetched(client: Client, address: str, most: int, exactly: int | None = None) -> bytes:
    """Raises SourceUnreachable, WizardError `update-too-large`, `update-altered`."""
    host = host_of(address)
    page: HttpPage = client.get(address, host, _HEADERS, most_bytes=most + 1)
    if page.status != 200:
        raise explain_status(page.status, host, address, page.headers.get("retry-after", ""))
    if exactly is not None and len(page.body) != exactly:
        raise WizardError(UPDATE_ALTERED, details=f"{len(page.body)} bytes", host=host, file=address.rpartition("/")[2])
    if len(page.body) > most:
        raise WizardError(
            "update-too-large",
            "What {host} sends is larger than anything that belongs to an update, or does not end: it was left.",
            "Nothing was changed. Sign in to the network if it asks for that, then try again.",
            host=host,
        )
    return page.body


def _signed_by(data: bytes, signature: bytes, source: UpdateSource, host: str) -> str:
    """The key, as text. A page of a hotel's network has no signature either."""
    for key in source.keys:
        with contextlib.suppress(UsageError):
            return minisign.verify(data, signature, minisign.parse_public(key)).text
    raise WizardError(
        "update-forged",
        "What {host} sends is not signed by a key that this program knows, or it was altered on its way.",
        "Nothing was changed. Sign in to the network if it asks for that, then try again; if it stays so, somebody may "
        "be forging it.",
        host=host,
    )


def _understood(data: bytes, host: str) -> UpdateDocument:
    try:
        document = parse_document(data)
        if sum(file.bytes for file in document.tables.values()) > _MOST_BYTES:
            raise ValueError("the tables are too large")
        if strays := document.tables.keys() - table_names(paths.matrices_dir()):
            raise ValueError(f"no table of this program: {', '.join(sorted(strays))}")
        date.fromisoformat(document.date), date.fromisoformat(document.expires)
    except (ValueError, RecursionError) as error:
        raise WizardError(
            "update-unreadable",
            "The newer tables at {host} are of a form that this program does not know.",
            "Get a newer program where you got this one; nothing was changed.",
            details=str(error),
            host=host,
        ) from error
    return document


def _check_days(document: UpdateDocument, today: date, host: str) -> None:
    if date.fromisoformat(document.expires) < today:
        raise WizardError(
            "update-expired",
            "What {host} says about updates counted until {expires}, and today is {today} by this computer's clock: "
            "it is old, or somebody holds back what is newer.",
            "Look whether the date of this computer is right, then try again later or in another network; nothing was "
            "changed.",
            host=host,
            expires=document.expires,
            today=today.isoformat(),
        )
    if date.fromisoformat(document.date) > today + _CLOCK:
        raise WizardError(
            "update-clock",
            "What {host} says about updates is of {date}, and today is {today} by this computer's clock.",
            "Set the date of this computer right, then try again; nothing was changed.",
            host=host,
            date=document.date,
            today=today.isoformat(),
        )


def _check_number(document: UpdateDocument, data: bytes, key: str, source: UpdateSource, host: str) -> None:
    """Remembers what it lets pass."""
    digest = hashlib.sha256(data).hexdigest()
    seen = _seen(source)
    known = max(source.tables, seen.version if seen else 0)
    if document.version < known:
        raise WizardError(
            "update-older",
            "{host} offers tables number {offered}, and number {known} is known here already: an old copy, or somebody "
            "wants this computer to go back.",
            "Nothing was changed. Try again later or in another network.",
            host=host,
            offered=document.version,
            known=known,
        )
    if seen and document.version == seen.version and digest != seen.sha256:
        raise WizardError(
            "update-two",
            "{host} offers other tables under number {offered} than were offered before under the same number.",
            "Nothing was changed. Tell the people who make this program: one number stands for one update.",
            host=host,
            offered=document.version,
        )
    with contextlib.suppress(OSError):  # taking them writes beside it, and says why it cannot
        updates_dir().mkdir(parents=True, exist_ok=True)
        write_json(updates_dir() / "seen.json", Seen(key, document.version, digest))


def _seen(source: UpdateSource) -> Seen | None:
    """Of a key that still counts: a new key begins anew, as it must after somebody stole the old one."""
    seen = read_own_json(updates_dir() / "seen.json", Seen)
    return seen if seen and seen.key in [minisign.parse_public(key).text for key in source.keys] else None


def write_json(path: Path, value: object) -> None:
    moving.write_whole(path, json.dumps(msgspec.to_builtins(value), indent=1).encode())
