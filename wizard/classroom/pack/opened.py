"""A pack that is opened for reading: a folder, or the address of one on any web server.

Plain http is taken here, for the list and for the files, although nobody vouches for such a server: every byte that
is used is held against a hash of the profile, which came another way. What a wrong server can do is waste time.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from wizard.classroom.pack.listing import (
    LISTING,
    MOST_BYTES,
    PACK_NO_FOLDER,
    PACK_UNREADABLE,
    PROFILE,
    SIGNATURE,
    PackListing,
    parse_listing,
)
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.model.lock import LockedFile
from wizard.process import redact
from wizard.transfer.address import with_http
from wizard.transfer.download.model import Fault
from wizard.transfer.download.transport import Transport, file_path, split_address

PACK_BAD_ADDRESS = ErrorText(
    "pack-bad-address",
    "{address} is not the address of a pack.",
    "Give a folder, or an address such as http://192.168.1.20:8765/.",
)
PACK_UNREACHABLE = ErrorText(
    "pack-unreachable",
    "The pack {path} can't be reached.",
    "Check the address and that the server is running, then try again; nothing was changed.",
)

_STALL_SECONDS = 8.0
_WHOLE_SECONDS = 60.0  # for a list or a profile, which are small: who sends a byte now and then is not waited for
_CUT_AGAIN = 0.5


@dataclass(frozen=True, slots=True)
class OpenPack:
    """`base` ends with a slash; everything in the pack is addressed from there."""

    base: str
    listing: PackListing

    def address_of(self, file: LockedFile) -> str | None:
        """Where this very file (by its hash) lies; None: not in this pack."""
        entry = self.listing.find(file.sha256)
        if entry is None:
            return None
        url = self.base + quote(entry.path)
        return split_address(url, [part.size for part in entry.parts]) if entry.parts else url

    @property
    def is_folder(self) -> bool:
        return self.base.startswith("file:")


def base_of(spec: str) -> str:
    """From a folder or an address, as a person types it. Raises UsageError `pack-bad-address`, `pack-no-folder`."""
    spec = with_http(spec.strip()) if "://" not in spec else spec
    scheme = spec.partition("://")[0].lower() if "://" in spec else ""
    if scheme in ("http", "https"):
        try:
            parts = urlsplit(spec.strip())
            if not parts.hostname or parts.query or (parts.port is not None and not 0 < parts.port < 65536):
                raise ValueError(spec)
        except ValueError as error:
            raise UsageError(PACK_BAD_ADDRESS, address=redact(spec)) from error
        path = parts.path if parts.path.endswith("/") else parts.path + "/"
        return urlunsplit((scheme, parts.netloc, path, "", ""))
    if scheme and scheme != "file":
        raise UsageError(PACK_BAD_ADDRESS, address=redact(spec))
    folder = Path(spec).expanduser().absolute() if not scheme else file_path(spec)
    if not (folder / LISTING).is_file():
        raise UsageError(PACK_NO_FOLDER, path=str(folder))
    return folder.as_uri().rstrip("/") + "/"


def shown(base: str) -> str:
    """As people know it: a folder by its path."""
    return str(file_path(base)) if base.startswith("file:") else redact(base)


def open_pack(base: str, environment: Mapping[str, str] | None = None) -> OpenPack:
    """Raises WizardError `pack-unreachable`, `pack-unreadable`, `pack-newer`."""
    return OpenPack(base, parse_listing(_read(base, LISTING, environment), shown(base)))


def read_profile_of(pack: OpenPack, environment: Mapping[str, str] | None = None) -> bytes:
    """The profile that a pack carries. It is what it says only if its hash is one that the caller was told.

    Raises WizardError `pack-unreachable`, `pack-profile-differs`.
    """
    data = _read(pack.base, PROFILE, environment)
    if hashlib.sha256(data).hexdigest() != pack.listing.profile_sha256:
        raise WizardError(
            "pack-profile-differs",
            "The profile in {path} was changed, there or on the way: it is not the one that its list names.",
            "Don't use this pack; the person who made it can mend it [on the page {page.class}|with torch-wizard "
            "pack update]. Nothing was changed.",
            path=shown(pack.base),
        )
    return data


def read_signature_of(pack: OpenPack, environment: Mapping[str, str] | None = None) -> bytes | None:
    """None: the pack has none. Raises WizardError `pack-unreachable`."""
    if not any(entry.path == SIGNATURE for entry in pack.listing.entries):
        return None
    return _read(pack.base, SIGNATURE, environment)


def _read(base: str, name: str, environment: Mapping[str, str] | None) -> bytes:
    transport = Transport(_STALL_SECONDS, environment, allow_http=True)
    try:
        with contextlib.closing(transport), _within(transport, _WHOLE_SECONDS):
            body = transport.get(base + name, 0, None).body
            return _read_all(body.readinto, base)
    except Fault as fault:
        raise WizardError(PACK_UNREACHABLE, details=redact(str(fault)), path=shown(base)) from fault
    except (OSError, ValueError) as error:
        raise WizardError(PACK_UNREACHABLE, details=redact(repr(error)), path=shown(base)) from error


@contextlib.contextmanager
def _within(transport: Transport, seconds: float) -> Iterator[None]:
    """Afterwards every connection of it is cut, so that what reads from one ends. Raises TimeoutError then."""
    done, late = threading.Event(), threading.Event()

    def watch() -> None:
        left = seconds
        while not done.wait(left):
            late.set()
            transport.cut()
            left = _CUT_AGAIN  # one that was being opened is there now

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        done.set()
    if late.is_set():  # what was read may look whole
        raise TimeoutError(f"not done in {seconds:g} seconds")


def _read_all(readinto: object, base: str) -> bytes:
    """Raises WizardError `pack-unreadable` for what is too long to be meant."""
    data, block = bytearray(), memoryview(bytearray(256 * 1024))
    while count := readinto(block):  # type: ignore[operator]
        data += block[:count]
        if len(data) > MOST_BYTES:
            raise WizardError(PACK_UNREADABLE, details="too large", path=shown(base))
    return bytes(data)
