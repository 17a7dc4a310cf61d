"""Packs as use cases: make one of a profile, look it over, bring it up to date."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wizard.classroom.pack.build import BuildOptions, OnProgress, build
from wizard.classroom.pack.check import check, others
from wizard.classroom.pack.files import read_file
from wizard.classroom.pack.listing import (
    LISTING,
    MOST_BYTES,
    PACK_NO_FOLDER,
    PACK_UNREADABLE,
    PROFILE,
    Built,
    PackListing,
    PackProblem,
    PackRequest,
    parse_listing,
)
from wizard.classroom.profile.hosts import Agree, check_hosts, trust_nobody
from wizard.classroom.profile.keys import check_signature
from wizard.classroom.profile.model import ProfileFile
from wizard.classroom.profile.read import read_profile
from wizard.model.errors import UsageError, WizardError
from wizard.transfer.download import Downloads

IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class PackCheck:
    """`others`: files that the list does not name; they are not handed out."""

    listing: PackListing
    problems: tuple[PackProblem, ...]
    others: tuple[str, ...]


def wanted_of(file: ProfileFile) -> PackRequest:
    """Return what a pack of this profile has to hold."""
    profile = file.profile
    return PackRequest(
        file.data, file.sha256, profile.title, profile.files, conda=profile.conda, signature=file.signature
    )


def build_pack(
    profile: Path,
    folder: Path,
    options: BuildOptions,
    on_progress: OnProgress,
    is_cancelled: IsCancelled,
    agree: Agree = trust_nobody,
) -> Built:
    """`agree`: the hosts that the person trusts, as for a setup. Raises UsageError `profile-…`, `pack-folder-taken`,
    WizardError `pack-not-written`, `fetch-…`, Cancelled, as `agree`."""
    file = read_profile(profile)
    check_signature(file)
    check_hosts(file.profile, agree(file), for_pack=True)
    return build(wanted_of(file), folder, options, Downloads(), on_progress, is_cancelled)


def update_pack(
    folder: Path,
    profile: Path | None,
    options: BuildOptions,
    on_progress: OnProgress,
    is_cancelled: IsCancelled,
    agree: Agree = trust_nobody,
) -> Built:
    """`profile` None: the pack's own, so that damaged and missing files come anew. Raises as `build_pack`."""
    read_listing(folder)
    return build_pack(profile or folder / PROFILE, folder, options, on_progress, is_cancelled, agree)


def check_pack(folder: Path, on_bytes: Callable[[int], None], is_cancelled: IsCancelled) -> PackCheck:
    """Raises UsageError `pack-no-folder`, WizardError `pack-…`, `profile-…`, Cancelled."""
    listing = read_listing(folder)
    file = read_profile(folder / PROFILE)
    return PackCheck(listing, check(folder, listing, wanted_of(file), on_bytes, is_cancelled), others(folder, listing))


def read_listing(folder: Path) -> PackListing:
    """Raises UsageError `pack-no-folder`, WizardError `pack-unreadable`, `pack-newer`."""
    path = folder / LISTING
    try:
        data = read_file(path, MOST_BYTES)
    except FileNotFoundError as error:
        raise UsageError(PACK_NO_FOLDER, details=str(error), path=str(folder)) from error
    except OSError as error:
        raise WizardError(PACK_UNREADABLE, details=str(error), path=str(path)) from error
    return parse_listing(data, str(folder))
