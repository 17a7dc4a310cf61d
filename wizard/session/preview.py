"""From an election to a plan with its lock, saved as a run that has not started.

The lock is checked against the promise: the torch wheel in it must be the one that the live check saw.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from wizard.environments.python_part import PythonPart
from wizard.errors import WizardError
from wizard.i18n import Message, bytes_text, message
from wizard.machine.serialize import machine_to_json
from wizard.mirrors.model import Layout, UserSettings
from wizard.network.environment import present_environment, with_plain_names, with_settings
from wizard.network.model import Network
from wizard.packages.full_disk import says_full
from wizard.packages.lock import LockRequest, compile_lock
from wizard.packages.model import Lock
from wizard.packages.sizes import with_sizes
from wizard.plan.model import Choices, Plan, PlanSource
from wizard.plan.serialize import plan_to_json
from wizard.session.alternates import with_alternates
from wizard.session.commands import equivalent_commands
from wizard.session.conda import conda_changes, plan_conda
from wizard.session.credentials import with_credentials
from wizard.session.model import Election, Facts, Preview
from wizard.session.other_packages import locked_somewhere
from wizard.session.outlook import is_main
from wizard.session.place import check_place, target_prefix, told_of
from wizard.session.python_part import LockedPython, choose_python_part, python_changes
from wizard.session.shared import check_base_python
from wizard.steps.preflight import check_ground
from wizard.steps.room import check_room, demands, files_here, needed_bytes
from wizard.steps.room_told import room_told
from wizard.steps.run_folder import RunFolder, create_run_folder, new_run_id
from wizard.system import moving

OnLog = Callable[[str], None]


def preview(
    facts: Facts, choices: Choices, election: Election, is_cancelled: Callable[[], bool], on_log: OnLog = lambda _: None
) -> Preview:
    """Raises UsageError for a place that cannot be, WizardError `lock-…` when the packages do not go together."""

    def lock_it(folder: RunFolder) -> tuple[Lock, Election]:
        return locked_somewhere(
            facts, choices, election, lambda some: locked(facts, some, folder, is_cancelled, on_log), is_cancelled
        )

    return saved_preview(facts, choices, lock_it, is_cancelled)


def saved_preview(
    facts: Facts, choices: Choices, lock_it: Callable[[RunFolder], tuple[Lock, Election]],
    is_cancelled: Callable[[], bool], profile_sha256: str | None = None, python: LockedPython | None = None,
) -> Preview:  # fmt: skip
    """`lock_it`: where the lock comes from, a resolver or a class profile; `python`: that profile's, for the built-in
    engine. Nothing of the run stays if that fails."""
    place = check_place(choices)
    check_ground(target_prefix(choices))
    folder = create_run_folder(new_run_id())
    try:
        lock, election = lock_it(folder)
        plan = _plan(facts, choices, election, folder.id, lock)
        plan = replace(plan, notices=(*plan.notices, *told_of(place)), profile_sha256=profile_sha256)
        check_base_python(plan)
        if python is not None:
            _write_private(folder.python_files, msgspec.json.encode(python.files))
        part, by_conda = choose_python_part(plan, is_cancelled, python), plan_conda(plan, is_cancelled)
        engine_changes = (*conda_changes(plan, by_conda), *python_changes(plan, part))
        check_room(demands(plan, lock))
        save_run(folder, plan, lock, part)
    except OSError as error:
        moving.remove_tree(folder.path)
        code = "fetch-no-space" if says_full(str(error)) else "state-not-writable"
        runs = str(folder.path.parent)
        raise WizardError(code, details=str(error), path=runs, folder=runs) from error
    except BaseException:
        moving.remove_tree(folder.path)
        raise
    packages = part.packages if part else by_conda.chosen if by_conda else ()
    here = files_here(plan, lock)
    changes = (*_changes(plan, lock, here), *room_told(plan, lock), *engine_changes)
    python_files = python.files if python else ()
    return Preview(plan, lock, changes, equivalent_commands(plan), packages, python_files, here)


def locked(
    facts: Facts, election: Election, folder: RunFolder, is_cancelled: Callable[[], bool], on_log: OnLog
) -> Lock:
    workdir = folder.path / "resolve"
    workdir.mkdir(exist_ok=True)
    request = _lock_request(facts, election)
    lock = compile_lock(request, workdir, on_log, is_cancelled)
    promised = election.offers.get("torch")
    found = lock.find("torch")
    if promised and (found is None or (promised.sha256 and found.sha256 != promised.sha256)):
        raise WizardError(
            "lock-not-promised",
            details=f"promised {promised.filename} {promised.sha256}\nlocked {found}",
            build=f"{election.candidate.torch}+{election.candidate.variant}",
        )
    lock = with_alternates(lock, election.further, facts.settings, is_cancelled)
    others = (source for sources in election.further.values() for source in sources)
    lock = with_credentials(lock, (election.torch_source, *election.package_sources, *others))
    lock = with_sizes(lock, request.environment)
    moving.remove_tree(workdir)
    return lock


def _lock_request(facts: Facts, election: Election) -> LockRequest:
    machine = facts.machine
    default = next((s.url for s in election.package_sources if is_main(s)), None)
    extra = [s for s in election.package_sources if not is_main(s)]
    torch = election.torch_source
    return LockRequest(
        requirements=election.requirements,
        python=election.python,
        os=machine.os,
        arch=machine.arch,
        glibc=machine.glibc,
        torch_index=torch.url,
        torch_layout=torch.layout.value,
        default_index=default,
        extra_indexes=tuple(s.url for s in extra if s.url and s.layout is Layout.SIMPLE),
        find_links=tuple(s.url for s in extra if s.url and s.layout is Layout.FLAT),
        no_index=default is None and not any(s.url is None for s in election.package_sources),
        environment=network_environment(facts.settings, _addresses(election)),
    )


def network_environment(settings: UserSettings, urls: Iterable[str | None] = ()) -> Mapping[str, str]:
    """The way to the network, handed to every child explicitly. `urls`: where they will go."""
    environment = settings.environment
    if environment is None:
        environment = present_environment(with_settings(Network(), settings.proxy, settings.certificate))
    return with_plain_names(environment, urls)


def _addresses(election: Election) -> tuple[str | None, ...]:
    sources = (election.torch_source, *election.package_sources)
    return (*(source.url for source in sources), *election.channels, *election.further_channels)


def _plan(facts: Facts, choices: Choices, election: Election, run_id: str, lock: Lock) -> Plan:
    candidate = replace(election.candidate, python=election.python)
    sources = [("torch", election.torch_source), *(("packages", source) for source in election.package_sources)]
    return Plan(
        id=run_id,
        created=round(time.time(), 3),
        candidate=candidate,
        choices=choices,
        prefix=str(target_prefix(choices)),
        engine=election.engine,
        engine_reason=election.engine_reason,
        python=election.python,
        base_python=election.base_python,
        channels=election.channels,
        sources=tuple(PlanSource(role, s.layout.value, s.origin.value, s.url, s.name) for role, s in sources),
        requirements=election.requirements,
        gpu_expected=candidate.fits and candidate.variant != "cpu",
        machine=machine_to_json(facts.machine),
        total_bytes=lock.total_bytes,
        notices=(*facts.settings.notices, *election.notices),
        environment=network_environment(facts.settings, _addresses(election)),
        conda=election.conda,
        further_channels=election.further_channels,
    )


def save_run(folder: RunFolder, plan: Plan, lock: Lock, part: PythonPart | None = None) -> None:
    _write_private(folder.pylock, lock.text.encode())
    if part is not None:
        _write_private(folder.python_part, part.text.encode())
    _write_private(folder.files, msgspec.json.encode(lock.files))
    # The plan last: a folder without one is no run.
    _write_private(folder.plan, plan_to_json(plan))


def _write_private(path: Path, data: bytes) -> None:
    """Addresses may hold a password."""
    path.touch(mode=0o600)
    path.write_bytes(data)


def _changes(plan: Plan, lock: Lock, here: frozenset[str]) -> tuple[Message, ...]:
    download, unpacked = needed_bytes(plan, lock)
    size = bytes_text(sum(file.size or 0 for file in lock.files if file.filename in here))
    return (
        message(f"change.environment.{plan.engine}", prefix=plan.prefix, python=plan.python),
        message("change.download", size=bytes_text(download), count=len(lock.files)),
        *([message("change.here", count=len(here), size=size)] if here else ()),
        message("change.disk", gigabytes=round(unpacked / 1e9, 1)),
        message("change.settings"),
    )
