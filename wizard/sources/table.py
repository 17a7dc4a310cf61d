"""Reads the sources that we know of, as rows: `matrices/mirrors.toml`, and a lab's own in `mirrors.toml` of our home.

A row says what was seen and when; it promises nothing. Whether a source carries a wheel today is for the probe to find
out. The official package index is a row without an address. A lab's row takes the place of the shipped
one of its kind and id; `only_these = true` leaves the other shipped mirrors out.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from msgspec.structs import replace

from wizard.model.errors import ErrorText, UsageError
from wizard.model.messages import Message, in_each
from wizard.model.tables import DATE, Row, TableError, Words, parse_table, shipped_table
from wizard.process import redact
from wizard.system import paths
from wizard.transfer.address import address_problem, host_of

BAD_MIRRORS_FILE = ErrorText(
    "bad-mirrors-file",
    "The file {path} with this lab's own mirrors cannot be used: {problem}.",
    "Correct or delete it; each [[mirror]] needs kind, id, layout and an https:// url.",
)

_VARIANT = "{variant}"
FORGE = "conda-forge"  # the channel, and the kind of its rows
_OWN_KINDS = ("pypi", "pytorch-wheels", FORGE, "miniforge-installers")  # those that are ever asked
_HASHED = "sha256:"
_HOST = re.compile(rf"{_HASHED}[0-9a-f]{{64}}|[a-z0-9-]+(\.[a-z0-9-]+)+")
_OF_WHEELS = frozenset({"pypi", "pytorch-wheels", "nvidia-wheels"})
_OF_CHANNELS = frozenset({FORGE, "conda-defaults", "pytorch-conda-channel", "nvidia-conda-channel"})
OWN = "own"  # the status of a lab's own row
_CHANNEL, _PAGES, _FOLDER = ("channel",), ("simple", "flat"), ("files",)
_LAYOUTS = {
    "pypi": _PAGES,
    "pytorch-wheels": _PAGES,
    "nvidia-wheels": _PAGES,
    FORGE: _CHANNEL,
    "conda-defaults": _CHANNEL,
    "pytorch-conda-channel": _CHANNEL,
    "nvidia-conda-channel": _CHANNEL,
    "miniforge-installers": _FOLDER,
}


class MirrorRow(Row, frozen=True, kw_only=True):
    """A source as a table names it. `url` may hold `{variant}`. `layout`: "simple", "flat", "channel" or "files" (a
    folder to browse)."""

    KEYS = (("kind", "id"), ("kind", "url"))

    kind: str
    id: Words
    layout: str
    url: str | None = None
    name: str = ""  # a lab's own word for the operator
    operator_en: str = ""
    operator_zh: str = ""
    status: str = OWN
    as_of: str = ""
    source: str = ""
    forbidden_means_missing: bool = False
    completeness: str = ""
    evidence: str = ""
    note: str = ""
    hosts: tuple[str, ...] = ()  # further ones that its pages link to; "sha256:…" for a name that is not written here

    def __post_init__(self) -> None:
        """Raises ValueError."""
        if self.kind not in _LAYOUTS:
            raise ValueError(f"kind: must be one of {', '.join(_LAYOUTS)}")
        if self.layout not in _LAYOUTS[self.kind]:
            raise ValueError(f"layout: must be one of {', '.join(_LAYOUTS[self.kind])}")
        if self.url is not None and address_problem(self.url.replace(_VARIANT, "")):
            raise ValueError(f"url: not an https address: {redact(self.url)}")

    @property
    def operator(self) -> Message:
        named = self.name or self.id
        return in_each(en=self.operator_en or named, zh_CN=self.operator_zh or named)

    def address(self, variant: str = "") -> str:
        """Return the address of one variant. Raises ValueError for the row that has none."""
        if self.url is None:
            raise ValueError(f"{self.kind}/{self.id} has no address")
        return self.url.replace(_VARIANT, variant)


class ShippedRow(MirrorRow, frozen=True, kw_only=True):
    """`url` may only be left out for pip's and uv's own default."""

    operator_en: Words
    operator_zh: Words
    status: Words
    as_of: str
    source: Words

    def __post_init__(self) -> None:
        super().__post_init__()
        if not re.fullmatch(DATE, self.as_of):
            raise ValueError(f"as_of: must be a day or a month: {self.as_of}")
        if bad := [host for host in self.hosts if not _HOST.fullmatch(host)]:
            raise ValueError(f"hosts: no name of a host, and no SHA-256 of one: {bad[0]}")
        if self.name:
            raise ValueError("name: operator_en and operator_zh say it")
        if self.status != "alive":
            raise ValueError("status: only what is alive is kept")
        if self.url is None and (self.kind, self.id) != ("pypi", "official"):
            raise ValueError("url: must be given")
        if self.url is not None and not self.url.startswith("https://"):
            raise ValueError(f"url: not an https address: {self.url}")


class OwnRow(MirrorRow, frozen=True, kw_only=True):
    """A lab's row: of a kind that is ever asked, with an address."""

    url: str

    def __post_init__(self) -> None:
        if self.kind not in _OWN_KINDS:
            raise ValueError(f"kind: must be one of {', '.join(_OWN_KINDS)}")
        super().__post_init__()


