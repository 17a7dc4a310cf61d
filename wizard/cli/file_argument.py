"""`torch-wizard FILE` means `torch-wizard window FILE`: what a file manager, a drop on the icon or a hand gives.

Looks at the words only as far as it must, for the window's first picture waits for it: the grammar is `arguments.py`.
A command's name never holds a dot, so a file of such a name in the current folder takes no command's place.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

_SUFFIX = ".torchlab"
_LANGUAGE = "--lang"  # the one option before a command that has a word of its own


def with_command(argv: Sequence[str]) -> list[str]:
    """With `window` before a file that stands where a command is expected."""
    words = list(argv)
    at = 0
    while at < len(words) and words[at].startswith(_LANGUAGE):
        at += 1 if "=" in words[at] else 2
    if at < len(words) and _is_file(words[at]):
        words.insert(at, "window")
    return words


def _is_file(word: str) -> bool:
    """A class profile also when it is not there: the window says so, as of any other file that it cannot open."""
    if word.startswith("-"):
        return False
    return word.lower().endswith(_SUFFIX) or ("." in os.path.basename(word) and os.path.isfile(word))  # noqa: PTH113, PTH119
