"""What the pages about a class ask: packs, the class server, its room, and joining one.

What only one call needs is imported by that call: a student's window needs no pack builder.

One file: one thin line for each call.
"""

from __future__ import annotations

import contextlib
import datetime
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from wizard.model.errors import EXPORT_NOT_WRITTEN, PROFILE_LOCAL, WINDOW_NOT_SAVED, Cancelled, WizardError

if TYPE_CHECKING:
    from wizard.classroom.join import Classroom
    from wizard.classroom.pack.listing import Built, PackProblem
    from wizard.classroom.profile.hosts import ForeignHost
    from wizard.classroom.profile.model import ProfileFile
    from wizard.classroom.results.room import ClassResults
    from wizard.classroom.server.server import Counted
    from wizard.classroom.server.share import ServingOn
    from wizard.compatibility.data.model import Matrix
    from wizard.compatibility.model import Choices, Plan
    from wizard.model.lock import Lock, LockedFile
    from wizard.model.messages import Message
    from wizard.run.model import Facts
    from wizard.transfer.download import FetchProgress


# From the plan that Review shows to a class profile with the same build: what a teacher hands to the class.
#
# The locks are made anew from the sources, as `profile make` does, so that nothing of this computer gets into the file.

_COMPANIONS = ("torchvision",)
ASKED = ("place",)  # a student's disk is not the teacher's


def profile_of_plan(
    facts: Facts,
    matrix: Matrix,
    plan: Plan,
    choices: Choices,
    is_cancelled: Callable[[], bool],
    carried: list[LockedFile] | None = None,
) -> ProfileFile:
    """`carried`: takes the files of this computer, which a pack brings to the class; None: there may be none. Folders
    that only this computer's own settings name are left out then. Raises as `make_profile`; `profile-needs-nothing` for
    a build that does not run on this computer."""
    from wizard.classroom.profile.make import Hearing, Made, make_profile
    from wizard.classroom.profile.model import ProfileEnvironment
    from wizard.classroom.profile.needs import Allowed, needs_of_machines
    from wizard.install.lock import NO_SOLUTION

    build = plan.candidate
    allowed = Allowed((build.torch,), (build.variant,), plan.python, include_unadvertised=True)
    needs = needs_of_machines([("-", facts.machine)], allowed, matrix)
    name = PurePath(plan.prefix).name
    environment = ProfileEnvironment(
        name=name,
        engine=choices.engine,
        torch=(build.torch,),
        companions=_COMPANIONS if choices.companions is None else choices.companions,
        extras=choices.extras,
    )
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    channel = None if choices.engine == "venv" else choices.channel  # that engine asks none
    wanted = replace(choices, python=plan.python, name=None, prefix=None, engine="venv", conda=None, channel=channel)
    made = Made(name, today, environment, only_share=carried is not None, ask=ASKED)
    hearing = Hearing(on_local=carried.append if carried is not None else None)
    reached, left_out = (facts, "") if carried is not None else _without_folders(facts)
    try:
        return make_profile(reached, matrix, needs, made, wanted, is_cancelled, hearing)
    except WizardError as error:
        if left_out and (error.code.startswith("no-source") or error.code in NO_SOLUTION):
            raise WizardError(PROFILE_LOCAL, details=error.details, url=left_out) from error
        raise


def _without_folders(facts: Facts) -> tuple[Facts, str]:
    """And the first of the folders that the settings name, '' for none."""
    settings = facts.settings
    folders = [url for url in settings.find_links if _is_here(url)]
    kept = tuple(url for url in settings.find_links if url not in folders)
    return replace(facts, settings=replace(settings, find_links=kept)), folders[0] if folders else ""


def _is_here(address: str) -> bool:
    return urlsplit(address).scheme not in ("http", "https")


def local_source(lock: Lock, choices: Choices) -> str:
    """Return the folder of this computer that was chosen and gives files of the lock; '': there is none."""
    from wizard.transfer.download.transport import file_path

    has_files = any(url.startswith("file:") for file in lock.files for url in file.urls[:1])
    chosen = (*choices.find_links, choices.torch_index, choices.index) if has_files else ()
    of_python = (choices.channel,) if choices.engine != "venv" else ()
    found = next((one for one in (*chosen, *of_python) if one and _is_here(one)), "")
    return str(file_path(found)) if found.startswith("file:") else found


def put_profile(file: ProfileFile, path: Path | None) -> None:
    """Write it; None: where this computer keeps profiles. Raises WizardError `export-not-written`."""
    from wizard.classroom.join import profile_path
    from wizard.classroom.pack.files import put_bytes

    path = path or profile_path(file.sha256)
    try:
        put_bytes(path, file.data)
    except OSError as error:
        raise WizardError(EXPORT_NOT_WRITTEN, details=str(error), path=str(path)) from error


IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class PackSeen:
    """A pack that lies there. `total`: bytes of its files; `files` and `split`: how many, and how many in parts;
    `builds`: versions of torch in it, such as 2.14.1+cu126."""

    folder: Path
    title: str
    code: str
    made: str
    files: int
    total: int
    split: int
    seats: int | None = None
    builds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PackPlan:
    """What building would do. `total` None: the profile names no sizes. `needs_split`: the volume holds no file over
    4 GiB; `large`: how many such files there are. `began`: an unfinished one lies there, `is_pack`: a finished one.
    `foreign`: hosts that need a yes first."""

    profile: Path
    folder: Path
    title: str
    code: str
    files: int
    total: int | None
    free: int
    volume: str
    needs_split: bool
    large: int
    began: bool
    is_pack: bool
    foreign: tuple[ForeignHost, ...] = ()
    sha256: str = ""  # of the profile


@dataclass(frozen=True, slots=True)
class RoomState:
    """The room, and a mark that changes when another look is worth it."""

    room: ClassResults
    mark: str


def _torch_builds(names: Iterable[str]) -> tuple[str, ...]:
    """Return the versions of torch among the names of wheels."""
    return tuple(dict.fromkeys(name.split("-")[1] for name in sorted(names) if name.startswith("torch-")))


class RunningServer:
    """A running server as the window knows it."""

    def __init__(self, on: ServingOn) -> None:
        from wizard.classroom.code import code_of

        self._on = on
        self.addresses: tuple[str, ...] = on.addresses
        self.problems: tuple[PackProblem, ...] = on.problems
        self.is_announced: bool = on.is_announced
        self._code = code_of(on.listing.profile_sha256, on.class_key)

    @property
    def code(self) -> str:
        return self._code

    @property
    def counted(self) -> Counted:
        return self._on.server.counted

    def stop(self) -> None:
        self._on.stop()


