"""Packages that go with torch in a project's plan, with native code above all: what moves with it, what is left out,
and what a person is told.

Said of what was chosen (`weigh`); which package is of what kind is a row of `matrices/companions.toml`.
One file: what moves, what goes and what is told of a package are one look at its row.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from wizard.compatibility.data.ordering import CPU, variant_key, version_key
from wizard.compatibility.model import Candidate
from wizard.machine.model import Machine
from wizard.model.messages import Message, message
from wizard.project.formats.words import IN_WORDS
from wizard.project.model import (
    DECLARED,
    TORCH,
    AddressLine,
    FileLine,
    Project,
    Statement,
    can_meet,
    is_folder,
    marker_holds,
    meets,
    normalized,
)
from wizard.project.packages.companions import (
    Native,
    companion,
    first_library,
    has_wheel,
    needs_old_numpy,
    package_needs,
    releases_for,
    torch_bound,
    torch_of,
)
from wizard.project.packages.cuda_tags import cuda_of_name, has_tag, is_for
from wizard.project.packages.implied import torch_in
from wizard.project.packages.lacking import release_with_wheel
from wizard.project.packages.ready import native_state
from wizard.project.packages.rows import Companion
from wizard.project.reasons import asked_words, refusal
from wizard.project.search.extras import named_extras
from wizard.project.understand import Understood, pair_meets
from wizard.project.weigh import BuildWeigher, Weighed

_MOST_NAMED = 6  # releases in one sentence
_PIN = re.compile(r"={2,3}(\d+(?:\.\d+)*(?:\.post\d+)?)(?:\.\*)?$")
NOTHING = "–"  # what is given where a package is left out


@dataclass(frozen=True, slots=True)
class Relaxed:
    """One thing that the project asks and does not get."""

    name: str
    asked: str
    given: str
    why: Message
    origins: tuple[FileLine, ...] = ()


def relaxed_natives(weigher: BuildWeigher, best: Weighed) -> Iterator[Relaxed]:
    """Pins of what is made for one torch move with it; triton has another name where it lacks wheels. Of what is left
    out a remark tells; what is only recommended is in no plan and moves nothing."""
    without = {one.name for one in left_out(weigher.asks, best, weigher.machine)}
    pages: list[AddressLine] = []
    of_this = set(_made_for(weigher.asks, best.candidate.variant))
    for native in natives_here(weigher.asks, weigher.machine.os):
        row = companion(native.name)
        if row is None or native.name in without:
            continue
        named = [one for one in native.statements if one.strength == DECLARED and one.group in ("", "constraint")]
        its = (one for one in named if one.name == native.name)
        pins = [one for one in its if one.specifier or (one.url and not is_folder(one.url))]
        if not named:
            continue
        if other := _in_its_place(row, best.candidate, weigher.machine.os):
            given, why = other
            yield Relaxed(native.name, asked_words(native.statements) or native.name, given, why, native.origins)
        elif (row.follows or row.card) and _is_of_another_cuda(native.name, best.candidate.variant):
            if row.name in of_this:  # one for each CUDA is named, and this one's is among them
                continue
            given = best.candidate.variant
            why = message(
                "project.why.cuda-in-name",
                "it is made for {asked}, and torch comes as {given}",
                asked=cuda_of_name(native.name),
                given=given,
            )
            yield Relaxed(
                native.name, asked_words(native.statements) or native.name, f"{row.name} ({given})", why, native.origins
            )
        elif native.name in best.libraries:
            why = message(
                "project.why.library",
                "the release that is asked for holds no library for {variant}, the CUDA of this torch",
                variant=best.candidate.variant,
            )
            first = first_library(native.name, best.candidate.variant)
            given = f">={first}" if first else f"{row.name} ({best.candidate.variant})"
            yield Relaxed(native.name, asked_words(tuple(pins)), given, why, lines_of(tuple(pins)))
        elif row.follows and pins and (best.torch or _is_of_another(native.name, pins, best.candidate.torch)):
            why = message("project.why.with-torch", torch=best.candidate.torch)
            asked = asked_words(tuple(pins)) or pins[0].url
            yield Relaxed(native.name, asked, f"torch {best.candidate.torch}", why, lines_of(tuple(pins)))
        elif row.follows and (page := _page_of_another(row, weigher.asks, best.candidate.torch)) and page not in pages:
            pages.append(page)
            why = message("project.why.with-torch", torch=best.candidate.torch)
            yield Relaxed(native.name, page.url, f"torch {best.candidate.torch}", why, (page.origin,))


def _in_its_place(row: Companion, candidate: Candidate, os: str) -> tuple[str, Message] | None:
    """Return the package of another name that is taken for this system, or for the processor, and why."""
    if row.instead and os in row.lacks:
        return row.instead, message("project.why.triton")
    if row.on_cpu and candidate.variant == CPU:
        return row.on_cpu, message(
            "project.why.on-cpu",
            "without a usable CUDA card {instead} is taken, which is the same for the processor",
            instead=row.on_cpu,
        )
    return None


def relaxed_pairs(weigher: BuildWeigher, best: Weighed) -> Iterator[Relaxed]:
    """torchvision and torchaudio go with their torch; a pin that names another release moves."""
    for name, statements in weigher.asks.pairs.items():
        given = best.candidate.companion(name)
        asked = asked_words(statements)
        here = [one for one in statements if marker_holds(one.marker, weigher.machine.os, best.python)]
        if given is None and here:
            build = f"torch {best.candidate.torch}+{best.candidate.variant}"
            why = message("project.why.pair-not-made", "none was made for {build}", build=build)
            yield Relaxed(name, asked or "*", NOTHING, why, lines_of(statements))
        is_other = not _pinned_to(statements, given or "") if best.torch else _is_other_patch(statements, given)
        if asked and given and (name in best.pairs or is_other):
            why = message("project.why.pair", name=name, given=given, torch=best.candidate.torch)
            why = why if best.torch else _why_not_pair(weigher, name, statements) or why
            yield Relaxed(name, asked, given, why, lines_of(statements))


def _why_not_pair(weigher: BuildWeigher, name: str, statements: tuple[Statement, ...]) -> Message | None:
    """Return why the torch that it alone goes with is not taken; None where that one runs here."""
    releases = {one.torch for one in weigher.verdict.candidates if _pinned_to(statements, getattr(one, name) or "")}
    usable = {one.torch for one in weigher.fitting if one.variant != CPU or not weigher.has_card}
    reason = None if releases & usable else refusal(weigher, releases)
    listed, asked = ", ".join(sorted(releases, key=version_key)[-_MOST_NAMED:]), asked_words(statements)
    return reason and message("project.why.pair-alone", name=name, asked=asked, torch=listed, reason=reason)


def _is_other_patch(statements: tuple[Statement, ...], given: str | None) -> bool:
    """Return whether each declared line asks for another patch of the same release."""
    asked = [one.specifier for one in statements if one.specifier and one.strength == DECLARED]
    return bool(given and asked) and not any(meets(one, given or "") for one in asked)


def _pinned_to(statements: tuple[Statement, ...], given: str) -> bool:
    return all(pair_meets(one.specifier, given) for one in statements if one.specifier)


def relaxed_numpy(weigher: BuildWeigher, best: Weighed) -> Iterator[Relaxed]:
    """A line of the project that does not hold for the chosen Python is no wish, and nothing moves; one that stands
    against another of the project's is told as these two."""
    bound, lines, given = best.candidate.numpy, _lines_of_numpy(weigher, best), numpy_for(weigher, best)
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
    os, lines = weigher.machine.os, _lines_of_numpy(weigher, best)
    here = (one for one in weigher.asks.packages if marker_holds(one.marker, os, best.python))
    together = ",".join(one.specifier for one in lines)
    is_open = all(can_meet(together, one) for one in ("<2", ">=2"))
    is_old = is_open and any(needs_old_numpy(one.name, one.specifier) for one in here)
    bound = best.candidate.numpy or ("<2" if is_old else "")
    kept = (one.specifier for one in lines if can_meet(one.specifier, bound))
    parts = list(dict.fromkeys(part for one in [*kept, bound] for part in one.split(",") if part))
    pin = next((part for part in parts if _PIN.match(part)), "")
    if pin and not has_wheel("numpy", pin, best.python, os):
        others = [part for part in parts if not _PIN.match(part)]
        near = release_with_wheel("numpy", pin, best.python, os)
        parts = [near, *others] if near and can_meet(near, ",".join(others)) else parts
    return ",".join(parts)


