"""The decision for a project on one machine: the build, and each thing that is not as asked, with its reason.

`weigh` chooses; here is said what the choice means: what moves with torch, what is left out, what a person must know.
One file: each sentence stands where its cause is found.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import CPU
from wizard.compatibility.model import Candidate, Choices
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Machine
from wizard.model.capability import ComputeCapability
from wizard.model.messages import Message, message
from wizard.project.companions import companion, companion_table, torch_of
from wizard.project.model import DECLARED, LOCKED, PYTHON, TORCH, FileLine, Project, Statement, fit_to_show
from wizard.project.understand import (
    PAIRS,
    Native,
    Understood,
    can_meet,
    cuda_of_name,
    has_tag,
    is_for,
    marker_holds,
    meets,
    pair_meets,
)
from wizard.project.weigh import BuildWeigher, Weighed, contradiction, without_wheels

_MOST_NAMED = 6  # packages in one sentence, contradictions in one answer


CUDA = "cuda"  # its name as something that is asked for
NOTHING = "–"  # what is given where a package is left out


@dataclass(frozen=True, slots=True)
class Relaxed:
    """One thing that the project asks and does not get."""

    name: str
    asked: str
    given: str
    why: Message
    origins: tuple[FileLine, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectDecision:
    """`candidate` is None where no build runs at all; `python` is the one for it."""

    candidate: Candidate | None
    python: str | None
    numpy: str  # specifier; "" for any
    understood: Understood
    relaxed: tuple[Relaxed, ...]
    remarks: tuple[Message, ...]
    left_out: tuple[Relaxed, ...] = ()  # native packages of no use or without a ready wheel here

    @property
    def differing(self) -> tuple[Relaxed, ...]:
        """Return what needs a yes."""
        return (*self.relaxed, *self.left_out)


def decide(
    project: Project,
    machine: Machine,
    matrix: Matrix,
    choices: Choices,
    is_foreign: Callable[[str], bool] = lambda url: False,
    absent: Collection[tuple[str, str]] = (),
) -> ProjectDecision:
    """`is_foreign`: whether an address is no place that this program knows. `absent`: torch and variant of builds that
    no source has.

    Raises UsageError for a torch or a variant in `choices` that no build knows.
    """
    weigher = BuildWeigher(project, machine, matrix, choices, absent)
    best = weigher.best()
    if best is None:
        return ProjectDecision(None, None, "", weigher.asks, (), tuple(weigher.remarks))
    return ProjectDecision(
        candidate=best.candidate,
        python=best.python,
        numpy=weigher.numpy(best),
        understood=replace(weigher.asks, rest=tuple(_rest(weigher, best))),
        relaxed=tuple(_relaxed(weigher, best)),
        remarks=(*weigher.remarks, *_foreign(weigher.asks, is_foreign), *_remarks(weigher, best)),
        left_out=tuple(_left_out(weigher.asks, best.candidate, machine)),
    )


def _rest(weigher: BuildWeigher, best: Weighed) -> Iterator[Statement]:
    """The other packages of which some line is meant for this system and Python, each once."""
    asks, os = weigher.asks, weigher.machine.os
    here = {one.name for one in asks.packages if marker_holds(one.marker, os, best.python)}
    return (one for one in asks.rest if one.name in here)


def _contradictions(asks: Understood) -> Iterator[Message]:
    """Two lines of another package that no release meets; torch's and Python's are told by the weigher."""
    kept: dict[str, list[Statement]] = {}
    told = 0
    for one in (*asks.packages, *asks.constraints):
        if one.marker or not one.specifier or told >= _MOST_NAMED:
            continue
        before = kept.setdefault(one.name, [])
        against = next((each for each in before if not can_meet(each.specifier, one.specifier)), None)
        if against is None and len(before) < _MOST_NAMED:
            before.append(one)
        elif against is not None:
            told += 1
            yield contradiction(against, one)


def _newer(weigher: BuildWeigher, best: Weighed, native: Native) -> Message:
    """Its ready wheels end before this torch: name the nearest torch that has one and runs here."""
    row, torch = companion(native.name), best.candidate.torch
    assert row
    is_cpu = best.candidate.variant == CPU
    older = [one for one in weigher.fitting if (one.variant == CPU) == is_cpu and not row.ends_before(one.torch)]
    if older:
        return message("project.native.newer", name=native.name, newest=row.newest, torch=torch, nearest=older[0].torch)
    return message("project.native.newer-none", name=native.name, newest=row.newest, torch=torch)


def _choosing(weigher: BuildWeigher, best: Weighed) -> list[str]:
    """What is made for one torch and on the index: a setup asks which torch its newest release needs."""
    if weigher.choices.torch or len(weigher.asked_releases) < 2:
        return []
    left_out = {one.name for one in _left_out(weigher.asks, best.candidate, weigher.machine)}
    here = weigher.machine.os
    natives = _natives_here(weigher.asks, here)
    rows = ((native.name, companion(native.name)) for native in natives if native.name not in left_out)
    return [name for name, row in rows if row and row.follows and row.wheels == "index" and here not in row.lacks]


def _asked(statements: tuple[Statement, ...]) -> str:
    """`==1.13.1, >=1.10`: what the lines say, each once."""
    return ", ".join(dict.fromkeys(one.specifier for one in statements if one.specifier))


def _origins(statements: tuple[Statement, ...]) -> tuple[FileLine, ...]:
    return tuple(one.origin for one in statements)


def _relaxed(weigher: BuildWeigher, best: Weighed) -> Iterator[Relaxed]:
    asks, candidate = weigher.asks, best.candidate
    if best.torch:
        why = _why_not_torch(weigher, best)
        yield Relaxed(TORCH, _asked(asks.torch), candidate.torch, why, _origins(asks.torch))
    if best.declared_python or best.person_python:
        asked = _asked(asks.python) if best.declared_python else f"=={weigher.choices.python}"
        why = message("project.why.python", torch=candidate.torch, asked=asked)
        yield Relaxed(PYTHON, asked, best.python, why, _origins(asks.python) if best.declared_python else ())
    yield from _relaxed_cuda(weigher, best)
    yield from _relaxed_pairs(weigher, best)
    yield from _relaxed_numpy(weigher, best)
    yield from _relaxed_native(weigher, best)


def _why_not_torch(weigher: BuildWeigher, best: Weighed) -> Message:
    """The verdict's own reason for the newest build that was asked for; else what the Python says."""
    asked, releases = _asked(weigher.asks.torch), set(weigher.asked_releases)
    if weigher.choices.torch:
        return message("project.why.by-hand", "torch {torch} was chosen by hand", torch=weigher.choices.torch)
    if not releases:
        return message("project.why.unknown-release", asked=asked)
    of_asked = [one for one in weigher.verdict.candidates if one.torch in releases]
    if any(one.variant != CPU or not weigher.has_card for one in weigher.fitting if one.torch in releases):
        return message(
            "project.why.asked-torch",
            "torch {torch} has no wheels for Python {python}",
            torch=asked,
            python=best.python,
        )
    if any(one.fits and one.variant != CPU for one in of_asked):
        return message(
            "project.why.translated",
            "torch {torch} holds no code for this card; the driver would translate it, and the "
            "libraries beside it would fail",
            torch=asked,
        )
    wanted = {tag.tag for tag in weigher.asks.tags}
    refused = [one for one in of_asked if one.reasons and one.variant != CPU]
    refused.sort(key=lambda one: (one.reasons[0].code == "not-published", one.variant not in wanted))
    return (
        refused[0].reasons[0].message
        if refused
        else message("project.why.not-here", "no build of torch {asked} runs on this platform", asked=asked)
    )


