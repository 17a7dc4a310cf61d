"""The fallback engine: a virtual environment of a Python that the machine already has.

Needs no network. Where Debian or Ubuntu left out `ensurepip`, the environment is made without pip rather than
not at all: packages are installed by our own uv anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wizard.environment.inspect.prefix import ENV_WRONG_PYTHON, PythonFacts, ask_python, check_free, look_at_python
from wizard.environment.layout import python_of, site_packages_of
from wizard.environment.model import Created, IsCancelled, OnProgress, Target
from wizard.model.errors import Cancelled, WizardError
from wizard.model.messages import message
from wizard.process import Outcome, Request, child_environment, run, without_memory

_DISK_FULL = ("No space left on device", "[Errno 28]", "[WinError 112]")


class VenvEngine:
    """`environment`: further variables for the child."""

    name = "venv"

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = dict(environment or {})

    def create(self, target: Target, on_progress: OnProgress, is_cancelled: IsCancelled) -> Created:
        """See `Engine`. Codes: env-no-base-python, env-no-venv, env-wrong-python, env-disk-full, env-failed."""
        check_free(target.prefix)
        base, facts = _base_of(target)
        on_progress(0, None, message("environments.progress.venv", python=facts.version))
        outcome = self._make(base, target.prefix, facts.has_ensurepip, is_cancelled)
        if not outcome.ok and facts.has_ensurepip and _pip_failed(outcome):
            on_progress(0, None, message("environments.progress.venv-without-pip"))
            outcome = self._make(base, target.prefix, False, is_cancelled)
        if not outcome.ok:
            raise failure(outcome, target.prefix)
        python = python_of(target.prefix)
        version = look_at_python(python, target.python)
        packages = len(list(site_packages_of(target.prefix, version).glob("*.dist-info")))
        return Created(target.prefix, python, version, self.name, packages)

    def _make(self, base: Path, prefix: Path, with_pip: bool, is_cancelled: IsCancelled) -> Outcome:
        argv = [str(base), "-I", "-m", "venv", "--prompt", prefix.name, *([] if with_pip else ["--without-pip"])]
        environment = child_environment(self._environment)
        outcome = run(Request((*argv, str(prefix)), environment=environment), is_cancelled=is_cancelled)
        if outcome.cancelled or is_cancelled():
            raise Cancelled
        return outcome


def _base_of(target: Target) -> tuple[Path, PythonFacts]:
    base = target.base_python
    if base is None or not base.exists():
        raise WizardError(
            "env-no-base-python",
            "The Python {python} that should make the environment is no longer there ({path}).",
            "Start again, so that the program looks for Python anew.",
            path=str(base or ""),
            python=target.python,
        )
    facts = ask_python(base)
    if facts.minor != target.python:
        raise WizardError(ENV_WRONG_PYTHON, path=str(base), found=facts.version, python=target.python)
    if not facts.has_venv:
        raise WizardError(
            "env-no-venv",
            "The Python in “{path}” can't make virtual environments.",
            "On Debian and Ubuntu install python{python}-venv; elsewhere install Python {python} "
            "from its official installer.",
            path=str(base),
            python=target.python,
        )
    return base, facts


def _pip_failed(outcome: Outcome) -> bool:
    return "ensurepip" in outcome.stderr + outcome.stdout


def failure(outcome: Outcome, prefix: Path) -> WizardError:
    """Return the error for a venv that was not made: no memory, a full disk, or what Python said."""
    if lack := without_memory(outcome):
        return lack
    said = outcome.stderr + outcome.stdout
    code = "env-disk-full" if any(mark in said for mark in _DISK_FULL) else "env-failed"
    return WizardError(code, details=outcome.tail(), path=str(prefix))
