"""Whether a package with native code can be had ready for what was chosen, and what a person is told where not.

What moves with torch, and what is left out for it, is `native`'s matter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from wizard.compatibility.data.ordering import CPU, version_key
from wizard.compatibility.model import Candidate
from wizard.compatibility.resolve import resolve, running_builds
from wizard.machine.model import Machine
from wizard.model.capability import ComputeCapability
from wizard.model.messages import Message, message
from wizard.project.model import DECLARED, Statement, cut_between
from wizard.project.packages.companions import Native, companion, is_planned, pythons_of
from wizard.project.packages.cuda_tags import fits_here, has_tag, made_with
from wizard.project.packages.implied import torch_in
from wizard.project.packages.rows import Companion, companion_table
from wizard.project.understand import Understood
from wizard.project.versions import marker_holds, meets
from wizard.project.weigh import BuildWeigher, Weighed


def natives_elsewhere(asks: Understood, os: str, python: str) -> Iterator[str]:
    """Yield those of which each line is meant for another system or Python."""
    for native in asks.native:
        if not any(marker_holds(one.marker, os, python) for one in native.statements):
            yield native.name


def native_state(native: Native, best: Weighed, machine: Machine) -> str:
    """`no-card`, `old-card`, `no-wheel`, `before` (the torch of its first wheels), `newer` (than that of its last),
    `newer-cuda` (than its source builds with), `source` (by its repository alone), `compiler` or `ready`."""
    row, candidate = companion(native.name), best.candidate
    if row is None:
        return "ready"
    if decided := _of_card(row, candidate, machine):
        return decided
    os = machine.os
    if any(_is_linked(one, best, os) for one in native.statements):
        return "ready"
    if os in row.lacks:
        return "ready" if row.has_other(candidate.torch) else "no-wheel"
    asked = [one for one in native.statements if one.strength == DECLARED and not one.group] or native.statements
    if all(row.is_outside(one.specifier, os) for one in asked):
        return "no-wheel"
    is_source = all(one.url.startswith("git+") for one in asked)  # the index's wheels are of another code
    if is_source and row.wheels not in ("none", "releases", "conda"):
        return "source"
    if row.is_before(candidate.torch, os):
        return "before"
    if any(one.url.partition("#")[0].endswith(".whl") for one in native.statements):
        return "ready"
    pinned = _pinned(native)
    if row.ends_before(candidate.torch, pinned.specifier if pinned else ""):
        return "newer"
    return _of_source(row, candidate, os not in row.ready or any(one.url.startswith("git+") for one in asked))


def _of_source(row: Companion, candidate: Candidate, is_built: bool) -> str:
    if row.is_of_older_cuda(candidate.variant):
        return "newer-cuda"
    return "compiler" if row.wheels in ("none", "releases") and is_built else "ready"


def _of_card(row: Companion, candidate: Candidate, machine: Machine) -> str:
    """Return what keeps it from any wheel of its makers: `no-card`, `old-card`; `ready` where another takes its place;
    else ""."""
    if row.card and candidate.variant == CPU:
        return "ready" if row.on_cpu else "no-card"
    known = [gpu.compute_capability for gpu in machine.gpus if gpu.compute_capability]
    is_old = row.least and known and max(known) < ComputeCapability.parse(row.least)
    return "old-card" if is_old else ""


def _is_linked(one: Statement, best: Weighed, os: str) -> bool:
    """Return whether the line has the address of a wheel that is made for just this plan."""
    is_here = one.url.partition("#")[0].endswith(".whl") and marker_holds(one.marker, os, best.python)
    cuda, torch = made_with(one, os), torch_in(one.url)
    is_of_torch = (
        meets(torch, best.candidate.torch) and has_tag(cuda, best.candidate.variant) if cuda and torch else False
    )
    return is_here and is_of_torch and fits_here(one.url, os, best.python)


def said_of(native: Native, state: str, weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Yield what a person is told of a package in that `native_state`."""
    if state == "no-card" and all(one.group not in ("", "constraint") for one in native.statements):  # of an extra
        return
    row = companion(native.name)
    if row and row.by_hand and state not in ("no-card", "old-card"):
        yield message(
            "project.native.by-hand",
            "{name} is on no package index: its maker gives it at {page} after a yes to the licence, for {systems} and "
            "Python {pythons}. Install it from there by hand, as the project says.",
            name=native.name,
            page=row.where,
            systems=", ".join(name for name in ("Linux", "Windows") if name.lower() not in row.lacks),
            pythons=pythons_of(native.name),
        )
    elif state in ("newer", "before"):
        yield (_newer if state == "newer" else _before)(weigher, best, native)
        if state == "newer" and row and row.last and row.ends_before(best.candidate.torch):
            yield message(
                "project.native.ended",
                "{name} ended with release {last}: no newer one will have a wheel for this torch.",
                name=native.name,
                last=row.last,
            )
    elif state == "ready" and row and row.on_cpu and best.candidate.variant == CPU and _is_told(native):
        yield message(
            "project.native.on-cpu",
            "{name} ({place}) is of no use without a CUDA card; {instead} has the same for the processor.",
            name=native.name,
            place=str(native.origins[0]),
            instead=row.on_cpu,
        )
    elif state != "ready":
        least = (row.cuda_ends if state == "newer-cuda" else row.least) if row else ""
        given, place = best.candidate.variant, str(native.origins[0])
        yield message(f"project.native.{state}", name=native.name, place=place, least=least, given=given)
    if state == "no-wheel":
        yield from _elsewhere(weigher, best, native)
    if state in ("no-card", "old-card", "no-wheel", "before"):
        yield from _way_round(weigher.asks, native)
    needing = next((one for one in weigher.asks.needing if one.group == native.name), None)
    needing = needing or next((one for one in weigher.asks.needing if row and companion(one.group) is row), None)
    if needing and state != "ready" and (is_planned(native) or state in ("no-card", "old-card")):
        yield message(
            "project.native.needing",
            "Without {name} these programs do not start, for they import it at their top: {programs}.",
            name=native.name,
            programs=cut_between([*needing.extras]),
        )


