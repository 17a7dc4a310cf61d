"""The calls of the pages about a class on the real packs and servers: a thin binding, imported by the call."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.errors import Cancelled, WizardError

if TYPE_CHECKING:
    from wizard.flow.class_api import Counts, PackPlan, PackSeen, Server, Told
    from wizard.pack.model import Built, Problem
    from wizard.packages.fetch import FetchProgress
    from wizard.packages.model import LockedFile
    from wizard.plan.model import Choices
    from wizard.profile.model import ProfileFile
    from wizard.session.classroom import Classroom
    from wizard.session.share import ServingOn
    from wizard.share.room import Room

IsCancelled = Callable[[], bool]


class Serving:
    """A running server as the window knows it."""

    def __init__(self, on: ServingOn) -> None:
        from wizard.pack.build import code_of

        self._on = on
        self.addresses: tuple[str, ...] = on.addresses
        self.problems: tuple[Problem, ...] = on.problems
        self.is_announced: bool = on.is_announced
        self._code = code_of(on.listing.profile_sha256)

    @property
    def code(self) -> str:
        return self._code

    @property
    def counted(self) -> Counts:
        return self._on.server.counted

    def stop(self) -> None:
        self._on.stop()


class ClassSession:
    # -- the admin's side

    def look_at(self, folder: Path) -> PackSeen:
        from wizard.flow.class_api import PackSeen
        from wizard.pack.build import code_of
        from wizard.pack.model import is_package
        from wizard.session.pack import read_listing
        from wizard.share.seats import read_seats

        listing = read_listing(folder)
        wheels = [entry for entry in listing.entries if is_package(entry.path)]
        return PackSeen(
            folder, listing.title, code_of(listing.profile_sha256), listing.made, len(wheels), listing.total_bytes,
            sum(bool(entry.parts) for entry in wheels), read_seats(folder),
        )  # fmt: skip

    def plan_pack(self, profile: Path, folder: Path) -> PackPlan:
        from wizard.flow.class_api import PackPlan
        from wizard.pack.build import BUILDING, code_of, earlier
        from wizard.pack.volume import FAT32_MOST, file_system, part_bytes
        from wizard.profile.hosts import foreign_hosts
        from wizard.profile.read import read_profile
        from wizard.session.pack import wanted_of

        file = read_profile(profile)
        wanted = wanted_of(file)
        before = earlier(folder)
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
            foreign=foreign_hosts(file.profile, for_pack=True),
        )

    def build(
        self, plan: PackPlan, split: bool, on_progress: Callable[[FetchProgress], None], is_cancelled: IsCancelled,
        trusted: frozenset[str] = frozenset(),
    ) -> Built:  # fmt: skip
        from wizard.network.environment import present_environment
        from wizard.pack.build import BuildOptions
        from wizard.packages.fetch.fetcher import Options
        from wizard.session.network import load_network
        from wizard.session.pack import build_pack

        options = BuildOptions(split=split, fetch=Options(environment=present_environment(load_network())))
        return build_pack(plan.profile, plan.folder, options, on_progress, is_cancelled, lambda file: trusted)

    def serve(self, folder: Path, announce: bool, on_bytes: Callable[[int], None], is_cancelled: IsCancelled) -> Server:
        from wizard.session.share import serve_on

        return Serving(serve_on(folder, announce, on_bytes, is_cancelled))

    def room(self, folder: Path, mark: str) -> Told | None:
        from wizard.flow.class_api import Told
        from wizard.session.room import read_room, results_mark

        now = results_mark(folder)  # before the look: what comes in meanwhile is seen by the next one
        return None if mark and now == mark else Told(read_room(folder), now)

    def expect(self, folder: Path, seats: int) -> None:
        from wizard.session.room import expect_seats

        expect_seats(folder, seats)

    def save_room(self, room: Room, path: Path, language: str) -> None:
        from wizard.pack.files import put_bytes
        from wizard.share.room_page import room_csv, room_page

        make = room_csv if path.suffix.lower() == ".csv" else room_page
        try:
            put_bytes(path, make(room, language).encode())
        except OSError as error:
            raise WizardError("window-not-saved", details=str(error), path=str(path)) from error

    # -- a computer of the class

    def join(
        self, code: str, address: str, is_cancelled: IsCancelled, trusted: frozenset[str] = frozenset()
    ) -> Classroom:
        from wizard.session.classroom import Asked, enter
        from wizard.session.network import load_network

        asked = Asked(pack=address or None, code=code or (None if address else ""))
        found = enter(asked, load_network(), agree=lambda file: trusted)
        if is_cancelled():
            raise Cancelled
        return found

    def beside(self, profile: Path, trusted: frozenset[str] = frozenset()) -> Classroom:
        from wizard.session.classroom import Asked, enter
        from wizard.session.network import load_network

        return enter(Asked(profile=profile), load_network(), agree=lambda file: trusted)

    def hand_on(self, file: ProfileFile, path: Path, files: tuple[LockedFile, ...]) -> Server:
        from wizard.session.share import hand_on

        return Serving(hand_on(file, path, files))


def in_class(choices: Choices, room: Classroom, label: str) -> Choices:
    """The choices of a computer of that class; `label` is what its results call it."""
    from wizard.share.certificate import clean_label

    return replace(choices, packs=room.bases, label=clean_label(label))


def _free(folder: Path) -> int:
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        return shutil.disk_usage(place).free
    except OSError:
        return 0
