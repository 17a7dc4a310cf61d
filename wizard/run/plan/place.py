"""Where the environment goes: from a name or a prefix to one absolute path, checked before anything starts.

And what it is good for: each oddity of the path, the disk (also the roomier ones that a cluster names), the caches and
the temporary folder is a requirement of its own. Only where nothing can be written, run or stored does one block.

One file: each refusal stands where it is found, with its sentences.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from wizard.compatibility.data.load import PolicyTable, RoomRow
from wizard.compatibility.data.ordering import CPU
from wizard.compatibility.model import Choices, Plan
from wizard.environment.create.modes import closed_to_others
from wizard.environment.disk import Ground, check_volumes, look_at_ground, takes_long_paths
from wizard.environment.inspect.baseline import read_baseline
from wizard.environment.naming import BAD_PREFIX, absolute_prefix, check_name, check_prefix
from wizard.environment.remove.unfinished import unfinished_run
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import Message, Scalar, bytes_text, gigabytes, message
from wizard.model.tables import Count, Date, Row, Variable, Words, parse_table, shipped_table
from wizard.run.model import Requirement
from wizard.run.run_folder import RUN_BUSY
from wizard.run.steps.disk_space import temp_folder
from wizard.run.steps.preflight import is_busy
from wizard.system import paths
from wizard.system.traits import of, this


def check_shared(choices: Choices, prefix: Path) -> None:
    """Raises UsageError `shared-windows`, `shared-closed`."""
    if not choices.shared:
        return
    if not this().rights_are_bits:
        raise UsageError(
            "shared-windows",
            "On Windows an environment cannot be shared by file permissions.",
            "Put it into a folder that every user may read, and [do not share it|leave out --shared].",
        )
    closed = closed_to_others(prefix)
    if closed:
        raise UsageError(
            "shared-closed",
            "Other users cannot get to “{path}”: they may not enter “{folder}”.",
            "[On the page {page.place} choose|Say --prefix with] a folder that everybody may enter, such as "
            "/opt/torch, or open that folder yourself: `chmod a+x`.",
            path=str(prefix),
            folder=str(closed),
        )


def check_base_python(plan: Plan) -> None:
    """A virtual environment runs the Python that it was made from. Raises UsageError `shared-python`."""
    closed = closed_to_others(Path(plan.base_python)) if plan.choices.shared and plan.base_python else None
    if closed:
        raise UsageError(
            "shared-python",
            "Other users cannot run the Python that this environment would be made from ({path}): "
            "they may not enter “{folder}”.",
            "Use the built-in engine, whose environments have a Python of their own[| (--engine rattler)], or "
            "name a Python that everybody may [open the page {page.build}|run: --python] /usr/bin/python3",
            path=str(plan.base_python),
            folder=str(closed),
        )


def is_shared(plan: Plan) -> bool:
    """Asked for now, or when it was made: a repair of a shared environment leaves it shared."""
    if plan.choices.shared:
        return True
    state = read_baseline(Path(plan.prefix))
    return state is not None and state.shared


# Folders that a cluster names by a variable (`matrices/cluster_places.toml`): a roomier place than a small home, or one
# from which files that nobody uses are deleted. What a file server's quota leaves is not told to anybody, so on a
# network disk the other folder is only named.

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
    return (ground.free is not None and ground.free < comfortable_bytes()) or (
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
    room = gigabytes(free) if free is not None else "?"
    found: dict[str, Scalar] = {"variable": place.row.variable, "path": str(place.ground.path), "gigabytes": room}
    return found | {"days": place.row.days or 0}


DEFAULT_NAME = "torch"
LEAST_BYTES = 1_000_000_000  # no build at all fits into less
_TEMP_BYTES = 200_000_000
_CLOUD_VARIABLES = ("OneDrive", "OneDriveConsumer", "OneDriveCommercial")
_CLOUD = "environments.hazard.cloud"
_BEGUN = ("target-unfinished", "target-is-environment", "target-not-empty")
COPY = "clone-"  # what the run of an unfinished copy is called: it is no run that could be resumed


def target_prefix(choices: Choices) -> Path:
    """Raises UsageError `bad-name` or `name-and-prefix`."""
    if choices.name is not None and choices.prefix is not None:
        raise UsageError(
            "name-and-prefix",
            "A name and a folder were given; only one of them can be the target.",
            "[Give a name or a folder, not both.|Leave out --name or --prefix.]",
        )
    if choices.prefix is not None:
        if not choices.prefix.strip() or "\0" in choices.prefix:
            raise UsageError(BAD_PREFIX, path=choices.prefix)
        return absolute_prefix(choices.prefix)
    name = DEFAULT_NAME if choices.name is None else choices.name
    check_name(name, paths.os_name())
    return paths.default_environments_dir() / name


@lru_cache(maxsize=1)
def _room() -> RoomRow:
    return shipped_table("policy", PolicyTable).room


def comfortable_bytes(variant: str = "") -> int:
    """Return what a setup takes at most; the page Review has the exact figure. '' is a build with CUDA."""
    return _room().cpu if variant == CPU else _room().cuda


def tight_row(fact: Message, variant: str) -> Requirement:
    gigabytes = round(comfortable_bytes(variant) / 1e9)
    why = message("environments.place.tight.why", gigabytes=gigabytes)
    return Requirement("disk", "warning", fact, why, message("environments.place.none.fix"))


def check_place(choices: Choices, variant: str = "") -> tuple[Requirement, ...]:
    """What is worth knowing about the place for a build. Raises UsageError for one that can never be right."""
    prefix = target_prefix(choices)
    hazards = check_free(prefix)
    check_shared(choices, prefix)
    check_volumes(prefix)
    return (
        *short_rows(prefix),
        *path_rows(hazards, prefix, os.environ, takes_long_paths()),
        *_disk_rows(prefix, variant),
    )


def short_rows(prefix: Path) -> Iterator[Requirement]:
    """Why it is not proposed in the usual folder: Windows only."""
    usual, proposed = paths.usual_environments_dir(), paths.default_environments_dir()
    if prefix.parent == proposed != usual:
        fact = message("environments.place.short.fact", usual=str(usual), path=str(proposed))
        yield Requirement("path", "note", fact, message("environments.place.short.why"))


def check_free(prefix: Path) -> tuple[Message, ...]:
    """As `check_prefix`; for a folder that is being filled right now, that is what is said.

    Raises UsageError, WizardError `run-busy`.
    """
    try:
        return check_prefix(prefix, paths.os_name())
    except UsageError as error:
        if error.code in _BEGUN and is_busy(prefix):
            raise WizardError(RUN_BUSY, path=str(prefix)) from error
        if error.code == "target-unfinished" and (unfinished_run(prefix) or "").startswith(COPY):
            raise UsageError(
                "target-unfinished-copy",
                "In “{path}” is a copy of an environment that was begun and not finished.",
                "Make the copy again [on the page {page.environments}|with torch-wizard envs clone], delete it "
                "[on the page {page.environments}|with torch-wizard envs delete], or choose another name.",
                path=str(prefix),
            ) from error
        raise


def told_of(rows: Iterable[Requirement]) -> tuple[Message, ...]:
    """What of it is said before the question whether to begin: not that all is well."""
    return tuple(row.fact for row in rows if row.state in ("warning", "problem"))


def path_rows(
    hazards: Iterable[Message], prefix: Path, environment: Mapping[str, str], long_paths: bool
) -> Iterator[Requirement]:
    """Yield a row for each thing about the path that could make trouble: spaces, length, a cloud's folder."""
    found = list(hazards)
    if not any(hazard.key == _CLOUD for hazard in found) and in_cloud(str(prefix), environment, paths.os_name()):
        found.append(message(_CLOUD, path=str(prefix)))
    for hazard in found:
        state = "note" if hazard.key == "environments.hazard.long" and long_paths else "warning"
        key, params = hazard.key.replace(".hazard.", ".hazard-"), hazard.params
        yield Requirement("path", state, hazard, Message(f"{key}.why", params), Message(f"{key}.fix", params))


