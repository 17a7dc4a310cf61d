"""The good state of an environment, kept in it as `.torch-setup.json`, and what has replaced it since.

Written after a setup or repair that ended well. Compared by `stat` first and by the RECORD's digest only where that
differs: no Python is started and nothing is imported, so every start of the program can afford it. A record that
cannot be read is no record.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec
from packaging.utils import canonicalize_name

from wizard.environment.inspect.contents import lost_library
from wizard.model.distributions import Distribution, folder_name, info_folders, parse_requirement, read_distribution
from wizard.model.messages import Message, message
from wizard.model.typed import from_json
from wizard.system import moving
from wizard.system.links import long_path

NAME = ".torch-setup.json"
SCHEMA = 1
_WATCHED = ("torch", "torchvision", "torchaudio", "numpy")


@dataclass(frozen=True, slots=True)
class BaselinePackage:
    """One distribution as it was. `info`: its folder's name; `digest`: SHA-256 of its RECORD."""

    name: str
    version: str
    info: str
    digest: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Baseline:
    """`site`: relative to the prefix, so that a moved environment keeps its record. `shared`: for every user."""

    schema: int
    written: float
    torch: str
    variant: str
    python: str
    site: str
    packages: tuple[BaselinePackage, ...]
    shared: bool = False


@dataclass(frozen=True, slots=True)
class PackageChange:
    """`now` None: it is gone. `by`: packages that came later and ask for it, as `name 1.2 (torch==2.7.0)`.

    `lost`: a library of it that is gone, where all else is as it was.
    """

    name: str
    was: str
    now: str | None
    installer: str
    by: tuple[str, ...]
    lost: str | None = None

    def words(self, prefix: Path) -> Message:
        """Return what became of it, in one sentence."""
        params = {"prefix": str(prefix), "name": self.name, "was": self.was}
        if self.lost:
            return message(
                "doctor.say.drift-lost", "{prefix}: {name} {was} has lost a library ({path}).", **params, path=self.lost
            )
        if self.now is None:
            return message("doctor.say.drift-gone", **params)
        if self.now == self.was:
            return message("doctor.say.drift-same", **params)
        return message("doctor.say.drift", **params, now=self.now)


@dataclass(frozen=True, slots=True)
class EnvironmentChanges:
    prefix: Path
    state: Baseline
    changes: tuple[PackageChange, ...]

    @property
    def lost_cuda(self) -> bool:
        """Tell whether the CUDA build was replaced by one that is not of the same variant, or taken away."""
        torch = next((change for change in self.changes if change.name == "torch"), None)
        same = torch is not None and torch.now is not None and torch.now.endswith(f"+{self.state.variant}")
        same = same and not (torch and torch.lost)
        return torch is not None and self.state.variant != "cpu" and not same


def read_baseline(prefix: Path) -> Baseline | None:
    """Return what our own run wrote into the environment; None: nothing, or not of this schema."""
    try:
        state = from_json((long_path(prefix) / NAME).read_bytes(), Baseline)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return state if state.schema == SCHEMA else None


def _is_watched(name: str) -> bool:
    return name in _WATCHED or name.startswith("nvidia-")


def write_baseline(prefix: Path, site: Path, python: str, variant: str, shared: bool = False) -> Baseline | None:
    """Write the state as it is now; None where no torch is installed. Whole or not at all. Raises OSError."""
    infos = {folder_name(info): info for info in info_folders(site) if _is_watched(folder_name(info))}
    kept = tuple(found for info in infos.values() if (found := _kept(info)))
    torch = next((each for each in kept if each.name == "torch"), None)
    if torch is None:
        return None
    inside = site.relative_to(prefix).as_posix() if prefix in site.parents else str(site)
    state = Baseline(SCHEMA, round(time.time(), 3), torch.version, variant, python, inside, kept, shared)
    # Shared, the drift guard of every user reads it.
    data = msgspec.json.format(msgspec.json.encode(state), indent=1)
    moving.write_whole(prefix / NAME, data, 0o644 if shared else None)
    return state


def _kept(info: Path) -> BaselinePackage | None:
    record = long_path(info) / "RECORD"
    found = read_distribution(info)
    try:
        state = record.stat()
        digest = hashlib.sha256(record.read_bytes()).hexdigest()
    except OSError:
        return None
    return (
        BaselinePackage(found.name, found.version, info.name, digest, state.st_size, state.st_mtime_ns)
        if found
        else None
    )


def changes_since_baseline(prefix: Path) -> EnvironmentChanges | None:
    """Return what was replaced since; None: no record, or all is as it was."""
    state = read_baseline(prefix)
    if state is None:
        return None
    site = prefix / state.site
    gone = [kept for kept in state.packages if not _is_as_it_was(site, kept)]
    if not gone:
        return None
    infos = info_folders(site)
    later = _later(infos, state)
    changes = tuple(change for kept in gone if (change := _change(kept, infos, later)))
    return EnvironmentChanges(prefix, state, changes) if changes else None


def losses_since_baseline(prefix: Path) -> EnvironmentChanges | None:
    """Return that torch lost a library although its RECORD is as it was; None where all is there."""
    state = read_baseline(prefix)
    torch = next((kept for kept in state.packages if kept.name == "torch"), None) if state else None
    if state is None or torch is None:
        return None
    lost = lost_library(prefix / state.site / torch.info, state.variant)
    change = PackageChange(torch.name, torch.version, torch.version, "", (), lost)
    return EnvironmentChanges(prefix, state, (change,)) if lost else None


def _is_as_it_was(site: Path, kept: BaselinePackage) -> bool:
    record = long_path(site) / kept.info / "RECORD"
    try:
        found = record.stat()
        if (found.st_size, found.st_mtime_ns) == (kept.size, kept.mtime_ns):
            return True
        return hashlib.sha256(record.read_bytes()).hexdigest() == kept.digest
    except OSError:
        return False


def _later(infos: tuple[Path, ...], state: Baseline) -> tuple[Distribution, ...]:
    """What was installed after the record was written."""
    known = {kept.info for kept in state.packages}
    found = []
    for info in infos:
        with contextlib.suppress(OSError):
            if info.name not in known and long_path(info).stat().st_mtime > state.written:
                found.append(read_distribution(info))
    return tuple(each for each in found if each)


def _change(kept: BaselinePackage, infos: tuple[Path, ...], later: tuple[Distribution, ...]) -> PackageChange | None:
    now = next((read_distribution(info) for info in infos if folder_name(info) == kept.name), None)
    by = tuple(
        f"{each.name} {each.version} ({line})" for each in later if (line := _asks_for(each, kept.name)) is not None
    )
    return PackageChange(kept.name, kept.version, now.version if now else None, now.installer if now else "", by)


def _asks_for(distribution: Distribution, name: str) -> str | None:
    """Its requirement on that package, as written."""
    for line in distribution.requires:
        requirement = parse_requirement(line)
        if requirement and canonicalize_name(requirement.name) == name and "extra" not in str(requirement.marker or ""):
            return line.partition(";")[0].strip()
    return None
