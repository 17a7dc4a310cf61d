"""Brings a certificate to where the class keeps its results: the folder of the pack, or its server.

Straight to the server, never through a proxy: it stands in the same room. Small, with short time limits, and never a
reason for a setup to fail.
"""

from __future__ import annotations

import contextlib
import http.client
import urllib.parse
from collections.abc import Iterable

from wizard.errors import WizardError
from wizard.network.environment import present_environment
from wizard.network.model import Network
from wizard.network.tls import CertificateUnreadable, context_for
from wizard.pack.model import RESULTS
from wizard.packages.fetch.transport import file_path
from wizard.process import redact
from wizard.share.certificate import Certificate, to_json, write_into

_SECONDS = 8.0


def hand_in(bases: Iterable[str], value: Certificate) -> str:
    """The first place that takes it. Raises WizardError `share-not-handed-in`, with what each one said."""
    said = []
    for base in bases:
        try:
            if base.startswith("file:"):
                write_into(file_path(base) / RESULTS, value)
            else:
                _post(base, value)
            return base
        except (OSError, http.client.HTTPException, ValueError, CertificateUnreadable) as error:
            said.append(f"{redact(base)}: {error}")
    raise WizardError("share-not-handed-in", details="\n".join(said))


def _post(base: str, value: Certificate) -> None:
    parts = urllib.parse.urlsplit(base)
    host = parts.hostname or ""
    connection = (
        http.client.HTTPSConnection(host, parts.port, timeout=_SECONDS, context=context_for(_variables()))
        if parts.scheme == "https"
        else http.client.HTTPConnection(host, parts.port, timeout=_SECONDS)
    )
    with contextlib.closing(connection):
        connection.request("POST", parts.path + "results", to_json(value), {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status not in (200, 201):
            raise ValueError(f"HTTP {response.status} {response.read(200).decode(errors='replace').strip()}")


def _variables() -> dict[str, str]:
    return dict(present_environment(Network()))
