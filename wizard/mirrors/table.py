"""The public sources that we know of, as rows: `matrices/mirrors.toml`, and a lab's own in `mirrors.toml` of our home.

A row says what was seen and when; it promises nothing. Whether a source carries a wheel today is for the truth
probe to find out. The official package index is a row without an address. A lab's row takes the place of the shipped
one of its kind and id; `only_these = true` leaves the other shipped mirrors out.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from wizard import paths
from wizard.errors import UsageError
from wizard.i18n import Message, in_each
from wizard.mirrors.address import address_problem
from wizard.process import redact

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_VARIANT = "{variant}"
OWN = "own"  # the status of a lab's own row
_LAYOUTS = {
    "pypi": ("simple", "flat"), "pytorch-wheels": ("simple", "flat"), "conda-forge": ("channel",),
    "miniforge-installers": ("files",),
}  # fmt: skip


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

    @property
    def operator(self) -> Message:
        return in_each(en=self.operator_en, zh_CN=self.operator_zh)

    def address(self, variant: str = "") -> str:
        """Raises ValueError for the row that has none."""
        if self.url is None:
            raise ValueError(f"{self.kind}/{self.id} has no address")
        return self.url.replace(_VARIANT, variant)


def parse_mirrors(document: str) -> tuple[MirrorRow, ...]:
    return tuple(MirrorRow(**row) for row in tomllib.loads(document)["mirror"])


@lru_cache(maxsize=1)
def _shipped() -> tuple[MirrorRow, ...]:
    return parse_mirrors((paths.matrices_dir() / "mirrors.toml").read_text(encoding="utf-8"))


def own_file() -> Path:
    return paths.home() / "mirrors.toml"


def mirror_rows() -> tuple[MirrorRow, ...]:
    """Raises UsageError `bad-mirrors-file` for a lab's own file that cannot be used."""
    path = own_file()
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return _shipped()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("bad-mirrors-file", path=str(path), problem=str(error)) from error
    try:
        return with_own(_shipped(), text, str(path))
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError("bad-mirrors-file", path=str(path), problem=str(error)) from error


def with_own(shipped: tuple[MirrorRow, ...], document: str, path: str) -> tuple[MirrorRow, ...]:
    """Raises ValueError, KeyError or TypeError for a row that cannot be used."""
    told = tomllib.loads(document)
    own = tuple(_own_row(row, path) for row in told.get("mirror", ()))
    replaced = {(row.kind, row.id) for row in own}
    kept = [row for row in shipped if row.id == "official"] if told.get("only_these") else list(shipped)
    return (*(row for row in kept if (row.kind, row.id) not in replaced), *own)


def _own_row(told: dict[str, Any], path: str) -> MirrorRow:
    named = str(told.get("name") or told["id"])
    row = MirrorRow(**{
        "operator_en": named, "operator_zh": named, "status": OWN, "as_of": "", "source": path,
        **{key: value for key, value in told.items() if key != "name"},
    })  # fmt: skip
    if row.kind not in _LAYOUTS or row.layout not in _LAYOUTS[row.kind]:
        raise ValueError(f"{row.kind} / {row.id}: kind or layout")
    if row.url is None or address_problem(row.url.replace(_VARIANT, "")):
        raise ValueError(f"{row.kind} / {row.id}: {redact(str(row.url))}")
    return row


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
