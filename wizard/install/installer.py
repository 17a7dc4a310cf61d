"""Installs packages of the store into a prefix's Python, offline: links for the files, `wheel_data.py` for the rest.

The result is the same files as uv alone would make. uv gets the thin wheels of which `wheel_data.py` leaves a part to
installers, and those that replace another version; where it cannot run, pip of the prefix gets them. Fetching is not
done here.

One file: each package passes all of it, and its threads share one state.
"""

from __future__ import annotations

import json
import os
import queue
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from wizard.install.record import complete_record, is_installed, is_touched, remove_partial
from wizard.install.store import StoreEntry
from wizard.install.store.build import as_wizard_error
from wizard.install.store.link import Linker
from wizard.install.wheel import INSTALL_PERMISSION, INSTALL_WHEEL_GONE, Wheel, read_wheel
from wizard.install.wheel_data import Claims, clash_of, is_simple, write_rest
from wizard.model.distributions import parse_info_name, place
from wizard.model.errors import Cancelled, WizardError
from wizard.process import Outcome, Request, child_environment, run, without_memory
from wizard.process.running import says_full
from wizard.system import moving, paths
from wizard.system.links import long_path

IsCancelled = Callable[[], bool]
OnInstalled = Callable[[StoreEntry], None]
OnLog = Callable[[str], None]


class Ready(Protocol):
    """A queue of entries; None: nothing more will come. Both raise queue.Empty."""

    def get_nowait(self) -> StoreEntry | None: ...
    def get(self, *, timeout: float) -> StoreEntry | None: ...


SCRATCH_NAME = ".torch-setup-install"
_POLL = 0.1
_SCHEME = ("purelib", "platlib", "scripts", "data")
_WHERE = f"import json,sys,sysconfig as s;print(json.dumps([[s.get_path(n) for n in {_SCHEME}],sys.prefix]))"
_NO_PERMISSION = ("permission denied", "access is denied", "read-only file system")


@dataclass(frozen=True, slots=True)
class InstallScheme:
    """`scheme`: the folders by `sysconfig`'s names."""

    scheme: Mapping[str, str]
    prefix: Path

    @property
    def purelib(self) -> Path:
        return Path(self.scheme["purelib"])

    @property
    def platlib(self) -> Path:
        return Path(self.scheme["platlib"])

    def of(self, wheel: Wheel) -> Path:
        return self.purelib if wheel.is_pure else self.platlib


def find_places(python: Path, environment: Mapping[str, str] | None = None) -> InstallScheme:
    """Return where that Python keeps packages. Raises WizardError `install-no-python`, `no-memory`."""
    request = Request((str(python), "-I", "-c", _WHERE), environment=child_environment(environment), timeout=60)
    outcome = run(request)
    try:
        folders, prefix = json.loads(outcome.stdout)
        return InstallScheme(dict(zip(_SCHEME, folders, strict=True)), Path(prefix))
    except (ValueError, TypeError):
        broken = WizardError(
            "install-no-python",
            "The Python of the environment, {python}, does not start.",
            "Remove the environment and make it anew; an antivirus program may have stopped it.",
            details=outcome.tail(),
            python=str(python),
        )
        raise without_memory(outcome) or broken from None


@dataclass(slots=True)
class _Package:
    """One of them under way."""

    entry: StoreEntry
    wheel: Wheel
    linking: list[Future[None]] | None = None  # None: not begun
    by_installer: bool = True  # its metadata and programs are uv's


@dataclass(slots=True)
class _PipelineWork:
    """What one pipeline has in hand."""

    linker: Linker
    is_cancelled: IsCancelled
    on_installed: OnInstalled
    present: frozenset[str]  # names of packages that an installer would take out first
    first_names: frozenset[str]  # of what was in site-packages at the start
    taken: list[StoreEntry] = field(default_factory=list)  # not all of them installed
    batch: list[_Package] = field(default_factory=list)
    claims: Claims = field(default_factory=Claims)
    half: list[_Package] = field(default_factory=list)  # only their links and the end of their RECORD are left
    open: bool = True


