"""NumPy, and what else torch or a package that goes with it needs in other versions than a project asks for.

Said of what was chosen (`weigh`); what moves with torch itself is `native`'s matter.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from wizard.model.messages import Message, message
from wizard.project.model import FOR_CODE, OF_ALL, PYTHON, TORCH, Statement, is_run
from wizard.project.packages.companions import (
    has_wheel,
    needs_old_numpy,
    package_needs,
    release_without,
    releases_for,
    undeclared_needs,
)
from wizard.project.packages.cuda_tags import is_file_for
from wizard.project.packages.lacking import patches_of, release_with_wheel
from wizard.project.packages.native import Relaxed, lines_of
from wizard.project.reasons import asked_words, runs_here
from wizard.project.versions import can_meet, marker_holds
from wizard.project.weigh import BuildWeigher, Weighed

_PIN = re.compile(r"={2,3}(\d+(?:\.\d+)*(?:\.post\d+)?)(?:\.\*)?$")


def relaxed_numpy(weigher: BuildWeigher, best: Weighed) -> Iterator[Relaxed]:
    """A line of the project that does not hold for the chosen Python is no wish, and nothing moves; one that stands
    against another of the project's is told as these two."""
    bound, lines, given = best.candidate.numpy, lines_of_numpy(weigher, best), numpy_for(weigher, best)
    refused = tuple(one for one in lines if not can_meet(one.specifier, bound))
    moved = tuple(one for one in lines if not can_meet(one.specifier, given))
    if refused:
        torch = best.candidate.torch
        why = message("project.why.numpy", "torch {torch} needs NumPy {given}", torch=torch, given=bound)
        yield Relaxed("numpy", asked_words(refused), given, why, lines_of(refused))
    elif moved:
        why = message("project.why.numpy-wheel", "it has no ready wheel for Python {python}", python=best.python)
        yield Relaxed("numpy", asked_words(moved), given, why, lines_of(moved))


def numpy_for(weigher: BuildWeigher, best: Weighed) -> str:
    """Return the specifier of NumPy that goes with the choice; "" for any. A pin without a wheel for the chosen Python
    becomes the nearest newer release that has one: what is written for the one runs with the other most likely."""
    os, lines = weigher.machine.os, lines_of_numpy(weigher, best)
    bound = _bound_of_numpy(weigher, best, lines)
    needless = {one.origin for one in weigher.asks.of_code if is_held_anyhow(weigher, one)}
    with_bound = [one for one in lines if can_meet(one.specifier, bound) and one.origin not in needless]
    firm = ",".join(filter(None, [*(one.specifier for one in with_bound if not _is_gap(one)), bound]))
    kept = (_below_gap(one) for one in with_bound if not goes_with_newest(one, firm))
    parts = list(dict.fromkeys(part for one in [*kept, bound] for part in one.split(",") if part))
    pin = next((part for part in parts if _PIN.match(part)), "")
    if pin and not has_wheel("numpy", pin, best.python, os):
        others = [part for part in parts if not _PIN.match(part)]
        near = release_with_wheel("numpy", pin, best.python, os)
        parts = [near, *others] if near and can_meet(near, ",".join(others)) else parts
    return ",".join(parts)


def _bound_of_numpy(weigher: BuildWeigher, best: Weighed, lines: list[Statement]) -> str:
    """Return the NumPy that torch goes with, or packages that were built before NumPy 2 or go unsaid with an older one
    alone; "" for any."""
    os, together = weigher.machine.os, ",".join(one.specifier for one in lines)
    here = [one for one in weigher.asks.packages if marker_holds(one.marker, os, best.python)]
    is_open = all(can_meet(together, one) for one in ("<2", ">=2"))
    is_old = is_open and any(needs_old_numpy(one.name, one.specifier) for one in here)
    of_torch = best.candidate.numpy or ""
    unsaid = (bound for _, other, bound in _unsaid([*here, *lines]) if other == "numpy" and can_meet(bound, of_torch))
    return next(unsaid, of_torch or ("<2" if is_old else ""))


def _is_gap(one: Statement) -> bool:
    """Return whether only releases in the middle lack what a program uses."""
    return one.specifier.startswith("!=")


def _below_gap(one: Statement) -> str:
    return f"<{one.specifier[2:].partition('.*')[0]}" if _is_gap(one) else one.specifier


