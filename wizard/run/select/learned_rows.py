"""Turns new builds into rows of the tables: what `matrices refresh` writes, and what `pick` judges for the moment.

A build whose code is not known gets no row, for the rule would have to guess. A CUDA version that the tables do not
have yet takes the driver floor of its family (minor-version compatibility), marked as inferred.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from packaging.requirements import Requirement
from packaging.version import Version

from wizard.compatibility.data.load import with_rows
from wizard.compatibility.data.model import PLATFORMS, Matrix
from wizard.compatibility.data.ordering import CPU, cuda_of, version_key
from wizard.compatibility.model import Choices, Reason
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Machine
from wizard.model.capability import ComputeCapability
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import text
from wizard.run.select.new_builds import NewBuild, find_new_builds, newest_release
from wizard.run.select.source_catalog import SourceCatalog
from wizard.sources.model import Offer, Source, UserSettings
from wizard.sources.read import Reader
from wizard.sources.remote_wheel import read_requirements

# Which torchvision and torchaudio belong to a torch that the tables do not know: asked of their own metadata.
#
# torchvision names the torch that it was built for; torchaudio has named none since 2.11, so its newest release serves.
# Where nothing is found, the companion stays unknown: none is guessed.

_STABLE = re.compile(r"^\d+(\.\d+){1,3}$")  # as the tables hold them
_MOST_ASKED = 6  # releases of one companion


def pairs(builds: Sequence[NewBuild], matrix: Matrix, reader: Reader) -> dict[str, tuple[str | None, str | None]]:
    """Return torch -> (torchvision, torchaudio), from the sources in which the new builds were found."""
    before = matrix.releases[newest_release(matrix)]
    found: dict[str, tuple[str | None, str | None]] = {}
    for build in builds:
        if build.torch in matrix.releases or all(found.get(build.torch, (None,))):
            continue
        vision = _companion("torchvision", build, reader, before.torchvision)
        audio = _companion("torchaudio", build, reader, before.torchaudio, unpinned=True)
        known = found.get(build.torch, (None, None))
        found[build.torch] = (known[0] or vision, known[1] or audio)
    return found


def _companion(project: str, build: NewBuild, reader: Reader, least: str | None, unpinned: bool = False) -> str | None:
    """Return the newest release from `least` that takes this torch; `unpinned`: also one that names no torch."""
    for offer in _newest(_offers(project, build.source, reader), least)[:_MOST_ASKED]:
        try:
            named = _torch_of(read_requirements(reader.client, offer))
        except WizardError:
            continue
        if named is None and unpinned or named is not None and named.specifier.contains(build.torch):
            return offer.version.public
    return None


def _offers(project: str, source: Source, reader: Reader) -> tuple[Offer, ...]:
    try:
        return reader.offers(source, project)
    except WizardError:
        return ()


def _newest(offers: Iterable[Offer], least: str | None) -> list[Offer]:
    """One wheel of each stable release, newest first; newer companions are made for any Python (`py3-none`)."""
    releases: dict[Version, Offer] = {}
    for offer in offers:
        if not offer.yanked and _STABLE.match(offer.version.public):
            releases.setdefault(Version(offer.version.public), offer)
    floor = Version(least or "0")
    return [releases[version] for version in sorted(releases, reverse=True) if version >= floor]


def _torch_of(requirements: Iterable[Requirement]) -> Requirement | None:
    return next((one for one in requirements if one.name == "torch" and one.marker is None), None)


Rows = dict[str, list[dict[str, str]]]
Companions = Mapping[str, tuple[str | None, str | None]]  # torch -> torchvision, torchaudio
_NOTE = "found by the live check on this computer"


def rows_of(builds: Sequence[NewBuild], matrix: Matrix, companions: Companions) -> Rows:
    """Return the rows of every table for the builds that the rule can judge."""
    today = datetime.date.today().isoformat()
    usable = [build for build in builds if is_usable(build, matrix)]
    rows: Rows = {"releases": [], "builds": [], "arch_list": [], "cuda_driver_floors": [], "cuda_capabilities": []}
    for torch in dict.fromkeys(build.torch for build in usable if build.torch not in matrix.releases):
        rows["releases"].append(_release(torch, matrix, companions.get(torch, (None, None)), today))
    for build in usable:
        rows["builds"].append(_build(build, matrix, today))
        if build.architectures:
            rows["arch_list"].append(_kernels(build, today))
    for cuda in dict.fromkeys(cuda_of(build.variant) for build in usable if build.variant not in (None, CPU)):
        rows["cuda_driver_floors"] += _floors(cuda or "", matrix, today)
    rows["cuda_capabilities"] += _capabilities(usable, matrix, today)
    return rows


def is_usable(build: NewBuild, matrix: Matrix) -> bool:
    """Return whether the rule can judge it: its code is known, and so is a driver family for its CUDA."""
    if build.variant is None or build.architectures is None:
        return False
    return build.variant == CPU or bool(_family(cuda_of(build.variant) or "", matrix))


def _family(cuda: str, matrix: Matrix) -> list[str]:
    """The CUDA versions of the same major number that have floors, oldest first."""
    same = {known for known, _ in matrix.floors if version_key(known)[0] == version_key(cuda)[0]}
    return sorted(same, key=version_key)


def _origin(build: NewBuild, today: str) -> dict[str, str]:
    confidence = "medium" if build.confidence == "high" else build.confidence
    source = f"{text(build.source.label, 'en')}: {build.file}"
    return {"as_of": build.as_of or today, "confidence": confidence, "source": source}


def _release(torch: str, matrix: Matrix, pair: tuple[str | None, str | None], today: str) -> dict[str, str]:
    before = matrix.releases[newest_release(matrix)]
    return {
        "torch": torch,
        "released": today,
        "torchvision": pair[0] or "",
        "torchaudio": pair[1] or "",
        "torchaudio_python_max": before.torchaudio_python_max or "" if pair[1] == before.torchaudio else "",
        "as_of": today,
        "confidence": "medium",
        "source": "index page",
        "note": f"{_NOTE}; `released` is that day",
    }


def _build(build: NewBuild, matrix: Matrix, today: str) -> dict[str, str]:
    return {
        "torch": build.torch,
        "variant": build.variant or "",
        "platform": build.platform,
        "local_version": build.local_version or (build.variant or "" if not build.is_default else ""),
        "pythons": ";".join(build.pythons),
        "experimental_pythons": "",
        "advertised": "yes" if _is_advertised(build, matrix) else "no",
        "pypi_default": "yes" if build.is_default else "no",
        "min_glibc": build.min_glibc or "",
        **_origin(build, today),
        "note": _NOTE,
    }


def _is_advertised(build: NewBuild, matrix: Matrix) -> bool:
    """As its tag was in the newest release that we know; a new tag counts only as the default build."""
    before = matrix.build(newest_release(matrix), build.variant or "", build.platform)
    return build.is_default or bool(before and before.advertised)


def _kernels(build: NewBuild, today: str) -> dict[str, str]:
    return {
        "torch": build.torch,
        "variant": build.variant or "",
        "platform": build.platform,
        "architectures": ";".join(build.architectures or ()),
        "evidence": build.evidence,
        **_origin(build, today),
        "note": _NOTE,
    }


def _floors(cuda: str, matrix: Matrix, today: str) -> list[dict[str, str]]:
    rows = []
    for system in ("linux", "windows"):
        known = [row for name in _family(cuda, matrix) if (row := matrix.floors.get((name, system)))]
        if known and (cuda, system) not in matrix.floors:
            rows.append(
                {
                    "cuda": cuda,
                    "os": system,
                    "driver_floor": known[0].driver_floor,
                    "toolkit_driver": "",
                    "as_of": today,
                    "confidence": "medium",
                    "source": f"inferred from CUDA {known[0].cuda}",
                    "note": "minor-version compatibility",
                }
            )
    return rows


def _capabilities(builds: Sequence[NewBuild], matrix: Matrix, today: str) -> list[dict[str, str]]:
    """Of a CUDA that is new to the tables: what its builds hold. A row that is there already counts before it."""
    seen: dict[str, set[ComputeCapability]] = {}
    for build in builds:
        cuda = cuda_of(build.variant or CPU)
        if cuda:
            seen.setdefault(cuda, set()).update(map(ComputeCapability.from_arch, build.architectures or ()))
    known = {cuda for cuda, _ in matrix.floors}
    return [
        {
            "cuda": cuda,
            "capabilities": ";".join(str(one) for one in sorted(codes)),
            "as_of": today,
            "confidence": "medium",
            "source": "builds made with it",
            "note": "not complete",
        }
        for cuda, codes in seen.items()
        if cuda not in known
    ]


# New builds of the sources, judged for one machine by the same rule as all others.


@dataclass(frozen=True, slots=True)
class JudgedBuild:
    """`fits` None: its kernels, or the driver that its CUDA needs, are not known."""

    build: NewBuild
    fits: bool | None
    reasons: tuple[Reason, ...] = ()


def judge_new_builds(
    machine: Machine, matrix: Matrix, choices: Choices, settings: UserSettings, is_cancelled: Callable[[], bool]
) -> tuple[JudgedBuild, ...]:
    """Return them newest first; () where nothing is new or no source answers. Raises UsageError for a bad address,
    Cancelled."""
    platform = PLATFORMS.get((machine.os, machine.arch))
    if platform is None:
        return ()
    with Reader(settings) as reader:
        found = find_new_builds(
            matrix, SourceCatalog(choices, settings, reader), reader, (platform,), is_cancelled
        ).builds
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
