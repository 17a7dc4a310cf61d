"""Installs verified wheels into a prefix's Python, offline: uv for the wheel as such, our threads for its bulk.

uv unpacks into its cache, through the page cache, and links from there; unpacking the large files straight
to their place (`thin.py`, `unpack.py`) takes far less, and the result is the same files with the same RECORD.
When uv cannot run, pip of the prefix installs the whole wheels. Fetching is not done here.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import struct
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wizard import paths
from wizard.errors import Cancelled, WizardError
from wizard.packages.full_disk import says_full
from wizard.packages.record import complete_record, is_installed, is_touched, remove_partial
from wizard.packages.thin import write_thin
from wizard.packages.unpack import Early, Unpacker
from wizard.packages.wheel import Wheel, read_wheel
from wizard.process import Outcome, Request, child_environment, run

IsCancelled = Callable[[], bool]
OnInstalled = Callable[[Path], None]
OnLog = Callable[[str], None]
TakeEarly = Callable[[Path], Mapping[str, Early]]
Ready = queue.SimpleQueue[Path | None]  # None: nothing more will come

SCRATCH_NAME = ".torch-setup-install"
_POLL = 0.1
_WHERE = "import json,sys,sysconfig as s;print(json.dumps([s.get_path('purelib'),s.get_path('platlib'),sys.prefix]))"
_NO_PERMISSION = ("permission denied", "access is denied", "read-only file system")


@dataclass(frozen=True, slots=True)
class Places:
    purelib: Path
    platlib: Path
    prefix: Path

    def of(self, wheel: Wheel) -> Path:
        return self.purelib if wheel.is_pure else self.platlib


def find_places(python: Path, environment: Mapping[str, str] | None = None) -> Places:
    """Where that Python keeps packages. Raises WizardError `install-no-python`."""
    request = Request((str(python), "-I", "-c", _WHERE), environment=child_environment(environment), timeout=60)
    outcome = run(request)
    try:
        purelib, platlib, prefix = json.loads(outcome.stdout)
    except (ValueError, TypeError):
        raise WizardError("install-no-python", outcome.tail(), python=str(python)) from None
    return Places(Path(purelib), Path(platlib), Path(prefix))


@dataclass(slots=True)
class _Work:
    """What one pipeline has in hand."""

    unpacker: Unpacker
    is_cancelled: IsCancelled
    on_installed: OnInstalled
    batch: list[Wheel] = field(default_factory=list)
    half: list[Wheel] = field(default_factory=list)  # uv is done with them, their bulk is not
    open: bool = True


class Installer:
    """One per prefix. `environment` adds to the children's (proxy and certificates are not needed offline);
    `early`: what of a wheel was unpacked while it was being fetched."""

    def __init__(
        self, python: Path, *, scratch: Path | None = None, threads: int | None = None,
        environment: Mapping[str, str] | None = None, on_log: OnLog = lambda line: None,
        early: TakeEarly = lambda wheel: {},
    ) -> None:  # fmt: skip
        self._early = early
        self._python = python
        self._environment = environment
        self._on_log = on_log
        self._threads = threads or min(8, (os.cpu_count() or 2) + 2)
        self.places = find_places(python, environment)
        # On the prefix's own volume, so that uv can link instead of copy.
        self._scratch = scratch or self.places.prefix / SCRATCH_NAME

    def install(
        self, wheels: Sequence[Path], on_installed: OnInstalled = lambda wheel: None,
        is_cancelled: IsCancelled = lambda: False,
    ) -> None:  # fmt: skip
        """All of them. What an earlier, killed install left of a wheel is taken out first; what is whole stays."""
        ready: Ready = queue.SimpleQueue()
        for wheel in wheels:
            ready.put(wheel)
        ready.put(None)
        self.pipeline(ready, on_installed, is_cancelled)

    def pipeline(
        self, ready: Ready, on_installed: OnInstalled = lambda wheel: None,
        is_cancelled: IsCancelled = lambda: False,
    ) -> None:  # fmt: skip
        """Installs wheels as they come until None comes; those that come while uv works make the next batch.

        `on_installed` once per wheel, when all its files are in place. Raises WizardError (`install-…`) or
        Cancelled. Runs children: call it on a thread that lives as long as they may.
        """
        self._prepare()
        work = _Work(Unpacker(self._threads, is_cancelled), is_cancelled, on_installed)
        try:
            while work.open or work.batch or work.half:
                if is_cancelled():
                    raise Cancelled
                self._collect(ready, work)
                if work.batch:
                    self._install_batch(work)
                self._conclude(work)
        except (OSError, zipfile.BadZipFile) as error:
            raise as_wizard_error(error, self.places.prefix) from error
        finally:
            work.unpacker.close()
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _prepare(self) -> None:
        try:
            shutil.rmtree(self._scratch, ignore_errors=True)
            (self._scratch / "thin").mkdir(parents=True)
        except OSError as error:
            raise as_wizard_error(error, self.places.prefix) from error

    # -- collecting ------------------------------------------------------------------------------------------

    def _collect(self, ready: Ready, work: _Work) -> None:
        """Everything that is ready; waits a moment when there is nothing to do."""
        while work.open:
            try:
                path = ready.get_nowait() if work.batch else ready.get(timeout=_POLL)
            except queue.Empty:
                return
            if path is None:
                work.open = False
            else:
                self._take(path, work)

    def _take(self, path: Path, work: _Work) -> None:
        wheel = read_wheel(path)
        site_packages = self.places.of(wheel)
        if is_installed(wheel, site_packages):
            work.on_installed(path)
            return
        if is_touched(wheel, site_packages):
            remove_partial(wheel, site_packages)
        if wheel.bulk and self._is_uv_there():
            work.unpacker.add(wheel, site_packages, self._early(path))
        work.batch.append(wheel)

    def _conclude(self, work: _Work) -> None:
        done = [wheel for wheel in work.half if work.unpacker.is_done(wheel.path)]
        for wheel in done:
            work.half.remove(wheel)
            complete_record(wheel, self.places.of(wheel))
            work.on_installed(wheel.path)
        if work.half and not done and not work.open:
            work.unpacker.wait(_POLL)

    # -- uv --------------------------------------------------------------------------------------------------

    def _is_uv_there(self) -> bool:
        try:
            paths.uv_executable()
        except (FileNotFoundError, ImportError):
            return False
        return True

    def _install_batch(self, work: _Work) -> None:
        batch, work.batch = work.batch, []
        began = time.monotonic()
        outcome = self._run_uv(batch, True, work.is_cancelled) if self._is_uv_there() else None
        if outcome is not None and not outcome.ok and outcome.exit_code is not None and not outcome.cancelled:
            self._on_log(outcome.tail())
            outcome = self._run_uv(batch, False, work.is_cancelled)  # whole wheels: perhaps one was odd
        if outcome is None or outcome.exit_code is None:
            outcome = self._run_pip(batch, work.is_cancelled)
        if outcome.cancelled or work.is_cancelled():
            raise Cancelled
        if not outcome.ok:
            raise failed(outcome, self.places.prefix)
        self._on_log(f"installed {len(batch)} in {time.monotonic() - began:.1f} s")
        work.half.extend(batch)

    def _run_uv(self, batch: Sequence[Wheel], thin: bool, is_cancelled: IsCancelled) -> Outcome:
        folders = {str(self._thin(wheel).parent if thin else wheel.path.parent) for wheel in batch}
        links = [option for folder in sorted(folders) for option in ("--find-links", folder)]
        argv = (
            str(paths.uv_executable()), "pip", "install", "--offline", "--no-index", "--no-deps", "--no-config",
            "--no-progress", "--color", "never", "--no-python-downloads", "--link-mode", "hardlink",
            "--cache-dir", str(self._scratch / "cache"), "--python", str(self._python), *links,
            *(wheel.requirement for wheel in batch),
        )  # fmt: skip
        return self._run(argv, is_cancelled)

    def _thin(self, wheel: Wheel) -> Path:
        """The file that uv gets: without its bulk, if it has any and such a one can be made."""
        if not wheel.bulk:
            return wheel.path
        target = self._scratch / "thin" / wheel.path.name
        try:
            write_thin(wheel, target)
        except (zipfile.BadZipFile, struct.error, ValueError):
            target.unlink(missing_ok=True)
            return wheel.path
        return target

    def _run_pip(self, batch: Sequence[Wheel], is_cancelled: IsCancelled) -> Outcome:
        argv = (
            str(self._python), "-m", "pip", "install", "--no-index", "--no-deps", "--no-cache-dir", "--no-input",
            "--disable-pip-version-check", "--force-reinstall", *(str(wheel.path) for wheel in batch),
        )  # fmt: skip
        return self._run(argv, is_cancelled)

    def _run(self, argv: tuple[str, ...], is_cancelled: IsCancelled) -> Outcome:
        request = Request(argv, cwd=self._scratch, environment=child_environment(self._environment))
        return run(request, lambda stream, line: self._on_log(line), is_cancelled)


def failed(outcome: Outcome, prefix: Path) -> WizardError:
    """What uv or pip could not do."""
    said = outcome.stderr.lower()
    if says_full(said):
        return WizardError("install-no-space", outcome.tail(), folder=str(prefix))
    if any(mark in said for mark in _NO_PERMISSION):
        return WizardError("install-permission", outcome.tail(), folder=str(prefix))
    return WizardError("install-failed", outcome.tail(), folder=str(prefix))


def as_wizard_error(error: Exception, prefix: Path) -> WizardError:
    """What our own threads could not do."""
    details = repr(error)
    if isinstance(error, zipfile.BadZipFile):
        return WizardError("install-bad-wheel", details, file=str(error))
    if isinstance(error, PermissionError):
        return WizardError("install-permission", details, folder=str(prefix))
    is_full = isinstance(error, OSError) and says_full(str(error))
    return WizardError("install-no-space" if is_full else "install-failed", details, folder=str(prefix))
