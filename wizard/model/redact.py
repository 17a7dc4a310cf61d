"""Secrets in addresses, headers and settings never reach a log, an event or a screen.

Each expression looks at a bounded stretch, so that a line of megabytes takes no longer than its length.
"""

from __future__ import annotations

import re
from typing import Any

_WORD = re.compile(r"[^\s'\"<>]+")
_HOST = re.compile(
    r"(?:[a-z0-9-]{1,63}\.){1,9}[a-z0-9-]{2,63}/", re.I
)  # no user and no password has a dot and a / at once
# host:port/owner/name.git@v1
_PORT = re.compile(r"[a-z0-9.-]{1,253}:\d{1,5}/[^@?#]{1,500}@(?P<rest>[^@]*)$", re.I)
_TAGGED = re.compile(r"[^\s/@]{1,300}(?P<rest>@(?:[a-z0-9-]{1,63}\.){1,9}[a-z]{2,63}/[^\s@]{1,300}\.git@[^@/]*)$", re.I)
# Without a scheme a ? is often none of an address: there the name decides.
_QUERY_SECRET = re.compile(
    r"(?P<key>[?&](?:token|key|secret|password|passwd|pwd|pass|signature|sig|credential|auth|jwt|pat|code|access_token"
    r"|access_key)=)[^&\s'\"]+",
    re.I,
)
_QUERY = re.compile(
    r"(?P<start>[?&])(?P<key>[^=&#?，。、；：！？（）「」“”]*=)?(?P<value>[^&#，。、；：！？（）「」“”]+)"
)
_FRAGMENT = re.compile(
    r"(?P<start>^|[&#])(?P<key>(?!(?:egg|subdirectory|sha\d{1,3}|md5)=)[^=%&#，。、；：！？（）「」“”]*(?:=|%3D))"
    r"(?P<value>[^&#，。、；：！？（）「」“”]+)",
    re.I,
)
_FILE = re.compile(r"\.(?:whl|zip|tgz|tar\.\w{2,3}|git(?:@[^@/]*)?)$", re.I)  # of which a fragment is no place to read
_BARE = re.compile(r"(?P<start>^|[&#])(?P<key>)(?P<value>[^&#=%，。、；：！？（）「」“”]+)(?=$|[&#])")
_PUNCTUATION = ".,;:!?)]}"  # of the sentence around an address
_PROXY_OPTION = re.compile(r"(?P<option>--proxy[= ])(?![a-z0-9]+://)[^\s'\"<>]{1,500}@", re.I)  # user:word@host:port
_CONDA_TOKEN = re.compile(r"(?P<start>://[^\s'\"<>]{0,300}?/t/)[A-Za-z0-9-]+(?=/)")
_HEADER = re.compile(
    r"(?P<name>\b(?:proxy-)?authorization['\"]?\s{0,9}[:=]\s{0,9}['\"]?)(?:(?:basic|bearer|token)\s{1,9})?[^\s'\"]+",
    re.I,
)
# HF_TOKEN=…, --password=…, "api_key": "…"; what is only a name of a thing (a tokenizer, a key error) is none.
_SETTING = re.compile(
    r"(?P<name>(?<![a-z0-9])(?:[a-z0-9]{1,30}[_-]){0,6}(?:token|passw(?:or)?d|secret|api[_-]?key)['\"]?\s?[=:]\s?['\"]?)"
    r"(?!//)[^\s'\",;&]{6,}",
    re.I,
)
# Keys that say by themselves whose they are.
_KEY = re.compile(
    r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|hf_[A-Za-z0-9]{30,}|glpat-[\w-]{20,}|pypi-AgE[\w-]{16,}"
    r"|AKIA[0-9A-Z]{16})"
)


def redact(text: str) -> str:
    """`https://user:token@host/x?token=abc` becomes `https://***@host/x?token=***`; so do all values of a query behind
    a scheme (no list has all names of secrets) and of a fragment but pip's own, conda's `/t/token/`, `Authorization`
    headers, `NAME_TOKEN=…` and keys that are known by their beginning."""
    hidden = _QUERY_SECRET.sub(r"\g<key>***", _WORD.sub(_told, text))
    hidden = _PROXY_OPTION.sub(r"\g<option>***@", hidden)
    hidden = _CONDA_TOKEN.sub(r"\g<start>***", hidden)
    hidden = _HEADER.sub(r"\g<name>***", hidden)
    return _KEY.sub("***", _SETTING.sub(r"\g<name>***", hidden))


def redact_all(value: Any) -> Any:
    """Redact every text in a JSON value: a message may hold others."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: redact_all(each) for name, each in value.items()}
    return [redact_all(each) for each in value] if isinstance(value, (list, tuple)) else value


def _told(word: re.Match[str]) -> str:
    """Return the word without a login, and without what the query and the fragment of an address say."""
    text = _without_user(word[0])
    if text.find("://") < 1:
        return text
    address, mark, fragment = text.partition("#")
    start = address.find("?", address.find("://") + 3)
    if start > 0:
        address = address[:start] + _QUERY.sub(_without_value, address[start:])
    fragment = _FRAGMENT.sub(_without_value, fragment)
    is_file = _FILE.search(word[0].partition("#")[0])
    return f"{address}{mark}{_BARE.sub(_without_value, fragment) if is_file else fragment}"


def _without_value(one: re.Match[str]) -> str:
    value = one["value"].rstrip(_PUNCTUATION)
    rest = one["value"][len(value) :]
    return f"{one['start']}{one['key'] or ''}{'***' if value else ''}{rest}"


def _without_user(text: str) -> str:
    """Up to the last @ of the word: a password may hold a raw @ or /, and too much hidden is no harm. The @ of a tag or
    a version, behind a whole host (`git+https://host.example/a/b.git@v1`), has no password before it."""
    start, end = text.find("://"), text.rfind("@")
    if start < 1 or end <= start + 3 or not text[start - 1].isalnum():
        return text
    if text[:start].endswith("ssh") and ":" not in text[start + 3 : end]:  # a name that ssh wants, and no password
        return text
    if _HOST.match(text, start + 3) or _is_port(text, start + 3):
        return text
    if tagged := _TAGGED.match(text, start + 3):
        return f"{text[: start + 3]}***{tagged['rest']}"
    return f"{text[: start + 3]}***{text[end:]}"


def _is_port(text: str, start: int) -> bool:
    """Return whether the number before the first / is a port: no login has a /. Of an address that is for no repository
    it is the begin of a password all the same (`me:12/word@host/simple`), as programs print them unquoted."""
    match = _PORT.match(text, start)
    if match is None:
        return False
    is_inside = "/" not in match["rest"].partition("#")[0]  # behind the @ of a login the path would be
    return text[: match.start("rest") - 1].endswith(".git") or (is_inside and "+" in text[:start])