def _relaxed_cuda(weigher: BuildWeigher, best: Weighed) -> Iterator[Relaxed]:
    tags, given = weigher.asks.tags, best.candidate.variant
    if not tags or any(has_tag(tag.tag, given) for tag in tags):
        return
    asked = ", ".join(tag.tag for tag in tags)
    tag = tags[0].tag
    why = message("project.why.cuda", torch=best.candidate.torch, asked=tag)
    if given == CPU:
        others = weigher.verdict.others
        why = message("project.why.no-gpu", asked=tag)
        if others:
            why = message(
                "project.why.other-maker",
                "the {gpu} is no NVIDIA card ({maker}), so the CPU build is taken instead of {asked}",
                gpu=others[0].name,
                maker=others[0].maker,
                asked=tag,
            )
    for one in weigher.verdict.candidates:
        if one.torch == best.candidate.torch and has_tag(tag, one.variant) and one.reasons and given != CPU:
            why = one.reasons[0].message
    yield Relaxed(CUDA, asked, given, why, tuple(one.origin for one in tags))


def _relaxed_pairs(weigher: BuildWeigher, best: Weighed) -> Iterator[Relaxed]:
    """torchvision and torchaudio go with their torch; a pin that names another release moves."""
    for name, statements in weigher.asks.pairs.items():
        given = best.candidate.torchvision if name == PAIRS[0] else best.candidate.torchaudio
        asked = _asked(statements)
        is_other = not _pinned_to(statements, given or "") if best.torch else _is_other_patch(statements, given)
        if asked and given and (name in best.pairs or is_other):
            why = message("project.why.pair", name=name, given=given, torch=best.candidate.torch)
            yield Relaxed(name, asked, given, why, _origins(statements))


