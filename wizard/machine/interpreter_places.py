"""Where Python interpreters lie: PATH, version tools, system folders, Windows' launcher and registry.

Only names; whether one works is asked in `interpreters`. Left out on sight: shims (a script that picks
another Python each day) and the Windows Store's stubs (they open a shop).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from wizard.system.places import places
from wizard.system.traits import this
from wizard.windows.registry import registry

_NAME = re.compile(r"python(3(\.\d{1,2})?)?", re.IGNORECASE)
_WINDOWS_DRIVE = re.compile(r"/mnt/[a-z](/|$)")  # in WSL, PATH goes on with Windows' folders: slow, and not ours
# `-V:3.12 *   C:\...\python.exe` of today's launcher, ` -3.9-64  C:\...\python.exe *` of the old one.
_LAUNCHER_LINE = re.compile(r"^\s*-\S+\s+(?:\*\s+)?(?P<path>\S.*?\.exe)(?:\s+\*)?\s*$", re.IGNORECASE | re.MULTILINE)
_SKIPPED_FOLDERS = frozenset({"shims", "windowsapps"})


def parse_launcher_list(text: str) -> tuple[str, ...]:
    """The paths in the answer to `py -0p`, newest first as it gives them."""
    return tuple(match["path"] for match in _LAUNCHER_LINE.finditer(text.replace("\r\n", "\n")))


def is_interpreter_path(path: Path) -> bool:
    """By its name and folder alone."""
    ending = this().program_ending
    is_named_so = path.name.lower().endswith(ending) and _NAME.fullmatch(path.name[: len(path.name) - len(ending)])
    return bool(is_named_so) and not _SKIPPED_FOLDERS.intersection(part.lower() for part in path.parts[:-1])


def _in_folder(folder: Path) -> Iterator[Path]:
    try:
        found = [path for path in folder.iterdir() if is_interpreter_path(path)]
    except OSError:
        return
    # Path.is_file would raise in a folder that may be listed and not entered.
    yield from sorted(path for path in found if os.path.isfile(path) and os.access(path, os.X_OK))  # noqa: PTH113


def _matching(folder: Path, pattern: str) -> list[Path]:
    """A variable may name a folder that only another user may enter (PYENV_ROOT after `su`)."""
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []


def folders(environment: Mapping[str, str], home: Path, root: Path = Path("/")) -> Iterator[Path]:
    """PATH first: what the user's own shell finds comes first."""
    on_path = environment.get("PATH", "").split(os.pathsep)
    yield from (Path(place) for place in on_path if place and not _WINDOWS_DRIVE.match(place))
    for folder, pattern in places().python_folders(environment, home, root):
        yield from _matching(folder, pattern)


def registry_paths() -> tuple[str, ...]:
    """PEP 514: every installed CPython writes its place here. Empty where there is no registry."""
    return tuple(str(Path(folder, "python.exe")) for folder in registry().install_folders("PythonCore"))


def candidates(environment: Mapping[str, str], home: Path, root: Path = Path("/")) -> Iterator[Path]:
    """Existing files, links followed to their end, so that the python of a venv is already its base."""
    seen: set[Path] = set()
    for folder in folders(environment, home, root):
        for path in _in_folder(folder):
            real = path.resolve()
            if real not in seen and is_real(real):
                seen.add(real)
                yield real


def is_real(path: Path) -> bool:
    """After links: not a shim, not empty (the Store's stubs are files of no bytes)."""
    try:
        return not _SKIPPED_FOLDERS.intersection(part.lower() for part in path.parts[:-1]) and path.stat().st_size > 0
    except OSError:
        return False
