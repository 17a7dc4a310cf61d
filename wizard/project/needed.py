"""The pair of torch that a package is known to need, where the project itself names none: timm's torchvision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wizard.project.companions import companion_table
from wizard.project.model import DECLARED, Statement


def needs_other(package: str, other: str) -> bool:
    """Return whether it is known to need another one, in whatever version."""
    rows = (row for row in companion_table().package_need if package in (row.package, *row.also))
    return any(one.split()[1] == other for row in rows for one in row.since)


def needed_pairs(statements: Sequence[Statement], pairs: Sequence[str]) -> Iterator[Statement]:
    """Yield the lines of the packages that need one of the pairs which no line names, as lines that ask for any of
    it."""
    named = {one.name for one in statements}
    for one in statements:
        for pair in pairs:
            is_asked = one.strength == DECLARED and one.group == "" and not one.build
            if is_asked and pair not in named and needs_other(one.name, pair):
                yield replace(one, name=pair, specifier="", extras=(), url="", local="")
