"""Goes through the folders of a project, the nearest first or by a pattern, and ends after so many of them.

A project may hold data in hundreds of thousands of folders, on a disk that another computer has. What is found is names
alone; what they mean is `search`'s matter.
"""

from __future__ import annotations

import os
import re
import time
from collections import deque
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from wizard.project.search.order import FOR_LISTS

_SKIPPED = re.compile(
    r"node_modules|site-packages|build|dist|tests?|docs?|examples?|third_?party|submodules|vendor|benchmarks"
    r"|notebooks|.*\.egg-info|\..*",
    re.IGNORECASE,
)
_FOREIGN = re.compile(r"node_modules|site-packages|__pycache__|\..*", re.IGNORECASE)  # to `**`: no folder of theirs
_MARKS = ("pyvenv.cfg", "conda-meta")  # of an environment; venv/ may hold lists
_PROGRAMS = (("bin", "python"), ("Scripts", "python.exe"))  # the same
_DEEPEST = 8  # folders that `**` goes down
_MOST_LOOKED = 50_000  # folders, for all patterns
_LONGEST = 3.0  # seconds, for all patterns


def names_below(root: Path, deepest: int, most: int) -> Iterator[tuple[int, str, bool]]:
    """Yield depth, name and whether only folders made for lists lie between it and the root, of the first `most`
    entries."""
    folders, seen = deque([(0, "", True)]), 0
    while folders:
        depth, folder, beside = folders.popleft()
        entries = _entries(root, folder)
        for name, is_folder in () if depth and _is_environment(root / folder, entries) else entries:
            seen += 1
            if seen > most:
                return
            whole = f"{folder}/{name}" if folder else name
            if not is_folder:
                yield depth, whole, beside
            elif depth < deepest and not _SKIPPED.fullmatch(name):
                folders.append((depth + 1, whole, beside and bool(FOR_LISTS.search(name))))


class Patterns:
    """The folders that patterns reach (`*`: what is in one folder, `**`: any folders between), within one bound for
    all of them. `stopped`: there are more."""

    def __init__(self, root: Path, file: str) -> None:
        self.root, self.file, self.stopped = root, file, False
        self._left, self._until = _MOST_LOOKED, time.monotonic() + _LONGEST

    def reached(self, parts: Sequence[str], folder: str = "", depth: int = 0) -> Iterator[str]:
        """Yield the folders with the wanted file in them, in the order of their names; one may come twice."""
        if not parts:
            if self._may_go_on() and (self.root / folder / self.file).is_file():
                yield folder
            return
        part, rest = parts[0], parts[1:]
        if not re.search(r"[*?\[]", part):
            yield from self.reached(rest, _joined(folder, part), depth)
            return
        is_any = part == "**"
        entries = _entries(self.root, folder, is_linked=not is_any)
        if is_any and depth and _is_environment(self.root / folder, entries):
            return
        if is_any:
            yield from self.reached(rest, folder, depth)
        for name in (name for name, is_folder in entries if is_folder and self._may_go_on()):
            if not is_any and fnmatchcase(name, part):
                yield from self.reached(rest, _joined(folder, name), depth)
            elif is_any and depth < _DEEPEST and not _FOREIGN.fullmatch(name):
                yield from self.reached(parts, _joined(folder, name), depth + 1)

    def _may_go_on(self) -> bool:
        self._left -= 1
        self.stopped |= self._left < 0 or time.monotonic() > self._until
        return not self.stopped


def _entries(root: Path, folder: str, is_linked: bool = False) -> list[tuple[str, bool]]:
    """Return what lies in a folder by its name, and whether it is a folder; nothing of one that cannot be read.
    `is_linked`: a link to a folder is one, too."""
    try:
        found = [(entry.name, entry.is_dir(follow_symlinks=is_linked)) for entry in os.scandir(root / folder)]
    except (OSError, ValueError):
        return []
    return sorted(found)


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _is_environment(folder: Path, entries: Sequence[tuple[str, bool]]) -> bool:
    """Return whether what lies there is an installed Python: its folders may hold lists of anybody's."""
    names = {name for name, _ in entries}
    return not names.isdisjoint(_MARKS) or any(
        name in names and (folder / name / program).exists() for name, program in _PROGRAMS
    )
