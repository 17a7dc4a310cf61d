"""The sources of a lock as one index on loopback, the only one that the resolver is given.

The resolver would follow whatever a page links to (file://, shares, plain http), wait for a page that drips, and fetch
a wheel whole, unseen, where a page names no hash or no metadata. So pages are read by our own client with its limits;
only links that may be followed are handed on, and metadata come from beside the wheel or from its end, bounded. Where
no server of a wheel sends parts, the resolver is told no, the wheel is fetched as any other download is, and the
resolver is asked again: it waits for no download. What the pages said of each file is put into the lock afterwards. The
resolver's own default index stays its own.

One file: what is served and what is believed of it are one decision.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlsplit

from wizard.install.lock import LockRequest, compile_lock, without_login
from wizard.model.distributions import FAMILY
from wizard.model.errors import WizardError
from wizard.model.lock import LOCK_DAMAGED, LOCK_REFUSED, Lock, LockedFile
from wizard.process import redact
from wizard.run.plan.computed import Asker, fetched, here
from wizard.run.select.source_catalog import is_main
from wizard.sources.model import Offer, Source, UserSettings
from wizard.sources.read import Reader, default_index_url, promiser
from wizard.sources.remote_wheel import read_metadata
from wizard.transfer.http import CONNECT_TIMEOUT, READ_TIMEOUT, SourceUnreachable, list_headers
from wizard.transfer.proxy.environment import with_direct

_JSON = "application/vnd.pypi.simple.v1+json"
Answer = Callable[[str], tuple[int, bytes]]


class AnswerServer(ThreadingHTTPServer):
    """`answer`: path -> (status, body), called on the server's threads."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """The child was cancelled and went away."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: AnswerServer

    def log_message(self, format: str, *args: object) -> None:
        """Addresses may hold a password."""

    def do_GET(self) -> None:
        status, body = self.server.answer(self.path)
        self.send_response(status)
        self.send_header("Content-Type", _JSON if body[:1] == b"{" else "application/octet-stream")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")  # the next time this index has another address
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)


_TIMEOUTS = (CONNECT_TIMEOUT, READ_TIMEOUT)
_AT_ONCE = 12
_FAILED = 424  # told of every failure that has no status of its own: the resolver does not ask again
_GATHERING = 0.3  # seconds in which the resolver names further wheels that must come whole: they come together
_DENIED = (401, 403)  # of a page: the resolver goes on with the other indexes and says so
_PATH = re.compile(r"^/(?P<token>[\w-]+)/(?P<kind>index|file)/(?P<number>\d+)/(?P<name>[^/]+)/?$")


