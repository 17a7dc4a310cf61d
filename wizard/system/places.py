"""Where systems keep things: Pythons, condas, drivers, CUDA, settings, the folders that are nobody's to use.

Only names; whether something is there is looked at by who asks. Chosen by a system's name, since a test or a recorded
machine may be another one than this. Both sides are held against `Places` by the type checker.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Protocol

from wizard.system import places_linux, places_windows, traits

Environ = Mapping[str, str]


class Places(Protocol):
    def user_data(self) -> Path:
        """The folder for programs' own data."""

    def python_of(self, prefix: Path) -> Path:
        """The interpreter; for a prefix that is not there yet, where a conda prefix would have it."""

    def python_path(self, prefix: str, is_venv: bool) -> str: ...

    def base_python(self, base: Path, release: tuple[int, int]) -> Path:
        """Of the installation below a virtual environment."""

    def python_folders(self, environ: Environ, home: Path, root: Path) -> Iterator[tuple[Path, str]]:
        """(folder, pattern of the folders in it that hold Pythons), beside PATH."""

    def conda_bases(self, environ: Environ) -> list[Path]:
        """The folders in which people install a conda."""

    def beside_home(self, environ: Environ) -> list[Path]:
        """Folders for large things of the user's, where the home folder will not do."""

    def short_folders(self, environ: Environ) -> list[Path]:
        """Folders for environments where a path below the home folder would be too long for the system."""

    def shared_root(self, environ: Environ) -> Path | None:
        """The folder above short ones in which every user may make folders."""

    def editors(self, environ: Environ, commands: list[Path]) -> list[Path]:
        """VS Code's program; `commands` are those found on PATH."""

    def driver_libraries(self) -> list[Path]:
        """NVML, where the loader does not look."""

    def nvidia_smi(self) -> list[Path]: ...

    def cuda_toolkits(self) -> tuple[str, list[Path]]:
        """What they are found by, and the folders that may be one."""

    def runtime_libraries(self) -> tuple[Path, ...] | None:
        """Of the C++ runtime that torch needs and does not bring; None: there is no such thing. The first has a
        version."""

    def user_sites(self, environ: Environ, home: Path) -> Path:
        """Holds a folder for each Python with the user's own packages."""

    def python_of_user_site(self, name: str) -> str | None:
        """ "3.12" by the name of such a folder."""

    def is_system_folder(self, prefix: PurePath) -> bool: ...

    def is_open_to_files(self, place: PurePath) -> bool:
        """May a file from somebody else choose this folder, absolute or below the home folder? Not one that is hidden,
        the system's, or looked through when somebody logs in or opens a shell."""

    def is_anothers(self, place: PurePath, home: PurePath) -> bool:
        """In the home folder of another user; `home`: one's own."""


_SIDES: dict[str, Places] = {"linux": places_linux, "windows": places_windows}


def places(os_name: str | None = None) -> Places:
    """Of this computer, unless another system is named. Raises KeyError for one that nobody has heard of here."""
    return _SIDES[traits.os_name() if os_name is None else os_name]
