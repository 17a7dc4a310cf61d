"""Which list of a project counts where one has a name of its own for this system, or for cards such as these, and
which of several that have another CUDA each; and what a recipe whose torch is taken pins beside it.

Pure; by the words of the files' names, as in `file_choice`, and by what the lists say.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from wizard.model.messages import Message, message
from wizard.project.file_choice import (
    CUDA_IN_NAME,
    LIST_FILE,
    SYSTEM_WORDS,
    WITHOUT_CARD,
    is_rest,
    names_a_computer,
    names_card,
    purpose_of,
    says,
    without,
    words_of,
)
from wizard.project.model import (
    CODE,
    DECLARED,
    PAIRS,
    PYTHON,
    RECOMMENDED,
    TORCH,
    Project,
    Statement,
    cut_between,
    is_recipe,
)
from wizard.project.versions import can_meet

_FEWEST = 4  # packages that a list which stands for another one has of it
_MOST_OF_IT = 0.75  # of its packages
_CARDS = r"nvidia|cuda|gpu"
_PIN = re.compile(r"={2,3}\d[^,]*")
_MAIN_OF_CONDA = re.compile(r"(?:^|/)(?:conda|env|environment)\.ya?ml$", re.IGNORECASE)
_LISTS = (".txt", ".in", ".yml", ".yaml")
_CUDA_BUILD = re.compile(r"(?:^|/)(cu\d{2,3})(?=/|$)")  # a local version, or a part of an address


def alternatives(project: Project) -> list[tuple[Project, list[Message]]]:
    """Return the project once for each CUDA that lists have in their names (`requirements-cu121.txt`,
    `environment-cuda12_1.yml`) or, where their names mean cards, in their torch, or for each of conda's environments
    that are whole ones, without the others, which is said; one alone where there are no such lists. A list that names
    no torch where another one does is none of them."""
    spoken = {file: says([one for one in project.statements if one.origin.file == file]) for file in project.files}
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for file in project.files:
        folder, _, name = file.rpartition("/")
        tags = list(CUDA_IN_NAME.finditer(name.lower()))
        if len(tags) == 1 and name.endswith(_LISTS):
            rest = re.sub(r"[^a-z0-9]+", " ", CUDA_IN_NAME.sub(" ", name.lower()).rpartition(".")[0]).strip()
            found.setdefault((folder, rest), {}).setdefault("".join(filter(None, tags[0].groups())), []).append(file)
    asked = [ways for ways in found.values() if any(spoken[file] == 2 for files in ways.values() for file in files)]
    builds = [*_of_builds(project, spoken)]
    several = max([*asked, *builds, *_environments(project, spoken)], key=len, default={})
    if len(several) < 2:
        return [(project, [])]
    most = max(spoken[file] for files in several.values() for file in files)
    ways = []
    for tag, files in several.items():
        left = [file for each, those in several.items() if each != tag for file in those]
        said = message("project.remark.other-lists", file=files[0], files=", ".join(left))
        if max(spoken[file] for file in files) == most:
            way, told = without(project, set(left)), _told_builds(project, left if several in builds else [])
            ways.append(
                (
                    replace(way, statements=(*way.statements, *told)),
                    [*([] if told else [said]), *_brought_in(project, left, files[0])],
                )
            )
    return ways


def _of_builds(project: Project, spoken: dict[str, int]) -> Iterator[dict[str, list[str]]]:
    """Yield the lists of one folder for NVIDIA's cards that each ask for torch with one CUDA, by that."""
    folders: dict[str, dict[str, list[str]]] = {}
    for file in project.files:
        words = [one.local for one in project.statements if one.origin.file == file and one.name == TORCH]
        words += [one.url for one in project.sources if one.origin.file == file]
        tags = {match[1] for each in words for match in _CUDA_BUILD.finditer(each)}
        if len(tags) == 1 and spoken[file] and file.endswith(_LISTS) and names_card(file, "nvidia"):
            folders.setdefault(file.rpartition("/")[0], {}).setdefault(tags.pop(), []).append(file)
    yield from folders.values()


