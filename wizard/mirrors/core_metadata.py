"""What a wheel says that it needs, read without downloading it: its METADATA beside it (PEP 658), else inside it.

Used to pair torchvision with a torch that the tables do not know. Only the requirements are taken.
"""

from __future__ import annotations

import email
import hashlib
import io
import zipfile
from typing import IO

from packaging.requirements import InvalidRequirement, Requirement

from wizard.i18n import Words
from wizard.mirrors.address import file_path
from wizard.mirrors.client import Client
from wizard.mirrors.model import Offer
from wizard.mirrors.ranged_file import RangedFile
from wizard.mirrors.remote_wheel import BROKEN
from wizard.mirrors.unreachable import SourceUnreachable, explain_status
from wizard.process import redact

_LIMIT = 4 * 1024 * 1024
_MOST_BYTES = 16 * 1024 * 1024  # to find it at the end of a wheel: the largest list of files known takes 2


class _TooLargeError(Exception):
    """More metadata than any package has."""


def parse_requirements(text: str) -> tuple[Requirement, ...]:
    """Of a METADATA file; lines that are no requirement are passed over."""
    found = []
    for line in email.message_from_string(text).get_all("Requires-Dist", []):
        try:
            found.append(Requirement(str(line)))
        except InvalidRequirement:
            continue
    return tuple(found)


def read_requirements(client: Client, offer: Offer) -> tuple[Requirement, ...]:
    """Raises as `read_metadata`."""
    return parse_requirements(read_metadata(client, offer).decode("utf-8", errors="replace"))


def read_metadata(client: Client, offer: Offer) -> bytes:
    """Raises SourceUnreachable: `wheel-unreadable` (also for metadata with a wrong hash), `metadata-too-large`, or as
    reading a page."""
    source = offer.source.label
    try:
        return _metadata(client, offer, source)
    except _TooLargeError as error:
        raise SourceUnreachable(
            "metadata-too-large", redact(f"{offer.url}: {error}"), source=source, file=offer.filename,
            megabytes=round(_LIMIT / 1e6),
        ) from error  # fmt: skip
    except BROKEN as error:
        raise SourceUnreachable(
            "wheel-unreadable", redact(f"{offer.url}: {error!r}"), source=source, file=offer.filename
        ) from error


def _metadata(client: Client, offer: Offer, source: Words) -> bytes:
    if offer.url.lower().startswith("file:"):
        with file_path(offer.url).open("rb") as file:
            return _from_wheel(file)
    if offer.metadata is not None:
        return _beside(client, offer, source)
    with io.BufferedReader(RangedFile(client, offer.url, source, _MOST_BYTES), 64 * 1024) as file:
        return _from_wheel(file)


def _beside(client: Client, offer: Offer, source: Words) -> bytes:
    page = client.get(offer.url + ".metadata", source, {}, _LIMIT + 1)
    if page.status != 200:
        raise explain_status(page.status, source, offer.url)
    if offer.metadata and hashlib.sha256(page.body).hexdigest() != offer.metadata:
        raise ValueError("the core metadata have another SHA-256 than the page says")
    return _bounded(page.body)


def _from_wheel(file: IO[bytes]) -> bytes:
    """The wheel's own: packages that carry others inside have further files of this name."""
    with zipfile.ZipFile(file) as wheel:
        name = next(name for name in (*wheel.NameToInfo, "METADATA") if _is_own_metadata(name))
        with wheel.open(name) as member:
            return _bounded(member.read(_LIMIT + 1))


def _is_own_metadata(name: str) -> bool:
    return name == "METADATA" or (name.endswith(".dist-info/METADATA") and name.count("/") == 1)


def _bounded(data: bytes) -> bytes:
    if len(data) > _LIMIT:
        raise _TooLargeError(f"more than {_LIMIT} bytes of metadata")
    return data
