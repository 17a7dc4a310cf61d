"""Which Python a project gets, where that is not the one that its files, its README's commands or its words name.

Said of what was chosen (`weigh`): what moves is told with its lines, what is only said in words as a remark.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from wizard.compatibility.data.ordering import version_key
from wizard.model.messages import Message, message
from wizard.project.model import PYTHON, RECOMMENDED, Statement, cut_between, is_commented, is_image
from wizard.project.packages.lacking import needed_pins, without_wheels
from wizard.project.packages.native import Relaxed, lines_of
from wizard.project.reasons import asked_words
from wizard.project.search.order import is_lock
from wizard.project.understand import Understood
from wizard.project.versions import can_meet, python_meets
from wizard.project.weigh import BuildWeigher, Weighed


def relaxed_python(weigher: BuildWeigher, best: Weighed) -> Iterator[Relaxed]:
    """Yield the Python that is asked for and not taken; beside what is declared also the one that commands of a README
    or a script make, where what the project asks for has no wheel for it: who types them has that one."""
    if best.declared_python or best.person_python:
        unmet = tuple(one for one in weigher.asks.python if not python_meets(one.specifier, best.python))
        asked, by_hand = asked_words(unmet), weigher.choices.python
        why = message("project.why.python-by-hand", "Python {python} was chosen by hand", python=best.python)
        if not best.declared_python or best.python != by_hand:
            asked = asked if best.declared_python else f"=={by_hand}"
            empty = next((one.specifier for one in unmet if not can_meet(one.specifier, "")), "")
            why = message("project.why.python-empty", "no version of Python can be {asked}", asked=empty)
            why = why if empty else message("project.why.python", torch=best.candidate.torch, asked=asked)
        yield Relaxed(PYTHON, asked, best.python, why, lines_of(unmet) if best.declared_python else ())
    for one, lost in _left_pythons(weigher, best):
        if reason := _why_not_python(weigher, one, lost, best):
            yield Relaxed(PYTHON, one.specifier, best.python, reason, (one.origin,))


def _why_not_python(weigher: BuildWeigher, one: Statement, lost: Collection[str], best: Weighed) -> Message | None:
    """Return what is against the Python of a command; None where it is only said, where nothing is known against it, or
    where it is an image's and the project itself declares which Pythons it takes."""
    is_of_image = is_image(one.origin.file) and bool(weigher.asks.python)
    if one.strength != RECOMMENDED or is_commented(one.origin) or is_of_image:
        return None
    torch, of_torch = best.candidate.torch, best.candidate.pythons
    if not any(python_meets(one.specifier, each) for each in of_torch):
        return message("project.why.python", torch=torch, asked=one.specifier)
    if not lost:
        return None
    return message(
        "project.why.python-without",
        "of what the project asks for no release has a ready wheel for Python {asked}: {packages}",
        asked=one.specifier,
        packages=cut_between(sorted(lost)),
    )


def left_python(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Name the Python that the project works with and that is not taken; one that is asked for is told as that."""
    for one, lost in _left_pythons(weigher, best):
        where = weigher.asks.quoted(one.origin)
        if _why_not_python(weigher, one, lost, best):
            continue
        if lost:
            names = cut_between(sorted(lost))
            yield message("project.remark.python-without", **where, packages=names, python=best.python)
        else:
            yield message("project.remark.python-left", **where, python=best.python)


def _left_pythons(weigher: BuildWeigher, best: Weighed) -> Iterator[tuple[Statement, frozenset[str]]]:
    """Yield the Pythons that the project works with and that are not taken, each with the packages that have a wheel
    for the one that is, and for it none."""
    told, os = () if best.declared_python or weigher.choices.python else weigher.asks.locked, weigher.machine.os
    locked = [one for one in told if one.name == PYTHON and is_lock(one.origin.file)]
    met = {one.origin.file for one in locked if python_meets(one.specifier, best.python)}  # has several environments
    for one in told:
        if one.name == PYTHON and not python_meets(one.specifier, best.python) and one.origin.file not in met:
            meant = (each for each in weigher.pythons if python_meets(one.specifier, each))
            lacking = [without_wheels(weigher.asks, os, each) for each in meant]
            lost = frozenset.intersection(*lacking) if lacking else frozenset[str]()
            yield one, lost - without_wheels(weigher.asks, os, best.python)


def holding_python(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Name what has no ready wheel for the next newer Python that may be taken, where this one is older than usual."""
    asks, os, python = weigher.asks, weigher.machine.os, best.python
    usual = version_key(weigher.matrix.policy.default_python)
    newer = [one for one in best.candidate.pythons if version_key(python) < version_key(one) <= usual]
    newer = [one for one in newer if all(python_meets(each.specifier, one) for each in asks.python)]
    is_kept = any(one.name == PYTHON and python_meets(one.specifier, python) for one in asks.locked)
    if not newer or is_kept or weigher.choices.python:
        return
    nearest = min(newer, key=version_key)
    lost = without_wheels(asks, os, nearest) - without_wheels(asks, os, python)
    pins = [one for one in needed_pins(asks, os, nearest) if one not in needed_pins(asks, os, python)]
    lost |= {one.name for one in pins}
    for one in _holding_code(asks, os, nearest, lost - {one.name for one in pins}):
        lost -= {one.group}
        yield message(
            "project.remark.python-held-code",
            "Python is {python}, not {newer}: {file}, line {line} uses {used}, and of {package} no release that has it "
            "and that the project asks for has a ready wheel for that one.",
            file=one.origin.file,
            line=one.origin.line,
            used=one.extras[0],
            package=one.group,
            python=python,
            newer=nearest,
        )
    if lines := [one for one in (*asks.packages, *asks.constraints, *pins) if one.name in lost]:
        where: dict[str, str | int] = {"file": lines[0].origin.file, "line": lines[0].origin.line}
        names = cut_between(sorted(lost))
        yield message("project.remark.python-held", **where, packages=names, python=python, newer=nearest)


def _holding_code(asks: Understood, os: str, python: str, lost: Collection[str]) -> list[Statement]:
    """Return for each package the line whose use alone leaves no release with a wheel: no list asks for that."""
    of_code = {one.origin: one for one in asks.of_code}
    lists = tuple(one for one in asks.constraints if one.origin not in of_code)
    plain = without_wheels(replace(asks, constraints=lists), os, python)
    found: dict[str, Statement] = {}
    for one in asks.constraints:
        used = of_code.get(one.origin)
        is_its = used and used.group == one.name and one.name in lost and one.name not in {*plain, *found}
        if used and is_its and one.name in without_wheels(replace(asks, constraints=(*lists, one)), os, python):
            found[one.name] = used
    return list(found.values())
