"""Certificates: the system's store, or the file or folder that a person named. Verification is never off.

The named one takes the place of the store, as with curl, pip and uv.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Mapping
from pathlib import Path

import truststore

from wizard.model.errors import UsageError
from wizard.system.traits import this

_HASHED = re.compile(r"^[0-9a-fA-F]{8}\.\d+$")
# Where truststore looks when OpenSSL's own places are empty.
_STORES = (
    "/etc/ssl/cert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/cert.pem",
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/ssl/ca-bundle.pem",
)


class CertificateUnreadable(OSError):
    """The file or folder that was named for certificates is not there or holds none."""


def tls_context(certificate: str | None) -> ssl.SSLContext:
    """Raises CertificateUnreadable."""
    if certificate is None:
        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        if Path(certificate).is_dir():
            return ssl.create_default_context(capath=certificate)
        return ssl.create_default_context(cafile=certificate)
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise CertificateUnreadable(f"{certificate}: {error}") from error


def context_for(environment: Mapping[str, str]) -> ssl.SSLContext:
    """For our own connections, from the variables that children get. Raises CertificateUnreadable."""
    names = ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "SSL_CERT_DIR")
    return tls_context(next((environment[name] for name in names if environment.get(name)), None))


def checked_certificate(text: str, option: str) -> str:
    """The absolute path. Raises UsageError: network-ca-unreadable, network-ca-not-pem, network-ca-folder."""
    path = Path(text).expanduser().absolute()
    try:
        if path.is_dir():
            if not any(_HASHED.match(entry.name) for entry in path.iterdir()):
                raise UsageError(
                    "network-ca-folder",
                    "The folder {path}[| ({option})] holds no certificates that can be found by their hash.",
                    "Name the certificate file itself, or prepare the folder with “openssl rehash”.",
                    path=str(path),
                    option=option,
                )
            return str(path)
        with path.open("rb"):
            pass
    except (OSError, ValueError) as error:
        raise UsageError(
            "network-ca-unreadable",
            "The certificate file {path}[| ({option})] can't be read.",
            "Check the path and its permissions.",
            details=str(error),
            path=str(path),
            option=option,
        ) from error
    try:
        tls_context(str(path))
    except CertificateUnreadable as error:
        raise UsageError(
            "network-ca-not-pem",
            "The file {path}[| ({option})] holds no certificate in PEM form.",
            "Save the certificate as “Base-64” (PEM: it begins with -----BEGIN CERTIFICATE-----) and name that file.",
            details=str(error),
            path=str(path),
            option=option,
        ) from error
    return str(path)


def store_in_place_of_none() -> str | None:
    """A bare Linux container has no store at all: then the roots that came with this program, for every child."""
    if this().has_certificate_store:
        return None
    defaults = ssl.get_default_verify_paths()
    if defaults.cafile or any(Path(store).is_file() for store in _STORES) or _holds_hashed(defaults.capath):
        return None
    from requests.utils import DEFAULT_CA_BUNDLE_PATH  # with all of requests, for a bare container alone

    return str(DEFAULT_CA_BUNDLE_PATH)


def _holds_hashed(folder: str | None) -> bool:
    try:
        return folder is not None and any(_HASHED.match(entry.name) for entry in Path(folder).iterdir())
    except OSError:
        return False
