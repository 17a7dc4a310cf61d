"""Secrets in addresses never reach a log, an event or a screen."""

from __future__ import annotations

import re

# Up to the last @ before a blank or a quote: a password may hold a raw @ or /, and too much hidden is no harm.
_USERINFO = re.compile(r"(?P<scheme>\b[a-z][a-z0-9+.-]*://)[^\s'\"<>]+@", re.IGNORECASE)
_QUERY_SECRET = re.compile(r"(?P<key>[?&](?:token|key|secret|password|signature|sig|access_token)=)[^&\s'\"]+", re.I)
_PROXY_OPTION = re.compile(r"(?P<option>--proxy[= ])(?![a-z0-9]+://)[^\s'\"<>]+@", re.I)  # user:word@host:port
_CONDA_TOKEN = re.compile(r"(?P<start>://[^\s'\"<>]*?/t/)[A-Za-z0-9-]+(?=/)")


def redact(text: str) -> str:
    """`https://user:token@host/x?token=abc` becomes `https://***@host/x?token=***`; so does conda's `/t/token/`."""
    hidden = _QUERY_SECRET.sub(r"\g<key>***", _USERINFO.sub(r"\g<scheme>***@", text))
    hidden = _PROXY_OPTION.sub(r"\g<option>***@", hidden)
    return _CONDA_TOKEN.sub(r"\g<start>***", hidden)
