"""The values of this room: where packages can come from, what a probe showed of it, and what is true of it today.

A *source* is an index, a channel or a folder. `torch` sources carry one variant's wheels (or a PyPI mirror's default
build); `packages` sources carry everything else; `conda` sources are channels.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from packaging.tags import Tag
from packaging.version import Version

from wizard.model.messages import Message, Words
from wizard.sources.table import MirrorRow

if TYPE_CHECKING:
    from wizard.transfer.http import SourceUnreachable


class Layout(str, enum.Enum):
    SIMPLE = "simple"  # PEP 503 / 691: <url>/<project>/
    FLAT = "flat"  # one page (or folder) that lists files
    CHANNEL = "channel"  # conda


class Origin(str, enum.Enum):
    OFFICIAL = "official"
    MIRROR = "mirror"
    USER_SETTINGS = "user-settings"  # the user's own pip or uv settings
    BY_HAND = "by-hand"  # typed on the command line or in the window


class SourceKind(str, enum.Enum):
    TORCH = "torch"
    PACKAGES = "packages"
    CONDA = "conda"
    MINIFORGE = "miniforge"


@dataclass(frozen=True, slots=True)
class Source:
    """A place to ask: what it is, where it lies, and the row of the table that it is from.

    `url` is None for the official package index: it is pip's and uv's own default, chosen by leaving it out. `variant`
    is set when everything in it is one CUDA tag (the official torch index has one per tag). `row` is None where no
    table names it: the person's own settings, and by hand.
    """

    id: str
    layout: Layout
    origin: Origin
    url: str | None  # https://…, http://127.0.0.1…, file:///…
    name: Words = field(default="", hash=False)  # for people: operator or "your pip settings (extra-index-url)"
    variant: str | None = None
    row: MirrorRow | None = field(default=None, compare=False, repr=False)

    @property
    def mirror(self) -> str:
        """Return the id that `--mirror` takes."""
        return self.row.id if self.row else self.id

    @property
    def label(self) -> Words:
        return self.name or self.id


@dataclass(frozen=True, slots=True)
class Offer:
    """A wheel that a source lists. `url` is absolute. `size` is None where the page does not say."""

    source: Source
    project: str
    version: Version  # with the local part: 2.13.0+cpu
    filename: str
    url: str
    sha256: str | None
    size: int | None
    tags: frozenset[Tag]
    requires_python: str | None = None
    yanked: bool = False
    metadata: str | None = None  # None: no core metadata beside the file; else its SHA-256, "" when not there
    uploaded: str | None = None  # "2026-09-15T10:00:00Z", where the page tells


@dataclass(frozen=True, slots=True)
class UserSettings:
    """What the user's own pip, uv and conda settings say about sources. Addresses may hold credentials: print them
    redacted. `conda_channels`: for the built-in engine; `conda_only`: no channel but these may be asked."""

    index_url: str | None = None
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    conda_channels: tuple[str, ...] = ()
    conda_only: bool = False
    no_index: bool = False
    certificate: str | None = None
    proxy: str | None = None
    environment: Mapping[str, str] | None = field(
        default=None, repr=False
    )  # the way to the network, see wizard.transfer.proxy
    files: tuple[str, ...] = ()  # where these were read
    of_project: Mapping[str, str] = field(default_factory=dict)  # an address that a project names -> its file and line
    notices: tuple[Message, ...] = ()


class Availability(str, enum.Enum):
    """What is true of a source for the wanted thing."""

    COMPLETE = "complete"
    MISSING = "missing"  # not this build
    STALE = "stale"
    ELSEWHERE = "elsewhere"  # sends to another host
    REFUSED = "refused"
    BUSY = "busy"  # 429
    PORTAL = "portal"  # a sign-in page of the network
    TLS = "tls"
    SILENT = "silent"
    WRONG = "wrong"  # size or hash
    BROKEN = "broken"  # an error, or what cannot be understood
    UNREACHABLE = "unreachable"  # its list could not be read; not probed
    UNPROVEN = "unproven"  # has a wheel that must not be taken from it
    UNCHECKED = "unchecked"


ANSWERED = frozenset({Availability.COMPLETE, Availability.ELSEWHERE, Availability.MISSING, Availability.STALE})
USABLE = frozenset({Availability.COMPLETE, Availability.ELSEWHERE})
_VERDICTS = {
    Availability.COMPLETE: "carries",
    Availability.ELSEWHERE: "carries",
    Availability.MISSING: "missing",
    Availability.STALE: "missing",
    Availability.UNPROVEN: "refused",
    Availability.UNCHECKED: "unchecked",
}


@dataclass(frozen=True, slots=True)
class ListedRelease:
    version: Version
    uploaded: str | None = None


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What one source showed, by itself. `problem`: what ended the probe, if anything did; `link` as listed, `final`
    after redirects. `dated`: when a channel's index was made, in seconds since 1970."""

    source: Source
    seconds: float
    problem: tuple[Availability, Message] | None = None
    failure: SourceUnreachable | None = None
    releases: tuple[ListedRelease, ...] = ()
    file: str | None = None
    link: str | None = None
    final: str | None = None
    sha256: str | None = None
    listed_size: int | None = None
    size: int | None = None
    dated: float | None = None


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """What is true of one source, held against the others; the same value from the probe to the window.

    `seconds` until it answered; `rate` in bytes a second, measured at `asked` (seconds since 1970, 0: not probed).
    `kind` of thing ("torch", "packages", "conda", "miniforge"), "" where builds were looked for without a probe.
    `stage`: answered (by itself), judged (held against the others), measuring, measured, before (not asked anew yet).
    `uses`: what it is used for in this setup, of "torch", "packages", "python".
    """

    source: Source
    availability: Availability
    message: Message
    seconds: float | None = None
    asked: float = 0.0
    kind: str = ""
    final_host: str | None = None
    file: str | None = None
    sha256: str | None = None
    size: int | None = None
    newest: str | None = None
    rate: float | None = None
    stage: str = "measured"
    uses: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Return carries, missing, refused, unchecked or unreachable."""
        return _VERDICTS.get(self.availability, "unreachable")

    @property
    def is_usable(self) -> bool:
        """Return whether the wanted thing comes from it, be it by another host."""
        return self.availability in USABLE

    @property
    def is_complete(self) -> bool:
        """Return whether it has the wanted thing itself, as the official place has it."""
        return self.availability is Availability.COMPLETE

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.source.id
