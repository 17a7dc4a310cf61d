"""Brings a certificate to where the class keeps its results: the folder of the pack, or its server.

Straight to the server, never through a proxy: it stands in the same room. To every one that is known, since one that
only pretends to keep it must not be the last word. Small, with short time limits, and never a reason for a setup to
fail.
"""

from __future__ import annotations

import contextlib
import http.client
import threading
import urllib.parse
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from wizard.classroom.pack.listing import RESULTS
from wizard.classroom.results.certificate import Certificate, to_json, write_into
from wizard.model.errors import WizardError
from wizard.process import redact
from wizard.system.sockets import end
from wizard.transfer.download.transport import file_path
from wizard.transfer.proxy.environment import present_environment
from wizard.transfer.proxy.model import Network
from wizard.transfer.tls import CertificateUnreadable, context_for

_SECONDS = 8.0
_WHOLE_SECONDS = 20.0  # who answers a byte now and then is not waited for
_AT_ONCE = 8


def hand_in(bases: Iterable[str], value: Certificate, seconds: float = _WHOLE_SECONDS) -> str:
    """The first place of those that take it. Raises WizardError `share-not-handed-in`, with what each one said."""
    places = list(dict.fromkeys(bases))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        said = list(pool.map(lambda base: _refusal(base, value, seconds), places))
    for base, refusal in zip(places, said, strict=True):
        if refusal is None:
            return base
    raise WizardError("share-not-handed-in", details="\n".join(filter(None, said)))


def _refusal(base: str, value: Certificate, seconds: float) -> str | None:
    """None: it was taken."""
    try:
        if base.startswith("file:"):
            write_into(file_path(base) / RESULTS, value)
        else:
            _post(base, value, seconds)
    except (OSError, http.client.HTTPException, ValueError, AttributeError, CertificateUnreadable) as error:
        return f"{redact(base)}: {redact(str(error))}"  # AttributeError: cut while it was read
    return None


@contextlib.contextmanager
def _within(connection: http.client.HTTPConnection, seconds: float) -> Iterator[None]:
    """Afterwards it is cut, so that what reads from it ends. Raises TimeoutError then."""
    late = threading.Event()

    def cut() -> None:
        late.set()
        if connection.sock:
            end(connection.sock)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    if late.is_set():  # a head that was cut off may look whole
        raise TimeoutError(f"no answer in {seconds:g} seconds")


def _post(base: str, value: Certificate, seconds: float) -> None:
    parts = urllib.parse.urlsplit(base)
    host = parts.hostname or ""
    connection = (
        http.client.HTTPSConnection(host, parts.port, timeout=_SECONDS, context=context_for(_variables()))
        if parts.scheme == "https"
        else http.client.HTTPConnection(host, parts.port, timeout=_SECONDS)
    )
    with contextlib.closing(connection), _within(connection, seconds):
        connection.request("POST", parts.path + "results", to_json(value), {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status not in (200, 201):
            raise ValueError(f"HTTP {response.status} {response.read(200).decode(errors='replace').strip()}")


def _variables() -> dict[str, str]:
    return dict(present_environment(Network()))
