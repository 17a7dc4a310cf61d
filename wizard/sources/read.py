"""Reads sources: which wheels of a project does this one list? Pages are kept in memory for one run.

`()` means that the source answered and has no such project; a source that could not be read raises. This
looks at lists only: no wheel is fetched, and speed is not judged here.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from types import TracebackType
from typing import TypeVar
from urllib.parse import urlsplit

from packaging.utils import canonicalize_name
from packaging.version import Version

from wizard.model.errors import ErrorText
from wizard.model.messages import Message, Words, message
from wizard.process import Request, redact, run
from wizard.sources.index import (
    list_folder,
    names_source_of,
    not_an_index,
    parse_flat,
    parse_simple_html,
    parse_simple_json,
    refused_wheel,
    sources_of,
)
from wizard.sources.model import Layout, Offer, Origin, Source, UserSettings
from wizard.sources.table import forbidden_means_missing
from wizard.system import paths
from wizard.transfer.address import address_problem, join_path
from wizard.transfer.http import (
    CONNECT_TIMEOUT,
    READ_TIMEOUT,
    SOURCE_TIMEOUT,
    Client,
    HttpPage,
    SourceUnreachable,
    explain_status,
)

SOURCE_NO_DEFAULT = ErrorText(
    "source-no-default",
    "The address of the official package index could not be found out.",
    "Run the setup again; if this stays, install this program anew.",
)

# The address of the official package index, asked of uv: it is uv's own default and not written here.
#
# Installing from it means leaving the index option out; only reading its pages needs the address. uv's help names it,
# without a network; should a later uv say it differently, a tiny resolution names it too.

_TIMEOUT = 20.0  # seconds
_IN_HELP = re.compile(r"--default-index\b.*?\(by\s+default:\s+<(?P<url>[^>\s]+)>\)", re.DOTALL)
_ANNOTATION = re.compile(r"^\s*#\s+from\s+(?P<url>\S+)\s*$", re.MULTILINE)


def parse_help(text: str) -> str | None:
    """Return the default index that uv's help names; None where it names none."""
    return _usable(_IN_HELP.search(text))


def parse_index_annotation(text: str) -> str | None:
    """Return the address in the output of `uv pip compile --emit-index-annotation`."""
    return _usable(_ANNOTATION.search(text))


def _usable(match: re.Match[str] | None) -> str | None:
    return match["url"] if match and address_problem(match["url"]) is None else None


def ask_uv(uv: tuple[str, ...]) -> str:
    """Ask for the default index; `uv` is the start of its command line. Raises SourceUnreachable
    `source-no-default`."""
    answer = run(Request((*uv, "help", "--no-pager", "pip", "compile"), timeout=_TIMEOUT))
    url = parse_help(answer.stdout)
    if url:
        return url
    cache = ("--cache-dir", str(paths.cache_dir() / "uv"))
    options = ("--no-config", "--no-python-downloads", "--no-deps", "--no-header", "--emit-index-annotation", *cache)
    answer = run(Request((*uv, "pip", "compile", *options, "-"), stdin="pip\n", timeout=_TIMEOUT))
    url = parse_index_annotation(answer.stdout)
    if url is None:
        raise SourceUnreachable(SOURCE_NO_DEFAULT, details=answer.tail())
    return url


@lru_cache(maxsize=1)
def default_index_url() -> str:
    """Return the official index's address; uv is asked once for each process. Raises SourceUnreachable."""
    try:
        uv = paths.uv_executable()
    except FileNotFoundError as error:
        raise SourceUnreachable(SOURCE_NO_DEFAULT, details=str(error)) from error
    return ask_uv((str(uv),))


def promiser(offer: Offer) -> str:
    """Return the host whose page names the offer's hash; "" where it names none, "file" for a folder of this
    computer."""
    if offer.sha256 is None:
        return ""
    parts = urlsplit(offer.source.url or default_index_url())
    return parts.hostname or parts.scheme


_JSON = "application/vnd.pypi.simple.v1+json"
_ACCEPT = f"{_JSON}, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
_MISSING = (404, 410)
HOST_IS_THERE = ("source-not-an-index", "source-redirects", "source-forbidden", "source-status")

Answer = TypeVar("Answer")


