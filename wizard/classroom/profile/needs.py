"""Which builds does a class need? From the machines of a room, or from systems and CUDA tags that were named.

Each machine gets what `pick` would give it, among the releases and tags that the admin allows; machines that nothing
fits are named with the reason. Nothing is asked of the network.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from wizard.compatibility.data.model import PLATFORMS, Build, Matrix
from wizard.compatibility.data.ordering import variant_key, version_key
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import canonical, check_choices, nearest_python, resolve
from wizard.machine.model import Machine
from wizard.model.errors import ErrorText, UsageError
from wizard.model.messages import Message
from wizard.system.traits import of

PROFILE_NO_BUILD = ErrorText(
    "profile-no-build",
    "There is no build {variant} of torch {torch} for {system} with this Python.",
    "[{page.versions}|`torch-wizard matrices show`] lists what there is.",
)

# Of the systems that are in use: a profile made on a newer one must not ask more of the others than it needs.
_USUAL_GLIBC = "2.28"
_SYSTEMS = ("windows", "linux")  # in the order of the file: most classes have Windows


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the builds may be; () = any. All of it is in the tables, or `checked` says what is not."""

    torch: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    python: str | None = None
    include_unadvertised: bool = False

    @property
    def choices(self) -> Choices:
        is_named = bool(self.variants) or self.include_unadvertised
        return Choices(python=self.python, include_unadvertised=is_named)


@dataclass(frozen=True, slots=True)
class ProfileNeed:
    """One entry to be. `machines`: the names of those that take it; () where the system and the tag were named."""

    os: str
    arch: str
    glibc: str | None
    torch: str
    variant: str
    pythons: tuple[str, ...]
    machines: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return f"{self.os} {self.arch}, torch {self.torch}+{self.variant}"

    def stands_for(self, other: ProfileNeed) -> bool:
        """Does it come in the place of another that was left out: for its machines, or for its tag?"""
        if other.machines:
            return bool(set(self.machines) & set(other.machines))
        return (self.os, self.arch, self.variant) == (other.os, other.arch, other.variant)


@dataclass(frozen=True, slots=True)
class Unmet:
    """A machine that nothing fits, and why the best release does not; or its file says what no machine is."""

    machine: str
    reason: Message | None
    is_read: bool = True


@dataclass(frozen=True, slots=True)
class Needs:
    needs: tuple[ProfileNeed, ...]
    unmet: tuple[Unmet, ...] = field(default=())


def checked(allowed: Allowed, matrix: Matrix) -> Allowed:
    """As the tables write it. Raises UsageError `no-such-torch`, `no-such-variant`, `no-build-for-python`."""
    torch = tuple(canonical(Choices(torch=text)).torch or text for text in allowed.torch)
    variants = tuple(canonical(Choices(variant=text)).variant or text for text in allowed.variants)
    python = canonical(Choices(python=allowed.python)).python
    for one in (*(Choices(torch=text) for text in torch), *(Choices(variant=text) for text in variants)):
        check_choices(one, matrix)
    check_choices(Choices(python=python, include_unadvertised=allowed.include_unadvertised), matrix)
    return replace(allowed, torch=torch, variants=variants, python=python)


def needs_of_machines(machines: Iterable[tuple[str, Machine]], allowed: Allowed, matrix: Matrix) -> Needs:
    """Return which builds a class needs for these computers, each with who takes it, and who can take none."""
    found: dict[tuple[str, ...], ProfileNeed] = {}
    unmet = []
    carried = _restricted(matrix, allowed)
    for name, machine in machines:
        verdict = resolve(machine, carried, allowed.choices, prove_all=False)
        best = verdict.best
        build = _build(carried, machine.os, machine.arch, best.torch, best.variant) if best else None
        if build is None:
            reasons = [candidate.reasons[0].message for candidate in verdict.candidates if candidate.reasons]
            unmet.append(Unmet(name, reasons[0] if reasons else None))
            continue
        need = _need(build, machine.os, machine.arch, allowed)
        known = found.get(_key(need), need)
        glibc = min(filter(None, (known.glibc, machine.glibc)), key=version_key) if need.glibc else None
        found[_key(need)] = replace(known, glibc=glibc, machines=(*known.machines, name))
    return Needs(tuple(sorted(found.values(), key=_order)), tuple(unmet))


