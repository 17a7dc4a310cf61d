"""The HTTP client for reading sources, and why one could not be read.

The HTTP side of reading sources: certificates, proxies, redirects, limits. It knows nothing of packages.
Lists are read by uv, so a probe asks for them with uv's own headers (as uv 0.13 sends them, without the part about this
computer). Wheels are fetched by ourselves, under our own name.

Proxy and certificates come from the variables that every child gets too (wizard.transfer.proxy), so that what is seen
here is what uv will see. Verification cannot be switched off.

One file: each refusal stands where it is found, with its sentences.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.utils import get_netrc_auth
from urllib3 import PoolManager
from urllib3.exceptions import HTTPError, ReadTimeoutError, SSLError

from wizard import __version__
from wizard.model.errors import ErrorText, WizardError
from wizard.model.messages import Words
from wizard.process import redact
from wizard.transfer.address import may_follow, with_login_of
from wizard.transfer.pace import Pace, PacedResponse, keeping
from wizard.transfer.proxy.bypass import proxy_for
from wizard.transfer.proxy.environment import present_environment, with_settings
from wizard.transfer.proxy.model import Network
from wizard.transfer.proxy.tunnel import telling_closed
from wizard.transfer.tls import CertificateUnreadable, context_for
from wizard.transfer.trouble import explain

SOURCE_NO_FOLDER = ErrorText(
    "source-no-folder",
    "{source}: the folder {path} is not there, cannot be read, or holds no packages.",
    "Check the path, and that the drive or network share is connected.",
)
SOURCE_NOT_AN_INDEX = ErrorText(
    "source-not-an-index",
    "{source} answered, but not with a package list (often it is the sign-in page of a network).",
    "Open any web page in a browser and sign in to the network if it asks for that, or check the address.",
)
SOURCE_OFFLINE = ErrorText(
    "source-offline",
    "{source} could not be reached: its name was not found, or the connection was refused or broke off.",
    "Check the network and the proxy, or choose another source.",
)
SOURCE_TIMEOUT = ErrorText(
    "source-timeout",
    "{source} did not answer in time.",
    "Try again later, or choose another source.",
)
SOURCE_TLS = ErrorText(
    "source-tls",
    "No secure connection to {source}: its certificate is not trusted by this computer, or "
    "something answers in its place.",
    "Check this computer's date, sign in to the network if it asks for that, or have your "
    "network's certificate installed; then try again.",
)
SOURCE_CERTIFICATE = ErrorText(
    "source-certificate",
    "The certificate file that your settings name could not be read, so {source} was not asked.",
    "Correct the path (cert in the pip settings, or `REQUESTS_CA_BUNDLE` or `SSL_CERT_FILE`), or remove the setting.",
)


class SourceUnreachable(WizardError):
    """Codes: source-offline, source-timeout, source-tls, source-certificate, source-forbidden, source-status,
    source-insecure, source-redirects, source-not-an-index, source-no-folder,
    source-too-large, source-links-refused, metadata-too-large, and the network-… of
    wizard.transfer.trouble."""


def explain_failure(error: Exception, source: Words, url: str, environment: Mapping[str, str]) -> SourceUnreachable:
    """From what requests raises. `source` is the name for people; `environment` says how we went there."""
    details = redact(f"{url}: {error}")
    trouble = explain(error, url, environment, source)
    if trouble:
        return SourceUnreachable(trouble.code, details=details, source=source, **trouble.params)
    if isinstance(error, (requests.exceptions.SSLError, SSLError)):
        return SourceUnreachable(SOURCE_TLS, details=details, source=source)
    if isinstance(error, (ReadTimeoutError, requests.exceptions.Timeout)):
        return SourceUnreachable(SOURCE_TIMEOUT, details=details, source=source)
    if isinstance(error, CertificateUnreadable):
        return SourceUnreachable(SOURCE_CERTIFICATE, details=details, source=source)
    return SourceUnreachable(SOURCE_OFFLINE, details=details, source=source)


def explain_status(status: int, source: Words, url: str, retry_after: str = "") -> SourceUnreachable:
    """`retry_after`: what the header of that name says, in seconds or as a date."""
    code = "source-forbidden" if status in (401, 403) else "source-status"
    details = redact(f"{url}: HTTP {status}")
    return SourceUnreachable(code, details=details, source=source, status=status, retry_after=retry_after[:40])


USER_AGENT = f"torch-setup/{__version__} python-requests/{requests.__version__}"
CONNECT_TIMEOUT, READ_TIMEOUT = 5.0, 15.0  # seconds; READ is the longest silence
_LONGEST = 60.0  # seconds for one page with all its redirects, however steadily it comes
_LEAST_RATE = 512.0  # bytes a second, once the time for an answer has passed: less is nobody's network
_MOST_BYTES = 48 * 1024 * 1024
_MOST_REDIRECTS = 10


@dataclass(frozen=True, slots=True)
class HttpPage:
    url: str  # after redirects
    status: int
    content_type: str
    body: bytes
    content_range: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)  # names in small letters

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", errors="replace")


class _PacedPool:
    """Before urllib3's own pool class: its connections answer through `PacedResponse`."""

    def _new_conn(self) -> Any:
        connection = super()._new_conn()  # type: ignore[misc]
        connection.response_class = PacedResponse
        connection._tunnel = telling_closed()(connection._tunnel)  # else nobody knows which of the two ended it
        return connection