def goes_with_newest(one: Statement, others: str) -> bool:
    """Return whether the major release behind such a gap may be taken, which has it again."""
    last = one.specifier.rpartition("!=")[2].partition(".")[0]
    return _is_gap(one) and can_meet(others, f">={int(last) + 1}")


def lines_of_numpy(weigher: BuildWeigher, best: Weighed) -> list[Statement]:
    """Return the lines that hold for the chosen Python and go together: of others the first counts. What a program uses
    holds no release that this Python has no wheel of."""
    taken: list[Statement] = []
    os, of_code = weigher.machine.os, {one.origin for one in weigher.asks.of_code}
    for one in weigher.asks.numpy:
        together = ",".join(each.specifier for each in taken)
        bound = _bound_of_numpy(weigher, best, taken) if one.origin in of_code else ""
        together_with = f"{one.specifier},{bound}".strip(",")
        is_left = one.origin in of_code and not has_wheel("numpy", together_with, best.python, os)
        if marker_holds(one.marker, os, best.python) and can_meet(together, one.specifier) and not is_left:
            taken.append(one)
    return taken


def constraints_of(weigher: BuildWeigher, best: Weighed) -> Iterator[Statement]:
    """Yield the constraints without what a program needs of a NumPy that is not taken, and with what one needs of other
    packages, of which there are releases for this Python."""
    of_code, kept = ({one.origin for one in lines} for lines in (weigher.asks.of_code, lines_of_numpy(weigher, best)))
    yield from (one for one in weigher.asks.constraints if one.origin not in of_code - kept or one.name != "numpy")
    for one in weigher.asks.of_code:
        if one.group not in OF_ALL and has_wheel(one.group, one.specifier, best.python, weigher.machine.os):
            yield Statement(one.group, one.specifier, one.origin, group=FOR_CODE)


def relaxed_needs(weigher: BuildWeigher, best: Weighed) -> Iterator[Relaxed]:
    """What torch itself needs in another version than a line asks for, and pins of what cannot have what it needs."""
    torch, here = best.candidate.torch, _lines_here(weigher, best)
    yield from _outrun(here, best.python, weigher.machine.os)
    for name, need in package_needs(TORCH, torch).items():
        refused = tuple(one for one in here if one.name == name and not can_meet(one.specifier, need))
        if refused:
            why = message("project.why.needed", "torch {torch} needs {name}{need}", torch=torch, name=name, need=need)
            yield Relaxed(name, asked_words(refused), need, why, lines_of(refused))


def torch_of_installer(weigher: BuildWeigher, best: Weighed) -> tuple[Statement, Relaxed] | None:
    """Return the torch that a script of the project installs, and a pin of the lists that it keeps: where the lists
    leave torch open, the newest of today must not move what the authors pinned beside theirs."""
    asks, os = weigher.asks, weigher.machine.os
    is_kept = best.torch or weigher.choices.torch or any(one.name == TORCH for one in asks.locked)
    if asks.torch_any or not asks.torch or is_kept:
        return None
    moved = list(relaxed_needs(weigher, best))
    for one in asks.told if moved else ():
        is_its = one.name == TORCH and is_run(one.origin.file) and is_file_for(one.origin.file, os)
        pin = _PIN.match(one.specifier) if is_its else None
        if pin and all(can_meet(each.specifier, one.specifier) for each in asks.torch) and runs_here(weigher, {pin[1]}):
            needs = package_needs(TORCH, pin[1])
            keeps = (each for each in moved if can_meet(each.asked, needs.get(each.name, "")))
            if kept := next(keeps, None):
                return one, kept
    return None


def relaxed_beside(weigher: BuildWeigher, best: Weighed, moved: Collection[str]) -> Iterator[Relaxed]:
    """What the release of a package that moves with torch needs in another version than a line asks for."""
    torch, here = best.candidate.torch, _lines_here(weigher, best)
    for package in moved:
        release = next((one for one in releases_for(package, torch)[::-1] if one[0].isdigit()), "")
        for name, need in package_needs(package, release).items() if release else ():
            refused = tuple(one for one in here if one.name == name and not can_meet(one.specifier, need))
            if refused:
                why = message(
                    "project.why.needed-beside",
                    "{package} {release}, which goes with torch {torch}, needs {name}{need}",
                    package=package,
                    release=release,
                    torch=torch,
                    name=name,
                    need=need,
                )
                yield Relaxed(name, asked_words(refused), need, why, lines_of(refused))


