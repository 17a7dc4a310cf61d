"""Where environments usually lie: our folder, conda's, those of the tools that make virtual environments.

A table over the user's variables; nothing is looked at here beyond what a pattern with a star needs. What only others
know (conda installations, runs, interpreters) is handed in.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wizard.environments.conda_records import listed_prefixes

# Folders whose children are environments: a variable or "~", and what comes below it.
_VENV_FOLDERS: tuple[tuple[str, str], ...] = (
    ("WORKON_HOME", ""),  # virtualenvwrapper, pipenv
    ("~", ".virtualenvs"),
    ("~", "Envs"),  # virtualenvwrapper-win
    ("~", ".venvs"),
    ("~", "venvs"),
    ("~", "envs"),
    ("~", ".local/share/virtualenvs"),  # pipenv
    ("~", ".cache/pypoetry/virtualenvs"),
    ("LOCALAPPDATA", "pypoetry/Cache/virtualenvs"),
    ("~", ".pyenv/versions"),  # pyenv-virtualenv; its plain interpreters come with the others
    ("PYENV_ROOT", "versions"),
)
# That may be one themselves.
_VENV_NAMES = (".venv", "venv", "env")
_CONDA_FOLDERS: tuple[tuple[str, str], ...] = (
    ("~", ".conda/envs"),
    ("LOCALAPPDATA", "conda/conda/envs"),
    ("MAMBA_ROOT_PREFIX", "envs"),
    ("~", "micromamba/envs"),
    ("~", ".mamba/envs"),
)
_LISTS = ("CONDA_ENVS_PATH", "CONDA_ENVS_DIRS")  # conda's own variables: folders, as in PATH
_ACTIVE = ("VIRTUAL_ENV", "CONDA_PREFIX")


@dataclass(frozen=True, slots=True)
class Places:
    """`folders`: each child may be an environment. `prefixes`: may be one. `pythons`: interpreters, links resolved."""

    folders: tuple[Path, ...] = ()
    prefixes: tuple[Path, ...] = ()
    pythons: tuple[Path, ...] = ()
    active: Path | None = None


def usual_places(
    environment: Mapping[str, str],
    home: Path | None,
    here: Path | None,
    ours: Path,
    *,
    roots: Iterable[Path] = (),
    envs_dirs: Iterable[Path] = (),
    known: Iterable[Path] = (),
    pythons: Iterable[Path] = (),
) -> Places:
    """`here`: the current folder. `roots`: conda installations. `known`: of runs. `envs_dirs`: of a condarc."""
    roots = tuple(roots)
    folders = [ours, *envs_dirs, *(root / "envs" for root in roots), *_listed_folders(environment)]
    folders += _from_table((*_CONDA_FOLDERS, *_VENV_FOLDERS), environment, home)
    active = _active(environment)
    prefixes = [*known, *roots, *listed_prefixes()]
    prefixes += [base / name for base in (here, home) if base for name in _VENV_NAMES]
    prefixes += [active] if active else []
    return Places(_once(folders), _once(prefixes), tuple(pythons), active)


def _listed_folders(environment: Mapping[str, str]) -> list[Path]:
    return [Path(part) for name in _LISTS for part in environment.get(name, "").split(os.pathsep) if part]


def _from_table(rows: Iterable[tuple[str, str]], environment: Mapping[str, str], home: Path | None) -> list[Path]:
    found = []
    for start, below in rows:
        base = home if start == "~" else Path(environment[start]) if environment.get(start) else None
        if base is not None:
            found.append(base / below)
    return found


def _active(environment: Mapping[str, str]) -> Path | None:
    return next((Path(environment[name]) for name in _ACTIVE if environment.get(name)), None)


def _once(places: Iterable[Path]) -> tuple[Path, ...]:
    """In their order; a relative one (from a variable) is nobody's."""
    return tuple(dict.fromkeys(place for place in places if place.is_absolute()))
