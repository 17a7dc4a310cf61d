"""The public sources that we know of, as rows: `matrices/mirrors.toml`.

A row says what was seen and when; it promises nothing. Whether a source carries a wheel today is for
`read` and `carries` to find out. The official package index is a row without an address.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache

from wizard import paths
from wizard.i18n import system_language

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_VARIANT = "{variant}"


@dataclass(frozen=True, slots=True)
class MirrorRow:
    """`url` may hold `{variant}`. `layout`: "simple", "flat", "channel" or "files" (a folder to browse)."""

    kind: str
    id: str
    operator_en: str
    operator_zh: str
    layout: str
    status: str
    as_of: str
    source: str
    url: str | None = None
    forbidden_means_missing: bool = False
    completeness: str = ""
    evidence: str = ""
    note: str = ""

    def operator(self, language: str | None = None) -> str:
        return self.operator_zh if (language or system_language()) == "zh_CN" else self.operator_en

    def address(self, variant: str = "") -> str:
        """Raises ValueError for the row that has none."""
        if self.url is None:
            raise ValueError(f"{self.kind}/{self.id} has no address")
        return self.url.replace(_VARIANT, variant)


def parse_mirrors(document: str) -> tuple[MirrorRow, ...]:
    return tuple(MirrorRow(**row) for row in tomllib.loads(document)["mirror"])


@lru_cache(maxsize=1)
def mirror_rows() -> tuple[MirrorRow, ...]:
    return parse_mirrors((paths.matrices_dir() / "mirrors.toml").read_text(encoding="utf-8"))


def official(kind: str) -> MirrorRow:
    """Raises LookupError for a kind that has no official row."""
    found = next((row for row in mirror_rows() if row.kind == kind and row.id == "official"), None)
    if found is None:
        raise LookupError(kind)
    return found


def forbidden_means_missing(url: str) -> bool:
    """Whether this host answers 403 for what it does not have (the official torch index does)."""
    starts = (row.url.partition(_VARIANT)[0] for row in mirror_rows() if row.url and row.forbidden_means_missing)
    return any(url.startswith(start) for start in starts)
