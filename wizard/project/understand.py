"""What a project asks of torch, Python, CUDA and the system, apart from the rest. Pure; for one kind of computer.

Files for other computers are left out, unless only they say anything of torch. What a README recommends counts where no
file declares it. One file: every reading of a line is one decision about what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wizard.compatibility.data.ordering import CPU, version_key
from wizard.model.messages import Message, Param, in_each, message
from wizard.project.file_choice import (
    exported_elsewhere,
    exports,
    for_this_computer,
    for_this_generation,
    is_developing,
    is_of_generation,
    is_rest,
    stale_locks,
    without,
)
from wizard.project.formats.conda_words import of_conda_here
from wizard.project.formats.systems import OTHER_BRANCH, PROGRAMS, SHELL, WSL, of_this_system, of_unix
from wizard.project.model import (
    CODE,
    DECLARED,
    DEMANDS,
    FOR_CARDS,
    LOCKED,
    MADE_FOR,
    NEEDING,
    PAIRS,
    PYTHON,
    RECOMMENDED,
    TORCH,
    UNIX,
    WAY_ROUND,
    WITH_CODE,
    AddressLine,
    FileLine,
    Project,
    Statement,
    cut_between,
    fit_to_show,
    is_commented,
    is_elsewhere,
    is_recipe,
    is_run,
)
from wizard.project.own_list import with_own_list
from wizard.project.packages.companions import Native, companion, natives_of, needed_pairs
from wizard.project.packages.cuda_tags import NIGHTLY, CudaTag, is_for, tags_of
from wizard.project.packages.implied import bounds_of_lists, implied_by
from wizard.project.readme.cards import other_cards
from wizard.project.search.environments import OF_TORCH
from wizard.project.versions import can_meet, meets

_MOST_KEPT = 64  # lines for torch that are held against each other
_PIN = re.compile(r"={2,3}\d[^,]*")


@dataclass(frozen=True, slots=True)
class Understood:
    """`torch`, `python`: all must hold, or any of them where `torch_any` (a README's alternatives)."""

    torch: tuple[Statement, ...]
    torch_any: bool
    python: tuple[Statement, ...]
    pairs: Mapping[str, tuple[Statement, ...]]  # torchvision, torchaudio, where they are asked for
    numpy: tuple[Statement, ...]
    implied: tuple[Statement, ...]  # torch, as wheels' names and pages by torch imply it
    locked: tuple[Statement, ...]  # torch's and Python's of locks, and the Python that a README works with
    lock_pins: tuple[Statement, ...]  # of other packages, in locks that today's lines do not refuse
    tags: tuple[CudaTag, ...]
    native: tuple[Native, ...]
    rest: tuple[Statement, ...]  # each name once, by its first line
    packages: tuple[Statement, ...]  # every line of the rest
    constraints: tuple[Statement, ...]  # what a version must be where something else brings the package
    of_code: tuple[Statement, ...]  # what programs use and newer releases lack, where no line asks for such a one
    outgrown: tuple[Statement, ...]  # what programs use and no torch has that lines ask for
    told: tuple[Statement, ...]  # what commands of a README or a script name
    beside_code: tuple[Statement, ...]  # what programs use that needs another package beside newer releases
    ways_round: tuple[Statement, ...]  # sentences on what to do without a package
    needing: tuple[Statement, ...]  # the programs that import a package at their top
    demands: tuple[Statement, ...]  # what the programs ask for in their code
    card_unused: bool  # by any of its programs, as far as they say
    changed: str  # the day of the last change; "": nobody knows
    for_cards: tuple[Statement, ...]  # the torch that a README names for cards such as the one here
    sources: tuple[AddressLine, ...]
    names_torch: bool
    in_chinese: Mapping[FileLine, FileLine]  # what a README says in words, in its translation
    remarks: tuple[Message, ...]
    glibc: str = ""  # of the computer, where it is known

    @property
    def overrides(self) -> tuple[Statement, ...]:
        """Return what counts in place of what packages themselves ask for; what goes with one torch is that torch's."""
        own = (one for one in self.constraints if one.override and not one.url)
        return tuple(one for one in own if not ((row := companion(one.name)) and row.follows))

    def without_pairs_of(self, file: str) -> Understood:
        """Return it without what a file pins of torchvision and torchaudio, whose own torch does not count."""
        pairs: dict[str, tuple[Statement, ...]] = {}
        for name, lines in self.pairs.items():
            kept = tuple(one for one in lines if one.origin.file != file or "==" not in one.specifier)
            pairs[name] = kept or tuple(replace(one, specifier="") for one in lines[:1])
        return replace(self, pairs=pairs)

    def is_for_the_card(self, torch: str) -> bool:
        """Return whether a README names that release for cards such as the one here; so is any where none does."""
        return not self.for_cards or any(meets(one.specifier, torch) for one in self.for_cards)

    def quoted(self, at: FileLine) -> dict[str, Param]:
        """Return the blanks for a line of a README: to whom reads Chinese its translation, where there is one."""
        other = self.in_chinese.get(at, at)
        pairs = (("file", at.file, other.file), ("line", at.line, other.line), ("text", at.text, other.text))
        return {name: mine if mine == its else in_each(en=str(mine), zh_CN=str(its)) for name, mine, its in pairs}

    def way_to(self, torch: str) -> int:
        """Return where that release is recommended: 0 a text for people, 1 a file that is run, 2 a comment."""
        met = (one.origin for one in self.torch if self.torch_any and meets(one.specifier, torch))
        return min((2 if is_commented(at) else int(is_run(at.file)) for at in met), default=0)


def understand(project: Project, os: str, has_card: bool, capability: str = "") -> Understood:
    """`os`: linux or windows; `has_card`: an NVIDIA card that some build runs on, of that compute capability."""
    project, others = for_this_generation(project, capability)
    project, own = with_own_list(project, os, has_card)
    fitting, remarks = for_this_computer(project, os, has_card)
    fitting, extras = _one_extra(fitting)
    statements = [*fitting.statements, *needed_pairs(fitting.statements, PAIRS)]
    of_code = tuple(_of_code(statements, os, has_card))
    needs = [replace(one, name=one.group, group="constraint", extras=()) for one in of_code]
    statements += [replace(one, strength=DECLARED) for one in needs if one.name == "numpy"]
    statements += bounds_of_lists(statements)
    torch, torch_any = _torch(statements)
    counting = replace(fitting, statements=tuple(_counting_first(statements)))
    implied = tuple(implied_by(counting, os, has_card, capability))
    rest = list(_linked([one for one in statements if is_rest(one)], statements, os))
    asking = [one for one in statements if one.name == TORCH and one.strength != LOCKED]
    # Any torch of a Dockerfile, beside lists that have none, is what its image needs.
    names_torch = any(one.specifier or one.strength == DECLARED or not is_recipe(one.origin.file) for one in asking)
    names_torch |= bool(asking) and all(is_recipe(one.origin.file) for one in rest)
    locked = [one for one in statements if one.strength == LOCKED and one.name in (TORCH, PYTHON) and not one.group]
    stale, old = stale_locks(statements)
    locked = [one for one in locked if one.origin.file not in stale and is_for(one, os)]
    # A comment is a hint where nothing else says it.
    told = [
        one for one in of_conda_here(project.remarks, os) if not (names_torch and one.key == "project.remark.commented")
    ]
    others_only = {str(one.params["file"]) for one in remarks if one.key.endswith((".not-for-this", ".list-for-cpu"))}
    here = tuple(one for one in _counting_first(without(project, others_only).statements) if not is_elsewhere(one))
    told = [one for one in told if one.key != "project.remark.other-lists" or one.params["file"] not in others_only]
    in_words = [one for one in told if one.key == "project.remark.in-words"]
    is_open = all(re.fullmatch(r">=?[^,]+", one.specifier) for one in torch)
    is_open = is_open and not any(one.name == TORCH for one in locked)
    told = [one for one in told if one not in in_words[is_open:]]  # one of them, where no line asks for one release
    asked = [source.origin for source in fitting.sources if NIGHTLY.search(source.url)]
    nightly = [message("project.remark.nightly", file=place.file, line=place.line) for place in asked[:1]]
    return Understood(
        torch=torch,
        torch_any=torch_any,
        python=(*_python(statements, torch_any), *(one for one in needs if one.name == PYTHON and not one.build)),
        pairs={name: found for name in PAIRS if (found := _counting(counting.statements, name, os))},
        numpy=tuple(one for one in _counting(counting.statements, "numpy", os) if one.specifier),
        implied=implied,
        locked=(*locked, *_working_pythons(statements, locked)),
        lock_pins=tuple(_lock_pins(statements, stale, os)),
        tags=tuple(_meant(_tags(fitting, os, torch, torch_any), project.card_unused)),
        native=tuple(natives_of(replace(project, statements=here))),
        rest=tuple({one.name: one for one in reversed(rest)}.values())[::-1],
        packages=tuple(rest),
        constraints=tuple(one for one in statements if is_rest(replace(one, group="")) and one.group == "constraint"),
        of_code=of_code,
        outgrown=tuple(_outgrown(statements, of_code, os)),
        told=tuple(one for one in statements if one.strength == RECOMMENDED and not one.group),
        beside_code=tuple(one for one in statements if one.name == WITH_CODE),
        ways_round=tuple(one for one in statements if one.name == WAY_ROUND),
        needing=tuple(one for one in statements if one.name == NEEDING),
        demands=tuple(one for one in statements if one.name in DEMANDS),
        card_unused=project.card_unused,
        changed=project.changed,
        for_cards=tuple(one for one in statements if one.name == FOR_CARDS and is_of_generation(capability, one.group)),
        sources=fitting.sources,
        names_torch=names_torch,
        in_chinese=project.in_chinese,
        remarks=(
            *told,
            *others,
            *own,
            *remarks,
            *nightly,
            *old,
            *extras,
            *of_conda_here(exports(statements), os),
            *_elsewhere(statements, os),
            *other_cards(statements, has_card, capability),
            *exported_elsewhere(statements, os),
        ),
    )


def _tags(project: Project, os: str, torch: Sequence[Statement], torch_any: bool) -> list[CudaTag]:
    counting = project if torch_any else _without_lost(project, torch)
    return list(tags_of(counting, os, {one.origin for one in torch}))


def _meant(tags: list[CudaTag], card_unused: bool) -> list[CudaTag]:
    """Return the tags; the build for the processor that a README installs counts where no program names a card."""
    is_meant = card_unused and {one.tag for one in tags} == {CPU}
    return [replace(one, firm=True, told=False) for one in tags] if is_meant else tags


def _without_lost(project: Project, torch: Sequence[Statement]) -> Project:
    """Return the project without the lines for torch that stand against an earlier one, and without their files where
    none of these counts: a line that is set aside must not choose the CUDA, either."""
    firsts = {*{one.origin.file: one for one in reversed(torch)}.values()}
    kept: dict[str, None] = {}
    lost: set[Statement] = set()
    for one in [one for one in torch if one in firsts or one.local or one.build][:_MOST_KEPT]:
        if not one.marker and any(not can_meet(each, one.specifier) for each in kept):
            lost.add(one)
        else:
            kept.setdefault(one.specifier)
    counting = {one.origin.file for one in firsts if one not in lost}
    left = without(project, {one.origin.file for one in lost} - counting)
    return replace(left, statements=tuple(one for one in left.statements if one not in lost))


def _of_code(statements: list[Statement], os: str, has_card: bool) -> Iterator[Statement]:
    """Yield what programs use of older releases; where a line has a newer one, its authors run them with that. What a
    line leaves open is new enough for the rest."""
    for one in statements:
        lines = (each for each in statements if one.name == CODE and each.name == one.group and each.specifier)
        is_code = (
            one.name == CODE and not one.specifier.startswith(">=") and is_for(one, os) and has_card >= one.for_card
        )
        if is_code and all(can_meet(each.specifier, one.specifier) for each in lines):
            yield one


def _outgrown(statements: list[Statement], of_code: Collection[Statement], os: str) -> Iterator[Statement]:
    """Yield what programs use by name and no torch has that the lines ask for; options and compiled code are none."""
    named = (one for one in statements if one.name == CODE and one.group == TORCH and len(one.extras) == 1)
    return (one for one in named if not one.local and one not in of_code and is_for(one, os))


def _lock_pins(statements: list[Statement], stale: Collection[str], os: str) -> Iterator[Statement]:
    of_locks = (one for one in statements if one.strength == LOCKED and one.name not in (TORCH, PYTHON))
    return (one for one in of_locks if one.specifier and one.origin.file not in stale and is_for(one, os))


def _linked(packages: list[Statement], statements: list[Statement], os: str) -> Iterator[Statement]:
    """Yield the packages with the address that another line gives for them, as uv's sources do."""
    elsewhere = (one for one in statements if one.group == "constraint" and one.url and is_for(one, os))
    urls = {one.name: one.url for one in elsewhere}
    return (replace(one, url=one.url or urls.get(one.name, "")) for one in packages)


def _counting_first(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Leave out what stands against an earlier line of its package; of torch and Python the weigher tells that."""
    kept: dict[str, list[Statement]] = {}
    for one in statements:
        is_firm = one.strength == DECLARED and not one.group and not one.marker and one.name not in (TORCH, PYTHON)
        if is_firm and not all(can_meet(each.specifier, one.specifier) for each in kept.get(one.name, [])):
            continue
        if is_firm:
            kept.setdefault(one.name, []).append(one)
        yield one


def pair_meets(specifier: str, given: str) -> bool:
    """A pin of another patch of the same release is met: they are made for the same torch."""
    numbers = given.split(".")[:2]
    return meets(specifier, given) or any(meets(specifier, ".".join([*numbers, str(patch)])) for patch in range(4))


def _torch(statements: list[Statement]) -> tuple[tuple[Statement, ...], bool]:
    """The declared ones; else those of groups; else, where no version is declared, what is recommended."""
    found = [one for one in statements if one.name == TORCH and one.group != "imported"]
    declared = [one for one in found if one.strength == DECLARED and one.specifier]
    if any(one.strength == DECLARED and not one.group for one in found):  # what only its authors need binds nobody
        declared = [one for one in declared if not is_developing(one.group)]
    if firm := [one for one in declared if one.group in ("", "constraint")] or _of_one_extra(declared):
        return tuple(firm), False
    recommended = tuple(one for one in found if one.strength == RECOMMENDED and one.specifier)
    recommended = tuple(one for one in recommended if not NIGHTLY.search(one.specifier))
    return recommended, bool(recommended)


def _of_one_extra(declared: list[Statement]) -> list[Statement]:
    """Extras whose lines no version meets together are alternatives: the one that asks for the newest."""
    if all(can_meet(one.specifier, other.specifier) for one in declared for other in declared):
        return declared
    newest = max(declared, key=lambda one: version_key(one.specifier))
    return [one for one in declared if one.group == newest.group]


def _one_extra(project: Project) -> tuple[Project, list[Message]]:
    """Leave out extras that stand against the one whose torch counts, with all that they say of its pair and CUDA."""
    torch, is_told = _torch(list(project.statements))
    of_extras = [one for one in project.statements if one.group not in ("", "constraint") and one.name == TORCH]
    rest = [one for one in of_extras if one.specifier and one not in torch and not is_developing(one.group)]
    others = {one.group: f"{one.group} ({one})" for one in rest if one.strength == DECLARED}
    if is_told or not torch or not all(one in of_extras for one in torch):
        return project, []
    place, words = torch[0].origin, cut_between([*others.values()])
    where: dict[str, str | int] = {"file": place.file, "line": place.line}
    if not others:
        extras = ", ".join(dict.fromkeys(one.group for one in torch))
        return project, [message("project.remark.in-extras", **where, extras=extras)]
    said = message("project.remark.other-extras", **where, chosen=torch[0].group, others=words)
    left = (one for one in project.statements if one.group not in others)
    taken = (replace(one, group="") if one.group == torch[0].group else one for one in left)
    return replace(project, statements=tuple(taken)), [said]


def _python(statements: list[Statement], recommended_torch: bool) -> tuple[Statement, ...]:
    found = [one for one in statements if one.name == PYTHON and one.specifier]
    recommended = tuple(one for one in found if one.strength == RECOMMENDED)
    declared = [one for one in found if one.strength == DECLARED]
    # That of a feature, group or extra is for another environment where the project has one of its own.
    return tuple([one for one in declared if one.group in ("", "constraint")] or declared) or recommended[:1]


def _working_pythons(statements: list[Statement], locked: list[Statement]) -> list[Statement]:
    """Return the Pythons that a README or a Dockerfile has, where what is declared leaves it open."""
    found = [one for one in statements if one.name == PYTHON and one.strength == RECOMMENDED and one.specifier]
    return [] if any(one.name == PYTHON for one in locked) else found[:1]


def _counting(statements: Sequence[Statement], name: str, os: str) -> tuple[Statement, ...]:
    found = [one for one in statements if one.name == name and one.strength != LOCKED and is_for(one, os)]
    default = [one for one in found if one.strength == DECLARED and one.group in ("", "constraint")]
    left = [one for one in found if one.group != "imported"]
    if any(one.name == TORCH and one.strength == DECLARED and one.specifier and not one.group for one in statements):
        # What is recommended goes with the torch that is recommended, which does not count.
        left = [replace(one, specifier="") if one.strength == RECOMMENDED else one for one in left]
    return tuple(default or left)


def _elsewhere(statements: list[Statement], os: str) -> Iterator[Message]:
    torch = [one for one in statements if one.name == TORCH and one.strength != LOCKED]
    if torch and not any(is_for(one, os) for one in torch):
        at = torch[0].origin
        yield message("project.remark.torch-elsewhere", file=at.file, line=at.line, text=at.text)
    for one in statements:
        if one.name in (OTHER_BRANCH, PROGRAMS) and is_for(one, os):
            yield from of_this_system(one, os)
        if one.name == UNIX and is_for(one, os):
            yield from of_unix(one)
        if one.name == MADE_FOR and not is_for(one, os):
            place = one.origin
            where: dict[str, str | int] = {"file": place.file, "line": place.line, "text": place.text}
            if one.strength == RECOMMENDED and one.group == SHELL:
                yield message(
                    "project.remark.shell-step",
                    "{file}, line {line} runs a script of Linux's shell (“{text}”), and nothing of the project names "
                    "Windows: that step does not run here as it stands. Use WSL, or do by hand what the script does.",
                    **where,
                )
                continue
            if one.strength == RECOMMENDED:
                yield message(f"project.remark.named-{'wsl' if one.group == WSL else 'systems'}", **where)
                continue
            yield message(
                "project.remark.lock-elsewhere", file=place.file, line=place.line, marker=fit_to_show(one.marker)
            )


def with_known_torch(project: Project, releases: Collection[str]) -> Project:
    """Return the project without pins of torch of which the tables have no release nor a patch of it, where another
    file pins one that they have: that one counts, with its pair."""
    known = {version_key(one)[:2] for one in releases}
    newest = max(known, default=())
    pins = [one for one in project.statements if one.name == TORCH and _PIN.fullmatch(one.specifier)]
    pins = [one for one in pins if one.strength != LOCKED and one.group in ("", "constraint")]
    unknown = [one for one in pins if one.strength == DECLARED and version_key(one.specifier)[:2] not in known]
    unknown = [one for one in unknown if version_key(one.specifier)[:2] < newest]
    left = {one.origin.file for one in unknown}
    others = [one for one in pins if version_key(one.specifier)[:2] in known and one.origin.file not in left]
    first = next((one for one in pins if one.strength == DECLARED), None)
    if not others or first not in unknown:  # one that is known and comes first counts anyway
        return project
    other = min(others, key=lambda one: one.strength != DECLARED)
    kept = (one for one in project.statements if not (one.name in OF_TORCH and one.origin.file in left))
    taken = (_counting_of(one, other.origin.file) for one in kept)
    place, at = unknown[0].origin, other.origin
    where: dict[str, str | int] = {"file": place.file, "line": place.line, "other_file": at.file, "other_line": at.line}
    said = message("project.remark.unknown-torch", **where, one=str(unknown[0]), other=str(other))
    return replace(project, statements=tuple(taken), remarks=(*project.remarks, said))


def _counting_of(one: Statement, file: str) -> Statement:
    is_its = one.origin.file == file and one.name in OF_TORCH and not one.group
    return replace(one, strength=DECLARED) if is_its and one.strength != LOCKED else one
