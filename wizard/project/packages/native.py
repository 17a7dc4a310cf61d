"""Packages that go with torch in a project's plan, with native code above all: what moves with it, what is left out,
and what a person is told.

Said of what was chosen (`weigh`); which package is of what kind is a row of `matrices/companions.toml`. One file: each
kind moves, or is left out, by what the one before it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from wizard.compatibility.data.ordering import CPU, variant_key, version_key
from wizard.compatibility.model import Candidate
from wizard.machine.model import Machine
from wizard.model.messages import Message, message
from wizard.project.formats.words import IN_WORDS
from wizard.project.model import DECLARED, AddressLine, FileLine, Project, Statement, is_folder, is_recipe, normalized
from wizard.project.packages.companions import (
    Native,
    companion,
    first_library,
    is_bound_by_code,
    is_planned,
    loads_whole_since,
    mended_in,
    mended_names,
    release_made_for,
    torch_bound,
    torch_of,
)
from wizard.project.packages.cuda_tags import cuda_of_name, has_tag
from wizard.project.packages.implied import torch_in
from wizard.project.packages.ready import native_state
from wizard.project.packages.rows import Companion
from wizard.project.reasons import asked_beside_lock, asked_words, refusal
from wizard.project.search.extras import named_extras
from wizard.project.understand import Understood, pair_meets
from wizard.project.versions import can_meet, marker_holds, meets
from wizard.project.weigh import BuildWeigher, Weighed

_MOST_NAMED = 6  # releases in one sentence
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
    for native in natives_here(weigher.asks, weigher.machine.os, best.python):
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
            asked = asked_words(native.statements) or native.name
            yield Relaxed(native.name, asked, _for_cuda(native.name, row, best.candidate), why, native.origins)
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
            yield from _moved_with_torch(native.name, row, tuple(pins), best.candidate.torch)
        elif row.follows and (page := _page_of_another(row, weigher.asks, best.candidate.torch)) and page not in pages:
            pages.append(page)
            why = message("project.why.with-torch", torch=best.candidate.torch)
            yield Relaxed(native.name, page.url, f"torch {best.candidate.torch}", why, (page.origin,))


def _moved_with_torch(name: str, row: Companion, pins: tuple[Statement, ...], torch: str) -> Iterator[Relaxed]:
    """Yield it where the release that is made for this torch is not one that is asked for; of most none is known."""
    release = release_made_for(row.name, torch)
    if not release or any(one.url or not meets(one.specifier, release) for one in pins):
        why = message("project.why.with-torch", torch=torch)
        yield Relaxed(name, asked_words(pins) or pins[0].url, release or f"{name} (torch {torch})", why, lines_of(pins))


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
    lines = (one for one in weigher.asks.torch if not any(meets(one.specifier, each) for each in releases))
    against = next(lines, None)
    if reason is None and releases and against and not weigher.asks.torch_any:
        return message(
            "project.why.pair-line",
            "no {name} {asked} goes with torch {other}, which {file}, line {line} asks for",
            name=name,
            asked=asked,
            file=against.origin.file,
            line=against.origin.line,
            other=against.specifier,
        )
    return reason and message("project.why.pair-alone", name=name, asked=asked, torch=listed, reason=reason)


def _is_other_patch(statements: tuple[Statement, ...], given: str | None) -> bool:
    """Return whether each line that is declared, else each one where all are done as they stand, asks for another patch
    of the same release."""
    declared = [one for one in statements if one.strength == DECLARED]
    firm = declared or (statements if all(is_recipe(one.origin.file) for one in statements) else ())
    asked = [one.specifier for one in firm if one.specifier]
    return bool(given and asked) and not any(meets(one, given or "") for one in asked)


def _pinned_to(statements: tuple[Statement, ...], given: str) -> bool:
    return all(pair_meets(one.specifier, given) for one in statements if one.specifier)


def unmet_bounds(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """What other packages ask of torch, as far as is known, and the taken one does not meet."""
    torch, gone = best.candidate.torch, {one.name for one in left_out(weigher.asks, best, weigher.machine)}
    gone |= mended_names(weigher.asks.demands)
    for one in weigher.asks.rest:
        if one.name in gone or (one.url.startswith("git+") and not one.specifier):
            continue
        specifier = asked_beside_lock(weigher.asks, one, torch)
        bound = torch_bound(one.name, specifier)
        row, at = companion(one.name), one.origin
        if bound and not meets(bound, torch) and not (row and row.follows) and is_bound_by_code(one.name):
            yield message(
                "project.remark.bound-by-code",
                "{file}, line {line}: {package} runs with torch {asked} alone, by its code and not by its metadata, "
                "and torch is {torch}. {way}",
                file=at.file,
                line=at.line,
                package=one.name,
                asked=bound,
                torch=torch,
                way=_way_out(one.name),
            )
        elif bound and not meets(bound, torch) and not (row and row.follows):
            yield message(
                "project.remark.bound", file=at.file, line=at.line, package=one.name, asked=bound, torch=torch
            )
        tried = torch_bound(one.name, specifier, True)
        if tried and not meets(tried, torch):
            yield message("project.remark.tried", file=at.file, line=at.line, text=at.text, asked=tried, torch=torch)
        first = loads_whole_since(one.name)  # where its own bound refuses an older torch, none is a way out
        if first and can_meet(bound, f"<{first}") and version_key(torch) >= version_key(first):
            yield message(
                "project.remark.loads-whole",
                "{file}, line {line}: {package} reads whole objects from model files, which torch refuses from "
                "{first} on; {torch} is taken. Where it fails to load a model so, take an older torch, or see what "
                "its makers say of weights_only.",
                file=at.file,
                line=at.line,
                package=one.name,
                first=first,
                torch=torch,
            )


def _way_out(package: str) -> Message:
    """Return what to do about a release whose code does not go with the torch that is taken."""
    if mended := mended_in(package):
        return message(
            "project.remark.mended-in", "Take {package} {release} or newer.", package=package, release=mended
        )
    return message(
        "project.remark.mended-nowhere", "No release of it mends that: take such a torch, or change its code."
    )


def system_cuda(project: Project, given: str) -> Iterator[Message]:
    """The CUDA that pixi says a computer must have, where the taken build has an older one or none."""
    left = project.card_lines if given == CPU else frozenset()  # of the environment that is not taken
    for one in project.statements:
        asked, counts = one.specifier.removeprefix(">="), not one.group and one.origin not in left
        if one.name == "__cuda" and counts and variant_key(given) < version_key(asked):
            place = one.origin
            yield message("project.remark.system-cuda", file=place.file, line=place.line, asked=asked, given=given)


def _page_of_another(row: Companion, asks: Understood, torch: str) -> AddressLine | None:
    """Return the line that names the page of wheels for a torch which is not taken."""
    host = urlsplit(row.where).hostname
    pages = (
        one for one in asks.sources if one.kind == "find-links" and one.strength == DECLARED and f"//{host}/" in one.url
    )
    return next((one for one in pages if torch_in(one.url) and not meets(torch_in(one.url), torch)), None)


def _made_for(asks: Understood, variant: str) -> Iterator[str]:
    """Yield the packages of which a line names the one that is made for this CUDA."""
    for native in asks.native:
        row, cuda = companion(native.name), cuda_of_name(native.name)
        if row and cuda and has_tag(cuda, variant):
            yield row.name


def _is_of_another_cuda(name: str, variant: str) -> bool:
    cuda = cuda_of_name(name)
    return bool(cuda) and not has_tag(cuda, variant)


def _for_cuda(name: str, row: Companion, taken: Candidate) -> str:
    """Return the package of the same makers for this torch's CUDA, or for the nearest older one of the same major
    version, whose libraries go with it; `NOTHING` where they have none."""
    if not row.cudas:
        return NOTHING if row.ends_before(taken.torch) else f"{row.name} ({taken.variant})"
    here = variant_key(taken.variant)
    made = [tag for tag in row.cudas if has_tag(tag, taken.variant) or variant_key(tag)[:1] == here[:1]]
    made = [tag for tag in made if has_tag(tag, taken.variant) or variant_key(tag) <= here]
    return re.sub(r"\d+-?\d*$", made[-1].removeprefix("cu"), name) if made else NOTHING


def _is_of_another(name: str, pins: list[Statement], torch: str) -> bool:
    """Return whether the pinned release was made for a torch that is not taken."""
    made_for = [torch_of(name, one.specifier.removeprefix("==")) for one in pins if one.specifier.startswith("==")]
    if any(made_for):
        return not any(one and meets(f"=={one}.*", torch) for one in made_for)
    row = companion(name)
    if row and row.wheels == "releases":  # where its wheels end, its source goes on
        return False
    bounds = [torch_bound(name, one.specifier) for one in pins if one.specifier.startswith("==")]
    return bool(bounds) and not any(meets(bound, torch) for bound in bounds)


def natives_here(asks: Understood, os: str, python: str) -> list[Native]:
    """Those of which some line is meant for this system and Python, and no extra that nobody takes or names."""
    named = {"", "constraint", IN_WORDS, *named_extras(asks.remarks)}

    def counts(one: Statement) -> bool:
        return marker_holds(one.marker, os, python) and (one.group in named or normalized(one.group) in named)

    return [native for native in asks.native if any(map(counts, native.statements))]


def left_out(asks: Understood, best: Weighed, machine: Machine) -> Iterator[Relaxed]:
    """Return what is asked for and cannot be had; what an extra or a README names is not in the plan anyhow."""
    for native in natives_here(asks, machine.os, best.python):
        if not is_planned(native):
            continue
        state = native_state(native, best, machine)
        if state in ("no-card", "old-card", "no-wheel", "before"):
            row = companion(native.name)
            state = "no-wheel" if state == "before" else state  # a remark says more
            least, place = row.least if row else "", str(native.origins[0])
            why = message(f"project.native.{state}", name=native.name, place=place, least=least)
            yield Relaxed(native.name, asked_words(native.statements), NOTHING, why, native.origins)


def lines_of(statements: tuple[Statement, ...]) -> tuple[FileLine, ...]:
    return tuple(dict.fromkeys(one.origin for one in statements))
