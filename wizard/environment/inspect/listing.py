"""All environments on this computer in one list: ours, conda's, virtual ones, the installations, bare interpreters.

Only looks, and only at the top of each: fifty large environments take a moment. One folder that is reached by several
ways (a list, a link, a variable) is one row. How large they are comes later, from `sizes`.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from wizard.environment.conda.records import listed_prefixes
from wizard.environment.inspect.contents import read_contents
from wizard.environment.inspect.look import last_used, look
from wizard.environment.layout import read_text
from wizard.environment.model import Environment, EnvironmentKind, EnvironmentState
from wizard.environment.remove.trash import TRASH, Deletion, pending
from wizard.system.links import long_path

# Where environments usually lie: our folder, conda's, those of the tools that make virtual environments.
#
# A table over the user's variables; nothing is looked at here beyond what a pattern with a star needs. What only others
# know (conda installations, runs, interpreters) is handed in.

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
class SearchPlaces:
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
) -> SearchPlaces:
    """Return where to look. `here`: the current folder. `roots`: conda installations. `known`: of runs. `envs_dirs`: of
    a condarc."""
    roots = tuple(roots)
    folders = [ours, *envs_dirs, *(root / "envs" for root in roots), *_listed_folders(environment)]
    folders += _from_table((*_CONDA_FOLDERS, *_VENV_FOLDERS), environment, home)
    active = _active(environment)
    prefixes = [*known, *roots, *listed_prefixes()]
    prefixes += [base / name for base in (here, home) if base for name in _VENV_NAMES]
    prefixes += [active] if active else []
    return SearchPlaces(_once(folders), _once(prefixes), tuple(pythons), active)


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


_THREADS = 8  # a network disk answers several questions at once
_PATCHLEVEL = re.compile(r'^#define\s+PY_VERSION\s+"([^"]+)"', re.MULTILINE)
_ORDER = (
    EnvironmentKind.RATTLER,
    EnvironmentKind.CONDA,
    EnvironmentKind.VENV,
    EnvironmentKind.BASE,
    EnvironmentKind.SYSTEM,
)


def list_environments(
    places: SearchPlaces, is_cancelled: Callable[[], bool] = lambda: False
) -> tuple[Environment, ...]:
    """Return all environments, sorted by kind and name. What cannot be looked at is left out; nothing is raised for
    it."""
    prefixes = _distinct(_candidates(places))
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="list") as pool:
        found = [one for one in pool.map(lambda prefix: _one(prefix, is_cancelled), prefixes) if one]
    found += _interpreters(places.pythons, {_identity(one.prefix) for one in found})
    active = _identity(places.active) if places.active else None
    marked = [replace(one, is_current=active is not None and _identity(one.prefix) == active) for one in found]
    return tuple(sorted([*marked, *_going()], key=_rank))


def _rank(one: Environment) -> tuple[int, str, str]:
    return _ORDER.index(one.kind), one.name.lower(), str(one.prefix)


def _one(prefix: Path, is_cancelled: Callable[[], bool]) -> Environment | None:
    try:
        return None if is_cancelled() else look(prefix)
    except OSError:  # a folder that we may not enter
        return None


def _candidates(places: SearchPlaces) -> Iterator[Path]:
    """Children of the folders first: those paths have no link at their end as often as not."""
    for folder in places.folders:
        yield from _children(folder)
    yield from places.prefixes


def _children(folder: Path) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if not entry.name.startswith(TRASH) and entry.is_dir())
    except OSError:
        return
    for name in names:
        yield folder / name


def _distinct(prefixes: Iterable[Path]) -> list[Path]:
    """Each folder once, by the path that is no link where there is one."""
    chosen: dict[tuple[int, int], Path] = {}
    for prefix in prefixes:
        identity = _identity(prefix)
        if identity is None:
            continue
        known = chosen.get(identity)
        if known is None or (known.is_symlink() and not prefix.is_symlink()):
            chosen[identity] = prefix
    return list(chosen.values())


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _interpreters(pythons: Iterable[Path], known: set[tuple[int, int] | None]) -> list[Environment]:
    """Those that lie in no environment of the list; one row for each, though they may share a prefix (`/usr`)."""
    found = []
    for python in pythons:
        prefix = python.parent.parent if python.parent.name == "bin" else python.parent
        if _identity(prefix) in known:
            continue
        if (prefix / "conda-meta").is_dir():  # an installation or environment that only PATH knows of
            row = look(prefix)
            known.add(_identity(prefix))
        else:
            row = _interpreter(python, prefix)
        if row:
            found.append(row)
    return found


def _interpreter(python: Path, prefix: Path) -> Environment:
    version = interpreter_version(python, prefix)
    contents = read_contents(prefix, version)
    return Environment(
        python.stem if python.suffix == ".exe" else python.name,
        prefix,
        EnvironmentKind.SYSTEM,
        EnvironmentState.OK,
        python=version,
        torch=contents.torch,
        variant=contents.variant,
        companions=contents.companions,
        packages=contents.packages,
        last_used=last_used(prefix, version),
    )


def interpreter_version(python: Path, prefix: Path) -> str | None:
    """Return an interpreter's version from its header file where that is installed, else as much as its name or its
    folder says."""
    named = re.search(r"(\d+\.\d+)$", python.name.removesuffix(".exe"))
    headers = [prefix / "include" / f"python{named[1]}"] if named else []
    for folder in (*headers, prefix / "include"):
        match = _PATCHLEVEL.search(read_text(folder / "patchlevel.h") or "")
        if match and (named is None or match[1].startswith(f"{named[1]}.")):
            return match[1]
    in_folder = re.match(r"(?:[A-Za-z]+-?)?(\d+\.\d+\.\d+)", prefix.name)
    return named[1] if named else in_folder[1] if in_folder else None


def _going() -> Iterator[Environment]:
    """What was deleted and is not all gone yet."""
    for deletion in pending():
        if long_path(deletion.trash).is_dir():
            prefix = Path(deletion.prefix)
            yield Environment(prefix.name, prefix, _kind_of(deletion), EnvironmentState.DELETING)


def _kind_of(deletion: Deletion) -> EnvironmentKind:
    """As the note says. What a run began is in no list before; its last file to go may still tell."""
    with contextlib.suppress(ValueError):
        return EnvironmentKind(deletion.kind)
    return EnvironmentKind.VENV if (long_path(deletion.trash) / "pyvenv.cfg").exists() else EnvironmentKind.RATTLER
