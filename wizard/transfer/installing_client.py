"""How the programs that will install present themselves: a source may answer them differently from a browser.

Lists are read by uv, so a probe asks for them with uv's own headers (as uv 0.13 sends them, without the part about
this computer). Wheels are fetched by ourselves, under our own name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

from wizard import __version__

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
