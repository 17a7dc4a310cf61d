"""Addresses that may stand in a class profile: nobody's password, and nothing that only this computer has."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from wizard.errors import WizardError
from wizard.process import redact


def plain_address(url: str) -> str:
    """Without a name and a password. Raises WizardError `profile-secret` for a secret that cannot be left out,
    `profile-local` for a file of this computer, which nobody else has."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        raise WizardError("profile-local", url=redact(url))
    plain = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))
    if redact(plain) != plain:
        raise WizardError("profile-secret", url=redact(plain))
    return plain
