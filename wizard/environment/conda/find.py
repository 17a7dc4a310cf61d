"""Which of the user's condas makes the environment, and the command lines that it is given.

Which of the user's condas makes the environment, and why: the one they named, else the first that answers.

What lies on the machine is found by `machine.condas`; here one is confirmed by `info --json`, with a time limit, since
a conda on a dead network drive or with a broken Python is found all the same.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wizard.environment.conda.answer import CondaInfo, parse_info
from wizard.environment.conda.errors import CONDA_NO_ANSWER, CONDA_NOT_STARTED
from wizard.environment.model import IsCancelled, Target
from wizard.model.errors import Cancelled, ErrorText, UsageError, WizardError
from wizard.model.messages import Message, message
from wizard.process import Request, child_environment, run
from wizard.system.traits import of

ENGINE_CONDA_NONE = ErrorText(
    "engine-conda-none",
    "No conda on this computer answers (looked at: {tried}).",
    "Name one [on the page {page.place}|with --conda PATH], have Miniforge installed first, or take the built-in "
    "engine[| (--engine rattler)], which needs no conda.",
)

# The command lines that we give to conda, and the environment it runs in. Nothing here runs anything.
#
# Only channels that we name count (`--override-channels`), no terms are accepted, no prompt is waited for. conda's own
# settings (proxy, package cache, certificates, solver) stay in force: it is the user's conda. Activation and `conda
# run` are never used: the prefix's Python is called by its path.

# Variables that would change what is made, or answer a question that is the user's alone.
_DROPPED = frozenset(
    {
        "CONDA_SUBDIR",
        "CONDA_CHANNELS",
        "CONDA_CHANNEL_PRIORITY",
        "CONDA_DRY_RUN",
        "CONDA_DOWNLOAD_ONLY",
        "CONDA_CREATE_DEFAULT_PACKAGES",
        "CONDA_PINNED_PACKAGES",
        "CONDA_TRACK_FEATURES",
        "CONDA_NO_DEPS",
        "CONDA_JSON",
        "CONDA_QUIET",
        "CONDA_VERBOSITY",
        "CONDA_ALWAYS_YES",
        "CONDA_FORCE",
        "CONDA_CLOBBER",
        "CONDA_PLUGINS_AUTO_ACCEPT_TOS",
        "CONDA_OVERRIDE_FROZEN",
        "CONDA_DEFAULT_PYTHON",
        "CONDA_OVERRIDE_CUDA",
        "MAMBA_DRY_RUN",
        "MAMBA_DOWNLOAD_ONLY",
        "MAMBA_JSON",
        "MAMBA_ALWAYS_YES",
        "MAMBA_PLATFORM",
        "MAMBA_CHANNELS",
        "MAMBA_TARGET_PREFIX",
        "MAMBA_NO_DEPS",
    }
)


def conda_environment(extra: Mapping[str, str], cuda: str | None = None) -> dict[str, str]:
    """Return the variables for conda. `extra`: proxy and certificates. `cuda` for the `__cuda` virtual package when
    planning for a card."""
    base = {name: value for name, value in os.environ.items() if name.upper() not in _DROPPED}
    fixed = {
        "CONDA_PLUGINS_AUTO_ACCEPT_TOS": "no",
        # Empty means "no CUDA": asking the driver could hang on a lost card, and Python needs no answer.
        "CONDA_OVERRIDE_CUDA": cuda or "",
        # Else a note about a newer conda may stand before the JSON.
        "CONDA_NOTIFY_OUTDATED_CONDA": "false",
    }
    return child_environment({**extra, **fixed}, base)


def info_command(executable: Path) -> tuple[str, ...]:
    return (str(executable), "info", "--json")


def plan_command(executable: Path, target: Target, is_libmamba: bool) -> tuple[str, ...]:
    """Return the command of a dry run. For a folder beside the target: in one that exists, conda's dry run stops before
    it has solved."""
    beside = target.prefix.with_name(f"{target.prefix.name}.torch-setup-plan")
    return (*_create(executable, "create", beside, target, is_libmamba), "--dry-run")


def create_command(executable: Path, target: Target, is_libmamba: bool) -> tuple[str, ...]:
    """Return the command. mamba 2 refuses to create in a folder that holds anything, our mark too; it installs into an
    empty prefix."""
    verb = "install" if is_libmamba else "create"
    return _create(executable, verb, target.prefix, target, is_libmamba)


def _create(executable: Path, verb: str, prefix: Path, target: Target, is_libmamba: bool) -> tuple[str, ...]:
    channels = [part for channel in target.channels for part in ("--channel", channel)]
    plain = () if is_libmamba else ("--no-default-packages",)  # the user's own additions to every environment
    return (
        str(executable),
        verb,
        "--prefix",
        str(prefix),
        "--override-channels",
        *channels,
        *plain,
        "--json",
        "--yes",
        f"python={target.python}",
        "pip",
        *target.specs,
    )


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
    """Find a conda. `named` is the user's choice: a program, or the folder of an installation; nothing else is then
    tried.

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
    raise UsageError(ENGINE_CONDA_NONE, details=details, tried=tried)


def confirm(executable: Path, extra: Mapping[str, str], is_cancelled: IsCancelled = lambda: False) -> CondaInfo:
    """Run `info --json`. Raises WizardError conda-not-started, conda-silent, conda-no-answer; Cancelled."""
    request = Request(info_command(executable), environment=conda_environment(extra), timeout=INFO_SECONDS)
    outcome = run(request, is_cancelled=is_cancelled)
    if outcome.cancelled or is_cancelled():
        raise Cancelled
    if outcome.exit_code is None:
        raise WizardError(CONDA_NOT_STARTED, details=outcome.tail(), path=str(executable))
    if outcome.timed_out:
        raise WizardError(
            "conda-silent",
            "“{path}” gave no answer within {seconds} seconds.",
            "Its disk may not be reachable. Name another one [on the page {page.place}|with --conda], or take the "
            "built-in engine[| (--engine rattler)].",
            details=outcome.tail(),
            path=str(executable),
            seconds=int(INFO_SECONDS),
        )
    info = parse_info(outcome.stdout) if outcome.ok else None
    if info is None:
        raise WizardError(CONDA_NO_ANSWER, details=outcome.tail(), program=str(executable))
    return info


def executable_in(place: Path, os_name: str | None = None) -> Path:
    """Return the program itself: out of an installation's folder, or for a .bat the .exe beside it.

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
    raise UsageError(
        "conda-not-there",
        "There is no conda, mamba or micromamba in “{path}”.",
        "Name the program itself, or the folder of its installation.",
        path=str(place),
    )


def _own(known: KnownConda, info: CondaInfo) -> OwnConda:
    executable = executable_in(known.executable)
    how = "variable" if known.found_by in _VARIABLES else known.found_by.lower()
    key = how if how in ("variable", "path", "registry", "hand") else "folder"
    reason = message(
        f"environments.reason.conda-{key}",
        kind=info.kind,
        version=info.version,
        path=str(executable),
        variable=known.found_by,
    )
    return OwnConda(executable, info, reason)