def in_cloud(path: str, environment: Mapping[str, str], os_name: str) -> bool:
    """Below a folder that Windows says is OneDrive's, whatever its name."""
    kind = of(os_name).path
    roots = (environment.get(name) for name in _CLOUD_VARIABLES)
    return any(kind(root) in kind(path).parents for root in roots if root)


def _disk_rows(prefix: Path, variant: str) -> Iterator[Requirement]:
    """The environment, the downloads and caches, the temporary folder: each on its own disk, or on one."""
    try:
        ground = look_at_ground(prefix)
    except OSError:  # told by check_prefix, or gone since
        return
    yield from environment_rows(ground, variant)
    yield from cluster_rows(prefix, ground, os.environ)
    try:
        state, cache = look_at_ground(paths.home()), look_at_ground(paths.cache_root())
    except OSError as error:
        yield _not_writable(paths.home(), str(error))
        return
    if state.is_read_only and state.volume != cache.volume:
        yield _not_writable(state.path, state.kind)
    yield from state_rows(cache, ground, paths.chosen_cache() is not None, variant)
    yield from temp_rows(temp_folder())


def environment_rows(ground: Ground, variant: str = "") -> Iterator[Requirement]:
    """Yield a row for each thing about the disk: read-only, noexec, network, no links, too few files, room."""
    path = str(ground.path)
    if ground.is_read_only:
        yield _not_writable(ground.path, ground.kind)
    if ground.is_noexec:
        yield _row("disk", "problem", "noexec", mandatory=True, path=path)
    if ground.is_network:
        yield _row("disk", "warning", "network", path=path, kind=ground.kind or "?")
    if not ground.has_links:
        yield _row("disk", "warning", "no-links", path=path, kind=ground.kind)
    if ground.files_left is not None and ground.files_left < _FILES:
        yield _row("disk", "warning", "few-files", path=path, count=ground.files_left, needed=_FILES)
    if ground.free is not None:
        yield _room_row(ground, "quota" if ground.by_quota else "free", path, variant)


