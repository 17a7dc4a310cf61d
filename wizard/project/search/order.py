"""What a project's files are by their names alone, and in which order they count.

What is in them is the readers' matter, which of them are read `reader`'s.
"""

from __future__ import annotations

import re

REQUIREMENTS = r"req[a-z]{0,3}r[a-z]{0,3}m[a-z]{0,3}ts?"  # however it is spelled: requirments, requirement
FOR_LISTS = re.compile(  # a folder that is made for such files
    r"requirement|environment|^conda$|^v?envs?$|^docker$|^setup$|^install(?:ation)?$|^pip$|^reqs?$|^deps$|^dependencies$",
    re.IGNORECASE,
)
ORDER = (  # in which they count, by their names
    r"^requirements\.txt$",
    rf"{REQUIREMENTS}\.txt$",
    REQUIREMENTS,
    r"\.ya?ml$",
    r"pixi\.toml$",
    r"pipfile$",
    r"pyproject\.toml$",
    r"hatch\.toml$",
    r"setup\.cfg$|settings\.ini$",
    r"setup\.py$",
    r"\.txt$",
    r"\.python-version$",
)
_SCRIPT = re.compile(r"[^/]*(?:install|setup|env|requirement)[^/]*\.(?:sh|bash)", re.IGNORECASE)
# A text for people, or what a shell or a host of images goes through line by line.
_IN_LINES = re.compile(
    r"(?:.*/)?(?:readme[^/]*|install[^/]*\.txt|[^/]*\.(?:md|rst|sh|bash|zsh|command|bat|cmd|ps1|def)"
    r"|[^/]*dockerfile[^/]*|makefile)",
    re.IGNORECASE,
)
_PLAIN_README = re.compile(r"readme(?:\.\w+)?")


def rank(name: str) -> tuple[int, str]:
    """Return the place of a file among those that count."""
    last = name.rsplit("/", 1)[-1].lower()
    return next((number for number, kind in enumerate(ORDER) if re.search(kind, last)), len(ORDER)), name


def folder_of(name: str) -> str:
    return name.rpartition("/")[0]


def told_rank(name: str) -> tuple[bool, bool, str, str]:
    """Return the place of a file that only tells: those of the root first, of them the README, and of READMEs the one
    that is no translation; in whatever letters."""
    words = name.casefold()
    return "/" in name, not _PLAIN_README.fullmatch(words), words, name


def is_plain_readme(name: str) -> bool:
    """Return whether it is a README and no translation of one."""
    return bool(_PLAIN_README.fullmatch(name.rpartition("/")[2].casefold()))


def is_in_lines(name: str) -> bool:
    """Return whether it is a text for people, a script or a recipe, whose lines are gone through one by one."""
    return bool(_IN_LINES.fullmatch(name))


def is_script_of_install(words: str) -> bool:
    """Return whether a script that a line starts is one that installs by its name, and is a file of the project's: not
    of the computer (`/opt/ros/setup.bash`), nor of a workspace that is built first (`install/setup.sh`)."""
    folder, _, last = words.rpartition("/")
    return not words.startswith("/") and folder not in ("devel", "install") and bool(_SCRIPT.fullmatch(last))


def is_lock(name: str) -> bool:
    last = name.rsplit("/", 1)[-1].lower()
    return last.endswith(".lock") or last.startswith(("pylock", "conda-lock."))
