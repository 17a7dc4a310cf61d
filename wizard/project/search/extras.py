"""The extras of a project that its own documents install (`pip install -e ".[gui]"`): they are named, none is taken.

What an extra asks for is in a group of its own; of several that ask for torch one is taken, which is `understand`'s
matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from wizard.model.messages import Message
from wizard.project.file_choice import is_developing
from wizard.project.model import DECIDED, DECLARED, RECOMMENDED, Findings, Statement, cut_between, normalized

_MOST_SHOWN = 4  # packages of one extra
_REMARK = "extras-too"
_OF_FOLDER = re.compile(r"(?:\./?|file:\.?/?)\[([\w.,\s-]+)\]")


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
    match = _OF_FOLDER.fullmatch(one.url)
    extras = match[1].split(",") if match else one.extras if one.name in found.own else ()
    return [normalized(extra) for extra in extras if extra.strip()]


def _brought(extra: str, groups: dict[str, list[Statement]], found: Findings) -> list[str]:
    """Return what an extra asks for, also by other extras of the project that it names."""
    reached = [extra]
    for name in reached:  # grows
        reached += [other for other in found.own_extras.get(name, ()) if other not in reached]
    lines = [one for name in reached for one in groups.get(name, ()) if one.name not in DECIDED]
    with_extras = (f"{one.name}[{','.join(one.extras)}]{one.specifier}" if one.extras else str(one) for one in lines)
    return list(dict.fromkeys(with_extras))


def _shown(packages: list[str]) -> str:
    left = len(packages) - _MOST_SHOWN
    return ", ".join([*packages[:_MOST_SHOWN], *([f"+{left}"] if left > 0 else [])])
