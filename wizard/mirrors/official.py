"""The address of the official package index, asked of uv: it is uv's own default and not written here.

Installing from it means leaving the index option out; only reading its pages needs the address. uv's help
names it, without a network; should a later uv say it differently, a tiny resolution names it too.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urlsplit

from wizard import paths
from wizard.mirrors.address import address_problem
from wizard.mirrors.model import Offer
from wizard.mirrors.unreachable import SourceUnreachable
from wizard.process import Request, run

_TIMEOUT = 20.0  # seconds
_IN_HELP = re.compile(r"--default-index\b.*?\(by\s+default:\s+<(?P<url>[^>\s]+)>\)", re.DOTALL)
_ANNOTATION = re.compile(r"^\s*#\s+from\s+(?P<url>\S+)\s*$", re.MULTILINE)


def parse_help(text: str) -> str | None:
    return _usable(_IN_HELP.search(text))


def parse_index_annotation(text: str) -> str | None:
    """From `uv pip compile --emit-index-annotation`."""
    return _usable(_ANNOTATION.search(text))


def _usable(match: re.Match[str] | None) -> str | None:
    return match["url"] if match and address_problem(match["url"]) is None else None


def ask_uv(uv: tuple[str, ...]) -> str:
    """`uv` is the start of its command line. Raises SourceUnreachable `source-no-default`."""
    told = run(Request((*uv, "help", "--no-pager", "pip", "compile"), timeout=_TIMEOUT))
    url = parse_help(told.stdout)
    if url:
        return url
    cache = ("--cache-dir", str(paths.cache_dir() / "uv"))
    options = ("--no-config", "--no-python-downloads", "--no-deps", "--no-header", "--emit-index-annotation", *cache)
    told = run(Request((*uv, "pip", "compile", *options, "-"), stdin="pip\n", timeout=_TIMEOUT))
    url = parse_index_annotation(told.stdout)
    if url is None:
        raise SourceUnreachable("source-no-default", told.tail())
    return url


@lru_cache(maxsize=1)
def default_index_url() -> str:
    """Asked once for each process. Raises SourceUnreachable."""
    try:
        uv = paths.uv_executable()
    except FileNotFoundError as error:
        raise SourceUnreachable("source-no-default", str(error)) from error
    return ask_uv((str(uv),))


def promiser(offer: Offer) -> str:
    """The host whose page names the offer's hash; "" where it names none, and "file" for a folder of this computer."""
    if offer.sha256 is None:
        return ""
    parts = urlsplit(offer.source.url or default_index_url())
    return parts.hostname or parts.scheme
