"""Does a source carry this very wheel: release, build and platform? Another build is never taken for it.

A torch-family file without a local version (`torch-2.15.0-…`) is the build that the official package index
has for its platform; which CUDA tag that is, the caller says (`default_variant`). In an index of one tag it
is that tag.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.tags import Tag
from packaging.utils import BuildTag, canonicalize_name, parse_wheel_filename
from packaging.version import Version

from wizard.mirrors.model import Offer, Source
from wizard.mirrors.read import Reader


@dataclass(frozen=True, slots=True)
class Wanted:
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


def best_offer(offers: Iterable[Offer], wanted: Wanted) -> Offer | None:
    """As installers choose: the most specific tag first (the newest manylinux), then the highest build number."""
    ranks = {tag: rank for rank, tag in reversed(list(enumerate(wanted.tags)))}
    release = Version(Version(wanted.version).public)
    project = canonicalize_name(wanted.project)
    fitting = [
        offer for offer in offers
        if offer.project == project
        and public(offer.version) == release
        and variant_of(offer, wanted.default_variant) == wanted.variant
        and not offer.yanked
        and not offer.tags.isdisjoint(ranks)
        and _takes_python(offer.requires_python, wanted.python)
    ]  # fmt: skip
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


def carried(reader: Reader, source: Source, wanted: Wanted) -> Offer | None:
    """None: the source answered and has no such wheel. Raises SourceUnreachable."""
    return best_offer(reader.offers(source, wanted.project), wanted)
