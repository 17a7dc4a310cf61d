"""New builds of the sources, judged for one machine by the same rule as all others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from wizard.compatibility.data.load import with_rows
from wizard.compatibility.data.model import PLATFORMS, Matrix
from wizard.compatibility.model import Choices, Reason
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Machine
from wizard.model.errors import UsageError
from wizard.run.select.learned_rows import is_usable, rows_of
from wizard.run.select.new_builds import NewBuild, find_news
from wizard.run.select.source_catalog import SourceCatalog
from wizard.sources.model import UserSettings
from wizard.sources.read import Reader


@dataclass(frozen=True, slots=True)
class JudgedBuild:
    """`fits` None: its kernels, or the driver that its CUDA needs, are not known."""

    build: NewBuild
    fits: bool | None
    reasons: tuple[Reason, ...] = ()


def judged_news(
    machine: Machine, matrix: Matrix, choices: Choices, settings: UserSettings, is_cancelled: Callable[[], bool]
) -> tuple[JudgedBuild, ...]:
    """Newest first; () where nothing is new or no source answers. Raises UsageError for a bad address, Cancelled."""
    platform = PLATFORMS.get((machine.os, machine.arch))
    if platform is None:
        return ()
    with Reader(settings) as reader:
        found = find_news(matrix, SourceCatalog(choices, settings, reader), reader, (platform,), is_cancelled).builds
    usable = [build for build in found if is_usable(build, matrix)]
    extended = with_rows(rows_of(usable, matrix, {})) if usable else matrix
    return tuple(_judged(build, machine, extended, choices) for build in found)


def _judged(build: NewBuild, machine: Machine, matrix: Matrix, choices: Choices) -> JudgedBuild:
    wish = replace(choices, torch=build.torch, variant=build.variant, include_unadvertised=True)
    if build.variant is None or build.architectures is None:
        return JudgedBuild(build, None)
    try:
        candidates = resolve(machine, matrix, wish).candidates
    except UsageError:  # the rule has no row for it: a CUDA family without driver floors
        return JudgedBuild(build, None)
    for candidate in candidates:
        if (candidate.torch, candidate.variant) == (build.torch, build.variant):
            return JudgedBuild(build, candidate.fits, candidate.reasons)
    return JudgedBuild(build, None)
