"""Why a connection did not come about, told apart: certificates and proxies, with the words for each.

What a person does about an unknown authority, a wrong clock, a proxy that wants a password differs, and the
libraries say all of it as one long line. Anything else (no network, a time-out) is not told here.
"""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import socks
from urllib3.exceptions import ProxyError

from wizard.model.messages import Param, Words
from wizard.transfer.issuer import issuer_of
from wizard.transfer.proxy.bypass import proxy_for, shown
from wizard.transfer.proxy.tunnel import ProxyFault, socks_kind

AUTHORITY, ISSUER, EXPIRED = "network-tls-authority", "network-tls-issuer", "network-tls-expired"
CLOCK, HOST = "network-tls-clock", "network-tls-host"
LOGIN, OFFLINE, REFUSED = "network-proxy-login", "network-proxy-offline", "network-proxy-refused"
_PROXY = {"login": LOGIN, "offline": OFFLINE, "refused": REFUSED}
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
    (re.compile(r"tunnel error: (?:unsuccessful|unexpected)", re.I), REFUSED),
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
