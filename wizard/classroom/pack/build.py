"""Makes a pack, or brings one up to date: the same work, since what is there and right is left alone.

The bytes come through our own downloader, so a build that was interrupted goes on where it stopped. `pack.json` is
written last: a folder with `.building` and without it is a pack that is not finished. Nothing that a profile no longer
needs goes away unless the caller asks for it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import wizard
from wizard.classroom.code import code_of
from wizard.classroom.pack.check import check_entry
from wizard.classroom.pack.files import copy_into, is_inside, part_bytes, put_bytes, read_file, size_and_hash, split
from wizard.classroom.pack.listing import (
    CONDA,
    LISTING,
    MOST_BYTES,
    PACK_NOT_WRITTEN,
    PROFILE,
    RESULTS,
    SIGNATURE,
    WHEELS,
    Built,
    PackEntry,
    PackListing,
    PackRequest,
    is_safe,
    listing_to_json,
    parse_listing,
)
from wizard.classroom.pack.pages import pages
from wizard.model.errors import Cancelled, UsageError, WizardError
from wizard.model.lock import LockedFile
from wizard.system import moving
from wizard.transfer.download import Downloads, Fetcher, FetchProgress
from wizard.transfer.download.fetcher import DEFAULT_CONNECTIONS, Options

BUILDING = ".building"
OnProgress = Callable[[FetchProgress], None]
IsAsked = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """`part`: bytes of a part where files are to be split; None: as the volume needs it. `program`: further
    files to lie in the pack, such as the program itself. `remove`: what this profile does not need any more goes."""

    split: bool = False
    part: int | None = None
    program: tuple[Path, ...] = ()
    remove: bool = False
    connections: int = DEFAULT_CONNECTIONS
    fetch: Options = field(default_factory=Options)
    carried: Mapping[str, Path] = field(default_factory=dict)  # files of this computer, by their SHA-256


def build(
    wanted: PackRequest,
    folder: Path,
    options: BuildOptions,
    own: Downloads,
    on_progress: OnProgress = lambda progress: None,
    is_cancelled: IsAsked = lambda: False,
) -> Built:
    """`own`: this computer's downloads, from which files are copied. Raises UsageError `pack-folder-taken`,
    WizardError `pack-not-written`, `fetch-…`, Cancelled; what was fetched until then is kept."""
    before = earlier(folder)
    try:
        (folder / BUILDING).mkdir(parents=True, exist_ok=True)
        return _Build(wanted, folder, options, own, before).go(on_progress, is_cancelled)
    except OSError as error:
        raise WizardError(PACK_NOT_WRITTEN, details=str(error), path=str(folder)) from error


def earlier(folder: Path) -> PackListing | None:
    """The list of the pack that lies there. Raises UsageError `pack-folder-taken` for a folder of something else."""
    listing = folder / LISTING
    if listing.is_file():
        return parse_listing(read_file(listing, MOST_BYTES), str(listing))
    if folder.exists() and not (folder / BUILDING).is_dir() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(
            "pack-folder-taken",
            "{path} holds other files and is not a pack.",
            "Name a new or empty folder.",
            path=str(folder),
        )
    return None


class _Build:
    def __init__(
        self, wanted: PackRequest, folder: Path, options: BuildOptions, own: Downloads, before: PackListing | None
    ) -> None:
        self._wanted, self._folder, self._options, self._own, self._before = wanted, folder, options, own, before
        self._part = options.part or part_bytes(folder, options.split)
        self._paths = _paths(wanted)
        self._placed: dict[str, PackEntry] = {}
        self._copied = 0

    def go(self, on_progress: OnProgress, is_cancelled: IsAsked) -> Built:
        present = self._take_present(is_cancelled)
        self._take_own(is_cancelled)
        fetched = self._fetch(on_progress, is_cancelled)
        entries = [*self._placed.values(), *self._program()]
        entries += self._write_pages()
        put_bytes(self._folder / PROFILE, self._wanted.data)
        entries.append(PackEntry(PROFILE, len(self._wanted.data), self._wanted.sha256))
        entries += self._write_signature()
        removed, kept = self._tidy(entries)
        listing = PackListing(
            self._wanted.sha256,
            tuple(sorted(entries, key=lambda entry: entry.path)),
            self._wanted.title,
            time.strftime("%Y-%m-%d"),
            wizard.__version__,
            unneeded=kept,
        )
        put_bytes(self._folder / LISTING, listing_to_json(listing))
        for path in removed:  # after the list: who is cut off here has files too many, never too few
            moving.unlink(self._folder / path, missing_ok=True)
            with contextlib.suppress(OSError):  # not empty
                (self._folder / path).parent.rmdir()
        (self._folder / RESULTS).mkdir(exist_ok=True)
        moving.remove_tree(self._folder / BUILDING)
        split_files = tuple(entry.path for entry in listing.entries if entry.parts)
        return Built(listing, fetched, self._copied, present, removed, kept, split_files)

    # -- the files -------------------------------------------------------------------------------------------

    def _take_present(self, is_cancelled: IsAsked) -> int:
        """What an earlier build has put in place, read and found right."""
        for file in self._wanted.unique:
            for entry in self._candidates(file):
                if (file.size in (None, entry.size)) and not check_entry(
                    self._folder, entry, is_cancelled=is_cancelled
                ):
                    self._placed[file.sha256] = entry
                    self._split_present(file, entry)
                    break
        return sum(entry.size for entry in self._placed.values())

    def _candidates(self, file: LockedFile) -> Iterator[PackEntry]:
        known = self._before.find(file.sha256) if self._before else None
        if known and all(self._part is None or part.size <= self._part for part in known.files):
            yield known
        with contextlib.suppress(FileNotFoundError):
            yield PackEntry(
                self._paths[file.sha256], (self._folder / self._paths[file.sha256]).stat().st_size, file.sha256
            )

    def _split_present(self, file: LockedFile, entry: PackEntry) -> None:
        """It was whole and is to lie in parts now: the pack is to be copied to a stick."""
        if not entry.parts and self._is_large(entry.size):
            self._place_split(file, self._folder / entry.path)
            moving.unlink(self._folder / entry.path)

    def _missing(self) -> list[LockedFile]:
        return [file for file in self._wanted.unique if file.sha256 not in self._placed]

    def _take_own(self, is_cancelled: IsAsked) -> None:
        """What this computer has downloaded before, for its own environments or on the way to an earlier pack."""
        for file in self._missing():
            if is_cancelled():
                raise Cancelled
            path = self._own.find(file) or self._options.carried.get(file.sha256)
            if path is None:
                continue
            target = self._folder / self._paths[file.sha256]
            if self._is_large(path.stat().st_size):
                self._place_split(file, path)
            elif copy_into(path, target, file.sha256, is_cancelled):
                self._placed[file.sha256] = PackEntry(self._paths[file.sha256], target.stat().st_size, file.sha256)
                self._copied += target.stat().st_size

    def _is_large(self, size: int) -> bool:
        return self._part is not None and size > self._part

    def _fetch(self, on_progress: OnProgress, is_cancelled: IsAsked) -> int:
        """Into the pack's own folder, so that a file only has to be renamed. One that is too large for the stick
        comes into this computer's downloads first and is split from there."""
        fetched = 0
        missing = self._missing()
        large = [file for file in missing if file.size is None or self._is_large(file.size)] if self._part else []
        small = [file for file in missing if file not in large]
        for files, store, place in (
            (small, Downloads(self._folder / BUILDING), self._place),
            (large, self._own, self._place_from_own),
        ):
            if files:
                fetcher = Fetcher(store, self._options.connections, self._options.fetch)
                result = fetcher.fetch(files, on_progress=on_progress, on_file=place, is_cancelled=is_cancelled)
                fetched += result.bytes_fetched
        return fetched

    def _place(self, file: LockedFile, path: Path) -> None:
        target = self._folder / self._paths[file.sha256]
        target.parent.mkdir(parents=True, exist_ok=True)
        size = path.stat().st_size
        moving.replace(path, target)
        self._placed[file.sha256] = PackEntry(self._paths[file.sha256], size, file.sha256)

    def _place_from_own(self, file: LockedFile, path: Path) -> None:
        if self._is_large(path.stat().st_size):
            self._place_split(file, path)
        elif copy_into(path, self._folder / self._paths[file.sha256], file.sha256, lambda: False):
            self._placed[file.sha256] = PackEntry(self._paths[file.sha256], path.stat().st_size, file.sha256)

    def _place_split(self, file: LockedFile, path: Path) -> None:
        relative = self._paths[file.sha256]
        target = self._folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        parts = split(path, target, relative, self._part or 0)
        entry = PackEntry(relative, path.stat().st_size, file.sha256, parts)
        if check_entry(self._folder, entry):
            raise WizardError(PACK_NOT_WRITTEN, details=f"{relative} changed while it was split", path=relative)
        self._placed[file.sha256] = entry

    # -- the rest --------------------------------------------------------------------------------------------

    def _program(self) -> Iterator[PackEntry]:
        if not self._options.program:
            old = self._before.entries if self._before else ()
            yield from (entry for entry in old if entry.path.startswith("program/"))
            return
        for source in {source.name.lower(): source for source in self._options.program}.values():
            relative = f"program/{source.name}"
            if not source.is_file() or not is_safe(relative):
                raise UsageError(
                    "pack-program-none",
                    "{path} is not a file that a pack can hold.",
                    "Name a file that you may read, with a name that Windows can hold too.",
                    path=str(source),
                )
            size, digest = size_and_hash(source)
            if self._is_large(size):
                raise UsageError(
                    "pack-program-large",
                    "{path} is over 4 GiB, and the disk of the pack can't hold such a file.",
                    "Use a smaller file, or a stick with exFAT or NTFS.",
                    path=str(source),
                )
            copy_into(source, self._folder / relative, digest, lambda: False)
            yield PackEntry(relative, size, digest)

    def _write_signature(self) -> list[PackEntry]:
        """That of an earlier profile would make this one a forgery."""
        path, data = self._folder / SIGNATURE, self._wanted.signature
        if data is None:
            moving.unlink(path, missing_ok=True)
            return []
        put_bytes(path, data)
        return [PackEntry(SIGNATURE, *size_and_hash(path))]

    def _write_pages(self) -> list[PackEntry]:
        entries = []
        for page in pages(self._wanted, self._placed, code_of(self._wanted.sha256)):
            data = page.text.encode()
            put_bytes(self._folder / page.path, data)
            entries.append(PackEntry(page.path, *size_and_hash(self._folder / page.path)))
        return entries

    def _tidy(self, entries: list[PackEntry]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(to be removed, kept): only what the lists of this very pack have named."""
        if self._before is None:
            return (), ()
        needed = {part.path.lower() for entry in entries for part in entry.files}
        named = [part.path for entry in self._before.entries for part in entry.files]
        old = dict.fromkeys(path for path in (*named, *self._before.unneeded) if _is_ours(path))
        unneeded = tuple(path for path in old if path.lower() not in needed and self._lies_here(path))
        return (unneeded, ()) if self._options.remove else ((), unneeded)

    def _lies_here(self, path: str) -> bool:
        return (self._folder / path).is_file() and is_inside(self._folder, str(PurePosixPath(path).parent))


def _is_ours(path: str) -> bool:
    """A stranger's list might name a result to be deleted, or the list itself."""
    return path.startswith((f"{WHEELS}/", f"{CONDA}/", "simple/", "program/"))


def _paths(wanted: PackRequest) -> Mapping[str, str]:
    """sha256 -> where it lies. Names that differ in case only are one name on a stick."""
    taken: dict[str, str] = {}
    paths = {package.file.sha256: f"{CONDA}/{package.path}" for package in wanted.conda}
    for file in wanted.wheels:
        name = file.filename.lower()
        is_second = taken.setdefault(name, file.sha256) != file.sha256
        paths[file.sha256] = f"{WHEELS}/{file.sha256[:12] + '/' if is_second else ''}{file.filename}"
    return paths
