"""Pages of other sources, held against a lock. Further addresses for its files: the same name and SHA-256 elsewhere, so
that a download goes on. Names that another index has too: strangers may own them on the public one.

At most one page for each project and source, at the same time and within a time limit; who is silent once is not asked
again. Where the official page names another SHA-256 for a file, that one counts: bytes may come from a mirror, the word
on what they must be does not.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from wizard.errors import WizardError
from wizard.mirrors.installing_client import list_headers
from wizard.mirrors.model import Offer, Origin, Source, UserSettings
from wizard.mirrors.official import promiser
from wizard.mirrors.read import HOST_IS_THERE, Reader
from wizard.mirrors.together import GoesOn, ask_together
from wizard.mirrors.unreachable import SourceUnreachable
from wizard.packages.lock import FAMILY, with_hash, without_login
from wizard.packages.model import Lock, LockedFile

_SECONDS = 10.0
_PAGE_SECONDS = 5.0
_AT_ONCE = 12
_BUSY = (429, 503)  # it asks for rest
Answer = TypeVar("Answer")


def with_alternates(
    lock: Lock, further: Mapping[str, tuple[Source, ...]], settings: UserSettings,
    is_cancelled: Callable[[], bool], seconds: float = _SECONDS,
) -> Lock:  # fmt: skip
    """`further`: role -> sources in the order to try. Without any, nobody is asked. Raises Cancelled."""
    if not further:
        return lock
    found = _looked_up(lock.files, lambda file: further.get(_role(file), ()), _same, settings, is_cancelled, seconds)
    files, text = [], lock.text
    for file in lock.files:
        sources = further.get(_role(file), ())
        better = _with_offers(
            file, [(source, offer) for source in sources if (offer := found.get((file.name, source)))]
        )
        if better.sha256 != file.sha256:
            text = _corrected(text, file, better)
        files.append(better)
    return replace(lock, files=tuple(files), text=text)


def _corrected(text: str, file: LockedFile, better: LockedFile) -> str:
    """The lock's own text, in which the hash follows the address."""
    return with_hash(text, file.urls, file.sha256, better.sha256).replace(file.urls[0], better.urls[0], 1)


def on_both(
    lock: Lock, sources: Sequence[Source], settings: UserSettings, is_cancelled: Callable[[], bool],
    seconds: float = _SECONDS,
) -> dict[Source, tuple[LockedFile, ...]]:  # fmt: skip
    """Return the files of the lock whose names these sources have too, each of them with something else. Who does not
    answer in time is left out. Raises Cancelled."""
    found = _looked_up(lock.files, lambda file: sources, _other, settings, is_cancelled, seconds)
    each = {source: tuple(file for file in lock.files if (file.name, source) in found) for source in sources}
    return {source: files for source, files in each.items() if files}


def _role(file: LockedFile) -> str:
    return "torch" if file.name in FAMILY else "packages"


def _looked_up(
    files: Iterable[LockedFile], sources_for: Callable[[LockedFile], Iterable[Source]],
    look: Callable[[Reader, Source, LockedFile], Answer], settings: UserSettings, is_cancelled: Callable[[], bool],
    seconds: float,
) -> dict[tuple[str, Source], Answer]:  # fmt: skip
    """What `look` found, by the file's name; nothing of who was silent."""
    reader = Reader(settings, (_PAGE_SECONDS, _PAGE_SECONDS), headers=list_headers())
    silent: set[Source] = set()
    guard = threading.Lock()

    def ask(file: LockedFile, source: Source) -> Callable[[GoesOn], Answer | None]:
        def question(goes_on: GoesOn) -> Answer | None:
            if source in silent:
                return None
            try:
                return look(reader, source, file)
            except WizardError:
                with guard:
                    silent.add(source)
                return None

        return question

    asked = {(file.name, source): ask(file, source) for file in files for source in sources_for(file)}
    try:
        answers = ask_together(asked, seconds, is_cancelled, _AT_ONCE)
    finally:
        reader.close()
    return {key: answer for key, answer in answers.items() if answer is not None}


def _same(reader: Reader, source: Source, file: LockedFile) -> Offer | None:
    offers = reader.offers(source, file.name)
    return next((offer for offer in offers if offer.filename == file.filename and not offer.yanked), None)


def _other(reader: Reader, source: Source, file: LockedFile) -> bool | None:
    """True where the name is there, but not the very file."""
    try:
        if any(offer.sha256 and offer.sha256 == file.sha256 for offer in reader.offers(source, file.name)):
            return None
        return reader.has(source, file.name) or None
    except SourceUnreachable as error:
        if error.code == "source-links-refused":  # wheels of that name
            return True
        if error.code in HOST_IS_THERE and error.params.get("status") not in _BUSY:  # of this page alone
            return None
        raise


def _with_offers(file: LockedFile, offers: Sequence[tuple[Source, Offer]]) -> LockedFile:
    """The addresses in the order of the sources; the lock's own first where its source is not among them."""
    official = next((offer for source, offer in offers if source.origin is Origin.OFFICIAL and offer.sha256), None)
    promise = official or (None if file.sha256 else next((offer for _, offer in offers if offer.sha256), None))
    if promise is None and not file.sha256:
        return file  # nothing would tell one source's bytes from another's
    sha256 = promise.sha256 if promise and promise.sha256 else file.sha256
    promised_by = promiser(promise) if promise else file.promised_by
    good = [offer for _, offer in offers if offer.sha256 in (None, sha256)]
    urls = [offer.url for offer in good]
    if promise and file.sha256 not in ("", sha256):  # its own source has other bytes, which nobody takes
        file = replace(file, listed_by=without_login(promise.source.url or ""))
    elif file.urls[0] not in urls:
        urls = [*file.urls, *urls]
    sizes = [offer.size for offer in good if offer.size is not None and offer.sha256 == sha256]
    size = file.size if file.size is not None and sha256 == file.sha256 else next(iter(sizes), None)
    return replace(file, urls=tuple(dict.fromkeys(urls)), sha256=sha256, size=size, promised_by=promised_by)
