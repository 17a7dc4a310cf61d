"""Why a source could not be read: one code for each thing that a person would do something else about."""

from __future__ import annotations

import requests
from urllib3.exceptions import ReadTimeoutError

from wizard.errors import WizardError
from wizard.process import redact


class SourceUnreachable(WizardError):
    """Codes: source-offline, source-timeout, source-tls, source-certificate, source-forbidden, source-status,
    source-insecure, source-not-an-index, source-no-folder."""


def explain_failure(error: Exception, source: str, url: str) -> SourceUnreachable:
    """From what requests raises. `source` is the name for people."""
    details = redact(f"{url}: {error}")
    if isinstance(error, requests.exceptions.SSLError):
        return SourceUnreachable("source-tls", details, source=source)
    silence = bool(error.args) and isinstance(error.args[0], ReadTimeoutError)  # in the middle of a page
    if silence or isinstance(error, requests.exceptions.Timeout):
        return SourceUnreachable("source-timeout", details, source=source)
    if isinstance(error, OSError) and not isinstance(error, requests.exceptions.RequestException):
        return SourceUnreachable("source-certificate", details, source=source)  # the bundle is not there
    return SourceUnreachable("source-offline", details, source=source)


def explain_status(status: int, source: str, url: str) -> SourceUnreachable:
    code = "source-forbidden" if status in (401, 403) else "source-status"
    return SourceUnreachable(code, redact(f"{url}: HTTP {status}"), source=source, status=status)
