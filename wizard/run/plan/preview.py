"""From a selected build to a plan with its lock, saved as a run that has not started.

The lock is checked against the promise: the torch wheel in it must be the one that the live check saw.

One file: what the resolver is asked, and what is saved of its answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.data.ordering import CPU
from wizard.compatibility.model import Choices, Plan, PlanSource
from wizard.environment.model import PythonPart
from wizard.install.lock import NO_SOLUTION, LockRequest, without_login
from wizard.machine.machine_file import machine_to_json
from wizard.model.errors import WizardError
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import Message, bytes_text, message
from wizard.process import redact
from wizard.run.model import Facts, Preview, SelectedBuild, gigabytes_taken
from wizard.run.plan.checked_index import CheckedIndex
from wizard.run.plan.commands import equivalent_commands
from wizard.run.plan.computed import Asker, OnProgress, with_credentials
from wizard.run.plan.conda_part import Around, Locked, LockedPython, agree, choose_part, pins
from wizard.run.plan.held_back import HeldBack, held_back
from wizard.run.plan.other_packages import locked_somewhere, naming, of_both, with_alternates
from wizard.run.plan.place import check_base_python, check_place, target_prefix, told_of
from wizard.run.plan.plan_file import plan_to_json
from wizard.run.run_folder import RunFolder, planned_run, write_lock
from wizard.run.select.origin import check_lock, with_pins
from wizard.run.select.source_catalog import is_main
from wizard.run.steps.disk_space import check_room, demands, download_bytes, files_here, room_told
from wizard.run.steps.preflight import check_ground
from wizard.sources.model import Layout, Origin, UserSettings
from wizard.sources.read import default_index_url
from wizard.system import moving
from wizard.transfer.download.sizes import with_sizes
from wizard.transfer.proxy.environment import present_environment, with_plain_names, with_settings
from wizard.transfer.proxy.model import Network

_USERS = Origin.USER_SETTINGS.value


def told_behind(lock: Lock, behind: tuple[HeldBack, ...]) -> tuple[Message, ...]:
    """Return what is said of what is not the newest."""
    return tuple(one.said for one in behind)


def preview(
    facts: Facts,
    choices: Choices,
    selected: SelectedBuild,
    is_cancelled: Callable[[], bool],
    on_progress: OnProgress = lambda progress: None,
    told_of_lock: Callable[[Lock, tuple[HeldBack, ...]], tuple[Message, ...]] = told_behind,
) -> Preview:
    """`on_progress` hears of files that must come whole before it is known what they need. `told_of_lock`: what the
    caller has to say of it, and of what is not the newest in it; it may refuse it by an error of its own.

    Raises UsageError for a place that cannot be, WizardError `lock-…` when the packages do not go together.
    """
    asker = Asker(choices, is_cancelled, on_progress)

    def lock_it(folder: RunFolder, around: Around) -> Locked:
        lock, found = locked_somewhere(
            facts, choices, selected, lambda some: locked(facts, some, folder, asker, around), is_cancelled
        )
        told = of_both(lock, found.package_sources, facts.settings, is_cancelled)

        def refusal(line: str) -> str:
            more = replace(found, requirements=(*found.requirements, line))
            return _refusal(facts, more, folder, asker, around)

        behind = held_back(facts, found, lock, is_cancelled, refusal)
        return lock, replace(found, notices=(*found.notices, *told, *told_of_lock(lock, behind)))

    return saved_preview(facts, choices, selected, lock_it, is_cancelled)


def saved_preview(
    facts: Facts,
    choices: Choices,
    selected: SelectedBuild,
    lock_it: Callable[[RunFolder, Around], Locked],
    is_cancelled: Callable[[], bool],
    profile_sha256: str | None = None,
    python: LockedPython | None = None,
) -> Preview:
    """`lock_it`: where the lock comes from, a resolver or a class profile; it may select another source of packages.
    `python`: that profile's, for the built-in engine. Nothing of the run stays if that fails."""
    place = check_place(choices)
    check_ground(target_prefix(choices))
    with planned_run() as folder:
        draft = _plan(facts, choices, selected, folder.id)
        check_base_python(draft)
        part, lock, selected = agree(
            lambda specs: choose_part(replace(draft, conda_specs=specs), is_cancelled, python),
            lambda around: lock_it(folder, around),
        )
        plan = _plan(facts, choices, selected, folder.id)
        plan = replace(
            plan,
            total_bytes=lock.total_bytes,
            notices=(*plan.notices, *told_of(place)),
            conda_specs=pins(lock),
            profile_sha256=profile_sha256,
        )
        if python is not None:
            _write_private(folder.python_files, msgspec.json.encode(python.files))
        check_room(demands(plan, lock))
        save_run(folder, plan, lock, part.python)
    here, room = files_here(plan, lock), tuple(room_told(plan, lock))
    changes = (*_changes(plan, lock, here, gigabytes_taken(room)), *room, *part.changes)
    python_files = python.files if python else ()
    return Preview(plan, lock, changes, equivalent_commands(plan, lock), part.packages, python_files, here)


