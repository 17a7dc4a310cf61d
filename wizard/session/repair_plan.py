"""From an answer of the doctor to a repair that can be carried out: which files come, what goes, bytes and time.

Resolved and locked by the code of a setup; then everything that is there already in the right version is left out of
the lock, so that only what the repair needs is fetched. Nothing is changed here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.utils import canonicalize_name

from wizard.doctor.aside import FOLDER
from wizard.doctor.examine import gpu_expected
from wizard.doctor.guards import guard_files
from wizard.doctor.installation import Installation
from wizard.doctor.model import Answer, Remedy
from wizard.doctor.repair import Repair, write_repair
from wizard.errors import WizardError
from wizard.i18n import Message, bytes_text, message
from wizard.matrix.model import Matrix
from wizard.matrix.ordering import CPU
from wizard.packages.model import Lock
from wizard.plan.model import Candidate, Choices, Plan
from wizard.session.computed import Asker
from wizard.session.inside_plan import inside_plan
from wizard.session.model import Facts
from wizard.session.other_packages import of_both
from wizard.session.preview import from_settings, save_run
from wizard.session.repair_lock import election_for, lock_for
from wizard.session.repair_speed import Transfer, measured_rates, transfer_of
from wizard.session.repair_wish import named_packages, read_wish
from wizard.steps.run_folder import create_run_folder, new_run_id
from wizard.system import moving

_ASSUMED = 5_000_000  # bytes a second, where no race has measured: said so


@dataclass(frozen=True, slots=True)
class RepairPreview:
    plan: Plan
    lock: Lock
    repair: Repair
    changes: tuple[Message, ...]
    download_bytes: int | None = None  # less what is in the downloads already


def plan_repair(
    facts: Facts, matrix: Matrix, env: Installation, answer: Answer, choices: Choices, is_cancelled: Callable[[], bool]
) -> RepairPreview:
    """Saved as a run that has not started. Raises WizardError `repair-…`, `no-source`, `lock-…`, Cancelled."""
    remedy = answer.remedy
    _check_possible(env, remedy)
    wanted = read_wish(facts, matrix, env, remedy)
    folder = create_run_folder(new_run_id())
    try:
        election = election_for(facts, matrix, env, wanted, choices, is_cancelled)
        lock = lock_for(facts, election, env, wanted, folder, Asker(choices, is_cancelled))
        both = of_both(lock, election.package_sources, facts.settings, is_cancelled)
        repair = _repair(env, answer, remedy, election.candidate, lock)
        goal = replace(choices, prefix=str(env.prefix), name=None)
        is_expected = gpu_expected(env, facts.machine) and election.candidate.variant != CPU
        plan = inside_plan(facts, env, election, goal, folder, lock, is_expected)
        write_repair(folder.path, repair)
        save_run(folder, plan, lock)
    except OSError as error:
        moving.remove_tree(folder.path)
        raise WizardError("state-not-writable", details=str(error), path=str(folder.path.parent)) from error
    except BaseException:
        moving.remove_tree(folder.path)
        raise
    rates = measured_rates(facts.settings, (election.torch_source, *election.package_sources))
    transfer = transfer_of(lock.files, rates)
    changes = (*_changes(plan, lock, repair, env, transfer), *both)
    return RepairPreview(plan, lock, repair, changes, transfer.size)


def _check_possible(env: Installation, remedy: Remedy) -> None:
    if not remedy.changes_something or env.python is None:
        raise WizardError("repair-by-hand")
    is_own = env.is_conda or (env.prefix / "pyvenv.cfg").is_file()
    is_of_system = (env.python.stdlib / "EXTERNALLY-MANAGED").is_file() or env.prefix in (
        Path("/usr"),
        Path("/usr/local"),
    )
    if not is_own and is_of_system:
        raise WizardError("repair-system", path=str(env.prefix))
    closed = next((path for path in (env.prefix, env.site) if not os.access(path, os.W_OK)), None)
    if closed:
        raise WizardError("repair-not-yours", path=str(closed))
    twice = {path.name.split("-")[0] for path in remedy.aside}
    for name in named_packages(remedy, env):
        owned = [each for each in env.find(name) if each.installer == "conda"]
        if owned and len(env.find(name)) == 1 and name not in twice:
            raise WizardError("repair-conda-owned", name=name)


def _repair(env: Installation, answer: Answer, remedy: Remedy, candidate: Candidate, lock: Lock) -> Repair:
    return Repair(
        code=answer.cause.code if answer.cause else "",
        names=tuple(file.name for file in lock.files),
        aside=tuple(str(path) for path in remedy.aside),
        no_user_site=remedy.no_user_site,
        drop_library_folders=remedy.drop_library_folders,
        site=str(env.site),
        python_version=env.python.version if env.python else "",
        variant=candidate.variant,
        variables=env.variables,
    )


def _changes(plan: Plan, lock: Lock, repair: Repair, env: Installation, transfer: Transfer) -> Iterator[Message]:
    if lock.files:
        names = ", ".join(f"{file.name} {file.version}" for file in lock.files)
        yield message("doctor.change.reinstall", names=names)
        yield from from_settings(plan.sources, lock.files)
        yield message("doctor.change.others")
        yield _download(transfer)
        yield from _conflicts(lock, env)
    else:
        yield message("doctor.change.nothing-to-fetch")
    if repair.aside:
        folder = str(Path(plan.prefix) / FOLDER / plan.id)
        yield message("doctor.change.aside", count=len(repair.aside), folder=folder)
    if repair.no_user_site:
        file = next(iter(guard_files(Path(plan.prefix), env.site, True, ())))
        yield message("doctor.change.no-user-site", file=file.name)
    if repair.drop_library_folders:
        yield message("doctor.change.activation", folders=", ".join(repair.drop_library_folders))
    yield message("doctor.change.undo", prefix=plan.prefix)


def _download(transfer: Transfer) -> Message:
    size = bytes_text(transfer.size)
    if not transfer.count:
        return message("doctor.change.downloaded")
    minutes = max(1, round(transfer.size / (transfer.rate or _ASSUMED) / 60))
    if transfer.rate is None:
        return message("doctor.change.download", size=size, count=transfer.count, minutes=minutes)
    rate = round(transfer.rate / 1e6, 2)
    return message("doctor.change.download-measured", size=size, count=transfer.count, minutes=minutes, rate=rate)


def _conflicts(lock: Lock, env: Installation) -> Iterator[Message]:
    """Packages that stay and ask for another version of what comes: told, since only the person can choose."""
    coming = {file.name: file.version for file in lock.files}
    for each in env.distributions:
        if each.name in coming:
            continue
        for requirement in each.wanted(env.markers()):
            version = coming.get(canonicalize_name(requirement.name))
            if version and not requirement.specifier.contains(version, prereleases=True):
                yield message(
                    "doctor.change.conflict", name=each.name, version=each.version, requirement=str(requirement)
                )