def _is_other_patch(statements: tuple[Statement, ...], given: str | None) -> bool:
    """Return whether each declared line asks for another patch of the same release."""
    asked = [one.specifier for one in statements if one.specifier and one.strength == DECLARED]
    return bool(given and asked) and not any(meets(one, given or "") for one in asked)


def _pinned_to(statements: tuple[Statement, ...], given: str) -> bool:
    return all(pair_meets(one.specifier, given) for one in statements if one.specifier)


def _relaxed_numpy(weigher: BuildWeigher, best: Weighed) -> Iterator[Relaxed]:
    """A line of the project that does not hold for the chosen Python is no wish, and nothing moves."""
    os = weigher.machine.os
    here = tuple(one for one in weigher.asks.numpy if marker_holds(one.marker, os, best.python))
    given, asked = weigher.numpy(best), _asked(here)
    if given and asked and asked.split(", ")[0] not in given:
        why = message("project.why.numpy", "torch {torch} needs NumPy {given}", torch=best.candidate.torch, given=given)
        yield Relaxed("numpy", asked, given, why, _origins(here))


def _relaxed_native(weigher: BuildWeigher, best: Weighed) -> Iterator[Relaxed]:
    """Pins of what is made for one torch move with it; triton has another name where it lacks wheels. Of what is left
    out a remark tells."""
    left_out = {one.name for one in _left_out(weigher.asks, best.candidate, weigher.machine)}
    for native in _natives_here(weigher.asks, weigher.machine.os):
        row = companion(native.name)
        if row is None or native.name in left_out:
            continue
        pins = [one for one in native.statements if one.name == native.name and (one.specifier or one.url)]
        if row.instead and weigher.machine.os in row.lacks:
            why = message("project.why.triton")
            yield Relaxed(native.name, _asked(native.statements) or native.name, row.instead, why, native.origins)
        elif (row.follows or row.card) and cuda_of_name(native.name) not in ("", best.candidate.variant):
            given = best.candidate.variant
            why = message(
                "project.why.cuda-in-name",
                "it is made for {asked}, and torch comes as {given}",
                asked=cuda_of_name(native.name),
                given=given,
            )
            yield Relaxed(
                native.name, _asked(native.statements) or native.name, f"{row.name} ({given})", why, native.origins
            )
        elif row.follows and pins and (best.torch or _is_of_another(native.name, pins, best.candidate.torch)):
            why = message("project.why.with-torch", torch=best.candidate.torch)
            asked = _asked(tuple(pins)) or pins[0].url
            yield Relaxed(native.name, asked, f"torch {best.candidate.torch}", why, _origins(tuple(pins)))


def _is_of_another(name: str, pins: list[Statement], torch: str) -> bool:
    """Return whether the pinned release was made for a torch that is not taken."""
    made_for = [torch_of(name, one.specifier.removeprefix("==")) for one in pins if one.specifier.startswith("==")]
    return any(made_for) and not any(one and meets(f"=={one}.*", torch) for one in made_for)


def _natives_here(asks: Understood, os: str) -> list[Native]:
    """Those of which some line is meant for this system."""
    return [native for native in asks.native if any(is_for(one, os) for one in native.statements)]


def _left_out(asks: Understood, candidate: Candidate, machine: Machine) -> Iterator[Relaxed]:
    for native in _natives_here(asks, machine.os):
        state = _native_state(native, candidate, machine)
        if state in ("no-card", "old-card", "no-wheel"):
            row = companion(native.name)
            why = message(f"project.native.{state}", name=native.name, least=row.least if row else "")
            yield Relaxed(native.name, _asked(native.statements), NOTHING, why, native.origins)