def _lines_of_numpy(weigher: BuildWeigher, best: Weighed) -> list[Statement]:
    """Return the lines that hold for the chosen Python and go together: of others the first counts."""
    taken: list[Statement] = []
    for one in weigher.asks.numpy:
        together = ",".join(each.specifier for each in taken)
        if marker_holds(one.marker, weigher.machine.os, best.python) and can_meet(together, one.specifier):
            taken.append(one)
    return taken


def relaxed_needs(weigher: BuildWeigher, best: Weighed) -> Iterator[Relaxed]:
    """What torch itself needs in another version than a line asks for."""
    torch, here = best.candidate.torch, _lines_here(weigher, best)
    for name, need in package_needs(TORCH, torch).items():
        refused = tuple(one for one in here if one.name == name and not can_meet(one.specifier, need))
        if refused:
            why = message("project.why.needed", "torch {torch} needs {name}{need}", torch=torch, name=name, need=need)
            yield Relaxed(name, asked_words(refused), need, why, lines_of(refused))


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


def unmet_bounds(asks: Understood, torch: str) -> Iterator[Message]:
    """What other packages ask of torch, as far as is known, and the taken one does not meet."""
    for one in asks.rest:
        if one.url.startswith("git+") and not one.specifier:
            continue
        bound = torch_bound(one.name, one.specifier)
        if bound and not meets(bound, torch) and companion(one.name) is None:
            at = one.origin
            yield message(
                "project.remark.bound", file=at.file, line=at.line, package=one.name, asked=bound, torch=torch
            )
        tried = torch_bound(one.name, one.specifier, True)
        if tried and not meets(tried, torch):
            at = one.origin
            yield message("project.remark.tried", file=at.file, line=at.line, text=at.text, asked=tried, torch=torch)


