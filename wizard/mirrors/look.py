"""Looks at one source: its page as the installing client gets it, the wanted file on it, and where the link ends.

A link is followed with a GET for its first bytes, because a HEAD may be answered otherwise; no file is downloaded.
What is seen is not judged here.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from wizard.errors import WizardError
from wizard.i18n import Message, message
from wizard.mirrors.address import file_path
from wizard.mirrors.carries import best_offer, public, variant_of
from wizard.mirrors.client import Client, Page
from wizard.mirrors.installing_client import file_headers, list_headers
from wizard.mirrors.look_channel import look_at_channel
from wizard.mirrors.look_installer import look_at_installer
from wizard.mirrors.model import Offer, Origin, Source
from wizard.mirrors.official import default_index_url
from wizard.mirrors.read import Reader
from wizard.mirrors.table import forbidden_means_missing
from wizard.mirrors.truth import ChannelQuestion, InstallerQuestion, Question, Release, Sight, Truth, WheelQuestion
from wizard.mirrors.unreachable import SourceUnreachable, explain_status

_BEGINNING = 1024  # bytes
_TOTAL = re.compile(r"^bytes \d+-\d+/(\d+)$")
_WHEEL_BEGINS = b"PK"
GoesOn = Callable[[], bool]


def look(
    source: Source, question: Question, client: Client, goes_on: GoesOn,
    default_index: Callable[[], str] = default_index_url,
) -> Sight:  # fmt: skip
    """Never raises for what a source does."""
    began = time.monotonic()
    try:
        reader = Reader(None, default_index=default_index, headers=list_headers(), goes_on=goes_on, client=client)
        seen = _look(source, question, reader)
    except WizardError as error:
        failure = error if isinstance(error, SourceUnreachable) else SourceUnreachable("source-offline", str(error))
        seen = Sight(source, 0.0, failure=failure)
    return replace(seen, seconds=round(time.monotonic() - began, 3))


def _look(source: Source, question: Question, reader: Reader) -> Sight:
    if isinstance(question, ChannelQuestion):
        return look_at_channel(source, question, reader.client)
    if isinstance(question, InstallerQuestion):
        return look_at_installer(source, question, reader.client)
    if source.origin is Origin.BY_HAND:
        source = reader.settle_layout(source, question.wanted.project)
    offers = reader.offers(source, question.wanted.project)
    seen = Sight(source, 0.0, releases=releases(offers, question))
    offer = pick(offers, question)
    return seen if offer is None else _followed(seen, offer, reader.client)


def pick(offers: Iterable[Offer], question: WheelQuestion) -> Offer | None:
    """The wanted wheel; where the version is open, the newest one that goes."""
    wanted = question.wanted
    if wanted.version:
        return best_offer(offers, wanted)
    listed = tuple(offers)
    for release in reversed(releases(listed, question)):
        exact = replace(wanted, version=release.version.public)
        if found := best_offer(listed, exact):
            return found
    return None


def releases(offers: Iterable[Offer], question: WheelQuestion) -> tuple[Release, ...]:
    """The stable releases of the wanted build on this page, oldest first."""
    wanted, allowed = question.wanted, SpecifierSet(question.specifier)
    found: dict[Version, Release] = {}
    for offer in offers:
        if offer.yanked or offer.version.is_prerelease:
            continue
        if variant_of(offer, wanted.default_variant) != wanted.variant:
            continue
        version = public(offer.version)
        if question.specifier and not allowed.contains(version):
            continue
        before = found.get(version)
        dates = [date for date in (before.uploaded if before else None, offer.uploaded) if date]
        found[version] = Release(version, min(dates, default=None))
    return tuple(found[version] for version in sorted(found))


def _followed(seen: Sight, offer: Offer, client: Client) -> Sight:
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


def _on_disk(known: Sight, offer: Offer) -> Sight:
    try:
        return replace(known, size=file_path(offer.url).stat().st_size)
    except OSError:
        return replace(known, problem=(Truth.MISSING, message("truth.missing-file")))


def _link_problem(page: Page, source: Source) -> tuple[Truth, Message] | None:
    is_missing = page.status in (404, 410) or (page.status == 403 and forbidden_means_missing(source.url or ""))
    if is_missing:
        return Truth.MISSING, message("truth.missing-file")
    if page.status in (200, 206) and not page.body.startswith(_WHEEL_BEGINS):
        is_page = page.content_type.lower().startswith("text/html") or page.body.lstrip()[:1] == b"<"
        return (Truth.PORTAL, message("truth.portal")) if is_page else (Truth.WRONG, message("truth.wrong-file"))
    return None


def size_of(page: Page) -> int | None:
    """The whole file's, from a reply to a request for a part of it."""
    if page.status == 206:
        found = _TOTAL.match(page.content_range)
        return int(found[1]) if found else None
    length = page.headers.get("content-length", "")
    return int(length) if length.isdigit() and "content-encoding" not in page.headers else None
