"""Which of several parts of a project are taken, where each of them asks for torch: one that is the project itself by
its name, else all where they go together.

Pure; who reads them is `reader`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from wizard.project.model import DECLARED, PYTHON, Statement, normalized
from wizard.project.packages.companions import companion
from wizard.project.versions import can_meet, python_meets

_MOST = 6  # parts that one environment is made for
_PYTHONS = tuple(f"3.{minor}" for minor in range(6, 16))


def named_as(folders: Iterable[str], names: Collection[str]) -> str | None:
    """Return the one part whose folder is called as the project is."""
    found = [folder for folder in folders if normalized(folder.rpartition("/")[2]) in names]
    return found[0] if len(found) == 1 else None


def go_together(parts: Mapping[str, Sequence[Statement]]) -> bool:
    """Return whether one environment can be made for all: some version meets each two lines of a package, and no part
    asks for the one for a card and another for the one without, which lie in the same files (onnxruntime-gpu)."""
    asked: dict[str, set[str]] = {}
    firm = {
        part: [one for one in lines if one.strength == DECLARED and not one.group and not one.marker]
        for part, lines in parts.items()
    }
    names = [{one.name for one in lines} for lines in firm.values()]
    if any(_of_other_build(one) & other for one in names for other in names if one is not other):
        return False
    for one in (one for lines in firm.values() for one in lines):
        if one.specifier:
            asked.setdefault(one.name, set()).add(f"{one.specifier}{f'+{one.local}' if one.local else ''}")
    pythons = {one.partition("+")[0] for one in asked.pop(PYTHON, ())}
    has_python = any(all(python_meets(one, python) for one in pythons) for python in _PYTHONS)
    return len(parts) <= _MOST and has_python and all(map(_meet, asked.values()))


def _of_other_build(names: Collection[str]) -> set[str]:
    """Return the packages that have the same for the processor as these have for a card, but for those among them."""
    rows = (row for name in names if (row := companion(name)))
    return {row.on_cpu for row in rows if row.on_cpu} - {*names}


def _meet(specifiers: Collection[str]) -> bool:
    locals_of = {one.partition("+")[2] for one in specifiers if "+" in one}
    plain = [one.partition("+")[0] for one in specifiers]
    return len(locals_of) < 2 and all(can_meet(one, other) for one in plain for other in plain)
