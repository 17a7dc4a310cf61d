"""Installs each package as soon as it is in the store, while others still download.

What an interrupted attempt left of a wheel is found by the wheel's own list of files and taken out first, so
the journal's lines are for people and for the count; the disk itself is what is believed: sizes, and after a crash
the contents.
"""

from __future__ import annotations

import queue
import re
import zipfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from email import message_from_bytes
from pathlib import Path

from packaging.utils import canonicalize_name

from wizard.environment.conda.records import owners_of_files
from wizard.environment.create.vc_runtime import missing_runtime
from wizard.environment.layout import site_packages_of
from wizard.environment.model import Created
from wizard.environment.remove.unfinished import mark_complete
from wizard.install.installer import Installer
from wizard.install.record import check_record, record_of
from wizard.install.store import PackageStore, StoreEntry
from wizard.install.wheel import INSTALL_BAD_WHEEL, UNREADABLE, Wheel, read_wheel
from wizard.model.distributions import changed_files
from wizard.model.errors import WizardError
from wizard.model.lock import LockedFile
from wizard.model.messages import Message, message
from wizard.run.context import Context, Step

_NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_OWN_BESIDE_PARTS = 1 << 20  # bytes; torch's own larger ones would be some GB in each environment


class Needed:
    """Let through only the packages of a lock that something needs: what was asked for, and what those say they need.

    A lock that was resolved has no others. One that somebody else wrote may, and a wheel can bring code that runs
    whenever Python starts, so the rest is held back until a package names it. Markers are passed over: who wrote the
    package that was asked for chose the names in its metadata. Of a requirement only the name is read: installers take
    many forms of the rest that the standard does not know. `asked`: requirements.
    """

    def __init__(self, ready: queue.SimpleQueue[StoreEntry | None], asked: Iterable[str]) -> None:
        self._ready = ready
        self._names = set(_names(asked))
        self._held: dict[str, StoreEntry] = {}
        self._free: deque[StoreEntry] = deque()

    def get_nowait(self) -> StoreEntry | None:
        """Raises as `get`."""
        return self._next(self._ready.get_nowait)

    def get(self, timeout: float) -> StoreEntry | None:
        """`timeout` in seconds. Raises queue.Empty, WizardError `install-not-needed` when nothing more comes and
        something is held, `install-bad-wheel`."""
        return self._next(lambda: self._ready.get(timeout=timeout))

    def _next(self, take: Callable[[], StoreEntry | None]) -> StoreEntry | None:
        if not self._free:
            entry = take()
            if entry is None:
                if self._held:
                    raise WizardError(
                        "install-not-needed",
                        "The class profile holds packages that nothing needs and nobody asked for: {names}; they "
                        "were not installed.",
                        "Do not use this profile before whoever made it has told you what they are for; "
                        "[{page.class}|`torch-wizard profile make --with NAME`] names what a class wants.",
                        names=", ".join(sorted(self._held)),
                    )
                return None
            self._held[read_wheel(entry.wheel).name] = entry
            self._release()
        if not self._free:
            raise queue.Empty
        return self._free.popleft()

    def _release(self) -> None:
        while ready := self._names & self._held.keys():
            for name in ready:
                entry = self._held.pop(name)
                self._names.update(_needs(read_wheel(entry.wheel)))
                self._free.append(entry)


def _needs(wheel: Wheel) -> Iterator[str]:
    try:
        with zipfile.ZipFile(wheel.path) as archive:
            said = message_from_bytes(archive.read(f"{wheel.dist_info}/METADATA"))
    except UNREADABLE as error:
        raise WizardError(INSTALL_BAD_WHEEL, details=f"{wheel.path}: {error!r}", file=wheel.path.name) from error
    return _names(map(str, said.get_all("Requires-Dist", ())))


def _names(requirements: Iterable[str]) -> Iterator[str]:
    found = (_NAME.match(text) for text in requirements)
    return (canonicalize_name(match[1].rstrip("._-")) for match in found if match)


