"""The tools' settings as data: what is written where, and a change to it.

An `Option` is read, an `Edit` is wanted; nothing is written here. The lint proposes edits, `use` makes some of them,
and all of them go through `edit`, which shows the difference, keeps the old bytes and can take it back.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wizard.undo.model import OurKey, Value

ROLES = {
    "index-url": "index",
    "index": "index",
    "extra-index-url": "extra",
    "find-links": "links",
    "channels": "channel",
    "default_channels": "channel",
    "custom_channels": "channel",
    "channel_alias": "channel",
    "custom_multichannels": "channel",
    "mirrored_channels": "channel",
    "trusted-host": "trusted",
    "allow-insecure-host": "trusted",
}
TRUE_WORDS = ("1", "true", "yes", "on", "t", "y")  # of pip's and uv's variables


class Tool(str, enum.Enum):
    PIP = "pip"
    UV = "uv"
    CONDA = "conda"


@dataclass(frozen=True, slots=True)
class UserContext:
    """`os_name`: "windows" or "linux". `root` is the file system of the computer, "/" but in tests."""

    environ: Mapping[str, str]
    home: Path
    os_name: str
    root: Path = Path("/")


@dataclass(frozen=True, slots=True)
class Option:
    """One option of one file or one variable, as written. `path` None: a variable. `spelled` is the key of an `Edit`,
    or the variable's name; `key` the option's own name, whatever section it is in. `name`: of an entry in a map
    (custom_channels). `lines` go with `values`."""

    tool: Tool
    path: Path | None
    spelled: str
    key: str
    values: tuple[str, ...]
    lines: tuple[int, ...] = ()
    name: str | None = None
    is_list: bool = False
    role: str = ""  # index | extra | links | channel | trusted, and of uv's entries explicit
    raw: str = ""
    for_mamba: bool = False

    @property
    def place(self) -> str:
        return str(self.path) if self.path else self.spelled

    def line(self, position: int = 0) -> int | None:
        return self.lines[position] if position < len(self.lines) else None


def line_with(lines: list[str], value: str, start: int) -> int:
    """Return the number of the line that holds a value, from the option's own line on: a list may go on below it."""
    found = (number for number, line in enumerate(lines[start - 1 :], start=start) if value and value in line)
    return next(found, start)


@dataclass(frozen=True, slots=True)
class BrokenFile:
    """`kind`: syntax | encoding | mark | unreadable. pip reads nothing of the second and third; we do."""

    tool: Tool
    path: Path
    kind: str
    problem: str


@dataclass(frozen=True, slots=True)
class Edit:
    """`key` in the tool's own words; `value` None takes the key out, () is an empty list.

    pip: "global.index-url" (section, option). uv: "extra-index-url", "pip.index-url" (lists are tuples), and for the
    `[[index]]` entries: "index" is the address of the default one, "index[https://…]" the address of that one.
    conda: "channels" (a tuple), "channel_priority", "custom_channels.conda-forge".
    """

    tool: Tool
    path: Path
    key: str
    value: Value


@dataclass(frozen=True, slots=True)
class Diff:
    """One file as it would be. `text` is a unified difference for people, without secrets; the bytes are not."""

    tool: Tool
    path: Path
    text: str
    before: bytes | None  # None: there is no file yet
    after: bytes
    ours: tuple[OurKey, ...]
