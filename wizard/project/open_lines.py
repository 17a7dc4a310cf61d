"""Says of which day a project gets the packages whose versions it leaves open: of its own time, if that is long ago.

Its code was written for what was the newest then, and what pins fit each other mostly says no metadata.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import datetime, timezone

from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import version_key
from wizard.compatibility.model import TODAY, Choices
from wizard.model.messages import Message, message
from wizard.project.model import LOCKED, Project, Statement, cut_between
from wizard.project.packages.companions import companion
from wizard.project.versions import marker_holds
from wizard.project.weigh import BuildWeigher, Weighed

_REVISION = re.compile(r"(?<=[^/:@])@[^/@]+(?:#.*)?$")  # not that of a login
_PIN = re.compile(r"==(?:[^,*]+|\d+\.\d[^,]*)(?:,|$)")  # conda's `=1.22` is a pin, too
DAY = "project.remark.as-of"


def day_of(project: Project, matrix: Matrix, choices: Choices) -> str:
    """Return the day that was asked for, else that of the last change of a project that has had none for months;
    "" for today."""
    if choices.as_of:
        return "" if choices.as_of == TODAY else choices.as_of
    now = datetime.now(timezone.utc).date()
    years, month = divmod(now.year * 12 + now.month - 1 - matrix.policy.old_project_months, 12)
    return project.changed if project.changed[:7] < f"{years:04}-{month + 1:02}" else ""


def of_that_day(matrix: Matrix, day: str) -> Matrix:
    """Return the tables with the newest Python that a torch of that day had as the usual one: for a newer one the
    packages of that day have no wheels."""
    pythons = sorted(_pythons_on(day, matrix), key=version_key)
    usual = min([matrix.policy.default_python, *pythons[-1:]], key=version_key)
    return replace(matrix, policy=replace(matrix.policy, default_python=usual)) if day else matrix


def day_for(python: str, day: str, matrix: Matrix) -> str:
    """Return the day, "" where packages had no releases for that Python yet."""
    return day if python in _pythons_on(day, matrix) else ""


def _pythons_on(day: str, matrix: Matrix) -> set[str]:
    first = min((one.released for one in matrix.releases.values()), default="")  # before it: as with the oldest torch
    releases = {name for name, one in matrix.releases.items() if one.released <= max(day, first)}
    return {python for build in matrix.builds if build.torch in releases for python in build.pythons}


def told_of_day(
    project: Project, day: str, packages: Collection[Statement], weigher: BuildWeigher, best: Weighed
) -> Iterator[Message]:
    """Yield the sentences for a day, where the project leaves anything open. `packages`: each by its first line; one of
    the others that were understood may pin it."""
    asks, python, here = weigher.asks, best.python, weigher.machine.os
    heads = [one for one in packages if one.url.startswith("git+") and not _REVISION.search(one.url)]
    if day and heads:
        yield message(
            "project.remark.as-of-heads",
            "{file}, line {line}, and others like it, take the newest state of a repository, not that of {day}: "
            "{packages}. It may not fit the project's code: take a release of that time instead.",
            file=heads[0].origin.file,
            line=heads[0].origin.line,
            day=day,
            packages=cut_between([one.name for one in heads]),
        )
    locked = {one.name for one in project.statements if one.strength == LOCKED}
    of_torch = {one.name for one in packages if (row := companion(one.name)) and row.follows}  # they go with torch
    pinning = (one for one in (*asks.packages, *asks.constraints) if _PIN.search(one.specifier))
    kept = {*locked, *of_torch, *(one.name for one in pinning if marker_holds(one.marker, here, python))}
    open_ones = (one for one in packages if not (_PIN.search(one.specifier) or one.url or one.name in kept))
    left = [one.name for one in open_ones]
    if not (day and left):
        return
    if not day_for(python, day, weigher.matrix):
        built = (one for one in packages if (row := companion(one.name)) and row.wheels == "none" and not one.url)
        left = [*(one.name for one in built if one.name not in left and not _PIN.search(one.specifier)), *left]
        bound = {one.group for one in asks.of_code}  # by what programs use, and that is told
        if not (left := [name for name in left if name not in bound]):
            return
        yield message(
            "project.remark.as-of-late",
            "On {day}, the project's time, packages had no releases for Python {python} yet. Those whose version it "
            "leaves open come in today's newest, and may not fit its code: {packages}.",
            day=day,
            python=python,
            packages=cut_between(left),
        )
        return
    if project.changed != day:
        yield message(
            "project.remark.as-of-asked",
            "Packages whose version the project leaves open come as of {day}, as you asked, where the package source "
            "gives dates: {packages}.",
            day=day,
            packages=cut_between(left),
        )
        return
    yield message(
        "project.remark.as-of",
        "The project was last changed on {day}. Packages whose version it leaves open come as of that day, where the "
        "package source gives dates: {packages}. For today's newest[, tick “Newest packages”|, add --as-of today].",
        day=day,
        packages=cut_between(left),
    )
