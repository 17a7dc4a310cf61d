"""A source's name and password go to the files that come from it: index pages and locks leave them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import SplitResult, urlsplit, urlunsplit

from wizard.mirrors.model import Source
from wizard.packages.model import Lock, LockedFile


def with_credentials(lock: Lock, sources: Sequence[Source]) -> Lock:
    """Only to the same scheme, host and port as the source's own, as pip does; never to another host."""
    known = {_place(parts): parts.netloc.rpartition("@")[0] for source in sources if (parts := _with_login(source))}
    return replace(lock, files=tuple(_signed(file, known) for file in lock.files)) if known else lock


def _with_login(source: Source) -> SplitResult | None:
    parts = urlsplit(source.url or "")
    return parts if "@" in parts.netloc else None


def _place(parts: SplitResult) -> tuple[str, str]:
    return parts.scheme.lower(), parts.netloc.rpartition("@")[2].lower()


def _signed(file: LockedFile, known: dict[tuple[str, str], str]) -> LockedFile:
    return replace(file, urls=tuple(_sign(url, known) for url in file.urls))


def _sign(url: str, known: dict[tuple[str, str], str]) -> str:
    parts = urlsplit(url)
    login = known.get(_place(parts))
    if login is None or "@" in parts.netloc:
        return url
    return urlunsplit(parts._replace(netloc=f"{login}@{parts.netloc}"))
