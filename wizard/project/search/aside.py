"""Reads what stands beside the files that count: scripts, notebooks and linked documents where nothing else names
torch; and for which systems and cards the READMEs are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

from wizard.model.distributions import FAMILY
from wizard.model.errors import UsageError
from wizard.project.formats.commands import installs
from wizard.project.formats.systems import (
    other_branches,
    programs_in_code,
    programs_of_one_system,
    shell_step,
    wsl_in_words,
)
from wizard.project.formats.words import WINDOWS, systems_in_words, ways_round
from wizard.project.formats.working_folder import without_hidden
from wizard.project.model import (
    DECLARED,
    LOCKED,
    PYTHON,
    RECOMMENDED,
    TORCH,
    Statement,
    cut_between,
    is_run,
    is_script,
    is_source,
    origin_of,
)
from wizard.project.packages.companions import asks_for_torch, companion
from wizard.project.packages.rows import companion_table
from wizard.project.readme.cards import cards_in_words, torch_for_cards
from wizard.project.readme.programs import programs_in_words, programs_of_recipe, scripts_started
from wizard.project.search.files import DOCUMENTS, MOST_FILES
from wizard.project.search.imports import ASIDE, programs
from wizard.project.search.reader import ProjectReader
from wizard.project.versions import can_meet

_ON_INSTALLING = re.compile(r"install|set[-_]?up|start|build|environment.*\.(?:md|rst)$", re.IGNORECASE)
_IS_TOLD = re.compile(r"^readme|\.(?:md|rst)$", re.IGNORECASE)  # a text for people
_MOST_TOLD = 3  # documents that name a torch

_RUNS = ".github/workflows"


def read_others(reader: ProjectReader) -> None:
    """Where nothing names torch: read what of the root installs it, whatever it is called."""
    if any(one.name == TORCH for one in (*reader.found.statements, *reader.found.told)):
        return
    for name in reader.folder.others_of_root()[:MOST_FILES]:
        if any(one.name == TORCH and one.group != "imported" for one in reader.alone(name).found.statements):
            reader.read(name)


def read_linked(reader: ProjectReader, telling: list[str]) -> None:
    """Where nothing names torch: read the documents that a README points to, until one does. Of the others take what
    has native code."""
    for name in reader.folder.linked(telling):
        if any(one.name == TORCH for one in (*reader.found.statements, *reader.found.told)):
            break
        reader.read(name)
    _read_natives(reader, telling)


def _read_natives(reader: ProjectReader, telling: list[str]) -> None:
    """Take from the documents on installing that were not read what they build or fetch from repositories and has
    native code: a program that needs it does not start without it."""
    root = [name for name in reader.folder.others_of_root() if _ON_INSTALLING.search(name)]
    known = {one.name for one in (*reader.found.statements, *reader.found.told)} | reader.found.own
    for name in [name for name in dict.fromkeys([*reader.folder.linked(telling), *root]) if name not in reader.files]:
        lines = (one for one in reader.alone(name).found.statements if one.strength == RECOMMENDED and not one.group)
        found = [one for one in lines if is_source(one.url) and companion(one.name) and one.name not in known]
        reader.found.statements += found if reader.found.asks_for_something else []
        known |= {one.name for one in found}


def read_script_aside(reader: ProjectReader) -> None:
    """Where nothing names torch: read the one notebook, or script below, that installs it; where lists declare the
    rest, only its lines of torch, and of several scripts that install the same.
    Raises UsageError `several-scripts` where there are more, and nothing else says anything."""
    said = (*reader.found.statements, *reader.found.told)
    if any(one.name == TORCH for one in said):
        return
    aside = {name: reader.alone(name).found.statements for name in reader.folder.scripts_aside()[:MOST_FILES]}
    asking = [name for name, lines in aside.items() if any(map(asks_for_torch, lines))]
    if any(one.strength == DECLARED and one.name != PYTHON for one in said):
        scripts = [name for name in asking if is_script(name) and not ASIDE.fullmatch(name)]
        of_torch = [one for name in scripts for one in aside[name] if one.name in FAMILY]
        if len({one.specifier for one in of_torch if one.name == TORCH}) == 1:
            reader.found.remark("script-below", origin_of(of_torch[0].origin.file, 1, ""))
            reader.found.statements += of_torch
        return
    listed = cut_between(asking)
    if len(asking) == 1:
        reader.found.remark("script-below", origin_of(listed, 1, ""))
        reader.read(listed)
    elif asking and said:
        reader.found.remark("torch-in-parts", origin_of(asking[0], 1, ""), folders=listed)
    elif asking:
        raise UsageError(
            "several-scripts",
            "Several scripts or notebooks of the project install torch, each for itself: {files}.",
            "Open one of them as the project.",
            files=listed,
        )


def note_systems(reader: ProjectReader) -> None:
    """Note for which systems and cards a README or a manual is written, and what it says for others; by itself that
    asks for nothing."""
    readmes = [name for name in reader.files if _IS_TOLD.search(name) and reader.found.statements]
    texts = {name: without_hidden(reader.folder.read(name) or "") for name in readmes}
    said = [one for name, text in texts.items() for one in systems_in_words(name, text)]
    said = said or [one for name, text in texts.items() for one in wsl_in_words(name, text)]
    if not said and not any(WINDOWS.search(text) for text in texts.values()) and not reader.folder.named("*.bat"):
        said = [one for name, text in texts.items() for one in shell_step(name, text, reader.folder.named)]
    reader.found.statements += said[:1]
    of_systems = [one for name, text in texts.items() for one in other_branches(name, text, reader.found.own)]
    of_systems += [one for name, text in texts.items() for one in programs_of_one_system(name, text)]
    of_systems += _programs_said(reader, texts, of_systems, is_told=bool(said))
    others = tuple(name[: -len("setup.py")] for name in reader.folder.named("setup.py") if "/" in name)
    own = ((name, text) for name, text in programs(reader) if not name.startswith(others))
    code = ((name, text) for name, text in own if not ASIDE.fullmatch(name))
    reader.found.statements += [*of_systems, *programs_in_code(code if readmes else (), of_systems)]
    for name, text in texts.items():
        of_cards = [*cards_in_words(name, text), *torch_for_cards(name, text)]
        reader.found.statements += [*of_cards, *ways_round(name, text)]


def _recipes(reader: ProjectReader) -> list[str]:
    """Return the recipes of images of the root, and the test runs of the project's host."""
    images = [name for depth, name, _ in reader.folder.names() if not depth and "dockerfile" in name.lower()]
    here = reader.folder.root / _RUNS if reader.folder.has_folder(_RUNS) else None
    runs = sorted(one.name for one in here.iterdir()) if here else []
    return [*images, *(f"{_RUNS}/{name}" for name in runs if name.endswith((".yml", ".yaml")))][:MOST_FILES]


