"""What a setup would change in an environment that is there: package by package, and what would break by it.

Up to its steps, values over the installed distributions and the lock; nothing is run and nothing is changed. What
conda's own records list belongs to conda: wheels are never written over it, since conda would not know and its next
change would mix both. The steps are those of a repair, with a closer look before and after.

One file: what is planned is what the steps look at again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from wizard.compatibility.data.ordering import version_key
from wizard.compatibility.model import Plan
from wizard.diagnose.repair.snapshot import SETUP
from wizard.diagnose.repair.steps import PutAside, Repair, RepairReady, RepairVerify, aside_of, stages_of, wheels_of
from wizard.environment.conda.records import owners_of_files
from wizard.environment.create.clone_files import shell_word
from wizard.environment.inspect.baseline import NAME
from wizard.environment.inspect.installation import Installation
from wizard.environment.inspect.look import look
from wizard.environment.inspect.reusable import check_not_in_use, check_reusable
from wizard.install.wheel import read_wheel
from wizard.install.wheel_data import clash_of
from wizard.model.distributions import FAMILY, Distribution
from wizard.model.errors import UsageError, WizardError
from wizard.model.lock import Lock, LockedFile, PackageVersion
from wizard.model.messages import Message, bytes_text, message
from wizard.project.packages.companions import needs_old_numpy
from wizard.run.context import Context
from wizard.run.executor import Stages
from wizard.run.plan.preview import from_settings
from wizard.run.steps.fetch import Fetch
from wizard.run.steps.install import CheckFiles, Install

REUSE = "reuse"  # the code of such a run in its repair.json
EXACT = ("nvidia-", "cuda-", "triton")  # torch names these in exact versions: they follow torch
ADDED, REPLACED = "added", "replaced"
_TORCH_RECORDS = ("pytorch", "pytorch-gpu", "pytorch-cpu", "libtorch")


@dataclass(frozen=True, slots=True)
class Wish:
    """What brings packages into an environment. `held`: torch's family, in these versions and no other. `newest`: names
    whose versions that are there are not kept to. `met`: requirements of what stays."""

    how: str
    held: Mapping[str, str] = field(default_factory=dict)
    newest: frozenset[str] = frozenset()
    met: tuple[str, ...] = ()


SETS_UP = Wish(SETUP)


@dataclass(frozen=True, slots=True)
class ReuseChange:
    """`was` None: it is not there yet. `size` of the download."""

    name: str
    was: str | None
    now: str
    size: int | None

    @property
    def kind(self) -> str:
        return ADDED if self.was is None else REPLACED


@dataclass(frozen=True, slots=True)
class Broken:
    """A package that stays and would no longer have what it asks for; it has it now. `now`: what would come.
    `requirement` "": it asks for nothing of the kind, and was built for NumPy 1."""

    name: str
    version: str
    requirement: str
    now: str


def changes_of(lock: Lock, env: Installation) -> tuple[ReuseChange, ...]:
    """Only what comes: a package that is there in the locked version is left alone."""
    return tuple(
        ReuseChange(
            file.name, installed.version if (installed := env.one(file.name)) else None, file.version, file.size
        )
        for file in lock.files
        if comes(file, env)
    )


def comes(file: LockedFile, env: Installation) -> bool:
    """Not there, there in another version, or there twice."""
    installed = env.find(file.name)
    if len(installed) != 1:
        return True
    try:
        return Version(installed[0].version) != Version(file.version)
    except InvalidVersion:
        return True


def broken_by(changes: Iterable[ReuseChange], env: Installation) -> tuple[Broken, ...]:
    """What asks for another version than comes, a companion whose torch becomes another build, and what is known to be
    built for NumPy 1."""
    coming = {change.name: change.now for change in changes}
    staying = [each for each in env.distributions if each.name not in coming]
    unmet = (*_unmet(coming, staying, env), *_left_behind(coming, staying, env))
    told = {each.name for each in unmet}
    return (*unmet, *(one for one in _built_for_numpy_1(coming, staying, env) if one.name not in told))


def _unmet(coming: Mapping[str, str], staying: Iterable[Distribution], env: Installation) -> Iterator[Broken]:
    markers = env.markers()
    for each in staying:
        for requirement in each.wanted(markers):
            name = canonicalize_name(requirement.name)
            installed = env.one(name)
            if name not in coming or installed is None:
                continue
            was_met = requirement.specifier.contains(installed.version, prereleases=True)
            if was_met and not requirement.specifier.contains(coming[name], prereleases=True):
                yield Broken(each.name, each.version, str(requirement).partition(";")[0].strip(), coming[name])


def _left_behind(coming: Mapping[str, str], staying: Iterable[Distribution], env: Installation) -> Iterator[Broken]:
    """torchvision +cu126 beside a torch +cpu: no requirement says so, and it does not load."""
    torch, was = coming.get("torch"), env.one("torch")
    if torch is None or was is None:
        return
    for each in staying:
        if each.name in FAMILY and (was.release, was.local) != (
            torch.partition("+")[0],
            torch.partition("+")[2] or None,
        ):
            yield Broken(each.name, each.version, f"torch=={was.version}", torch)


def _built_for_numpy_1(
    coming: Mapping[str, str], staying: Iterable[Distribution], env: Installation
) -> Iterator[Broken]:
    """pandas 1.5 beside NumPy 2: its metadata has no such end, and it does not load."""
    numpy, was = coming.get("numpy"), env.one("numpy")
    if numpy is None or was is None or version_key(numpy)[:1] < (2,) or version_key(was.version)[:1] >= (2,):
        return
    for each in staying:
        if _is_plain(each.version) and needs_old_numpy(each.name, f"=={each.version}"):
            yield Broken(each.name, each.version, "", numpy)


def held_family(env: Installation) -> dict[str, str]:
    """Return torch and its companions with their versions. Raises UsageError `add-no-torch`."""
    held = {name: found.version for name in FAMILY if (found := env.one(name))}
    if "torch" not in held:
        raise UsageError(
            "add-no-torch",
            "There is no PyTorch in “{path}” that could be held.",
            "Put one in [on the page {page.welcome}.|with: torch-wizard setup --into {path}]",
            path=str(env.prefix),
        )
    return held


def check_held(changes: Iterable[ReuseChange], held: Mapping[str, str]) -> None:
    """Raises WizardError `add-not-held` where one of them would come in another build."""
    moved = [f"{change.name} {change.was} → {change.now}" for change in changes if change.name in held]
    if moved:
        raise WizardError(
            "add-not-held",
            "No source has the very build that is there, so it would change: {moved}.",
            "Name the source that it came from [on the page {page.source}|with --torch-index or --find-links]; "
            "nothing was changed.",
            moved=", ".join(moved),
        )


@dataclass(frozen=True, slots=True)
class CondaOwned:
    """`record`: the package as conda calls it."""

    name: str
    record: str


def conda_owned(env: Installation, changes: Iterable[ReuseChange]) -> tuple[CondaOwned, ...]:
    """Of what would be replaced, what conda put there. conda's torch is found by its record, too."""
    if not env.is_conda:
        return ()
    owners = owners_of_files(env.prefix)
    found = []
    for change in changes:
        inside = (_relative(env.prefix, each.info) for each in env.find(change.name))
        record = next((owner for info in inside if (owner := _owner_below(info, owners))), None)
        if record is None and change.name == "torch":
            record = next((f"{each.name} {each.version}" for each in env.records if each.name in _TORCH_RECORDS), None)
        if record:
            found.append(CondaOwned(change.name, record))
    return tuple(found)


