"""Reads index pages and folders as offers: PEP 503 html, PEP 691/700 json, flat listings. Pure; no page makes it fail.

Files that are no wheel, of another project, or behind a link that we do not follow are passed over. What is
no index at all (a login page of a network, an error page with status 200) raises SourceUnreachable
`source-not-an-index`; one that has wheels only behind links that we do not follow, `source-links-refused`.

One file: the forms of a page make the same offers.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.tags import Tag
from packaging.utils import NormalizedName, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from wizard.process import redact
from wizard.sources.model import Layout, Offer, Source
from wizard.transfer.address import file_path, resolve_link
from wizard.transfer.http import SOURCE_NO_FOLDER, SOURCE_NOT_AN_INDEX, SourceUnreachable

_MOST_SHOWN = 200  # signs of an address
_DISTRIBUTION = (".whl", ".tar.gz", ".zip", ".tar.bz2", ".egg", ".tar.xz")
_SHA256 = re.compile(r"^[0-9a-f]{64}$")
_FRAGMENT = re.compile(r"(?:^|&)sha256=([0-9a-fA-F]{64})(?:$|&)")
_LIST_TAGS = frozenset({"html", "head", "title", "body", "h1", "a", "pre", "ul", "table"})
# What a page for people has and a list of links has not.
_HUMAN_TAGS = frozenset({"form", "input", "script", "iframe", "video", "frameset", "button"})


def not_an_index(source: Source, begins: str = "") -> SourceUnreachable:
    """Return the error for a page that lists nothing; `begins`: how it begins."""
    return SourceUnreachable(SOURCE_NOT_AN_INDEX, details=begins[:200], source=source.label)


@dataclass(slots=True)
class _Link:
    href: str
    requires_python: str | None
    yanked: bool
    metadata: str | None
    uploaded: str | None


@dataclass(slots=True)
class _Links:
    base: str | None = None
    links: list[_Link] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)


class _LinkParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found = _Links()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.tags.add(tag)
        values = dict(reversed(attrs))  # of two equal attributes the first counts, as in browsers
        href = values.get("href")
        if tag == "base" and href and self.found.base is None:
            self.found.base = href
        if tag == "a" and href:
            self.found.links.append(
                _Link(
                    href,
                    values.get("data-requires-python"),
                    "data-yanked" in values,
                    _metadata_attribute(values),
                    values.get("data-upload-time"),
                )
            )


def _parse_links(text: str) -> _Links:
    parser = _LinkParser()
    try:
        parser.feed(text)
        parser.close()
    except AssertionError:  # older Pythons, on a broken `<![`
        pass
    return parser.found


def _metadata_attribute(values: dict[str, str | None]) -> str | None:
    """Read PEP 658, under its first name and the later one (PEP 714): "true" or "sha256=…"."""
    value = values.get("data-core-metadata") or values.get("data-dist-info-metadata")
    if value is None or value.lower() == "false":
        return None
    digest = value.partition("sha256=")[2].lower()
    return digest if _SHA256.match(digest) else ""


def _metadata_entry(entry: dict[str, Any]) -> str | None:
    """Read the same in JSON: true, or an object of hashes."""
    value = entry.get("core-metadata") or entry.get("dist-info-metadata")
    if not value:
        return None
    digest = value.get("sha256") if isinstance(value, dict) else None
    return digest.lower() if isinstance(digest, str) and _SHA256.match(digest.lower()) else ""


def names_source_of(project: str, text: str) -> bool:
    """Tell whether a page names a source distribution of the project: nothing that is installed here, but its name."""
    return _source_of(project).search(text) is not None


def sources_of(project: str, text: str) -> frozenset[Version]:
    """Return the versions that a page has as source distributions."""
    found = set[Version]()
    for version in {match["version"] for match in _source_of(project).finditer(text)}:
        with contextlib.suppress(InvalidVersion):
            found.add(Version(version))
    return frozenset(found)


@lru_cache(maxsize=64)
def _source_of(project: str) -> re.Pattern[str]:
    name = "[-_.]{1,3}".join(map(re.escape, canonicalize_name(project).split("-")))
    return re.compile(rf"(?<![\w.-]){name}-(?P<version>\d[^\s\"'<>/]{{0,200}}?)\.(?:tar\.|zip)", re.IGNORECASE)


def refused_wheel(project: str, text: str, base_url: str) -> str | None:
    """Return the first wheel of the project on a page of either kind that lies where nobody may be sent."""
    wanted = canonicalize_name(project)
    for href, base in _hrefs(text, base_url):
        wheel = href.partition("#")[0]
        if wheel.endswith(".whl") and _foreign(wheel, wanted) is None and resolve_link(base, href) is None:
            return redact(wheel)[:_MOST_SHOWN]
    return None


def _hrefs(text: str, base_url: str) -> Iterator[tuple[str, str]]:
    """Return each with what it is relative to."""
    if text.lstrip()[:1] != "{":
        page = _parse_links(text)
        yield from ((link.href, _base_of(page, base_url)) for link in page.links)
        return
    with contextlib.suppress(ValueError, RecursionError, AttributeError, TypeError):
        entries = [entry for entry in json.loads(text)["files"] if isinstance(entry, dict)]
        yield from ((entry["url"], base_url) for entry in entries if isinstance(entry.get("url"), str))


def _base_of(page: _Links, base_url: str) -> str:
    return (resolve_link(base_url, page.base) if page.base else None) or base_url


def _filename(url: str) -> str:
    return unquote(urlsplit(url).path.rsplit("/", 1)[-1])


@lru_cache(maxsize=16384)
def _wheel_name(name: str) -> tuple[NormalizedName, Version, frozenset[Tag]] | None:
    """Remembered: all mirrors of a project list the same thousand names."""
    try:
        found, version, _, tags = parse_wheel_filename(name)
    except ValueError:  # no wheel name, no version, or numbers of thousands of digits
        return None
    return found, version, tags


def offer(
    source: Source,
    project: str,
    url: str,
    *,
    filename: str | None = None,
    sha256: str | None = None,
    size: int | None = None,
    requires_python: str | None = None,
    yanked: bool = False,
    metadata: str | None = None,
    uploaded: str | None = None,
) -> Offer | None:
    """Return the link as an offer; None for what is no wheel of this project."""
    name = _filename(url) if filename is None else filename
    if "/" in name or "\\" in name or not name.endswith(".whl"):
        return None
    parsed = _wheel_name(name)
    if parsed is None or parsed[0] != canonicalize_name(project):
        return None
    found, version, tags = parsed
    python = requires_python or None
    return Offer(source, found, version, name, url, sha256, size, tags, python, yanked, metadata, uploaded)


def _foreign(href: str, project: str) -> str | None:
    """The file's name if it is plainly of another project; a flat page holds thousands, so no more is looked at."""
    name = href.partition("#")[0].partition("?")[0].replace("\\", "/").rpartition("/")[2]
    first = name.partition("-")[0]
    return None if "%" in first or canonicalize_name(first.strip()) == project else name


