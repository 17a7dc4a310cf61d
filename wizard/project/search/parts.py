"""Which of several parts of a project are taken, where each of them asks for torch: one that is the project itself by
its name, else all where they go together.

Pure; who reads them is `reader`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from wizard.project.model import DECLARED, PYTHON, Statement, can_meet, normalized, python_meets

_MOST = 6  # parts that one environment is made for
_PYTHONS = tuple(f"3.{minor}" for minor in range(6, 16))


def named_as(folders: Iterable[str], names: Collection[str]) -> str | None:
    """Return the one part whose folder is called as the project is."""
    found = [folder for folder in folders if normalized(folder.rpartition("/")[2]) in names]
    return found[0] if len(found) == 1 else None


def go_together(parts: Mapping[str, Sequence[Statement]]) -> bool:
    """Return whether one environment can be made for all: some version meets each two lines of a package."""
    asked: dict[str, set[str]] = {}
    for one in (one for lines in parts.values() for one in lines):
        if one.strength == DECLARED and not one.group and one.specifier and not one.marker:
            asked.setdefault(one.name, set()).add(f"{one.specifier}{f'+{one.local}' if one.local else ''}")
    pythons = {one.partition("+")[0] for one in asked.pop(PYTHON, ())}
    has_python = any(all(python_meets(one, python) for one in pythons) for python in _PYTHONS)
    return len(parts) <= _MOST and has_python and all(map(_meet, asked.values()))


def _meet(specifiers: Collection[str]) -> bool:
    locals_of = {one.partition("+")[2] for one in specifiers if "+" in one}
    plain = [one.partition("+")[0] for one in specifiers]
    return len(locals_of) < 2 and all(can_meet(one, other) for one in plain for other in plain)
