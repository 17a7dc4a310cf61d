"""The records of a copied environment say what its files are now: sizes and digests of those that were rewritten.

A wheel's RECORD and conda's `conda-meta` name each file with its SHA-256; without this, a check of the copy would call
its own programs damaged. They also name what stands in a file for the prefix.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
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
    """Give the text of a RECORD with the new digests; the same text where nothing of it was changed. Only the lines
    of changed files are read: torch's has 15,000."""
    for path, new in changed.items():
        if path.rpartition("/")[2].replace('"', '""') not in text:
            continue
        row = io.StringIO()
        csv.writer(row, lineterminator="").writerow([posixpath.relpath(path, site)])
        name = r"[/\\]".join(map(re.escape, row.getvalue().split("/")))
        digest = base64.urlsafe_b64encode(bytes.fromhex(new.after)).rstrip(b"=").decode()
        text = re.sub(rf"(?m)^({name},sha256=)[^,\r\n]*,\d*", rf"\g<1>{digest},{new.size}", text)
    return text


def mend_conda_records(prefix: Path, changed: Mapping[str, Changed]) -> None:
    digests = {one.before: one.after for one in changed.values()}
    for record in (prefix / "conda-meta").glob("*.json"):
        # A damaged one is copied as it is.
        before = after = record.read_text(encoding="utf-8", errors="surrogateescape")
        for old, new in digests.items():
            after = after.replace(f'"sha256_in_prefix": "{old}"', f'"sha256_in_prefix": "{new}"')
        if after != before:
            record.write_text(after, encoding="utf-8", errors="surrogateescape", newline="\n")


def placeholders_of(prefix: Path) -> dict[str, str]:
    """Of conda's files: those into which the prefix was written, and over what."""
    found: dict[str, str] = {}
    for record in (prefix / "conda-meta").glob("*.json"):
        for path, placeholder in _recorded_placeholders(record):
            found[path] = placeholder
    return found


def _recorded_placeholders(record: Path) -> Iterator[tuple[str, str]]:
    try:
        listed = json.loads(record.read_text(encoding="utf-8")).get("paths_data", {}).get("paths", ())
        for entry in listed:
            if entry.get("prefix_placeholder"):
                yield str(entry["_path"]), str(entry["prefix_placeholder"])
    except (OSError, ValueError, LookupError, AttributeError, TypeError):
        return
