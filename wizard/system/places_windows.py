"""Where Windows keeps things; see `places.Places` for what each is.

Reads variables and folders only, so all of it runs anywhere (tests/windows/test_windows_side.py).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath, PureWindowsPath

_SYSTEM = frozenset(
    {
        "windows",
        "program files",
        "program files (x86)",
        "programdata",
        "$recycle.bin",
        "recovery",
        "system volume information",
    }
)
# What Windows or PowerShell looks through by itself, and the old names of it; "~1" is a second name of another folder.
_CLOSED = frozenset(
    {
        "appdata",
        "application data",
        "local settings",
        "start menu",
        "startup",
        "documents and settings",
        "powershell",
        "windowspowershell",
    }
)
_SECOND_NAME = re.compile(r"~\d")
# What torch 2.15.0 imports of it, by its own libraries. The first decides by its version, for Python brings an older
# vcruntime140.dll along.
_RUNTIME = (
    "msvcp140.dll",
    "vcruntime140.dll",
    "vcruntime140_1.dll",
    "vcruntime140_threads.dll",
    "msvcp140_atomic_wait.dll",
)
_USER_SITE = re.compile(r"^Python3(\d+)$")


def user_data() -> Path:
    import platformdirs  # the system has to be asked, for the folder can be moved

    return platformdirs.user_data_path(appauthor=False)


def python_of(prefix: Path) -> Path:
    """A conda prefix has it at its top, a virtual environment in Scripts."""
    in_venv = prefix / "Scripts" / "python.exe"
    is_venv = (prefix / "pyvenv.cfg").is_file() or in_venv.is_file()
    return in_venv if is_venv else prefix / "python.exe"


def python_path(prefix: str, is_venv: bool) -> str:
    return str(PureWindowsPath(prefix, *(("Scripts",) if is_venv else ()), "python.exe"))


def base_python(base: Path, release: tuple[int, int]) -> Path:
    return (base / "python.exe").resolve()


def python_folders(environ: Mapping[str, str], home: Path, root: Path) -> Iterator[tuple[Path, str]]:
    yield home / ".pyenv" / "pyenv-win" / "versions", "*"
    yield home / "AppData" / "Local" / "Programs" / "Python", "Python3*"


def conda_bases(environ: Mapping[str, str]) -> list[Path]:
    named = ("LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES")
    return [Path.home(), *(Path(environ[name]) for name in named if name in environ), Path("C:/")]


def beside_home(environ: Mapping[str, str]) -> list[Path]:
    """The first has the user's name in it, like the home folder."""
    named = [Path(environ[name]) for name in ("LOCALAPPDATA", "PUBLIC") if name in environ]
    return [*named, Path(environ.get("SYSTEMDRIVE", "C:") + "/")]


def short_folders(environ: Mapping[str, str]) -> list[Path]:
    """The user's own first: in what lies at the root of a drive every user may write."""
    named = [Path(environ["LOCALAPPDATA"])] if environ.get("LOCALAPPDATA") else []
    return [folder / "torch-envs" for folder in (*named, shared_root(environ))]


def shared_root(environ: Mapping[str, str]) -> Path:
    """Windows lets every user make folders in the root of the system's drive."""
    return Path(environ.get("SYSTEMDRIVE", "C:") + "/")


def editors(environ: Mapping[str, str], commands: list[Path]) -> list[Path]:
    """A command is a batch file in `bin`, with the program above it; most people have none on PATH."""
    roots = [command.parent.parent for command in commands]
    for name, below in (("LOCALAPPDATA", "Programs"), ("PROGRAMFILES", "")):
        if environ.get(name):
            roots.append(Path(environ[name], below, "Microsoft VS Code"))
    return [root / name for root in roots for name in ("Code.exe", "VSCodium.exe", "Code - Insiders.exe")]


def driver_libraries() -> list[Path]:
    return sorted((_system32() / "DriverStore" / "FileRepository").glob("nv*.inf_*/nvml.dll"))


def nvidia_smi() -> list[Path]:
    return [_system32() / "nvidia-smi.exe", _programs() / "NVIDIA Corporation" / "NVSMI" / "nvidia-smi.exe"]


def cuda_toolkits() -> tuple[str, list[Path]]:
    base = _programs() / "NVIDIA GPU Computing Toolkit" / "CUDA"
    return str(base), sorted(base.glob("v*"))


def runtime_libraries() -> tuple[Path, ...] | None:
    return tuple(_system32() / name for name in _RUNTIME)


def _system32() -> Path:
    return Path(os.environ.get("SYSTEMROOT", "C:/Windows"), "System32")


def _programs() -> Path:
    return Path(os.environ.get("PROGRAMFILES", "C:/Program Files"))


def _roaming(environ: Mapping[str, str], home: Path) -> Path:
    return Path(environ.get("APPDATA") or home / "AppData" / "Roaming")


def user_sites(environ: Mapping[str, str], home: Path) -> Path:
    return Path(environ.get("PYTHONUSERBASE") or _roaming(environ, home) / "Python")


def python_of_user_site(name: str) -> str | None:
    match = _USER_SITE.match(name)
    return f"3.{match[1]}" if match else None


def is_system_folder(prefix: PurePath) -> bool:
    """The root of a drive or share, the system's own folders, the folder of all users."""
    if len(prefix.parts) == 1:
        return True
    if _is_below(prefix, "SYSTEMROOT", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMDATA"):
        return True
    top = prefix.parts[1].lower()
    return top in _SYSTEM or (top == "users" and len(prefix.parts) == 2)


def _is_below(place: PurePath, *variables: str) -> bool:
    """Windows and people move these folders to other drives, under other names."""
    folders = (PureWindowsPath(os.environ[name]) for name in variables if os.environ.get(name))
    return any(PureWindowsPath(place).is_relative_to(folder) for folder in folders)


def is_open_to_files(place: PurePath) -> bool:
    """Return whether a profile may name this place: no system folder, no AppData, nothing hidden, no short name."""
    if place.is_absolute() and is_system_folder(place):
        return False
    if _is_below(place, "APPDATA", "LOCALAPPDATA"):
        return False
    return not any(part.startswith(".") or part.lower() in _CLOSED or _SECOND_NAME.search(part) for part in place.parts)


def is_anothers(place: PurePath, home: PurePath) -> bool:
    """Return whether the place lies in another account's home."""
    homes = (PureWindowsPath(home.drive or "C:", "/Users"), home.parent)
    shared = PureWindowsPath(home.drive or "C:", "/Users/Public")
    own = place.is_relative_to(home) or place.is_relative_to(shared)
    return not own and any(place.is_relative_to(folder) for folder in homes if folder.name)
