"""What lies around a setup on this very computer, for the Check page: a restart that is due, the Visual C++ runtime,
and names of folders that trip other tools. Of a computer that a file describes nothing of it is known.

Quick (files and variables only), and none of it blocks: what can make a place impossible is judged on Place.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from wizard import paths
from wizard.doctor.surroundings import Surroundings, look_around
from wizard.environments.component import hazards
from wizard.environments.windows_volume import takes_long_paths
from wizard.i18n import Message, message
from wizard.machine.restart import restart_mark
from wizard.matrix.ordering import version_key
from wizard.plan.requirement import Requirement
from wizard.session.place import DEFAULT_NAME, path_rows

_OLDEST_RUNTIME = "14.40"  # torch 2.9 and later end with WinError 1114 on older ones
_OF_TEMP = ("environments.hazard.space", "environments.hazard.letters")  # short names (LI~1) are Windows' own


def around_rows() -> tuple[Requirement, ...]:
    """Raises nothing: what cannot be read is no row."""
    os_name = paths.os_name()
    return (
        *restart_rows(restart_mark()),
        *runtime_rows(look_around()),
        *folder_rows(paths.default_environments_dir() / DEFAULT_NAME, _temporary(), os.environ, os_name),
    )


def restart_rows(mark: str | None) -> Iterator[Requirement]:
    if mark is not None:
        key = "page.check.restart"
        yield Requirement("restart", "warning", message(key), message(f"{key}-why"), message(f"{key}-fix", mark=mark))


def runtime_rows(around: Surroundings) -> Iterator[Requirement]:
    """Windows only: `runtime_missing` None is another system."""
    missing, version = around.runtime_missing, around.runtime_version
    if missing is None:
        return
    key, why, fix = (f"page.check.runtime{end}" for end in ("", "-why", "-fix"))
    if missing:
        fact = message(f"{key}-missing", name=missing[0])
        yield Requirement("runtime", "problem", fact, message(why), message(fix))
    elif version and version_key(version) < version_key(_OLDEST_RUNTIME):
        yield Requirement("runtime", "warning", message(f"{key}-old", version=version), message(why), message(fix))
    elif not version:
        yield Requirement("runtime", "warning", message(f"{key}-unknown"), message(why), message(fix))
    else:
        yield Requirement("runtime", "ok", message(key, version=version))


def folder_rows(
    place: Path, temporary: str, environment: Mapping[str, str], os_name: str, long_paths: bool | None = None
) -> Iterator[Requirement]:
    """Of the place that is proposed, and of the temporary folder what the place has not told already."""
    is_long = takes_long_paths() if long_paths is None else long_paths
    found = list(path_rows(hazards(str(place), os_name), place, environment, is_long))
    told = {row.fact.key for row in found}
    found += [_of_temp(one) for one in hazards(temporary, os_name) if one.key in _OF_TEMP and one.key not in told]
    yield from found or (Requirement("path", "ok", message("page.check.path", path=str(place.parent))),)


def _of_temp(hazard: Message) -> Requirement:
    why, fix = message("page.check.temp-why"), message("page.check.temp-fix")
    return Requirement("path", "note", hazard, why, fix)


def _temporary() -> str:
    try:
        return tempfile.gettempdir()
    except FileNotFoundError:  # there is none; Place says so
        return ""
