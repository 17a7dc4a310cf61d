"""Errors as people paste them into public threads: (what the row is called, the text). See the file for its source."""

from __future__ import annotations

import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILE = Path(__file__).resolve().parents[1] / "data" / "explain" / "in_the_wild.toml"
_ROWS = tomllib.loads(_FILE.read_text(encoding="utf-8"))["said"]
WILD: tuple[tuple[str, str], ...] = tuple((row["row"], row["text"]) for row in _ROWS)
