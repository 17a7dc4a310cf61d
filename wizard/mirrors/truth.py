"""What is true of a source: the wanted build, exactly, today, to this very client. Values only.

A *sight* is what was seen of one source; a *finding* is what it means, once it stands beside the others.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from packaging.version import Version

from wizard.i18n import Message
from wizard.mirrors.carries import Wanted
from wizard.mirrors.model import Source
from wizard.mirrors.unreachable import SourceUnreachable


class Truth(str, enum.Enum):
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


ANSWERED = frozenset({Truth.COMPLETE, Truth.ELSEWHERE, Truth.MISSING, Truth.STALE})
USABLE = frozenset({Truth.COMPLETE, Truth.ELSEWHERE})


@dataclass(frozen=True, slots=True)
class WheelQuestion:
    """`wanted.version` "": the newest stable one that `specifier` takes."""

    wanted: Wanted
    specifier: str = ""

    @property
    def key(self) -> str:
        """The same for the same question, today and tomorrow."""
        tags = " ".join(map(str, self.wanted.tags))
        return f"{self.label} {self.wanted.python} {self.specifier} {self.wanted.default_variant} {tags}"

    @property
    def label(self) -> str:
        version = self.wanted.version or self.specifier
        local = f"+{self.wanted.variant}" if self.wanted.variant else ""
        return f"{self.wanted.project} {version}{local}".strip()


@dataclass(frozen=True, slots=True)
class ChannelQuestion:
    subdir: str  # "linux-64"
    python: str

    @property
    def key(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        return f"python {self.python} ({self.subdir})"


@dataclass(frozen=True, slots=True)
class InstallerQuestion:
    ending: str  # "Linux-x86_64.sh"

    @property
    def key(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        return f"Miniforge3-{self.ending}"


Question = WheelQuestion | ChannelQuestion | InstallerQuestion


@dataclass(frozen=True, slots=True)
class Release:
    version: Version
    uploaded: str | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """What one source showed. `problem`: what ended the look, if anything did; `link` as listed, `final` after
    redirects. `dated`: when a channel's index was made, in seconds since 1970."""

    source: Source
    seconds: float
    problem: tuple[Truth, Message] | None = None
    failure: SourceUnreachable | None = None
    releases: tuple[Release, ...] = ()
    file: str | None = None
    link: str | None = None
    final: str | None = None
    sha256: str | None = None
    listed_size: int | None = None
    size: int | None = None
    dated: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """`rate` in bytes a second, measured at `asked` (seconds since 1970); None: not measured.

    `source`: its id. Nothing here holds an address, which may hold a password: findings are kept in a file.
    """

    source: str
    truth: Truth
    message: Message
    asked: float
    seconds: float
    final_host: str | None = None
    file: str | None = None
    sha256: str | None = None
    size: int | None = None
    newest: str | None = None
    rate: float | None = None
