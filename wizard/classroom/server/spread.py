"""Puts the servers of a class before the other addresses of each file, in an order of this client's own.

With several servers each client begins elsewhere, and at another one for each file, so that they share the load without
asking each other. The addresses that the lock itself names stay behind them, as the last way out, unless the profile
says that only the class is to be asked. A file of which the profile tells no size is not asked of who speaks plain
http: that may be anybody, who could send without end.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from wizard.classroom.pack.opened import OpenPack
from wizard.model.lock import LockedFile


class LoadBalancer:
    """One per client. `packs`: opened, in any order."""

    def __init__(self, packs: Sequence[OpenPack], chance: random.Random | None = None) -> None:
        self._packs = tuple(packs)
        self._dice = chance or random.Random()

    def urls_of(self, file: LockedFile) -> tuple[str, ...]:
        """Where the class has this very file; () where it has not."""
        folders = [url for pack in self._packs if pack.is_folder and (url := pack.address_of(file))]
        servers = [url for pack in self._packs if not pack.is_folder and (url := pack.address_of(file))]
        if file.size is None:
            servers = [url for url in servers if not url.startswith("http:")]
        self._dice.shuffle(servers)
        return tuple(dict.fromkeys(folders + servers))  # a stick or share that is at hand costs the servers nothing
