"""What is true of a source: the wanted build, exactly, today, to this very client. Values only.

A *sight* is what was seen of one source; a *finding* is what it means, once it stands beside the others.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.tags import Tag
from packaging.utils import BuildTag, canonicalize_name, parse_wheel_filename
from packaging.version import Version

from wizard.model.messages import Message
from wizard.sources.model import Offer, Source
from wizard.sources.read import Reader
from wizard.transfer.http import SourceUnreachable

# Does a source carry this very wheel: release, build and platform? Another build is never taken for it.
#
# A torch-family file without a local version (`torch-2.15.0-…`) is the build that the official package index has for
# its platform; which CUDA tag that is, the caller says (`default_variant`). In an index of one tag it is that tag.


@dataclass(frozen=True, slots=True)
class WantedWheel:
    """`version` without its local part ("2.14.1"); `tags` best first, see `platform_tags`.

    `default_variant` None: a file without a local version says nothing about its build.
    """

    project: str
    version: str
    variant: str
    python: str  # "3.12"
    tags: tuple[Tag, ...]
    default_variant: str | None = None


def variant_of(offer: Offer, default_variant: str | None) -> str | None:
    return offer.version.local or offer.source.variant or default_variant


def public(version: Version) -> Version:
    """Without the local part."""
    return version if version.local is None else Version(version.public)


def best_offer(offers: Iterable[Offer], wanted: WantedWheel) -> Offer | None:
    """As installers choose: the most specific tag first (the newest manylinux), then the highest build number."""
    ranks = {tag: rank for rank, tag in reversed(list(enumerate(wanted.tags)))}
    release = Version(Version(wanted.version).public)
    project = canonicalize_name(wanted.project)
    fitting = [
        offer
        for offer in offers
        if offer.project == project
        and public(offer.version) == release
        and variant_of(offer, wanted.default_variant) == wanted.variant
        and not offer.yanked
        and not offer.tags.isdisjoint(ranks)
        and _takes_python(offer.requires_python, wanted.python)
    ]
    return min(fitting, key=lambda offer: _order(offer, ranks), default=None)


def _order(offer: Offer, ranks: dict[Tag, int]) -> tuple[int, int, str]:
    build: BuildTag = parse_wheel_filename(offer.filename)[2]
    rank = min(ranks[tag] for tag in offer.tags if tag in ranks)
    return rank, -(build[0] if build else 0), offer.filename


def _takes_python(requires: str | None, python: str) -> bool:
    """Any patch release of this Python will do; which one is installed is not known here."""
    if not requires:
        return True
    try:
        allowed = SpecifierSet(requires)
    except InvalidSpecifier:
        return True
    series = python.rstrip("t")
    return any(allowed.contains(f"{series}{patch}", prereleases=True) for patch in (".0", ".99"))


def carried(reader: Reader, source: Source, wanted: WantedWheel) -> Offer | None:
    """None: the source answered and has no such wheel. Raises SourceUnreachable."""
    return best_offer(reader.offers(source, wanted.project), wanted)


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

    wanted: WantedWheel
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
class ListedRelease:
    version: Version
    uploaded: str | None = None


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What one source showed. `problem`: what ended the look, if anything did; `link` as listed, `final` after
    redirects. `dated`: when a channel's index was made, in seconds since 1970."""

    source: Source
    seconds: float
    problem: tuple[Truth, Message] | None = None
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
