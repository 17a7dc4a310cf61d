"""Packages: the lock (PEP 751) as values. The lock is the plan's truth: exact files, addresses, SHA-256."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from packaging.utils import canonicalize_name

from wizard.model.errors import ErrorText

LOCK_DAMAGED = ErrorText(
    "lock-damaged",
    "What a source hands out as {package} is not a package: it is damaged, or a sign-in page came in its place.",
    "Sign in to the network if it asks for that; otherwise take another source, on the page {page.source}[| or "
    "with --mirror race, --torch-index or --index].",
)
LOCK_REFUSED = ErrorText(
    "lock-refused",
    "{host} did not hand out {file} while the exact files were being chosen (HTTP {status}).",
    "Try again later or take another source, on the page {page.source}[| or with --mirror race, --torch-index or "
    "--index]. Nothing has been changed.",
)

BY_PROFILE, BY_TABLES = "profile", "tables"


@dataclass(frozen=True, slots=True)
class LockedFile:
    """One wheel. `urls` in the order to try (the source, then mirrors with the same hash). `size` in bytes.

    `sha256` is "" until the file is fetched where nobody promised one. `promised_by`: the host of the page that did,
    BY_PROFILE or BY_TABLES; "" for a hash that was only computed. `listed_by`: the address of the index or list of
    links that the resolver took it from, without a login; "" for its own default one.
    """

    name: str
    version: str
    filename: str
    urls: tuple[str, ...]
    sha256: str
    size: int | None = None
    promised_by: str = field(default="", compare=False)
    listed_by: str = field(default="", compare=False)

    @property
    def release(self) -> str:
        """What people know it by in a sentence: "torch 2.15.0+cu132"; the file's name is for the log."""
        return f"{self.name} {self.version}".strip()

    @property
    def key(self) -> str:
        """Stands for the file among others, and for its place in the store: the hash, else one of its address."""
        return (
            self.sha256.lower()
            or hashlib.sha256(f"{self.filename} {self.urls[0].rpartition('@')[2]}".encode()).hexdigest()
        )


@dataclass(frozen=True, slots=True)
class PackageVersion:
    """`name` as its source writes it; compared in its normal form."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Lock:
    """`provided`: what the files need and conda brings, so that no wheel of it may come."""

    files: tuple[LockedFile, ...]
    text: str  # the pylock.toml itself
    provided: tuple[PackageVersion, ...] = ()

    @property
    def total_bytes(self) -> int | None:
        """None when a size is unknown."""
        sizes = [file.size for file in self.files]
        return None if any(size is None for size in sizes) else sum(size or 0 for size in sizes)

    def find(self, name: str) -> LockedFile | None:
        """By its name in any form."""
        wanted = canonicalize_name(name)
        return next((file for file in self.files if canonicalize_name(file.name) == wanted), None)
