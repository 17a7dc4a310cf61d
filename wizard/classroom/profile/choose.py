"""Which entry of a profile a machine takes: the rule of `pick`, over the builds that the profile carries.

A machine that none fits gets a reason for each entry. Nothing is resolved, fetched or asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wizard.classroom.profile.model import Profile, ProfileLock
from wizard.classroom.profile.rows import with_profile_rows
from wizard.compatibility.data.model import PLATFORMS, Build, Matrix
from wizard.compatibility.data.ordering import cuda_of, version_key
from wizard.compatibility.explain import last_series
from wizard.compatibility.model import Candidate, Choices, DriverUpdate
from wizard.compatibility.resolve import nearest_python, resolve
from wizard.install.lock import quoted
from wizard.machine.model import Machine
from wizard.model.errors import WizardError
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import Message, message, text


def lock_of(entry: ProfileLock) -> Lock:
    """Exactly these files: nothing is resolved, added or left out."""
    return Lock(entry.files, "\n".join(_lines(entry)) + "\n")


def _lines(entry: ProfileLock) -> Iterator[str]:
    yield 'lock-version = "1.0"'
    yield 'created-by = "torch-setup"'
    yield f"requires-python = {quoted('>=' + entry.python)}"
    for file in entry.files:
        yield from _package(file)


def _package(file: LockedFile) -> Iterator[str]:
    size = f", size = {file.size}" if file.size is not None else ""
    yield from ("", "[[packages]]", f"name = {quoted(file.name)}", f"version = {quoted(file.version)}")
    yield (
        f"wheels = [{{ name = {quoted(file.filename)}, url = {quoted(file.urls[0])}{size}, "
        f"hashes = {{ sha256 = {quoted(file.sha256)} }} }}]"
    )


@dataclass(frozen=True, slots=True)
class Refusal:
    """An entry that this machine cannot take, and every true reason, the weightiest first."""

    lock: ProfileLock
    reasons: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """`lock` None: no entry fits. `candidate` is the build as the plan needs it, for the entry's own Python.

    `after_driver_update`: the entry that a newer driver would open up.
    """

    lock: ProfileLock | None
    candidate: Candidate | None
    refused: tuple[Refusal, ...]
    notices: tuple[Message, ...] = ()
    after_driver_update: DriverUpdate | None = None


def choose(profile: Profile, machine: Machine, matrix: Matrix, pythons: Sequence[str] | None = None) -> Selection:
    """`pythons`: those that can be had ("3.12"); None: any, as the built-in engine brings its own."""
    matrix = with_profile_rows(matrix, profile)
    return choose_among(profile.locks, machine, matrix, pythons, profile.environment.python)


def choose_among(
    locks: Sequence[ProfileLock],
    machine: Machine,
    matrix: Matrix,
    pythons: Sequence[str] | None = None,
    preferred_python: str | None = None,
) -> Selection:
    """As `choose`, for entries that were sorted out before: by what a student chose, where the profile lets them."""
    refused = {lock.key: _own_reasons(lock, machine, matrix, pythons) for lock in locks}
    able = [lock for lock in locks if not refused[lock.key]]
    builds = {(lock.torch, lock.variant): _build(lock, matrix) for lock in able}
    # Cards, drivers and what no single build covers are judged over what is carried, not over what exists.
    carried = replace(matrix, builds=tuple(build for build in builds.values() if build))
    verdict = resolve(machine, carried, Choices(include_unadvertised=True), prove_all=False)
    judged = {(each.torch, each.variant): each for each in verdict.candidates}
    for lock in able:
        refused[lock.key] = tuple(reason.message for reason in judged[(lock.torch, lock.variant)].reasons)
    refusals = tuple(Refusal(lock, refused[lock.key]) for lock in locks if refused[lock.key])
    best = verdict.best
    if best is None:
        return Selection(None, None, refusals, verdict.notices, verdict.after_driver_update)
    lock = _for_python(
        [each for each in able if (each.torch, each.variant) == (best.torch, best.variant)],
        preferred_python or matrix.policy.default_python,
    )
    candidate = replace(
        best,
        python=lock.python,
        torchvision=_public(lock.version_of("torchvision")),
        torchaudio=_public(lock.version_of("torchaudio")),
    )
    return Selection(lock, candidate, refusals, verdict.notices, verdict.after_driver_update)


def sufficient_drivers(profile: Profile, matrix: Matrix) -> Mapping[str, str]:
    """Return by system ("windows") the oldest NVIDIA driver that runs all builds of the profile; no system without
    CUDA builds."""
    matrix = with_profile_rows(matrix, profile)
    found: dict[str, str] = {}
    for lock in profile.locks:
        cuda = cuda_of(lock.variant)
        floor = matrix.floors.get((cuda, lock.os)) if cuda else None
        if floor:
            found[lock.os] = max(found.get(lock.os, ""), floor.driver_floor, key=version_key)
    return found


def _own_reasons(
    lock: ProfileLock, machine: Machine, matrix: Matrix, pythons: Sequence[str] | None
) -> tuple[Message, ...]:
    """What does not depend on the other entries."""
    if (lock.os, lock.arch) != (machine.os, machine.arch):
        platform = f"{machine.os} {machine.arch}"
        return (message("profile.reason.other-system", system=f"{lock.os} {lock.arch}", here=platform),)
    build = _build(lock, matrix)
    if build is None or lock.python not in (*build.pythons, *build.experimental_pythons):
        return (message("profile.reason.unknown-build", build=f"{lock.torch}+{lock.variant}", python=lock.python),)
    reasons = []
    if lock.glibc and not _reaches(machine, lock.glibc):
        reasons.append(message("reason.glibc-too-old", need=lock.glibc, have=machine.glibc or "musl"))
    if pythons is not None and lock.python not in pythons:
        is_there = any(install.minor == lock.python for install in machine.pythons)
        reasons.append(message(f"profile.reason.{'no-venv' if is_there else 'no-python'}", python=lock.python))
    return tuple(reasons)


def _reaches(machine: Machine, glibc: str) -> bool:
    """A machine file by hand may not say its C library; a probed one leaves it out on musl only (as `judge`)."""
    if machine.glibc is None:
        return machine.os_version is None
    return version_key(machine.glibc) >= version_key(glibc)


def _build(lock: ProfileLock, matrix: Matrix) -> Build | None:
    platform = PLATFORMS.get((lock.os, lock.arch))
    return matrix.build(lock.torch, lock.variant, platform) if platform else None


def _for_python(locks: Sequence[ProfileLock], preferred: str) -> ProfileLock:
    python = nearest_python(sorted((lock.python for lock in locks), key=version_key), preferred)
    return next(lock for lock in locks if lock.python == python)


def _public(version: str | None) -> str | None:
    return version.partition("+")[0] if version else None


_REASONS_SHOWN = 3


def none_fits(selection: Selection) -> WizardError:
    """In one sentence: of the entries for this kind of system, if there are any, each with its first reason."""
    here = [one for one in selection.refused if one.reasons[0].key != "profile.reason.other-system"]
    shown = (here or list(selection.refused))[:_REASONS_SHOWN]
    told = [(_named(one.lock), one.reasons[0]) for one in shown]
    told = [pair for place, pair in enumerate(told) if pair not in told[:place]]
    keys = ["profile.refused-and"] * (len(told) - 1) + ["profile.refused"]
    reasons = tuple(message(key, build=build, reason=why) for key, (build, why) in zip(keys, told, strict=True))
    details = "\n".join(f"{one.lock.label}: {_all(one)}" for one in selection.refused)
    update = selection.after_driver_update
    if update:
        build, last = f"torch {update.torch}+{update.variant}", last_series(selection.notices)
        if last:
            return WizardError(
                "profile-none-fits-driver-until",
                "No build of this class profile fits this computer as it is: {reasons}.",
                "Install an NVIDIA driver from {driver} to {last} and no newer one, then {build} of this profile fits.",
                details=details,
                reasons=reasons,
                driver=update.number,
                last=last,
                build=build,
            )
        return WizardError(
            "profile-none-fits-driver",
            "No build of this class profile fits this computer as it is: {reasons}.",
            "Install NVIDIA driver {driver} or newer, then {build} of this profile fits.",
            details=details,
            reasons=reasons,
            driver=update.number,
            build=build,
        )
    return WizardError(
        "profile-none-fits",
        "No build of this class profile fits this computer: {reasons}.",
        "Give whoever made the profile what [the page {page.check} shows|`torch-wizard probe --json` prints] "
        "here: with it they can add a build for this computer.",
        details=details,
        reasons=reasons,
    )


def _named(lock: ProfileLock) -> str:
    return f"torch {lock.torch}+{lock.variant}"


def _all(refusal: Refusal) -> str:
    return "; ".join(text(reason, "en") for reason in refusal.reasons)