def locked(
    facts: Facts,
    selected: SelectedBuild,
    folder: RunFolder,
    asker: Asker,
    around: Around = Around(),  # noqa: B008 (frozen)
) -> Lock:
    """Raises as `CheckedIndex.lock`, WizardError `lock-not-promised`, `pin-differs`, Cancelled."""
    workdir = folder.path / "resolve"
    lock = _resolved(facts, selected, workdir, asker, around)
    promised = selected.offers.get("torch")
    found = lock.find("torch")
    if promised and (found is None or (promised.sha256 and found.sha256 != promised.sha256)):
        raise WizardError(
            "lock-not-promised",
            "While the exact files were being chosen, another file came than the promised {build}.",
            "A source changed in between, or one that you added offers the same name: try again, or name the "
            "source [on the page {page.source}|with --torch-index].",
            details=f"promised {promised.filename} {promised.sha256}\nlocked {found}",
            build=f"{selected.candidate.torch}+{selected.candidate.variant}",
        )
    lock = with_pins(lock, load_matrix())
    check_lock(lock, load_matrix(), selected.torch_source)
    lock = with_alternates(lock, selected.further, facts.settings, asker.is_cancelled)
    others = (source for sources in selected.further.values() for source in sources)
    lock = with_credentials(lock, (selected.torch_source, *selected.package_sources, *others))
    lock = with_sizes(lock, network_environment(facts.settings, _addresses(selected)))
    moving.remove_tree(workdir)
    return lock


def _resolved(facts: Facts, selected: SelectedBuild, workdir: Path, asker: Asker, around: Around) -> Lock:
    workdir.mkdir(exist_ok=True)
    preferred = (*around.preferred, *selected.preferred)
    request = replace(lock_request(facts, selected), provided=around.provided, preferred=preferred)
    sources = (selected.torch_source, *selected.package_sources)
    brought = {canonicalize_name(one.name) for one in around.provided}
    held = [one for one in load_matrix().policy.held_back if Requirement(one).name not in brought]
    with CheckedIndex(sources, facts.settings, asker, selected.further) as index:
        try:
            return index.lock(replace(request, constraints=(*request.constraints, *held)), workdir)
        except WizardError as error:
            names = (Requirement(one).name for one in held)
            if error.code not in NO_SOLUTION or not any(name in error.details for name in names):
                raise
            return index.lock(request, workdir)


def _refusal(facts: Facts, selected: SelectedBuild, folder: RunFolder, asker: Asker, around: Around) -> str:
    """Return the resolver's words where this does not go together; "" where it does, or nobody knows. Raises
    Cancelled."""
    workdir = folder.path / "resolve"
    try:
        _resolved(facts, selected, workdir, asker, around)
    except WizardError as error:
        return error.details if error.code in NO_SOLUTION else ""
    finally:
        moving.remove_tree(workdir)
    return ""


def lock_request(facts: Facts, selected: SelectedBuild) -> LockRequest:
    """Return what the resolver is asked: packages, Python, system, and the sources in their order."""
    machine = facts.machine
    main = next((s for s in selected.package_sources if is_main(s)), None)
    extra = [s for s in selected.package_sources if s is not main and s.url]
    links = [s for s in extra if s.layout is Layout.FLAT]
    # Before others it has to be named: said by nothing it would be the last.
    default = (main.url or (default_index_url() if extra else None)) if main else None
    torch = selected.torch_source
    base = (python.version for python in machine.pythons if python.executable == selected.base_python)
    return LockRequest(
        requirements=selected.requirements,
        python=next(base, selected.python),
        os=machine.os,
        arch=machine.arch,
        glibc=machine.glibc,
        torch_index=torch.url or default_index_url(),
        torch_layout=torch.layout.value,
        default_index=default,
        extra_indexes=tuple(s.url for s in extra if s.url and s.layout is Layout.SIMPLE),
        find_links=tuple(s.url for s in links if s.url and s.origin is not Origin.USER_SETTINGS),
        added_links=tuple(s.url for s in links if s.url and s.origin is Origin.USER_SETTINGS),
        index_strategy=selected.index_strategy,
        apart=selected.apart,
        overrides=selected.overrides,
        constraints=selected.constraints,
        no_index=main is None,
        environment=network_environment(facts.settings, _addresses(selected)),
    )