def provided_by_conda(env: Installation) -> tuple[PackageVersion, ...]:
    """Python packages whose metadata conda's records list: wheels go around them. torch itself is left out: beside
    conda's there is no other."""
    if not env.is_conda:
        return ()
    owners = owners_of_files(env.prefix)
    return tuple(
        PackageVersion(each.name, each.version)
        for each in env.distributions
        if each.name not in FAMILY and _owner_below(_relative(env.prefix, each.info), owners)
    )


def _owner_below(info: str, owners: Mapping[str, str]) -> str | None:
    """Of a metadata folder, or of the one file that an old one is."""
    for name in (info, *(f"{info}/{file}" for file in ("METADATA", "RECORD", "INSTALLER", "PKG-INFO"))):
        if name in owners:
            return owners[name]
    return None


def _relative(prefix: Path, path: Path) -> str:
    return path.relative_to(prefix).as_posix() if prefix in path.parents else path.as_posix()


def preferences(env: Installation) -> tuple[PackageVersion, ...]:
    """The versions that are there. torch and what follows it in exact versions are left out."""
    return tuple(
        PackageVersion(each.name, str(Version(each.version)))
        for each in env.distributions
        if each.name not in FAMILY and not each.name.startswith(EXACT) and _is_plain(each.version)
    )


