"""`pack.json`, read and written. Whoever wrote it may be a stranger: every path and number is checked.

Fields that this version does not know are passed over; a list of a newer schema is refused by name.
"""

from __future__ import annotations

import re

import msgspec

from wizard.errors import WizardError
from wizard.pack.model import SCHEMA, Entry, Listing, Part, is_safe
from wizard.typed import from_json

MOST_BYTES = 8 * 1024 * 1024
_MOST_ENTRIES = 20_000
_LONGEST = 200  # of a text that people see
_HASH = re.compile(r"^[0-9a-f]{64}$")


def listing_to_json(listing: Listing) -> bytes:
    return msgspec.json.format(msgspec.json.encode(listing), indent=1)


def parse_listing(data: bytes, where: str) -> Listing:
    """Raises WizardError `pack-unreadable`, `pack-newer`."""
    if len(data) > MOST_BYTES:
        raise WizardError("pack-unreadable", details="too large", path=where)
    try:
        schema = from_json(data, _Schema).schema
        if schema > SCHEMA:
            raise WizardError("pack-newer", path=where, found=schema, known=SCHEMA)
        listing = from_json(data, Listing)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise WizardError("pack-unreadable", details=str(error), path=where) from error
    wrong = _wrong(listing)
    if wrong:
        raise WizardError("pack-unreadable", details=wrong, path=where)
    return listing


class _Schema(msgspec.Struct):
    schema: int


def _wrong(listing: Listing) -> str:
    """What cannot be in a list that we wrote; empty for a good one."""
    if not _HASH.match(listing.profile_sha256):
        return "profile_sha256"
    if not all(text.isprintable() and len(text) <= _LONGEST for text in (listing.title, listing.made, listing.program)):
        return "title, made or program"
    if len(listing.entries) > _MOST_ENTRIES:
        return "too many entries"
    if len(listing.unneeded) > _MOST_ENTRIES or not all(is_safe(path) for path in listing.unneeded):
        return "unneeded"
    seen: set[str] = set()
    for entry in listing.entries:
        wrong = _wrong_entry(entry)
        if wrong:
            return wrong
        for file in entry.files:
            if file.path.lower() in seen:
                return f"{file.path}: twice"
            seen.add(file.path.lower())
    return ""


def _wrong_entry(entry: Entry) -> str:
    pieces: tuple[Entry | Part, ...] = (entry, *entry.parts)
    for piece in pieces:
        if not is_safe(piece.path):
            return f"{piece.path!r}: no path inside a pack"
        if not _HASH.match(piece.sha256) or piece.size < 0:
            return f"{piece.path}: hash or size"
    if entry.parts and sum(part.size for part in entry.parts) != entry.size:
        return f"{entry.path}: the parts have another size"
    names = [f"{entry.path}.{number:03}" for number in range(1, len(entry.parts) + 1)]
    return "" if [part.path for part in entry.parts] == names else f"{entry.path}: names of the parts"
