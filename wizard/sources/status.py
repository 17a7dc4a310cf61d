"""What is wanted of a source, what a probe of it showed, and what is true of it: today, to this very client.

A `ProbeResult` is what one source showed; a `SourceStatus` is what that means, once it stands beside the others.
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
    """`version` without its local part ("2.14.1"), or "": the newest stable one that `specifier` takes. `tags` best
    first, see `platform_tags`.

    `default_variant` None: a file without a local version says nothing about its build.
    """

    project: str
    version: str
    variant: str
    python: str  # "3.12"
    tags: tuple[Tag, ...]
    default_variant: str | None = None
    specifier: str = ""

    @property
    def key(self) -> str:
        """The same for the same wheel, today and tomorrow."""
        tags = " ".join(map(str, self.tags))
        return f"{self.label} {self.python} {self.specifier} {self.default_variant} {tags}"

    @property
    def label(self) -> str:
        local = f"+{self.variant}" if self.variant else ""
        return f"{self.project} {self.version or self.specifier}{local}".strip()


@dataclass(frozen=True, slots=True)
class WantedChannel:
    subdir: str  # "linux-64"
    python: str

    @property
    def label(self) -> str:
        return f"python {self.python} ({self.subdir})"

    key = label


@dataclass(frozen=True, slots=True)
class WantedInstaller:
    ending: str  # "Linux-x86_64.sh"

    @property
    def label(self) -> str:
        return f"Miniforge3-{self.ending}"

    key = label


Wanted = WantedWheel | WantedChannel | WantedInstaller


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
    `stage`: answered (by itself), judged (held against the others), measuring, measured. `uses`: what it is used for in
    this setup, of "torch", "packages", "python".
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
        """carries | missing | refused | unchecked | unreachable."""
        return _VERDICTS.get(self.availability, "unreachable")

    @property
    def is_usable(self) -> bool:
        return self.availability in USABLE

    @property
    def is_complete(self) -> bool:
        return self.availability is Availability.COMPLETE

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.source.id
