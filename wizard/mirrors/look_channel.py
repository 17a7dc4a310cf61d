"""Looks at a conda channel: does its index for this platform answer, how old is it, and has it the wanted Python?

The index of a big channel is begun, not downloaded: its date tells how fresh it is. What it carries is read only where
that is cheap, from a small plain one.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from email.utils import parsedate_to_datetime

from wizard.i18n import message
from wizard.mirrors.address import file_path, join_path
from wizard.mirrors.channel import INDEXES
from wizard.mirrors.client import Client, Page
from wizard.mirrors.installing_client import file_headers
from wizard.mirrors.model import Source
from wizard.mirrors.truth import ChannelQuestion, Sight, Truth
from wizard.mirrors.unreachable import SourceUnreachable, explain_status

_INDEX_BEGINNING = 512  # bytes
_SMALL = 2 * 1024 * 1024
_MISSING = (404, 410)
_CHANNEL_TOTAL = re.compile(r"/(\d+)$")


def look_at_channel(source: Source, question: ChannelQuestion, client: Client) -> Sight:
    """Raises SourceUnreachable."""
    if (source.url or "").lower().startswith("file:"):
        return _channel_on_disk(source, question)
    name, page = source.label, None
    for index, magic in INDEXES.items():
        url = join_path(source.url or "", question.subdir, index)
        page = client.get(url, name, file_headers(0, _INDEX_BEGINNING - 1), _INDEX_BEGINNING)
        if page.status in (200, 206):
            if not page.body.lstrip().startswith(magic):
                raise SourceUnreachable("source-not-an-index", page.text[:200], source=name)
            return _described(source, index, url, page, client, question)
        if page.status not in (*_MISSING, 403):
            break
    if page is not None and page.status in _MISSING:
        return Sight(source, 0.0, problem=(Truth.MISSING, message("truth.missing")))
    assert page is not None
    raise explain_status(page.status, name, page.url, page.headers.get("retry-after", ""))


def _described(source: Source, index: str, url: str, page: Page, client: Client, question: ChannelQuestion) -> Sight:
    total = _CHANNEL_TOTAL.search(page.content_range)
    size = int(total[1]) if total else None
    seen = Sight(source, 0.0, file=f"{question.subdir}/{index}", link=url, final=page.url, size=size,
                 dated=_date(page.headers.get("last-modified", "")))  # fmt: skip
    if index != "repodata.json" or size is None or size > _SMALL:
        return seen
    whole = client.get(url, source.label, {"Accept-Encoding": "identity"}, _SMALL)
    return _judged_by_content(seen, whole.text, question)


def _judged_by_content(seen: Sight, text: str, question: ChannelQuestion) -> Sight:
    found = pythons_in(text)
    if found is not None and question.python not in found:
        return replace(seen, problem=(Truth.MISSING, message("truth.missing")))
    return seen


def pythons_in(text: str) -> set[str] | None:
    """ "3.12" and the like. None: this is no index of packages."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    lists = [document.get(key) for key in ("packages", "packages.conda")]
    rows = [row for packages in lists if isinstance(packages, dict) for row in packages.values()]
    named = [row for row in rows if isinstance(row, dict) and row.get("name") == "python"]
    return {".".join(str(row.get("version", "")).split(".")[:2]) for row in named}


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None


def _channel_on_disk(source: Source, question: ChannelQuestion) -> Sight:
    folder = file_path(source.url or "") / question.subdir
    for index in INDEXES:
        path = folder / index
        try:
            told = path.stat()
            seen = Sight(source, 0.0, file=f"{question.subdir}/{index}", link=path.as_uri(), final=path.as_uri(),
                         size=told.st_size, dated=told.st_mtime)  # fmt: skip
            if index == "repodata.json" and told.st_size <= _SMALL:
                return _judged_by_content(seen, path.read_text(encoding="utf-8", errors="replace"), question)
            return seen
        except OSError:
            continue
    raise SourceUnreachable("source-no-folder", source=source.label, path=str(folder))
