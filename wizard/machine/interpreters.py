"""The machine's own Python interpreters that an environment can be built on.

Each is asked in a child with a short limit. Kept: CPython 3, 64 bit, with the ordinary build (no free
threading: it needs other wheels). One that lives in a venv is replaced by its base; a conda one comes
last, for it goes away with its environment.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wizard import paths
from wizard.machine.asking import Ask, question
from wizard.machine.interpreter_places import candidates, is_interpreter_path, is_real, parse_launcher_list
from wizard.machine.interpreter_places import registry_paths as read_registry
from wizard.machine.model import PythonInstall
from wizard.machine.parallel import Task, run_all
from wizard.process import without_memory
from wizard.system.places import places
from wizard.system.traits import this

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
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")), "has_venv": has_venv,
    "release": list(sys.version_info[:2]), "prefix": sys.prefix, "base_prefix": sys.base_prefix,
}))
"""


@dataclass(frozen=True, slots=True)
class Answer:
    version: str
    is_fit: bool
    has_venv: bool
    release: tuple[int, int]
    base_prefix: str
    in_venv: bool

    @property
    def is_conda(self) -> bool:
        return (Path(self.base_prefix) / "conda-meta").is_dir()


def parse_answer(text: str) -> Answer | None:
    """None for anything but the script's own words; noise before them (a site hook's) does no harm."""
    try:
        data = json.loads(text.strip().splitlines()[-1])
        return Answer(
            version=str(data["version"]),
            is_fit=data["name"] == "cpython" and data["is_64_bit"] is True and data["free_threaded"] is False,
            has_venv=bool(data["has_venv"]),
            release=(int(data["release"][0]), int(data["release"][1])),
            base_prefix=str(data["base_prefix"]),
            in_venv=data["prefix"] != data["base_prefix"],
        )
    except (ValueError, LookupError, TypeError):
        return None


def ask_interpreter(ask: Ask, path: Path) -> Answer | None:
    """None for one that does not run, or is no Python. Raises WizardError `no-memory`."""
    outcome = ask(question((str(path), "-I", "-c", _SCRIPT), SECONDS))
    if lack := without_memory(outcome):
        raise lack
    return parse_answer(outcome.stdout) if outcome.ok else None


def _ask_all(ask: Ask, executables: Iterable[Path]) -> dict[Path, Answer]:
    tasks: list[Task[Answer | None]] = []
    by_name: dict[str, Path] = {}
    for path in executables:
        by_name[str(path)] = path
        tasks.append(Task(str(path), partial(ask_interpreter, ask, path), None))
    for task in run_all(tasks, _TOTAL, at_once=_AT_ONCE):
        if task.error and (lack := without_memory(task.error)):
            raise lack
    return {by_name[task.name]: task.value for task in tasks if task.value}


def _base_of(answer: Answer) -> Path:
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
    named = [*read_registry(), *_launcher_paths(ask), *([] if paths.is_frozen() else [sys.executable])]
    for name in named:
        real = Path(name).resolve()
        if real not in found and is_interpreter_path(real) and is_real(real):
            found.append(real)
    return found


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
