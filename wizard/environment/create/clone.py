"""A copy of an environment that works in its new place, and goes on working when the original is deleted.

Everything in it is copied, also what no package owns; files of the package store are linked, as an install links them.
The path of the old place is rewritten where it is written; a virtual environment gets its frame (interpreter,
activation, pyvenv.cfg) made anew by its own Python. Marked as unfinished until the copy's Python has run. The original
is only read.

One file: each refusal stands where it is found, with its sentences.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import shutil
import stat
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from wizard.environment.activate.scripts import is_own_activation, write_activation
from wizard.environment.create.clone_files import (
    Copier,
    Spellings,
    mend_conda_records,
    mend_wheel_records,
    placeholders_of,
    rewrite,
    spellings,
)
from wizard.environment.inspect.look import moved_from, parse_cfg
from wizard.environment.inspect.owned import owned_files
from wizard.environment.inspect.prefix import ENV_BROKEN, ask_python
from wizard.environment.inspect.sizes import Folder, walk
from wizard.environment.inspect.survey import site_folders
from wizard.environment.layout import python_of, read_text
from wizard.environment.model import Environment, EnvironmentKind
from wizard.model.errors import Cancelled, WizardError, gigabytes_apart
from wizard.process import Request, child_environment, run
from wizard.system.links import extended, long_path

OnProgress = Callable[[int, int], None]  # bytes done and in all
IsCancelled = Callable[[], bool]
_THREADS = 4
_READ_WHOLE = 1 << 20
_READ_ALL = 64 << 20  # to look for our path in as many bytes takes less than every package's list
_OURS = ".torch-setup"  # marks, snapshots and notes of this program stay behind
_LEFT_OUT = frozenset({"conda-meta/frozen"})  # the copy is nobody else's to look after
# Since Python 3.8; before, the link in a virtual environment leads to its base.
_BASE = "import os, sys; print(getattr(sys, '_base_executable', None) or os.path.realpath(sys.executable))"


@dataclass(frozen=True, slots=True)
class Rewritten:
    """SHA-256 in hex, before and after."""

    before: str
    after: str
    size: int


@dataclass(frozen=True, slots=True)
class Cloned:
    """`shared`: bytes that both have on the disk only once. `still_old`: binaries that still name the old place."""

    prefix: Path
    files: int
    size: int
    shared: int
    still_old: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CloneContents:
    """What is to be copied. Relative paths with "/"; `files` with their sizes."""

    folders: tuple[str, ...]
    files: tuple[tuple[str, int], ...]
    links: tuple[str, ...]
    size: int  # of all files
    stored: frozenset[str] = frozenset()  # files that are the package store's: the copy gets the same ones


def contents_of(
    prefix: Path, is_cancelled: IsCancelled = lambda: False, inodes: Collection[int] = frozenset()
) -> CloneContents:
    """Return what would be copied. `inodes`: the package store's files on the volume of the prefix.

    Raises WizardError `clone-unreadable` for what may not be read or lies on another disk, Cancelled.
    """
    folders: list[str] = []
    files: list[tuple[str, int]] = []
    links: list[str] = []
    stored: set[str] = set()

    def visit(folder: Folder) -> None:
        if folder.path.startswith(_OURS):
            return
        if not folder.is_readable or folder.is_other_volume:
            raise WizardError(
                "clone-unreadable",
                "{path} cannot be read, or another disk is mounted there.",
                "Ask the owner of the environment for the right to read it, or unmount the disk; nothing was copied.",
                path=str(prefix / folder.path),
            )
        folders.append(folder.path)
        for name, status in folder.files:
            path = f"{folder.path}/{name}" if folder.path else name
            if path.startswith(_OURS) or path in _LEFT_OUT:
                continue
            if stat.S_ISREG(status.st_mode):
                files.append((path, status.st_size))
                if status.st_nlink > 1 and status.st_ino in inodes:
                    stored.add(path)
            elif stat.S_ISLNK(status.st_mode) or _is_junction(status):
                links.append(path)  # what is neither (a pipe, a socket) belongs to a process, not to an environment

    walk(prefix, visit, is_cancelled)
    size = sum(size for _, size in files)
    return CloneContents(tuple(sorted(folders)), tuple(sorted(files)), tuple(sorted(links)), size, frozenset(stored))


def _is_junction(status: os.stat_result) -> bool:
    return stat.S_ISDIR(status.st_mode)  # the walk gives true folders apart


def clone(
    source: Environment, target: Path, contents: CloneContents, on_progress: OnProgress, is_cancelled: IsCancelled
) -> Cloned:
    """Copy into a folder that holds nothing but our mark. Raises WizardError `clone-…`, `no-space`, Cancelled; then it
    is for the caller to remove."""
    _check_disk_space(target, sum(size for path, size in contents.files if path not in contents.stored))
    known = spellings((source.prefix, moved_from(source.prefix)), target)
    try:
        if source.kind is EnvironmentKind.VENV:
            _make_frame(source, target, is_cancelled)
        work = _CloneWork(source.prefix, target, contents, known, on_progress, is_cancelled, frame=_files_in(target))
        work.carry_out()
        if source.kind is not EnvironmentKind.VENV and is_own_activation(target):
            write_activation(target)  # the old place may have needed no quotes, and this one may
        mend_wheel_records(target, site_folders(target), work.rewritten)
        mend_conda_records(target, work.rewritten)
    except OSError as error:
        code = "clone-no-space" if error.errno == 28 else "clone-failed"
        raise WizardError(code, details=f"{error}\n{error.filename or ''}", path=str(target)) from error
    _check_it_runs(source, target)
    return Cloned(target, len(contents.files), contents.size, work.copier.shared_bytes, tuple(sorted(work.still_old)))


def _check_disk_space(target: Path, size: int) -> None:
    """Where blocks are shared it takes less, but that is known only by trying."""
    free = shutil.disk_usage(target).free
    if free < size:
        wanted, left = gigabytes_apart(size, free)
        raise WizardError("no-space", path=str(target), needed=wanted, free=left)


def _make_frame(source: Environment, target: Path, is_cancelled: IsCancelled) -> None:
    """By the Python that the original borrows."""
    python = python_of(source.prefix)
    asked = run(Request((str(python), "-I", "-X", "utf8", "-c", _BASE), timeout=60.0))
    base = asked.stdout.strip()
    if not asked.ok or not base:
        raise WizardError(ENV_BROKEN, details=asked.tail(), path=str(python))
    cfg = parse_cfg(read_text(source.prefix / "pyvenv.cfg") or "")
    prompt = cfg.get("prompt", source.prefix.name).strip("'\"")
    options = ["--without-pip", "--prompt", target.name if prompt == source.prefix.name else prompt]
    options += ["--system-site-packages"] if cfg.get("include-system-site-packages", "").lower() == "true" else []
    argv = (base, "-I", "-m", "venv", *options, str(target))
    outcome = run(Request(argv, environment=child_environment()), is_cancelled=is_cancelled)
    if outcome.cancelled or is_cancelled():
        raise Cancelled
    if not outcome.ok:
        raise WizardError("clone-failed", details=outcome.tail(), path=str(target))


def _files_in(prefix: Path) -> frozenset[str]:
    prefix = long_path(prefix)
    names = (path for path in prefix.rglob("*") if path.is_symlink() or not path.is_dir())
    return frozenset(path.relative_to(prefix).as_posix() for path in names)


def _check_it_runs(source: Environment, target: Path) -> None:
    python = python_of(target)
    if source.python is None and not python.exists():
        return  # a conda environment without a Python
    try:
        ask_python(python)
    except WizardError as error:
        raise WizardError(
            "clone-broken",
            "The Python of the copy in {path} does not run.",
            "Make a new environment [on the page {page.welcome}|with torch-wizard setup]; the copy is removed "
            "again, and the original is as it was.",
            details=error.details,
            path=str(target),
        ) from error


@dataclass(slots=True)
class _CloneWork:
    source: Path
    target: Path
    contents: CloneContents
    known: Spellings
    on_progress: OnProgress
    is_cancelled: IsCancelled
    rewritten: dict[str, Rewritten] = field(default_factory=dict)
    still_old: list[str] = field(default_factory=list)
    done: int = 0
    frame: frozenset[str] = frozenset()  # what the new place has already
    copier: Copier = field(init=False)
    roots: tuple[str, str] = field(init=False)  # source and target, for paths of any length
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.copier = Copier(self._count, self.is_cancelled)
        self.roots = extended(str(self.source)), extended(str(self.target))

    def _count(self, size: int) -> None:
        with self._guard:
            self.done += size
            self.on_progress(self.done, self.contents.size)

    def carry_out(self) -> None:
        for folder in self.contents.folders:
            Path(self.roots[1], folder).mkdir(exist_ok=True)
        placeholders = placeholders_of(self.source)
        left = [(path, size) for path, size in self.contents.files if not self._is_there(path, size)]
        is_much = sum(size for _, size in left if size > _READ_WHOLE) > _READ_ALL
        owned = owned_files(self.source, site_folders(self.source)) if is_much else frozenset()
        self._all(left, lambda path, size: self._copy(path, size, placeholders, owned))
        for path in self.contents.links:
            self._copy_link(path)
        for folder in reversed(self.contents.folders):
            shutil.copystat(*(Path(root, folder) for root in self.roots))

    def _is_there(self, path: str, size: int) -> bool:
        """Tell whether it is the frame's, or now linked: by one thread, since several would wait for each other."""
        if path in self.frame:
            self._count(size)
            return True
        return path in self.contents.stored and self.copier.link(*self._paths(path), size)

    def _paths(self, path: str) -> tuple[str, str]:
        native = path.replace("/", os.sep)  # the extended form knows no other
        return f"{self.roots[0]}{os.sep}{native}", f"{self.roots[1]}{os.sep}{native}"

    def _all(self, files: Sequence[tuple[str, int]], copy: Callable[[str, int], None]) -> None:
        """The first failure ends the others, too."""
        failed = threading.Event()

        def take(part: Iterable[tuple[str, int]]) -> None:
            try:
                for path, size in part:
                    if failed.is_set():
                        return
                    copy(path, size)
            except BaseException:
                failed.set()
                raise

        with ThreadPoolExecutor(_THREADS, thread_name_prefix="clone") as pool:
            for future in [pool.submit(take, files[start::_THREADS]) for start in range(_THREADS)]:
                future.result()

    def _copy(self, path: str, size: int, placeholders: dict[str, str], owned: frozenset[str]) -> None:
        source, target = self._paths(path)
        placeholder = placeholders.get(path)
        if size > _READ_WHOLE and placeholder is None and path in owned:
            self.copier.copy(source, target, size)  # as its package brought it: nobody wrote our path into it
            return
        data = self._read_if_named(source, size)
        if data is None:
            self.copier.copy(source, target, size)
            return
        if path.endswith(".pyc") or not self.known.is_in(data):
            self.copier.write(source, target, data, size, False)
            return
        changed = rewrite(data, self.known, placeholder)
        if changed is None:
            self.copier.write(source, target, data, size, False)
            self.still_old.append(path)
            return
        self.copier.write(source, target, changed, size, True)
        before, after = (hashlib.sha256(each).hexdigest() for each in (data, changed))
        self.rewritten[path] = Rewritten(before, after, len(changed))

    def _read_if_named(self, path: str, size: int) -> bytes | None:
        """The content of a small file; of a large one only where it names the old place."""
        with open(extended(path), "rb", 0) as file:  # noqa: PTH123
            if size > _READ_WHOLE:
                with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                    if not self.known.is_in(content):
                        return None
            return file.read()

    def _copy_link(self, path: str) -> None:
        """One that leads into the old place leads into the new one; others, relative ones too, stay as they are."""
        target = self.target / path
        if path in self.frame:
            return
        to = self.known.rewrite(os.fsencode(os.readlink(self.source / path)))  # noqa: PTH115
        is_folder = (self.source / path).is_dir()
        target.symlink_to(os.fsdecode(to), target_is_directory=is_folder)
