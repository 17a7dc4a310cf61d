"""Reads a project: finds its files, hands each to the reader of its format, follows includes, never runs anything.

The order of the files is the order in which they count: what people install from comes before what a package says of
itself, and what is only told (README, scripts) comes last.

One file: which file counts beside which is one decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from wizard.model.errors import UsageError
from wizard.model.messages import message
from wizard.project.commands import read_commands
from wizard.project.companions import companion
from wizard.project.conda import read_environment, read_explicit, read_pixi
from wizard.project.file_choice import names_a_computer
from wizard.project.files import MOST_FILES, ProjectFolder
from wizard.project.model import (
    DECLARED,
    LOCKED,
    PYTHON,
    RECOMMENDED,
    TORCH,
    FileLine,
    Findings,
    Project,
    Statement,
    origin_of,
)
from wizard.project.requirements import MOST_LINES, read_requirements
from wizard.project.setup_files import read_setup_cfg, read_setup_py
from wizard.project.toml_files import read_lock, read_pipfile, read_pyproject

_DECIDED = (PYTHON, TORCH, "torchvision", "torchaudio", "cudatoolkit", "pytorch-cuda", "cpuonly", "pip", ".")
_TORCH_TOO = ("pytorch", "pytorch-gpu")  # names of conda
_STUB = ("sklearn", "scikit-learn")  # the first is on the index to fail with the name of the second
_MAIN = "requirements.txt"
_OPTION = re.compile(r"requirements?[-_.][^/]+\.txt", re.IGNORECASE)
_CONSTRAINTS = re.compile(r"constraints?[^/]*\.txt$", re.IGNORECASE)
_MOST_NAMED = 6  # folders in one sentence
_DEEPEST = 40  # files that include each other in a chain
_ORDER = (
    r"requirements\.txt$",
    r"requirement",
    r"\.ya?ml$",
    r"pixi\.toml$",
    r"pipfile$",
    r"pyproject\.toml$",
    r"setup\.cfg$",
    r"setup\.py$",
    r"\.txt$",
    r"\.python-version$",
)


def read_project(path: Path) -> Project:
    """Read a folder, or one file of it alone with what it includes.

    Raises UsageError `no-such-project`, `project-in-parts`, and where no file says anything `nothing-declared`, or
    `nothing-read` where one could not be read.
    """
    if path.is_file():
        reader = ProjectReader(ProjectFolder(path.parent))
        reader.read(path.name)
        reader.take_locked()
        reader.take_recommended()
    elif path.is_dir():
        reader = ProjectReader(ProjectFolder(path))
        declaring, telling = reader.folder.find()
        _check_parts(reader, declaring)
        for name in [*sorted(declaring, key=rank), *sorted(telling)]:
            if not reader.is_option(name):
                reader.read(name)
        reader.tell_options(declaring)
        reader.read_below()
        reader.take_locked()
        reader.tell_recommended()
    else:
        raise UsageError(
            "no-such-project",
            "There is no project at {path}.",
            "Name the folder of the project, or one of its files.",
            path=str(path),
        )
    if not reader.found.statements and not reader.found.sources:
        if reader.found.remarks:
            raise UsageError(
                "nothing-read",
                "Nothing that can be read in {path} says which packages the project needs. {reason}",
                "Mend that file, or name another one that lists them.",
                path=str(path),
                reason=reader.found.remarks[0],
            )
        raise UsageError(
            "nothing-declared",
            "Nothing in {path} says which packages the project needs.",
            "Name the file that lists them, or set up a plain environment without --project.",
            path=str(path),
        )
    return reader.project()


def _check_parts(reader: ProjectReader, declaring: list[str]) -> None:
    """Raises UsageError `project-in-parts`: what two programs need is not one environment."""
    asking = reader.asking(name for names in reader.folder.parts(declaring).values() for name in names)
    if len(asking) > 1:
        raise UsageError(
            "project-in-parts",
            "Several parts of the project ask for torch, each for itself: {folders}.",
            "Open the folder of one of them.",
            folders=", ".join(sorted(asking)[:_MOST_NAMED]),
        )


def rank(name: str) -> tuple[int, str]:
    last = name.rsplit("/", 1)[-1].lower()
    return next((number for number, kind in enumerate(_ORDER) if re.search(kind, last)), len(_ORDER)), name


class ProjectReader:
    """Reads files of one folder, each once: a circle of includes ends by that."""

    def __init__(self, folder: ProjectFolder) -> None:
        self.folder = folder
        self.found = Findings()
        self.files: list[str] = []
        self._depth = 0

    def project(self) -> Project:
        """Return what was read so far, equal lines once."""
        found = self.found
        statements = tuple(dict.fromkeys(found.statements))
        sources = tuple(dict.fromkeys(found.sources))
        return Project(str(self.folder.root), tuple(self.files), statements, sources, tuple(found.remarks))

    def read(self, name: str, included_by: FileLine | None = None, group: str = "") -> None:
        """Read one file of the project by its kind, and what it includes; each file once, so that a circle ends."""
        if name in self.files:
            return
        where = included_by or origin_of(name, 1, name)
        if len(self.files) >= MOST_FILES or self._depth >= _DEEPEST:
            self.found.remark("too-many-files", where)
            return
        self.files.append(name)
        text = self.folder.read(name)
        if text is None:
            self.found.remark("file-outside" if self.folder.leads_out(name) else "file-not-read", where, name=name)
            return
        if text.count("\n") > MOST_LINES and not is_lock(name):
            self.found.remark("too-long", where, name=name, most=MOST_LINES)
        before = len(self.found.statements)
        self.found.include = self._include
        self._depth += 1
        self._hand_over(name, text)
        self._depth -= 1
        new = self.found.statements[before:]  # on the package index that name is a stub that fails on purpose
        self.found.statements[before:] = [replace(one, name=TORCH) if one.name in _TORCH_TOO else one for one in new]
        for at, one in enumerate(self.found.statements[before:], before):
            if one.name == _STUB[0]:
                self.found.statements[at] = replace(one, name=_STUB[1], specifier="")
                self.found.remark("read-as", one.origin, asked=_STUB[1])
        if group:
            self.found.statements[before:] = [replace(one, group=group) for one in self.found.statements[before:]]

    def asking(self, names: Iterable[str]) -> dict[str, str]:
        """Return the first file that declares torch, by its folder."""
        found: dict[str, str] = {}
        for name in sorted(names, key=rank):
            alone = ProjectReader(self.folder)
            alone.read(name)
            if any(one.name == TORCH and one.strength == DECLARED for one in alone.found.statements):
                found.setdefault(_folder_of(name), name)
        return found

    def is_option(self, name: str) -> bool:
        """Return whether it is a list of its own beside requirements.txt: both ask for torch, each for itself; in a
        folder of nothing but lists any that no other one includes."""
        folder, last = _folder_of(name), name.rsplit("/", 1)[-1]
        main = f"{folder}/{_MAIN}" if folder else _MAIN
        if not _OPTION.fullmatch(last) or names_a_computer(last) or main not in self.files:
            return False
        if folder.rpartition("/")[2].lower() in ("requirements", "requirement") and last != _MAIN:
            return True
        alone = ProjectReader(self.folder)
        alone.read(name)
        lines = ((self, main), (alone, name))
        return all(
            any(one.name == TORCH and one.origin.file == file for one in of.found.statements) for of, file in lines
        )

    def tell_options(self, names: list[str]) -> None:
        """Name the lists that were not read, nor included by another."""
        left = sorted(name for name in names if name not in self.files and self.is_option(name))
        if left:
            self.found.remark("other-lists", origin_of(_MAIN, 1, left[0]), files=", ".join(left[:_MOST_NAMED]))

    def read_below(self) -> None:
        """Where nothing asks for torch: read the one folder below whose files do. Several are only named."""
        if any(_asks_for_torch(one) for one in self.found.statements):
            return
        for names in self.folder.below():
            asking = self.asking(names[:MOST_FILES])
            if len(asking) == 1:
                [(folder, first)] = asking.items()
                self.found.remark("torch-below", origin_of(first, 1, first), folder=folder)
                for name in sorted((name for name in names if _folder_of(name) == folder), key=rank):
                    self.read(name)
            elif asking:
                listed = ", ".join(sorted(asking)[:_MOST_NAMED])
                self.found.remark("torch-in-parts", origin_of(next(iter(asking.values())), 1, listed), folders=listed)
            if asking:
                return

    def take_locked(self) -> None:
        """A lock beside which nothing is declared: all that it holds is what is asked for."""
        locks = [one for one in self.found.statements if one.strength == LOCKED and is_lock(one.origin.file)]
        if locks and not any(one.strength == DECLARED for one in self.found.statements):
            first = next(one for one in self.found.statements if one in locks).origin.file
            self.found.remark("lock-alone", origin_of(first, 1, first))
            self.found.statements = [
                replace(one, strength=DECLARED, group="") if one.origin.file == first else one
                for one in self.found.statements
            ]

    def take_recommended(self) -> None:
        """A file that was named itself and only recommends: its packages count, as nothing else does."""
        if not any(one.strength == DECLARED for one in self.found.statements):
            self.found.statements = [
                replace(one, strength=DECLARED) if one in self._recommended() else one for one in self.found.statements
            ]

    def tell_recommended(self) -> None:
        """Where nothing is declared: name what a README has beside torch, which is not taken unasked."""
        others = self._recommended()
        if others and not any(one.strength == DECLARED for one in self.found.statements):
            names = list(dict.fromkeys(one.name for one in others))
            more = f" (+{len(names) - _MOST_NAMED})" if len(names) > _MOST_NAMED else ""
            self.found.remark("recommended-too", others[0].origin, packages=", ".join(names[:_MOST_NAMED]) + more)

    def _recommended(self) -> list[Statement]:
        return [
            one
            for one in self.found.statements
            if one.strength == RECOMMENDED
            and not one.group
            and one.name not in _DECIDED
            and companion(one.name) is None
        ]

    def _include(self, words: str, where: FileLine, group: str) -> None:
        if re.match(r"[a-z+]+://", words):
            self.found.remark("include-from-elsewhere", where)
            return
        name = self.folder.resolve(words, where.file)
        if name is None:
            self.found.remark("include-missing", where, name=words)
            return
        if rank(where.file)[0] == len(_ORDER) and self.is_option(name):  # a README names them all
            return
        self.read(name, where, group)

    def _hand_over(self, name: str, text: str) -> None:
        last = name.rsplit("/", 1)[-1].lower()
        found = self.found
        if last == "pyproject.toml":
            read_pyproject(name, text, found)
            read_pixi(name, text, found)
        elif last == "pipfile":
            read_pipfile(name, text, found)
        elif last == "pixi.toml":
            read_pixi(name, text, found)
        elif is_lock(name):
            read_lock(name, text, found)
        elif last == "setup.cfg":
            read_setup_cfg(name, text, found)
        elif last == "setup.py":
            read_setup_py(name, text, found)
        elif last.endswith((".yml", ".yaml")):
            read_environment(name, text, found)
        elif last == ".python-version" or (last == "runtime.txt" and text.lstrip().startswith("python-3")):
            _read_python_version(name, text, found)
        elif last.endswith((".txt", ".in")) and not last.startswith(("readme", "install")):
            _read_list(name, text, found)
        else:
            read_commands(name, text, found)


def is_lock(name: str) -> bool:
    last = name.rsplit("/", 1)[-1].lower()
    return last.endswith(".lock") or last.startswith("pylock")


def _folder_of(name: str) -> str:
    return name.rpartition("/")[0]


def _asks_for_torch(one: Statement) -> bool:
    """Itself, or by what is made for one torch release."""
    row = companion(one.name)
    return one.name == TORCH or (row is not None and row.follows)


def _read_list(name: str, text: str, found: Findings) -> None:
    """A requirements file, or one of conda's two lists."""
    platform = re.search(r"^# platform: (linux|win|osx)-", text[:4000], re.MULTILINE)
    if platform:
        found.remarks.append(message("project.remark.platform-list", file=name, platform=platform[1]))
    if re.search(r"^@EXPLICIT\s*$", text, re.MULTILINE):
        read_explicit(name, text, found)
    else:
        # Constraints that nothing includes install nothing either.
        read_requirements(name, text, found, group="constraint" if _CONSTRAINTS.search(name) else "")


def _read_python_version(name: str, text: str, found: Findings) -> None:
    """The version that the authors work with: a preference."""
    match = re.match(r"\s*(?:python-)?(\d+\.\d+)", text)
    if match:
        where = origin_of(name, 1, text.split("\n")[0])
        found.statements.append(Statement(PYTHON, f"=={match[1]}.*", where, "locked"))
