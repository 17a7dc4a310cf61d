"""The catalogue of known errors, read from `matrices/errors.toml`. Only what is written there is ever advised."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import lru_cache

from wizard import paths
from wizard.explain.model import KnownError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def parse_errors(document: str) -> tuple[KnownError, ...]:
    """Raises KeyError, TypeError, re.error or TOMLDecodeError for a table that is not well formed."""
    return tuple(
        KnownError(
            **{**row, "patterns": _compiled(row["patterns"]), "needs": _compiled(row.get("needs", ())),
               "facts": tuple(row.get("facts", ()))}
        )
        for row in tomllib.loads(document)["error"]
    )  # fmt: skip


def _compiled(patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.MULTILINE) for pattern in patterns)


@lru_cache(maxsize=1)
def known_errors() -> tuple[KnownError, ...]:
    return parse_errors((paths.matrices_dir() / "errors.toml").read_text(encoding="utf-8"))
