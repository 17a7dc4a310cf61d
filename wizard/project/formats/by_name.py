"""Hands a file of a project to the reader of its format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from wizard.model.messages import message
from wizard.project.formats.commands import read_commands
from wizard.project.formats.conda import read_cog, read_conda_lock, read_environment, read_explicit, read_pixi
from wizard.project.formats.locks import read_lock
from wizard.project.formats.requirements import read_requirements
from wizard.project.formats.setup_files import read_python_version, read_settings, read_setup_cfg, read_setup_py
from wizard.project.formats.toml_files import read_pipfile, read_pyproject
from wizard.project.formats.tool_tables import read_hatch, read_tool_tables
from wizard.project.formats.words import pythons_in_comments
from wizard.project.model import Findings
from wizard.project.search.order import is_lock

_EXPLICIT = re.compile(r"^@EXPLICIT\s*$", re.MULTILINE)  # conda's list of addresses
# One line of a cell that a shell runs, as a notebook keeps it.
_CELL_LINE = re.compile(r'\s*("(?:!|%(?:pip|conda|mamba)\b)(?:[^"\\]|\\.)*"),?\s*')
_RUNTIME = re.compile(r"\s*(?:python-)?3\.\d+(?:\.\d+)?\s*")  # of hosts that make an environment by it
_LIST = re.compile(r"requirements?(?:\.(?:py|text|list|pip))?")  # with no ending, or a wrong one
CONSTRAINTS = re.compile(r"constraints?[^/]*\.txt$", re.IGNORECASE)


def hand_over(name: str, text: str, found: Findings) -> None:
    """Read a file of a project by its name; what none of the formats has is read for its commands."""
    last = name.rsplit("/", 1)[-1].lower()
    if readers := _BY_NAME.get(last):
        for read in readers:
            read(name, text, found)
    elif last == "pixi.lock" or last.startswith("conda-lock.") or (is_lock(name) and _EXPLICIT.search(text)):
        read_conda_lock(name, text, found)
    elif is_lock(name):
        read_lock(name, text, found)
    elif last.endswith((".yml", ".yaml")):
        read_environment(name, text, found)
    elif last == "runtime.txt" and _RUNTIME.fullmatch(text):
        read_python_version(name, text, found)
    elif _LIST.fullmatch(last) or (last.endswith((".txt", ".in")) and not last.startswith(("readme", "install"))):
        _read_list(name, text, found)
    elif last.endswith(".ipynb"):
        read_commands(name, _shell_lines(text), found)
    else:
        read_commands(name, text, found)


def _shell_lines(text: str) -> str:
    """Return what a notebook has run by a shell, each line in its own place of the file."""
    lines = map(_CELL_LINE.fullmatch, text.split("\n"))
    return "\n".join(unquoted(match[1]).lstrip("!%").strip() if match else "" for match in lines)


def unquoted(words: str) -> str:
    """Return a line of a cell as it was typed; "" for what is none."""
    try:
        return str(json.loads(words))
    except ValueError:
        return ""


def _read_list(name: str, text: str, found: Findings) -> None:
    """A requirements file, or one of conda's two lists."""
    platform = re.search(r"^# platform: (linux|win|osx)-", text[:4000], re.MULTILINE)
    if platform:
        found.remarks.append(message("project.remark.platform-list", file=name, platform=platform[1]))
    if _EXPLICIT.search(text):
        read_explicit(name, text, found)
    else:
        # Constraints that nothing includes install nothing either.
        read_requirements(name, text, found, group="constraint" if CONSTRAINTS.search(name) else "")
        pythons_in_comments(name, text, found)


_BY_NAME: dict[str, tuple[Callable[[str, str, Findings], None], ...]] = {
    "pyproject.toml": (read_pyproject, read_tool_tables, read_pixi),
    "hatch.toml": (read_hatch,),
    "pipfile": (read_pipfile,),
    "pixi.toml": (read_pixi,),
    "setup.cfg": (read_setup_cfg,),
    "setup.py": (read_setup_py,),
    "settings.ini": (read_settings,),
    "cog.yaml": (read_cog,),
    "cog.yml": (read_cog,),
    ".python-version": (read_python_version,),
}
