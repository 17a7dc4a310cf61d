"""A change to the user's own settings, as data: which file of which tool, which key, what it should say.

An `Edit` is a wish; nothing is written here. The lint proposes edits, `use` makes some of them, and all of
them go through one door (`apply`), which shows the difference, keeps the old bytes and can take it back.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path

from wizard.undo.model import OurKey, Value


class Tool(str, enum.Enum):
    PIP = "pip"
    UV = "uv"
    CONDA = "conda"


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
