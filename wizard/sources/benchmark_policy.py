"""Reads how mirrors are probed, and where they are asked without a word of the person: `matrices/race.toml`.

The region is a guess from the system's language and time zone, and the person's word stands above it. No address is
looked up for it: nobody learns where this computer is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from wizard.model.messages import LANGUAGE_VARIABLE, system_language
from wizard.model.tables import SOME, Count, Date, Name, Positive, Row, Words, parse_table, shipped_table
from wizard.system.traits import this
from wizard.system.windows.registry import MACHINE, Registry, registry

_ZONE_KEY = r"SYSTEM\CurrentControlSet\Control\TimeZoneInformation"
REGION_VARIABLE = "TORCH_WIZARD_REGION"
REGIONS = ("auto", "cn", "world")
_ZONE_IN_PATH = re.compile(r"zoneinfo/(?:posix/|right/)?(?P<zone>.+)$")


@dataclass(frozen=True, slots=True)
class BenchmarkPolicy:
    """Times in seconds, sizes in bytes."""

    probe_seconds: float
    packages: str  # the project by which sources of packages are judged
    channel_days: float
    speed_bytes: int
    speed_seconds: float
    most_measured: int
    kept_seconds: float
    languages: Mapping[str, tuple[str, ...]]  # region -> the system's languages
    time_zones: Mapping[str, tuple[str, ...]]


class RegionRow(Row, frozen=True, kw_only=True):
    languages: Annotated[tuple[Name, ...], SOME]
    time_zones: Annotated[tuple[Words, ...], SOME]
    reason: Words
    source: Words
    as_of: Date


class ProbeRow(Row, frozen=True, kw_only=True):
    seconds: Positive
    packages: Name
    channel_days: Positive
    reason: Words
    as_of: Date


class SpeedRow(Row, frozen=True, kw_only=True):
    bytes: Count
    seconds: Positive
    most: Count
    reason: Words
    source: Words
    as_of: Date


class KeptRow(Row, frozen=True, kw_only=True):
    hours: Positive


class BenchmarkTable(Row, frozen=True, kw_only=True):
    regions: dict[str, RegionRow]
    probe: ProbeRow
    speed: SpeedRow
    kept: KeptRow

    def policy(self) -> BenchmarkPolicy:
        """Return the table's rows as one policy; hours become seconds."""
        return BenchmarkPolicy(
            probe_seconds=self.probe.seconds,
            packages=self.probe.packages,
            channel_days=self.probe.channel_days,
            speed_bytes=self.speed.bytes,
            speed_seconds=self.speed.seconds,
            most_measured=self.speed.most,
            kept_seconds=self.kept.hours * 3600,
            languages={name: row.languages for name, row in self.regions.items()},
            time_zones={name: row.time_zones for name, row in self.regions.items()},
        )


def parse_policy(document: str) -> BenchmarkPolicy:
    """Read the text of `matrices/race.toml`. Raises TableError."""
    return parse_table("race", document, BenchmarkTable).policy()


@lru_cache(maxsize=1)
def benchmark_policy() -> BenchmarkPolicy:
    """Read the shipped table, once. Raises WizardError `bad-table`."""
    return shipped_table("race", BenchmarkTable).policy()


def region(chosen: str = "auto", environ: Mapping[str, str] = os.environ) -> str:
    """Return "cn" or "world". The choice counts, then TORCH_WIZARD_REGION, then what the system looks like."""
    for word in (chosen, environ.get(REGION_VARIABLE, "auto")):
        if word in ("cn", "world"):
            return word
    return region_of(language_name(environ), time_zone(environ), benchmark_policy())


def region_of(language: str, zone: str, policy: BenchmarkPolicy) -> str:
    """Return the region of a language or a time zone; "world" for any other."""
    spoken = re.split(r"[.@]", language)[0].replace("-", "_")
    for name, languages in policy.languages.items():
        if spoken in languages or zone in policy.time_zones[name]:
            return name
    return "world"


def language_name(environ: Mapping[str, str]) -> str:
    """Return it as the system writes it: "zh_CN.UTF-8"; where no variable says it, perhaps of the user interface."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environ.get(name):
            return environ[name]
    if this().language_is_a_setting and not environ.get(LANGUAGE_VARIABLE):
        return system_language()
    return ""


def time_zone(environ: Mapping[str, str], root: Path = Path("/")) -> str:
    """Return "Asia/Shanghai"; on Windows "China Standard Time"; "" when it is not known."""
    named = environ.get("TZ", "").lstrip(":")
    if named:
        return zone_of_path(named) or named
    if known := windows_zone(registry()):
        return known
    try:
        linked = zone_of_path(os.fspath((root / "etc" / "localtime").readlink()))
    except OSError:  # a copy of the file, or none
        linked = ""
    return linked or _plain_zone(root)


def zone_of_path(path: str) -> str:
    """Return "Asia/Shanghai" from `/usr/share/zoneinfo/Asia/Shanghai`."""
    found = _ZONE_IN_PATH.search(path.replace("\\", "/"))
    return found["zone"] if found else ""


def _plain_zone(root: Path) -> str:
    try:
        return (root / "etc" / "timezone").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def windows_zone(known: Registry) -> str:
    """Return "China Standard Time"; "" when it is not there. Windows pads it with zeros at times."""
    return str(known.values(MACHINE, _ZONE_KEY).get("TimeZoneKeyName", "")).partition("\0")[0]