def needs_of_platforms(
    platforms: Iterable[tuple[str, str]], allowed: Allowed, matrix: Matrix, all_of_them: bool = True
) -> Needs:
    """For each system and tag the newest release that was allowed. Raises UsageError `profile-no-build` for one
    without any, if `all_of_them` must be."""
    found = []
    for os_name, arch in platforms:
        for variant in allowed.variants:
            builds = [
                build
                for build in _restricted(matrix, allowed).builds
                if (build.platform, build.variant) == (PLATFORMS.get((os_name, arch)), variant)
                and allowed.python in (None, *build.pythons)
            ]
            if not builds and not all_of_them:
                continue
            if not builds:
                torch = ", ".join(allowed.torch) or "-"
                raise UsageError(PROFILE_NO_BUILD, system=f"{os_name} {arch}", torch=torch, variant=variant)
            newest = max(builds, key=lambda build: version_key(build.torch))
            found.append(_need(newest, os_name, arch, allowed))
    return Needs(tuple(sorted(found, key=_order)))


def together(parts: Sequence[Needs]) -> Needs:
    """Each build once; the lowest C library of those that need it."""
    found: dict[tuple[str, ...], ProfileNeed] = {}
    for need in (need for part in parts for need in part.needs):
        known = found.get(_key(need))
        glibc = min(filter(None, (need.glibc, known.glibc)), key=version_key, default=None) if known else need.glibc
        machines = (*(known.machines if known else ()), *need.machines)
        found[_key(need)] = replace(need, glibc=glibc, machines=machines)
    return Needs(tuple(sorted(found.values(), key=_order)), tuple(one for part in parts for one in part.unmet))


def without(matrix: Matrix, needs: Iterable[ProfileNeed]) -> Matrix:
    """Return the tables as if these builds had never been made."""
    gone = {(need.torch, need.variant, PLATFORMS[need.os, need.arch]) for need in needs}
    return replace(matrix, builds=tuple(one for one in matrix.builds if _key_of(one) not in gone))


def _key_of(build: Build) -> tuple[str, str, str]:
    return build.torch, build.variant, build.platform


def one_python(needs: Sequence[ProfileNeed], matrix: Matrix) -> str | None:
    """A Python that all builds are published for, the usual one before its neighbours; None: there is none."""
    common = set.intersection(*(set(need.pythons) for need in needs)) if needs else set()
    return nearest_python(sorted(common, key=version_key), matrix.policy.default_python)


def _restricted(matrix: Matrix, allowed: Allowed) -> Matrix:
    builds = tuple(
        build
        for build in matrix.builds
        if (not allowed.torch or build.torch in allowed.torch)
        and (not allowed.variants or build.variant in allowed.variants)
        and (build.advertised or bool(allowed.variants) or allowed.include_unadvertised)
    )
    return replace(matrix, builds=builds)


def _build(matrix: Matrix, os_name: str, arch: str, torch: str, variant: str) -> Build | None:
    platform = PLATFORMS.get((os_name, arch))
    return matrix.build(torch, variant, platform) if platform else None


def _need(build: Build, os_name: str, arch: str, allowed: Allowed) -> ProfileNeed:
    glibc = max(_USUAL_GLIBC, build.min_glibc or "", key=version_key) if of(os_name).has_glibc else None
    pythons = (*build.pythons, *build.experimental_pythons) if allowed.include_unadvertised else build.pythons
    return ProfileNeed(os_name, arch, glibc, build.torch, build.variant, pythons)


def _key(need: ProfileNeed) -> tuple[str, ...]:
    return need.os, need.arch, need.torch, need.variant


def _order(need: ProfileNeed) -> tuple[str, str, tuple[int, ...], tuple[int, ...]]:
    """The newest release and the highest CUDA first."""
    torch, cuda = version_key(need.torch), variant_key(need.variant)
    return str(_SYSTEMS.index(need.os)), need.arch, tuple(-n for n in torch), tuple(-n for n in (*cuda, *(0, 0))[:2])
