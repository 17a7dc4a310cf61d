"""The machine's own Python interpreters that an environment can be built on.

Each is asked in a child with a short limit. Kept: CPython 3, 64 bit, with the ordinary build (no free
threading: it needs other wheels). One that lives in a venv is replaced by its base; a conda one comes
last, for it goes away with its environment.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wizard.machine.asking import Ask, TimedCall, question, run_all
from wizard.machine.model import PythonInstall
from wizard.model.errors import UsageError
from wizard.model.typed import from_last_line
from wizard.process import without_memory
from wizard.system import paths
from wizard.system.places import places
from wizard.system.traits import this
from wizard.system.windows.registry import registry

# Where Python interpreters lie: PATH, version tools, system folders, Windows' launcher and registry.
#
# Only names; whether one works is asked in `interpreters`. Left out on sight: shims (a script that picks another Python
# each day) and the Windows Store's stubs (they open a shop).

_NAME = re.compile(r"python(3(\.\d{1,2})?)?", re.IGNORECASE)
_WINDOWS_DRIVE = re.compile(r"/mnt/[a-z](/|$)")  # in WSL, PATH goes on with Windows' folders: slow, and not ours
# `-V:3.12 *   C:\...\python.exe` of today's launcher, ` -3.9-64  C:\...\python.exe *` of the old one.
_LAUNCHER_LINE = re.compile(r"^\s*-\S+\s+(?:\*\s+)?(?P<path>\S.*?\.exe)(?:\s+\*)?\s*$", re.IGNORECASE | re.MULTILINE)
_SKIPPED_FOLDERS = frozenset({"shims", "windowsapps"})


def parse_launcher_list(text: str) -> tuple[str, ...]:
    """The paths in the answer to `py -0p`, newest first as it gives them."""
    return tuple(match["path"] for match in _LAUNCHER_LINE.finditer(text.replace("\r\n", "\n")))


def is_interpreter_path(path: Path) -> bool:
    """By its name and folder alone."""
    ending = this().program_ending
    is_named_so = path.name.lower().endswith(ending) and _NAME.fullmatch(path.name[: len(path.name) - len(ending)])
    return bool(is_named_so) and not _SKIPPED_FOLDERS.intersection(part.lower() for part in path.parts[:-1])


def _in_folder(folder: Path) -> Iterator[Path]:
    try:
        found = [path for path in folder.iterdir() if is_interpreter_path(path)]
    except OSError:
        return
    # Path.is_file would raise in a folder that may be listed and not entered.
    yield from sorted(path for path in found if os.path.isfile(path) and os.access(path, os.X_OK))  # noqa: PTH113


def _matching(folder: Path, pattern: str) -> list[Path]:
    """A variable may name a folder that only another user may enter (PYENV_ROOT after `su`)."""
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []


def folders(environment: Mapping[str, str], home: Path, root: Path = Path("/")) -> Iterator[Path]:
    """PATH first: what the user's own shell finds comes first."""
    on_path = environment.get("PATH", "").split(os.pathsep)
    yield from (Path(place) for place in on_path if place and not _WINDOWS_DRIVE.match(place))
    for folder, pattern in places().python_folders(environment, home, root):
        yield from _matching(folder, pattern)


def registry_paths() -> tuple[str, ...]:
    """PEP 514: every installed CPython writes its place here. Empty where there is no registry."""
    return tuple(str(Path(folder, "python.exe")) for folder in registry().install_folders("PythonCore"))


def candidates(environment: Mapping[str, str], home: Path, root: Path = Path("/")) -> Iterator[Path]:
    """Existing files, links followed to their end, so that the python of a venv is already its base."""
    seen: set[Path] = set()
    for folder in folders(environment, home, root):
        for path in _in_folder(folder):
            real = path.resolve()
            if real not in seen and is_real(real):
                seen.add(real)
                yield real


def is_real(path: Path) -> bool:
    """After links: not a shim, not empty (the Store's stubs are files of no bytes)."""
    try:
        return not _SKIPPED_FOLDERS.intersection(part.lower() for part in path.parts[:-1]) and path.stat().st_size > 0
    except OSError:
        return False


SECONDS = 10.0  # a cold disk with a virus scanner needs two, a computer with much else to do six
_TOTAL = 20.0
_AT_ONCE = 6

# Runs in the asked Python, any version: the last line of what it prints is one JSON object.
_SCRIPT = """
import json, platform, sys, sysconfig
try:
    import venv, ensurepip
    has_venv = True
except ImportError:
    has_venv = False
print(json.dumps({
    "version": platform.python_version(), "name": sys.implementation.name, "is_64_bit": sys.maxsize > 2**32,
    "is_free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")), "has_venv": has_venv,
    "release": list(sys.version_info[:2]), "prefix": sys.prefix, "base_prefix": sys.base_prefix,
}))
"""


