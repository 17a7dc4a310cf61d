"""A torch that is older than the tables, or that never was, where another file of the project names a known one."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from wizard.compatibility.data.ordering import version_key
from wizard.model.messages import message
from wizard.project.environments import OF_TORCH
from wizard.project.model import DECLARED, LOCKED, TORCH, Project, Statement

_PIN = re.compile(r"={2,3}\d[^,]*")


def with_known_torch(project: Project, releases: Collection[str]) -> Project:
    """Return the project without pins of torch of which the tables have no release nor a patch of it, where another
    file pins one that they have: that one counts, with its pair."""
    known = {version_key(one)[:2] for one in releases}
    newest = max(known, default=())
    pins = [one for one in project.statements if one.name == TORCH and _PIN.fullmatch(one.specifier)]
    pins = [one for one in pins if one.strength != LOCKED and one.group in ("", "constraint")]
    unknown = [one for one in pins if one.strength == DECLARED and version_key(one.specifier)[:2] not in known]
    unknown = [one for one in unknown if version_key(one.specifier)[:2] < newest]
    left = {one.origin.file for one in unknown}
    others = [one for one in pins if version_key(one.specifier)[:2] in known and one.origin.file not in left]
    first = next((one for one in pins if one.strength == DECLARED), None)
    if not others or first not in unknown:  # one that is known and comes first counts anyway
        return project
    other = min(others, key=lambda one: one.strength != DECLARED)
    kept = (one for one in project.statements if not (one.name in OF_TORCH and one.origin.file in left))
    taken = (_counting(one, other.origin.file) for one in kept)
    place, at = unknown[0].origin, other.origin
    where: dict[str, str | int] = {"file": place.file, "line": place.line, "other_file": at.file, "other_line": at.line}
    said = message("project.remark.unknown-torch", **where, one=str(unknown[0]), other=str(other))
    return replace(project, statements=tuple(taken), remarks=(*project.remarks, said))


def _counting(one: Statement, file: str) -> Statement:
    is_its = one.origin.file == file and one.name in OF_TORCH and not one.group
    return replace(one, strength=DECLARED) if is_its and one.strength != LOCKED else one
