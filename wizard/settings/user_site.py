"""torch in the user's own site folders (`pip install --user`): it stands before that of a conda environment.

Only a look at folders. An environment of `venv` does not see them; one of conda does, unless told otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wizard.system.places import places

_WHEEL = re.compile(r"^torch-(\d[^-]*)\.dist-info$")


@dataclass(frozen=True, slots=True)
class UserSiteTorch:
    python: str  # "3.12"
    version: str | None  # None: there is a folder `torch` and no record of it
    path: Path  # the site-packages folder


def torch_in_user_sites(environ: Mapping[str, str], home: Path, os_name: str) -> tuple[UserSiteTorch, ...]:
    found = (_torch_in(python, folder) for python, folder in _folders(environ, home, os_name))
    return tuple(torch for torch in found if torch)


def _folders(environ: Mapping[str, str], home: Path, os_name: str) -> Iterator[tuple[str, Path]]:
    """(Python, its user site-packages)."""
    known = places(os_name)
    try:
        for folder in sorted(known.user_sites(environ, home).iterdir()):
            if python := known.python_of_user_site(folder.name):
                yield python, folder / "site-packages"
    except OSError:
        return


def _torch_in(python: str, folder: Path) -> UserSiteTorch | None:
    try:
        names = {path.name for path in folder.iterdir()}
    except OSError:
        return None
    version = next((match[1] for name in sorted(names) if (match := _WHEEL.match(name))), None)
    if version is None and "torch" not in names:
        return None
    return UserSiteTorch(python, version, folder)
