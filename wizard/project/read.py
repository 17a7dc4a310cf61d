"""Reads a project: finds its files, hands each to the reader of its format, follows includes, never runs anything.

The order of the files is the order in which they count: what people install from comes before what a package says of
itself, and what is only told (README, scripts) comes last.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from wizard.model.errors import UsageError
from wizard.project.changed import changed_on
from wizard.project.code.cards import note_bfloat16, note_cards
from wizard.project.code.compiling import note_compiling
from wizard.project.code.systems import note_old_setup, note_unix
from wizard.project.file_choice import purpose_of, words_of
from wizard.project.folders.places import tell_places
from wizard.project.folders.workspace import read_members, workspace_of
from wizard.project.formats.commands import installs
from wizard.project.formats.conda_words import is_of_index
from wizard.project.formats.words import last_resort, natives_in_words
from wizard.project.model import (
    DECIDED,
    DECLARED,
    GROUND,
    PYTHON,
    RECOMMENDED,
    TOOLS,
    TORCH,
    Project,
    Statement,
    cut_between,
    is_commented,
    is_recipe,
    is_script,
    normalized,
    origin_of,
)
from wizard.project.search.aside import (
    note_systems,
    read_linked,
    read_others,
    read_script_aside,
    tell_scripts,
    tell_torch_unread,
)
from wizard.project.search.below import (
    of_several,
    read_below,
    readmes_below,
    tell_building,
    tell_compiled,
    tell_compiler_line,
)
from wizard.project.search.demands import note_demands, tell_needed_aside
from wizard.project.search.extras import take_listed, take_shared, tell_extras
from wizard.project.search.files import ProjectFolder, declares, is_list
from wizard.project.search.gone import note_gone, note_mended
from wizard.project.search.imports import note_needing, read_imports, tell_compiling
from wizard.project.search.native_code import note_native_code
from wizard.project.search.notes import read_notes
from wizard.project.search.order import is_plain_readme, rank
from wizard.project.search.reader import ProjectReader
from wizard.project.search.repositories import note_used, tell_submodules
from wizard.project.search.started import started, tell_of_extras, tell_undeclared
from wizard.project.search.steps import of_steps, of_today

_LISTS = {"dep", "deps", "dependencies", "extra", "extras", "libs", "modules", "packages", "pip", "pypi"}
_MOST_TOLD = 3  # files with their packages


def read_project(path: Path) -> Project:
    """Read a folder, or one file of it alone with what it includes.

    Raises UsageError `no-such-project`, `project-in-parts`, and where no file says anything `nothing-declared`, or
    `nothing-read` where one could not be read.
    """
    if path.is_file():
        reader = ProjectReader(ProjectFolder(path.parent))
        reader.read(path.name)
        read_members(reader, workspace_of(reader.folder))
        reader.take_locked()
        reader.found.take_recommended(path.name)
    elif path.is_dir():
        reader = ProjectReader(ProjectFolder(path))
        declaring, telling = reader.folder.find()
        reader.know_itself(declaring, telling)
        declaring = reader.of_torch(_of_one_part(reader, declaring, telling))
        declaring = reader.of_all_users(declaring, telling)
        declaring = of_steps(reader, of_today(reader, reader.of_those_in_use(declaring, telling), telling), telling)
        declaring, beside = reader.of_one_folder(reader.of_one_environment(declaring, telling), telling)
        beside = beside or readmes_below(reader, declaring, telling)
        for name in [*sorted(declaring, key=lambda name: (purpose_of(name), rank(name))), *telling, *beside]:
            if not reader.is_option(name):
                reader.read(name)
        reader.read_without_card(declaring)
        reader.leave_developing()
        reader.found.leave_itself()
        reader.tell_options(declaring)
        _read_further(reader)
        read_others(reader)
        read_linked(reader, telling)
        read_script_aside(reader)
        _take_needed(reader)
        read_imports(reader)
        tell_scripts(reader)
        _note(reader)
        reader.take_locked()
        take_listed(reader.found)
        take_shared(reader.found, reader.folder.read)
        tell_extras(reader.found)
        tell_of_extras(reader, started(reader))
        reader.found.tell_recommended(is_of_index)
        tell_needed_aside(reader)
        for tell in (tell_compiled, tell_compiler_line, tell_building, tell_compiling, tell_submodules, _tell_unread):
            tell(reader)
        tell_torch_unread(reader)
    else:
        raise UsageError(
            "no-such-project",
            "There is no project at {path}.",
            "Name the folder of the project, or one of its files.",
            path=str(path),
        )
    reader.found.tell_words(reader.folder.has_file("requirements.txt"))
    tell_places(reader.found, reader.folder)
    reader.found.statements += natives_in_words(reader.found)
    reader.found.statements += last_resort(reader.found)
    if not reader.found.statements and not reader.found.sources and not reader.declares_nothing():
        if hindrances := reader.hindrances():
            raise UsageError(
                "nothing-read",
                "Nothing that can be read in {path} says which packages the project needs. {reason}",
                "Mend that file, or name another one that lists them.",
                path=str(path),
                reason=hindrances[0],
            )
        raise UsageError(
            "nothing-declared",
            "Nothing in {path} says which packages the project needs.",
            "Name the file that lists them, or set up a plain environment without --project.",
            path=str(path),
        )
    return replace(reader.project(), changed=changed_on(reader.folder, reader.files, path.is_dir()))


def _read_further(reader: ProjectReader) -> None:
    """Read the workspace's members and the folders below that count beside what the root asks for."""
    workspace = workspace_of(reader.folder)
    read_members(reader, workspace)
    asks = any(one.name == TORCH and one.strength == DECLARED for one in reader.found.statements)
    read_below(reader)
    read_members(reader, workspace, is_whole=workspace.takes_all or (workspace.is_virtual and not asks))


