"""The catalogue of known errors, read from `matrices/errors.toml`. Only what is written there is ever advised."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from wizard import paths
from wizard.explain.model import KnownError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_CONTEXT = "@"


def parse_errors(document: str) -> tuple[KnownError, ...]:
    """Raises KeyError, TypeError, re.error or TOMLDecodeError for a table that is not well formed."""
    data = tomllib.loads(document)
    contexts = {name: _compiled(["|".join(patterns)])[0] for name, patterns in data.get("contexts", {}).items()}
    return tuple(_row(row, contexts) for row in data["error"])


def _row(row: Mapping[str, Any], contexts: Mapping[str, re.Pattern[str]]) -> KnownError:
    needs = tuple(row.get("needs", ()))
    read = {
        "patterns": _compiled(row["patterns"]),
        "needs": _compiled(need for need in needs if not need.startswith(_CONTEXT)),
        "near": tuple(contexts[need.removeprefix(_CONTEXT)] for need in needs if need.startswith(_CONTEXT)),
        "facts": tuple(row.get("facts", ())),
    }
    return KnownError(**{**row, **read})


def _compiled(patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.MULTILINE) for pattern in patterns)


@lru_cache(maxsize=1)
def known_errors() -> tuple[KnownError, ...]:
    return parse_errors((paths.matrices_dir() / "errors.toml").read_text(encoding="utf-8"))