def _may_be_an_empty_list(tags: set[str], text: str) -> bool:
    is_text = "\ufffd" not in text and "\0" not in text  # bytes that were no UTF-8 stand there as U+FFFD
    return is_text and bool(tags & _LIST_TAGS) and not tags & _HUMAN_TAGS


def _read_html(text: str, base_url: str, source: Source, project: str) -> tuple[Offer, ...]:
    page = _parse_links(text)
    base = _base_of(page, base_url)
    offers: list[Offer] = []
    refused: list[str] = []
    lists_files = False
    wanted = canonicalize_name(project)
    for link in page.links:
        if (name := _foreign(link.href, wanted)) is not None:
            lists_files = lists_files or name.endswith(_DISTRIBUTION)
            continue
        url = resolve_link(base, link.href)
        if url is None:
            refused.append(link.href)
            continue
        lists_files = lists_files or _filename(url).endswith(_DISTRIBUTION)
        hashed = _FRAGMENT.search(urlsplit(url).fragment)
        found = offer(
            source,
            project,
            url.partition("#")[0],
            sha256=hashed[1].lower() if hashed else None,
            requires_python=link.requires_python,
            yanked=link.yanked,
            metadata=link.metadata,
            uploaded=link.uploaded,
        )
        if found:
            offers.append(found)
    if not lists_files and not _may_be_an_empty_list(page.tags, text):
        _check_refused(refused, source)
        raise not_an_index(source, text)
    if not offers:
        _check_refused(refused, source)
    return tuple(offers)


