"""Which list of a project counts where one has a name of its own for this system, or for cards such as these.

Pure; by the words of the files' names, as in `file_choice`, and by what the lists say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from wizard.model.messages import Message, message
from wizard.project.file_choice import SYSTEM_WORDS, WITHOUT_CARD, says, without, words_of
from wizard.project.model import DECLARED, TORCH, Project, Statement, can_meet

_CARDS = r"nvidia|cuda|gpu"


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


def _with_own_lines(project: Project, own: str, other: str) -> Project:
    """Leave out the lines for all computers that no release meets together with this system's for the same package."""
    asked: dict[str, list[Statement]] = {}
    for one in _lines(project, own):
        asked.setdefault(one.name, []).append(one)

    def is_lost(one: Statement) -> bool:
        is_its = one.origin.file == other and one.strength == DECLARED and not one.group
        return is_its and any(not can_meet(one.specifier, each.specifier) for each in asked.get(one.name, []))

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
