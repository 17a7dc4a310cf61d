"""Serving as a use case: a pack folder, or what this computer has just fetched, for the class around it.

A pack is read whole before it is handed out, so that a stick that went bad does not waste thirty machines' time; what
is damaged is named and left out.
"""

from __future__ import annotations

import contextlib
import ipaddress
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wizard.classroom.join import profile_path
from wizard.classroom.pack.files import put_bytes, size_and_hash
from wizard.classroom.pack.listing import PROFILE, SIGNATURE, WHEELS, PackEntry, PackListing, PackProblem
from wizard.classroom.pack.make import check_pack
from wizard.classroom.profile.model import ProfileFile
from wizard.classroom.profile.signature import signature_path
from wizard.classroom.results.certificate import Certificate
from wizard.classroom.results.proof import RefusedResult
from wizard.classroom.server.announce import announcing, own_addresses
from wizard.classroom.server.server import Content, PackServer, ServeOptions, content_of_downloads, content_of_pack
from wizard.model.errors import WizardError
from wizard.model.lock import LockedFile
from wizard.transfer.download import Downloads

IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Serving:
    """`addresses`: as people type them."""

    server: PackServer
    listing: PackListing
    addresses: tuple[str, ...]
    problems: tuple[PackProblem, ...] = ()
    class_key: str = ""


@contextlib.contextmanager
def serve_pack(
    folder: Path,
    options: ServeOptions,
    announce: bool,
    on_result: Callable[[Certificate], None],
    on_bytes: Callable[[int], None],
    is_cancelled: Callable[[], bool],
    on_refused: Callable[[RefusedResult], None] = lambda refused: None,
) -> Iterator[Serving]:
    """Raises as `check_pack`, WizardError `share-port`, `share-no-mdns`."""
    checked = check_pack(folder, on_bytes, is_cancelled)
    damaged = frozenset(problem.path for problem in checked.problems)
    content = content_of_pack(folder, checked.listing, damaged)
    with (
        PackServer(content, options, on_result, on_refused) as server,
        _announced(announce, server, checked.listing, options),
    ):
        addresses = addresses_of(options.host, server.port)
        yield Serving(server, checked.listing, addresses, checked.problems, content.class_key)


@contextlib.contextmanager
def serve_downloads(
    file: ProfileFile, path: Path, files: tuple[LockedFile, ...], options: ServeOptions, announce: bool
) -> Iterator[Serving]:
    """What is in this computer's downloads of a profile. Raises WizardError `share-port`, `share-no-mdns`."""
    listing, content = _downloads(file, path, files)
    with PackServer(content, options) as server, _announced(announce, server, listing, options):
        yield Serving(server, listing, addresses_of(options.host, server.port))


def _downloads(file: ProfileFile, path: Path, files: tuple[LockedFile, ...]) -> tuple[PackListing, Content]:
    store = Downloads()
    found = {f"{WHEELS}/{each.sha256[:12]}/{each.filename}": (each, store.find(each)) for each in files}
    here = {name: where for name, (_, where) in found.items() if where}
    entries = [PackEntry(name, where.stat().st_size, found[name][0].sha256) for name, where in here.items()]
    entries.append(PackEntry(PROFILE, len(file.data), file.sha256))
    kept = _kept(file, path)
    if file.signature is not None and signature_path(kept).is_file():
        here[SIGNATURE] = signature_path(kept)
        entries.append(PackEntry(SIGNATURE, *size_and_hash(signature_path(kept))))
    listing = PackListing(file.sha256, tuple(entries), file.profile.title)
    return listing, content_of_downloads(kept, listing, here)


def _kept(file: ProfileFile, path: Path) -> Path:
    """The profile in our own folder: the stick that it came on goes on to the next computer."""
    own = profile_path(file.sha256)
    with contextlib.suppress(OSError):
        put_bytes(own, file.data)
        if file.signature is not None:
            put_bytes(signature_path(own), file.signature)
        return own
    return path


class ServingOn:
    """Serving that is stopped by another call than the one that began it, as a window needs it.

    Where this computer's usual port is taken, another is used; where the network lets no announcement through, there is
    none (`is_announced`) and people type the address.
    """

    def __init__(
        self, content: Content, listing: PackListing, problems: tuple[PackProblem, ...], announce: bool
    ) -> None:
        """Raises WizardError `share-port`."""
        self._stack, options = contextlib.ExitStack(), ServeOptions(any_port=True)
        self.server = self._stack.enter_context(PackServer(content, options))
        self.listing, self.problems = listing, problems
        self.addresses = addresses_of(options.host, self.server.port)
        self.class_key = content.class_key
        self.is_announced = announce and self._announce()

    def _announce(self) -> bool:
        try:
            self._stack.enter_context(announcing(self.server.port, self.listing.profile_sha256, self.listing.title))
        except WizardError:
            return False
        except BaseException:
            self.stop()
            raise
        return True

    def stop(self) -> None:
        """Takes some seconds while somebody is being served. A second time it does nothing."""
        self._stack.close()


def serve_on(folder: Path, announce: bool, on_bytes: Callable[[int], None], is_cancelled: IsCancelled) -> ServingOn:
    """A pack, until it is stopped. Raises as `check_pack`, WizardError `share-port`."""
    checked = check_pack(folder, on_bytes, is_cancelled)
    damaged = frozenset(problem.path for problem in checked.problems)
    return ServingOn(content_of_pack(folder, checked.listing, damaged), checked.listing, checked.problems, announce)


def hand_on(file: ProfileFile, path: Path, files: tuple[LockedFile, ...]) -> ServingOn:
    """What is in this computer's downloads of a profile, until it is stopped. Raises WizardError `share-port`."""
    listing, content = _downloads(file, path, files)
    return ServingOn(content, listing, (), announce=True)


def _announced(
    announce: bool, server: PackServer, listing: PackListing, options: ServeOptions
) -> contextlib.AbstractContextManager[None]:
    """Only where it listens: another address of this computer would send people to a door that is shut."""
    if not announce:
        return contextlib.nullcontext()
    return announcing(server.port, listing.profile_sha256, listing.title, announced_at(options.host))


def announced_at(host: str) -> tuple[str, ...]:
    """Of what was typed after `--host`; (): all that others could reach."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:  # nothing, or a name
        return ()
    return () if address.is_unspecified else (str(address),)


def addresses_of(host: str, port: int) -> tuple[str, ...]:
    hosts = [host] if host else own_addresses()
    return tuple(f"http://{f'[{each}]' if ':' in each else each}:{port}/" for each in hosts)
