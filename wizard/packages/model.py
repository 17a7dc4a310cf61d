"""Packages: the lock (PEP 751) as values. The lock is the plan's truth: exact files, addresses, SHA-256."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LockedFile:
    """One wheel. `urls` in the order to try (the source, then mirrors with the same hash). `size` in bytes."""

    name: str
    version: str
    filename: str
    urls: tuple[str, ...]
    sha256: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Lock:
    files: tuple[LockedFile, ...]
    text: str  # the pylock.toml itself

    @property
    def total_bytes(self) -> int | None:
        """None when a size is unknown."""
        sizes = [file.size for file in self.files]
        return None if any(size is None for size in sizes) else sum(size or 0 for size in sizes)

    def find(self, name: str) -> LockedFile | None:
        return next((file for file in self.files if file.name == name), None)