def network_environment(settings: UserSettings, urls: Iterable[str | None] = ()) -> Mapping[str, str]:
    """The way to the network, handed to every child explicitly. `urls`: where they will go."""
    environment = settings.environment
    if environment is None:
        environment = present_environment(with_settings(Network(), settings.proxy, settings.certificate))
    return with_plain_names(environment, urls)


def _addresses(selected: SelectedBuild) -> tuple[str | None, ...]:
    sources = (selected.torch_source, *selected.package_sources)
    return (*(source.url for source in sources), *selected.channels, *selected.further_channels)


def _plan(facts: Facts, choices: Choices, selected: SelectedBuild, run_id: str) -> Plan:
    candidate = replace(selected.candidate, python=selected.python)
    sources = [("torch", selected.torch_source), *(("packages", source) for source in selected.package_sources)]
    return Plan(
        id=run_id,
        created=round(time.time(), 3),
        candidate=candidate,
        choices=choices,
        prefix=str(target_prefix(choices)),
        engine=selected.engine,
        engine_reason=selected.engine_reason,
        python=selected.python,
        base_python=selected.base_python,
        channels=selected.channels,
        sources=tuple(PlanSource(role, s.layout.value, s.origin.value, s.url, s.name) for role, s in sources),
        requirements=selected.requirements,
        gpu_expected=candidate.fits and candidate.variant != "cpu",
        machine=machine_to_json(facts.machine),
        notices=(*facts.settings.notices, *selected.notices),
        environment=network_environment(facts.settings, _addresses(selected)),
        conda=selected.conda,
        further_channels=selected.further_channels,
        project=selected.project,
        left_out=selected.left_out,
    )


def save_run(folder: RunFolder, plan: Plan, lock: Lock, part: PythonPart | None = None) -> None:
    """Write a run's files, the plan last: a folder without one is no run."""
    write_lock(folder, lock)
    if part is not None:
        _write_private(folder.python_part, part.text.encode())
    # The plan last: a folder without one is no run.
    _write_private(folder.plan, plan_to_json(plan))


def _write_private(path: Path, data: bytes) -> None:
    """Addresses may hold a password."""
    path.touch(mode=0o600)
    path.write_bytes(data)


def _changes(plan: Plan, lock: Lock, here: frozenset[str], disk: float) -> tuple[Message, ...]:
    download = download_bytes(plan, lock)
    size = bytes_text(sum(file.size or 0 for file in lock.files if file.filename in here))
    return (
        message(f"change.environment.{plan.engine}", prefix=plan.prefix, python=plan.python),
        message("change.download", size=bytes_text(download), count=len(lock.files)),
        *(
            [
                message(
                    "change.here",
                    "Here already, and not downloaded again: {size} (packages: {count}).",
                    count=len(here),
                    size=size,
                )
            ]
            if here
            else ()
        ),
        message("change.disk", gigabytes=disk),
        *from_settings(plan.sources, lock.files),
        *_own_cuda(plan),
        message("change.settings"),
    )


def _own_cuda(plan: Plan) -> Iterator[Message]:
    """People look for cuDNN in the place where CUDA is installed for all; here is none."""
    if plan.candidate.variant != CPU:
        yield message(
            "change.cuda",
            "CUDA and cuDNN come with these packages: of NVIDIA, only the driver of this computer is used.",
        )


def from_settings(sources: Iterable[PlanSource], files: Sequence[LockedFile]) -> Iterator[Message]:
    """What each index of the user's own settings hands out: it may be there for another purpose."""
    own = {without_login(source.url): source for source in sources if source.url and source.origin == _USERS}
    for address, source in own.items():
        names = [f"{file.name} {file.version}" for file in files if file.listed_by == address]
        if names:
            yield naming("change.from-settings", names, source=source.name, address=redact(address))