def needed_unnamed(weigher: BuildWeigher, best: Weighed, named: Collection[str]) -> Iterator[Message]:
    """Name what programs import at their top, no line has, and the card here does not serve."""
    known = [companion(name) for name in named]
    for one in weigher.asks.needing:
        row = companion(one.group)
        state = _of_card(row, best.candidate, weigher.machine) if row and row not in known else ""
        if row and state in ("no-card", "old-card"):
            known.append(row)
            where: dict[str, str | int] = {"name": one.group, "programs": cut_between([*one.extras])}
            if state == "old-card":
                yield message(
                    "project.native.unnamed-old-card",
                    "No list of the project names {name}, and these programs do not start without it, for they import "
                    "it at their top: {programs}. It runs on cards of compute capability {least} and newer alone.",
                    **where,
                    least=row.least,
                )
            else:
                yield message(
                    "project.native.unnamed-no-card",
                    "No list of the project names {name}, and these programs do not start without it, for they import "
                    "it at their top: {programs}. It is of no use without a CUDA card.",
                    **where,
                )


def _is_told(native: Native) -> bool:
    """Return whether a README or a script has it for everybody, and no file declares it."""
    return not is_planned(native) and any(not one.group for one in native.statements)


def _newer(weigher: BuildWeigher, best: Weighed, native: Native) -> Message:
    """Its ready wheels end before this torch: name the nearest torch that has one and runs here. Which torch the wheels
    of an older release are for is in no table: where one is asked for, none is named."""
    row, torch = companion(native.name), best.candidate.torch
    assert row
    pinned = _pinned(native)
    asked, name = (pinned.specifier, str(pinned)) if pinned else ("", native.name)
    newest = row.newest_for(asked)
    if asked and not row.newest_of:
        return message("project.native.newer-pinned", name=native.name, newest=newest, torch=torch, asked=asked)
    older = [one for one in _alike(weigher, best) if not row.ends_before(one.torch, asked)]
    if older:
        where = {"name": name, "newest": newest, "torch": torch, "nearest": older[0].torch}
        return _nearest("project.native.newer", weigher, older[0], where)
    return message("project.native.newer-none", name=name, newest=newest, torch=torch)