def _reader_of(reader: ProjectReader, beside: str) -> Callable[[str], str | None]:
    """Return what reads a file that a line of a text names."""

    def read(name: str) -> str | None:
        found = reader.folder.resolve(name, beside)
        return reader.folder.read(found) if found else None

    return read


def _programs_said(
    reader: ProjectReader, texts: dict[str, str], installed: list[Statement], is_told: bool
) -> list[Statement]:
    """Return what READMEs, images and test runs say of programs that must be there, beside what a README installs."""
    names = {one.name for one in (*reader.found.statements, *reader.found.told)}
    known = {name for one in installed for name in one.extras}
    known |= {row.name for row in companion_table().system_program if names & {*row.brought_by}}
    found = [one for name, text in texts.items() for one in programs_in_words(name, text) if not known & {*one.extras}]
    known |= {name for one in found for name in one.extras}
    for name in [*filter(is_run, reader.files), *_recipes(reader)] if reader.found.statements else ():
        of_recipe = programs_of_recipe(name, reader.folder.read(name) or "", known)
        found += of_recipe
        known |= {each for one in of_recipe for each in one.extras}
    names_windows = is_told or any(map(WINDOWS.search, texts.values())) or reader.folder.named("*.bat")
    of_shell = (one for name, text in texts.items() for one in scripts_started(name, text, _reader_of(reader, name)))
    return [*found, *([] if names_windows else islice(of_shell, 1))]


def tell_scripts(reader: ProjectReader) -> None:
    """Name the scripts that install another torch than the lists ask for; where nothing names a Python, one that
    a script installs is what the project works with."""
    said, root = reader.found.statements, (name for name in reader.files if is_script(name))
    names = dict.fromkeys([*root, *filter(is_script, reader.folder.scripts_aside()[:MOST_FILES])])
    lines = [one for name in names for one in reader.alone(name).found.statements if is_script(one.origin.file)]
    pins = [one for one in said if one.name == TORCH and one.strength == DECLARED and not one.group]
    for one in lines:
        is_other = bool(pins) and not any(can_meet(pin.specifier, one.specifier) for pin in pins)
        if one.name == TORCH and one.strength == RECOMMENDED and is_other:
            reader.found.remark("script-other", one.origin, asked=str(one), other=str(pins[0].origin))
    pythons = [one for one in lines if one.name == PYTHON and one.specifier]
    if pythons and said and not any(one.name == PYTHON for one in (*said, *reader.found.told)):
        reader.found.statements.append(replace(pythons[0], strength=LOCKED))


def tell_torch_unread(reader: ProjectReader) -> None:
    """Where nothing that was read says which torch: name the documents below that do, for they may be the project's
    own."""
    said = (*reader.found.statements, *reader.found.told)
    if any(one.name == TORCH and (one.specifier or one.url) for one in said):
        return
    documents = (name for _, name, _ in reader.folder.names() if name.lower().endswith(DOCUMENTS))
    unread = [name for name in islice(documents, MOST_FILES) if name not in reader.files and name not in reader.left]
    named: list[Statement] = []
    for name in unread:
        text = reader.folder.read(name) or ""
        if TORCH in text and installs(text):
            lines = reader.alone(name).found.statements
            named += [one for one in lines if one.name == TORCH and one.specifier][:1]
    for one in named[:_MOST_TOLD]:
        reader.found.remark("torch-unread", one.origin, torch=one.specifier)
