"""Secrets in addresses never reach a log, an event or a screen."""

from __future__ import annotations

import re

# Up to the last @ before a blank or a quote: a password may hold a raw @ or /, and too much hidden is no harm.
_USERINFO = re.compile(r"(?P<scheme>\b[a-z][a-z0-9+.-]*://)[^\s'\"<>]+@", re.IGNORECASE)
_QUERY_SECRET = re.compile(r"(?P<key>[?&](?:token|key|secret|password|signature|sig|access_token)=)[^&\s'\"]+", re.I)


def redact(text: str) -> str:
    """`https://user:token@host/x?token=abc` becomes `https://***@host/x?token=***`."""
    return _QUERY_SECRET.sub(r"\g<key>***", _USERINFO.sub(r"\g<scheme>***@", text))