@dataclass(frozen=True, slots=True)
class InterpreterFacts:
    version: str
    name: str  # "cpython"
    is_64_bit: bool
    is_free_threaded: bool
    has_venv: bool
    release: tuple[int, int]
    prefix: str
    base_prefix: str

    @property
    def is_fit(self) -> bool:
        return self.name == "cpython" and self.is_64_bit and not self.is_free_threaded

    @property
    def in_venv(self) -> bool:
        return self.prefix != self.base_prefix

    @property
    def is_conda(self) -> bool:
        return (Path(self.base_prefix) / "conda-meta").is_dir()


def parse_answer(text: str) -> InterpreterFacts | None:
    """Return the script's answer; None for anything else."""
    try:
        return from_last_line(text, InterpreterFacts)
    except (ValueError, RecursionError):
        return None


def ask_interpreter(ask: Ask, path: Path) -> InterpreterFacts | None:
    """None for one that does not run, or is no Python. Raises WizardError `no-memory`."""
    outcome = ask(question((str(path), "-I", "-c", _SCRIPT), SECONDS))
    if lack := without_memory(outcome):
        raise lack
    return parse_answer(outcome.stdout) if outcome.ok else None


def _ask_all(ask: Ask, executables: Iterable[Path]) -> dict[Path, InterpreterFacts]:
    tasks: list[TimedCall[InterpreterFacts | None]] = []
    by_name: dict[str, Path] = {}
    for path in executables:
        by_name[str(path)] = path
        tasks.append(TimedCall(str(path), partial(ask_interpreter, ask, path), None))
    for _ in run_all(tasks, _TOTAL, at_once=_AT_ONCE):
        pass
    for task in tasks:
        if task.error and (lack := without_memory(task.error)):
            raise lack
    return {by_name[task.name]: task.value for task in tasks if task.value}


def _base_of(answer: InterpreterFacts) -> Path:
    """The interpreter below a venv that was made with copies (links were followed before)."""
    return places().base_python(Path(answer.base_prefix), answer.release)


def _launcher_paths(ask: Ask) -> tuple[str, ...]:
    command = this().python_launcher
    if not command:
        return ()
    outcome = ask(question(command, SECONDS))
    return parse_launcher_list(outcome.stdout) if outcome.ok else ()


def _all_candidates(ask: Ask, environment: Mapping[str, str], home: Path, root: Path) -> list[Path]:
    found = list(candidates(environment, home, root))
    named = [*registry_paths(), *_launcher_paths(ask), *([] if paths.is_frozen() else [sys.executable])]
    for name in named:
        real = Path(name).resolve()
        if real not in found and is_interpreter_path(real) and is_real(real):
            found.append(real)
    return found


def named_python(ask: Ask, path: Path) -> PythonInstall:
    """Return the interpreter that a person named, or the one below it: of a venv, of a shim.

    Raises UsageError `python-not-usable`, WizardError `no-memory`."""
    real = path.expanduser().resolve()
    answer = ask_interpreter(ask, real) if real.is_file() else None
    if answer and (answer.in_venv or not is_real(real)):
        real = _base_of(answer)
        answer = ask_interpreter(ask, real)
    if answer is None or not answer.is_fit or not answer.has_venv:
        raise UsageError(
            "python-not-usable",
            "“{path}” is no Python that an environment can be made from.",
            "Name a CPython 3 of 64 bits that has the modules venv and ensurepip (on Debian and Ubuntu the package "
            "python3-venv brings them), or a version such as 3.12.",
            path=str(path),
        )
    return PythonInstall(str(real), answer.version, answer.has_venv)


def probe_pythons(
    ask: Ask, environment: Mapping[str, str] | None = None, home: Path | None = None, root: Path = Path("/")
) -> tuple[PythonInstall, ...]:
    """Newest first, conda's last. `root` is where the system folders are looked for."""
    known = os.environ if environment is None else environment
    answers = _ask_all(ask, _all_candidates(ask, known, home or Path.home(), root))
    bases = {_base_of(answer) for answer in answers.values() if answer.in_venv} - set(answers)
    answers.update(_ask_all(ask, sorted(bases)))
    fit = [(path, answer) for path, answer in answers.items() if answer.is_fit and not answer.in_venv]
    fit.sort(key=lambda item: (item[1].is_conda, tuple(-part for part in item[1].release), not item[1].has_venv))
    return tuple(PythonInstall(str(path), answer.version, answer.has_venv) for path, answer in fit)
