"""Conda installations on this machine: conda, mamba, micromamba, from variables, PATH and the usual folders.

Only what they are and where; environments and channels are for `environments` and `mirrors`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from wizard.machine.asking import Ask, question
from wizard.machine.model import CondaInstall
from wizard.machine.parallel import Task, run_all

SECONDS = 8.0  # conda is slow to start, on Windows more so
KINDS = ("conda", "mamba", "micromamba")
_ROOTS = ("miniforge3", "miniconda3", "anaconda3", "mambaforge", "miniconda", "anaconda", "micromamba", "conda")
_VERSION = re.compile(r"^(?:\w+\s+)?(\d+\.\d[\w.]*)\s*$", re.MULTILINE)
_WINDOWS = sys.platform == "win32"


def parse_version(text: str) -> str | None:
    """`conda 24.9.2`, `mamba 1.5.8` with conda's line below, or micromamba's bare `2.0.5`."""
    match = _VERSION.search(text)
    return match[1] if match else None


def root_prefix(executable: Path) -> Path | None:
    """The installation that a conda or mamba lies in, by its path; None for a bare micromamba."""
    for parent in list(executable.parents)[1:3]:
        if (parent / "conda-meta").is_dir():
            return parent
    return None


def _names(kind: str) -> tuple[str, ...]:
    return (f"{kind}.exe", f"{kind}.bat") if _WINDOWS else (kind,)


def _root_folders(environment: Mapping[str, str]) -> Iterator[Path]:
    bases = [Path.home()]
    if _WINDOWS:
        bases += [Path(environment[name]) for name in ("LOCALAPPDATA", "PROGRAMDATA") if name in environment]
        bases.append(Path("C:/"))
    else:
        bases.append(Path("/opt"))
    yield from (base / name for base in bases for name in _ROOTS)


def candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """(kind, executable) that exist, variables first; the same installation may come several times."""
    for variable in ("CONDA_EXE", "MAMBA_EXE"):
        named = Path(environment.get(variable) or "-")
        if named.is_file() and named.stem in KINDS:
            yield named.stem, named
    folders = [Path(place) for place in environment.get("PATH", "").split(os.pathsep) if place]
    inside = ("Scripts", "Library/bin", "condabin") if _WINDOWS else ("bin", "condabin")
    folders += [root / place for root in _root_folders(environment) for place in inside]
    for folder in folders:
        for kind in KINDS:
            for name in _names(kind):
                if (folder / name).is_file():
                    yield kind, folder / name


def _install(ask: Ask, kind: str, path: Path, environment: Mapping[str, str]) -> CondaInstall | None:
    outcome = ask(question((str(path), "--version"), SECONDS))
    if not outcome.ok:
        return None
    root = root_prefix(path)
    if root is None and kind == "micromamba":
        named = environment.get("MAMBA_ROOT_PREFIX")
        root = Path(named) if named else None
    return CondaInstall(str(path), parse_version(outcome.stdout), str(root) if root else None, kind)


def probe_condas(ask: Ask, environment: Mapping[str, str] | None = None) -> tuple[CondaInstall, ...]:
    """One row for each kind in each installation."""
    known = os.environ if environment is None else environment
    chosen: dict[tuple[str, Path], Path] = {}
    for kind, path in candidates(known):
        real = path.resolve()
        chosen.setdefault((kind, root_prefix(real) or real), real)
    tasks: list[Task[CondaInstall | None]] = [
        Task(str(path), partial(_install, ask, kind, path, known), None) for (kind, _), path in chosen.items()
    ]
    for _ in run_all(tasks, 2 * SECONDS):
        pass
    return tuple(task.value for task in tasks if task.value)