class CheckedIndex:
    """`with CheckedIndex(sources, settings, asker) as index: index.lock(request, workdir)`.

    `further`: role -> sources that may have the same files, asked for metadata where a file's own does not give them.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        settings: UserSettings,
        asker: Asker,
        further: Mapping[str, Sequence[Source]] | None = None,
    ) -> None:
        self._asker, self._further = asker, further or {}
        self._sources = [source for source in dict.fromkeys(sources) if source.url is not None]
        self._reader = Reader(settings, _TIMEOUTS, headers=list_headers())
        self._asking = threading.BoundedSemaphore(_AT_ONCE)
        self._lock = threading.Lock()
        self._wanted: dict[Offer, LockedFile] = {}  # whole
        self._whole: dict[Offer, Path] = {}
        self._offers: list[Offer] = []
        self._numbers: dict[Offer, int] = {}
        self._failures: list[tuple[Offer | None, WizardError]] = []
        self._http = AnswerServer(self.answer)
        self._token = secrets.token_urlsafe(16)  # other users of this computer are not to read a private index here
        self._root = f"http://127.0.0.1:{self._http.server_address[1]}/{self._token}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> CheckedIndex:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, _: TracebackType | None) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._reader.close()

    # -- before and after ------------------------------------------------------------------------------------

    def lock(self, request: LockRequest, workdir: Path) -> Lock:
        """Raises as `compile_lock`, SourceUnreachable, WizardError `fetch-…`."""
        asked = self.request(request)
        while True:
            self._failures.clear()
            try:
                return self._restored(compile_lock(asked, workdir, lambda line: None, self._asker.is_cancelled))
            except WizardError as error:
                if not self._fetch_wanted(request.environment):
                    raise self._cause(error) from error

    def _fetch_wanted(self, environment: Mapping[str, str]) -> bool:
        """What must come whole; False when nothing must."""
        wanted, self._wanted = self._wanted, {}
        if not wanted:
            return False
        try:
            self._whole.update(zip(wanted, fetched(list(wanted.values()), environment, self._asker), strict=True))
        except WizardError as error:
            offer = next((one for one in wanted if _whole_file(one, (one,)).release == error.params.get("file")), None)
            told = error.params | ({"source": offer.source.label} if offer else {})
            raise WizardError(error.words, details=error.details, **told) from error
        return True

    def request(self, request: LockRequest) -> LockRequest:
        """The same question, asked of this index."""
        return replace(
            request,
            torch_index=request.torch_index
            and self._address(request.torch_index, request.torch_layout, is_torchs=True),
            torch_layout="simple",
            default_index=request.default_index and self._address(request.default_index),
            extra_indexes=tuple(map(self._address, request.extra_indexes)),
            find_links=tuple(self._address(url, request.links_layout) for url in request.find_links),
            added_links=tuple(self._address(url, request.links_layout) for url in request.added_links),
            links_layout="simple",
            environment=with_direct(request.environment, [self._root]),
        )

    def _address(self, url: str, layout: str = "simple", is_torchs: bool = False) -> str:
        """The resolver's own default index stays what it is, also by its address. One address may serve several options
        (torch's comes first): each is read in its own way, and told by its own name."""
        numbers = [n for n, one in enumerate(self._sources) if (one.url, one.layout.value) == (url, layout)]
        return f"{self._root}/index/{numbers[0 if is_torchs else -1]}" if numbers else url

    def _restored(self, lock: Lock) -> Lock:
        """With the files' own addresses, and the hashes that the pages promised: "" where they promised none."""
        text, files = lock.text, []
        for file in lock.files:
            offer = self._offer_at(file.urls[0])
            if offer is None:  # from the resolver's own default index
                files.append(replace(file, promised_by=_default_host(file)))
                continue
            url = without_login(offer.url)
            text = text.replace(file.urls[0], url)
            if offer.sha256 is None:
                text = re.sub(rf"hashes = \{{ sha256 = \"{file.sha256}\" \}}", "hashes = {}", text)
            known = replace(file, urls=(url,), sha256=offer.sha256 or "", size=offer.size, promised_by=promiser(offer))
            files.append(replace(known, listed_by=without_login(offer.source.url or "")))
        return replace(lock, files=tuple(files), text=self._told(text))

    def _told(self, text: str) -> str:
        """What the resolver said, with the sources' own addresses."""
        for number, source in enumerate(self._sources):
            text = text.replace(f"{self._root}/index/{number}", without_login(source.url or "").rstrip("/"))
        return re.sub(
            rf"{re.escape(self._root)}/file/(\d+)/[^\s\"'`)]*",
            lambda found: (
                without_login(self._offers[int(found[1])].url) if int(found[1]) < len(self._offers) else found[0]
            ),
            text,
        )

    def _cause(self, error: WizardError) -> WizardError:
        """Why the resolver failed, where it was one of our answers."""
        if error.code == "lock-no-solution" and not self._failures:
            return self._no_solution(self._told(error.details))
        if not error.code.startswith("lock-") or not self._failures:
            return error
        offer, failure = self._failures[-1]
        details = f"{failure.details}\n{self._told(error.details)}"
        if offer is not None and failure.code == "wheel-unreadable":
            return WizardError(LOCK_DAMAGED, details=details, package=f"{offer.project} {offer.version}")
        status = failure.params.get("status")
        if offer is None or status is None:
            return type(failure)(failure.words, details=details, **failure.params)
        host = urlsplit(offer.url).hostname or "-"
        return WizardError(LOCK_REFUSED, details=details, host=host, status=status, file=offer.filename)

    def _no_solution(self, details: str) -> WizardError:
        """Without a wheel that a page names, where that may not be fetched from there."""
        found = self._reader.refused(re.findall(r"[a-z0-9][a-z0-9-]*", details.lower()))
        if found is None:
            return WizardError("lock-no-solution", details=details)
        source, index = found[0].label, redact(found[0].url or "-")
        return WizardError(
            "lock-links-refused",
            "The packages that you asked for do not go together without {address}: {source} "
            "({index}) links to it, and no index may send this computer there.",
            "Choose another source, or tell the people who run it: packages come from https addresses only.",
            details=details,
            source=source,
            index=index,
            address=found[1],
        )

    # -- called by the handler, on its threads ---------------------------------------------------------------

    def answer(self, path: str) -> tuple[int, bytes]:
        """Return status and bytes for a path that the resolver asks for; without our token it gets nothing."""
        found = _PATH.match(path)
        if not found or not secrets.compare_digest(found["token"], self._token):
            return 404, b""
        with self._asking:
            if found["kind"] == "index":
                return self._page(int(found["number"]), found["name"])
            return self._metadata(int(found["number"]), found["name"])

    def _page(self, number: int, project: str) -> tuple[int, bytes]:
        if number >= len(self._sources):
            return 404, b""
        try:
            offers = self._reader.offers(self._sources[number], project)
        except SourceUnreachable as failure:
            status = failure.params.get("status")
            if status in _DENIED:
                return int(status), b""
            return self._failed(None, failure)
        sources = self._reader.sources(self._sources[number], project)
        # Else one with the source alone would stand before the next index, which may have wheels; the main one is last.
        if not offers and not (sources and is_main(self._sources[number])):
            return 404, b""
        files = [*map(self._entry, offers), *(self._named(project, str(version)) for version in sources)]
        page = {"meta": {"api-version": "1.1"}, "name": project, "files": files}
        return 200, json.dumps(page).encode()

    def _named(self, project: str, version: str) -> dict[str, Any]:
        """A source distribution, which is never handed out: the resolver is to know why it has no wheel of that."""
        name = f"{project}-{version}.tar.gz"
        return {"url": f"{self._root}/source/{quote(name)}", "filename": name, "hashes": {}}

    def _entry(self, offer: Offer) -> dict[str, Any]:
        with self._lock:
            number = self._numbers.setdefault(offer, len(self._offers))
            if number == len(self._offers):
                self._offers.append(offer)
        entry = {
            "url": f"{self._root}/file/{number}/{quote(offer.filename)}",
            "filename": offer.filename,
            "hashes": {"sha256": offer.sha256 or _stand_in(offer)},
            "core-metadata": True,
            "yanked": offer.yanked,
        }
        known = {"size": offer.size, "requires-python": offer.requires_python}
        return entry | {name: value for name, value in known.items() if value is not None}

    def _metadata(self, number: int, name: str) -> tuple[int, bytes]:
        """The wheel itself is never handed out: it is fetched once, seen, after everybody agreed."""
        if number >= len(self._offers) or not name.endswith(".metadata"):
            return 404, b""
        offer = self._offers[number]
        try:
            return 200, self._read(offer)
        except SourceUnreachable as failure:
            return self._failed(offer, failure)

    def _read(self, offer: Offer) -> bytes:
        """From the first that gives them, next to which the file itself may be had whole."""
        if (known := self._read_here(offer)) is not None:
            return known
        failures: list[SourceUnreachable] = []
        givers: list[Offer] = []
        for one in self._same(offer):
            try:
                return read_metadata(self._reader.client, one)
            except SourceUnreachable as failure:
                failures.append(failure)
                givers += [one] if failure.code == "source-no-ranges" else []
        if givers:
            with self._lock:
                self._wanted[offer] = _whole_file(offer, givers)
            time.sleep(_GATHERING)
        raise failures[0]

    def _read_here(self, offer: Offer) -> bytes | None:
        """Of a wheel that this computer has."""
        path = self._whole.get(offer) or here(_whole_file(offer, (offer,)))
        if path is None:
            return None
        try:
            return read_metadata(self._reader.client, replace(offer, url=path.as_uri()))
        except SourceUnreachable:
            if path.exists():
                raise
            return None  # its folder was removed meanwhile

    def _same(self, offer: Offer) -> Iterator[Offer]:
        """The file at its source, then at the further ones, which are asked only when it comes to that."""
        yield offer
        role = "torch" if offer.project in FAMILY else "packages"
        for source in self._further.get(role, ()):
            with contextlib.suppress(SourceUnreachable):
                for one in self._reader.offers(source, offer.project):
                    if one.filename == offer.filename and one.url != offer.url and _agree(one, offer):
                        yield one

    def _failed(self, offer: Offer | None, failure: WizardError) -> tuple[int, bytes]:
        self._failures.append((offer, failure))
        return _FAILED, b""

    def _offer_at(self, url: str) -> Offer | None:
        found = re.match(rf"{re.escape(self._root)}/file/(\d+)/", url)
        return self._offers[int(found[1])] if found else None


def _default_host(file: LockedFile) -> str:
    try:
        return urlsplit(default_index_url()).hostname or ""
    except SourceUnreachable:
        return urlsplit(file.urls[0]).hostname or ""


def _agree(one: Offer, other: Offer) -> bool:
    return not (one.sha256 and other.sha256 and one.sha256 != other.sha256)


def _whole_file(offer: Offer, givers: Sequence[Offer]) -> LockedFile:
    """From all of them where somebody promised what it must be, else from its own source alone."""
    sha256 = next((one.sha256 for one in (offer, *givers) if one.sha256), "")
    urls = [one.url for one in givers] if sha256 else [(givers[0] if offer not in givers else offer).url]
    return LockedFile(offer.project, str(offer.version), offer.filename, tuple(urls), sha256, offer.size)


def _stand_in(offer: Offer) -> str:
    """Where no hash is promised: one of nothing, else the resolver would fetch the file to take it. It never leaves."""
    return hashlib.sha256(f"no hash was promised for {offer.url}".encode()).hexdigest()
