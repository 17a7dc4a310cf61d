"""Which of the user's condas makes the environment, and why: the one they named, else the first that answers.

What lies on the machine is found by `machine.condas`; here one is confirmed by `info --json`, with a time limit, since
a conda on a dead network drive or with a broken Python is found all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wizard.environments.conda_answer import CondaInfo, parse_info
from wizard.environments.conda_commands import conda_environment, info_command
from wizard.environments.model import IsCancelled
from wizard.errors import Cancelled, UsageError, WizardError
from wizard.i18n import Message, message
from wizard.process import Request, run
from wizard.system.traits import of

INFO_SECONDS = 60.0  # the first start on a cold or network disk
_VARIABLES = ("CONDA_EXE", "MAMBA_EXE", "MAMBA_ROOT_PREFIX")


@dataclass(frozen=True, slots=True)
class KnownConda:
    """One that lies on this machine. `found_by`: a variable's name, "PATH", "registry", "folder" or "hand"."""

    executable: Path
    kind: str
    found_by: str


@dataclass(frozen=True, slots=True)
class OwnConda:
    """A conda of the user's that answers, and the sentence that says which and why."""

    executable: Path
    info: CondaInfo
    reason: Message


def find_conda(
    named: str | None,
    known: Sequence[KnownConda],
    extra: Mapping[str, str],
    is_cancelled: IsCancelled = lambda: False,
) -> OwnConda:
    """`named` is the user's choice: a program, or the folder of an installation; nothing else is then tried.

    Raises UsageError `conda-not-there`, `engine-conda-none`; WizardError when the named one does not answer; Cancelled.
    """
    if named is not None:
        chosen = KnownConda(executable_in(Path(named).expanduser().absolute()), "", "hand")
        return _own(chosen, confirm(chosen.executable, extra, is_cancelled))
    failures: list[WizardError] = []
    for each in known:
        try:
            executable = executable_in(each.executable)
            return _own(each, confirm(executable, extra, is_cancelled))
        except WizardError as error:
            failures.append(error)
    tried = ", ".join(str(each.executable) for each in known) or "-"
    details = "\n".join(f"{error.code}: {error.details}" for error in failures)
    raise UsageError("engine-conda-none", details, tried=tried)


def confirm(executable: Path, extra: Mapping[str, str], is_cancelled: IsCancelled = lambda: False) -> CondaInfo:
    """Runs `info --json`. Raises WizardError conda-not-started, conda-silent, conda-no-answer; Cancelled."""
    request = Request(info_command(executable), environment=conda_environment(extra), timeout=INFO_SECONDS)
    outcome = run(request, is_cancelled=is_cancelled)
    if outcome.cancelled or is_cancelled():
        raise Cancelled
    if outcome.exit_code is None:
        raise WizardError("conda-not-started", outcome.tail(), path=str(executable))
    if outcome.timed_out:
        raise WizardError("conda-silent", outcome.tail(), path=str(executable), seconds=int(INFO_SECONDS))
    info = parse_info(outcome.stdout) if outcome.ok else None
    if info is None:
        raise WizardError("conda-no-answer", outcome.tail(), program=str(executable))
    return info


def executable_in(place: Path, os_name: str | None = None) -> Path:
    """The program itself: out of an installation's folder, or for a .bat the .exe beside it.

    Raises UsageError `conda-not-there`.
    """
    inside = of(os_name).conda_programs
    root = place
    if place.suffix.lower() in (".bat", ".cmd"):
        root = place.parent.parent
        inside = tuple(each for each in inside if Path(each).stem == place.stem.lower())
    elif place.is_file():
        return place
    for each in inside:
        if (root / each).is_file():
            return root / each
    raise UsageError("conda-not-there", path=str(place))


def _own(known: KnownConda, info: CondaInfo) -> OwnConda:
    executable = executable_in(known.executable)
    how = "variable" if known.found_by in _VARIABLES else known.found_by.lower()
    key = how if how in ("variable", "path", "registry", "hand") else "folder"
    reason = message(
        f"environments.reason.conda-{key}",
        kind=info.kind, version=info.version, path=str(executable), variable=known.found_by,
    )  # fmt: skip
    return OwnConda(executable, info, reason)
