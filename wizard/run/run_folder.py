"""A run is a folder: `runs/<id>/` with the plan, the lock, the journal, the events, the log, the report.

Whoever holds `lock` is the worker; until a started worker has come to it, `starting.json` names its process.
`control` is how others ask it to pause or to stop: a file works for a window that was reopened, for another
terminal, and on Windows.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import secrets
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec
import psutil
from filelock import FileLock, Timeout

from wizard.model.errors import BAD_PLAN, ErrorText, UsageError, WizardError
from wizard.model.lock import Lock
from wizard.model.typed import read_own_json
from wizard.process.running import says_full
from wizard.system import moving, paths
from wizard.system.disk import open_own

NO_SUCH_RUN = ErrorText(
    "no-such-run",
    "There is no run {run}.",
    "See what there is [on the page {page.welcome}.|with: torch-wizard runs]",
)
RUN_BUSY = ErrorText(
    "run-busy",
    "Another setup is at work on {path} right now.",
    "Wait until it has finished, or cancel it first.",
)

_SAME_START = 2.0  # seconds: a process's own start is told in ticks of a clock that may be set


@dataclass(frozen=True, slots=True)
class _OwnerMark:
    host: str
    pid: int
    since: float


def write_owner(path: Path, pid: int | None = None) -> None:
    """Write down a process, by default this one. Raises OSError, psutil.Error."""
    process = psutil.Process(pid)
    mark = _OwnerMark(platform.node(), process.pid, process.create_time())
    path.write_text(json.dumps(asdict(mark)), encoding="utf-8")


def forget_owner(path: Path) -> None:
    """Take the mark away. Raises OSError."""
    moving.unlink(path, missing_ok=True)


def owner_lives(path: Path) -> bool | None:
    """Say whether that process is there; None: the file is missing or cut short, or names another computer."""
    mark = read_own_json(path, _OwnerMark)
    if mark is None or mark.host != platform.node():
        return None
    try:
        process = psutil.Process(mark.pid)
        return process.status() != psutil.STATUS_ZOMBIE and abs(process.create_time() - mark.since) < _SAME_START
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True


# A run that somebody is still deciding about: shown, not started. The mark in its folder says which process that is.
#
# It goes with a yes, a no, or the wish to keep the plan. Where the process was killed before, nobody will ever say: the
# next start takes such a run away. Nothing was begun by it. What another computer of a shared home shows is left alone.

_NAME = "draft.json"


def mark_draft(folder: Path) -> None:
    """This process is deciding. A folder that takes no mark is none the worse."""
    with contextlib.suppress(OSError, psutil.Error):
        write_owner(folder / _NAME)


def keep(folder: Path) -> None:
    """Somebody will start it later, or has."""
    moving.unlink(folder / _NAME, missing_ok=True)


def clear_left_behind(runs: Path) -> tuple[str, ...]:
    """Removes the drafts of processes that are gone; their names. A run that was started is no draft any more."""
    gone = []
    with contextlib.suppress(OSError):
        for mark in sorted(runs.glob(f"*/{_NAME}")):
            if _is_left_behind(mark):
                moving.remove_tree(mark.parent)
                gone.append(mark.parent.name)
    return tuple(gone)


def _is_left_behind(mark: Path) -> bool:
    """A mark that was cut in the writing, a moment ago or by a kill, is left alone: `runs --remove` can have it."""
    if mark.is_symlink() or mark.parent.is_symlink():
        return False
    return RunFolder(mark.parent).is_draft and owner_lives(mark) is False


_LOOKS = 4
_ID = re.compile(r"^\d{8}-\d{6}-[0-9a-f]{4}$")


def new_run_id() -> str:
    return time.strftime("%Y%m%d-%H%M%S-") + secrets.token_hex(2)


@dataclass(frozen=True, slots=True)
class RunFolder:
    path: Path

    @property
    def id(self) -> str:
        return self.path.name

    @property
    def plan(self) -> Path:
        return self.path / "plan.json"

    @property
    def pylock(self) -> Path:
        return self.path / "pylock.toml"

    @property
    def files(self) -> Path:
        return self.path / "files.json"

    @property
    def python_part(self) -> Path:
        """What the built-in engine chose; see `environment.create.python_part`."""
        return self.path / "python-part.json"

    @property
    def python_files(self) -> Path:
        """Its files with all their addresses, where a class profile has locked them."""
        return self.path / "python-files.json"

    @property
    def journal(self) -> Path:
        return self.path / "journal.jsonl"

    @property
    def events(self) -> Path:
        return self.path / "events.jsonl"

    @property
    def log(self) -> Path:
        return self.path / "log.txt"

    @property
    def report(self) -> Path:
        return self.path / "report.json"

    @property
    def control(self) -> Path:
        return self.path / "control"

    @property
    def starting(self) -> Path:
        """The process that was started as this run's worker and has not begun its attempt yet (see `owner`)."""
        return self.path / "starting.json"

    @property
    def is_draft(self) -> bool:
        """Say whether it is only planned: no worker was ever started for it, so it may vanish at any moment.

        Who holds its lock then removes or starts it. A journal that was lost is no sign that nothing was done.
        """
        return not any(begun.exists() for begun in (self.starting, self.journal, self.events))

    def lock(self, seconds: float = 0.0) -> FileLock:
        return FileLock(self.path / "lock", timeout=seconds)

    def is_running(self) -> bool:
        """Say whether somebody carries this run out: the one truth for every window, terminal and command.

        On a busy computer a worker needs long until it holds the lock, so one that was only started counts as well.
        Its mark goes when it has the lock, so the mark is looked at first.
        """
        return owner_lives(self.starting) is True or self._is_held()

    def _is_held(self) -> bool:
        """The lock goes with the process, however it ends."""
        for attempt in range(_LOOKS):
            lock = self.lock()
            try:
                lock.acquire()
            except Timeout:
                time.sleep(0.02 * attempt)  # another one that only looks holds it for no time at all
                continue
            except OSError:
                return False
            lock.release()
            return False
        return True


