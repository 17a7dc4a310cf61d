"""The decision for a project on one machine: the build, and each thing that is not as asked, with its reason.

`weigh` chooses; here is said what the choice means: what moves with torch, what a person must know. Packages with
native code are `native`'s matter. One file: each sentence stands where its cause is found.
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
from wizard.model.messages import Message, message
from wizard.project.contradictions import (
    card_words,
    contradictions,
    cuda_words,
    is_contradicted,
    override_words,
    recommended_words,
    unread_lines,
    with_what_moved,
)
from wizard.project.formats.branches import with_branches
from wizard.project.model import DECLARED, TORCH, FileLine, Project, Statement, cut_between, fit_to_show
from wizard.project.open_lines import day_for, day_of, of_that_day, told_of_day
from wizard.project.own_list import alternatives, with_pins_of
from wizard.project.packages.beside import after_install, beside_code, from_own_index, of_the_system
from wizard.project.packages.companions import LISTED, companion, is_planned
from wizard.project.packages.cuda_tags import fits_here, has_tag
from wizard.project.packages.demands import demand_words, without_wsl
from wizard.project.packages.lacking import (
    by_nvcc,
    from_elsewhere,
    lacking_parts,
    lacking_wheels,
    on_pages,
    own_without_card,
    pages_of_another,
)
from wizard.project.packages.native import (
    Relaxed,
    left_out,
    lines_of,
    natives_here,
    relaxed_natives,
    relaxed_pairs,
    system_cuda,
    unmet_bounds,
)
from wizard.project.packages.needs import (
    constraints_of,
    needs_apart,
    numpy_for,
    relaxed_beside,
    relaxed_needs,
    relaxed_numpy,
    torch_of_installer,
)
from wizard.project.packages.opened import take_parts
from wizard.project.packages.outgrown import code_words
from wizard.project.packages.pythons import holding_python, left_python, relaxed_python
from wizard.project.packages.ready import native_state, natives_elsewhere, needed_unnamed, said_of
from wizard.project.packages.rows import companion_table
from wizard.project.reasons import (
    asked_words,
    implied_words,
    is_pinned,
    lock_words,
    made_apart,
    of_python,
    runs_here,
    why_not_build,
    why_not_commented,
    why_not_torch,
    without_card,
)
from wizard.project.search.notes import notes_left
from wizard.project.understand import Understood, with_known_torch
from wizard.project.versions import can_meet, marker_holds, meets
from wizard.project.weigh import BuildWeigher, Weighed

CUDA = "cuda"  # its name as something that is asked for


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
    elsewhere: tuple[str, ...] = ()  # native packages whose lines are for another system or Python
    notes: tuple[FileLine, ...] = ()  # what the project says of installing, and nothing here acted on
    as_of: str = ""  # the day of what its lines leave open; "": today

    @property
    def differing(self) -> tuple[Relaxed, ...]:
        """Return what needs a yes."""
        return (*self.relaxed, *self.left_out)

    @property
    def is_exact(self) -> bool:
        """Return whether the project gets all as it asks: nothing differs, no line stands against another, and each
        could be read."""
        return not (self.differing or is_contradicted(self.remarks) or unread_lines(self.remarks))


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
    project, day = with_known_torch(project, matrix.releases), day_of(project, matrix, choices)
    matrix = of_that_day(matrix, day)
    weigher, best = _chosen(project, machine, matrix, choices, absent)
    if best is None:
        return ProjectDecision(None, None, "", weigher.asks, (), tuple(weigher.remarks))
    opened = take_parts(weigher, project, best)
    relaxed = tuple(_relaxed(weigher, best))
    rest = tuple(_rest(weigher, best))
    more = (*system_cuda(project, best.candidate.variant), *told_of_day(project, day, rest, weigher, best))
    moved = {one.name for one in relaxed}
    apart = needs_apart(weigher, best, moved)
    told = (*_remarks(weigher, best, moved), *opened, *apart, *more)
    remarks = without_wsl((*weigher.remarks, *_foreign(weigher.asks, is_foreign), *told))
    remarks = with_what_moved(remarks, {one.name: one.given for one in relaxed})
    left = tuple(left_out(weigher.asks, best, machine))
    lines = (*weigher.asks.torch, *weigher.asks.python)
    named = [*(one.origin for one in lines), *(at for one in (*relaxed, *left) for at in one.origins)]
    return ProjectDecision(
        candidate=best.candidate,
        python=best.python,
        numpy=numpy_for(weigher, best),
        understood=replace(weigher.asks, rest=rest, constraints=tuple(constraints_of(weigher, best))),
        relaxed=relaxed,
        remarks=remarks,
        left_out=left,
        elsewhere=tuple(natives_elsewhere(weigher.asks, machine.os, best.python)),
        notes=notes_left(project, machine.os, remarks, named),
        as_of=day_for(best.python, day, matrix),
    )


def _chosen(
    project: Project, machine: Machine, matrix: Matrix, choices: Choices, absent: Collection[tuple[str, str]]
) -> tuple[BuildWeigher, Weighed | None]:
    """Of lists for several CUDAs the one that leaves least unmet here; a recipe whose torch is taken with its other
    pins; of the branches of a script those for what is taken."""

    def weigher_of(way: Project) -> BuildWeigher:
        return BuildWeigher(way, machine, matrix, choices, absent)

    weighed = [(weigher := weigher_of(way), weigher.best(), way, said) for way, said in alternatives(project)]
    runnable = [(one[1].order, number) for number, one in enumerate(weighed) if one[1] is not None]
    weigher, best, way, said = weighed[min(runnable)[1] if runnable else 0]
    taken = {one.origin.file for one in (*weigher.asks.torch, *weigher.asks.packages)}
    said = [one for one in said if one.params["file"] in taken]  # without a card none of the lists may be
    if best and not best.torch:
        pinned, told = _with_recipe(way, weigher, best)
        with_pins = weigher_of(pinned) if told else weigher
        again = with_pins.best() if told else None
        if again and not again.torch and (again.candidate == best.candidate or not weigher.asks.torch_any):
            weigher, best, way, said = with_pins, again, pinned, [*said, *told]
    settled, told = with_branches(way, best.candidate) if best else (way, [])
    if best and settled is not way:
        weigher = weigher_of(settled)
        best, said = weigher.weigh(best.candidate, best.python), [*said, *told]
    weigher.remarks += said
    return weigher, best


def _with_recipe(way: Project, weigher: BuildWeigher, best: Weighed) -> tuple[Project, list[Message]]:
    """Return the project with what a recipe of its own has: the pins beside the torch that is taken from it, or its
    torch, which keeps pins of the lists."""
    if weigher.asks.torch_any:
        return with_pins_of(way, _recommending(weigher.asks, best).file)
    if (found := torch_of_installer(weigher, best)) is None:
        return way, []
    one, kept = found
    at, place = one.origin, kept.origins[0]
    said = message(
        "project.remark.installer-torch",
        "{file}, line {line}, installs torch {torch}, and that is taken: {why}, and {other_file}, line {other_line}, "
        "asks for {other}.",
        file=at.file,
        line=at.line,
        torch=one.specifier.strip("="),
        why=kept.why,
        other_file=place.file,
        other_line=place.line,
        other=f"{kept.name}{kept.asked}",
    )
    taken = Statement(TORCH, one.specifier, at)  # its CUDA stays what it was, recommended
    return replace(way, statements=(*way.statements, taken)), [said]


def _recommending(asks: Understood, best: Weighed) -> FileLine:
    """Return the line whose torch is taken, of those that only recommend one."""
    return next((one for one in asks.torch if meets(one.specifier, best.candidate.torch)), asks.torch[0]).origin


def _rest(weigher: BuildWeigher, best: Weighed) -> Iterator[Statement]:
    """The other packages that are meant for this system and Python, each by the first line that is."""
    here = [one for one in weigher.asks.packages if marker_holds(one.marker, weigher.machine.os, best.python)]
    first = {one.name: one for one in reversed(here)}
    return (first[one.name] for one in weigher.asks.rest if one.name in first)


def _choosing(weigher: BuildWeigher, best: Weighed) -> list[str]:
    """What is made for one torch and on the index: a setup asks which torch its newest release needs."""
    if weigher.choices.torch or len(weigher.asked_releases) < 2:
        return []
    without = {one.name for one in left_out(weigher.asks, best, weigher.machine)}
    here = weigher.machine.os
    natives = natives_here(weigher.asks, here, best.python)
    natives = [native for native in natives if is_planned(native) and native.name not in without]
    natives = [native for native in natives if not is_pinned(native, weigher.asks, best.candidate.torch)]
    rows = ((native.name, companion(native.name)) for native in natives)
    return [name for name, row in rows if row and row.follows and row.wheels in LISTED and here not in row.lacks]


def _relaxed(weigher: BuildWeigher, best: Weighed) -> Iterator[Relaxed]:
    asks, candidate = weigher.asks, best.candidate
    if best.torch:
        why, lines = why_not_torch(weigher, best), of_python(weigher, asks.torch, best.python)
        yield Relaxed(TORCH, asked_words(lines), candidate.torch, why, lines_of(lines))
    yield from relaxed_python(weigher, best)
    yield from _relaxed_cuda(weigher, best)
    yield from relaxed_pairs(weigher, best)
    yield from relaxed_numpy(weigher, best)
    yield from relaxed_needs(weigher, best)
    natives = list(relaxed_natives(weigher, best))
    yield from natives
    yield from relaxed_beside(weigher, best, [one.name for one in natives])


def _relaxed_cuda(weigher: BuildWeigher, best: Weighed) -> Iterator[Relaxed]:
    tags, given = weigher.asks.tags, best.candidate.variant
    firm = [tag.tag for tag in tags if not tag.told]
    if not firm or any(has_tag(one, given) for one in firm):
        return
    tag = next((one for one in firm if one != CPU), firm[0])
    tags = tuple(one for one in tags if tag == CPU or one.tag != CPU)  # that is for other computers
    asked = ", ".join(one.tag for one in tags)
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
        if one.torch == best.candidate.torch and has_tag(tag, one.variant) and given != CPU:
            why = why_not_build(weigher, one, best)
    yield Relaxed(CUDA, asked, given, why, tuple(one.origin for one in tags))


def _said_of_torch(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    asks, candidate = weigher.asks, best.candidate
    implied = [one for one in asks.implied if one.name == TORCH and meets(one.specifier, candidate.torch)]
    if not asks.names_torch and implied and not weigher.is_newest(best):
        yield implied_words(weigher, implied, candidate.torch)
    elif not (asks.names_torch or asks.torch or implied):
        pinned = any(one.specifier for lines in asks.pairs.values() for one in lines)
        yield from () if pinned else [message("project.remark.undeclared")]
        yield from why_not_commented(weigher)
    for one in asks.torch:
        if one.url and not fits_here(one.url, weigher.machine.os, best.python):
            at = one.origin
            yield message("project.remark.linked-elsewhere", file=at.file, line=at.line, torch=candidate.torch)
    yield from contradictions(asks, weigher.machine.os, best.python)
    yield from made_apart(weigher, best)
    yield from unmet_bounds(weigher, best)
    if choosing := _choosing(weigher, best):
        yield message("project.remark.chooses-torch", packages=cut_between(choosing))
    if (asks.names_torch or not implied) and (held := weigher.held_back(best)):
        newest, at = held
        yield message(
            "project.remark.held-back",
            torch=candidate.torch,
            newest=newest,
            file=at.file,
            line=at.line,
            text=at.text,
        )
    yield from _recommended(weigher, best)


def _recommended(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Name the line that only recommends the torch that is taken, and the others."""
    asks, candidate = weigher.asks, best.candidate
    place = _recommending(asks, best) if asks.torch_any else None
    declared = {one.origin for one in asks.torch if one.strength == DECLARED}  # as what goes with one torch implies it
    if place and place not in declared | {one.origin for one in asks.of_code}:
        yield recommended_words(asks, place)
    told = [one for one in (asks.torch if asks.torch_any else asks.told) if one.name == TORCH and one.specifier]
    if not asks.torch_any:  # a pin within what is declared that runs here, too; one against it is a contradiction
        told = [one for one in told if all(can_meet(each.specifier, one.specifier) for each in asks.torch)]
        told = [
            one for one in told if runs_here(weigher, {each for each in weigher.releases if meets(one.specifier, each)})
        ]
    others = {one.specifier: f"{one} ({one.origin})" for one in told if not meets(one.specifier, candidate.torch)}
    if others and not best.torch:
        words = cut_between([*others.values()])
        yield message("project.remark.recommended-others", torch=candidate.torch, others=words)


