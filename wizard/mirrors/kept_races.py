"""What a race found is kept for a day, for this network: speeds measured elsewhere say nothing here.

One small file for each question; it holds no address. What cannot be read, is too old or was measured in another
network is thrown away.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wizard import paths
from wizard.mirrors.truth import Finding
from wizard.system import moving
from wizard.typed import from_json

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class KeptRace:
    network: str
    asked: float
    findings: tuple[Finding, ...]
    schema: int = SCHEMA


def race_path(question: str, addresses: Iterable[str | None]) -> Path:
    """Another question, or another list of sources, is another race."""
    told = "\n".join([question, *(address or "" for address in addresses)])
    return paths.cache_dir() / "mirror-races" / f"{hashlib.sha256(told.encode()).hexdigest()[:24]}.json"


def recall(path: Path, network: str, seconds: float, now: float | None = None) -> KeptRace | None:
    try:
        kept = from_json(path.read_bytes(), KeptRace)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        kept = None
    moment = time.time() if now is None else now
    if kept and kept.schema == SCHEMA and kept.network == network and 0 <= moment - kept.asked < seconds:
        return kept
    with contextlib.suppress(OSError):
        moving.unlink(path)
    return None


def keep(path: Path, race: KeptRace) -> None:
    """Without success when the disk is full or read-only: then the next one asks again."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.encode(race))
