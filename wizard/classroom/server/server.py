"""Hands a pack out to a class: every file that `pack.json` names, with ranges, to many clients; takes results in.

On aiohttp, which is well kept and sends files without copying them (sendfile; TransmitFile on Windows). Nothing but the
list decides what there is: a path that it does not name is 404, whatever lies on the disk, so nothing leads out of the
folder. Plain http, since clients check every byte against the profile's hashes.

One file, since the routes share the list, the limits and the counts of one loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from urllib.parse import unquote

from aiohttp import web

import wizard
from wizard.classroom.pack.listing import LISTING, PROFILE, RESULTS, PackListing, listing_to_json
from wizard.classroom.results.certificate import MOST_BYTES, Certificate, now, parse, write_into
from wizard.classroom.results.proof import (
    CHALLENGE,
    CLASS,
    FORGED,
    NONE,
    OWN,
    Challenges,
    Reason,
    RefusedResult,
    made_class_key,
    note_refused,
    standing,
)
from wizard.classroom.server.limits import ConnectionLimit, Limits, PendingConnection, RateLimit, hang_up
from wizard.classroom.server.serving import Served, reply, served_of
from wizard.model.errors import WizardError
from wizard.system import moving

DEFAULT_PORT = 8765
_WAITING = 512
_KEEP_ALIVE = 20.0
_RESULT_SECONDS = 30.0  # for half a megabyte
_STOP_SECONDS = 3.0
_PROVEN = (FORGED, NONE, OWN, CLASS)  # the least first
_MOST_COUNTED = 1000  # addresses: one computer may have any number
_MOST_LOOKED_AT = 500  # results of a full room, for one that wants a place in it


@dataclass(slots=True)
class Counted:
    """What the server has done so far; read from any thread."""

    bytes_sent: int = 0
    replies: int = 0
    refused: int = 0
    results: int = 0
    clients: set[str] = field(default_factory=set)
    too_many: Counter[str] = field(default_factory=Counter)  # results beyond what one may hand in, by address


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """`host` "" is every address of this computer. `any_port`: where `port` is taken, another will do."""

    host: str = ""
    port: int = DEFAULT_PORT
    limits: Limits = Limits()
    any_port: bool = False


@dataclass(frozen=True, slots=True)
class Content:
    """What there is to serve: path -> file, and the list itself. `results` None: no certificates are taken in.
    `class_key`: what students type behind the code, so that their results are proven."""

    profile_sha256: str
    listing: bytes
    files: Mapping[str, Served]
    results: Path | None = None
    class_key: str = ""


class PackServer:
    """A context: serving from enter to exit, in a thread of its own."""

    def __init__(
        self,
        content: Content,
        options: ServeOptions,
        on_result: Callable[[Certificate], None] = lambda value: None,
        on_refused: Callable[[RefusedResult], None] = lambda refused: None,
    ) -> None:
        self._content, self._options = content, options
        self._on_result, self._on_refused = on_result, on_refused
        self._challenges = Challenges()
        self._gate = RateLimit(options.limits)
        self.counted = Counted()
        self._ready: Future[int] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> PackServer:
        """Raises WizardError `share-port` when it cannot listen there."""
        self._thread.start()
        try:
            self._ready.result()
        except OSError as error:
            raise WizardError(
                "share-port",
                "Nothing can be served on port {port}: it is taken or not allowed.",
                "Choose another one[| (--port)], or an address that this computer has[| (--host)].",
                details=str(error),
                port=self._options.port,
            ) from error
        return self

    def __exit__(self, *error: object) -> None:
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    @property
    def port(self) -> int:
        return self._ready.result()

    # -- in the server's thread ------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        self._loop.set_exception_handler(lambda loop, context: None)  # what a stranger sends is no news for a screen
        application = web.Application(client_max_size=self._options.limits.result_bytes)
        application.router.add_route("POST", "/results", self._take)
        application.router.add_route("GET", f"/{CHALLENGE}", self._challenge)
        application.router.add_route("GET", "/{path:.*}", self._give)
        application.router.add_route("HEAD", "/{path:.*}", self._give)
        runner = web.AppRunner(
            application,
            access_log=None,
            keepalive_timeout=_KEEP_ALIVE,
            shutdown_timeout=_STOP_SECONDS,
            handler_cancellation=True,
            logger=_SILENT,
            auto_decompress=False,  # no result of ours is packed; a bomb is no result
        )
        await runner.setup()
        crowd = ConnectionLimit(self._options.limits.together)
        try:
            listening = await self._listen(runner, crowd)
            # A port that the system chooses is another one for IPv6; ours are told as IPv4 (`own_addresses`).
            heard = sorted((sock.getsockname() for sock in listening.sockets), key=len)
            self._ready.set_result(int(heard[0][1]))
            await self._over.wait()
            await crowd.shut(listening)
        finally:
            await runner.cleanup()
            await crowd.send_away()

    async def _listen(self, runner: web.AppRunner, crowd: ConnectionLimit) -> asyncio.Server:
        """Raises OSError."""
        inner = runner.server
        assert inner is not None  # it was set up
        loop, host, port = asyncio.get_running_loop(), self._options.host or None, self._options.port
        try:
            return await loop.create_server(lambda: PendingConnection(crowd, inner), host, port, backlog=_WAITING)
        except OSError:
            if not (self._options.any_port and port):
                raise
        return await loop.create_server(lambda: PendingConnection(crowd, inner), host, 0, backlog=_WAITING)

    async def _give(self, request: web.Request) -> web.StreamResponse:
        client = request.remote or ""
        # The raw path: what decoding makes of it is looked up in the list, never joined to a folder.
        path = unquote(request.rel_url.raw_path).lstrip("/") or "index.html"
        if path.endswith("/"):
            path += "index.html"
        served = self._content.files.get(path)
        if served is None and path != LISTING:
            return web.Response(status=404, text="not in this pack\n")
        turn = self._gate.enter(client, lambda: _hang_up(request))
        if turn is None:
            self.counted.refused += 1
            return web.Response(status=503, headers={"Retry-After": self._gate.retry_after()}, text="busy\n")
        try:
            self.counted.clients.add(client)
            if served is None:
                return web.Response(body=self._content.listing, content_type="application/json", headers=_SERVER)
            response = await reply(request, served, turn.sent)
            self.counted.replies += 1
            self.counted.bytes_sent += response.content_length or 0
            return response
        except (ConnectionError, asyncio.TimeoutError):
            _cut(request)  # the other side is gone, or as good as
            return web.Response(status=408)
        finally:
            self._gate.leave(turn)

    async def _challenge(self, request: web.Request) -> web.StreamResponse:
        if self._content.results is None:
            return web.Response(status=403, text="no results here\n")
        return web.Response(text=f"{self._challenges.new()}\n")

    async def _take(self, request: web.Request) -> web.StreamResponse:
        client = request.remote or ""
        folder = self._content.results
        if folder is None:
            return web.Response(status=403, text="no results here\n")
        if not self._gate.may_hand_in(client):
            self.counted.too_many[client if len(self.counted.too_many) < _MOST_COUNTED else "…"] += 1
            return web.Response(status=429, headers={"Retry-After": "600"}, text="too many\n")
        try:
            body = await asyncio.wait_for(request.read(), _RESULT_SECONDS)
            value = parse(body, received=round(now(), 1))
        except WizardError as error:
            return web.Response(status=400, text=f"{error.details}\n")
        except asyncio.TimeoutError:
            return web.Response(status=408, headers={"Connection": "close"}, text="too slow\n")
        if value.profile_sha256 != self._content.profile_sha256:
            return web.Response(status=409, text="another profile\n")
        if value.proof and not self._challenges.use(value.proof.challenge):
            return self._refuse(value, client, folder, "replayed")
        try:
            if not await asyncio.get_running_loop().run_in_executor(None, self._keep, folder, value):
                return self._refuse(value, client, folder, "forged")
        except OSError:
            return web.Response(status=507, text="no room\n")
        self.counted.results += 1
        self._on_result(value)
        return web.Response(status=201, text="kept\n")

    def _refuse(self, value: Certificate, client: str, folder: Path, reason: Reason) -> web.Response:
        refused = RefusedResult(round(now(), 1), client, value.machine[:8], reason)
        with contextlib.suppress(OSError):
            note_refused(folder.parent, refused)
        self._on_refused(refused)
        return web.Response(status=403, text=f"{reason}\n")

    def _keep(self, folder: Path, value: Certificate) -> bool:
        """Return False for one that its computer did not write so. Raises OSError."""
        proof = standing(value.statement, value.proof, "")
        if proof == FORGED or (proof == NONE and _is_signed(folder / value.filename)):
            return False
        folder.mkdir(exist_ok=True)
        if not (folder / value.filename).exists():
            kept = sum(1 for _ in folder.iterdir())
            if kept >= self._options.limits.results_kept:
                self._make_room(folder, standing(value.statement, value.proof, self._content.class_key))
        write_into(folder, value)
        return True

    def _make_room(self, folder: Path, proof: str) -> None:
        """Let a result that proves more take the place of one that proves less. Raises OSError where there is none."""
        for path in islice(folder.iterdir(), _MOST_LOOKED_AT):
            if _PROVEN.index(_proof_of(path, self._content.class_key)) < _PROVEN.index(proof):
                moving.unlink(path, missing_ok=True)
                return
        raise OSError("too many results")


def _hang_up(request: web.Request) -> None:
    if request.transport is not None:
        hang_up(request.transport)


def _cut(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()


def _is_signed(path: Path) -> bool:
    """Return whether a result of that computer is there which it has signed."""
    return _proof_of(path, "") not in (NONE, FORGED)


def _proof_of(path: Path, class_key: str) -> str:
    """Return what a kept result proves; what cannot be read proves nothing."""
    try:
        with path.open("rb") as stream:
            kept = parse(stream.read(MOST_BYTES + 1))
    except (OSError, WizardError):
        return NONE
    return standing(kept.statement, kept.proof, class_key)


_SILENT = logging.getLogger(__name__)  # a request that is none would put a traceback on the screen of whoever serves
_SILENT.disabled = True


_SERVER = {"X-Content-Type-Options": "nosniff", "Server": f"torch-setup/{wizard.__version__}"}


def content_of_pack(folder: Path, listing: PackListing, damaged: frozenset[str] = frozenset()) -> Content:
    """`damaged`: paths that `pack check` has found wrong; they are not handed out."""
    files: dict[str, Served] = {}
    for entry in listing.entries:
        if entry.path not in damaged and not any(part.path in damaged for part in entry.files):
            files.update(served_of(folder, entry))
    return Content(listing.profile_sha256, listing_to_json(listing), files, folder / RESULTS, made_class_key(folder))


def content_of_downloads(profile: Path, listing: PackListing, files: Mapping[str, Path]) -> Content:
    """What a finished client has: `files` is path in the list -> where it lies here."""
    served = {
        entry.path: Served([(files[entry.path], entry.size)], entry.size, entry.sha256, "application/octet-stream")
        for entry in listing.entries
        if entry.path in files
    }
    size = profile.stat().st_size
    served[PROFILE] = Served([(profile, size)], size, listing.profile_sha256, "application/octet-stream")
    return Content(listing.profile_sha256, listing_to_json(listing), served)
