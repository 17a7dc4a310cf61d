"""The extras of a project that its own documents install (`pip install -e ".[gui]"`): they are named, and those alone
are taken without which the project asks for no torch, and which all lines share that install it.

What an extra asks for is in a group of its own; of several that ask for torch one is taken, which is `understand`'s
matter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from wizard.model.messages import Message
from wizard.project.file_choice import is_developing
from wizard.project.model import (
    DECIDED,
    DECLARED,
    RECOMMENDED,
    TORCH,
    Findings,
    Statement,
    cut_between,
    is_run,
    normalized,
)
from wizard.project.search.notes import lines_aside

_MOST_SHOWN = 4  # packages of one extra
_REMARK = "extras-too"
# A line that installs the project as it is.
_PLAIN = re.compile(r"\b(?:pip3?|uv pip)\s+install\s(?:[^#\n]*\s)?(?:-e\s+)?[\"']?\.[\"']?(?:\s|$)")


def take_shared(found: Findings, read: Callable[[str], str | None]) -> None:
    """Take the extras that every line has which installs the project, where the project itself asks for no torch and
    these do. What stands below a heading of training and the like is an addition; what a script does, it does all."""
    lines = [one for one in found.statements if one.strength == RECOMMENDED and not one.group and _extras(one, found)]
    torch = [one for one in found.statements if one.name == TORCH and one.strength == DECLARED]
    files = {name: read(name) or "" for name in dict.fromkeys(one.origin.file for one in lines)}
    aside = {file: lines_aside(text) for file, text in files.items()}
    lines = [one for one in lines if one.origin.line not in aside[one.origin.file]]
    if not lines or not all(one.group for one in torch) or any(map(_PLAIN.search, files.values())):
        return
    ways = [{*_extras(one, found)} for one in lines if not is_run(one.origin.file)]
    for file in dict.fromkeys(one.origin.file for one in lines if is_run(one.origin.file)):
        ways += [{extra for one in lines if one.origin.file == file for extra in _extras(one, found)}]
    shared = set.intersection(*ways)
    taken = _reached(sorted(shared), found)
    if any(normalized(one.group) in taken for one in torch):
        found.remark("extras-taken", lines[0].origin, extras=", ".join(sorted(shared)))
        _take(taken, found)


def _take(taken: dict[str, str], found: Findings, marker: str = "") -> None:
    """Count what these extras ask for as the project's own; `marker`: of the line that names them."""
    found.own_extras = {**{name: {} for name in taken}, **found.own_extras}  # known, with nothing left to tell
    found.statements = [
        replace(one, group="", marker=_both(marker, taken[name], one.marker))
        if one.strength == DECLARED and (name := normalized(one.group)) in taken
        else one
        for one in found.statements
    ]


def take_listed(found: Findings) -> None:
    """Take the extras that a list names with the project's own folder (`-e .[dev]`) or by its name (`mine[dev]`): it is
    what a person installs."""
    listed = [one for one in found.statements if one.name == "." and one.strength == DECLARED and not one.group]
    for line in (*listed, *found.own_lines):
        groups = {normalized(one.group) for one in found.statements if one.strength == DECLARED and one.group}
        known = [extra for extra in _extras(line, found) if extra in {*groups, *found.own_extras}]
        where = {"marker": line.marker} if line.marker else {}
        if unknown := [extra for extra in _extras(line, found) if extra not in known]:
            found.remark(f"extras-unread{'-where' * bool(where)}", line.origin, extras=", ".join(unknown), **where)
        if known:
            found.remark(f"extras-listed{'-where' * bool(where)}", line.origin, extras=", ".join(known), **where)
            _take(_reached(known, found), found, line.marker)


def _both(*markers: str) -> str:
    given = [one for one in markers if one]
    return given[0] if len(given) == 1 else " and ".join(f"({one})" for one in given)


def tell_extras(found: Findings) -> None:
    """Name the extras that a README or a script installs with the project itself, each with what it brings; those for
    its authors are none of the person's."""
    groups: dict[str, list[Statement]] = {}
    for one in found.statements:
        if one.strength == DECLARED and one.group:
            groups.setdefault(normalized(one.group), []).append(one)
    lines = [one for one in found.statements if one.strength == RECOMMENDED and not one.group and _extras(one, found)]
    named = dict.fromkeys(extra for one in lines for extra in _extras(one, found) if not is_developing(extra))
    brought = {extra: _brought(extra, groups, found) for extra in named}
    words = [f"{extra} ({_shown(packages)})" for extra, packages in brought.items() if packages]
    if words:
        first = next(one for one in lines if any(brought.get(extra) for extra in _extras(one, found)))
        extras = ", ".join(extra for extra in brought if brought[extra])
        found.remark(_REMARK, first.origin, extras=extras, packages=cut_between(words))
    known = {*groups, *found.own_extras}
    told = [one for one in lines if all(extra in known for extra in _extras(one, found))]
    found.statements = [one for one in found.statements if one not in told]


def named_extras(remarks: Iterable[Message]) -> set[str]:
    """Return the extras that were named."""
    words = (str(one.params["extras"]) for one in remarks if one.key == f"project.remark.{_REMARK}")
    return {extra for each in words for extra in each.split(", ")}


def _extras(one: Statement, found: Findings) -> list[str]:
    """Return the extras of the project itself that a line installs."""
    return [normalized(extra) for extra in one.extras if one.name == "." or one.name in found.own]


def _reached(extras: Iterable[str], found: Findings) -> dict[str, str]:
    """Return the extras and the others that they name, each with the marker under which it is asked for."""
    reached = dict.fromkeys(extras, "")
    names = list(reached)
    for name in names:  # grows
        for other, marker in found.own_extras.get(name, {}).items():
            way = _both(reached[name], marker)
            names += [other] if other not in reached else []
            reached[other] = way if reached.get(other, way) == way else ""  # named twice: either may hold
    return reached


def _brought(extra: str, groups: dict[str, list[Statement]], found: Findings) -> list[str]:
    """Return what an extra asks for, also by other extras of the project that it names."""
    lines = [one for name in _reached([extra], found) for one in groups.get(name, ()) if one.name not in DECIDED]
    with_extras = (f"{one.name}[{','.join(one.extras)}]{one.specifier}" if one.extras else str(one) for one in lines)
    return list(dict.fromkeys(with_extras))


def _shown(packages: list[str]) -> str:
    left = len(packages) - _MOST_SHOWN
    return ", ".join([*packages[:_MOST_SHOWN], *([f"+{left}"] if left > 0 else [])])