def _remarks(weigher: BuildWeigher, best: Weighed, moved: Collection[str]) -> Iterator[Message]:
    asks, candidate = weigher.asks, best.candidate
    yield from _said_of_torch(weigher, best)
    for tag in asks.tags:
        place = tag.origin
        if tag.tag == CPU and len(asks.tags) == 1 and not tag.told:
            yield message("project.remark.cpu-asked", file=place.file, line=place.line)
        elif not tag.tag.startswith(("cu", "cpu")):
            given = {"torch": candidate.torch, "variant": candidate.variant}
            yield message("project.remark.other-maker", tag=tag.tag, file=place.file, line=place.line, **given)
    yield from card_words(asks) if best.torch else ()
    yield from without_card(weigher, best)
    yield from cuda_words(asks, candidate, weigher.verdict.candidates)
    yield from override_words(asks)
    yield from lock_words(weigher, best)
    yield from left_python(weigher, best)
    yield from holding_python(weigher, best)
    yield from code_words(weigher, best)
    yield from demand_words(weigher, best)
    yield from lacking_wheels(asks, weigher.machine.os, best.python, moved)
    natives = natives_here(asks, weigher.machine.os, best.python)
    states = {native.name: native_state(native, best, weigher.machine) for native in natives}
    for native in natives:
        yield from said_of(native, states[native.name], weigher, best)
    yield from needed_unnamed(weigher, best, {one.name for each in asks.native for one in each.statements})
    planned = [native for native in natives if is_planned(native)]
    yield from on_pages((one for one in planned if states[one.name] == "ready"), candidate)
    usable = (one for one in natives if states[one.name] in ("ready", "compiler", "newer"))
    yield from pages_of_another(asks, usable, candidate, best.python)
    needed = {one.group for one in asks.needing}  # by programs, and installed by a README alone
    wanted = (one for one in natives if one in planned or one.name in needed)
    built = (one for one in wanted if states[one.name] in ("compiler", "no-wheel"))
    yield from by_nvcc(built, candidate, weigher.machine, weigher.matrix)
    yield from lacking_parts(asks, candidate)
    if candidate.variant == CPU:
        yield from own_without_card(asks)
    yield from from_elsewhere(asks)
    yield from beside_code(asks, candidate.torch)
    yield from of_the_system(asks, weigher.machine.os, best.python, candidate.torch)
    yield from after_install(asks, weigher.machine.os, best.python)
    yield from from_own_index(asks, weigher.machine.os, best.python)
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
