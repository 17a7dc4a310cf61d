"""Says of which day a project gets the packages whose versions it leaves open: of its own time, if that is long ago.

Its code was written for what was the newest then, and what pins fit each other mostly says no metadata.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timezone

from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import version_key
from wizard.compatibility.model import Choices
from wizard.model.messages import Message, message
from wizard.project.model import LOCKED, Project, Statement, cut_between
from wizard.project.packages.companions import companion

DAY = "project.remark.as-of"
TODAY = "today"  # in place of a day: the newest


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
    releases = {name for name, one in matrix.releases.items() if str(one.released) <= day}
    pythons = {python for build in matrix.builds if build.torch in releases for python in build.pythons}
    usual = min([matrix.policy.default_python, *sorted(pythons, key=version_key)[-1:]], key=version_key)
    return replace(matrix, policy=replace(matrix.policy, default_python=usual)) if day else matrix


def told_of_day(project: Project, day: str, packages: Iterable[Statement]) -> tuple[Message, ...]:
    """Return the sentence for a day, where the project leaves anything open."""
    locked = {one.name for one in project.statements if one.strength == LOCKED}
    of_torch = {one.name for one in packages if (row := companion(one.name)) and row.follows}  # they go with torch
    kept = {*locked, *of_torch}
    left = [one.name for one in packages if "==" not in one.specifier and not one.url and one.name not in kept]
    if not (day and left):
        return ()
    said = message(
        "project.remark.as-of",
        "The project was last changed on {day}. Packages whose version it leaves open come as of that day, where the "
        "package source gives dates: {packages}. For today's newest[, tick “Newest packages”|, add --as-of today].",
        day=day,
        packages=cut_between(left),
    )
    return (said,)
