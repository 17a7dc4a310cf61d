"""Is the torch of a profile the one that the official place hands out under that name?

Whoever makes a profile chooses the hash too, so a right hash proves nothing here. The official page counts where it
answers, else the table of SHA-256 that comes with the program; a file that the table knows is not asked for again.
What contradicts either is refused. One page for each project, at once and within a time limit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from wizard.classroom.profile.hosts import is_foreign
from wizard.classroom.profile.model import ProfileLock
from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.pins import Pins
from wizard.compatibility.model import Choices
from wizard.model.distributions import FAMILY
from wizard.model.errors import UsageError, WizardError
from wizard.model.lock import LockedFile
from wizard.model.messages import Message, message
from wizard.sources.known_sources import default_index, torch_sources
from wizard.sources.model import Offer, Source, UserSettings
from wizard.sources.read import Reader
from wizard.transfer.address import host_of
from wizard.transfer.concurrently import GoesOn, ask_together

_SECONDS = 6.0
Pages = Mapping[tuple[str, Source], Sequence[Offer]]


def check_family(
    entry: ProfileLock, matrix: Matrix, settings: UserSettings, is_cancelled: Callable[[], bool]
) -> tuple[Message, ...]:
    """What could not be confirmed. Raises UsageError `profile-torch-differs`, `profile-torch-unknown`, Cancelled."""
    family = [file for file in entry.files if file.name in FAMILY]
    open_files = [file for file in family if file.sha256 not in matrix.pinned_sha256(file.filename)]
    if not open_files:
        return ()
    pages = _pages(open_files, entry.variant, settings, is_cancelled)
    checked = (_check(file, _sources(file, entry.variant), pages, matrix) for file in open_files)
    return tuple(notice for notice in checked if notice)


def own_word(entry: ProfileLock) -> tuple[Message, ...]:
    """Name all packages for which nothing but the profile's own checksums vouches: all but torch's family."""
    names = [file.name for file in entry.files if file.name not in FAMILY]
    if not names:
        return ()
    return (
        message(
            "profile.own-word",
            "For the other packages ({count}: {names}) nothing but the profile's own checksums vouches.",
            count=len(names),
            names=", ".join(names),
        ),
    )


def official_torch(variant: str) -> Source:
    return torch_sources(Choices(), UserSettings(), variant)[0]


def _sources(file: LockedFile, variant: str) -> tuple[Source, ...]:
    """Only a file without a local version may be one of the default index."""
    return (official_torch(variant),) if "+" in file.version else (official_torch(variant), default_index())


def _pages(
    files: Collection[LockedFile], variant: str, settings: UserSettings, is_cancelled: Callable[[], bool]
) -> Pages:
    """Those that answered and list the project at all: a sign-in page lists nothing."""
    plain = replace(settings, index_url=None, extra_index_urls=(), find_links=())
    asked = {(file.name, source) for file in files for source in _sources(file, variant)}
    with Reader(plain, (_SECONDS, _SECONDS)) as reader:

        def ask(project: str, source: Source) -> Callable[[GoesOn], Sequence[Offer]]:
            def question(goes_on: GoesOn) -> Sequence[Offer]:
                try:
                    return reader.offers(source, project)
                except WizardError:
                    return ()

            return question

        answers = ask_together({key: ask(*key) for key in asked}, _SECONDS, is_cancelled)
    return {key: offers for key, offers in answers.items() if offers}


def _check(file: LockedFile, sources: Sequence[Source], pages: Pages, matrix: Matrix) -> Message | None:
    """Raises as `check_family`."""
    answered = [pages[file.name, source] for source in sources if (file.name, source) in pages]
    listed = Pins((offer.filename, offer.sha256) for offers in answered for offer in offers if offer.sha256)
    official = listed.find(file.filename)
    hosts = ", ".join(dict.fromkeys(map(host_of, file.urls)))
    if official and file.sha256 in official:
        return None
    if official is not None or matrix.contradicts_pin(file.filename, file.sha256):
        details = f"{file.filename}: {file.sha256}, official {sorted(official or matrix.pinned_sha256(file.filename))}"
        raise UsageError(
            "profile-torch-differs",
            "The class profile has another {file} than the official one: its checksum differs (from {hosts}).",
            "Do not use this profile; ask whoever gave it to you where its PyTorch comes from. "
            "Nothing was downloaded and nothing was changed.",
            details=details,
            file=file.filename,
            hosts=hosts,
        )
    if any(is_foreign(url) for url in file.urls):  # somebody said yes to that host: a lab's own build
        return message("profile.torch-own", file=file.filename, hosts=hosts)
    if len(answered) == len(sources):
        raise UsageError(
            "profile-torch-unknown",
            "The class profile wants {file} from {hosts}, but the official page has no such file.",
            "Ask whoever made the profile to make it anew [on the page {page.class}|with `torch-wizard profile "
            "make`]; nothing was downloaded and nothing was changed.",
            file=file.filename,
            hosts=hosts,
        )
    return message("profile.torch-unconfirmed", file=file.filename)
