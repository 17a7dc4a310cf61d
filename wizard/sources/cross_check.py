"""Holds what sources showed against one another: the official place is the reference, where it was reached. Pure.

SHA-256, size and the newest release come from the official page; without it, a hash that stands alone against those
of the other sources is not believed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from wizard.model.messages import Message, message
from wizard.sources.model import Availability, ListedRelease, Origin, ProbeResult, SourceStatus
from wizard.transfer.http import SourceUnreachable

_DAY = 86400.0
# Suffixes below which anybody may have a name: mirror.a.edu.cn and mirror.b.edu.cn are two sites.
_SHARED = frozenset({"edu", "com", "org", "net", "ac", "gov", "co"})
_BY_CODE = {
    "source-timeout": Availability.SILENT,
    "source-offline": Availability.SILENT,
    "source-tls": Availability.TLS,
    "source-certificate": Availability.TLS,
    "source-forbidden": Availability.REFUSED,
    "source-not-an-index": Availability.PORTAL,
}


Contradicts = Callable[[str, str], bool]  # of a file's name and SHA-256: whether the tables know it with another


def cross_check(
    results: Sequence[ProbeResult],
    is_open: bool,
    channel_days: float,
    now: float,
    contradicts: Contradicts = lambda file, sha256: False,
) -> tuple[SourceStatus, ...]:
    """Return what is true of each, in the order given. `is_open`: the newest was wanted, not one release by its
    number."""
    reference = _Reference(results, is_open, channel_days, contradicts)
    return tuple(_status(result, reference, now) for result in results)


class _Reference:
    """What the official places, or most of the others, say."""

    def __init__(
        self, results: Sequence[ProbeResult], is_open: bool, channel_days: float, contradicts: Contradicts
    ) -> None:
        self.is_open, self.channel_days, self._contradicts = is_open, channel_days, contradicts
        official = [result for result in results if result.source.origin is Origin.OFFICIAL and not result.failure]
        self.releases = _merged(result.releases for result in official)
        self.dated = max((result.dated for result in official if result.dated), default=None)
        self._hashes = {result.file: result.sha256 for result in official if result.file and result.sha256}
        self._sizes = {
            result.file: result.size or result.listed_size for result in official if result.file and not result.problem
        }
        self._common = _common_hashes([result for result in results if not self.contradicts_pin(result)])

    def contradicts_pin(self, result: ProbeResult) -> bool:
        if not result.file or not result.sha256 or result.source.origin is Origin.OFFICIAL:
            return False
        return self._contradicts(result.file, result.sha256)

    def sha256(self, file: str) -> str | None:
        return self._hashes.get(file) or self._common.get(file)

    def size(self, file: str) -> int | None:
        return self._sizes.get(file)


def _merged(lists: Iterable[tuple[ListedRelease, ...]]) -> tuple[ListedRelease, ...]:
    merged = {release.version: release for releases in lists for release in releases}
    return tuple(merged[version] for version in sorted(merged))


def _common_hashes(results: Sequence[ProbeResult]) -> dict[str, str]:
    """Return for each file the hash that more than half of those who name one agree on."""
    named: dict[str, Counter[str]] = {}
    for result in results:
        if result.file and result.sha256:
            named.setdefault(result.file, Counter())[result.sha256] += 1
    common = {file: hashes.most_common(1)[0] for file, hashes in named.items()}
    return {file: sha256 for file, (sha256, count) in common.items() if count * 2 > sum(named[file].values())}


def _status(result: ProbeResult, reference: _Reference, now: float) -> SourceStatus:
    availability, words = _judged(result, reference)
    newest = result.releases[-1].version.public if result.releases else None
    return SourceStatus(
        source=result.source,
        availability=availability,
        message=words,
        asked=int(now * 10) / 10,
        seconds=result.seconds,
        final_host=_host(result.final),
        file=result.file,
        sha256=result.sha256,
        size=result.size,
        newest=newest,
    )


def _judged(result: ProbeResult, reference: _Reference) -> tuple[Availability, Message]:
    if result.failure:
        return of_failure(result.failure)
    if result.problem:
        is_behind = result.problem[0] is Availability.MISSING and result.file is None
        return (_behind(result, reference) if is_behind else None) or result.problem
    if result.file is None:
        return _behind(result, reference) or (Availability.MISSING, message("truth.missing"))
    return (
        _wrong(result, reference)
        or (_behind(result, reference) if reference.is_open else None)
        or _old_channel(result, reference)
        or _elsewhere(result)
        or (Availability.COMPLETE, message("truth.complete"))
    )


def of_failure(failure: SourceUnreachable) -> tuple[Availability, Message]:
    """Return what a failure to reach a source means, and its words."""
    status = failure.params.get("status")
    if status == 429:
        seconds = pause_seconds(str(failure.params.get("retry_after", "")))
        return Availability.BUSY, message("truth.busy-for", seconds=seconds) if seconds else message("truth.busy")
    found = _BY_CODE.get(failure.code, Availability.BROKEN)
    if failure.code.startswith(("network-", "source-certificate")):  # its words say which: authority, date, file, proxy
        return (Availability.SILENT if "-proxy-" in failure.code else Availability.TLS), failure.summary
    if found is Availability.REFUSED:
        return found, message("truth.refused", status=status or 403)
    if found is Availability.SILENT:
        return found, message("truth.silent" if failure.code == "source-timeout" else "truth.offline")
    if found is not Availability.BROKEN:
        return found, message(f"truth.{found.value}")
    return found, message("truth.status", status=status) if status else failure.summary


def pause_seconds(retry_after: str) -> int | None:
    """Return seconds, from `120` or an HTTP date."""
    if retry_after.strip().isdigit():
        return int(retry_after)
    try:
        left = (parsedate_to_datetime(retry_after) - datetime.now().astimezone()).total_seconds()
    except (TypeError, ValueError, OverflowError):
        return None
    return max(1, round(left))


def _wrong(result: ProbeResult, reference: _Reference) -> tuple[Availability, Message] | None:
    if result.file is None:
        return None
    if reference.contradicts_pin(result):
        return Availability.WRONG, message("truth.wrong-pin", file=result.file)
    wanted = reference.sha256(result.file)
    if result.sha256 and wanted and result.sha256 != wanted:
        return Availability.WRONG, message("truth.wrong-hash")
    listed = {reference.size(result.file), result.listed_size} - {None}
    for size in listed:
        if result.size is not None and result.size != size:
            return Availability.WRONG, message("truth.wrong-size", found=result.size, wanted=size or 0)
    if result.listed_size is not None and (known := reference.size(result.file)) and result.listed_size != known:
        return Availability.WRONG, message("truth.wrong-size", found=result.listed_size, wanted=known)
    return None


def _behind(result: ProbeResult, reference: _Reference) -> tuple[Availability, Message] | None:
    """Older than the official place in its newest release; a source that never had any is not stale, it lacks it."""
    if result.source.origin is Origin.OFFICIAL or not reference.releases or not result.releases:
        return None
    own, official = result.releases[-1], reference.releases[-1]
    count = sum(release.version > own.version for release in reference.releases)
    if not count:
        return None
    params: dict[str, str | int | float] = {
        "newest": own.version.public,
        "official": official.version.public,
        "count": count,
    }
    days = _days(own, official, reference.releases)
    if days is None:
        return Availability.STALE, message("truth.stale", **params)
    return Availability.STALE, message("truth.stale-days", **params, days=days)


def _days(own: ListedRelease, official: ListedRelease, releases: Sequence[ListedRelease]) -> int | None:
    """Return days between what it has and the newest; its own page may have no dates, the official one does."""
    dates = {release.version: release.uploaded for release in releases}
    first, last = _moment(own.uploaded or dates.get(own.version)), _moment(official.uploaded)
    return None if first is None or last is None else max(0, round((last - first) / _DAY))


def _moment(text: str | None) -> float | None:
    """Python 3.10 reads neither `Z` nor fractions of odd length."""
    found = re.match(r"^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d))?", text or "")
    if not found:
        return None
    try:
        return datetime.fromisoformat(f"{found[1]}T{found[2] or '00:00:00'}+00:00").timestamp()
    except ValueError:
        return None


def _old_channel(result: ProbeResult, reference: _Reference) -> tuple[Availability, Message] | None:
    if result.dated is None or reference.dated is None:
        return None
    days = (reference.dated - result.dated) / _DAY
    if days <= reference.channel_days:
        return None
    return Availability.STALE, message("truth.stale-channel", days=round(days))


def _elsewhere(result: ProbeResult) -> tuple[Availability, Message] | None:
    """The official place may keep its files where it likes; for a mirror it means that it is none."""
    start, end = _host(result.source.url), _host(result.final)
    if result.source.origin is Origin.OFFICIAL or start is None or end is None or is_same_site(start, end):
        return None
    return Availability.ELSEWHERE, message("truth.elsewhere", host=end)


def _host(url: str | None) -> str | None:
    """None for a folder of this computer."""
    return (urlsplit(url).hostname or None) if url else None


def is_same_site(one: str, other: str) -> bool:
    """Return whether two hosts share a name that belongs to one owner: mirror.sjtu.edu.cn, s3.jcloud.sjtu.edu.cn."""
    if one == other:
        return True
    site = _site(one)
    return site is not None and (other == site or other.endswith(f".{site}"))


def _site(host: str) -> str | None:
    """None for a number, or where no owner is known."""
    labels = host.lower().split(".")
    if labels[-1].isdigit() or ":" in host:
        return None
    kept = 3 if len(labels[-1]) == 2 and len(labels) > 2 and labels[-2] in _SHARED else 2
    return ".".join(labels[-kept:]) if len(labels) >= kept else None