def _paced(manager: PoolManager) -> PoolManager:
    classes = manager.pool_classes_by_scheme
    if not all(issubclass(one, _PacedPool) for one in classes.values()):
        manager.pool_classes_by_scheme = {
            scheme: type(f"Paced{one.__name__}", (_PacedPool, one), {}) for scheme, one in classes.items()
        }
    return manager


class _Plain(HTTPAdapter):
    """http, to this very computer."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        _paced(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        return _paced(super().proxy_manager_for(proxy, **kwargs))


class _Adapter(_Plain):
    """TLS by our own context alone: requests would add roots that it brings along."""

    def __init__(self, context: ssl.SSLContext, proxy_context: ssl.SSLContext) -> None:
        self._context, self._proxy_context = context, proxy_context
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, ssl_context=self._context, **kwargs)

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        if not proxy.startswith("socks"):
            kwargs["proxy_ssl_context"] = self._proxy_context
        return super().proxy_manager_for(proxy, ssl_context=self._context, **kwargs)

    def cert_verify(self, conn: Any, url: str, verify: object, cert: object) -> None:
        conn.cert_reqs = "CERT_REQUIRED"


class _Secure(HTTPAdapter):
    """https, by an adapter that is made at the first request: reading a store of certificates takes 50 ms."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        super().__init__()
        self._environment = environment

    @cached_property
    def _adapter(self) -> _Adapter:
        return _Adapter(context_for(self._environment), context_for(self._environment))

    def send(self, *args: Any, **kwargs: Any) -> requests.Response:
        """Raises CertificateUnreadable: no connection without the certificates that were named."""
        return self._adapter.send(*args, **kwargs)

    def close(self) -> None:
        if "_adapter" in self.__dict__:
            self._adapter.close()
        super().close()


