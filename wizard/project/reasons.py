"""Why the torch that a project asks for, or that its lock has, is not the one that it gets.

Said of what was chosen (`weigh`); the reason is the verdict's own where it has one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import combinations

from wizard.compatibility.data.ordering import CPU, variant_key, version_key
from wizard.compatibility.model import Candidate
from wizard.model.messages import Message, message
from wizard.project.model import DECLARED, LOCKED, TORCH, Statement
from wizard.project.packages.companions import Native
from wizard.project.understand import Understood
from wizard.project.versions import can_meet, marker_holds, meets, python_meets
from wizard.project.weigh import BuildWeigher, Weighed

_NO_CODE = "no-kernels-for-gpu"  # the reason of a build
_PIN = re.compile(r"(?<![\w-])torch\s*==\s*(\d+\.\d+(?:\.\d+)?)")


def why_not_torch(weigher: BuildWeigher, best: Weighed) -> Message:
    """The verdict's own reason for the newest build that was asked for; else what the Python says."""
    asked = asked_words(of_python(weigher, weigher.asks.torch, best.python))
    releases = {one for one in weigher.asked_releases if weigher.torch_meets(one, best.python)}
    if weigher.choices.torch:
        return message("project.why.by-hand", "torch {torch} was chosen by hand", torch=weigher.choices.torch)
    if not releases:
        return _why_not_nearest(weigher) or message("project.why.unknown-release", asked=asked)
    if not runs_here(weigher, releases):
        return _why_not_here(weigher, releases, asked)
    pythons = {each for one in weigher.fitting if one.torch in releases for each in one.pythons}
    lines = (one for one in weigher.asks.python if not any(python_meets(one.specifier, each) for each in pythons))
    against = next(lines, None)
    if against and not weigher.choices.python:
        return message(
            "project.why.asked-torch-line",
            "torch {torch} has no wheels for the Python that {file}, line {line} asks for ({asked})",
            torch=asked,
            file=against.origin.file,
            line=against.origin.line,
            asked=against.specifier,
        )
    return message(
        "project.why.asked-torch",
        "torch {torch} has no wheels for Python {python}",
        torch=asked,
        python=best.python,
    )


def of_python(weigher: BuildWeigher, lines: tuple[Statement, ...], python: str) -> tuple[Statement, ...]:
    """Return the lines that are meant for this system and Python; all where none is."""
    here = tuple(one for one in lines if marker_holds(one.marker, weigher.machine.os, python))
    return here or lines


def why_not_commented(weigher: BuildWeigher) -> Iterator[Message]:
    """Yield what is against a torch that only a comment names: whoever reads it may put it in."""
    for one in weigher.asks.remarks:
        named = _PIN.search(str(one.params.get("text", ""))) if one.key == "project.remark.commented" else None
        releases = {each for each in weigher.releases if named and meets(f"=={named[1]}", each)}
        if named and releases and not runs_here(weigher, releases):
            where = {name: one.params[name] for name in ("file", "line")}
            why = _why_not_here(weigher, releases, named[1])
            yield message("project.remark.commented-not-here", **where, torch=named[1], why=why)


def implied_words(weigher: BuildWeigher, implied: Collection[Statement], torch: str) -> Message:
    """Name the line, of those that the torch which is taken goes with, that a newer one would leave first."""
    newer = sorted(
        {one.torch for one in weigher.fitting if version_key(one.torch) > version_key(torch)}, key=version_key
    )
    binding = next((one for release in newer for one in implied if not meets(one.specifier, release)), None)
    one = binding or next(iter(implied))
    at = one.origin
    where: dict[str, str | int] = {"file": at.file, "line": at.line, "text": at.text}
    return message("project.remark.implied", **where, asked=one.specifier, torch=torch)