def _note(reader: ProjectReader) -> None:
    """Note what asks for nothing by itself: systems and cards, what programs use and import, words on installing. Where
    only words name a torch, that is what it is noted for."""
    if not reader.found.statements:
        reader.found.statements += last_resort(reader.found)
    note_systems(reader)
    begun = started(reader) if reader.found.asks_for_something else {}
    note_cards(reader)
    note_bfloat16(reader)
    note_unix(reader)
    note_old_setup(reader)
    note_gone(reader, begun)
    note_mended(reader, begun)
    note_native_code(reader)
    note_demands(reader)
    note_compiling(reader, begun)
    note_needing(reader)
    note_used(reader)
    tell_undeclared(reader, begun)
    read_notes(reader)


def _of_one_part(reader: ProjectReader, declaring: list[str], telling: list[str]) -> list[str]:
    """Return the files that count. Raises UsageError `project-in-parts`: what two programs need is not one
    environment, where no README names the lists of one."""
    named = set(reader.named_by(telling))
    started = sorted(name for name in named if "/" not in name and is_script(name) and reader.asks(name))
    reached = named.union(*(reader.alone(name).files for name in started))
    if started and not reached & set(declaring) and reader.folder.of_other_environments(declaring, telling, named):
        left = cut_between(sorted(declaring))
        reader.found.remark("other-lists", origin_of(started[0], 1, ""), files=left)
        return []
    parts = reader.folder.parts(declaring)
    asking = reader.asking(name for names in parts.values() for name in names)
    if len(asking) > 1:
        named &= set(declaring)
        if len({name.rpartition("/")[0] for name in named}) == 1:
            return sorted(named)
        if taken := of_several(reader, asking, declaring):
            return taken
        raise UsageError(
            "project-in-parts",
            "Several parts of the project ask for torch, each for itself: {folders}.",
            "Open the folder of one of them.",
            folders=cut_between(sorted(asking)),
        )
    return declaring


def _take_needed(reader: ProjectReader) -> None:
    """Take what the README installs below a heading that says what is needed, or a manual or a recipe beside the torch
    that counts, where nothing declares a package."""
    found = reader.found
    if any(one.strength == DECLARED and one.name != PYTHON and not one.group for one in found.statements):
        return
    torch = next((one for one in found.statements if one.name == TORCH and not one.group), None)
    counting = torch.origin.file if torch else ""
    known = {*DECIDED, *TOOLS, *GROUND, *found.own}
    told = [one for one in found.statements if one.strength == RECOMMENDED and not (one.group or one.url or one.marker)]
    ground = [one for one in told if one.name in GROUND and one.specifier]
    told = [one for one in told if one.name not in known and not is_commented(one.origin)]
    needed = [one for one in told if one.origin in found.needed and _is_first_text(one.origin.file, counting)]
    has_extras = any(one.strength == DECLARED and one.group for one in found.statements)
    beside = [one for one in told if one.origin.file == counting and is_recipe(counting) and not has_extras]
    if taken := dict.fromkeys(needed or beside):
        lines = {one.origin for one in taken}  # a command is done whole
        taken |= dict.fromkeys(one for one in ground if one.origin in lines)
        words, at = cut_between([*dict.fromkeys(map(str, taken))]), next(iter(taken)).origin
        if needed:
            found.remark("needed-taken", at, packages=words)
        else:
            found.remark("beside-taken", at, packages=words)
        found.statements = [replace(one, strength=DECLARED) if one in taken else one for one in found.statements]


def _is_first_text(file: str, counting: str) -> bool:
    """Return whether it is the README of the root, or the text whose torch counts."""
    return (is_plain_readme(file) and "/" not in file) or file == counting


def _is_of_packages(name: str, text: str) -> bool:
    """Return whether words in lines are packages: the file is called a list of them, or a line has a version, an option
    of pip or a package that a row knows; else they may be tasks, or what a program tells apart."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    named = (normalized(re.split(r"[^\w.-]", line, maxsplit=1)[0]) for line in lines if line[:1].isalpha())
    is_named = declares(name) or bool(words_of(name.rpartition("/")[2]) & _LISTS)
    return is_named or any(re.search(r"[=<>~!]=|^-", line) for line in lines) or any(map(is_of_index, named))


def _tell_unread(reader: ProjectReader) -> None:
    """Name the files that list or install packages which nothing that was read has: what was not understood as a part
    of the installation is not passed over in silence."""
    said = [str(value) for one in reader.found.remarks for value in one.params.values()]
    known = {one.name for one in (*reader.found.statements, *reader.found.told)} | {
        *reader.found.own,
        *TOOLS,
        PYTHON,
        "pip",
    }
    further: dict[str, list[Statement]] = {}
    for name in reader.folder.others_near():
        text = reader.folder.read(name) or ""
        is_known = name in reader.files or name in reader.left or any(name in words for words in said)
        if is_known or purpose_of(name):
            continue
        if (is_list(text) and _is_of_packages(name, text)) or installs(text):
            lines = (one for one in reader.alone(name).found.statements if one.group != "imported")
            further[name] = [one for one in lines if one.name not in known]
    files = [name for name, lines in further.items() if lines]
    if len(files) > _MOST_TOLD:
        reader.found.remark("files-not-read", origin_of(files[0], 1, ""), files=cut_between(files))
        return
    for name in files:
        reader.found.tell("not-read-too", further[name], set(known))