class CheckFiles(Step):
    name = "check"
    weight = 1

    def announce(self, context: Context) -> Message:
        return message("step.check.will")

    def run(self, context: Context) -> Message:
        created = context.place.result().created
        site_packages = site_packages_of(created.prefix, created.python_version)
        store = PackageStore()
        wrong: list[str] = []
        for file in context.lock.files:
            context.check()
            measured_by = measure(file, site_packages, store)
            wrong += check_record(site_packages, measured_by)
            if context.history.after_crash:
                wrong += changed_files(site_packages, record_of(measured_by), file.name)
        if wrong:
            raise WizardError(
                "install-damaged",
                "Installed files are missing or have the wrong size: {first} ({count} in all).",
                "Press Resume[|, or run torch-wizard resume]; if it happens again, check the disk and any "
                "antivirus program.",
                details="\n".join(wrong[:50]),
                count=len(wrong),
                first=wrong[0],
            )
        # In this order: with the mark gone and no line, a kill in between would make the environment a stranger's.
        context.journal.done(self.name)
        mark_complete(created.prefix)
        return message("step.check.done", count=len(context.lock.files))


def measure(file: LockedFile, site_packages: Path, store: PackageStore) -> Path:
    """The wheel; where somebody has removed the store meanwhile, the list that was installed of it."""
    return store.wheel_of(file) or site_packages / f"{'-'.join(file.filename.split('-')[:2])}.dist-info"


def check_runtime(entry: StoreEntry, prefix: Path) -> None:
    """Tell before torch is installed what it would end with (WinError 126). Raises WizardError `install-runtime`."""
    if not entry.wheel.name.startswith("torch-"):
        return
    files = {file.path: entry.path_of(file) for file in entry.files}
    if missing := missing_runtime(files, prefix):
        raise WizardError(
            "install-runtime",
            "PyTorch would not start here: Microsoft's Visual C++ runtime lacks {names}.",
            "Install it from Microsoft (https://aka.ms/vc14/vc_redist.x64.exe) and resume. Without an "
            "administrator: let the built-in engine make the environment[| (--engine rattler)], which brings it "
            "along.",
            details="\n".join(missing),
            names=", ".join(missing),
        )


def installer_for(context: Context, created: Created, step: str, deep: bool) -> Installer:
    """Return the installer of this run. `deep`: what is there is believed by its content.

    Where build code runs in it, the environment shares no small file with others: that code may write into them."""
    has_parts = context.plan.project is not None and bool(context.plan.project.parts)
    return Installer(
        created.python,
        environment=context.plan.environment,
        on_log=lambda line: context.emitter.log(step, line),
        conda_files=owners_of_files(created.prefix),
        copies=context.plan.choices.copies,
        own_below=_OWN_BESIDE_PARTS if has_parts else 0,
        deep=deep,
        before=lambda entry: check_runtime(entry, created.prefix),
    )


class Install(Step):
    name = "install"
    weight = 24

    def announce(self, context: Context) -> Message:
        return message("step.install.will", count=len(context.lock.files))

    def run(self, context: Context) -> Message:
        created = context.wait_for_place().created
        sizes = {file.filename: file.size or 0 for file in context.lock.files}
        total, done = sum(sizes.values()), 0

        def on_installed(entry: StoreEntry) -> None:
            nonlocal done
            done += sizes.get(entry.wheel.name, 0)
            context.journal.installed((entry.wheel.name,))
            context.emitter.log(self.name, f"{entry.wheel.name} ok")
            context.emitter.progress(self.name, done, total, unit="bytes", detail=entry.wheel.name)

        installer = installer_for(context, created, self.name, deep=context.history.after_crash)
        # Who wrote a profile also wrote its lock; every other one was resolved here.
        is_given = context.plan.profile_sha256 is not None
        ready = Needed(context.ready, context.plan.requirements) if is_given else context.ready
        installer.pipeline(ready, on_installed, context.is_stopped)
        return message("step.install.done", count=len(context.lock.files))