class Client:
    """One connection pool. `environment`: the way to the network as children get it (`transfer.proxy`); without one
    it is made of the user's settings (`certificate`, `proxy`) and of what the system says."""

    def __init__(
        self,
        certificate: str | None = None,
        proxy: str | None = None,
        timeouts: tuple[float, float] = (CONNECT_TIMEOUT, READ_TIMEOUT),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        if environment is None:
            environment = present_environment(with_settings(Network(), proxy, certificate))
        self._environment = environment
        self._timeouts = timeouts
        self._session = requests.Session()
        self._session.trust_env = False  # the environment above says it all
        self._session.headers["User-Agent"] = USER_AGENT
        self._session.mount("http://", _Plain())
        self._session.mount("https://", _Secure(environment))

    def close(self) -> None:
        self._session.close()

    def get(
        self,
        url: str,
        source: Words,
        headers: Mapping[str, str],
        most_bytes: int | None = None,
        goes_on: Callable[[int], bool] | None = None,
    ) -> HttpPage:
        """Follows redirects that stay safe; reads at most `most_bytes`. Raises SourceUnreachable.

        A status is no failure here: the caller knows what 404 means. `goes_on` is asked with the number of bytes
        that came; False ends the reading there.
        """
        patience = sum(self._timeouts)
        with keeping(Pace(max(_LONGEST, patience), patience, _LEAST_RATE)):
            return self._get(url, source, headers, most_bytes, goes_on)

    def _get(
        self,
        url: str,
        source: Words,
        headers: Mapping[str, str],
        most_bytes: int | None,
        goes_on: Callable[[int], bool] | None,
    ) -> HttpPage:
        for _ in range(_MOST_REDIRECTS + 1):
            try:
                with self._session.get(
                    url,
                    headers=dict(headers),
                    timeout=self._timeouts,
                    stream=True,
                    allow_redirects=False,
                    proxies=self._proxies(url),
                    auth=get_netrc_auth(url) or _token(url),
                ) as response:
                    if not response.is_redirect:
                        return self._read(response, url, source, most_bytes, goes_on)
                    target = _redirect_target(url, response.headers["Location"])
            except (requests.exceptions.RequestException, HTTPError, OSError, ValueError) as error:
                raise explain_failure(error, source, url, self._environment) from error
            if target is None:
                raise SourceUnreachable(
                    "source-insecure",
                    "{source} sends this computer on to an address that is not secure.",
                    "Choose another source, or tell the people who run it.",
                    details=redact(url),
                    source=source,
                )
            url = target
        raise SourceUnreachable(
            "source-redirects",
            "{source} sends this computer on from address to address without end.",
            "Choose another source: this one is set up wrongly.",
            details=redact(url),
            source=source,
        )

    def _proxies(self, url: str) -> dict[str, str]:
        proxy = proxy_for(url, self._environment)
        return {urlsplit(url).scheme: proxy} if proxy else {}

    def _read(
        self,
        response: requests.Response,
        url: str,
        source: Words,
        most_bytes: int | None,
        goes_on: Callable[[int], bool] | None,
    ) -> HttpPage:
        body = bytearray()
        while chunk := response.raw.read1(65536, decode_content=True):
            body += chunk
            if (most_bytes is not None and len(body) >= most_bytes) or (goes_on and not goes_on(len(body))):
                break
            if len(body) > _MOST_BYTES:
                megabytes = round(_MOST_BYTES / 1e6)
                raise SourceUnreachable(
                    "source-too-large",
                    "A page of {source} is larger than {megabytes} MB, or does not end: it was left.",
                    "Choose another source, or tell the people who run it.",
                    details=redact(url),
                    source=source,
                    megabytes=megabytes,
                )
        kind, part = (response.headers.get(name, "") for name in ("Content-Type", "Content-Range"))
        told = {name.lower(): value for name, value in response.headers.items()}
        return HttpPage(url, response.status_code, kind, bytes(body[:most_bytes]), part, told)


def _token(url: str) -> tuple[str, str] | None:
    """Return a login that is a name alone, as some hosts give out and pip sends: requests leaves it out."""
    parts = urlsplit(url)
    return (unquote(parts.username), "") if parts.username and parts.password is None else None


def _redirect_target(url: str, location: str) -> str | None:
    """None where it would leave https. A password goes along on the same host only."""
    target = urljoin(url, location)
    return with_login_of(url, target) if may_follow(url, target) else None


ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01"


@lru_cache(maxsize=1)
def list_headers() -> Mapping[str, str]:
    number = _uv_version()
    told = {"installer": {"name": "uv", "version": number, "subcommand": ["pip", "compile"]}, "ci": None}
    return {"Accept": ACCEPT, "User-Agent": f"uv/{number} {json.dumps(told, separators=(',', ':'))}"}


def file_headers(first: int, last: int) -> Mapping[str, str]:
    """For the bytes `first` to `last`, both included."""
    return {
        "Range": f"bytes={first}-{last}",
        "Accept-Encoding": "identity",
        "User-Agent": f"torch-setup/{__version__}",
    }


def _uv_version() -> str:
    try:
        return version("uv")
    except PackageNotFoundError:  # a frozen program without the package's records
        return "0.13.9"