def _brought_in(project: Project, left: Collection[str], taken: str) -> Iterator[Message]:
    """Say by which line of another list one that is not taken comes in: what installs by that one gets another CUDA."""
    lines = [(file, project.included[file]) for file in left if file in project.included]
    for file, by in [(file, by) for file, by in lines if LIST_FILE.fullmatch(by.file)][:1]:
        yield message("project.remark.list-instead", file=taken, left=file, by=by.file, line=by.line)


def _told_builds(project: Project, left: Collection[str]) -> list[Statement]:
    """Return what lists that are not taken ask of torch's CUDA, which the answer names beside its own."""
    lines = (one for one in project.statements if one.origin.file in left and one.name == TORCH and one.local)
    return [replace(one, group="not taken") for one in lines]


def _environments(project: Project, spoken: dict[str, int]) -> Iterator[dict[str, list[str]]]:
    """Yield conda's files of one folder that each ask for a Python and a torch: conda makes one environment of each."""
    with_python = {one.origin.file for one in project.statements if one.name == PYTHON and one.strength == DECLARED}
    folders: dict[str, dict[str, list[str]]] = {}
    for file in sorted(project.files, key=lambda file: not _MAIN_OF_CONDA.search(file)):
        folder, _, name = file.rpartition("/")
        is_whole = name.endswith((".yml", ".yaml")) and file in with_python and spoken[file] == 2
        if is_whole and not names_a_computer(name) and not purpose_of(file):
            folders.setdefault(folder, {})[file] = [file]
    yield from folders.values()


def with_own_list(project: Project, os: str, has_card: bool) -> tuple[Project, list[Message]]:
    """Return the project without the list for all computers where the one for this system, or for cards such as its
    own, asks for another torch; else without those of its lines of which the own list has one for the same package."""
    if not has_card and (names := [one.group for one in project.statements if one.group.startswith(WITHOUT_CARD)]):
        project = _of_no_card(project, names[0])
    for own, other in list(_beside(project, os, has_card)):
        pins, its = _pins(project, own), _pins(project, other)
        if "colab" in words_of(own.rpartition("/")[2]):
            if says(_lines(project, other)) >= says(_lines(project, own)):  # which is for that host alone
                return without(project, {own}), [message("project.remark.other-lists", file=other, files=own)]
        elif pins and its and pins.isdisjoint(its):
            return without(project, {other}), [message("project.remark.other-lists", file=own, files=other)]
        elif project != (left := _with_own_lines(project, own, other)):
            return left, [message("project.remark.own-lines", file=own, other=other)]
    return project, []


def _beside(project: Project, os: str, has_card: bool) -> Iterator[tuple[str, str]]:
    """Yield each list for this system or these cards with the one of the same name that is for all."""
    kinds = {**SYSTEM_WORDS, "nvidia": _CARDS}
    mine = {os, "nvidia"} if has_card else {os}
    files = {one.origin.file: None for one in project.statements if one.strength == DECLARED}
    for own in files:
        folder, _, name = own.rpartition("/")
        words = words_of(name)
        named = {kind for kind, pattern in kinds.items() if any(re.fullmatch(pattern, word) for word in words)}
        rest = {word for word in words if not any(re.fullmatch(kinds[kind], word) for kind in mine & named)}
        for other in files if named and named <= mine else ():
            if other.rpartition("/")[0] == folder and words_of(other.rpartition("/")[2]) == rest:
                yield own, other


def _stands_for(project: Project, own: str, other: str) -> bool:
    """Return whether a list for this system has most of what the one for all has, and neither brings in the other: what
    it leaves open it leaves so on purpose, and a pin of the other may not go with its own."""
    names, its = ({one.name for one in _lines(project, file)} for file in (own, other))
    is_apart = not any(file in project.included for file in (own, other))
    return is_apart and len(names & its) >= max(_FEWEST, _MOST_OF_IT * len(its))


