"""Conda installations on this machine: conda, mamba, micromamba, from variables, PATH, the registry, usual folders.

Only what they are and where; environments and channels are for `environments` and `mirrors`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from wizard.machine.asking import Ask, TimedCall, question, run_all
from wizard.machine.model import CondaInstall
from wizard.system.places import places
from wizard.system.traits import this
from wizard.system.windows.registry import registry

SECONDS = 8.0  # conda is slow to start, on Windows more so
KINDS = ("conda", "mamba", "micromamba")
# miniforge2, anaconda2 and the like are too old to make a Python of today.
_ROOTS = (
    "miniforge3",
    "miniconda3",
    "anaconda3",
    "mambaforge",
    "miniforge",
    "miniconda",
    "anaconda",
    "micromamba",
    "conda",
)
_VERSION = re.compile(r"^(?:\w+\s+)?(\d+\.\d[\w.]*)\s*$", re.MULTILINE)
_COMPANY = "ContinuumAnalytics"


def parse_version(text: str) -> str | None:
    """`conda 24.9.2`, `mamba 1.5.8` with conda's line below, or micromamba's bare `2.0.5`."""
    match = _VERSION.search(text)
    return match[1] if match else None


def root_prefix(executable: Path) -> Path | None:
    """The installation that a conda or mamba lies in, by its path; None for a bare micromamba."""
    for parent in list(executable.parents)[1:3]:
        if os.path.isdir(parent / "conda-meta"):  # noqa: PTH112 (Path.is_dir raises in a folder we may not enter)
            return parent
    return None


def _names(kind: str) -> tuple[str, ...]:
    return tuple(kind + ending for ending in this().conda_endings)


def _root_folders(environment: Mapping[str, str]) -> Iterator[Path]:
    yield from (base / name for base in places().conda_bases(environment) for name in _ROOTS)


def registry_roots() -> tuple[str, ...]:
    """PEP 514: Miniconda, Anaconda and Miniforge write their place here. Empty where there is no registry."""
    return registry().install_folders(_COMPANY)


def _folders(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """(found by, folder that may hold executables), in the order of trust."""
    within = this().conda_folders
    if named := environment.get("MAMBA_ROOT_PREFIX"):
        yield from (("MAMBA_ROOT_PREFIX", Path(named, inside)) for inside in within)
    yield from (("PATH", Path(place)) for place in environment.get("PATH", "").split(os.pathsep) if place)
    yield from (("registry", Path(root, inside)) for root in registry_roots() for inside in within)
    yield from (("folder", root / inside) for root in _root_folders(environment) for inside in within)


def candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path, str]]:
    """(kind, executable, found by) that exist, variables first; the same installation may come several times."""
    for variable in ("CONDA_EXE", "MAMBA_EXE"):
        named = Path(environment.get(variable) or "-")
        if os.path.isfile(named) and named.stem in KINDS:  # noqa: PTH113
            yield named.stem, named, variable
    for found_by, folder in _folders(environment):
        for kind in KINDS:
            for name in _names(kind):
                if os.path.isfile(folder / name):  # noqa: PTH113
                    yield kind, folder / name, found_by


def _install(ask: Ask, kind: str, path: Path, found_by: str, environment: Mapping[str, str]) -> CondaInstall | None:
    outcome = ask(question((str(path), "--version"), SECONDS))
    if not outcome.ok:
        return None
    root = root_prefix(path)
    if root is None and kind == "micromamba":
        named = environment.get("MAMBA_ROOT_PREFIX")
        root = Path(named) if named else None
    return CondaInstall(str(path), parse_version(outcome.stdout), str(root) if root else None, kind, found_by)


def probe_condas(ask: Ask, environment: Mapping[str, str] | None = None) -> tuple[CondaInstall, ...]:
    """One row for each kind in each installation."""
    known = os.environ if environment is None else environment
    chosen: dict[tuple[str, Path], tuple[Path, str]] = {}
    for kind, path, found_by in candidates(known):
        real = path.resolve()
        chosen.setdefault((kind, root_prefix(real) or real), (real, found_by))
    tasks: list[TimedCall[CondaInstall | None]] = [
        TimedCall(str(path), partial(_install, ask, kind, path, found_by, known), None)
        for (kind, _), (path, found_by) in chosen.items()
    ]
    for _ in run_all(tasks, 2 * SECONDS):
        pass
    return tuple(task.value for task in tasks if task.value)