class ClassTools:
    def __init__(self) -> None:
        self._carried: dict[str, Mapping[str, Path]] = {}  # by profile: files of this computer by their SHA-256

    # -- the admin's side

    def carry(self, file: ProfileFile, carried: Sequence[LockedFile]) -> None:
        """Remember which files of this computer the packs of a profile hold."""
        from wizard.transfer.download.transport import file_path

        if carried:
            self._carried[file.sha256] = {one.sha256: file_path(one.urls[0]) for one in carried}

    def look_at(self, folder: Path) -> PackSeen:
        """Fast: reads the list alone. Raises UsageError `pack-no-folder`, WizardError `pack-…`."""
        from wizard.classroom.code import code_of
        from wizard.classroom.pack.listing import is_package
        from wizard.classroom.pack.make import read_listing
        from wizard.classroom.results.room import read_seats

        listing = read_listing(folder)
        wheels = [entry for entry in listing.entries if is_package(entry.path)]
        return PackSeen(
            folder,
            listing.title,
            code_of(listing.profile_sha256),
            listing.made,
            len(wheels),
            listing.total_bytes,
            sum(bool(entry.parts) for entry in wheels),
            read_seats(folder),
            _torch_builds(PurePosixPath(entry.path).name for entry in wheels),
        )

    def plan_pack(self, profile: Path, folder: Path) -> PackPlan:
        """Raises UsageError `profile-…`, `pack-folder-taken`."""
        from wizard.classroom.code import code_of
        from wizard.classroom.pack.build import BUILDING, earlier
        from wizard.classroom.pack.files import FAT32_MOST, file_system, part_bytes
        from wizard.classroom.pack.make import wanted_of
        from wizard.classroom.profile.hosts import HERE, foreign_hosts
        from wizard.classroom.profile.read import read_profile

        file = read_profile(profile)
        wanted = wanted_of(file)
        before = earlier(folder)
        own = (HERE,) if wanted.sha256 in self._carried else ()
        sizes = [file.size for file in wanted.unique]
        return PackPlan(
            profile=profile,
            folder=folder,
            title=wanted.title,
            code=code_of(wanted.sha256),
            files=len(sizes),
            total=None if None in sizes else sum(size or 0 for size in sizes),
            free=_free(folder),
            volume=file_system(folder),
            needs_split=part_bytes(folder) is not None,
            large=sum((size or 0) > FAT32_MOST for size in sizes),
            began=(folder / BUILDING).is_dir(),
            is_pack=before is not None,
            sha256=wanted.sha256,
            foreign=tuple(one for one in foreign_hosts(file.profile, for_pack=True) if one.name not in own),
        )

    def build(
        self,
        plan: PackPlan,
        split: bool,
        on_progress: Callable[[FetchProgress], None],
        is_cancelled: IsCancelled,
        trusted: frozenset[str] = frozenset(),
    ) -> Built:
        """What was fetched is kept when it fails or is cancelled."""
        from wizard.app.use.network import load_network
        from wizard.classroom.pack.build import BuildOptions
        from wizard.classroom.pack.make import build_pack
        from wizard.classroom.profile.hosts import HERE
        from wizard.transfer.download.fetcher import Options
        from wizard.transfer.proxy.environment import present_environment

        fetch = Options(environment=present_environment(load_network()))

        def agree(file: ProfileFile) -> frozenset[str]:
            return trusted | {HERE} if file.sha256 in self._carried else trusted

        carried = self._carried.get(plan.sha256, {})
        options = BuildOptions(split=split, fetch=fetch, carried=carried)
        return build_pack(plan.profile, plan.folder, options, on_progress, is_cancelled, agree)

    def serve(
        self, folder: Path, announce: bool, on_bytes: Callable[[int], None], is_cancelled: IsCancelled
    ) -> RunningServer:
        """Reads every byte of the pack first; what is damaged is not handed out."""
        from wizard.classroom.server.share import serve_on

        return RunningServer(serve_on(folder, announce, on_bytes, is_cancelled))

    def room(self, folder: Path, mark: str) -> RoomState | None:
        """None: nothing has changed since that mark."""
        from wizard.classroom.results.submit import read_room, results_mark

        now = results_mark(folder)  # before the look: what comes in meanwhile is seen by the next one
        return None if mark and now == mark else RoomState(read_room(folder), now)

    def expect(self, folder: Path, seats: int) -> None:
        from wizard.classroom.results.submit import expect_seats

        expect_seats(folder, seats)

    def save_room(self, room: ClassResults, path: Path, language: str) -> None:
        """As the ending of the name says: a table (.csv) or a page. Raises WizardError `window-not-saved`."""
        from wizard.classroom.pack.files import put_bytes
        from wizard.classroom.results.room_page import room_csv, room_page

        make = room_csv if path.suffix.lower() == ".csv" else room_page
        try:
            put_bytes(path, make(room, language).encode())
        except OSError as error:
            raise WizardError(WINDOW_NOT_SAVED, details=str(error), path=str(path)) from error

    # -- a computer of the class

    def join(
        self,
        code: str,
        address: str,
        is_cancelled: IsCancelled,
        trusted: frozenset[str] = frozenset(),
        on_wait: Callable[[Message], None] = lambda words: None,
    ) -> Classroom:
        """`address`: of a server or a folder; '' looks in the local network. `on_wait` hears of a server that is not up
        yet and is waited for. Class servers that the profile names are
        asked where they are `trusted`. Raises WizardError `pack-…`, `share-…`,
        `profile-…`."""
        from wizard.app.use.network import load_network
        from wizard.classroom.join import START_SECONDS, Asked, Patience, enter

        patience = Patience(START_SECONDS, on_wait, is_cancelled)
        asked = Asked(pack=address or None, code=code or (None if address else ""))
        found = enter(asked, load_network(), agree=lambda file: trusted, patience=patience)
        if is_cancelled():
            raise Cancelled
        return found

    def beside(self, profile: Path, trusted: frozenset[str] = frozenset()) -> Classroom:
        """The pack that a profile lies in, and the servers that it names."""
        from wizard.app.use.network import load_network
        from wizard.classroom.join import Asked, enter

        return enter(Asked(profile=profile), load_network(), agree=lambda file: trusted)

    def hand_on(self, file: ProfileFile, path: Path, files: tuple[LockedFile, ...]) -> RunningServer:
        from wizard.classroom.server.share import hand_on

        return RunningServer(hand_on(file, path, files))


def in_class(choices: Choices, room: Classroom, label: str) -> Choices:
    """The choices of a computer of that class; `label` is what its results call it."""
    from wizard.classroom.results.certificate import clean_label

    return replace(choices, packs=room.bases, label=clean_label(label))


def _free(folder: Path) -> int:
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        return shutil.disk_usage(place).free
    except OSError:
        return 0


def tell_present(classroom: Classroom | None, choices: Choices) -> None:
    """Tell a class that this computer has what it asks for already."""
    if classroom is not None:
        from wizard.classroom.results.submit import hand_in_present
        from wizard.run.plan.place import target_prefix

        with contextlib.suppress(WizardError):
            hand_in_present(classroom.bases, classroom.file.sha256, choices.label, target_prefix(choices))


@contextlib.contextmanager
def telling(classroom: Classroom | None, choices: Choices, facts: Facts) -> Iterator[None]:
    """What ends a setup before it is a run is known to its class too."""
    try:
        yield
    except Cancelled:
        raise
    except WizardError as error:
        if classroom is not None:
            from wizard.classroom.results.submit import hand_in_failure

            with contextlib.suppress(WizardError):
                hand_in_failure(classroom.bases, classroom.file.sha256, choices.label, error, facts.machine)
        raise
