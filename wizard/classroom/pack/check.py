"""Is every file of a pack there, and is it still what it was? Reads all of it; changes nothing.

`verdicts` goes over the files in the order of the list, so that a caller can show how far it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

from wizard.classroom.pack.listing import (
    LISTING,
    PROFILE,
    REFUSED,
    RESULTS,
    RESULTS_KEY,
    SEATS,
    PackEntry,
    PackListing,
    PackProblem,
    PackRequest,
)
from wizard.model.errors import Cancelled

_READ = 1 << 20
_OURS = (LISTING, PROFILE, SEATS, RESULTS_KEY, REFUSED)
OnBytes = Callable[[int], None]
IsAsked = Callable[[], bool]


def check(
    folder: Path,
    listing: PackListing,
    wanted: PackRequest,
    on_bytes: OnBytes = lambda count: None,
    is_cancelled: IsAsked = lambda: False,
) -> tuple[PackProblem, ...]:
    """`wanted`: what the profile in the pack asks for. Empty: every byte is as it should be. Raises Cancelled."""
    return (*_against_profile(listing, wanted), *_against_disk(folder, listing, on_bytes, is_cancelled))


def _against_profile(listing: PackListing, wanted: PackRequest) -> Iterator[PackProblem]:
    if listing.profile_sha256 != wanted.sha256:
        yield PackProblem("profile", PROFILE)
    for file in wanted.unique:
        if listing.find(file.sha256) is None:
            yield PackProblem("not-listed", file.filename)


def _against_disk(
    folder: Path, listing: PackListing, on_bytes: OnBytes, is_cancelled: IsAsked
) -> Iterator[PackProblem]:
    for entry in listing.entries:
        yield from check_entry(folder, entry, on_bytes, is_cancelled)


def check_entry(
    folder: Path, entry: PackEntry, on_bytes: OnBytes = lambda count: None, is_cancelled: IsAsked = lambda: False
) -> tuple[PackProblem, ...]:
    """Each bad or missing file of it by name; of a split file the parts."""
    whole = hashlib.sha256()
    problems: list[PackProblem] = []
    for part in entry.files:
        path = folder / part.path
        try:
            found = path.stat().st_size
            if found != part.size:
                problems.append(PackProblem("size", part.path))
                continue
            digest = hashlib.sha256()
            with path.open("rb") as stream:
                while block := stream.read(_READ):
                    if is_cancelled():
                        raise Cancelled
                    digest.update(block)
                    whole.update(block)
                    on_bytes(len(block))
        except FileNotFoundError:
            problems.append(PackProblem("missing", part.path))
            continue
        except OSError:
            problems.append(PackProblem("unreadable", part.path))
            continue
        if digest.hexdigest() != part.sha256:
            problems.append(PackProblem("altered", part.path))
    if entry.parts and not problems and whole.hexdigest() != entry.sha256:
        problems.append(PackProblem("altered", entry.path))
    return tuple(problems)


def others(folder: Path, listing: PackListing) -> tuple[str, ...]:
    """Files in the pack's own folders that the list does not name."""
    named = {file.path for entry in listing.entries for file in entry.files} | set(_OURS)
    found = []
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in relative.parts)
        if path.is_file() and not hidden and relative.parts[0] != RESULTS and relative.as_posix() not in named:
            found.append(relative.as_posix())
    return tuple(found)
