"""What the sights mean beside one another: the official place is the measure, where it was reached. Pure.

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
from wizard.sources.model import Origin
from wizard.sources.status import ListedRelease, ProbeResult, SourceStatus, Truth
from wizard.transfer.http import SourceUnreachable

_DAY = 86400.0
# Suffixes below which anybody may have a name: mirror.a.edu.cn and mirror.b.edu.cn are two sites.
_SHARED = frozenset({"edu", "com", "org", "net", "ac", "gov", "co"})
_BY_CODE = {
    "source-timeout": Truth.SILENT,
    "source-offline": Truth.SILENT,
    "source-tls": Truth.TLS,
    "source-certificate": Truth.TLS,
    "source-forbidden": Truth.REFUSED,
    "source-not-an-index": Truth.PORTAL,
}


Contradicts = Callable[[str, str], bool]  # of a file's name and SHA-256: whether the tables know it with another


def cross_check(
    sights: Sequence[ProbeResult],
    is_open: bool,
    channel_days: float,
    now: float,
    contradicts: Contradicts = lambda file, sha256: False,
) -> tuple[SourceStatus, ...]:
    """In the order given. `is_open`: the newest was wanted, whatever it is, not one release by its number."""
    measure = _Measure(sights, is_open, channel_days, contradicts)
    return tuple(_finding(sight, measure, now) for sight in sights)


class _Measure:
    """What the official places, or most of the others, say."""

    def __init__(
        self, sights: Sequence[ProbeResult], is_open: bool, channel_days: float, contradicts: Contradicts
    ) -> None:
        self.is_open, self.channel_days, self._contradicts = is_open, channel_days, contradicts
        official = [sight for sight in sights if sight.source.origin is Origin.OFFICIAL and not sight.failure]
        self.releases = _merged(sight.releases for sight in official)
        self.dated = max((sight.dated for sight in official if sight.dated), default=None)
        self._hashes = {sight.file: sight.sha256 for sight in official if sight.file and sight.sha256}
        self._sizes = {
            sight.file: sight.size or sight.listed_size for sight in official if sight.file and not sight.problem
        }
        self._common = _common_hashes([sight for sight in sights if not self.contradicts_pin(sight)])

    def contradicts_pin(self, sight: ProbeResult) -> bool:
        if not sight.file or not sight.sha256 or sight.source.origin is Origin.OFFICIAL:
            return False
        return self._contradicts(sight.file, sight.sha256)

    def sha256(self, file: str) -> str | None:
        return self._hashes.get(file) or self._common.get(file)

    def size(self, file: str) -> int | None:
        return self._sizes.get(file)


def _merged(lists: Iterable[tuple[ListedRelease, ...]]) -> tuple[ListedRelease, ...]:
    merged = {release.version: release for releases in lists for release in releases}
    return tuple(merged[version] for version in sorted(merged))


def _common_hashes(sights: Sequence[ProbeResult]) -> dict[str, str]:
    """For each file the hash that more than half of those who name one agree on."""
    named: dict[str, Counter[str]] = {}
    for sight in sights:
        if sight.file and sight.sha256:
            named.setdefault(sight.file, Counter())[sight.sha256] += 1
    common = {file: hashes.most_common(1)[0] for file, hashes in named.items()}
    return {file: sha256 for file, (sha256, count) in common.items() if count * 2 > sum(named[file].values())}


def _finding(sight: ProbeResult, measure: _Measure, now: float) -> SourceStatus:
    truth, words = _judged(sight, measure)
    newest = sight.releases[-1].version.public if sight.releases else None
    return SourceStatus(
        source=sight.source.id,
        truth=truth,
        message=words,
        asked=int(now * 10) / 10,
        seconds=sight.seconds,
        final_host=_host(sight.final),
        file=sight.file,
        sha256=sight.sha256,
        size=sight.size,
        newest=newest,
    )


def _judged(sight: ProbeResult, measure: _Measure) -> tuple[Truth, Message]:
    if sight.failure:
        return of_failure(sight.failure)
    if sight.problem:
        is_behind = sight.problem[0] is Truth.MISSING and sight.file is None
        return (_behind(sight, measure) if is_behind else None) or sight.problem
    if sight.file is None:
        return _behind(sight, measure) or (Truth.MISSING, message("truth.missing"))
    return (
        _wrong(sight, measure)
        or (_behind(sight, measure) if measure.is_open else None)
        or _old_channel(sight, measure)
        or _elsewhere(sight)
        or (Truth.COMPLETE, message("truth.complete"))
    )


def of_failure(failure: SourceUnreachable) -> tuple[Truth, Message]:
    status = failure.params.get("status")
    if status == 429:
        seconds = pause_seconds(str(failure.params.get("retry_after", "")))
        return Truth.BUSY, message("truth.busy-for", seconds=seconds) if seconds else message("truth.busy")
    if failure.code.startswith("network-"):  # the words there say which: authority, date, proxy
        return (Truth.TLS if "-tls-" in failure.code else Truth.SILENT), failure.summary
    truth = _BY_CODE.get(failure.code, Truth.BROKEN)
    if truth is Truth.REFUSED:
        return truth, message("truth.refused", status=status or 403)
    if truth is Truth.SILENT:
        return truth, message("truth.silent" if failure.code == "source-timeout" else "truth.offline")
    if truth is not Truth.BROKEN:
        return truth, message(f"truth.{truth.value}")
    return truth, message("truth.status", status=status) if status else failure.summary


def pause_seconds(retry_after: str) -> int | None:
    """From `120` or an HTTP date."""
    if retry_after.strip().isdigit():
        return int(retry_after)
    try:
        left = (parsedate_to_datetime(retry_after) - datetime.now().astimezone()).total_seconds()
    except (TypeError, ValueError, OverflowError):
        return None
    return max(1, round(left))


def _wrong(sight: ProbeResult, measure: _Measure) -> tuple[Truth, Message] | None:
    if sight.file is None:
        return None
    if measure.contradicts_pin(sight):
        return Truth.WRONG, message("truth.wrong-pin", file=sight.file)
    wanted = measure.sha256(sight.file)
    if sight.sha256 and wanted and sight.sha256 != wanted:
        return Truth.WRONG, message("truth.wrong-hash")
    told = {measure.size(sight.file), sight.listed_size} - {None}
    for size in told:
        if sight.size is not None and sight.size != size:
            return Truth.WRONG, message("truth.wrong-size", found=sight.size, wanted=size or 0)
    if sight.listed_size is not None and (known := measure.size(sight.file)) and sight.listed_size != known:
        return Truth.WRONG, message("truth.wrong-size", found=sight.listed_size, wanted=known)
    return None


def _behind(sight: ProbeResult, measure: _Measure) -> tuple[Truth, Message] | None:
    """Older than the official place in its newest release; a source that never had any is not stale, it lacks it."""
    if sight.source.origin is Origin.OFFICIAL or not measure.releases or not sight.releases:
        return None
    own, official = sight.releases[-1], measure.releases[-1]
    count = sum(release.version > own.version for release in measure.releases)
    if not count:
        return None
    params: dict[str, str | int | float] = {
        "newest": own.version.public,
        "official": official.version.public,
        "count": count,
    }
    days = _days(own, official, measure.releases)
    if days is None:
        return Truth.STALE, message("truth.stale", **params)
    return Truth.STALE, message("truth.stale-days", **params, days=days)


def _days(own: ListedRelease, official: ListedRelease, releases: Sequence[ListedRelease]) -> int | None:
    """Between what it has and the newest; its own page may tell no dates, the official one does."""
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


def _old_channel(sight: ProbeResult, measure: _Measure) -> tuple[Truth, Message] | None:
    if sight.dated is None or measure.dated is None:
        return None
    days = (measure.dated - sight.dated) / _DAY
    if days <= measure.channel_days:
        return None
    return Truth.STALE, message("truth.stale-channel", days=round(days))


def _elsewhere(sight: ProbeResult) -> tuple[Truth, Message] | None:
    """The official place may keep its files where it likes; for a mirror it means that it is none."""
    start, end = _host(sight.source.url), _host(sight.final)
    if sight.source.origin is Origin.OFFICIAL or start is None or end is None or is_same_site(start, end):
        return None
    return Truth.ELSEWHERE, message("truth.elsewhere", host=end)


def _host(url: str | None) -> str | None:
    """None for a folder of this computer."""
    return (urlsplit(url).hostname or None) if url else None


def is_same_site(one: str, other: str) -> bool:
    """mirror.sjtu.edu.cn and s3.jcloud.sjtu.edu.cn are: the same up to a name that belongs to one owner."""
    if one == other:
        return True
    site = _site(one)
    return site is not None and (other == site or other.endswith(f".{site}"))


def _site(host: str) -> str | None:
    """None for a number, or where no owner can be told."""
    labels = host.lower().split(".")
    if labels[-1].isdigit() or ":" in host:
        return None
    kept = 3 if len(labels[-1]) == 2 and len(labels) > 2 and labels[-2] in _SHARED else 2
    return ".".join(labels[-kept:]) if len(labels) >= kept else None
