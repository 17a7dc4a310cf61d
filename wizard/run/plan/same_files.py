"""Keeps two packages out of one lock that bring the same module: whichever came last would overwrite the other's files.

Which these are is a row of `matrices/same_files.toml`. The first of a row that is locked stays, with what was asked of
the others as far as that goes; the others are not locked, whoever needs them: their module is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from wizard.compatibility.data.same_files import same_files
from wizard.compatibility.model import ProjectUse
from wizard.install.lock import NO_SOLUTION
from wizard.model.errors import WizardError
from wizard.model.lock import Lock
from wizard.model.messages import message
from wizard.run.model import SelectedBuild


def locked_once(lock: Callable[[SelectedBuild], Lock], selected: SelectedBuild) -> tuple[Lock, SelectedBuild]:
    """Return the lock and what it was made for, without packages whose module another one brings. Raises as `lock`."""
    found = lock(selected)
    instead = _instead(found)
    if not instead:
        return found, selected
    try:
        once = _without(selected, instead, with_versions=True)
        return _told(lock(once), once, instead)
    except WizardError as error:
        if error.code not in NO_SOLUTION:
            raise
        once = _without(selected, instead, with_versions=False)  # that one may not have the release of the other
        return _told(lock(once), once, instead)


def _instead(lock: Lock) -> dict[str, str]:
    """Return what is not to be locked, each with what brings its module."""
    names = {canonicalize_name(file.name) for file in lock.files}
    present = ([name for name in row.names if name in names] for row in same_files())
    return {name: first for first, *others in filter(None, present) for name in others}


def _without(selected: SelectedBuild, instead: Mapping[str, str], *, with_versions: bool) -> SelectedBuild:
    asked = _renamed(selected.requirements, instead, with_versions)
    preferred = tuple(one for one in selected.preferred if canonicalize_name(one.name) not in instead)
    return replace(
        selected,
        requirements=asked,
        preferred=preferred,
        apart=(*selected.apart, *instead),
        project=selected.project and _project(selected.project, instead, with_versions),
    )


def _project(use: ProjectUse, instead: Mapping[str, str], with_versions: bool) -> ProjectUse:
    promised, asked = (_renamed(lines, instead, with_versions) for lines in (use.promised, use.asked))
    return replace(use, promised=promised, asked=asked)


def _renamed(lines: tuple[str, ...], instead: Mapping[str, str], with_versions: bool) -> tuple[str, ...]:
    """Return the requirements with the name of what stays, once: where that is asked for itself, its own line
    counts."""
    own = {canonicalize_name(Requirement(line).name) for line in lines}
    found: dict[str, None] = {}
    for line in lines:
        one = Requirement(line)
        stays = instead.get(canonicalize_name(one.name))
        if stays is None:
            found[line] = None
        elif stays not in own:
            found[f"{stays}{one.specifier if with_versions else ''}{f' ; {one.marker}' if one.marker else ''}"] = None
    return tuple(found)


def _told(lock: Lock, selected: SelectedBuild, instead: Mapping[str, str]) -> tuple[Lock, SelectedBuild]:
    versions: dict[str, str] = {canonicalize_name(file.name): file.version for file in lock.files}
    notices = (
        message(
            "notice.same-files",
            "{name} and {stays} bring the same files: {stays} {version} alone is installed, which has what both have.",
            name=name,
            stays=stays,
            version=versions.get(stays, ""),
        )
        for name, stays in instead.items()
    )
    return lock, replace(selected, notices=(*selected.notices, *notices))
