"""Why a source could not be read: one code for each thing that a person would do something else about."""

from __future__ import annotations

from collections.abc import Mapping

import requests
from urllib3.exceptions import ReadTimeoutError, SSLError

from wizard.errors import WizardError
from wizard.i18n import Words
from wizard.network.tls import CertificateUnreadable
from wizard.network.trouble import explain
from wizard.process import redact


class SourceUnreachable(WizardError):
    """Codes: source-offline, source-timeout, source-tls, source-certificate, source-forbidden, source-status,
    source-insecure, source-redirects, source-not-an-index, source-no-folder,
    source-too-large, source-links-refused, metadata-too-large, and the network-… of
    wizard.network.trouble."""


def explain_failure(error: Exception, source: Words, url: str, environment: Mapping[str, str]) -> SourceUnreachable:
    """From what requests raises. `source` is the name for people; `environment` says how we went there."""
    details = redact(f"{url}: {error}")
    trouble = explain(error, url, environment, source)
    if trouble:
        return SourceUnreachable(trouble.code, details, source=source, **trouble.params)
    if isinstance(error, (requests.exceptions.SSLError, SSLError)):
        return SourceUnreachable("source-tls", details, source=source)
    if isinstance(error, (ReadTimeoutError, requests.exceptions.Timeout)):
        return SourceUnreachable("source-timeout", details, source=source)
    if isinstance(error, CertificateUnreadable):
        return SourceUnreachable("source-certificate", details, source=source)
    return SourceUnreachable("source-offline", details, source=source)


def explain_status(status: int, source: Words, url: str, retry_after: str = "") -> SourceUnreachable:
    """`retry_after`: what the header of that name says, in seconds or as a date."""
    code = "source-forbidden" if status in (401, 403) else "source-status"
    details = redact(f"{url}: HTTP {status}")
    return SourceUnreachable(code, details, source=source, status=status, retry_after=retry_after[:40])