class Reader:
    """`default_index` finds the address of the official package index, which is not written in this program.

    `headers`: another client's, where a source is judged by what it answers to that one. `goes_on`: reading ends
    when it says False. `client`: one that several readers share (making one reads the certificate store).
    """

    def __init__(
        self,
        settings: UserSettings | None = None,
        timeouts: tuple[float, float] = (CONNECT_TIMEOUT, READ_TIMEOUT),
        default_index: Callable[[], str] = default_index_url,
        headers: Mapping[str, str] | None = None,
        goes_on: Callable[[], bool] | None = None,
        client: Client | None = None,
    ) -> None:
        known = settings or UserSettings()
        self.client = client or Client(known.certificate, known.proxy, timeouts, known.environment)
        self._is_own = client is None
        self._default_index = default_index
        self._headers = headers or {"Accept": _ACCEPT}
        self._goes_on = goes_on
        self._pages: dict[str, HttpPage | SourceUnreachable] = {}
        self._asked: dict[str, threading.Lock] = {}
        self._offers: dict[tuple[Source, str, str], tuple[Offer, ...] | SourceUnreachable] = {}

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        if self._is_own:
            self.client.close()

    def offers(self, source: Source, project: str) -> tuple[Offer, ...]:
        """Return the wheels of `project` in `source`, as listed. Raises SourceUnreachable."""
        if source.layout is Layout.CHANNEL:
            raise ValueError("a conda channel lists no wheels")
        root, url = self._address(source, project)
        if root.lower().startswith("file:"):
            return list_folder(source, project)
        key = (source, url, canonicalize_name(project))
        if key not in self._offers:
            try:
                self._offers[key] = self._listed(source, root, url, project)
            except SourceUnreachable as error:
                self._offers[key] = error
        return _or_raise(self._offers[key])

    def has(self, source: Source, project: str) -> bool:
        """Tell whether it knows the name, also where it has no wheel of it. Raises SourceUnreachable."""
        return bool(self.offers(source, project)) or names_source_of(project, self._text(source, project))

    def gone(self, source: Source, project: str) -> Message | None:
        """Tell which address has nothing, after `offers` was asked; None: its page is there, or it is a folder. Its
        login and tokens are left out."""
        url = self._address(source, project)[1]
        page = self._pages.get(url)
        if not isinstance(page, HttpPage) or page.status not in _MISSING:
            return None
        return message("truth.gone", address=redact(url), status=page.status)

    def sources(self, source: Source, project: str) -> frozenset[Version]:
        """Return the versions that it has as source distributions. Raises SourceUnreachable."""
        self.offers(source, project)
        return sources_of(project, self._text(source, project))

    def _text(self, source: Source, project: str) -> str:
        """The page that `offers` has read; "" of a folder."""
        page = self._pages.get(self._address(source, project)[1])
        return page.text if isinstance(page, HttpPage) and page.status == 200 else ""

    def refused(self, projects: Collection[str]) -> tuple[Source, str] | None:
        """Return, of the pages that were read, a wheel of one of these that may not be fetched from where it is."""
        for source, url, project in tuple(self._offers):
            page = self._pages.get(url)
            if project not in projects or not isinstance(page, HttpPage) or page.status != 200:
                continue
            if address := refused_wheel(project, page.text, page.url):
                return source, address
        return None

    def _address(self, source: Source, project: str) -> tuple[str, str]:
        """Return the address of the source, and of its page."""
        root = self._default_index() if source.url is None else source.url
        return root, root if source.layout is Layout.FLAT else join_path(root, canonicalize_name(project), "")

    def _listed(self, source: Source, root: str, url: str, project: str) -> tuple[Offer, ...]:
        """Read a page once: it may list thousands of files, and is asked for again for every build."""
        page = self._page(url, source.label)
        if page.status in _MISSING or (page.status == 403 and forbidden_means_missing(root)):
            return ()
        if page.status != 200:
            raise explain_status(page.status, source.label, url, page.headers.get("retry-after", ""))
        return _parse(page, source, project)

    def _page(self, url: str, source: Words) -> HttpPage:
        """Fetch a page once, however many threads want it. Remember failures too: asking for three projects must not
        wait for three time limits."""
        with self._asked.setdefault(url, threading.Lock()):
            if url not in self._pages:
                try:
                    self._pages[url] = self._fetched(url, source)
                except SourceUnreachable as error:
                    self._pages[url] = error
        return _or_raise(self._pages[url])

    def _fetched(self, url: str, source: Words) -> HttpPage:
        goes_on = self._goes_on
        page = self.client.get(url, source, self._headers, None, (lambda _: goes_on()) if goes_on else None)
        if goes_on and not goes_on():  # it may have been cut short
            raise SourceUnreachable(SOURCE_TIMEOUT, details=url, source=source)
        return page

    def with_layout(self, source: Source, project: str) -> Source:
        """Return the source as an index or a flat listing, whichever lists the project; else as it was.

        Only addresses given by hand are in doubt. Raises SourceUnreachable when it can be read in neither way.
        """
        if source.origin is not Origin.BY_HAND or source.layout is Layout.CHANNEL:
            return source
        failures: list[SourceUnreachable] = []
        other = Layout.FLAT if source.layout is Layout.SIMPLE else Layout.SIMPLE
        for layout in (source.layout, other):
            candidate = replace(source, layout=layout)
            try:
                if self.offers(candidate, project):
                    return candidate
            except SourceUnreachable as error:
                if error.code not in HOST_IS_THERE:
                    raise
                failures.append(error)
        if len(failures) == 2:
            raise failures[0]
        return source


def _or_raise(found: Answer | SourceUnreachable) -> Answer:
    if isinstance(found, SourceUnreachable):
        raise found
    return found


def _parse(page: HttpPage, source: Source, project: str) -> tuple[Offer, ...]:
    kind = page.content_type.partition(";")[0].strip().lower()
    text = page.text
    if kind == _JSON or (kind != "text/html" and text.lstrip()[:1] == "{"):
        return parse_simple_json(text, page.url, source, project)
    if kind and not kind.startswith(("text/", "application/vnd.pypi.", "application/xhtml", "application/octet")):
        raise not_an_index(source, text)
    parse = parse_flat if source.layout is Layout.FLAT else parse_simple_html
    return parse(text, page.url, source, project)
