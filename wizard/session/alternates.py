"""Further addresses for the files of a lock: the same name and SHA-256 at other sources, so that a download goes on.

At most one page for each project and source, at the same time and within a time limit; who is silent once is not asked
again. Where the official page names another SHA-256 for a file, that one counts: bytes may come from a mirror, the word
on what they must be does not.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from wizard.errors import WizardError
from wizard.mirrors.installing_client import list_headers
from wizard.mirrors.model import Offer, Origin, Source, UserSettings
from wizard.mirrors.official import promiser
from wizard.mirrors.read import Reader
from wizard.mirrors.together import GoesOn, ask_together
from wizard.packages.lock import FAMILY, with_hash, without_login
from wizard.packages.model import Lock, LockedFile

_SECONDS = 10.0
_PAGE_SECONDS = 5.0
_AT_ONCE = 12
Found = Mapping[tuple[str, Source], Offer]


def with_alternates(
    lock: Lock, further: Mapping[str, tuple[Source, ...]], settings: UserSettings,
    is_cancelled: Callable[[], bool], seconds: float = _SECONDS,
) -> Lock:  # fmt: skip
    """`further`: role -> sources in the order to try. Without any, nobody is asked. Raises Cancelled."""
    if not further:
        return lock
    found = _offers(lock, further, settings, is_cancelled, seconds)
    files, text = [], lock.text
    for file in lock.files:
        sources = further.get(_role(file), ())
        better = _with_offers(
            file, [(source, found[key]) for source in sources if (key := (file.name, source)) in found]
        )
        if better.sha256 != file.sha256:
            text = _corrected(text, file, better)
        files.append(better)
    return replace(lock, files=tuple(files), text=text)


def _corrected(text: str, file: LockedFile, better: LockedFile) -> str:
    """The lock's own text, in which the hash follows the address."""
    return with_hash(text, file.urls, file.sha256, better.sha256).replace(file.urls[0], better.urls[0], 1)


def _role(file: LockedFile) -> str:
    return "torch" if file.name in FAMILY else "packages"


def _offers(
    lock: Lock, further: Mapping[str, tuple[Source, ...]], settings: UserSettings,
    is_cancelled: Callable[[], bool], seconds: float,
) -> Found:  # fmt: skip
    reader = Reader(settings, (_PAGE_SECONDS, _PAGE_SECONDS), headers=list_headers())
    silent: set[Source] = set()
    guard = threading.Lock()

    def ask(file: LockedFile, source: Source) -> Callable[[GoesOn], Offer | None]:
        def question(goes_on: GoesOn) -> Offer | None:
            if source in silent:
                return None
            try:
                offers = reader.offers(source, file.name)
            except WizardError:
                with guard:
                    silent.add(source)
                return None
            return next((offer for offer in offers if offer.filename == file.filename and not offer.yanked), None)

        return question

    asked = {(file.name, source): ask(file, source) for file in lock.files for source in further.get(_role(file), ())}
    try:
        answers = ask_together(asked, seconds, is_cancelled, _AT_ONCE)
    finally:
        reader.close()
    return {key: offer for key, offer in answers.items() if offer is not None}


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
