"""Probes one source: an index, a conda channel, or a place that hands out Miniforge.

It asks for its page as the installing client gets it, finds the wanted file on it, and follows where the link ends. A
link is followed with a GET for its first bytes, because a HEAD may be answered otherwise; no file is downloaded.
What is seen is not judged here.

One file: the three kinds of source give one result.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from wizard.model.errors import WizardError
from wizard.model.messages import Message, message
from wizard.sources.channel import INDEXES
from wizard.sources.model import Availability, ListedRelease, Offer, Origin, ProbeResult, Source
from wizard.sources.read import Reader, default_index_url
from wizard.sources.table import forbidden_means_missing
from wizard.sources.wanted import Wanted, WantedChannel, WantedInstaller, WantedWheel, best_offer, public, variant_of
from wizard.transfer.address import file_path, join_path, resolve_link
from wizard.transfer.http import (
    SOURCE_NO_FOLDER,
    SOURCE_NOT_AN_INDEX,
    SOURCE_OFFLINE,
    Client,
    HttpPage,
    SourceUnreachable,
    explain_status,
    file_headers,
    list_headers,
)

# A place that hands out Miniforge: which release does it list for this platform?
#
# The official place is a page that sends on to the newest release, whose number stands in the address.

_MOST = 512 * 1024  # bytes of the listing
_TAG = re.compile(r"/releases/tag/(?P<version>[^/]+)$")
_HREF = re.compile(r"""href\s*=\s*["'](?P<href>[^"'<>]*Miniforge3[^"'<>]*)["']""", re.IGNORECASE)
_VERSIONED = re.compile(r"Miniforge3-(?P<version>\d[\d.]*-\d+)-(?P<ending>.+)$")


def probe_installer(source: Source, wanted: WantedInstaller, client: Client) -> ProbeResult:
    """Find the wanted installer and its releases. Raises SourceUnreachable."""
    name, url = source.label, source.url or ""
    if url.lower().startswith("file:"):
        return _seen(source, wanted, _names_in_folder(source), url)
    page = client.get(url, name, {"Accept": "text/html", "User-Agent": file_headers(0, 0)["User-Agent"]}, _MOST)
    if page.status in (404, 410):
        return ProbeResult(source, 0.0, problem=(Availability.MISSING, message("truth.missing")))
    if page.status != 200:
        raise explain_status(page.status, name, url, page.headers.get("retry-after", ""))
    tag = _TAG.search(urlsplit(page.url).path)
    if tag:
        release = _release(tag["version"])
        return ProbeResult(
            source,
            0.0,
            file=f"Miniforge3-{wanted.ending}",
            link=url,
            final=page.url,
            releases=(release,) if release else (),
        )
    links = (resolve_link(page.url, found["href"]) for found in _HREF.finditer(page.text))
    names = [urlsplit(link).path.rsplit("/", 1)[-1] for link in links if link]
    if not names:
        raise SourceUnreachable(SOURCE_NOT_AN_INDEX, details=page.text[:200], source=name)
    return _seen(source, wanted, names, page.url)


def _names_in_folder(source: Source) -> list[str]:
    folder = file_path(source.url or "")
    try:
        return [path.name for path in folder.iterdir()]
    except OSError as error:
        raise SourceUnreachable(SOURCE_NO_FOLDER, details=str(error), source=source.name, path=str(folder)) from error


def _seen(source: Source, wanted: WantedInstaller, names: list[str], final: str) -> ProbeResult:
    versioned = [found for name in names if (found := _VERSIONED.search(name)) and found["ending"] == wanted.ending]
    releases = sorted((_release(found["version"]) for found in versioned), key=lambda one: one.version)
    plain = f"Miniforge3-{wanted.ending}"
    if not releases and plain not in names:
        return ProbeResult(source, 0.0, problem=(Availability.MISSING, message("truth.missing")))
    return ProbeResult(source, 0.0, file=plain, link=source.url, final=final, releases=tuple(releases))


def _release(text: str) -> ListedRelease:
    """`26.3.2-3` is a version with a build number: PEP 440 reads the dash as a post-release."""
    try:
        return ListedRelease(Version(text))
    except InvalidVersion:
        return ListedRelease(Version("0"))


