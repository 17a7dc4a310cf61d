"""Where Linux keeps things; see `places.Places` for what each is."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath, PurePosixPath

# pynvml looks on the loader's path. Drivers also put it here: WSL, NixOS, containers of Kubernetes, Debian and RHEL
# with the library beside the system's.
_DRIVER_FOLDERS = (
    "/usr/lib/wsl/lib",
    "/run/opengl-driver/lib",
    "/usr/local/nvidia/lib64",
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib/aarch64-linux-gnu/nvidia/current",
    "/usr/lib64/nvidia",
)
_VERSION_FOLDERS = (
    ".pyenv/versions/*/bin",
    ".local/share/uv/python/*/bin",
    ".local/share/mise/installs/python/*/bin",
    ".asdf/installs/python/*/bin",
)
_SYSTEM_PYTHONS = ("usr/bin", "usr/local/bin", "opt/*/bin", "opt/python/*/bin")
# The system's, with everything below them, except what follows.
_SYSTEM = (
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/proc",
    "/run",
    "/sbin",
    "/snap",
    "/sys",
    "/usr",
)
_FREE = ("/usr/local", "/dev/shm", "/run/media", "/run/user")
_TOPS = frozenset({"/", "/home", "/media", "/mnt", "/srv", "/tmp", "/var", *_FREE})
# Further ones that no file from somebody else may choose: of root, of services, of other users' sessions.
_CLOSED = (*_SYSTEM, "/lost+found", "/root", "/srv/ftp", "/srv/http", "/srv/www", "/var")
_CLOSED_TOPS = _TOPS | {"/opt"}  # themselves only: what lies in them is looked through by others
_CLOSED_AT_HOME = ("bin", "snap")  # on PATH; snap's own
_USER_SITE = re.compile(r"^python(3\.\d+)$")


def user_data() -> Path:
    named = os.environ.get("XDG_DATA_HOME", "")
    return Path(named) if Path(named).is_absolute() else Path.home() / ".local" / "share"


def python_of(prefix: Path) -> Path:
    plain, numbered = prefix / "bin" / "python", prefix / "bin" / "python3"
    # The system's own Python (Debian) goes by the second name only.
    return numbered if os.path.lexists(numbered) and not os.path.lexists(plain) else plain


def python_path(prefix: str, is_venv: bool) -> str:
    return str(PurePosixPath(prefix, "bin", "python"))


def base_python(base: Path, release: tuple[int, int]) -> Path:
    return (base / "bin" / f"python{release[0]}.{release[1]}").resolve()


def python_folders(environ: Mapping[str, str], home: Path, root: Path) -> Iterator[tuple[Path, str]]:
    """Yield folders and patterns below them where Pythons lie: pyenv's, those of the account, the system's."""
    pyenv = environ.get("PYENV_ROOT")
    if pyenv:
        yield Path(pyenv), "versions/*/bin"
    yield from ((home, pattern) for pattern in _VERSION_FOLDERS)
    yield from ((root, pattern) for pattern in _SYSTEM_PYTHONS)


def conda_bases(environ: Mapping[str, str]) -> list[Path]:
    return [Path.home(), Path.home() / ".local" / "share", Path("/opt"), Path("/usr/local")]


def beside_home(environ: Mapping[str, str]) -> list[Path]:
    return [Path("/opt"), Path("/srv")]


def short_folders(environ: Mapping[str, str]) -> list[Path]:
    return []


def shared_root(environ: Mapping[str, str]) -> Path | None:
    return None


def editors(environ: Mapping[str, str], commands: list[Path]) -> list[Path]:
    return commands


def driver_libraries() -> list[Path]:
    return [path for folder in _DRIVER_FOLDERS if (path := Path(folder) / "libnvidia-ml.so.1").is_file()]


def nvidia_smi() -> list[Path]:
    return [Path("/usr/lib/wsl/lib/nvidia-smi")]


def cuda_toolkits() -> tuple[str, list[Path]]:
    return "/usr/local/cuda", sorted(Path("/usr/local").glob("cuda*"))


def runtime_libraries() -> tuple[Path, ...] | None:
    return None


def user_sites(environ: Mapping[str, str], home: Path) -> Path:
    return Path(environ.get("PYTHONUSERBASE") or home / ".local") / "lib"


def python_of_user_site(name: str) -> str | None:
    match = _USER_SITE.match(name)
    return match[1] if match else None


def is_system_folder(prefix: PurePath) -> bool:
    """Return whether the folder belongs to the system, so that nothing of ours may be made or deleted there."""
    if len(prefix.parts) == 1:
        return True
    text = prefix.as_posix()
    free = any(text.startswith(f"{place}/") for place in _FREE)
    below = any(text == place or text.startswith(f"{place}/") for place in _SYSTEM)
    return text in _TOPS or (below and not free)


def is_open_to_files(place: PurePath) -> bool:
    """Return whether a profile may name this place: no system folder, nothing hidden."""
    text = place.as_posix()
    closed = any(text == top or text.startswith(f"{top}/") for top in _CLOSED)
    on_a_stick = text.startswith("/run/media/")
    if text in _CLOSED_TOPS or next(iter(place.parts), "") in _CLOSED_AT_HOME:
        return False
    return (not closed or on_a_stick) and not any(part.startswith(".") for part in place.parts)


def is_anothers(place: PurePath, home: PurePath) -> bool:
    homes = {PurePosixPath("/home"), PurePosixPath("/root"), *([home.parent] if home.parent.name else [])}
    return not place.is_relative_to(home) and any(place.is_relative_to(folder) for folder in homes)
