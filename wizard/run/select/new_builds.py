"""Finds what the sources list that the tables do not know: newer releases, and new builds of the newest one.

Found on index pages, taken as "new, kernels unknown", and then read by ranges. It is shown beside the
verdict and never takes its place: that is for an update of the program, or for `matrices refresh`.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
from packaging.version import Version

from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import CPU, variant_key, version_key
from wizard.model.errors import Cancelled
from wizard.model.messages import Message, message
from wizard.model.typed import from_json
from wizard.run.select.origin import needs_proof
from wizard.run.select.source_catalog import SourceCatalog
from wizard.sources.model import Offer, Source
from wizard.sources.read import Reader
from wizard.sources.releases import ListedBuild, listed_builds
from wizard.sources.remote_wheel import WheelContents, read_wheel
from wizard.system import paths
from wizard.transfer.http import Client, SourceUnreachable

# What was read of wheels is kept: what a wheel holds never changes, so it is read once and kept with its date.
#
# The memory lies in the cache folder and may be deleted at any time. What failed is not kept.

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class WheelReading:
    """`as_of`: the day on which the wheel was read."""

    contents: WheelContents
    as_of: str
    schema: int = SCHEMA


def readings_dir() -> Path:
    """Return where is kept what was read of wheels."""
    return paths.cache_dir() / "wheel-looks"


def read_remembered(client: Client, offer: Offer) -> WheelReading:
    """Read a wheel, or what was kept of it. Raises SourceUnreachable as `read_wheel`."""
    path = readings_dir() / f"{_key(offer)}.json"
    known = _remembered(path)
    if known:
        return known
    fresh = WheelReading(read_wheel(client, offer), datetime.date.today().isoformat())
    with contextlib.suppress(OSError):  # not to be kept is no failure
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.encode(fresh))
    return fresh


def _key(offer: Offer) -> str:
    """By content where the page names it; else by place and size, as a file may be replaced under its name."""
    if offer.sha256:
        return offer.sha256
    return hashlib.sha256(f"{offer.url} {offer.size}".encode()).hexdigest()


def _remembered(path: Path) -> WheelReading | None:
    try:
        found = from_json(path.read_bytes(), WheelReading)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return found if found.schema == SCHEMA else None


IsCancelled = Callable[[], bool]
_MOST_READ = 40  # a refresh for every platform needs about 12


@dataclass(frozen=True, slots=True)
class NewBuild:
    """`architectures` None: kernels unknown (`failure` says why), and () for the CPU build.

    `variant` None: neither the file name nor the wheel says it.
    """

    torch: str
    variant: str | None
    platform: str
    local_version: str | None
    pythons: tuple[str, ...]
    min_glibc: str | None
    is_default: bool  # without a local version: the build that the official package index has
    source: Source
    file: str
    architectures: tuple[str, ...] | None = None
    evidence: str = ""
    confidence: str = "low"
    as_of: str = ""
    read_bytes: int = 0
    failure: Message | None = None

    @property
    def key(self) -> tuple[str, str | None, str]:
        return self.torch, self.variant, self.platform


@dataclass(frozen=True, slots=True)
class NewBuilds:
    """`silent`: the sources that could not be read."""

    builds: tuple[NewBuild, ...]
    asked: int
    silent: tuple[tuple[Source, Message], ...]


def tags_to_ask(matrix: Matrix, platforms: Iterable[str]) -> tuple[str, ...]:
    """Return the tags whose official pages are read: those of the newest release, and every later CUDA we know of."""
    wanted = set(platforms)
    newest = newest_release(matrix)
    here = {build.variant for build in matrix.builds if build.torch == newest and build.platform in wanted}
    highest = max(here, key=variant_key, default=CPU)
    later = {f"cu{cuda.replace('.', '')}" for cuda, _ in matrix.floors if version_key(cuda) > variant_key(highest)}
    return tuple(sorted(here | later, key=variant_key, reverse=True))


def newest_release(matrix: Matrix) -> str:
    """Return the newest torch of the tables."""
    return max(matrix.releases, key=version_key)


def find_new_builds(
    matrix: Matrix, catalog: SourceCatalog, reader: Reader, platforms: Sequence[str], is_cancelled: IsCancelled
) -> NewBuilds:
    """Read the pages of all sources. Raises UsageError for a bad address, Cancelled."""
    sources = {
        (source.id, source.url): source
        for tag in tags_to_ask(matrix, platforms)
        for source in catalog.torch_sources(tag)
        if not needs_proof(source)
    }
    silent: list[tuple[Source, Message]] = []
    found: dict[tuple[str, str | None, str], tuple[ListedBuild, Source]] = {}
    for source in sources.values():
        if is_cancelled():
            raise Cancelled
        try:
            offers = reader.offers(source, "torch")
        except SourceUnreachable as error:
            silent.append((source, error.summary))
            continue
        for listed in listed_builds(offers):
            if listed.platform in platforms and _is_news(listed, matrix):
                found.setdefault((listed.torch, listed.variant, listed.platform), (listed, source))
    newest = newest_release(matrix)
    pythons = {python for build in matrix.builds if build.torch == newest for python in build.pythons}
    builds = _read_builds(list(found.values())[:_MOST_READ], reader, pythons, is_cancelled)
    return NewBuilds(tuple(builds.values()), len(sources), tuple(silent))


def _is_news(listed: ListedBuild, matrix: Matrix) -> bool:
    newest = newest_release(matrix)
    if listed.torch not in matrix.releases:
        return version_key(listed.torch) > version_key(newest)
    if listed.torch != newest or listed.variant is None:
        return False
    known = matrix.build(listed.torch, listed.variant, listed.platform)
    return known is None or (known.kernels is None and listed.variant != CPU)  # rumoured so far


def _read_builds(
    found: Sequence[tuple[ListedBuild, Source]], reader: Reader, known_pythons: set[str], is_cancelled: IsCancelled
) -> dict[tuple[str, str | None, str], NewBuild]:
    """One build under two names (with and without its local version) is one; the first place counts."""
    builds: dict[tuple[str, str | None, str], NewBuild] = {}
    for listed, source in found:
        if is_cancelled():
            raise Cancelled
        build = _read_build(listed, source, reader, listed.pythons_among(known_pythons))
        known = builds.get(build.key)
        if known is None:
            builds[build.key] = build
        elif build.is_default or build.local_version:
            builds[build.key] = replace(
                known,
                is_default=known.is_default or build.is_default,
                local_version=known.local_version or build.local_version,
            )
    return builds


def _read_build(listed: ListedBuild, source: Source, reader: Reader, pythons: tuple[str, ...]) -> NewBuild:
    offer = _sample(listed.offers)
    build = NewBuild(
        listed.torch,
        listed.variant,
        listed.platform,
        listed.local_version,
        pythons,
        listed.min_glibc,
        listed.local_version is None and source.variant is None,
        source,
        offer.filename,
    )
    if listed.variant == CPU:
        return replace(build, architectures=(), confidence="high", evidence="file name")
    try:
        seen = read_remembered(reader.client, offer)
    except SourceUnreachable as error:
        return replace(build, failure=error.summary)
    inside = seen.contents
    if not _is_as_named(inside, listed):
        contents = f"{inside.version} (CUDA {inside.cuda})" if inside.cuda else inside.version
        return replace(build, failure=message("matrices.not-what-it-says", file=offer.filename, inside=contents[:80]))
    codes = () if inside.variant == CPU else inside.architectures
    failure = (
        message(
            "matrices.no-table",
            "{file} does not say in a form that we know for which cards it is.",
            file=offer.filename,
        )
        if codes is None
        else None
    )
    return replace(
        build,
        variant=inside.variant,
        architectures=codes,
        evidence=inside.evidence,
        confidence=inside.confidence,
        as_of=seen.as_of,
        read_bytes=inside.read_bytes,
        failure=failure,
    )


def _is_as_named(inside: WheelContents, listed: ListedBuild) -> bool:
    """A name without a tag leaves the CUDA to the wheel, which must then name one that can be a tag."""
    if inside.release != Version(listed.torch) or inside.variant is None:
        return False
    return listed.variant is None or inside.variant == listed.variant


def _sample(offers: Sequence[Offer]) -> Offer:
    """Any of its wheels will do: they differ in the Python only."""
    return min(offers, key=lambda offer: offer.filename)
