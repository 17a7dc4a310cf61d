"""The HTTP side of reading sources: certificates, proxies, redirects, limits. It knows nothing of packages.

The system's certificate store decides (labs install their own authority there), unless a bundle is named
by the user's pip settings or the usual variables. Verification cannot be switched off.
"""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

import requests
import truststore
from requests.adapters import HTTPAdapter

from wizard import __version__
from wizard.mirrors.address import is_loopback, may_follow
from wizard.mirrors.unreachable import SourceUnreachable, explain_failure
from wizard.process import redact

USER_AGENT = f"torch-setup/{__version__} python-requests/{requests.__version__}"
CONNECT_TIMEOUT, READ_TIMEOUT = 5.0, 15.0  # seconds; READ is the longest silence
_LONGEST = 60.0  # seconds for one page, however steadily it drips
_MOST_BYTES = 48 * 1024 * 1024
_MOST_REDIRECTS = 10
_DIRECT = {"http": "", "https": ""}  # this computer is never behind a proxy
_BUNDLE_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


@dataclass(frozen=True, slots=True)
class Page:
    url: str  # after redirects
    status: int
    content_type: str
    body: bytes
    content_range: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)  # names in small letters

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", errors="replace")


class _SystemStoreAdapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, ssl_context=_system_store(), **kwargs)

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        return super().proxy_manager_for(proxy, ssl_context=_system_store(), **kwargs)


def _system_store() -> ssl.SSLContext:
    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def certificate_bundle(configured: str | None, environ: Mapping[str, str]) -> str | None:
    """The file that replaces the system's store, or None. The order is pip's."""
    named = (configured, *(environ.get(name) for name in _BUNDLE_VARIABLES))
    return next((path for path in named if path), None)


class Client:
    """One connection pool. `certificate` and `proxy` are the user's settings; variables count too."""

    def __init__(
        self,
        certificate: str | None = None,
        proxy: str | None = None,
        timeouts: tuple[float, float] = (CONNECT_TIMEOUT, READ_TIMEOUT),
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._timeouts = timeouts
        self._session = requests.Session()
        self._session.headers["User-Agent"] = USER_AGENT
        bundle = certificate_bundle(certificate, os.environ if environ is None else environ)
        self._verify: bool | str = bundle or True
        if bundle is None:
            self._session.mount("https://", _SystemStoreAdapter())
        if proxy and "://" not in proxy:
            proxy = f"http://{proxy}"
        self._proxies = {"http": proxy, "https": proxy} if proxy else None

    def close(self) -> None:
        self._session.close()

    def get(
        self, url: str, source: str, headers: Mapping[str, str], most_bytes: int | None = None,
        goes_on: Callable[[int], bool] | None = None,
    ) -> Page:  # fmt: skip
        """Follows redirects that stay safe; reads at most `most_bytes`. Raises SourceUnreachable.

        A status is no failure here: the caller knows what 404 means. `goes_on` is asked with the number of bytes
        that came; False ends the reading there.
        """
        for _ in range(_MOST_REDIRECTS + 1):
            try:
                with self._session.get(
                    url, headers=dict(headers), timeout=self._timeouts, stream=True,
                    allow_redirects=False, verify=self._verify,
                    proxies=_DIRECT if is_loopback(urlsplit(url).hostname) else self._proxies,
                ) as response:  # fmt: skip
                    if not response.is_redirect:
                        return self._read(response, url, most_bytes, goes_on)
                    target = _redirect_target(url, response.headers["Location"])
            except (requests.exceptions.RequestException, OSError, ValueError) as error:
                raise explain_failure(error, source, url) from error
            if target is None:
                raise SourceUnreachable("source-insecure", redact(url), source=source)
            url = target
        raise SourceUnreachable("source-not-an-index", redact(f"{url}: too many redirects"), source=source)

    def _read(
        self, response: requests.Response, url: str, most_bytes: int | None, goes_on: Callable[[int], bool] | None
    ) -> Page:
        started = time.monotonic()
        body = bytearray()
        for chunk in response.iter_content(65536):
            body += chunk
            if (most_bytes is not None and len(body) >= most_bytes) or (goes_on and not goes_on(len(body))):
                break
            if len(body) > _MOST_BYTES or time.monotonic() - started > _LONGEST:
                raise requests.exceptions.ReadTimeout(f"gave up after {len(body)} bytes")
        kind, part = (response.headers.get(name, "") for name in ("Content-Type", "Content-Range"))
        told = {name.lower(): value for name, value in response.headers.items()}
        return Page(url, response.status_code, kind, bytes(body[:most_bytes]), part, told)


def _redirect_target(url: str, location: str) -> str | None:
    """None where it would leave https. A password goes along on the same host only."""
    target = urljoin(url, location)
    if not may_follow(url, target):
        return None
    old, new = urlsplit(url), urlsplit(target)
    if "@" in old.netloc and "@" not in new.netloc and (old.scheme, old.netloc.rpartition("@")[2]) == new[:2]:
        target = urlunsplit(new._replace(netloc=old.netloc))
    return target