def create_run_folder(run_id: str) -> RunFolder:
    """A draft, until it is started or kept. Raises WizardError `state-not-writable`."""
    folder = RunFolder(paths.runs_dir() / run_id)
    try:
        folder.path.mkdir(parents=True, mode=0o700)
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(paths.home())) from error
    mark_draft(folder.path)
    return folder


@contextlib.contextmanager
def planned_run() -> Iterator[RunFolder]:
    """Make the folder of a new run, and remove it again where its plan fails. Raises WizardError `fetch-no-space`,
    `state-not-writable`."""
    folder = create_run_folder(new_run_id())
    try:
        yield folder
    except OSError as error:
        moving.remove_tree(folder.path)
        code = "fetch-no-space" if says_full(str(error)) else "state-not-writable"
        runs = str(folder.path.parent)
        raise WizardError(code, details=str(error), path=runs, folder=runs) from error
    except BaseException:
        moving.remove_tree(folder.path)
        raise


def own_run_folder(run: str) -> RunFolder:
    """By its id alone, in our own folder: what may be removed. Raises UsageError `no-such-run`."""
    place = paths.runs_dir() / run
    if not _ID.match(run) or place.is_symlink() or not place.is_dir():
        raise UsageError(NO_SUCH_RUN, run=run)
    return RunFolder(place)


def find_run_folder(run: str) -> RunFolder:
    """From a run's id, its folder, or its plan file. Raises UsageError `no-such-run`, `bad-plan`."""
    given = Path(run)
    if given.is_file() and given.name != "plan.json":
        raise UsageError(BAD_PLAN, path=run)
    for place in (given.parent if given.name == "plan.json" else given, paths.runs_dir() / run):
        if (place / "plan.json").is_file():
            return RunFolder(place.absolute())
    raise UsageError(NO_SUCH_RUN, run=run)


def run_folders() -> tuple[RunFolder, ...]:
    """Newest first."""
    base = paths.runs_dir()
    places = [place for place in base.iterdir() if _ID.match(place.name)] if base.is_dir() else []
    return tuple(RunFolder(place) for place in sorted(places, reverse=True) if (place / "plan.json").is_file())


def append_to(path: Path) -> BinaryIO:
    """Open a file of a run at its end; never through a link that somebody has put there. Raises WizardError
    `state-not-writable`."""
    try:
        return os.fdopen(open_own(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab")
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(path.parent)) from error


def write_lock(folder: RunFolder, lock: Lock) -> None:
    """Each file whole or as it was, for its owner alone: addresses may hold a password. Raises OSError."""
    for path, data in ((folder.pylock, lock.text.encode()), (folder.files, msgspec.json.encode(lock.files))):
        moving.write_whole(path, data, 0o600)