class MirrorTable(Row, frozen=True):
    mirror: tuple[ShippedRow, ...]

    def __post_init__(self) -> None:
        official = {row.kind for row in self.mirror if row.id == "official"}
        if missing := [kind for kind in _OWN_KINDS if kind not in official]:
            raise ValueError(f"mirror: no official {missing[0]}")


class OwnTable(Row, frozen=True):
    mirror: tuple[OwnRow, ...] = ()
    only_these: bool = False


def parse_mirrors(document: str) -> tuple[MirrorRow, ...]:
    """Read the text of a shipped table. Raises TableError."""
    return parse_table("mirrors", document, MirrorTable).mirror


@lru_cache(maxsize=1)
def _shipped() -> tuple[MirrorRow, ...]:
    return shipped_table("mirrors", MirrorTable).mirror


def own_file() -> Path:
    """Return where a lab's own table lies, be it there or not."""
    return paths.home() / "mirrors.toml"


def mirror_rows() -> tuple[MirrorRow, ...]:
    """Return all rows, a lab's own too. Raises UsageError `bad-mirrors-file` for its file that cannot be used."""
    path = own_file()
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return _shipped()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(BAD_MIRRORS_FILE, path=str(path), problem=str(error)) from error
    try:
        return with_own(_shipped(), text, str(path))
    except TableError as error:
        raise UsageError(BAD_MIRRORS_FILE, path=str(path), problem=str(error)) from error


def with_own(shipped: tuple[MirrorRow, ...], document: str, path: str) -> tuple[MirrorRow, ...]:
    """Return the shipped rows and a lab's own in `document`. Raises TableError for a row that cannot be used."""
    table = parse_table("mirrors", document, OwnTable)
    own = tuple(replace(row, source=row.source or path) for row in table.mirror)
    replaced = {(row.kind, row.id) for row in own}
    kept = [row for row in shipped if row.id == "official"] if table.only_these else list(shipped)
    return (*(row for row in kept if (row.kind, row.id) not in replaced), *own)


def official(kind: str) -> MirrorRow:
    """Return the official row of a kind. Raises LookupError for a kind that has none."""
    found = next((row for row in mirror_rows() if row.kind == kind and row.id == "official"), None)
    if found is None:
        raise LookupError(kind)
    return found


@dataclass(frozen=True, slots=True)
class ListedPlaces:
    """The official places and the mirrors of the tables, for asking whether an address lies at one of them.

    Wheels by their host. What a conda channel has must lie below that very channel: on the same host anybody may have
    one.
    """

    hosts: frozenset[str]
    channels: tuple[str, ...]

    def has_wheels(self, url: str) -> bool:
        """Return whether the address lies at a host of wheels."""
        host = host_of(url)
        return host in self.hosts or f"{_HASHED}{hashlib.sha256(host.encode()).hexdigest()}" in self.hosts

    def has_channel(self, url: str) -> bool:
        """Return whether the address lies below one of the channels."""
        path = f"{unquote(urlsplit(url).path)}/"
        return "/../" not in path and any(
            host_of(url) == host_of(channel) and path.startswith(f"{urlsplit(channel).path.rstrip('/')}/")
            for channel in self.channels
        )


def listed_places() -> ListedPlaces:
    """Return the official places and all mirrors, a lab's own too. Raises UsageError `bad-mirrors-file`."""
    return _places(mirror_rows())


def official_places() -> ListedPlaces:
    """Return the shipped official ones alone, whatever a lab's own file puts in their place."""
    return _places(tuple(row for row in _shipped() if row.id == "official"))


def _places(rows: tuple[MirrorRow, ...]) -> ListedPlaces:
    wheels = [row for row in rows if row.kind in _OF_WHEELS]
    named = (host for row in wheels for host in row.hosts)
    return ListedPlaces(
        hosts=frozenset((*named, *(host_of(row.url) for row in wheels if row.url))),
        channels=tuple(row.url for row in rows if row.kind in _OF_CHANNELS and row.url),
    )


def forbidden_means_missing(url: str) -> bool:
    """Return whether this host answers 403 for what it does not have (the official torch index does)."""
    starts = (row.url.partition(_VARIANT)[0] for row in mirror_rows() if row.url and row.forbidden_means_missing)
    return any(url.startswith(start) for start in starts)
