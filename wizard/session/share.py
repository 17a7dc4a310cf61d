"""Serving as a use case: a pack folder, or what this computer has just fetched, for the class around it.

A pack is read whole before it is handed out, so that a stick that went bad does not waste thirty machines' time; what
is damaged is named and left out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wizard.pack.model import PROFILE, WHEELS, Entry, Listing, Problem
from wizard.packages.fetch import Store
from wizard.packages.model import LockedFile
from wizard.profile.model import ProfileFile
from wizard.session.pack import check_pack
from wizard.share.announce import announcing, own_addresses
from wizard.share.certificate import Certificate
from wizard.share.server import PackServer, ServeOptions, content_of_downloads, content_of_pack


@dataclass(frozen=True, slots=True)
class Serving:
    """`addresses`: as people type them."""

    server: PackServer
    listing: Listing
    addresses: tuple[str, ...]
    problems: tuple[Problem, ...] = ()


@contextlib.contextmanager
def serve_pack(
    folder: Path, options: ServeOptions, announce: bool, on_result: Callable[[Certificate], None],
    on_bytes: Callable[[int], None], is_cancelled: Callable[[], bool],
) -> Iterator[Serving]:  # fmt: skip
    """Raises as `check_pack`, WizardError `share-port`, `share-no-mdns`."""
    checked = check_pack(folder, on_bytes, is_cancelled)
    damaged = frozenset(problem.path for problem in checked.problems)
    content = content_of_pack(folder, checked.listing, damaged)
    with PackServer(content, options, on_result) as server, _announced(announce, server, checked.listing):
        yield Serving(server, checked.listing, addresses_of(options.host, server.port), checked.problems)


@contextlib.contextmanager
def serve_downloads(
    file: ProfileFile, path: Path, files: tuple[LockedFile, ...], options: ServeOptions, announce: bool
) -> Iterator[Serving]:
    """What is in this computer's downloads of a profile. Raises WizardError `share-port`, `share-no-mdns`."""
    store = Store()
    found = {f"{WHEELS}/{each.sha256[:12]}/{each.filename}": (each, store.find(each)) for each in files}
    here = {name: where for name, (_, where) in found.items() if where}
    entries = [Entry(name, where.stat().st_size, found[name][0].sha256) for name, where in here.items()]
    entries.append(Entry(PROFILE, len(file.data), file.sha256))
    listing = Listing(file.sha256, tuple(entries), file.profile.title)
    content = content_of_downloads(path, listing, here)
    with PackServer(content, options) as server, _announced(announce, server, listing):
        yield Serving(server, listing, addresses_of(options.host, server.port))


def _announced(announce: bool, server: PackServer, listing: Listing) -> contextlib.AbstractContextManager[None]:
    return announcing(server.port, listing.profile_sha256, listing.title) if announce else contextlib.nullcontext()


def addresses_of(host: str, port: int) -> tuple[str, ...]:
    hosts = [host] if host else own_addresses()
    return tuple(f"http://{f'[{each}]' if ':' in each else each}:{port}/" for each in hosts)
