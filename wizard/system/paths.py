"""Where things are: our data, the user's folders, the tools that travel with the program.

Nothing here creates a folder that stays; who writes, creates. Every location can be moved by one
variable, TORCH_WIZARD_HOME, which tests, labs with small home quotas and USB sticks use.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from wizard.system import traits
from wizard.system.places import places
from wizard.system.traits import this

APP_NAME = "torch-setup"
HOME_VARIABLE = "TORCH_WIZARD_HOME"
MATRICES_VARIABLE = "TORCH_WIZARD_MATRICES"  # other tables than the shipped ones: to try them before a release
CACHE_VARIABLE = "TORCH_WIZARD_CACHE"  # a place of their own for downloads and caches
STORE_VARIABLE = "TORCH_WIZARD_STORE"  # and for the package store
TEMP_VARIABLE = "TORCH_WIZARD_TEMP"  # and for temporary files
_LETTERS_OF_A_NAME = 12  # of an environment; people write longer ones, and are told


def is_frozen() -> bool:
    """True inside a PyInstaller program."""
    return bool(getattr(sys, "frozen", False))


def _package_data() -> Path:
    """The folder that holds `matrices/` and `resources/` (frozen, installed, or source tree)."""
    if is_frozen():
        return Path(getattr(sys, "_MEIPASS", Path(sys.executable).parent))
    here = Path(__file__).resolve().parents[1]
    packed = here / "_data"
    return packed if packed.is_dir() else here.parent


def is_installed() -> bool:
    """True for a wheel that is put in, and for the frozen program; False in a copy of the source."""
    return is_frozen() or _package_data().name == "_data"


def matrices_dir() -> Path:
    """The shipped tables, or the folder that TORCH_WIZARD_MATRICES names in their place."""
    moved = os.environ.get(MATRICES_VARIABLE)
    return Path(moved).expanduser().absolute() if moved else _package_data() / "matrices"


def matrices_overlay_dir() -> Path:
    """Rows learnt on this computer (`matrices refresh`), laid over the shipped data; updates leave it alone."""
    return home() / "matrices-overlay"


def resources_dir() -> Path:
    return _package_data() / "resources"


def home() -> Path:
    """Our own data: runs, undo journal, downloads, logs."""
    moved = os.environ.get(HOME_VARIABLE)
    if moved:
        return Path(moved).expanduser().absolute()
    return places().user_data() / APP_NAME


def runs_dir() -> Path:
    return home() / "runs"


def chosen_cache() -> Path | None:
    return _named(CACHE_VARIABLE)


def chosen_temp() -> Path | None:
    """For our children; None: what the system says."""
    return _named(TEMP_VARIABLE)


def _named(variable: str) -> Path | None:
    named = os.environ.get(variable)
    return Path(named).expanduser().absolute() if named else None


def cache_root() -> Path:
    """What can be fetched or made again lies below this."""
    return chosen_cache() or home()


def downloads_dir() -> Path:
    """Content-addressed store of verified files; visible, and safe to delete."""
    return cache_root() / "downloads"


def chosen_store() -> Path | None:
    return _named(STORE_VARIABLE)


def store_dir() -> Path:
    """The package store: every wheel unpacked once (`install/store`); what no environment uses may be pruned."""
    return chosen_store() or cache_root() / "store"


def cache_dir() -> Path:
    """What can be made again: uv's and rattler's caches, index pages."""
    return cache_root() / "cache"


def logs_dir() -> Path:
    return home() / "logs"


def settings_file() -> Path:
    return home() / "settings.json"


def usual_environments_dir() -> Path:
    """In the home folder (conda's own idea of a user folder is not used: these environments belong to the user, not
    to a conda installation)."""
    return home() / "envs" if os.environ.get(HOME_VARIABLE) else Path.home() / "torch-envs"


def default_environments_dir() -> Path:
    """New environments go here when the user names one without a place: into the usual folder, or into a short one
    where torch's files would lie too deep for Windows below that."""
    usual = usual_environments_dir()
    if os.environ.get(HOME_VARIABLE) or _is_short(usual):
        return usual
    short = (folder for folder in places().short_folders(os.environ) if _is_short(folder))
    return next((folder for folder in short if not _is_foreign(folder) and _may_be_made(folder)), usual)


