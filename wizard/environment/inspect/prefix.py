"""Looks at a prefix and its interpreter by running it: what an engine says is believed when this agrees."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wizard.environment.model import TARGET_IS_LINK, TARGET_NOT_EMPTY
from wizard.environment.remove.unfinished import MARKER, holds_something
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.model.typed import from_last_line
from wizard.process import Request, run, without_memory

ENV_BROKEN = ErrorText(
    "env-broken",
    "The Python in “{path}” does not run.",
    "Try again; if an antivirus program blocks new programs, allow this folder.",
)
ENV_WRONG_PYTHON = ErrorText(
    "env-wrong-python",
    "“{path}” is Python {found}, and Python {python} is needed.",
    "Choose Python {python} from the list, or start again.",
)

_PROBE_SECONDS = 120.0  # first start on a cold or network disk
_ASK = (
    "import importlib.util as u, json, sys;"
    "print(json.dumps({'version': '%d.%d.%d' % sys.version_info[:3],"
    " 'has_venv': bool(u.find_spec('venv')), 'has_ensurepip': bool(u.find_spec('ensurepip'))}))"
)


@dataclass(frozen=True, slots=True)
class PythonFacts:
    version: str
    has_venv: bool
    has_ensurepip: bool

    @property
    def minor(self) -> str:
        return ".".join(self.version.split(".")[:2])


def ask_python(python: Path) -> PythonFacts:
    """Run it in isolated mode. Raises WizardError `env-broken` when it does not run, or `no-memory`."""
    outcome = run(Request((str(python), "-I", "-c", _ASK), timeout=_PROBE_SECONDS))
    if not outcome.ok:
        raise without_memory(outcome) or WizardError(ENV_BROKEN, details=outcome.tail(), path=str(python))
    try:
        return from_last_line(outcome.stdout, PythonFacts)
    except (ValueError, RecursionError) as error:
        raise WizardError(ENV_BROKEN, details=outcome.tail(), path=str(python)) from error


def look_at_python(python: Path, wanted: str) -> str:
    """Return its full version. Raises WizardError `env-broken` or `env-wrong-python`."""
    facts = ask_python(python)
    if facts.minor != wanted:
        raise WizardError(ENV_WRONG_PYTHON, path=str(python), found=facts.version, python=wanted)
    return facts.version


def check_free(prefix: Path) -> None:
    """Refuse a folder that holds something: an engine fills an empty one only (our own mark may be in it). Raises
    UsageError `target-not-empty`."""
    if prefix.is_symlink():
        raise UsageError(TARGET_IS_LINK, path=str(prefix))
    if prefix.exists() and (not prefix.is_dir() or holds_something(prefix, but=(MARKER,))):
        raise UsageError(TARGET_NOT_EMPTY, path=str(prefix))
