"""The Python of the built-in engine for a class profile: chosen on this computer for any system that the class has.

A channel's packages ask what computer they are for by virtual packages. The students' computers are not here, so these
are given: the oldest of what the entry's wheels run on, so that the packages run wherever the wheels do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from wizard.classroom.profile.hosts import HERE
from wizard.classroom.profile.model import CondaPackage, from_record
from wizard.classroom.profile.needs import ProfileNeed
from wizard.compatibility.model import Candidate, Choices
from wizard.environment.create.choose import choose_engine
from wizard.environment.create.rattler_engine import RattlerEngine
from wizard.environment.model import Target, TargetSystem
from wizard.machine.model import Machine
from wizard.model.errors import PROFILE_LOCAL, WizardError
from wizard.model.lock import LockedFile, PackageVersion
from wizard.process import redact
from wizard.run.model import Facts
from wizard.run.plan.conda_part import provided_by
from wizard.run.plan.preview import network_environment
from wizard.run.select.alternates import further_channels
from wizard.run.select.mirror_policy import MirrorPolicy
from wizard.run.select.select_build import channel_verdicts
from wizard.run.select.source_catalog import SourceCatalog
from wizard.sources.address_facts import channel_name
from wizard.sources.channel import channel_subdir
from wizard.sources.model import SourceKind
from wizard.sources.read import Reader
from wizard.sources.table import FORGE
from wizard.system import paths
from wizard.transfer.http import list_headers

IsCancelled = Callable[[], bool]
OnLocal = Callable[[LockedFile], None]


def plain_address(url: str) -> str:
    """Without a name and a password. Raises WizardError `profile-secret` for a secret that cannot be left out,
    `profile-local` for a file of this computer, which nobody else has."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        raise WizardError(PROFILE_LOCAL, url=redact(url))
    plain = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))
    if redact(plain) != plain:
        raise WizardError(
            "profile-secret",
            "The address {url} carries a token, and whoever gets the profile would read it.",
            "Use an index whose addresses carry no token; a name and a password in pip's own "
            "settings are left out by themselves.",
            url=redact(plain),
        )
    return plain


def for_all(file: LockedFile, on_local: OnLocal | None, folder: str = "") -> LockedFile:
    """Return it without secrets. A file of this computer is told to `on_local` and gets an address that is nobody's:
    only a pack has it. `folder`: of a channel, "linux-64/". Raises as `plain_address`."""
    if on_local is None or not file.urls[0].startswith("file:"):
        return replace(file, urls=tuple(dict.fromkeys(map(plain_address, file.urls))))
    on_local(file)
    return replace(file, urls=(f"http://{HERE}/{folder}{file.urls[0].rpartition('/')[2]}",))


# The oldest system with the glibc of manylinux2014 is CentOS 7; the oldest Windows that NVIDIA's drivers for torch's
# CUDA builds run on is 10, version 1809. Packages hardly ever ask for either.
_LINUX, _WINDOWS = "3.10", "10.0.17763"


@dataclass(frozen=True, slots=True)
class PythonLock:
    """`provided`: the Python packages among them, which the entry's wheels go around."""

    packages: tuple[CondaPackage, ...]
    provided: tuple[PackageVersion, ...]


class PythonLocks:
    """For the entries of one profile: those of one system, C library and Python are chosen once, or fail once."""

    def __init__(
        self, facts: Facts, choices: Choices, is_cancelled: IsCancelled, on_local: OnLocal | None = None
    ) -> None:
        self._facts, self._choices, self._is_cancelled, self._on_local = facts, choices, is_cancelled, on_local
        self._known: dict[tuple[str | None, ...], PythonLock | WizardError] = {}

    def of(self, need: ProfileNeed, candidate: Candidate, python: str, specs: tuple[str, ...] = ()) -> PythonLock:
        """`specs`: what is asked of the channel beside Python and pip.

        Raises UsageError `engine-rattler-no-channel`, WizardError `env-…`, `profile-…`, Cancelled."""
        key = (need.os, need.arch, need.glibc, python, *specs)
        if key not in self._known:
            try:
                self._known[key] = self._chosen(need, candidate, python, specs)
            except WizardError as error:
                self._known[key] = error
        found = self._known[key]
        if isinstance(found, WizardError):
            raise found
        return found

    def _chosen(self, need: ProfileNeed, candidate: Candidate, python: str, specs: tuple[str, ...]) -> PythonLock:
        facts = replace(self._facts, machine=Machine(need.os, need.arch, need.glibc, None, ()))
        choices = replace(self._choices, engine="rattler", python=python)
        policy = MirrorPolicy(choices, facts, self._is_cancelled)
        with Reader(facts.settings, headers=list_headers() if policy.is_on(SourceKind.CONDA) else None) as reader:
            verdicts = channel_verdicts(
                choices, SourceCatalog(choices, facts.settings, reader, policy), facts, candidate
            )
        channels = choose_engine("rattler", verdicts, (), python).channels
        target = Target(
            paths.home() / "profile-python", python, "rattler", channels=channels, specs=specs, system=_system(need)
        )
        part = RattlerEngine(network_environment(facts.settings, channels)).plan(target, self._is_cancelled)
        further = further_channels(policy, choices, facts.settings, channels)
        packages = (_package(record, further, self._on_local) for record in json.loads(part.text))
        return PythonLock(tuple(sorted(packages, key=lambda package: package.file.name)), provided_by(part.packages))


def _system(need: ProfileNeed) -> TargetSystem:
    arch = ("__archspec", "1", need.arch)
    subdir = channel_subdir(need.os, need.arch)
    own = {
        "windows": (("__win", _WINDOWS, "0"),),
        "linux": (("__unix", "0", "0"), ("__linux", _LINUX, "0"), ("__glibc", need.glibc or "2.17", "0")),
    }
    return TargetSystem(subdir, (*own[need.os], arch))


def _package(record: Mapping[str, Any], further: Iterable[str], on_local: OnLocal | None) -> CondaPackage:
    """Raises WizardError `profile-secret`, `profile-local`, `profile-python-unsure`."""
    try:
        urls = [str(record["url"])]
        if channel_name(str(record["channel"])) == FORGE:
            urls += [f"{channel.rstrip('/')}/{record['subdir']}/{record['fn']}" for channel in further]
        package = from_record(record, tuple(urls))
        return replace(package, file=for_all(package.file, on_local, f"{package.subdir}/"))
    except (KeyError, TypeError, ValueError) as error:
        name = str(record.get("fn") or record.get("name"))
        raise WizardError(
            "profile-python-unsure",
            "The conda channel does not say all that a class profile must know of {file}: size, SHA-256, address.",
            "Use another channel [on the page {page.source}|with --channel], or another engine [on the page "
            "{page.place}|with --engine venv].",
            details=repr(error),
            file=name,
        ) from error