def own_short_folders() -> Path:
    """A line with number and path for each folder that this user had made where every user may make some."""
    return home() / "short-folders"


def _is_foreign(folder: Path) -> bool:
    """Tell whether it is there, in a place of everybody's, and was not made for this user: its maker may put other
    programs into the environments there."""
    if folder.parent != places().shared_root(os.environ) or not os.path.lexists(folder):
        return False
    try:
        return short_folder_line(folder) not in own_short_folders().read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return True


def short_folder_line(folder: Path) -> str:
    """Raises OSError."""
    return f"{folder.lstat().st_ino} {folder}"


def _is_short(folder: Path) -> bool:
    longest = this().longest_sure_path
    return longest is None or len(str(folder)) + 1 + _LETTERS_OF_A_NAME <= longest


def _may_be_made(folder: Path) -> bool:
    """Windows' bits say nothing: only trying tells."""
    import tempfile

    try:
        parent = next(place for place in (folder, *folder.parents) if place.exists())
        Path(tempfile.mkdtemp(prefix=".torch-setup-", dir=parent)).rmdir()
    except (OSError, StopIteration):
        return False
    return True


def find_program(name: str, path: str | None = None) -> str | None:
    """Return where a program lies on PATH, or on `path`; None: nowhere there.

    Windows' own search, and Python's there, begins in the current folder: that may be a stranger's project, with a
    git.exe of its own. What lies there is not taken, nor what a relative entry of PATH names.
    """
    endings = os.environ.get("PATHEXT", "").lower().split(";") if this().program_ending else []
    names = [name] if not endings or name.lower().endswith(tuple(endings)) else [name + ending for ending in endings]
    folders = map(Path, (os.environ.get("PATH", os.defpath) if path is None else path).split(os.pathsep))
    places = (str(folder / one) for folder in folders if folder.is_absolute() for one in names)
    return next(filter(None, map(shutil.which, places)), None)


def uv_executable() -> Path:
    """The uv that was installed with us (next to our Python, or inside the frozen program).

    Raises FileNotFoundError when it is missing; a uv of the user's is never taken, its version is unknown.
    """
    name = f"uv{this().program_ending}"
    places = [_package_data() / "bin" / name] if is_frozen() else []
    places.append(Path(sys.executable).parent / name)
    for place in places:
        if place.is_file():
            return place
    from uv import find_uv_bin  # the wheel's own finder knows the rest (user installs, --target)

    return Path(find_uv_bin())


# Not `-m wizard`: that would take a folder called wizard in the user's current folder for ours.
_OWN_START = "import sys; sys.path.pop(0); from wizard.__main__ import main; sys.exit(main())"


def own_command() -> tuple[str, ...]:
    """How this program starts itself again: the frozen console executable, or this Python with our package."""
    if is_frozen():
        named = this().console_program
        console = Path(sys.executable).with_name(named) if named else None
        return (str(console) if console and console.is_file() else sys.executable,)
    return (sys.executable, "-c", _OWN_START)


def own_interpreter() -> tuple[str, ...]:
    """How to run a script text that needs the standard library only (see `cli/main.py` for the frozen program)."""
    return (own_command()[0], "-I", "-S")


def own_environment() -> dict[str, str]:
    """What a child that is ourselves needs beside the plain child environment: where this Python found us."""
    if is_frozen():
        return {}
    return {"PYTHONPATH": os.pathsep.join(entry for entry in (str(_source_root()), *sys.path) if entry)}


def _source_root() -> Path:
    return Path(__file__).resolve().parents[2]


def os_name() -> str:
    """`windows` or `linux`, as in machine.json: to be handed on, not to be asked."""
    return traits.os_name()
