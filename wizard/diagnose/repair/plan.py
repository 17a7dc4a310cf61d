"""From an answer of the doctor to a repair that can be carried out: which files come, what goes, bytes and time.

Resolved and locked by the code of a setup; then everything that is there already in the right version is left out of
the lock, so that only what the repair needs is fetched. Nothing is changed here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from packaging.utils import canonicalize_name

from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import CPU
from wizard.compatibility.model import Candidate, Choices, Plan
from wizard.diagnose.examine import gpu_expected
from wizard.diagnose.model import DoctorResult, Remedy
from wizard.diagnose.repair.guards import guard_files
from wizard.diagnose.repair.lock import election_for, inside_plan, lock_for
from wizard.diagnose.repair.request import named_packages, read_wish
from wizard.diagnose.repair.snapshot import FOLDER
from wizard.diagnose.repair.steps import Repair, write_repair
from wizard.environment.inspect.installation import Installation
from wizard.install.store import PackageStore
from wizard.model.errors import WizardError
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import Message, bytes_text, message, three_digits
from wizard.run.model import Facts
from wizard.run.plan.computed import Asker
from wizard.run.plan.other_packages import of_both
from wizard.run.plan.preview import from_settings, save_run
from wizard.run.run_folder import planned_run
from wizard.sources.benchmark import read_benchmark
from wizard.sources.benchmark_policy import benchmark_policy
from wizard.sources.model import Source, UserSettings
from wizard.sources.speed import network_fingerprint
from wizard.system import paths
from wizard.transfer.download import Downloads

# What a repair still has to fetch and how long that takes, by the speeds that benchmarks have measured in this network.
#
# Only files that are not in the downloads count. Without a measurement of every host that is left, no speed is claimed.

_BENCHMARKS = "mirror-races"


@dataclass(frozen=True, slots=True)
class Transfer:
    """`rate` in bytes a second over all of it; None: not measured."""

    count: int
    size: int
    rate: float | None


def transfer_of(files: Iterable[LockedFile], rates: Mapping[str, float]) -> Transfer:
    """Return how many files and bytes are still to come, and how fast; the speed is None where a host was never
    measured."""
    downloads, store = Downloads(), PackageStore()
    left = [file for file in files if not (downloads.path_for(file).is_file() or store.wheel_of(file))]
    size = sum(file.size or 0 for file in left)
    known = [rates.get(_host(file.urls[0]) if file.urls else "") for file in left]
    if not size or not all(known):
        return Transfer(len(left), size, None)
    seconds = sum((file.size or 0) / rate for file, rate in zip(left, known, strict=True) if rate)
    return Transfer(len(left), size, size / seconds if seconds else None)


def measured_rates(
    settings: UserSettings, sources: Iterable[Source], folder: Path | None = None, now: float | None = None
) -> dict[str, float]:
    """By host: where a source is asked and where its bytes come from. The newest measurement counts."""
    asked_at = {source.id: _host(source.url) for source in sources if source.url}
    network, seconds = network_fingerprint(settings), benchmark_policy().kept_seconds
    files = sorted((folder or paths.cache_dir() / _BENCHMARKS).glob("*.json"))
    benchmarks = [benchmark for path in files if (benchmark := read_benchmark(path, network, seconds, now))]
    rates: dict[str, float] = {}
    for benchmark in sorted(benchmarks, key=lambda one: one.asked):
        for status in benchmark.ranked:
            if status.rate:
                hosts = (status.final_host, asked_at.get(status.source.id))
                rates.update((host, status.rate) for host in hosts if host)
    return rates


def _host(url: str | None) -> str:
    return urlsplit(url or "").hostname or ""


_ASSUMED = 5_000_000  # bytes a second, where nothing was measured: said so


@dataclass(frozen=True, slots=True)
class RepairPreview:
    plan: Plan
    lock: Lock
    repair: Repair
    changes: tuple[Message, ...]
    download_bytes: int | None = None  # less what is in the downloads already


def plan_repair(
    facts: Facts,
    matrix: Matrix,
    env: Installation,
    answer: DoctorResult,
    choices: Choices,
    is_cancelled: Callable[[], bool],
) -> RepairPreview:
    """Saved as a run that has not started. Raises WizardError `repair-…`, `no-source`, `lock-…`, Cancelled."""
    remedy = answer.remedy
    _check_possible(env, remedy)
    wanted = read_wish(facts, matrix, env, remedy)
    with planned_run() as folder:
        selected = election_for(facts, matrix, env, wanted, choices, is_cancelled)
        lock = lock_for(facts, selected, env, wanted, folder, Asker(choices, is_cancelled))
        both = of_both(lock, selected.package_sources, facts.settings, is_cancelled)
        repair = _repair(env, answer, remedy, selected.candidate, lock)
        goal = replace(choices, prefix=str(env.prefix), name=None)
        is_expected = gpu_expected(env, facts.machine) and selected.candidate.variant != CPU
        plan = inside_plan(facts, env, selected, goal, folder, lock, is_expected, selected.notices)
        write_repair(folder.path, repair)
        save_run(folder, plan, lock)
    rates = measured_rates(facts.settings, (selected.torch_source, *selected.package_sources))
    transfer = transfer_of(lock.files, rates)
    changes = (*selected.notices, *_changes(plan, lock, repair, env, transfer), *both)
    return RepairPreview(plan, lock, repair, changes, transfer.size)


def _check_possible(env: Installation, remedy: Remedy) -> None:
    if not remedy.changes_something or env.python is None:
        raise WizardError(
            "repair-by-hand",
            "This program cannot repair that by itself.",
            "Do what the answer says; or make a new environment [on the page {page.welcome}.|with: torch-wizard setup]",
        )
    is_own = env.is_conda or (env.prefix / "pyvenv.cfg").is_file()
    is_of_system = (env.python.stdlib / "EXTERNALLY-MANAGED").is_file() or env.prefix in (
        Path("/usr"),
        Path("/usr/local"),
    )
    if not is_own and is_of_system:
        raise WizardError(
            "repair-system",
            "{path} belongs to the operating system, and this program does not change it.",
            "Make an environment of your own [on the page {page.welcome}.|with: torch-wizard setup]",
            path=str(env.prefix),
        )
    closed = next((path for path in (env.prefix, env.site) if not os.access(path, os.W_OK)), None)
    if closed:
        raise WizardError(
            "repair-not-yours",
            "You may not write in {path}: it belongs to somebody else or is read-only.",
            "Ask its owner, or make an environment of your own [on the page {page.welcome}.|with: torch-wizard setup]",
            path=str(closed),
        )
    twice = {path.name.split("-")[0] for path in remedy.aside}
    for name in named_packages(remedy, env):
        owned = [each for each in env.find(name) if each.installer == "conda"]
        if owned and len(env.find(name)) == 1 and name not in twice:
            raise WizardError(
                "repair-conda-owned",
                "{name} in this environment belongs to conda, and pip would write over it.",
                "Change it with conda, or make a new environment [on the page {page.welcome}.|with: torch-wizard "
                "setup]",
                name=name,
            )


def _repair(env: Installation, answer: DoctorResult, remedy: Remedy, candidate: Candidate, lock: Lock) -> Repair:
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
    rate = three_digits(transfer.rate / 1e6)
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
