"""All places that may carry a kind of thing, mirrors of the table too: who is listed, tested and may race.

Only addresses and where they are known from. Which of them carry the wanted build, and how fast, is for the truth
probe; which one is taken is for the session.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from wizard.mirrors.candidates import SourceChoices, conda_channels, default_index, own_indexes, sources_by_hand
from wizard.mirrors.model import Layout, Origin, Source, UserSettings
from wizard.mirrors.table import MirrorRow, mirror_rows


class Kind(str, enum.Enum):
    TORCH = "torch"
    PACKAGES = "packages"
    CONDA = "conda"
    MINIFORGE = "miniforge"


_ROWS = {
    Kind.TORCH: "pytorch-wheels", Kind.PACKAGES: "pypi", Kind.CONDA: "conda-forge",
    Kind.MINIFORGE: "miniforge-installers",
}  # fmt: skip
_LAYOUTS = {"simple": Layout.SIMPLE, "flat": Layout.FLAT, "channel": Layout.CHANNEL, "files": Layout.FLAT}


@dataclass(frozen=True, slots=True)
class Racer:
    """`row` is None for the person's own sources: settings and by hand."""

    source: Source
    row: MirrorRow | None = None

    @property
    def mirror(self) -> str:
        """The id that `--mirror` takes."""
        return self.row.id if self.row else self.source.id


def racers(
    kind: Kind, choices: SourceChoices, settings: UserSettings, variant: str = "cpu", is_default_build: bool = False
) -> tuple[Racer, ...]:
    """The most trusted first: by hand, the user's own settings, official, mirrors. Raises UsageError.

    `is_default_build`: the package index and its mirrors carry this build of torch too.
    """
    own = _own(kind, choices, settings)
    known = [_known(row, kind, variant) for row in rows_of(kind)]
    if kind is Kind.TORCH and is_default_build:
        known += [_known(row, Kind.PACKAGES, variant) for row in rows_of(Kind.PACKAGES)]
    return _distinct_racers((*(Racer(source) for source in own), *known))


def rows_of(kind: Kind) -> tuple[MirrorRow, ...]:
    """The official one first."""
    rows = [row for row in mirror_rows() if row.kind == _ROWS[kind]]
    return tuple(sorted(rows, key=lambda row: row.id != "official"))


def _own(kind: Kind, choices: SourceChoices, settings: UserSettings) -> tuple[Source, ...]:
    if kind is Kind.MINIFORGE:
        return ()
    if kind is Kind.CONDA:
        return tuple(source for source in conda_channels(choices, settings) if source.origin is not Origin.OFFICIAL)
    typed = (source for source in sources_by_hand(choices) if _serves(source, kind))
    return (*typed, *own_indexes(settings))


def _serves(source: Source, kind: Kind) -> bool:
    return kind is Kind.TORCH or source.id != "by-hand-torch-index"


def _known(row: MirrorRow, kind: Kind, variant: str) -> Racer:
    if kind is Kind.PACKAGES and row.id == "official":
        return Racer(default_index(), row)
    is_official = row.id == "official"
    stem = f"{kind.value}-{variant}" if kind is Kind.TORCH else row.kind if kind is Kind.CONDA else kind.value
    source = Source(
        id=f"{row.id}-{stem}",
        layout=_LAYOUTS[row.layout],
        origin=Origin.OFFICIAL if is_official else Origin.MIRROR,
        url=row.address(variant),
        name=row.operator,
        variant=variant if kind is Kind.TORCH else None,
    )
    return Racer(source, row)


def _distinct_racers(found: Iterable[Racer]) -> tuple[Racer, ...]:
    """One address is asked once, in its most trusted place; the row beside it is not lost."""
    kept: dict[str | None, Racer] = {}
    for racer in found:
        url = racer.source.url.rstrip("/") if racer.source.url else None
        before = kept.setdefault(url, racer)
        if before.row is None and racer.row is not None:
            kept[url] = Racer(before.source, racer.row)
    return tuple(kept.values())
