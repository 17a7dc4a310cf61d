"""In which order a project's files count, by their names alone.

What is in them is the readers' matter, which of them are read `reader`'s.
"""

from __future__ import annotations

import re

REQUIREMENTS = r"req[a-z]{0,3}r[a-z]{0,3}m[a-z]{0,3}ts?"  # however it is spelled: requirments, requirement
ORDER = (  # in which they count, by their names
    r"^requirements\.txt$",
    rf"{REQUIREMENTS}\.txt$",
    REQUIREMENTS,
    r"\.ya?ml$",
    r"pixi\.toml$",
    r"pipfile$",
    r"pyproject\.toml$",
    r"setup\.cfg$|settings\.ini$",
    r"setup\.py$",
    r"\.txt$",
    r"\.python-version$",
)
_PLAIN_README = re.compile(r"readme(?:\.\w+)?")


def rank(name: str) -> tuple[int, str]:
    """Return the place of a file among those that count."""
    last = name.rsplit("/", 1)[-1].lower()
    return next((number for number, kind in enumerate(ORDER) if re.search(kind, last)), len(ORDER)), name


def told_rank(name: str) -> tuple[bool, bool, str, str]:
    """Return the place of a file that only tells: those of the root first, of them the README, and of READMEs the one
    that is no translation; in whatever letters."""
    words = name.casefold()
    return "/" in name, not _PLAIN_README.fullmatch(words), words, name


def is_plain_readme(name: str) -> bool:
    """Return whether it is a README and no translation of one."""
    return bool(_PLAIN_README.fullmatch(name.rpartition("/")[2].casefold()))
