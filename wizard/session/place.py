"""Where the environment goes: from a name or a prefix to one absolute path, checked before anything starts.

And what that place is good for: each oddity of the path, the disk, the caches and the temporary folder is a requirement
of its own. Only where nothing can be written, run or stored does one block.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from wizard import paths
from wizard.environments.ground import Ground, look_at_ground
from wizard.environments.naming import absolute_prefix, check_name, check_prefix
from wizard.environments.remove import unfinished_run
from wizard.environments.volumes import check_volumes
from wizard.environments.windows_volume import takes_long_paths
from wizard.errors import UsageError, WizardError
from wizard.i18n import Message, message
from wizard.plan.model import Choices
from wizard.plan.requirement import Requirement
from wizard.session.cluster_places import cluster_rows
from wizard.session.shared import check_shared
from wizard.steps.preflight import is_busy
from wizard.steps.room_told import temp_folder
from wizard.system.traits import of

DEFAULT_NAME = "torch"
COMFORTABLE_BYTES = 12_000_000_000  # a build with CUDA and its companions; the exact figure stands on the Review page
LEAST_BYTES = 1_000_000_000  # no build at all fits into less
_TEMP_BYTES = 200_000_000
_FILES = 60_000
_CLOUD_VARIABLES = ("OneDrive", "OneDriveConsumer", "OneDriveCommercial")
_CLOUD = "environments.hazard.cloud"
_BEGUN = ("target-unfinished", "target-is-environment", "target-not-empty")
COPY = "clone-"  # what the run of an unfinished copy is called: it is no run that could be resumed


def target_prefix(choices: Choices) -> Path:
    """Raises UsageError `bad-name` or `name-and-prefix`."""
    if choices.name is not None and choices.prefix is not None:
        raise UsageError("name-and-prefix")
    if choices.prefix is not None:
        if not choices.prefix.strip() or "\0" in choices.prefix:
            raise UsageError("bad-prefix", path=choices.prefix)
        return absolute_prefix(choices.prefix)
    name = DEFAULT_NAME if choices.name is None else choices.name
    check_name(name, paths.os_name())
    return paths.default_environments_dir() / name


def check_place(choices: Choices) -> tuple[Requirement, ...]:
    """What is worth knowing about the place. Raises UsageError for one that can never be right."""
    prefix = target_prefix(choices)
    hazards = check_free(prefix)
    check_shared(choices, prefix)
    check_volumes(prefix)
    return (
        *path_rows(hazards, prefix, os.environ, takes_long_paths()),
        *_disk_rows(prefix),
    )


def check_free(prefix: Path) -> tuple[Message, ...]:
    """As `check_prefix`; for a folder that is being filled right now, that is what is said.

    Raises UsageError, WizardError `run-busy`.
    """
    try:
        return check_prefix(prefix, paths.os_name())
    except UsageError as error:
        if error.code in _BEGUN and is_busy(prefix):
            raise WizardError("run-busy", path=str(prefix)) from error
        if error.code == "target-unfinished" and (unfinished_run(prefix) or "").startswith(COPY):
            raise UsageError("target-unfinished-copy", path=str(prefix)) from error
        raise


def told_of(rows: Iterable[Requirement]) -> tuple[Message, ...]:
    """What of it is said before the question whether to begin: not that all is well."""
    return tuple(row.fact for row in rows if row.state in ("warning", "problem"))


def path_rows(
    hazards: Iterable[Message], prefix: Path, environment: Mapping[str, str], long_paths: bool
) -> Iterator[Requirement]:
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


def _disk_rows(prefix: Path) -> Iterator[Requirement]:
    """The environment, the downloads and caches, the temporary folder: each on its own disk, or on one."""
    try:
        ground = look_at_ground(prefix)
    except OSError:  # told by check_prefix, or gone since
        return
    yield from environment_rows(ground)
    yield from cluster_rows(prefix, ground, os.environ)
    try:
        state, cache = look_at_ground(paths.home()), look_at_ground(paths.cache_root())
    except OSError as error:
        yield _not_writable(paths.home(), str(error))
        return
    if state.is_read_only and state.volume != cache.volume:
        yield _not_writable(state.path, state.kind)
    yield from state_rows(cache, ground, is_chosen=paths.chosen_cache() is not None)
    yield from temp_rows(temp_folder())


def environment_rows(ground: Ground) -> Iterator[Requirement]:
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
        yield _room_row(ground, "quota" if ground.by_quota else "free", path)


def _room_row(ground: Ground, key: str, path: str) -> Requirement:
    free = ground.free or 0
    fact = message(f"environments.place.{key}", path=path, gigabytes=round(free / 1e9, 1))
    if free < LEAST_BYTES:
        why, fix = message("environments.place.none.why"), message("environments.place.none.fix")
        return Requirement("disk", "problem", fact, why, fix, mandatory=True)
    if free < COMFORTABLE_BYTES:
        why, fix = message("environments.place.tight.why"), message("environments.place.none.fix")
        return Requirement("disk", "warning", fact, why, fix)
    return Requirement("disk", "ok", fact)


def state_rows(state: Ground, environment: Ground, is_chosen: bool = False) -> Iterator[Requirement]:
    """`state`: our own folder, with downloads and caches. `is_chosen`: a person named it."""
    path = str(state.path)
    if state.is_read_only:
        yield _not_writable(state.path, state.kind)
    if state.volume == environment.volume:
        yield Requirement("disk", "ok", message("environments.place.same-disk", path=path))
        return
    if state.free is not None:
        yield _room_row(state, "caches", path)
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
        yield _row("disk", "warning", "temp-full", path=str(folder), megabytes=round(ground.free / 1e6))
    elif ground.free is not None:
        free = round(ground.free / 1e9, 1)
        yield Requirement("disk", "ok", message("environments.place.temp", path=str(folder), gigabytes=free))


def _not_writable(path: Path, details: str) -> Requirement:
    return _row("disk", "problem", "read-only", mandatory=True, path=str(path), kind=details or "?")


def _row(name: str, state: str, key: str, mandatory: bool = False, **params: str | int | float) -> Requirement:
    why, fix = (message(f"environments.place.{key}.{part}", **params) for part in ("why", "fix"))
    return Requirement(name, state, message(f"environments.place.{key}.fact", **params), why, fix, mandatory)