# A conda channel: does its index for this platform answer, how old is it, and has it the wanted Python?
#
# The index of a big channel is begun, not downloaded: its date tells how fresh it is. What it carries is read only
# where that is cheap, from a small plain one.

_INDEX_BEGINNING = 512  # bytes
_SMALL = 2 * 1024 * 1024
_MISSING = (404, 410)
_CHANNEL_TOTAL = re.compile(r"/(\d+)$")


def probe_channel(source: Source, wanted: WantedChannel, client: Client) -> ProbeResult:
    """Find the channel's index and its date. Raises SourceUnreachable."""
    if (source.url or "").lower().startswith("file:"):
        return _channel_on_disk(source, wanted)
    name, page = source.label, None
    for index, magic in INDEXES.items():
        url = join_path(source.url or "", wanted.subdir, index)
        page = client.get(url, name, file_headers(0, _INDEX_BEGINNING - 1), _INDEX_BEGINNING)
        if page.status in (200, 206):
            if not page.body.lstrip().startswith(magic):
                raise SourceUnreachable(SOURCE_NOT_AN_INDEX, details=page.text[:200], source=name)
            return _described(source, index, url, page, client, wanted)
        if page.status not in (*_MISSING, 403):
            break
    if page is not None and page.status in _MISSING:
        return ProbeResult(source, 0.0, problem=(Availability.MISSING, message("truth.missing")))
    assert page is not None
    raise explain_status(page.status, name, page.url, page.headers.get("retry-after", ""))


def _described(
    source: Source, index: str, url: str, page: HttpPage, client: Client, wanted: WantedChannel
) -> ProbeResult:
    total = _CHANNEL_TOTAL.search(page.content_range)
    size = int(total[1]) if total else None
    seen = ProbeResult(
        source,
        0.0,
        file=f"{wanted.subdir}/{index}",
        link=url,
        final=page.url,
        size=size,
        dated=_date(page.headers.get("last-modified", "")),
    )
    if index != "repodata.json" or size is None or size > _SMALL:
        return seen
    whole = client.get(url, source.label, {"Accept-Encoding": "identity"}, _SMALL)
    return _judged_by_content(seen, whole.text, wanted)


def _judged_by_content(seen: ProbeResult, text: str, wanted: WantedChannel) -> ProbeResult:
    found = pythons_in(text)
    if found is not None and wanted.python not in found:
        return replace(seen, problem=(Availability.MISSING, message("truth.missing")))
    return seen


