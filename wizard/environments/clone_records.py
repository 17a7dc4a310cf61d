"""The records of a copied environment say what its files are now: sizes and digests of those that were rewritten.

A wheel's RECORD and conda's `conda-meta` name each file with its SHA-256; without this, a check of the copy would call
its own programs damaged.
"""

from __future__ import annotations

import base64
import csv
import io
import posixpath
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol


class Changed(Protocol):
    """SHA-256 in hex, before and after; the new size."""

    @property
    def before(self) -> str: ...
    @property
    def after(self) -> str: ...
    @property
    def size(self) -> int: ...


def mend_wheel_records(prefix: Path, sites: Iterable[str], changed: Mapping[str, Changed]) -> None:
    """`changed`: by path relative to the prefix, with "/"."""
    for site in sites:
        for record in (prefix / site).glob("*.dist-info/RECORD"):
            before = record.read_text(encoding="utf-8", errors="surrogateescape")
            after = mended_record(before, site, changed)
            if after != before:
                record.write_text(after, encoding="utf-8", errors="surrogateescape", newline="\n")


def mended_record(text: str, site: str, changed: Mapping[str, Changed]) -> str:
    """Pure; the same text where nothing of it was changed."""
    names = {path.rpartition("/")[2] for path in changed}
    if '"' not in text and not any(name in text for name in names):
        return text
    rows = list(csv.reader(io.StringIO(text)))
    is_changed = False
    for row in rows:
        new = changed.get(posixpath.normpath(f"{site}/{row[0]}".replace("\\", "/"))) if row else None
        if new and len(row) == 3 and row[1].startswith("sha256="):
            digest = base64.urlsafe_b64encode(bytes.fromhex(new.after)).rstrip(b"=").decode()
            row[1:] = [f"sha256={digest}", str(new.size)]
            is_changed = True
    if not is_changed:
        return text
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(row for row in rows if row)
    return out.getvalue()


def mend_conda_records(prefix: Path, changed: Mapping[str, Changed]) -> None:
    digests = {one.before: one.after for one in changed.values()}
    for record in (prefix / "conda-meta").glob("*.json"):
        before = after = record.read_text(
            encoding="utf-8", errors="surrogateescape"
        )  # a damaged one is copied as it is
        for old, new in digests.items():
            after = after.replace(f'"sha256_in_prefix": "{old}"', f'"sha256_in_prefix": "{new}"')
        if after != before:
            record.write_text(after, encoding="utf-8", errors="surrogateescape", newline="\n")