def made_apart(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Yield the first two packages that are made for one torch each and of which no torch serves both, where no line
    asks for a torch."""
    asks, torch = weigher.asks, best.candidate.torch
    made = [] if asks.torch else [one for one in asks.implied if one.name == TORCH and one.strength == DECLARED]
    made = [one for one in made if not one.url and marker_holds(one.marker, weigher.machine.os, best.python)]
    first = {one.specifier: one for one in reversed(made)}  # of thousands of lines, what they imply is little
    served = {one: {each for each in weigher.releases if meets(one.specifier, each)} for one in first.values()}
    pairs = combinations([one for one in reversed(served) if served[one]], 2)
    if apart := next(((one, other) for one, other in pairs if served[one].isdisjoint(served[other])), None):
        one, other = apart
        yield message(
            "project.remark.made-apart",
            "{file}, line {line}: “{text}” is made for torch {asked}, and {other_file}, line {other_line}: “{other}” "
            "for torch {other_asked}, as far as is known: no torch serves both, and {torch} is taken. Where a setup "
            "finds no releases of them that go together, make an environment for each.",
            file=one.origin.file,
            line=one.origin.line,
            text=one.origin.text,
            asked=one.specifier,
            other_file=other.origin.file,
            other_line=other.origin.line,
            other=other.origin.text,
            other_asked=other.specifier,
            torch=torch,
        )


def refusal(weigher: BuildWeigher, releases: Collection[str]) -> Message | None:
    """Return the verdict's own reason against the newest build with CUDA of these; where it has none but that some were
    never published, and there are others, that these hold no code for the card. None where nothing is against them."""
    wanted = {tag.tag for tag in weigher.asks.tags}
    refused = [
        one for one in weigher.verdict.candidates if one.torch in releases and one.reasons and one.variant != CPU
    ]
    refused.sort(key=lambda one: (one.reasons[0].code == "not-published", one.variant not in wanted))
    reason = refused[0].reasons[0] if refused else None
    builds = (one for one in weigher.verdict.candidates if one.torch in releases and one.variant != CPU)
    over = next((one for one in builds if one.fits and one.is_translated), None)
    if over and (reason is None or reason.code == "not-published"):
        return translated(over.torch)
    return reason.message if reason else None


def runs_here(weigher: BuildWeigher, releases: Collection[str]) -> bool:
    """Return whether one of these has a build for what is here: with a card one that uses it."""
    return any(one.variant != CPU or not weigher.has_card for one in weigher.fitting if one.torch in releases)


def _why_not_here(weigher: BuildWeigher, releases: Collection[str], asked: str) -> Message:
    """Return why none of these releases runs on this computer."""
    of_asked = (one for one in weigher.verdict.candidates if one.torch in releases)
    if any(one.fits and one.variant != CPU for one in of_asked):
        return translated(asked)
    here = message("project.why.not-here", "no build of torch {asked} runs on this platform", asked=asked)
    return refusal(weigher, releases) or here


def _why_not_nearest(weigher: BuildWeigher) -> Message | None:
    """Of a release that is older than the tables: what keeps the oldest that they know from running here, or its build
    of the CUDA before the one that does."""
    asked, oldest = weigher.asks.torch, weigher.releases[0]
    if not all(can_meet(one.specifier, f"<{oldest}") for one in asked):
        return None
    words = asked_words(asked)
    if runs_here(weigher, {oldest}):
        return _without_code(weigher, oldest, words)
    why = refusal(weigher, {oldest})
    return why and message(
        "project.why.older",
        "torch {asked} is older than the tables of this program; of torch {oldest} they say: {why}",
        asked=words,
        oldest=oldest,
        why=why,
    )


def _without_code(weigher: BuildWeigher, torch: str, asked: str) -> Message | None:
    """Return why the newest build of this release that has no code for the card has none: its CUDA is older than that
    of the one which has, and so is the CUDA of older releases."""
    builds = [one for one in weigher.verdict.candidates if one.torch == torch and one.variant != CPU]
    for one in sorted(builds, key=lambda one: variant_key(one.variant), reverse=True):
        lacking = next((each.message for each in one.reasons if each.code == _NO_CODE), None)
        build = f"{torch}+{one.variant}"
        if why := translated(build) if one.is_translated else lacking:
            return message(
                "project.why.older-cuda",
                "torch {asked} is older than the tables of this program; of the oldest torch that they know they say, "
                "with an older CUDA ({build}): {why}",
                asked=asked,
                build=build,
                why=why,
            )
    return None


def why_not_build(weigher: BuildWeigher, asked: Candidate, best: Weighed) -> Message:
    """Return why a build of the torch that is taken, for the CUDA that is asked for, is not the one: its own reason,
    else what lacks beside it."""
    build, weighed = f"{asked.torch}+{asked.variant}", weigher.weigh(asked, best.python)
    if asked.reasons or asked.is_translated:
        return asked.reasons[0].message if asked.reasons else translated(build)
    if weighed.pairs:
        return message(
            "project.why.cuda-pair",
            "no {packages} is known that goes with torch {torch}",
            packages=", ".join(weighed.pairs),
            torch=build,
        )
    if weighed.libraries:
        return message(
            "project.why.cuda-library",
            "the release of {packages} that is asked for holds no library for the CUDA of torch {torch}",
            packages=", ".join(weighed.libraries),
            torch=build,
        )
    return message("project.why.cuda-rest", "what else is asked for does not go with torch {torch}", torch=build)


def translated(torch: str) -> Message:
    return message(
        "project.why.translated",
        "torch {torch} holds no code for this card; the driver would translate it, and the "
        "libraries beside it would fail",
        torch=torch,
    )


def lock_words(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Say which line of a lock has the torch that is taken, of those for this system and, first, for its CUDA; else why
    the one that it has is not taken."""
    torch, variant = best.candidate.torch, best.candidate.variant
    locked = [one for one in weigher.asks.locked if one.name == TORCH and one.strength == LOCKED]
    locked.sort(key=lambda one: (one.specifier != f"=={torch}", one.local != variant, _is_other_kind(one, variant)))
    if not locked:
        return
    first, place = locked[0], locked[0].origin
    if first.specifier != f"=={torch}":
        has = first.specifier[2:]
        why = why_not_locked(weigher, has)
        yield message("project.remark.lock-left", file=place.file, torch=has, why=why)
    elif first.local in ("", variant):
        yield message("project.remark.locked", torch=torch, file=place.file, line=place.line)
    else:
        yield message(
            "project.remark.lock-build",
            "torch {torch} is kept as {file}, line {line} has it, but as {given} and not as {asked}. The lock does not "
            "hold word for word.",
            torch=torch,
            file=place.file,
            line=place.line,
            asked=first.local,
            given=variant,
        )


def asked_beside_lock(asks: Understood, one: Statement, torch: str) -> str:
    """Return what a line asks for; where the torch of a lock is the one that is taken, what the lock has of that
    package and the line admits."""
    is_kept = any(
        each.name == TORCH and each.strength == LOCKED and meets(each.specifier, torch) for each in asks.locked
    )
    held = {each.specifier for each in asks.lock_pins if each.name == one.name} if is_kept else set[str]()
    return held.pop() if len(held) == 1 and can_meet(one.specifier, *held) else one.specifier


def is_pinned(native: Native, asks: Understood, torch: str) -> bool:
    """Return whether each line that declares it, or the lock beside the torch that is taken, has one release of it."""
    lines = [one for one in native.statements if one.strength == DECLARED and not one.group]
    return all(asked_beside_lock(asks, one, torch).startswith("==") for one in lines)


def _is_other_kind(one: Statement, variant: str) -> bool:
    """Return whether it is a build for the processor, and a card's is taken, or the other way round."""
    return bool(one.local) and (one.local == CPU) != (variant == CPU)


def why_not_locked(weigher: BuildWeigher, has: str) -> Message:
    if weigher.choices.torch:
        return message("project.why.by-hand", "torch {torch} was chosen by hand", torch=weigher.choices.torch)
    if has not in weigher.releases:
        return message("project.why.unknown-release", asked=has)
    if not runs_here(weigher, {has}):
        return _why_not_here(weigher, {has}, has)
    line = next((one for one in weigher.asks.torch if not meets(one.specifier, has)), None)
    if line is None:
        return message("project.why.lock-apart", "it does not go with all that the files ask for")
    place = line.origin
    return message("project.why.contradiction", other_file=place.file, other_line=place.line, other=str(line))


def asked_words(statements: tuple[Statement, ...]) -> str:
    """`==1.13.1, >=1.10`: what the lines say, each once."""
    return ", ".join(dict.fromkeys(one.specifier for one in statements if one.specifier))


def without_card(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Offer the build for the processor where torch had to move for a card that no program names."""
    if not (best.torch and weigher.asks.card_unused and best.candidate.variant != CPU) or weigher.choices.torch:
        return
    builds = {one.torch for one in weigher.verdict.candidates if one.fits and one.variant == CPU}
    asked = [one for one in weigher.asked_releases if one in builds]
    is_older = all(can_meet(one.specifier, f"<{weigher.releases[0]}") for one in weigher.asks.torch)
    first = version_key(weigher.releases[0])[:2]
    oldest = [one for one in weigher.releases if is_older and version_key(one)[:2] == first and one in builds]
    nearest = (asked or oldest)[-1:]
    if nearest and version_key(nearest[0])[:2] < version_key(best.candidate.torch)[:2]:
        yield message(
            "project.remark.card-unused",
            "No program of the project names a graphics card, and torch {asked} had to move for the one of this "
            "computer. For torch {torch}, which needs no card, choose that release and the variant cpu.",
            asked=asked_words(weigher.asks.torch),
            torch=nearest[0],
        )
