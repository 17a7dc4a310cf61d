"""Feeds a wheel to the store's builder as a fetch does, and looks at the entry that comes of it."""

from __future__ import annotations

import random
from pathlib import Path

from tests.install import wheels
from tests.install.files import locked
from wizard.install.store import PackageStore, StoreEntry
from wizard.install.store.build import StoreBuilder
from wizard.model.lock import LockedFile

PLAIN = {
    "rich_demo/__init__.py": b"answer = 42\n\n\ndef main():\n    print('from the script', answer)\n",
    "rich_demo/lib/large.so": wheels.LIBRARY,
    "rich_demo/bin/tool": b"#!/bin/sh\n" + wheels.LIBRARY,
    "rich_demo/data/ü.txt": "Größe".encode(),
}


def pieces(data: bytes, seed: int, most: int) -> list[tuple[int, memoryview]]:
    chance, found, at = random.Random(seed), [], 0
    while at < len(data):
        count = chance.randint(1, most)
        found.append((at, memoryview(data)[at : at + count]))
        at += count
    return found


def fed(builder: StoreBuilder, wheel: Path, seed: int = 1, most: int = 300_000) -> LockedFile:
    file = locked(wheel.read_bytes(), name=wheel.name.split("-")[0])
    for start, piece in pieces(wheel.read_bytes(), seed, most):
        builder.feed(file, start, piece)
    return file


def accepted(builder: StoreBuilder, file: LockedFile, wheel: Path) -> StoreEntry:
    builder.accept(file, wheel)
    while not builder.wait(1.0):
        pass
    entry = PackageStore().find(file, deep=True)
    assert entry is not None
    return entry


def contents(entry: StoreEntry) -> dict[str, bytes]:
    present = {path.name for path in entry.folder.iterdir()}
    assert present == {str(file.number) for file in entry.files} | {"entry.json", entry.wheel.name}
    return {file.path: Path(entry.path_of(file)).read_bytes() for file in entry.files}