class Installer:
    """One per prefix. `environment` adds to the children's (proxy and certificates are not needed offline);
    `conda_files`: what conda's records list, relative to the prefix -> its package, which no wheel may touch; `copies`:
    files of its own for this prefix, also where links were possible; `deep`: what is there is believed by its content
    only; `before` looks at each package and raises WizardError where it would not work."""

    def __init__(
        self,
        python: Path,
        *,
        environment: Mapping[str, str] | None = None,
        on_log: OnLog = lambda line: None,
        conda_files: Mapping[str, str] | None = None,
        copies: bool = False,
        own_below: int = 0,
        deep: bool = False,
        before: OnInstalled = lambda entry: None,
    ) -> None:
        self._conda_files = conda_files or {}
        self._deep = deep
        self._before = before
        self._python = python
        self._environment = environment
        self._on_log = on_log
        self._copies, self._own_below = copies, own_below
        self.places = find_places(python, environment)
        # On the prefix's own volume, so that uv can link instead of copy.
        self._scratch = self.places.prefix / SCRATCH_NAME

    def install(
        self,
        entries: Sequence[StoreEntry],
        on_installed: OnInstalled = lambda entry: None,
        is_cancelled: IsCancelled = lambda: False,
    ) -> None:
        """Install all of them. What an earlier, killed install left of a package is taken out first; what is whole
        stays."""
        ready: queue.SimpleQueue[StoreEntry | None] = queue.SimpleQueue()
        for entry in entries:
            ready.put(entry)
        ready.put(None)
        self.pipeline(ready, on_installed, is_cancelled)

    def pipeline(
        self,
        ready: Ready,
        on_installed: OnInstalled = lambda entry: None,
        is_cancelled: IsCancelled = lambda: False,
    ) -> None:
        """Install packages as they come until None comes; those that come while uv works make the next batch.

        `on_installed` once per package, when all its files are in place. Raises WizardError (`install-…`) or
        Cancelled. Runs children: call it on a thread that lives as long as they may.
        """
        self._prepare()
        linker = Linker(is_cancelled, copies=self._copies, own_below=self._own_below)
        names = self._names()
        first_names = frozenset(map(os.path.normcase, names))
        work = _PipelineWork(linker, is_cancelled, on_installed, _packages(names), first_names)
        try:
            while work.open or work.batch or work.half:
                if is_cancelled():
                    raise Cancelled
                self._collect(ready, work)
                if work.batch:
                    self._install_batch(work)
                self._conclude(work)
        except (OSError, WizardError, zipfile.BadZipFile) as error:
            gone = next((entry.wheel for entry in work.taken if not entry.wheel.exists()), None)
            if gone:
                raise WizardError(
                    INSTALL_WHEEL_GONE, details=repr(error), file=gone.name, folder=str(gone.parent)
                ) from error
            raise error if isinstance(error, WizardError) else as_wizard_error(error, self.places.prefix) from error
        finally:
            linker.close()
            moving.remove_tree(self._scratch)

    def _prepare(self) -> None:
        try:
            moving.remove_tree(self._scratch)
            long_path(self._scratch).mkdir(parents=True)
        except OSError as error:
            raise as_wizard_error(error, self.places.prefix) from error

    def _names(self) -> list[str]:
        """Return the names of what is in site-packages."""
        folders = {self.places.purelib, self.places.platlib}
        return [path.name for folder in folders if folder.is_dir() for path in folder.iterdir()]

    # -- collecting ------------------------------------------------------------------------------------------

    def _collect(self, ready: Ready, work: _PipelineWork) -> None:
        """Everything that is ready; waits a moment when there is nothing to do."""
        while work.open:
            try:
                entry = ready.get_nowait() if work.batch else ready.get(timeout=_POLL)
            except queue.Empty:
                break
            if entry is None:
                work.open = False
            else:
                self._take(entry, work)
        for package in work.batch:  # after a look at all of them: some have folders in common
            if package.linking is None and package.wheel.name not in work.present:
                self._begin_links(package, work)
            if not package.by_installer:  # whole is what has every file, whichever came last
                write_rest(package.wheel, self.places.scheme, self._python)

    def _begin_links(self, package: _Package, work: _PipelineWork) -> None:
        package.linking = [*work.linker.begin(package.entry, self.places.of(package.wheel))]
        package.by_installer = not is_simple(package.wheel)

    def _take(self, entry: StoreEntry, work: _PipelineWork) -> None:
        work.taken.append(entry)
        wheel = read_wheel(entry.wheel)
        self._before(entry)
        site_packages = self.places.of(wheel)
        if clash := clash_of(self.places.prefix, site_packages, wheel, self._conda_files):
            raise WizardError(clash.code, wheel=entry.wheel.name, path=clash.path, owner=clash.owner)
        work.claims.check(wheel)
        if is_installed(wheel, site_packages, self._deep):
            work.taken.remove(entry)
            work.on_installed(entry)
            return
        package = _Package(entry, wheel)
        if wheel.name not in work.present and work.first_names.isdisjoint(_first_names(wheel)):
            self._begin_links(package, work)  # nothing of it was there, so the others need no look before
        elif is_touched(wheel, site_packages):
            remove_partial(wheel, site_packages)
        work.batch.append(package)

    def _conclude(self, work: _PipelineWork) -> None:
        for package in tuple(work.half):
            assert package.linking is not None
            if work.open and not all(future.done() for future in package.linking):
                continue
            for future in package.linking:
                future.result()
            work.half.remove(package)
            if package.by_installer:
                complete_record(package.wheel, self.places.of(package.wheel))
            work.taken.remove(package.entry)
            work.on_installed(package.entry)

    # -- uv --------------------------------------------------------------------------------------------------

    def _is_uv_there(self) -> bool:
        try:
            paths.uv_executable()
        except (FileNotFoundError, ImportError):
            return False
        return True

    def _install_batch(self, work: _PipelineWork) -> None:
        work.half.extend(package for package in work.batch if not package.by_installer)
        batch, work.batch = [package for package in work.batch if package.by_installer], []
        if not batch:
            return
        began = time.monotonic()
        wheels = [package.wheel for package in batch]
        outcome = self._run_uv(wheels, work) if self._is_uv_there() else None
        if outcome is None or outcome.exit_code is None:
            outcome = self._run_pip(wheels, work.is_cancelled)
        if outcome.cancelled or work.is_cancelled():
            raise Cancelled
        if not outcome.ok:
            raise failed(outcome, self.places.prefix)
        for package in batch:
            if package.linking is None:  # another version of it was there, and is gone now
                package.linking = [*work.linker.begin(package.entry, self.places.of(package.wheel))]
        self._on_log(f"installed {len(batch)} in {time.monotonic() - began:.1f} s")
        work.half.extend(batch)

    def _run_uv(self, batch: Sequence[Wheel], work: _PipelineWork) -> Outcome:
        # In a folder of their own: uv reads every name in it, and torch's entry has twelve thousand.
        made = Path(tempfile.mkdtemp(prefix="wheels-", dir=long_path(self._scratch)))
        folder = self._scratch / made.name
        for wheel in batch:
            work.linker.put(str(long_path(wheel.path)), str(made / wheel.path.name))
        argv = (
            str(paths.uv_executable()),
            "pip",
            "install",
            "--offline",
            "--no-index",
            "--no-deps",
            "--no-config",
            "--no-progress",
            "--color",
            "never",
            "--no-python-downloads",
            "--link-mode",
            "hardlink",
            "--cache-dir",
            str(self._scratch / "cache"),
            "--python",
            str(self._python),
            "--find-links",
            str(folder),
            *(wheel.requirement for wheel in batch),
        )
        return self._run(argv, work.is_cancelled)

    def _run_pip(self, batch: Sequence[Wheel], is_cancelled: IsCancelled) -> Outcome:
        argv = (
            str(self._python),
            "-m",
            "pip",
            "install",
            "--no-index",
            "--no-deps",
            "--no-cache-dir",
            "--no-input",
            "--disable-pip-version-check",
            "--force-reinstall",
            *(str(wheel.path) for wheel in batch),
        )
        return self._run(argv, is_cancelled)

    def _run(self, argv: tuple[str, ...], is_cancelled: IsCancelled) -> Outcome:
        request = Request(argv, cwd=self._scratch, environment=child_environment(self._environment))
        return run(request, lambda stream, line: self._on_log(line), is_cancelled)


def _packages(names: Iterable[str]) -> frozenset[str]:
    """Return which packages these folders in site-packages are of, by their normalised names."""
    return frozenset(info[0] for name in names if (info := parse_info_name(name)))


def _first_names(wheel: Wheel) -> set[str]:
    """Return the first parts of the paths that it puts into site-packages, as the file system compares them."""
    targets = filter(None, (place(entry.path) for entry in wheel.record))
    return {os.path.normcase(target.partition("/")[0]) for target in targets}


def failed(outcome: Outcome, prefix: Path) -> WizardError:
    """Return the error for what uv or pip could not do."""
    if lack := without_memory(outcome):
        return lack
    said = outcome.stderr.lower()
    if says_full(said):
        return WizardError("install-no-space", details=outcome.tail(), folder=str(prefix))
    if any(mark in said for mark in _NO_PERMISSION):
        return WizardError(INSTALL_PERMISSION, details=outcome.tail(), folder=str(prefix))
    return WizardError("install-failed", details=outcome.tail(), folder=str(prefix))