def _is_plain(version: str) -> bool:
    try:
        return Version(version).local is None
    except InvalidVersion:
        return False


def words_of(
    plan: Plan, coming: Lock, env: Installation, changes: tuple[ReuseChange, ...], left: int
) -> Iterator[Message]:
    """First what breaks: it is what one would stop for."""
    for broken in broken_by(changes, env):
        if not broken.requirement:
            yield message(
                "reuse.change.built-before",
                "✗ {name} {version} was built for NumPy 1 and would get {now}: it may no longer load.",
                name=broken.name,
                version=broken.version,
                now=broken.now,
            )
            continue
        yield message(
            "reuse.change.broken",
            "✗ {name} {version} asks for {requirement} and would get {now}: it may no longer work.",
            name=broken.name,
            version=broken.version,
            requirement=broken.requirement,
            now=broken.now,
        )
    for change in changes:
        if change.kind == REPLACED:
            yield message(
                "reuse.change.replaced", "{name} {was} → {now}", name=change.name, was=change.was or "", now=change.now
            )
    for change in changes:
        if change.kind == ADDED:
            yield message("reuse.change.added", "{name} {now} is added", name=change.name, now=change.now)
    yield from from_settings(plan.sources, coming.files)
    yield message("reuse.change.left", "Packages that stay as they are: {count}.", count=left)
    size = sum(change.size or 0 for change in changes)
    yield message(
        "reuse.change.download",
        "To be downloaded: {size} at most (packages: {count}).",
        count=len(changes),
        size=bytes_text(size),
    )
    yield message(
        "reuse.change.snapshot",
        "What is replaced is kept in the environment; it comes back [on the page {page.environments}.|with: "
        "torch-wizard envs restore {prefix}]",
        prefix=shell_word(Path(plan.prefix)),
    )


def stages_on_existing(repair: Repair) -> Stages:
    """Of a repair, or of a setup into an environment."""
    if repair.code != REUSE:
        return stages_of(repair)
    return (
        (ReuseReady(repair),),
        (Fetch(),),
        (ReuseAside(repair),),
        (Install(),),
        (CheckFiles(),),
        (RepairVerify(repair),),
    )


class ReuseReady(RepairReady):
    """Time has passed since the plan: what may be changed is asked again."""

    def run(self, context: Context) -> Message:
        prefix = Path(context.plan.prefix)
        if not aside_of(context.plan, self._repair).is_begun:  # else it is we who left it half
            one = look(prefix)
            if one is None:
                raise UsageError(
                    "reuse-missing",
                    "There is no environment in “{path}”.",
                    "[Choose its folder on the page {page.place}|Leave out --reuse] to make a new one there, or "
                    "look for the right one [on the page {page.environments}.|with: torch-wizard envs list]",
                    path=str(prefix),
                )
            check_reusable(one)
        check_not_in_use(prefix)
        return super().run(context)


class ReuseAside(PutAside):
    def announce(self, context: Context) -> Message:
        return message("step.reuse-aside.will", "Putting aside what is replaced")

    def run(self, context: Context) -> Message:
        check_not_in_use(Path(context.plan.prefix))  # the download may have taken hours
        context.journal.begin(self.name)
        prefix, site = Path(context.plan.prefix), Path(self._repair.site)
        wheels = wheels_of(context)
        aside = aside_of(context.plan, self._repair)
        if not aside.is_begun:
            _check_conda_files(prefix, site, wheels)
        count = aside.put(self._repair.names, wheels, (), (prefix / NAME,), spare=True, how=self._repair.how)
        context.journal.done(self.name, {"count": count})
        return message("step.reuse-aside.done", "Files moved aside: {count}; nothing was deleted", count=count)


def _check_conda_files(prefix: Path, site: Path, wheels: tuple[Path, ...]) -> None:
    """The wheels' own lists against conda's: what the names did not tell. Raises WizardError `reuse-conda-files`."""
    owners = owners_of_files(prefix)
    for wheel in wheels:
        if clash := clash_of(prefix, site, read_wheel(wheel), owners):
            code = clash.code.replace("install-conda", "reuse-conda")
            raise WizardError(code, path=str(prefix / clash.path), wheel=wheel.name, owner=clash.owner)
