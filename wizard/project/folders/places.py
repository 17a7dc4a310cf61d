"""Gives a line's folder its path from the project's own, and says which of these folders cannot be had.

A tool takes a path from the folder of the file that has it; pip takes that of a list from where it is started, which is
the project's. Nothing in these folders is read here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from posixpath import normpath

from wizard.project.model import DECLARED, RECOMMENDED, Findings, Statement, is_folder
from wizard.project.search.files import ProjectFolder
from wizard.project.search.order import folder_of
from wizard.system import paths

_ELSEWHERE = re.compile(r"[/~{$\\]|[A-Za-z]:")  # begins a path from no folder of the project
_LISTS = (".txt", ".in", "requirements.lock")


def from_root(one: Statement, folder: ProjectFolder, file: str) -> Statement:
    """Return a line of that file, where it lies below, with its path from the project's folder."""
    inner = folder_of(file) if one.origin.file == file else ""
    is_named = is_folder(one.url) and not _ELSEWHERE.match(one.url) and one.name != "."
    if not (inner and is_named) or one.strength == RECOMMENDED:  # of a README, `commands` follows where it goes
        return one
    path, mark, fragment = one.url.partition("#")
    beside = normpath(f"{inner}/{path}")
    is_here, is_beside = (folder.has_folder(way) or folder.has_file(way) for way in (normpath(path), beside))
    is_list = file.endswith(_LISTS)
    if is_here and (is_list or not is_beside) or (is_list and not is_beside):
        return one
    return replace(one, url=f"{'' if beside.startswith('..') else './'}{beside}{mark}{fragment}")


def tell_places(found: Findings, folder: ProjectFolder) -> None:
    """Name the folders that are to be installed and lie outside the project, or nowhere. Of a project that another
    computer has sent, folders are not here at all."""
    if folder.root.resolve().is_relative_to((paths.home() / "sent").resolve()):
        return
    for one in found.statements:
        path = Path(one.url.partition("#")[0])
        if one.strength != DECLARED or one.group not in ("", "constraint") or not is_folder(one.url) or one.name == ".":
            continue
        try:
            where = (folder.root / path).resolve()
            is_there = where.exists()
        except (OSError, ValueError, RuntimeError):  # too long for any name, or a circle of links
            continue
        if not where.is_relative_to(folder.limit):
            found.remark("folder-outside", one.origin, name=one.name, folder=one.url)
        elif not is_there:
            found.remark("folder-gone", one.origin, name=one.name, folder=one.url)
