"""Looks at a place that hands out Miniforge: which release does it list for this platform?

The official place is a page that sends on to the newest release, whose number stands in the address.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from packaging.version import InvalidVersion, Version

from wizard.i18n import message
from wizard.mirrors.address import file_path, resolve_link
from wizard.mirrors.client import Client
from wizard.mirrors.installing_client import file_headers
from wizard.mirrors.model import Source
from wizard.mirrors.truth import InstallerQuestion, Release, Sight, Truth
from wizard.mirrors.unreachable import SourceUnreachable, explain_status

_MOST = 512 * 1024  # bytes of the listing
_TAG = re.compile(r"/releases/tag/(?P<version>[^/]+)$")
_HREF = re.compile(r"""href\s*=\s*["'](?P<href>[^"'<>]*Miniforge3[^"'<>]*)["']""", re.IGNORECASE)
_VERSIONED = re.compile(r"Miniforge3-(?P<version>\d[\d.]*-\d+)-(?P<ending>.+)$")


def look_at_installer(source: Source, question: InstallerQuestion, client: Client) -> Sight:
    """Raises SourceUnreachable."""
    name, url = source.label, source.url or ""
    if url.lower().startswith("file:"):
        return _seen(source, question, _names_in_folder(source), url)
    page = client.get(url, name, {"Accept": "text/html", "User-Agent": file_headers(0, 0)["User-Agent"]}, _MOST)
    if page.status in (404, 410):
        return Sight(source, 0.0, problem=(Truth.MISSING, message("truth.missing")))
    if page.status != 200:
        raise explain_status(page.status, name, url, page.headers.get("retry-after", ""))
    tag = _TAG.search(urlsplit(page.url).path)
    if tag:
        release = _release(tag["version"])
        return Sight(source, 0.0, file=f"Miniforge3-{question.ending}", link=url, final=page.url,
                     releases=(release,) if release else ())  # fmt: skip
    links = (resolve_link(page.url, found["href"]) for found in _HREF.finditer(page.text))
    names = [urlsplit(link).path.rsplit("/", 1)[-1] for link in links if link]
    if not names:
        raise SourceUnreachable("source-not-an-index", page.text[:200], source=name)
    return _seen(source, question, names, page.url)


def _names_in_folder(source: Source) -> list[str]:
    folder = file_path(source.url or "")
    try:
        return [path.name for path in folder.iterdir()]
    except OSError as error:
        raise SourceUnreachable("source-no-folder", str(error), source=source.name, path=str(folder)) from error


def _seen(source: Source, question: InstallerQuestion, names: list[str], final: str) -> Sight:
    versioned = [found for name in names if (found := _VERSIONED.search(name)) and found["ending"] == question.ending]
    releases = sorted((_release(found["version"]) for found in versioned), key=lambda one: one.version)
    plain = f"Miniforge3-{question.ending}"
    if not releases and plain not in names:
        return Sight(source, 0.0, problem=(Truth.MISSING, message("truth.missing")))
    return Sight(source, 0.0, file=plain, link=source.url, final=final, releases=tuple(releases))


def _release(text: str) -> Release:
    """`26.3.2-3` is a version with a build number: PEP 440 reads the dash as a post-release."""
    try:
        return Release(Version(text))
    except InvalidVersion:
        return Release(Version("0"))
