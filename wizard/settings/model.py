"""A change to the user's own settings, as data: which file of which tool, which key, what it should say.

An `Edit` is a wish; nothing is written here. The lint proposes edits, `use` makes some of them, and all of
them go through one door (`apply`), which shows the difference, keeps the old bytes and can take it back.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path


class Tool(str, enum.Enum):
    PIP = "pip"
    UV = "uv"
    CONDA = "conda"


@dataclass(frozen=True, slots=True)
class Edit:
    """`key` in the tool's own words: "global.index-url" (pip), "index" or "pip.extra-index-url" (uv), "channels",
    "custom_channels.conda-forge" (conda). `value` None takes the key out; () is an empty list."""

    tool: Tool
    path: Path
    key: str
    value: str | tuple[str, ...] | None