def system_cuda(project: Project, given: str) -> Iterator[Message]:
    """The CUDA that pixi says a computer must have, where the taken build has an older one or none."""
    left = project.card_lines if given == CPU else frozenset()  # of the environment that is not taken
    for one in project.statements:
        asked, counts = one.specifier.removeprefix(">="), not one.group and one.origin not in left
        if one.name == "__cuda" and counts and variant_key(given) < version_key(asked):
            place = one.origin
            yield message("project.remark.system-cuda", file=place.file, line=place.line, asked=asked, given=given)


def _lines_here(weigher: BuildWeigher, best: Weighed) -> list[Statement]:
    """Return the lines with a version that hold for this system and Python."""
    os, lines = weigher.machine.os, weigher.asks.packages
    return [one for one in lines if one.specifier and marker_holds(one.marker, os, best.python)]


def _page_of_another(row: Companion, asks: Understood, torch: str) -> AddressLine | None:
    """Return the line that names the page of wheels for a torch which is not taken."""
    host = urlsplit(row.where).hostname
    pages = (
        one for one in asks.sources if one.kind == "find-links" and one.strength == DECLARED and f"//{host}/" in one.url
    )
    return next((one for one in pages if torch_in(one.url) and not meets(torch_in(one.url), torch)), None)


def is_planned(native: Native) -> bool:
    return any(one.strength == DECLARED and not one.group for one in native.statements)


def _made_for(asks: Understood, variant: str) -> Iterator[str]:
    """Yield the packages of which a line names the one that is made for this CUDA."""
    for native in asks.native:
        row, cuda = companion(native.name), cuda_of_name(native.name)
        if row and cuda and has_tag(cuda, variant):
            yield row.name


def _is_of_another_cuda(name: str, variant: str) -> bool:
    cuda = cuda_of_name(name)
    return bool(cuda) and not has_tag(cuda, variant)


def _is_of_another(name: str, pins: list[Statement], torch: str) -> bool:
    """Return whether the pinned release was made for a torch that is not taken."""
    made_for = [torch_of(name, one.specifier.removeprefix("==")) for one in pins if one.specifier.startswith("==")]
    if any(made_for):
        return not any(one and meets(f"=={one}.*", torch) for one in made_for)
    bounds = [torch_bound(name, one.specifier) for one in pins if one.specifier.startswith("==")]
    return bool(bounds) and not any(meets(bound, torch) for bound in bounds)


def natives_here(asks: Understood, os: str) -> list[Native]:
    """Those of which some line is meant for this system, and that is no extra which nobody takes or names."""
    named = {"", "constraint", IN_WORDS, *named_extras(asks.remarks)}

    def counts(one: Statement) -> bool:
        return is_for(one, os) and (one.group in named or normalized(one.group) in named)

    return [native for native in asks.native if any(map(counts, native.statements))]


def left_out(asks: Understood, best: Weighed, machine: Machine) -> Iterator[Relaxed]:
    """Return what is asked for and cannot be had; what an extra or a README names is not in the plan anyhow."""
    for native in natives_here(asks, machine.os):
        if not is_planned(native):
            continue
        state = native_state(native, best, machine)
        if state in ("no-card", "old-card", "no-wheel", "before"):
            row = companion(native.name)
            state = "no-wheel" if state == "before" else state  # a remark says more
            why = message(f"project.native.{state}", name=native.name, least=row.least if row else "")
            yield Relaxed(native.name, asked_words(native.statements), NOTHING, why, native.origins)


def lines_of(statements: tuple[Statement, ...]) -> tuple[FileLine, ...]:
    return tuple(one.origin for one in statements)