def needs_apart(weigher: BuildWeigher, best: Weighed, moved: Collection[str]) -> Iterator[Message]:
    """What a pinned package needs of another, and a line or torch itself stands against."""
    torch, here = best.candidate.torch, _lines_here(weigher, best)
    yield from _needs_unsaid(here, best.python, weigher.machine.os)
    of_torch = package_needs(TORCH, torch)
    pinned = ((one, _PIN.match(one.specifier)) for one in here if one.name not in moved)
    needed = [(one, *need) for one, pin in pinned if pin for need in package_needs(one.name, pin[1]).items()]
    for one, name, need in needed:
        place, words = one.origin, f"{name}{need}"
        where: dict[str, str | int] = {"file": place.file, "line": place.line, "text": str(one), "need": words}
        against = next((each for each in here if each.name == name and not can_meet(each.specifier, need)), None)
        if against and name not in moved:
            other = against.origin
            yield message(
                "project.remark.needs-line", **where, other=str(against), other_file=other.file, other_line=other.line
            )
        elif not can_meet(of_torch.get(name, ""), need):
            yield message("project.remark.needs-torch", **where, torch=torch, other=f"{name}{of_torch[name]}")


def _outrun(here: list[Statement], python: str, os: str) -> Iterator[Relaxed]:
    """Yield the pins that go unsaid with versions of another package alone which have no wheel for the chosen Python;
    the nearest release that goes with newer ones is taken."""
    for name, other, bound in _unsaid_of_others(here):
        following = release_without(name, other)
        if following and not has_wheel(other, bound, python, os):
            lines = tuple(one for one in here if one.name == name)
            why = message(
                "project.why.outrun",
                "it goes with {other}{bound} alone, of which there is no ready wheel for Python {python}",
                other=other,
                bound=bound,
                python=python,
            )
            yield Relaxed(name, asked_words(lines), patches_of(following), why, lines_of(lines))


def _unsaid(here: list[Statement]) -> Iterator[tuple[str, str, str]]:
    """Yield what lines need of another package, and no metadata says."""
    asked = dict[str, list[str]]()
    for one in here:
        asked.setdefault(one.name, []).append(one.specifier)
    yield from undeclared_needs({name: ",".join(parts) for name, parts in asked.items()})


def _unsaid_of_others(here: list[Statement]) -> Iterator[tuple[str, str, str]]:
    """Yield the same without torch and NumPy, which are decided with it."""
    yield from (found for found in _unsaid(here) if found[1] not in (TORCH, "numpy"))


def _needs_unsaid(here: list[Statement], python: str, os: str) -> Iterator[Message]:
    """Say which versions of another package are taken, for what is pinned fails with newer ones and does not say so;
    nothing where a line or this Python leaves out the newer ones anyhow."""
    lines = {one.name: one for one in reversed(here)}
    for name, other, bound in _unsaid_of_others(here):
        of_other = ",".join(one.specifier for one in here if one.name == other)
        newer = ",".join(filter(None, (of_other, f">={bound.strip('<')}")))
        is_met = bound.startswith("<") and not (can_meet(newer, "") and has_wheel(other, newer, python, os))
        if is_met or not has_wheel(other, bound, python, os):
            continue
        yield message(
            "project.remark.needs-unsaid",
            "{file}, line {line}: {package} goes with {other}{bound} alone, and its metadata does not say so: a setup "
            "takes such a one.",
            file=lines[name].origin.file,
            line=lines[name].origin.line,
            package=str(lines[name]),
            other=other,
            bound=bound,
        )


def _lines_here(weigher: BuildWeigher, best: Weighed) -> list[Statement]:
    """Return the lines with a version that hold for this system and Python."""
    os, lines = weigher.machine.os, weigher.asks.packages
    return [one for one in lines if one.specifier and marker_holds(one.marker, os, best.python)]


def is_held_anyhow(weigher: BuildWeigher, one: Statement) -> bool:
    """Return whether other lines leave nothing newer than what a program needs."""
    asks = weigher.asks
    of_package = tuple(each for each in asks.packages if each.name == one.group)
    lines = {PYTHON: asks.python, "numpy": asks.numpy}.get(one.group, of_package)
    others = ",".join(each.specifier for each in lines if each.origin != one.origin and each.specifier)
    lacking = [f"=={part}" for part in one.specifier.replace("!=", "").split(",")] if _is_gap(one) else []
    return not any(can_meet(others, part) for part in lacking or [f">={one.specifier.strip('<')}"])
