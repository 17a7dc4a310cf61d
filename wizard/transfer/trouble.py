"""Why a connection did not come about, told apart: certificates and proxies, with the words for each.

What a person does about an unknown authority, a wrong clock, a proxy that wants a password differs, and the
libraries say all of it as one long line. Anything else (no network, a time-out) is not told here.
"""

from __future__ import annotations

import contextlib
import re
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import socks

from wizard.model.messages import Param, Words
from wizard.transfer.proxy.bypass import proxy_for, shown
from wizard.transfer.proxy.tunnel import ProxyFault, open_tunnel, socks_kind
from wizard.transfer.tls import context_for

# Who signed the certificate that a server shows? For the sentence about a certificate that is not trusted.
#
# Python tells nothing of a certificate that it refuses. So the server is asked once more, by a connection that trusts
# nobody at all (an empty store): it cannot succeed, no request is ever sent on it, and in TLS 1.2 the certificates go
# by in the clear. Where a server knows only TLS 1.3 the answer is not known.

_SECONDS = 3.0
_MOST = 256 * 1024
_HANDSHAKE_RECORD, _CERTIFICATE_MESSAGE = 22, 11
_COMMON_NAME, _ORGANIZATION = b"\x55\x04\x03", b"\x55\x04\x0a"  # 2.5.4.3, 2.5.4.10
_LONGEST = 80


def issuer_of(url: str, environment: Mapping[str, str]) -> str | None:
    """Return the name of the authority at the end of the chain that the server sends, or None."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or 443
    try:
        proxy = proxy_for(url, environment)
        if proxy:
            sock = open_tunnel(proxy, host, port, _SECONDS, lambda: context_for(environment))
        else:
            sock = socket.create_connection((host, port), _SECONDS)
        with sock:
            certificates = certificates_in(_received(sock, host))
        return issuer_name(certificates[-1]) if certificates else None
    except (OSError, ValueError, IndexError):
        return None


def _received(sock: socket.socket, host: str) -> bytes:
    """Return what the server sends up to the moment when we refuse it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_hostname=host)
    received = b""
    while len(received) < _MOST:
        try:
            tls.do_handshake()
        except ssl.SSLWantReadError:
            sock.sendall(outgoing.read())
            piece = sock.recv(16384)
            if not piece:
                break
            received += piece
            incoming.write(piece)
        except ssl.SSLError:
            break
    return received


def certificates_in(stream: bytes) -> list[bytes]:
    """Return the DER certificates in the clear part of a TLS 1.2 server's words."""
    messages = b"".join(_records(stream))
    at = 0
    while at + 4 <= len(messages):
        kind, length = messages[at], int.from_bytes(messages[at + 1 : at + 4], "big")
        if kind == _CERTIFICATE_MESSAGE:
            return list(_listed(messages[at + 7 : at + 4 + length]))
        at += 4 + length
    return []


def _records(stream: bytes) -> Iterator[bytes]:
    at = 0
    while at + 5 <= len(stream) and stream[at] == _HANDSHAKE_RECORD:
        length = int.from_bytes(stream[at + 3 : at + 5], "big")
        yield stream[at + 5 : at + 5 + length]
        at += 5 + length


def _listed(data: bytes) -> Iterator[bytes]:
    at = 0
    while at + 3 <= len(data):
        length = int.from_bytes(data[at : at + 3], "big")
        yield data[at + 3 : at + 3 + length]
        at += 3 + length


def issuer_name(der: bytes) -> str | None:
    """`Lab Root CA (Example University)`: common name and organization of the issuer. Raises ValueError, IndexError."""
    _, certificate, _ = _element(der)
    _, signed, _ = _element(certificate)
    elements = list(_elements(signed))
    if elements[0][0] == 0xA0:  # the version is optional
        elements = elements[1:]
    names: dict[bytes, str] = {}
    for _, part in _elements(elements[2][1]):  # serial number, algorithm, issuer
        for _, pair in _elements(part):
            (_, kind), (tag, value) = list(_elements(pair))[:2]
            names.setdefault(kind, _text(tag, value))
    common, organization = names.get(_COMMON_NAME, ""), names.get(_ORGANIZATION, "")
    if common and organization and organization not in common:
        return f"{common} ({organization})"
    return common or organization or None


def _element(data: bytes) -> tuple[int, bytes, bytes]:
    """(tag, content, rest) of one DER element."""
    tag, length, at = data[0], data[1], 2
    if length & 0x80:
        count = length & 0x7F
        length, at = int.from_bytes(data[2 : 2 + count], "big"), 2 + count
    if at + length > len(data):
        raise ValueError("cut short")
    return tag, data[at : at + length], data[at + length :]


def _elements(data: bytes) -> Iterator[tuple[int, bytes]]:
    while data:
        tag, content, data = _element(data)
        yield tag, content


def _text(tag: int, value: bytes) -> str:
    """A stranger wrote it: only what can be shown, and not too much of it."""
    words = ""
    with contextlib.suppress(UnicodeDecodeError):
        words = value.decode("utf-16-be" if tag == 0x1E else "utf-8")
    return "".join(letter for letter in words if letter.isprintable())[:_LONGEST]