def _room_row(ground: Ground, key: str, path: str, variant: str) -> Requirement:
    free = ground.free or 0
    fact = message(f"environments.place.{key}", path=path, gigabytes=gigabytes(free))
    if free < LEAST_BYTES:
        why, fix = message("environments.place.none.why"), message("environments.place.none.fix")
        return Requirement("disk", "problem", fact, why, fix, mandatory=True)
    if free < comfortable_bytes(variant):
        return tight_row(fact, variant)
    return Requirement("disk", "ok", fact)


def state_rows(state: Ground, environment: Ground, is_chosen: bool = False, variant: str = "") -> Iterator[Requirement]:
    """`state`: our own folder, with downloads and caches. `is_chosen`: a person named it."""
    path = str(state.path)
    if state.is_read_only:
        yield _not_writable(state.path, state.kind)
    if state.volume == environment.volume:
        yield Requirement("disk", "ok", message("environments.place.same-disk", path=path))
        return
    if state.free is not None:
        yield _room_row(state, "caches", path, variant)
    yield _row("disk", "note", "chosen-disk" if is_chosen else "other-disk", path=path)


def temp_rows(folder: Path | None) -> Iterator[Requirement]:
    """None: there is no folder that takes temporary files."""
    if folder is None:
        yield _row("disk", "warning", "no-temp")
        return
    try:
        ground = look_at_ground(folder)
    except OSError:
        return
    if ground.is_read_only:
        yield _row("disk", "warning", "no-temp")
    elif ground.free is not None and ground.free < _TEMP_BYTES:
        yield _row("disk", "warning", "temp-full", path=str(folder), size=bytes_text(ground.free))
    elif ground.free is not None:
        free = gigabytes(ground.free)
        yield Requirement("disk", "ok", message("environments.place.temp", path=str(folder), gigabytes=free))


def _not_writable(path: Path, details: str) -> Requirement:
    return _row("disk", "problem", "read-only", mandatory=True, path=str(path), kind=details or "?")


def _row(name: str, state: str, key: str, mandatory: bool = False, **params: str | int | float) -> Requirement:
    why, fix = (message(f"environments.place.{key}.{part}", **params) for part in ("why", "fix"))
    return Requirement(name, state, message(f"environments.place.{key}.fact", **params), why, fix, mandatory)