def _nearest(key: str, weigher: BuildWeigher, nearest: Candidate, where: dict[str, str]) -> Message:
    """Name its CUDA, too, where a person chose one that this torch has not."""
    is_other = weigher.choices.variant not in (None, nearest.variant)
    return message(f"{key}-with", **where, variant=nearest.variant) if is_other else message(key, **where)


def _before(weigher: BuildWeigher, best: Weighed, native: Native) -> Message:
    """Its ready wheels begin after this torch: name the nearest torch that has one and runs here."""
    row, torch, os = companion(native.name), best.candidate.torch, weigher.machine.os
    made_for = {pair.torch for pair in companion_table().pair if pair.companion == native.name}
    newer = [one for one in _alike(weigher, best) if row and not row.is_before(one.torch, os)]
    newer = [one for one in newer if one.torch in made_for] or newer
    if newer:
        nearest = min(newer, key=lambda one: version_key(one.torch))
        where = {"name": native.name, "torch": torch, "nearest": nearest.torch}
        return _nearest("project.native.before", weigher, nearest, where)
    return message("project.native.before-none", name=native.name, torch=torch)


def _elsewhere(weigher: BuildWeigher, best: Weighed, native: Native) -> Iterator[Message]:
    """Yield where others have it for this system, and for which of the builds that run here; where its makers have it
    by torch for another system, that no torch is known."""
    os, row, pinned = weigher.machine.os, companion(native.name), _pinned(native)
    known = (one for one in companion_table().wheels_elsewhere if (one.package, one.system) == (native.name, os))
    if (others := next(known, None)) is None:
        if row and row.wheels == "releases":
            yield message(
                "project.native.torch-unknown",
                "{name}: no torch is known that has a ready wheel of it for this system.",
                name=native.name,
            )
        return
    asked, name = pinned.specifier if pinned else "", str(pinned or native.name)
    here = [best.candidate, *_alike(weigher, best)]
    found = next((one for one in here if others.has(asked, one.torch, one.variant)), None)
    where = {"name": name, "page": others.where}
    if found is None:
        yield message(
            "project.native.elsewhere-none",
            "{name}: others than its makers have ready wheels for this system ({page}), but for no torch and CUDA that "
            "run here.",
            **where,
        )
    elif found == best.candidate:
        yield message(
            "project.native.elsewhere",
            "{name}: others than its makers have a ready wheel for this system and this torch: {page}. If you trust "
            "them, take it from there afterwards.",
            **where,
        )
    else:
        yield message(
            "project.native.elsewhere-nearest",
            "{name}: others than its makers have ready wheels for this system ({page}); the nearest torch of theirs "
            "that runs here is {nearest} with {variant}[| (--torch {nearest} --variant {variant})]. If you trust them, "
            "choose that one and take the wheel from there afterwards.",
            **where,
            nearest=found.torch,
            variant=found.variant,
        )


def _way_round(asks: Understood, native: Native) -> Iterator[Message]:
    """Yield what a README says to do where the package cannot be had."""
    if place := next((one.origin for one in asks.ways_round if one.group == native.name), None):
        yield message("project.native.way-round", name=native.name, file=place.file, line=place.line, text=place.text)


def _alike(weigher: BuildWeigher, best: Weighed) -> list[Candidate]:
    """Return the builds that run here, for the card or for the processor as the chosen one, whichever torch and CUDA a
    person chose; those of that CUDA first."""
    builds, choices = weigher.fitting, weigher.choices
    if choices.torch or choices.variant:
        free = replace(choices, torch=None, variant=None, python=None, include_unadvertised=True)
        builds = running_builds(resolve(weigher.machine, weigher.matrix, free, prove_all=False), weigher.absent)
    alike = [one for one in builds if (one.variant == CPU) == (best.candidate.variant == CPU)]
    return sorted(alike, key=lambda one: one.variant != (choices.variant or one.variant))


def _pinned(native: Native) -> Statement | None:
    own = (one for one in native.statements if one.name != "cudatoolkit")
    return next((one for one in own if one.specifier.startswith("==")), None)
