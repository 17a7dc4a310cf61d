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

from wizard.mirrors.address import file_path
from wizard.mirrors.client import Client
from wizard.mirrors.model import Offer
from wizard.mirrors.ranged_file import RangedFile
from wizard.mirrors.remote_wheel import BROKEN
from wizard.mirrors.unreachable import SourceUnreachable, explain_status
from wizard.process import redact

_LIMIT = 4 * 1024 * 1024


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
    """Raises SourceUnreachable: `wheel-unreadable` (also for metadata with a wrong hash), or as reading a page."""
    source = offer.source.name or offer.source.id
    try:
        return parse_requirements(_metadata(client, offer, source))
    except BROKEN as error:
        raise SourceUnreachable(
            "wheel-unreadable", redact(f"{offer.url}: {error!r}"), source=source, file=offer.filename
        ) from error


def _metadata(client: Client, offer: Offer, source: str) -> str:
    if offer.url.lower().startswith("file:"):
        with file_path(offer.url).open("rb") as file:
            return _from_wheel(file)
    if offer.metadata is not None:
        return _beside(client, offer, source)
    with io.BufferedReader(RangedFile(client, offer.url, source), 64 * 1024) as file:
        return _from_wheel(file)


def _beside(client: Client, offer: Offer, source: str) -> str:
    page = client.get(offer.url + ".metadata", source, {}, _LIMIT)
    if page.status != 200:
        raise explain_status(page.status, source, offer.url)
    if offer.metadata and hashlib.sha256(page.body).hexdigest() != offer.metadata:
        raise ValueError("the core metadata have another SHA-256 than the page says")
    return page.text


def _from_wheel(file: IO[bytes]) -> str:
    with zipfile.ZipFile(file) as wheel:
        name = next(name for name in (*wheel.NameToInfo, "METADATA") if name.endswith("METADATA"))
        with wheel.open(name) as member:
            return member.read(_LIMIT).decode("utf-8", errors="replace")
