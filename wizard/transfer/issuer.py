"""Who signed the certificate that a server shows? For the sentence about a certificate that is not trusted.

Python tells nothing of a certificate that it refuses. So the server is asked once more, by a connection that
trusts nobody at all (an empty store): it cannot succeed, no request is ever sent on it, and in TLS 1.2 the
certificates go by in the clear. Where a server knows only TLS 1.3 the answer is not known.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from wizard.transfer.proxy.bypass import proxy_for
from wizard.transfer.proxy.tunnel import open_tunnel
from wizard.transfer.tls import context_for

_SECONDS = 3.0
_MOST = 256 * 1024
_HANDSHAKE_RECORD, _CERTIFICATE_MESSAGE = 22, 11
_COMMON_NAME, _ORGANIZATION = b"\x55\x04\x03", b"\x55\x04\x0a"  # 2.5.4.3, 2.5.4.10
_LONGEST = 80


def issuer_of(url: str, environment: Mapping[str, str]) -> str | None:
    """The name of the authority at the end of the chain that the server sends, or None."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or 443
    try:
        proxy = proxy_for(url, environment)
        if proxy:
            sock = open_tunnel(proxy, host, port, _SECONDS, lambda: context_for(environment))
        else:
            sock = socket.create_connection((host, port), _SECONDS)
        with sock:
            certificates = certificates_in(_overheard(sock, host))
        return issuer_name(certificates[-1]) if certificates else None
    except (OSError, ValueError, IndexError):
        return None


def _overheard(sock: socket.socket, host: str) -> bytes:
    """What the server sends up to the moment when we refuse it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_hostname=host)
    heard = b""
    while len(heard) < _MOST:
        try:
            tls.do_handshake()
        except ssl.SSLWantReadError:
            sock.sendall(outgoing.read())
            piece = sock.recv(16384)
            if not piece:
                break
            heard += piece
            incoming.write(piece)
        except ssl.SSLError:
            break
    return heard


def certificates_in(stream: bytes) -> list[bytes]:
    """The DER certificates in the clear part of a TLS 1.2 server's words."""
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