def _check_refused(hrefs: list[str], source: Source) -> None:
    """Raises SourceUnreachable `source-links-refused`: it has wheels, and all lie where nobody may be sent."""
    wheel = next((href for href in hrefs if href.partition("#")[0].endswith(".whl")), None)
    if wheel is not None:
        address = redact(wheel.partition("#")[0])[:_MOST_SHOWN]
        index = redact(source.url or "") or "-"
        raise SourceUnreachable(
            "source-links-refused",
            "{source} ({index}) links to {address}, where no index may send this computer: it was not opened.",
            "Choose another source, or tell the people who run it: packages come from https addresses only.",
            details=address,
            source=source.label,
            index=index,
            address=address,
        )


def parse_simple_html(text: str, base_url: str, source: Source, project: str) -> tuple[Offer, ...]:
    """Read the page of one project (PEP 503). Raises SourceUnreachable."""
    return _read_html(text, base_url, source, project)


def parse_flat(text: str, base_url: str, source: Source, project: str) -> tuple[Offer, ...]:
    """Read one page that lists the files of many projects (`--find-links`). Raises SourceUnreachable."""
    return _read_html(text, base_url, source, project)


def parse_simple_json(text: str, base_url: str, source: Source, project: str) -> tuple[Offer, ...]:
    """Read PEP 691, with the sizes of PEP 700 where they are. Raises SourceUnreachable."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise not_an_index(source, text) from error
    files = document.get("files") if isinstance(document, dict) else None
    if not isinstance(files, list):
        raise not_an_index(source, text)
    entries = [entry for entry in files if isinstance(entry, dict)]
    offers = [found for entry in entries if (found := _read_json_file(entry, base_url, source, project))]
    if not offers:
        hrefs = (entry.get("url") for entry in entries)
        _check_refused([one for one in hrefs if isinstance(one, str) and resolve_link(base_url, one) is None], source)
    return tuple(offers)


def _read_json_file(entry: dict[str, Any], base_url: str, source: Source, project: str) -> Offer | None:
    href, filename = entry.get("url"), entry.get("filename")
    if not isinstance(href, str) or not isinstance(filename, str):
        return None
    if _foreign(filename, canonicalize_name(project)) is not None:
        return None
    url = resolve_link(base_url, href)
    if url is None:
        return None
    hashes, size, python = entry.get("hashes"), entry.get("size"), entry.get("requires-python")
    uploaded = entry.get("upload-time")
    digest = hashes.get("sha256") if isinstance(hashes, dict) else None
    digest = digest.lower() if isinstance(digest, str) else ""
    return offer(
        source,
        project,
        url.partition("#")[0],
        filename=filename,
        sha256=digest if _SHA256.match(digest) else None,
        size=size if isinstance(size, int) and not isinstance(size, bool) and size >= 0 else None,
        requires_python=python if isinstance(python, str) else None,
        yanked=bool(entry.get("yanked")),
        metadata=_metadata_entry(entry),
        uploaded=uploaded if isinstance(uploaded, str) else None,
    )


# A folder as a source: wheels that lie in it, or a whole index on disk (`<folder>/<project>/index.html`).
#
# Sizes come from the file system; hashes only from a page: nobody hashes gigabytes to look at a list.


def list_folder(source: Source, project: str) -> tuple[Offer, ...]:
    """List the wheels of a folder. Raises SourceUnreachable `source-no-folder` where it is not there or may not be
    read."""
    place = file_path(source.url or "")
    try:
        if place.is_file():
            return _read_page(place, source, project)
        if not place.is_dir():
            raise SourceUnreachable(SOURCE_NO_FOLDER, source=source.name, path=str(place))
        if source.layout is Layout.FLAT:
            return _wheels_in(place, source, project)
        own = place / canonicalize_name(project)
        page = own / "index.html"
        if page.is_file():
            return _read_page(page, source, project)
        return _wheels_in(own, source, project) if own.is_dir() else ()
    except (OSError, ValueError) as error:
        raise SourceUnreachable(SOURCE_NO_FOLDER, details=str(error), source=source.name, path=str(place)) from error


def _read_page(page: Path, source: Source, project: str) -> tuple[Offer, ...]:
    parse = parse_simple_html if source.layout is Layout.SIMPLE else parse_flat
    return parse(page.read_text(encoding="utf-8", errors="replace"), page.absolute().as_uri(), source, project)


def _wheels_in(folder: Path, source: Source, project: str) -> tuple[Offer, ...]:
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix == ".whl" and path.is_file():
            wheel = offer(source, project, path.absolute().as_uri(), filename=path.name, size=path.stat().st_size)
            found.append(wheel)
    return tuple(wheel for wheel in found if wheel)
