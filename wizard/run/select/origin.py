"""Decides whether torch's wheel may be taken from where it was found: not when the tables know another SHA-256 for it,
and from an index of the user's own settings only when it is the official file.

An index that stands in pip's or uv's settings for another purpose must not hand out torch unseen. The official places,
the mirrors of the tables and what a person typed by hand were chosen; the official places alone are believed against
the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from urllib.parse import urlsplit

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from wizard.compatibility.data.model import Matrix
from wizard.install.lock import with_hash
from wizard.model.distributions import FAMILY
from wizard.model.errors import ErrorText, WizardError
from wizard.model.lock import BY_TABLES, Lock
from wizard.model.messages import Message, Words, message
from wizard.process import redact
from wizard.sources.model import Layout, Offer, Origin, Source
from wizard.sources.table import mirror_rows
from wizard.transfer.address import file_path
from wizard.transfer.download.file_store import hash_file

PIN_DIFFERS = ErrorText(
    "pin-differs",
    "[{place}|{source}] offers [{package}|{file}] with another SHA-256 than the official file has; it was refused.",
    "Take another source (page {page.source}[|, or --mirror official]), and tell whoever runs this one.",
)
REFUSALS = (PIN_DIFFERS.code, "origin-unproven")

OfficialHash = Callable[[Offer], str | None]


def why_refused(offer: Offer, matrix: Matrix, official_sha256: OfficialHash) -> WizardError | None:
    """Return why this wheel must not be taken: `pin-differs` or `origin-unproven`; None when it may."""
    source = offer.source
    if source.origin is Origin.OFFICIAL:
        return None
    sha256 = _sha256(offer)
    if sha256 and matrix.contradicts_pin(offer.filename, sha256):
        return WizardError(PIN_DIFFERS, details=sha256, **named(source, offer.filename))
    if not needs_proof(source) or (sha256 and sha256 in matrix.pinned_sha256(offer.filename)):
        return None
    if sha256 and sha256 == official_sha256(offer):
        return None
    option = "--find-links" if source.layout is Layout.FLAT else "--torch-index"
    address = redact(source.url or "")
    return WizardError(
        "origin-unproven",
        "No known place gave {file}; {source} offers one of that name, and nothing shows that it is the official file.",
        "If you trust that place, name it yourself on the page {page.source}[| (or: {option} {address})].",
        details=sha256,
        source=source.name,
        file=offer.filename,
        option=option,
        address=address,
    )


def _sha256(offer: Offer) -> str:
    """As listed; of a file in a folder of the user's settings, which lists none, as it is. "" for not known."""
    if offer.sha256 is None and offer.url.startswith("file:") and needs_proof(offer.source):
        try:
            return hash_file(file_path(offer.url))
        except OSError:
            return ""
    return (offer.sha256 or "").lower()


def unconfirmed(offers: Iterable[Offer], matrix: Matrix, official_sha256: OfficialHash) -> tuple[Message, ...]:
    """Return a notice for each source that is no official place, with its wheels whose SHA-256 neither the tables nor
    the official page know. Who typed an address in by hand is not sent to another one for it."""
    doubted: dict[Source, list[str]] = {}
    for offer in offers:
        if offer.source.origin is not Origin.OFFICIAL and not _is_confirmed(offer, matrix, official_sha256):
            doubted.setdefault(offer.source, []).append(offer.filename)
    return tuple(
        message(
            "notice.unconfirmed" if len(files) == 1 else "notice.unconfirmed-several",
            file=", ".join(files),
            packages=", ".join(_package(file) for file in files),
            source=source.label,
            place=_place(source),
        )
        for source, files in doubted.items()
    )


def named(source: Source, file: str) -> dict[str, Words]:
    """Return what is said of a source and of a wheel that it lists: the names of both, and those that people know."""
    return {"source": source.label, "file": file, "place": _place(source), "package": _package(file)}


def _place(source: Source) -> Words:
    """By its host where somebody typed it, for “Your choice” could be any; a folder by its path."""
    if source.origin is not Origin.BY_HAND or not source.url:
        return source.label
    return str(file_path(source.url)) if source.url.startswith("file:") else _host(source.url)


def _package(filename: str) -> str:
    """`torch 2.13.0` of a wheel; its whole name where it is none."""
    try:
        name, version, _, _ = parse_wheel_filename(filename)
    except InvalidWheelFilename:
        return filename
    return f"{name} {version.public}"


def _is_confirmed(offer: Offer, matrix: Matrix, official_sha256: OfficialHash) -> bool:
    sha256, pins = _sha256(offer), matrix.pinned_sha256(offer.filename)
    if pins and (not sha256 or sha256 in pins):  # without a listed one it is held against the pin when it comes
        return True
    return bool(sha256) and offer.source.origin is not Origin.BY_HAND and sha256 == official_sha256(offer)


def needs_proof(source: Source) -> bool:
    """Return whether nobody chose this source for torch: it stands in the user's settings and is no place we know."""
    if source.origin is not Origin.USER_SETTINGS:
        return False
    return _host(source.url or "") not in {_host(row.url) for row in mirror_rows() if row.url}


def _host(url: str) -> str:
    """With its port, without a login."""
    return urlsplit(url).netloc.rpartition("@")[2].lower()


def refusal_notice(refusal: WizardError) -> Message:
    """Return the notice for a wheel that was refused while another source had a good one."""
    return message(f"notice.{refusal.code}", **refusal.params)


def with_pins(lock: Lock, matrix: Matrix) -> Lock:
    """Give wheels of torch's family without a promised hash the one that the tables know for sure."""
    files, text = [], lock.text
    for file in lock.files:
        pins = matrix.pinned_sha256(file.filename) if file.name in FAMILY and not file.sha256 else frozenset()
        if len(pins) == 1:
            (pin,) = pins
            text = with_hash(text, file.urls, "", pin)
            file = replace(file, sha256=pin, promised_by=BY_TABLES)
        files.append(file)
    return replace(lock, files=tuple(files), text=text)


def check_lock(lock: Lock, matrix: Matrix, source: Source) -> None:
    """Hold the locked wheels of torch's family against the tables. `source`: torch's. Raises WizardError
    `pin-differs`."""
    if source.origin is Origin.OFFICIAL:
        return
    for file in lock.files:
        if file.name in FAMILY and file.sha256 and matrix.contradicts_pin(file.filename, file.sha256):
            raise WizardError(PIN_DIFFERS, details=file.sha256, **named(source, file.filename))