def _native_state(native: Native, candidate: Candidate, machine: Machine) -> str:
    """`no-card`, `old-card`, `no-wheel`, `newer` (than the torch of its last wheels), `compiler` or `ready`."""
    row = companion(native.name)
    if row is None:
        return "ready"
    if row.card and candidate.variant == CPU:
        return "no-card"
    known = [gpu.compute_capability for gpu in machine.gpus if gpu.compute_capability]
    if row.least and known and max(known) < ComputeCapability.parse(row.least):
        return "old-card"
    os = machine.os
    if os in row.lacks:
        return "ready" if row.instead else "no-wheel"
    if any(one.url.partition("#")[0].endswith(".whl") for one in native.statements):
        return "ready"
    if row.ends_before(candidate.torch):
        return "newer"
    return "compiler" if row.wheels in ("none", "releases") and os not in row.ready else "ready"


def _said_of_torch(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    asks, candidate = weigher.asks, best.candidate
    implied = [one for one in asks.implied if one.name == TORCH and meets(one.specifier, candidate.torch)]
    if not asks.names_torch and implied:
        place = implied[0].origin
        yield message(
            "project.remark.implied",
            file=place.file,
            line=place.line,
            text=place.text,
            asked=implied[0].specifier,
            torch=candidate.torch,
        )
    elif not asks.names_torch:
        yield message("project.remark.undeclared")
    yield from _contradictions(asks)
    if choosing := _choosing(weigher, best):
        yield message("project.remark.chooses-torch", packages=", ".join(choosing[:_MOST_NAMED]))
    if asks.torch_any:
        place = asks.torch[0].origin
        yield message("project.remark.recommended", file=place.file, line=place.line, text=place.text)


def _remarks(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    asks, candidate = weigher.asks, best.candidate
    yield from _said_of_torch(weigher, best)
    for tag in asks.tags:
        place = tag.origin
        if tag.tag == CPU and len(asks.tags) == 1:
            yield message("project.remark.cpu-asked", file=place.file, line=place.line)
        elif not tag.tag.startswith(("cu", "cpu")):
            yield message(
                "project.remark.other-maker", tag=tag.tag, file=place.file, line=place.line, variant=candidate.variant
            )
    yield from _locks(asks, candidate)
    if lacking := sorted(without_wheels(asks, weigher.machine.os, best.python)):
        names = ", ".join(lacking[:_MOST_NAMED])
        yield message("project.remark.wheel-of-pin", packages=names, python=best.python)
    for native in _natives_here(asks, weigher.machine.os):
        state = _native_state(native, candidate, weigher.machine)
        if state == "newer":
            yield _newer(weigher, best, native)
        elif state != "ready":
            row = companion(native.name)
            yield message(f"project.native.{state}", name=native.name, least=row.least if row else "")
    if linked := [one.name for one in asks.rest if one.url.startswith("git+") and not companion(one.name)]:
        yield message("project.remark.as-source", packages=", ".join(linked[:_MOST_NAMED]))
    chosen = replace(weigher.choices, torch=candidate.torch, variant=candidate.variant, python=best.python)
    yield from resolve(weigher.machine, weigher.matrix, chosen, prove_all=False).notices


def _foreign(asks: Understood, is_foreign: Callable[[str], bool]) -> Iterator[Message]:
    """The first line for each host that is neither official nor in a table."""
    known = {urlsplit(row.where).hostname for row in companion_table().companion if row.where}
    for source in asks.sources:
        host = _host(source.url)
        if source.kind != "channel" and host and host not in known and is_foreign(source.url):
            known.add(host)
            yield message("project.remark.foreign-index", file=source.origin.file, line=source.origin.line, host=host)


def _host(url: str) -> str:
    """Return "" for what is no address."""
    try:
        return fit_to_show(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def _locks(asks: Understood, candidate: Candidate) -> Iterator[Message]:
    locked = [one for one in asks.locked if one.name == TORCH and one.strength == LOCKED]
    same = next((one for one in locked if one.specifier == f"=={candidate.torch}"), None)
    if same:
        yield message("project.remark.locked", torch=candidate.torch, file=same.origin.file, line=same.origin.line)
    elif locked:
        yield message("project.remark.lock-left", file=locked[0].origin.file, torch=locked[0].specifier[2:])