AUTHORITY, ISSUER, EXPIRED = "network-tls-authority", "network-tls-issuer", "network-tls-expired"
CLOCK, HOST = "network-tls-clock", "network-tls-host"
LOGIN, OFFLINE, REFUSED = "network-proxy-login", "network-proxy-offline", "network-proxy-refused"
CLOSED = "network-proxy-closed"
MAY_PASS = (OFFLINE, CLOSED)  # the way is away, and may come back by itself
_PROXY = {"login": LOGIN, "offline": OFFLINE, "closed": CLOSED, "refused": REFUSED}
# OpenSSL's X509_V_ERR_*, and Windows' CERT_E_* where truststore asks Windows.
_VERIFY = {
    9: CLOCK,
    10: EXPIRED,
    62: HOST,
    63: HOST,
    64: HOST,
    2: AUTHORITY,
    18: AUTHORITY,
    19: AUTHORITY,
    20: AUTHORITY,
    21: AUTHORITY,
    27: AUTHORITY,
    0x800B0101: EXPIRED,
    0x800B010F: HOST,
    0x800B0109: AUTHORITY,
    0x800B010A: AUTHORITY,
    0x800B0112: AUTHORITY,
}
_TUNNEL = re.compile(r"Tunnel connection failed: (\d{3})")
# What uv and rattler (reqwest, rustls) print.
_SAID = (
    (re.compile(r"invalid peer certificate: (?:UnknownIssuer|Other\(.*CaUsedAsEndEntity)", re.I), AUTHORITY),
    (re.compile(r"invalid peer certificate: (?:Expired|certificate expired)", re.I), EXPIRED),
    (re.compile(r"invalid peer certificate: (?:NotValidYet|certificate not valid yet)", re.I), CLOCK),
    (re.compile(r"invalid peer certificate: (?:NotValidForName|certificate not valid for name)", re.I), HOST),
    (re.compile(r"proxy authorization required|SOCKS error: credentials not accepted", re.I), LOGIN),
    (re.compile(r"tunnel error: failed to create underlying connection", re.I), OFFLINE),
    (re.compile(r"tunnel error: unsuccessful", re.I), REFUSED),
    (re.compile(r"tunnel error: (?:unexpected end|io error)", re.I), CLOSED),
    (re.compile(r"error connecting to socks proxy", re.I), OFFLINE),
)
_ADDRESS = re.compile(r"https://[^\s)'\"<>]+")
_NOT_BEFORE = 1_767_225_600  # 2026-01-01: this program is younger, so a clock that says less is wrong


@dataclass(frozen=True, slots=True)
class NetworkProblem:
    """`code` and `params` are those of a WizardError: place, proxy, issuer, status."""

    code: str
    params: Mapping[str, Param] = field(default_factory=dict)


def explain(
    error: BaseException, url: str, environment: Mapping[str, str], place: Words = "", now: float | None = None
) -> NetworkProblem | None:
    """`place`: the source's name for people. None: neither a certificate's nor a proxy's trouble.

    For an authority that nobody knows, the server is asked once for its name.
    """
    code, status = _code(error)
    if code is None:
        return None
    if code == EXPIRED and (time.time() if now is None else now) < _NOT_BEFORE:
        code = CLOCK
    return _trouble(code, url, environment, place, status)


def _trouble(
    code: str, url: str, environment: Mapping[str, str], place: Words = "", status: int | None = None
) -> NetworkProblem:
    issuer = issuer_of(url, environment) if code == AUTHORITY else None
    proxy = proxy_for(url, environment)
    params: dict[str, Param] = {
        "place": place or urlsplit(url).hostname or "-",
        "proxy": urlsplit(shown(proxy)).netloc.rpartition("@")[2] if proxy else "-",
        "status": f"HTTP {status}" if status else "-",
        "issuer": issuer or "",
    }
    return NetworkProblem(ISSUER if issuer else code, params)


def explain_text(said: str, environment: Mapping[str, str]) -> NetworkProblem | None:
    """From the words of uv or rattler, which name the address that they could not fetch."""
    code = next((code for pattern, code in _SAID if pattern.search(said)), None)
    named = _ADDRESS.search(said)
    return _trouble(code, named[0] if named else "", environment) if code else None


def _code(error: BaseException) -> tuple[str | None, int | None]:
    from urllib3.exceptions import ProxyError  # who raised it has loaded it

    offline = False
    for link in _chain(error):
        if isinstance(link, ProxyFault):
            return _PROXY[link.kind], link.status
        if isinstance(link, socks.ProxyError):
            return _PROXY[socks_kind(link)], None
        if isinstance(link, ssl.SSLCertVerificationError):
            return _VERIFY.get(link.verify_code & 0xFFFFFFFF), None
        answered = _TUNNEL.search(str(link)) if isinstance(link, OSError) else None
        if answered:
            status = int(answered[1])
            return (LOGIN if status == 407 else REFUSED), status
        offline = offline or isinstance(link, ProxyError)
    return (OFFLINE, None) if offline else (None, None)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and all that it was made of: libraries hide the cause in `args`, `reason` or `__context__`."""
    seen: list[BaseException] = []
    waiting = [error]
    while waiting:
        link = waiting.pop(0)
        if any(link is one for one in seen):
            continue
        seen.append(link)
        inner = (*link.args, getattr(link, "reason", None), link.__cause__, link.__context__)
        waiting += [one for one in inner if isinstance(one, BaseException)]
    yield from seen
