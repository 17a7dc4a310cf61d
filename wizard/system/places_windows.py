"""Where Windows keeps things; see `places.Places` for what each is.

Reads variables and folders only, so all of it runs anywhere (tests/windows/test_windows_side.py).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath, PureWindowsPath

DRIVER_STORE = Path("C:/Windows/System32/DriverStore/FileRepository")
_SYSTEM = frozenset(
    {"windows", "program files", "program files (x86)", "programdata", "$recycle.bin", "recovery",
     "system volume information"}
)  # fmt: skip
_RUNTIME = ("vcruntime140.dll", "vcruntime140_1.dll", "msvcp140.dll")
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


def driver_libraries() -> list[Path]:
    return sorted(DRIVER_STORE.glob("nv*.inf_*/nvml.dll"))


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


def pip_files(environ: Mapping[str, str], home: Path, root: Path) -> tuple[list[Path], list[Path]]:
    own = [home / "pip" / "pip.ini", _roaming(environ, home) / "pip" / "pip.ini"]
    return [_shared(environ) / "pip" / "pip.ini"], own


def uv_files(environ: Mapping[str, str], home: Path, root: Path) -> tuple[Path, ...]:
    return (_roaming(environ, home) / "uv" / "uv.toml", _shared(environ) / "uv" / "uv.toml")


def conda_settings(environ: Mapping[str, str], root: Path) -> list[Path]:
    return [_shared(environ) / "conda"]


def _roaming(environ: Mapping[str, str], home: Path) -> Path:
    return Path(environ.get("APPDATA") or home / "AppData" / "Roaming")


def _shared(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("PROGRAMDATA") or "C:\\ProgramData")


def user_sites(environ: Mapping[str, str], home: Path) -> Path:
    return Path(environ.get("PYTHONUSERBASE") or _roaming(environ, home) / "Python")


def python_of_user_site(name: str) -> str | None:
    match = _USER_SITE.match(name)
    return f"3.{match[1]}" if match else None


def is_system_folder(prefix: PurePath) -> bool:
    """The root of a drive or share, the system's own folders, the folder of all users."""
    if len(prefix.parts) == 1:
        return True
    top = prefix.parts[1].lower()
    return top in _SYSTEM or (top == "users" and len(prefix.parts) == 2)
