"""The doctor's use cases: examine and verify an environment, plan its repair. The way back is `diagnose.repair.states`.

Gathers what the doctor needs from this computer and what earlier runs say the environment was meant to be; decides
nothing itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packaging.utils import canonicalize_name

from wizard.compatibility.data.ordering import CPU
from wizard.compatibility.model import Choices, Plan
from wizard.diagnose.repair.states import under_way
from wizard.environment.inspect.baseline import EnvironmentChanges, changes_since_baseline
from wizard.environment.inspect.installation import Installation, Meant, read_installation, user_variables
from wizard.environment.inspect.start_files import at_each_start
from wizard.environment.layout import python_of, site_packages
from wizard.environment.naming import absolute_prefix
from wizard.model.distributions import changed_files, folder_name, info_folders, read_distribution, read_record
from wizard.model.errors import Cancelled, ErrorText, ExitStatus, UsageError, WizardError
from wizard.model.lock import PackageVersion
from wizard.model.messages import Message, message
from wizard.process import Request, child_environment, run
from wizard.run.runs import finished_runs

if TYPE_CHECKING:  # who only lists what repairs have kept waits for none of these
    from wizard.compatibility.data.model import Matrix
    from wizard.diagnose.model import DoctorResult
    from wizard.diagnose.repair.plan import RepairPreview
    from wizard.run.model import Facts


NO_ENVIRONMENT = ErrorText(
    "no-environment",
    "There is no Python environment in {path}.",
    "Give the folder that holds bin/python (on Windows: python.exe or Scripts).",
)

IsCancelled = Callable[[], bool]
_MOST = 50  # lines for the log
_SAY_VERSION = ("torch/__init__.py", "torch/version.py")
_ANSWERS = 60.0  # seconds for an import of torch, from a slow disk


@dataclass(frozen=True, slots=True)
class Examination:
    """`facts`: of this computer at that moment; the repair is planned on them."""

    facts: Facts
    installation: Installation
    answer: DoctorResult
    drift: EnvironmentChanges | None


def examine_prefix(
    facts: Facts,
    matrix: Matrix,
    prefix: Path,
    *,
    imports: bool = True,
    deep: bool = False,
    variables: Mapping[str, str] | None = None,
    on_stage: Callable[[str], None] = lambda stage: None,
    is_cancelled: IsCancelled = lambda: False,
) -> Examination:
    """Raises UsageError `no-environment`, `environment-unreadable`, Cancelled."""
    from wizard.diagnose.checks.host_facts import look_around
    from wizard.diagnose.examine import examine

    prefix = absolute_prefix(str(prefix))
    check_environment(prefix)
    env, answer = examine(
        prefix,
        facts.machine,
        matrix,
        look_around(),
        user_variables() if variables is None else variables,
        meant=meant_by_plan(prefix),
        imports=imports,
        deep=deep,
        on_stage=on_stage,
        is_cancelled=is_cancelled,
    )
    return Examination(facts, env, answer, changes_since_baseline(prefix))


def check_environment(prefix: Path) -> None:
    """A broken Python is something for the doctor; a folder that never was an environment is not."""
    if prefix.is_dir() and not os.access(prefix, os.R_OK | os.X_OK):
        raise UsageError(
            "environment-unreadable",
            "You may not read {path}.",
            "Ask its owner for access, or set up an environment of your own [on the page {page.welcome}.|with: "
            "torch-wizard setup]",
            path=str(prefix),
        )
    marks = (python_of(prefix), prefix / "pyvenv.cfg", prefix / "conda-meta")
    if not any(os.path.lexists(mark) for mark in marks):
        raise UsageError(NO_ENVIRONMENT, path=str(prefix))


# Others print, too, at Python's end.
_MARK = "torch-setup: torch is"
_ANSWER = re.compile(rf"^.*{_MARK} (\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class AnotherVersion:
    """What torch says that it is, and what its files are; `names`: what Python runs at each start there."""

    prefix: Path
    imported: str
    torch: str
    names: tuple[str, ...]

    def words(self) -> Message:
        return message("doctor.say.other-version", prefix=str(self.prefix), imported=self.imported, torch=self.torch)

    def to_json(self) -> dict[str, Any]:
        words = {"prefix": str(self.prefix), "imported": self.imported, "torch": self.torch}
        return {**words, "files": list(self.names)}


def altered_torches(prefixes: Iterable[Path], is_cancelled: IsCancelled = lambda: False) -> tuple[AnotherVersion, ...]:
    """Return those in which torch says another version than that of its files.

    Asks Python, for some seconds each, only where something may change it: code that is run at each start, also of a
    package, or a file of torch that says its version. One that does not answer says nothing. Raises Cancelled.
    """
    return tuple(found for prefix in prefixes if (found := _altered(prefix, is_cancelled)))


def _altered(prefix: Path, is_cancelled: IsCancelled) -> AnotherVersion | None:
    site = site_packages(prefix)
    infos = [info for info in info_folders(site) if folder_name(info) == "torch"] if site else []
    torch = read_distribution(infos[0]) if len(infos) == 1 else None
    if site is None or torch is None:
        return None
    names = at_each_start(site)
    own = [one for one in read_record(infos[0]) if one.path in _SAY_VERSION]
    if not (names or changed_files(site, own, "torch")):
        return None
    argv = (str(python_of(prefix)), "-c", f"import torch; print({_MARK!r}, torch.__version__)")
    asked = run(Request(argv, cwd=prefix, environment=child_environment(), timeout=_ANSWERS), is_cancelled=is_cancelled)
    if asked.cancelled:
        raise Cancelled
    said = _ANSWER.findall(asked.stdout)[:1] if asked.ok else []
    is_own = said and (said[0] == torch.version or (not torch.local and said[0].partition("+")[0] == torch.release))
    if is_own or not said:
        return None
    return AnotherVersion(prefix, said[0], torch.version, names)


def plans_for(prefix: Path) -> tuple[Plan, ...]:
    """Of the runs that ended well there, the newest first."""
    return tuple(plan for _, plan, _ in finished_runs(prefix))


def put_in_last(env: Installation) -> tuple[PackageVersion, ...]:
    """Return the parts of a project that are there, as they are: no lock has a wheel of what was built for it. One of
    the name of a locked package is not there, but that is, from a wheel."""
    parts = [part for plan in plans_for(env.prefix) if plan.project for part in plan.project.parts]
    named = {one.name: one for part in parts if (one := env.one(canonicalize_name(part.name)))}
    return tuple(PackageVersion(one.name, one.version) for one in named.values() if one.installer == "pip")


def meant_by_plan(prefix: Path) -> Meant | None:
    plan = next(iter(plans_for(prefix)), None)
    if plan is None:
        return None
    variant = plan.candidate.variant
    return Meant(plan.candidate.torch, variant, "plan", is_forced=variant == CPU and plan.choices.variant != CPU)


def plan_examined(
    found: Examination, matrix: Matrix, choices: Choices, is_cancelled: IsCancelled = lambda: False
) -> RepairPreview:
    """Without sources by hand, those of the setup of this environment are asked again.

    Raises WizardError `repair-under-way` where an earlier one still moves files, or was killed at it.
    """
    from wizard.diagnose.repair.plan import plan_repair

    if half := under_way(found.installation.prefix):
        raise half
    by_hand = (choices.index, choices.torch_index, choices.find_links)
    earlier = next(iter(plans_for(found.installation.prefix)), None)
    if earlier and not any(by_hand):
        known = earlier.choices
        choices = Choices(index=known.index, torch_index=known.torch_index, find_links=known.find_links)
    return plan_repair(found.facts, matrix, found.installation, found.answer, choices, is_cancelled)


def verify_prefix(prefix: Path, is_cancelled: IsCancelled, deep: bool = False) -> tuple[dict[str, Any], ExitStatus]:
    """(report, exit status). `deep`: first the content of every file of every package against its RECORD.

    Raises UsageError `no-environment`, WizardError `contents-differ`.
    """
    from wizard.diagnose.checks.packages import compare_contents
    from wizard.diagnose.known_errors.match import cause_and_fix
    from wizard.machine.probe import probe
    from wizard.run.report.document import report_document
    from wizard.run.verify.model import exit_status
    from wizard.run.verify.smoke import verify

    python = python_of(prefix)
    if not python.exists():
        raise UsageError(NO_ENVIRONMENT, path=str(prefix))
    if deep and (wrong := compare_contents(read_installation(prefix, user_variables()), is_cancelled)):
        raise WizardError(
            "contents-differ",
            "Installed files differ from what their packages list: {first} ({count} in all).",
            "To see what can be mended, [open the page {page.doctor}.|run: torch-wizard doctor --deep --prefix {path}]",
            details="\n".join(wrong[:_MOST]),
            count=len(wrong),
            first=wrong[0],
            path=str(prefix),
        )
    machine = probe(None, is_cancelled)
    verification = verify(
        python, bool(machine.driver and machine.nvidia_gpus), machine, is_cancelled, explain=cause_and_fix
    )
    status = exit_status(verification)
    return report_document(None, verification, status=int(status), error=None), status
