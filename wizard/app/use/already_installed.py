"""Is what was asked for there already? For who asks again and again: fleets, scripts, start-up files (`--if-missing`).

Only for environments that a run on this computer made: what it made is in its plan. What was not asked for may be as
it is: an older release stays where no release was named.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion

from wizard.compatibility.model import Choices, Plan
from wizard.environment.inspect.baseline import changes_since_baseline
from wizard.environment.inspect.contents import conda_names
from wizard.environment.layout import site_packages
from wizard.environment.naming import is_environment
from wizard.environment.remove.unfinished import unfinished_run
from wizard.model.distributions import info_folders, parse_info_name
from wizard.model.errors import ErrorText, UsageError
from wizard.model.messages import Message
from wizard.run.model import RunInfo
from wizard.run.plan.place import target_prefix
from wizard.run.run_folder import RunFolder
from wizard.run.runs import finished_runs, run_info

PRESENT_OTHER = ErrorText(
    "present-other",
    "The environment in “{path}” has {has}, and {wanted} was asked for; it was left as it is.",
    "Choose another name, install into it [on the page {page.place}|with --into], or delete it first: "
    "[{page.environments}.|torch-wizard envs delete]",
)
PRESENT_LACKS = ErrorText(
    "present-other",
    "The environment in “{path}” has no {names}; it was left as it is.",
    "Choose another name, install into it [on the page {page.place}|with --into], or delete it first: "
    "[{page.environments}.|torch-wizard envs delete]",
)
PRESENT_OWN = ErrorText(
    "present-other",
    "The environment in “{path}” was not made for everybody[| (--shared)]; it was left as it is.",
    "Choose another name, install into it [on the page {page.place}|with --into], or delete it first: "
    "[{page.environments}.|torch-wizard envs delete]",
)


@dataclass(frozen=True, slots=True)
class AlreadyInstalled:
    """The newest run that ended well there. `status` is that of its end: 0, or 3 where the card failed its test.
    `left_out`: what had no use, by the name, with the plan that says so; also of the runs before."""

    plan: Plan
    folder: RunFolder
    status: int
    left_out: dict[str, Plan]


def made_by(prefix: Path) -> AlreadyInstalled | None:
    """Return the newest finished run that made this environment; None: no run of this account did."""
    runs = list(_since_made(prefix))
    if not runs:
        return None
    folder, plan, status = runs[0]
    left_out = {name: one for _, one, _ in reversed(runs) for name in one.left_out}
    return AlreadyInstalled(plan, folder, status, left_out)


def _since_made(prefix: Path) -> Iterator[tuple[RunFolder, Plan, int]]:
    """Yield the runs that ended well there, the newest first, down to the one that made the environment."""
    for folder, plan, status in finished_runs(prefix):
        yield folder, plan, status
        if not plan.choices.reuse:
            return


def already_installed(choices: Choices) -> AlreadyInstalled | None:
    """Return what made it, where all that was asked for is there, or was of no use with it; None where nothing is.

    Raises UsageError `present-not-ours`, `present-other`, `present-changed`: then nothing may be done unasked."""
    prefix = target_prefix(choices)
    if not is_environment(prefix) or unfinished_run(prefix):  # of the latter `check_place` says how to go on
        return None
    found = made_by(prefix)
    if found is None:
        raise UsageError(
            "present-not-ours",
            "In “{path}” is an environment that no setup of yours has made, so nobody knows whether "
            "it is what was asked for.",
            "Choose another name, or install into it: [{page.place}|--into “{path}”].",
            path=str(prefix),
        )
    if wrong := [*_differences(choices, found.plan), *_unlike(choices, prefix)]:
        has, wanted = (", ".join(column) for column in zip(*wrong, strict=True))
        raise UsageError(PRESENT_OTHER, path=str(prefix), has=has, wanted=wanted)
    if missing := _missing(choices, found):
        raise UsageError(PRESENT_LACKS, path=str(prefix), names=", ".join(missing))
    if choices.shared and not found.plan.choices.shared:
        raise UsageError(PRESENT_OWN, path=str(prefix))
    drift = changes_since_baseline(prefix)
    if drift:
        raise UsageError(
            "present-changed",
            "Something has replaced {names} in “{path}” since it was set up.",
            "Bring it back: [{page.doctor}.|torch-wizard doctor --prefix “{path}” --repair]",
            path=str(prefix),
            names=", ".join(one.name for one in drift.changes),
        )
    return found


def left_parts(prefix: Path) -> RunInfo | None:
    """Return the run whose parts of a project are not in, with the names of those that are not there by now; None where
    nothing is missing."""
    infos = (run_info(folder) for folder, _, _ in _since_made(prefix))
    info = next((one for one in infos if one.left), None)
    missing = tuple(name for name in info.left if _name(name) not in _there(prefix)) if info else ()
    return replace(info, left=missing) if info and missing else None


def _differences(choices: Choices, plan: Plan) -> Iterator[tuple[str, str]]:
    """(what is there, what was asked for)"""
    build = plan.candidate
    pairs = (
        ("torch", build.torch, choices.torch),
        ("variant", build.variant, choices.variant),
        ("Python", plan.python, choices.python),
    )
    for name, has, wanted in pairs:
        if wanted is not None and wanted != has:
            yield f"{name} {has}", f"{name} {wanted}"


def _unlike(choices: Choices, prefix: Path) -> Iterator[tuple[str, str]]:
    """(what is there, what was asked for), of the packages that are there in another release than was asked for"""
    there = _there(prefix)
    for asked in choices.extras:
        with contextlib.suppress(InvalidRequirement, InvalidVersion):
            wanted = Requirement(asked)
            has = there.get(canonicalize_name(wanted.name), "")
            if has and not wanted.specifier.contains(has, prereleases=True):
                yield f"{wanted.name} {has}", asked


def _missing(choices: Choices, found: AlreadyInstalled) -> list[str]:
    there = {*_there(Path(found.plan.prefix)), *found.left_out}
    return [asked for asked in (*(choices.companions or ()), *choices.extras) if _name(asked) not in there]


def _there(prefix: Path) -> dict[str, str]:
    """Return the releases of all that is in it by their normal names. What a run put in may be gone since."""
    site = site_packages(prefix)
    found = (parse_info_name(info.name) for info in info_folders(site)) if site else ()
    conda = {canonicalize_name(name): record.version for name, record in conda_names(prefix).items()}
    return conda | dict(filter(None, found))


def left_out_now(choices: Choices, found: AlreadyInstalled) -> Iterator[Message]:
    """Yield what was said of the packages that are named now and had no use: others were named earlier."""
    for name in sorted({*map(_name, choices.extras)}.intersection(found.left_out)):
        yield from (one for one in found.left_out[name].notices if one.params.get("name") == name)


def _name(requirement: str) -> str:
    end = next((at for at, sign in enumerate(requirement) if not (sign.isalnum() or sign in "-_.")), len(requirement))
    return canonicalize_name(requirement[:end])
