"""An environment as it lies on the disk: its Python, its packages, its torch, what the user's session adds.

Nothing of the environment is imported; only its Python is asked about itself, and where that does not run the
folders alone speak. `meant` is what this environment was set up to be, where that is known.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wizard.environment.conda.records import Record, read_records
from wizard.environment.inspect.baseline import Baseline, read_baseline
from wizard.environment.layout import is_conda_prefix, python_of, site_packages, site_packages_of
from wizard.model.distributions import Distribution, leftovers, read_distributions
from wizard.model.typed import from_last_line
from wizard.process import Outcome, Request, child_environment, run
from wizard.system import paths
from wizard.system.links import long_path
from wizard.system.traits import of

_SECONDS = 60.0
_VERSION_LINE = re.compile(r"^(__version__|cuda|hip)\s*(?::[^=\n]+)?=\s*(?:None|['\"]([^'\"]*)['\"])", re.MULTILINE)
_IN_PYTHON = ("LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONNOUSERSITE", "PYTHONHOME", "CUDA_VISIBLE_DEVICES", "LD_PRELOAD")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """`path`: where this Python looks for packages when the user starts it. `tag`: `cp312`."""

    executable: Path
    version: str
    tag: str
    prefix: Path
    base_prefix: Path
    path: tuple[Path, ...]
    site: Path  # where its own binary packages go
    stdlib: Path
    user_site: Path | None  # None: switched off


@dataclass(frozen=True, slots=True)
class TorchFiles:
    """What `torch/version.py` says, without running it. `cuda` None: the CPU build (or ROCm)."""

    folder: Path
    version: str | None
    cuda: str | None
    hip: str | None

    @property
    def variant(self) -> str | None:
        """Return cpu, cu126, rocm6.4 …: by the version's local part, else by what torch's files say; None: no torch."""
        if self.version is None:
            return None
        local = self.version.partition("+")[2]
        if local:
            return local
        return f"cu{self.cuda.replace('.', '')}" if self.cuda else None if self.hip else "cpu"


@dataclass(frozen=True, slots=True)
class Meant:
    """What the environment was set up to be. `source`: `record` (our file in it) or `plan` (a run of ours).
    `is_forced`: nobody chose that variant; it was all that the computer could run then."""

    torch: str  # "2.14.1"
    variant: str
    source: str
    is_forced: bool = False


@dataclass(frozen=True, slots=True)
class Installation:
    prefix: Path
    os: str
    python: Interpreter | None  # None: it does not run; `trouble` says how
    trouble: str
    site: Path
    distributions: tuple[Distribution, ...]  # of the environment itself
    outside: tuple[Distribution, ...]  # from folders outside that its Python looks into first
    leftovers: tuple[Path, ...]
    records: tuple[Record, ...]  # conda's
    torch: TorchFiles | None
    meant: Meant | None
    state: Baseline | None
    variables: Mapping[str, str]

    def find(self, name: str) -> tuple[Distribution, ...]:
        return tuple(each for each in self.distributions if each.name == name)

    def one(self, name: str) -> Distribution | None:
        return next(iter(self.find(name)), None)

    @property
    def is_conda(self) -> bool:
        return is_conda_prefix(self.prefix)

    @property
    def variant(self) -> str | None:
        """Return the variant of the torch that is installed here."""
        torch = self.one("torch")
        of_files = self.torch.variant if self.torch else None
        return of_files or (torch.local if torch else None)

    @property
    def release(self) -> str | None:
        torch = self.one("torch")
        if self.torch and self.torch.version:
            return self.torch.version.partition("+")[0]
        return torch.release if torch else None

    def markers(self) -> dict[str, str]:
        """Return the markers for requirements: this Python and this system, not those that run the doctor."""
        version = self.python.version if self.python else "3.12.0"
        return {
            "python_version": ".".join(version.split(".")[:2]),
            "python_full_version": version,
            "implementation_name": "cpython",
            "platform_python_implementation": "CPython",
            "implementation_version": version,
            **of(self.os).markers,
        }


def user_variables(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return what the user's session adds to every Python. A frozen program's own library path is not the user's."""
    source = os.environ if environment is None else environment
    found = {name: source[name] for name in _IN_PYTHON if source.get(name)}
    if "LD_LIBRARY_PATH_ORIG" in source:
        found["LD_LIBRARY_PATH"] = source["LD_LIBRARY_PATH_ORIG"]
    elif paths.is_frozen():
        found.pop("LD_LIBRARY_PATH", None)
    return found


def read_installation(prefix: Path, variables: Mapping[str, str], meant: Meant | None = None) -> Installation:
    """Read an environment without importing anything of it: its Python is asked, its packages' records are read."""
    system = paths.os_name()
    outcome = _ask(prefix, variables, system)
    python = parse_interpreter(outcome.stdout)
    site = python.site if python else site_packages(prefix) or site_packages_of(prefix, "3.12", system)
    distributions = read_distributions(_own_sites(prefix, site, python))
    state = read_baseline(prefix)
    is_forced = meant is not None and meant.is_forced and not (state and state.variant != meant.variant)
    if state:
        meant = Meant(state.torch.partition("+")[0], state.variant, "record")
    if is_forced:
        meant = None
    return Installation(
        prefix=prefix,
        os=system,
        python=python,
        trouble="" if python else outcome.tail(8),
        site=site,
        distributions=distributions,
        outside=read_distributions(_outside(python)) if python else (),
        leftovers=leftovers(site),
        records=read_records(prefix),
        torch=read_torch(site),
        meant=meant,
        state=state,
        variables=dict(variables),
    )


def _ask(prefix: Path, variables: Mapping[str, str], system: str) -> Outcome:
    script = paths.resources_dir() / "scripts" / "describe_python.py"
    environment = user_environment(variables)
    return run(Request((str(python_of(prefix, system)), str(script)), environment=environment, timeout=_SECONDS))


def user_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return a child's environment as the user's own terminal would give it to Python."""
    environment = child_environment()
    environment.pop("PYTHONNOUSERSITE", None)
    return {**environment, **variables}


def parse_interpreter(printed: str) -> Interpreter | None:
    """Return what the script printed; None for anything else."""
    try:
        return from_last_line(printed, Interpreter)
    except (ValueError, RecursionError):
        return None


def _own_sites(prefix: Path, site: Path, python: Interpreter | None) -> tuple[Path, ...]:
    """A system Python keeps packages in more than one folder."""
    more = [entry for entry in python.path if prefix in entry.parents and entry.is_dir()] if python else []
    standard = (python.stdlib, python.stdlib / "lib-dynload") if python else ()
    return (site, *(entry for entry in more if entry not in standard))


def _outside(python: Interpreter) -> Iterator[Path]:
    """Folders that come before the environment's own packages and are neither its own nor the standard library."""
    own = {python.site, python.stdlib, python.stdlib / "lib-dynload"}
    for entry in python.path:
        if entry == python.site:
            return
        is_standard = entry in own or entry.suffix == ".zip" or python.stdlib in entry.parents
        if entry.is_dir() and not is_standard:
            yield entry


def read_torch(site: Path) -> TorchFiles | None:
    """Return torch's files; None where no torch folder is. Its version.py may be missing or of no known shape."""
    folder = site / "torch"
    if not long_path(folder).is_dir():
        return None
    try:
        text = (long_path(folder) / "version.py").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    return parse_version_file(text, folder)


def parse_version_file(text: str, folder: Path) -> TorchFiles:
    values = {match[1]: match[2] for match in _VERSION_LINE.finditer(text)}
    return TorchFiles(folder, values.get("__version__") or None, values.get("cuda") or None, values.get("hip") or None)