def pythons_in(text: str) -> set[str] | None:
    """Return "3.12" and the like; None: this is no index of packages."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    lists = [document.get(key) for key in ("packages", "packages.conda")]
    rows = [row for packages in lists if isinstance(packages, dict) for row in packages.values()]
    named = [row for row in rows if isinstance(row, dict) and row.get("name") == "python"]
    return {".".join(str(row.get("version", "")).split(".")[:2]) for row in named}


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None


def _channel_on_disk(source: Source, wanted: WantedChannel) -> ProbeResult:
    folder = file_path(source.url or "") / wanted.subdir
    for index in INDEXES:
        path = folder / index
        try:
            status = path.stat()
            seen = ProbeResult(
                source,
                0.0,
                file=f"{wanted.subdir}/{index}",
                link=path.as_uri(),
                final=path.as_uri(),
                size=status.st_size,
                dated=status.st_mtime,
            )
            if index == "repodata.json" and status.st_size <= _SMALL:
                return _judged_by_content(seen, path.read_text(encoding="utf-8", errors="replace"), wanted)
            return seen
        except OSError:
            continue
    raise SourceUnreachable(SOURCE_NO_FOLDER, source=source.label, path=str(folder))


_BEGINNING = 1024  # bytes
_TOTAL = re.compile(r"^bytes \d+-\d+/(\d+)$")
_WHEEL_BEGINS = b"PK"
GoesOn = Callable[[], bool]


def probe_source(
    source: Source,
    wanted: Wanted,
    client: Client,
    goes_on: GoesOn,
    default_index: Callable[[], str] = default_index_url,
) -> ProbeResult:
    """Probe any source. Never raises for what a source does."""
    began = time.monotonic()
    try:
        reader = Reader(None, default_index=default_index, headers=list_headers(), goes_on=goes_on, client=client)
        seen = _probe(source, wanted, reader)
    except WizardError as error:
        failure = (
            error if isinstance(error, SourceUnreachable) else SourceUnreachable(SOURCE_OFFLINE, details=str(error))
        )
        seen = ProbeResult(source, 0.0, failure=failure)
    return replace(seen, seconds=round(time.monotonic() - began, 3))


def _probe(source: Source, wanted: Wanted, reader: Reader) -> ProbeResult:
    if isinstance(wanted, WantedChannel):
        return probe_channel(source, wanted, reader.client)
    if isinstance(wanted, WantedInstaller):
        return probe_installer(source, wanted, reader.client)
    if source.origin is Origin.BY_HAND:
        source = reader.with_layout(source, wanted.project)
    offers = reader.offers(source, wanted.project)
    seen = ProbeResult(source, 0.0, releases=releases(offers, wanted))
    offer = pick(offers, wanted)
    return seen if offer is None else _followed(seen, offer, reader.client)


def pick(offers: Iterable[Offer], wanted: WantedWheel) -> Offer | None:
    """Return the wanted wheel; where the version is open, the newest one that goes."""
    if wanted.version:
        return best_offer(offers, wanted)
    listed = tuple(offers)
    for release in reversed(releases(listed, wanted)):
        exact = replace(wanted, version=release.version.public)
        if found := best_offer(listed, exact):
            return found
    return None


def releases(offers: Iterable[Offer], wanted: WantedWheel) -> tuple[ListedRelease, ...]:
    """Return the stable releases of the wanted build on this page, oldest first."""
    allowed = SpecifierSet(wanted.specifier)
    found: dict[Version, ListedRelease] = {}
    for offer in offers:
        if offer.yanked or offer.version.is_prerelease:
            continue
        if variant_of(offer, wanted.default_variant) != wanted.variant:
            continue
        version = public(offer.version)
        if wanted.specifier and not allowed.contains(version):
            continue
        before = found.get(version)
        dates = [date for date in (before.uploaded if before else None, offer.uploaded) if date]
        found[version] = ListedRelease(version, min(dates, default=None))
    return tuple(found[version] for version in sorted(found))


def _followed(seen: ProbeResult, offer: Offer, client: Client) -> ProbeResult:
    known = replace(
        seen, file=offer.filename, link=offer.url, sha256=offer.sha256, listed_size=offer.size, final=offer.url
    )
    if offer.url.lower().startswith("file:"):
        return _on_disk(known, offer)
    name = seen.source.label
    page = client.get(offer.url, name, file_headers(0, _BEGINNING - 1), _BEGINNING)
    ended = replace(known, final=page.url)
    problem = _link_problem(page, seen.source)
    if problem:
        return replace(ended, problem=problem)
    if page.status not in (200, 206):
        failure = explain_status(page.status, name, page.url, page.headers.get("retry-after", ""))
        return replace(ended, failure=failure)
    return replace(ended, size=size_of(page))


def _on_disk(known: ProbeResult, offer: Offer) -> ProbeResult:
    try:
        return replace(known, size=file_path(offer.url).stat().st_size)
    except OSError:
        return replace(known, problem=(Availability.MISSING, message("truth.missing-file")))


def _link_problem(page: HttpPage, source: Source) -> tuple[Availability, Message] | None:
    is_missing = page.status in (404, 410) or (page.status == 403 and forbidden_means_missing(source.url or ""))
    if is_missing:
        return Availability.MISSING, message("truth.missing-file")
    if page.status in (200, 206) and not page.body.startswith(_WHEEL_BEGINS):
        is_page = page.content_type.lower().startswith("text/html") or page.body.lstrip()[:1] == b"<"
        return (
            (Availability.PORTAL, message("truth.portal"))
            if is_page
            else (Availability.WRONG, message("truth.wrong-file"))
        )
    return None


def size_of(page: HttpPage) -> int | None:
    """Return the whole file's bytes, from a reply to a request for a part of it."""
    if page.status == 206:
        found = _TOTAL.match(page.content_range)
        return int(found[1]) if found else None
    length = page.headers.get("content-length", "")
    return int(length) if length.isdigit() and "content-encoding" not in page.headers else None
