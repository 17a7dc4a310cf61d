"""What a repair still has to fetch and how long that takes, by the speeds that races have measured in this network.

Only files that are not in the downloads count. Without a measurement of every host that is left, no speed is claimed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from wizard import paths
from wizard.mirrors.kept_races import recall
from wizard.mirrors.model import Source, UserSettings
from wizard.mirrors.race_policy import race_policy
from wizard.mirrors.this_network import network_mark
from wizard.packages.fetch import Downloads
from wizard.packages.model import LockedFile
from wizard.packages.store import PackageStore

_RACES = "mirror-races"


@dataclass(frozen=True, slots=True)
class Transfer:
    """`rate` in bytes a second over all of it; None: not measured."""

    count: int
    size: int
    rate: float | None


def transfer_of(files: Iterable[LockedFile], rates: Mapping[str, float]) -> Transfer:
    downloads, store = Downloads(), PackageStore()
    left = [file for file in files if not (downloads.path_for(file).is_file() or store.wheel_of(file))]
    size = sum(file.size or 0 for file in left)
    known = [rates.get(_host(file.urls[0]) if file.urls else "") for file in left]
    if not size or not all(known):
        return Transfer(len(left), size, None)
    seconds = sum((file.size or 0) / rate for file, rate in zip(left, known, strict=True) if rate)
    return Transfer(len(left), size, size / seconds if seconds else None)


def measured_rates(
    settings: UserSettings, sources: Iterable[Source], folder: Path | None = None, now: float | None = None
) -> dict[str, float]:
    """By host: where a source is asked and where its bytes come from. The newest measurement counts."""
    asked_at = {source.id: _host(source.url) for source in sources if source.url}
    network, seconds = network_mark(settings), race_policy().kept_seconds
    files = sorted((folder or paths.cache_dir() / _RACES).glob("*.json"))
    races = [race for path in files if (race := recall(path, network, seconds, now))]
    rates: dict[str, float] = {}
    for race in sorted(races, key=lambda one: one.asked):
        for finding in race.findings:
            if finding.rate:
                hosts = (finding.final_host, asked_at.get(finding.source))
                rates.update((host, finding.rate) for host in hosts if host)
    return rates


def _host(url: str | None) -> str:
    return urlsplit(url or "").hostname or ""
