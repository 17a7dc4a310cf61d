"""How other programs say that a disk is full: in the words of the system, which differ."""

from __future__ import annotations

_FULL = ("no space left", "os error 28", "not enough space", "os error 112", "disk quota")


def says_full(text: str) -> bool:
    said = text.lower()
    return any(words in said for words in _FULL)
