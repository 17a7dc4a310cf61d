"""Folders that a cluster names by a variable (`matrices/cluster_places.toml`): a roomier place than a small home, or
one from which files that nobody uses are deleted. What a file server's quota leaves is not told to anybody, so on a
network disk the other folder is only named.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from wizard.environments.ground import Ground, look_at_ground
from wizard.i18n import Scalar, message
from wizard.plan.requirement import Requirement
from wizard.tables import Count, Date, Row, Variable, Words, parse_table, shipped_table

_ROOM = 12_000_000_000  # bytes: a build with CUDA and its companions
_FILES = 60_000


class NamedPlace(Row, frozen=True, kw_only=True):
    """A row. `keeps`: files stay there; `days`: after how many, unused, they go, where that is known."""

    KEYS = (("variable",),)

    variable: Variable
    keeps: bool
    source: Words
    as_of: Date
    days: Count | None = None


@dataclass(frozen=True, slots=True)
class FoundPlace:
    row: NamedPlace
    ground: Ground


class PlaceTable(Row, frozen=True):
    place: tuple[NamedPlace, ...]


def parse_places(document: str) -> tuple[NamedPlace, ...]:
    """Raises TableError."""
    return parse_table("cluster_places", document, PlaceTable).place


@lru_cache(maxsize=1)
def named_places() -> tuple[NamedPlace, ...]:
    return shipped_table("cluster_places", PlaceTable).place


def cluster_rows(prefix: Path, ground: Ground, environment: Mapping[str, str]) -> Iterator[Requirement]:
    """`ground`: of the prefix. Nothing where no such variable names a folder that is there."""
    around = tuple(_found(environment))
    inside = [place for place in around if _is_below(prefix, place.ground.path)]
    if inside:
        nearest = max(inside, key=lambda place: len(place.ground.path.parts))
        if not nearest.row.keeps:
            yield _purged(nearest)
    elif _is_small(ground) or ground.is_network:
        yield from _roomier(prefix, ground, around)


def _found(environment: Mapping[str, str]) -> Iterator[FoundPlace]:
    for row in named_places():
        folder = Path(environment.get(row.variable) or ".")
        if not folder.is_absolute() or not os.access(folder, os.W_OK | os.X_OK) or not folder.is_dir():
            continue
        try:
            ground = look_at_ground(folder)
        except OSError:
            continue
        if not (ground.is_read_only or ground.is_noexec) and ground.has_links:
            yield FoundPlace(row, ground)


def _is_below(prefix: Path, folder: Path) -> bool:
    """As written, or with the links of both followed."""
    there = folder.resolve()
    return folder in prefix.parents or there in prefix.resolve().parents


def _is_small(ground: Ground) -> bool:
    """On a network disk it is a user's quota that ends first, and the free bytes are everybody's."""
    return (ground.free is not None and ground.free < _ROOM) or (
        ground.files_left is not None and ground.files_left < _FILES
    )


def _roomier(prefix: Path, ground: Ground, around: tuple[FoundPlace, ...]) -> Iterator[Requirement]:
    """The first that keeps files; else the first at all, with its warning."""
    other = [place for place in around if place.ground.volume != ground.volume and not _is_small(place.ground)]
    best = next((place for place in other if place.row.keeps), next(iter(other), None))
    if best is None:
        return
    state = "warning" if _is_small(ground) else "note"
    words = _params(best) | {"prefix": str(best.ground.path / "torch-envs" / prefix.name)}
    why = message("fleet.place.roomier.why" if best.row.keeps else "fleet.place.roomier.why-purged", **words)
    fact, fix = message("fleet.place.roomier.fact", **words), message("fleet.place.roomier.fix", **words)
    yield Requirement("disk", state, fact, why, fix)


def _purged(place: FoundPlace) -> Requirement:
    known = "days" if place.row.days else "fact"
    fact = message(f"fleet.place.purged.{known}", **_params(place))
    return Requirement("disk", "warning", fact, message("fleet.place.purged.why"), message("fleet.place.purged.fix"))


def _params(place: FoundPlace) -> dict[str, Scalar]:
    free = place.ground.free
    room = f"{free / 1e9:.0f}" if free is not None else "?"
    found: dict[str, Scalar] = {"variable": place.row.variable, "path": str(place.ground.path), "gigabytes": room}
    return found | {"days": place.row.days or 0}
