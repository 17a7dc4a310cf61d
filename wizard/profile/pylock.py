"""An entry of a profile as the lock of a run: the same files in the same order, and a `pylock.toml` that says so."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.packages.lock import quoted
from wizard.packages.model import Lock, LockedFile
from wizard.profile.model import ProfileLock


def lock_of(entry: ProfileLock) -> Lock:
    """Exactly these files: nothing is resolved, added or left out."""
    return Lock(entry.files, "\n".join(_lines(entry)) + "\n")


def _lines(entry: ProfileLock) -> Iterator[str]:
    yield 'lock-version = "1.0"'
    yield 'created-by = "torch-setup"'
    yield f"requires-python = {quoted('>=' + entry.python)}"
    for file in entry.files:
        yield from _package(file)


def _package(file: LockedFile) -> Iterator[str]:
    size = f", size = {file.size}" if file.size is not None else ""
    yield from ("", "[[packages]]", f"name = {quoted(file.name)}", f"version = {quoted(file.version)}")
    yield (
        f"wheels = [{{ name = {quoted(file.filename)}, url = {quoted(file.urls[0])}{size}, "
        f"hashes = {{ sha256 = {quoted(file.sha256)} }} }}]"
    )
