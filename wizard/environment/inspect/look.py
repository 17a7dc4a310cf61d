"""Looks at one folder: is it an environment, of which kind, and is it whole? A handful of `stat` calls, no process."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from wizard.environment.inspect.contents import EnvironmentContents, read_contents
from wizard.environment.layout import python_of, read_text, site_packages
from wizard.environment.model import Environment, EnvironmentKind, EnvironmentState
from wizard.environment.remove.unfinished import MARKER, unfinished_run
from wizard.model.messages import Message, message
from wizard.system import paths
from wizard.system.links import long_path
from wizard.system.traits import this

_CFG_LINE = re.compile(r"^\s*([\w-]+)\s*=\s*(.*?)\s*$", re.MULTILINE)
_HISTORY_HEAD = 4096
_ACTIVATE_HEAD = 8192
# As venv, virtualenv and uv write it; one that finds itself (`$`) is right wherever it lies.
_NAMED = re.compile(r"""^\s*(?:export )?VIRTUAL_ENV=["']?([/\\A-Za-z][^"'$\n]*?)["']?\s*$""", re.MULTILINE)


def look(prefix: Path) -> Environment | None:
    """Return what a folder is; None when it is no environment."""
    records, cfg = prefix / "conda-meta", prefix / "pyvenv.cfg"
    if records.is_dir():
        return _conda(prefix)
    said = read_text(cfg) if cfg.is_file() else None
    if said is not None:
        return _venv(prefix, parse_cfg(said))
    if (prefix / MARKER).is_file():
        return _with_run(
            Environment(
                prefix.name, prefix, EnvironmentKind.RATTLER, EnvironmentState.OK, last_used=last_used(prefix, None)
            )
        )
    return None


def parse_cfg(text: str) -> dict[str, str]:
    """Return the keys of a `pyvenv.cfg`, in lower case."""
    return {match[1].lower(): match[2] for match in _CFG_LINE.finditer(text)}


def cfg_python(cfg: dict[str, str]) -> str | None:
    """Return the Python by `version = 3.12.4` (venv), `version_info = 3.12.4` (uv), `version_info = 3.12.4.final.0`
    (virtualenv)."""
    match = re.match(r"\d+\.\d+(?:\.\d+)?", cfg.get("version") or cfg.get("version_info") or "")
    return match[0] if match else None


def _conda(prefix: Path) -> Environment:
    contents = read_contents(prefix, None)
    is_base = is_conda_base(prefix)
    kind = EnvironmentKind.BASE if is_base else _maker(prefix)
    found = _row(Environment("base" if is_base else prefix.name, prefix, kind, EnvironmentState.OK), contents)
    found = replace(found, is_frozen=(prefix / "conda-meta" / "frozen").exists())
    if not (prefix / "conda-meta" / "history").is_file():
        found = _broken(found, message("envs.broken.half"))
    elif contents.python and not os.path.exists(python_of(prefix)):  # noqa: PTH110 (see _venv)
        found = _broken(found, message("envs.broken.python", path=str(python_of(prefix))))
    elif contents.trouble:
        found = _broken(found, contents.trouble)
    return _with_run(found)


def _maker(prefix: Path) -> EnvironmentKind:
    """By the first entry of the history; rattler itself leaves it empty."""
    head = read_text(prefix / "conda-meta" / "history", _HISTORY_HEAD)
    if head is None or (head.strip() and f"# cmd: {paths.APP_NAME}" not in head):
        return EnvironmentKind.CONDA
    return EnvironmentKind.RATTLER


def is_conda_base(prefix: Path) -> bool:
    """Tell whether it is an installation, not an environment in one: it has the package cache or environments of conda
    in it.

    A base without any yet, or whose folders were moved, is known by its own `conda`; an environment may hold a conda,
    too, but then it lies in an `envs` folder. A folder that is just called `envs` may be anybody's.
    """
    if not (prefix / "conda-meta").is_dir():
        return False
    if (prefix / "pkgs" / "urls.txt").is_file() or any((prefix / "envs").glob("*/conda-meta")):
        return True
    return prefix.parent.name != "envs" and _has_conda(prefix)


def _has_conda(prefix: Path) -> bool:
    """By its record, since `condabin` came with conda 4.6 only."""
    return (prefix / "condabin").is_dir() or any((prefix / "conda-meta").glob("conda-[0-9]*.json"))


def _venv(prefix: Path, cfg: dict[str, str]) -> Environment:
    home = cfg.get("home")
    base = Path(home) if home else None
    found = Environment(prefix.name, prefix, EnvironmentKind.VENV, EnvironmentState.OK, base=base)
    contents = read_contents(prefix, cfg_python(cfg))
    found = _row(found, contents)
    python = python_of(prefix)
    if not os.path.lexists(python):
        found = _broken(found, message("envs.broken.python", path=str(python)))
    # Path.exists raises where a folder on the way is closed to us, such as another user's home.
    elif not os.path.exists(python) or (base is not None and not os.path.isdir(base)):  # noqa: PTH110, PTH112
        found = _broken(found, message("envs.broken.base", path=str(base or python)))
    elif contents.trouble:
        found = _broken(found, contents.trouble)
    elif (before := moved_from(prefix)) is not None:
        found = _broken(
            found,
            message(
                "envs.broken.moved",
                "It was made in “{path}” and then moved or copied: its activation and its commands still lead there. "
                "Move it back, or clone it: the clone works.",
                path=before,
            ),
        )
    return _with_run(found)


def moved_from(prefix: Path) -> str | None:
    """Return the folder that a venv's activation names, if that is not where it lies now."""
    script = prefix / this().scripts / "activate"
    named = _NAMED.search((read_text(script, _ACTIVATE_HEAD) or "") if script.is_file() else "")
    if named is None:
        return None
    try:
        return None if os.path.samefile(named[1], prefix) else named[1]  # noqa: PTH121 (see _venv)
    except OSError:
        return named[1]


def _row(found: Environment, contents: EnvironmentContents) -> Environment:
    return replace(
        found,
        python=contents.python,
        torch=contents.torch,
        variant=contents.variant,
        companions=contents.companions,
        packages=contents.packages,
        last_used=last_used(found.prefix, contents.python),
    )


def _broken(found: Environment, reason: Message) -> Environment:
    return replace(found, state=EnvironmentState.BROKEN, reason=reason)


def _with_run(found: Environment) -> Environment:
    run = unfinished_run(found.prefix)
    return found if run is None else replace(found, state=EnvironmentState.UNFINISHED, run=run, reason=None)


def last_used(prefix: Path, python: str | None) -> float | None:
    """Return the newest trace of somebody at work: a module read by a starting Python, a package put in, an
    activation."""
    newest: float | None = None
    for path, read_counts in _traces(prefix, python):
        try:
            status = long_path(path).lstat()
        except OSError:
            continue
        moment = max(status.st_mtime, status.st_atime) if read_counts else status.st_mtime
        newest = moment if newest is None else max(newest, moment)
    return newest


def _traces(prefix: Path, python: str | None) -> Iterator[tuple[Path, bool]]:
    """(path, whether its reading counts): what our own list opens does not."""
    yield prefix / "conda-meta" / "history", False
    yield prefix / "pyvenv.cfg", False
    yield prefix / this().scripts / "activate", True
    site = site_packages(prefix, python)
    if site is None:
        return
    yield site, False
    minor = "".join((python or "").split(".")[:2])
    yield site / "torch" / "__pycache__" / f"__init__.cpython-{minor}.pyc", True
    yield site.parent / "encodings" / "__pycache__" / f"__init__.cpython-{minor}.pyc", True