def _with_own_lines(project: Project, own: str, other: str) -> Project:
    """Leave out the lines for all computers that no release meets together with this system's for the same package;
    where its list stands for the whole one, all for packages that it has."""
    asked: dict[str, list[Statement]] = {}
    for one in _lines(project, own):
        asked.setdefault(one.name, []).append(one)
    is_whole = _stands_for(project, own, other)

    def is_lost(one: Statement) -> bool:
        is_its = one.origin.file == other and one.strength == DECLARED and not one.group
        its = asked.get(one.name, []) if is_its else []
        is_replaced = is_whole and one.name not in (TORCH, *PAIRS)  # a pin of these is of the whole project
        return any(is_replaced or not can_meet(one.specifier, each.specifier) for each in its)

    kept = tuple(one for one in project.statements if not is_lost(one))
    return replace(project, statements=kept) if len(kept) < len(project.statements) else project


def _lines(project: Project, file: str) -> list[Statement]:
    return [one for one in project.statements if one.origin.file == file]


def _pins(project: Project, file: str) -> set[tuple[str, str, str]]:
    """Return what a list asks of torch where it names a version."""
    of_torch = (one for one in _lines(project, file) if one.name == TORCH and says([one]) == 2)
    return {(one.specifier, one.build, one.local) for one in of_torch}


def _of_no_card(project: Project, group: str) -> Project:
    """Return the project with the environment for computers without a card instead of the default one."""
    kept = (one for one in project.statements if one.origin not in project.card_lines)
    taken = tuple(replace(one, group="") if one.group == group else one for one in kept)
    name, remarks = group.removeprefix(WITHOUT_CARD), list(project.remarks)
    for at, one in enumerate(remarks):
        if one.key == "project.remark.environments":
            others = str(one.params["others"]).replace(name, str(one.params["chosen"]))
            remarks[at] = message("project.remark.environments", **{**one.params, "chosen": name, "others": others})
    return replace(project, statements=taken, remarks=tuple(remarks))


def with_pins_of(project: Project, file: str) -> tuple[Project, list[Message]]:
    """Return the project with what a recipe, whose torch is taken, pins of packages that the lists leave open: they are
    what its makers ran that torch with, and the newest of today may refuse it."""
    lines = [one for one in project.statements if one.strength == DECLARED and not one.group]
    bound = {one.name for one in lines if one.specifier or one.url}
    is_open = {one.name for one in lines if is_rest(one)} - bound
    its = (one for one in project.statements if one.origin.file == file and is_recipe(file) and not one.group)
    pins = (one for one in its if one.strength == RECOMMENDED and _PIN.fullmatch(one.specifier))
    taken = [one for one in pins if one.name in is_open]
    if not taken:
        return project, []
    if (lacking := _lacking(project, taken)) is not None:
        return project, [lacking]
    words = cut_between([*dict.fromkeys(map(str, taken))])
    said = message("project.remark.recipe-pins", file=file, line=taken[0].origin.line, packages=words)
    kept = (replace(one, strength=DECLARED) if one in taken else one for one in project.statements)
    return replace(project, statements=tuple(kept)), [said]


def _lacking(project: Project, pins: Collection[Statement]) -> Message | None:
    """Return what is said of a recipe whose pins lack what the programs use of newer releases: it is of an older state
    of the project, and its other pins are, too."""
    uses = [one for one in project.statements if one.name == CODE and one.specifier.startswith(">=")]
    older = ((pin, one) for pin in pins for one in uses if one.group == pin.name)
    found = next(((pin, one) for pin, one in older if not can_meet(pin.specifier, one.specifier)), None)
    if found is None:
        return None
    place, at = found[0].origin, found[1].origin
    return message(
        "project.remark.recipe-older",
        "{file}, line {line} has {asked}, which lacks {name} ({other_file}, line {other_line}): it is of an older "
        "state of the project. Its torch is taken, and no other version of it.",
        file=place.file,
        line=place.line,
        asked=str(found[0]),
        name=found[1].extras[0],
        other_file=at.file,
        other_line=at.line,
    )
