"""The use cases about the data: show them, check them, learn new rows from the sources, forget what was learnt.

For users who cannot wait for an update of the program, and for maintainers. What is learnt goes into the
user's overlay; the shipped data are never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wizard.compatibility.bests import best_builds
from wizard.compatibility.data.load import load_matrix, parse_policy
from wizard.compatibility.data.model import PLATFORMS, Build, Matrix, OverlayState, Release
from wizard.compatibility.data.ordering import CPU, cuda_of, version_key
from wizard.compatibility.data.overlay import merged, read_overlay, remove_overlay, write_overlay
from wizard.compatibility.data.same_files import parse_same_files
from wizard.compatibility.data.validate import check_folder
from wizard.compatibility.model import Choices
from wizard.compatibility.other_makers import parse_other_makers
from wizard.diagnose.driver_guide import parse_guides
from wizard.diagnose.known_errors.match import parse_errors
from wizard.environment.conda.errors import parse_errors as parse_conda_errors
from wizard.environment.conda.miniforge import parse_miniforge
from wizard.machine.machine_file import machine_to_json
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import Message, catalogue, text
from wizard.model.table_update import tables_dir
from wizard.model.tables import TableError
from wizard.process import redact
from wizard.project.packages.rows import parse_companions
from wizard.run.model import Facts
from wizard.run.plan.place import parse_places as parse_cluster_places
from wizard.run.select.learned_rows import is_usable, pairs, rows_of
from wizard.run.select.new_builds import NewBuild, NewBuilds, find_new_builds
from wizard.run.select.select_build import NO_SOURCE_ANSWERS
from wizard.run.select.source_catalog import SourceCatalog
from wizard.sources.address_facts import parse_address_facts
from wizard.sources.benchmark_policy import parse_policy as parse_benchmark_policy
from wizard.sources.model import Source, UserSettings
from wizard.sources.read import Reader
from wizard.sources.table import parse_mirrors
from wizard.system import paths
from wizard.toolconfig.files import parse_settings_files


def facts_document(facts: Facts) -> dict[str, Any]:
    """Return what `probe --json` prints: the machine file, with the settings and the checks."""
    settings = facts.settings
    return {
        **machine_to_json(facts.machine),
        "settings": {
            "files": list(settings.files),
            "index_url": redact(settings.index_url) if settings.index_url else None,
            "extra_index_urls": [redact(url) for url in settings.extra_index_urls],
            "find_links": [redact(url) for url in settings.find_links],
        },
        "checks": [
            {"name": row.name, "state": row.state, "blocks": row.blocks, "fact": row.fact.to_json()}
            for row in facts.requirements
        ],
    }


SCHEMA = 1
_REASONS_SHOWN = 3
_PINNED_SINCE = (2, 6)
IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Refreshed:
    """`builds`: what the sources have beyond the shipped tables. `taken`: those that are now in the overlay; `before`:
    of these, those that were in it already."""

    builds: tuple[NewBuild, ...]
    taken: tuple[NewBuild, ...]
    before: tuple[NewBuild, ...]
    overlay: OverlayState | None
    silent: tuple[tuple[Source, Message], ...]


def refresh(
    choices: Choices, settings: UserSettings, platforms: tuple[str, ...], is_cancelled: IsCancelled
) -> Refreshed:
    """Raises WizardError `no-source-answers`, `overlay-not-made`, `state-not-writable`, UsageError for an address."""
    shipped = load_matrix(tables_dir())
    with Reader(settings) as reader:
        listing = find_new_builds(shipped, SourceCatalog(choices, settings, reader), reader, platforms, is_cancelled)
        if listing.silent and len(listing.silent) == listing.asked:
            raise _no_source_answers(listing)
        taken = tuple(build for build in listing.builds if is_usable(build, shipped))
        rows = rows_of(taken, shipped, pairs(taken, shipped, reader))
    before = tuple(build for build in taken if _is_known(build, load_matrix()))
    state = _laid_over(rows) if taken else load_matrix().overlay
    return Refreshed(listing.builds, taken, before, state, listing.silent)


def _is_known(build: NewBuild, matrix: Matrix) -> bool:
    known = matrix.build(build.torch, build.variant or "", build.platform)
    return known is not None and (known.kernels is not None or known.variant == CPU)


def _no_source_answers(listing: NewBuilds) -> WizardError:
    """Each source with its own reason: a sign-in page wants another deed than a wrong address."""
    reasons = [
        why for place, (_, why) in enumerate(listing.silent) if why not in [one for _, one in listing.silent[:place]]
    ]
    details = "\n".join(f"{source.id} {text(source.name, 'en')}: {text(why, 'en')}" for source, why in listing.silent)
    return WizardError(NO_SOURCE_ANSWERS, details=details, reasons=tuple(reasons[:_REASONS_SHOWN]))


def _laid_over(rows: dict[str, list[dict[str, str]]]) -> OverlayState:
    """What was learnt before stays, where it is sound and not learnt anew."""
    folder, shipped = paths.matrices_overlay_dir(), tables_dir()
    try:
        before = read_overlay(folder, shipped)[0] if folder.is_dir() else {}
        names = {*before, *rows}
        together = {name: merged(name, rows.get(name, ()), before.get(name, ())) for name in names}
        state = write_overlay(folder, together, shipped)
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(folder)) from error
    if state.problems:
        raise WizardError(
            "overlay-not-made",
            "What the sources say does not agree with the tables: {first}.",
            "Nothing was changed. Report it, or wait for an update of this program.",
            details="\n".join(state.problems),
            first=state.problems[0],
        )
    return state


def forget() -> bool:
    """Whether there was an overlay. Raises WizardError `state-not-writable`."""
    folder = paths.matrices_overlay_dir()
    try:
        return remove_overlay(folder)
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(folder)) from error


PARSERS: Mapping[str, Callable[[str], object]] = {
    "cluster_places": parse_cluster_places,
    "companions": parse_companions,
    "other_makers": parse_other_makers,
    "conda_errors": parse_conda_errors,
    "driver_guide": parse_guides,
    "errors": parse_errors,
    "lint": parse_address_facts,
    "miniforge": parse_miniforge,
    "mirrors": parse_mirrors,
    "policy": parse_policy,
    "race": parse_benchmark_policy,
    "same_files": parse_same_files,
    "settings_files": parse_settings_files,
}


_WORDS: Mapping[str, Callable[[Any], Iterator[str]]] = {  # the sentences that the rows of a table stand for
    "conda_errors": lambda rows: (f"error.{row.code}.{part}" for row in rows for part in ("summary", "hint")),
    "driver_guide": lambda rows: (f"explain.guide.{row.note}" for row in rows),
    "errors": lambda rows: (f"explain.error.{row.id}.{part}" for row in rows for part in ("cause", "fix")),
    "lint": lambda facts: (f"lint.{row.effect}.{part}" for row in facts.options for part in ("cause", "fix", "effect")),
}


def check(folder: Path | None = None) -> tuple[str, ...]:
    """The problems as dotted paths: of `folder`, or of the shipped tables and the overlay."""
    place = folder or tables_dir()
    problems = [*(str(problem) for problem in check_folder(place)), *_documents(place)]
    overlay = load_matrix().overlay if folder is None and not problems else None
    return (*problems, *(f"matrices-overlay/{problem}" for problem in (overlay.problems if overlay else ())))


@dataclass(frozen=True, slots=True)
class PinCount:
    """Of the builds that the rule can name best since torch 2.6, one for each Python: how many there are, how many have
    a wheel whose SHA-256 the tables know, and how many of these under each of their names (`2.15.0` and `2.15.0+cu132`
    are two files)."""

    best: int
    pinned: int
    whole: int


def count_pins(folder: Path | None = None) -> PinCount:
    """Of sound tables only: those of `folder`, or the shipped ones with the overlay."""
    matrix = load_matrix(folder)
    best = {key: build for key, build in best_builds(matrix).items() if version_key(build.torch) >= _PINNED_SINCE}
    known = [[bool(matrix.pinned_sha256(name)) for name in _wheels(build, key[-1])] for key, build in best.items()]
    return PinCount(len(best), sum(map(any, known)), sum(map(all, known)))


def _wheels(build: Build, python: str) -> Iterator[str]:
    tag = f"cp{python.replace('.', '')}"
    if build.local_version:
        yield f"torch-{build.torch}+{build.local_version}-{tag}-{tag}-{build.platform}.whl"
    if build.pypi_default:
        yield f"torch-{build.torch}-{tag}-{tag}-{build.platform}.whl"


def _documents(folder: Path) -> Iterator[str]:
    """Of the tables that are no CSV, by the same parsers that read them at work."""
    for name, parse in PARSERS.items():
        try:
            found = parse((folder / f"{name}.toml").read_text(encoding="utf-8"))
        except TableError as error:
            yield from error.problems
        except FileNotFoundError:
            yield f"{name}: the file is missing"
        except (OSError, UnicodeDecodeError) as error:
            yield f"{name}: {error}"
        else:
            words = catalogue("en")
            yield from (f"{name}: no words {key}" for key in _WORDS.get(name, _none)(found) if key not in words)


def _none(found: object) -> Iterator[str]:
    return iter(())


def document(matrix: Matrix, torch: str | None = None) -> dict[str, Any]:
    """Raises UsageError `no-such-release`."""
    if torch is not None and torch not in matrix.releases:
        raise UsageError(
            "no-such-release",
            "There is no torch release {torch} in the tables.",
            "See which there are [on the page {page.versions}.|with: torch-wizard matrices show]",
            torch=torch,
        )
    wanted = [release for release in matrix.releases.values() if torch in (None, release.torch)]
    overlay = matrix.overlay
    return {
        "schema": SCHEMA,
        "releases": [_release(release, matrix) for release in wanted],
        "overlay": overlay
        and {
            "folder": overlay.folder,
            "rows": overlay.rows,
            "as_of": overlay.as_of,
            "problems": list(overlay.problems),
        },
    }


def _release(release: Release, matrix: Matrix) -> dict[str, Any]:
    return {
        "torch": release.torch,
        "released": release.released,
        "torchvision": release.torchvision,
        "torchaudio": release.torchaudio,
        "confidence": release.confidence,
        "source": release.source,
        "builds": [_build(build, matrix) for build in matrix.builds if build.torch == release.torch],
    }


def _build(build: Build, matrix: Matrix) -> dict[str, Any]:
    kernels, size = build.kernels, build.size
    system = next((os for (os, _), platform in PLATFORMS.items() if platform == build.platform), "")
    floor = matrix.floors.get((cuda_of(build.variant) or "", system))
    return {
        "variant": build.variant,
        "platform": build.platform,
        "pythons": list(build.pythons),
        "experimental_pythons": list(build.experimental_pythons),
        "advertised": build.advertised,
        "default_build": build.pypi_default,
        "min_glibc": build.min_glibc,
        "driver_floor": floor.driver_floor if floor else None,
        "architectures": list(kernels.architectures) if kernels else None,
        "evidence": kernels.evidence if kernels else None,
        "bytes": size.bytes if size else None,
        "confidence": build.confidence,
        "source": build.source,
    }
