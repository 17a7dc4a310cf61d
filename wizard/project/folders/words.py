"""Reads how a line names a folder of the project's own: by a variable of PDM, rye or hatch, or by its whole path.

All become paths from the project's folder, as pip takes them where it is started there. Nothing is looked up here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

# PDM's and rye's variable; hatch's fields (`{root:uri}`, of a folder above `{root:parent:uri}`).
_ROOT = re.compile(
    r"(?P<is_address>file:/{0,3})?(?:\$\{PROJECT_ROOT\}|\{root(?P<up>(?::parent)*)(?::real)?(?P<uri>:uri)?\})(?=[/#;\[\s\"']|$)"
)
_BEGINS = r"(?:^|(?<=[\s@=\"']))(?P<is_address>file:(?://(?:localhost)?)?)?"
_ENDS = r"(?=[/\\#;\[\s\"']|$)"


def without_variables(text: str) -> str:
    """Return a line with the project's folder as `.` where it has a tool's variable for that; an address stays one,
    for what is behind it is written as in addresses."""

    def placed(match: re.Match[str]) -> str:
        above = "/".join([".."] * (match["up"] or "").count(":parent"))
        return f"{'file:' if match['is_address'] or match['uri'] else ''}{above or '.'}"

    return _ROOT.sub(placed, text)


def seen_from(root: Path) -> Callable[[str], str]:
    """Return what gives a line with that folder as `.` where it has the whole path, or an address of it."""
    folders = [one for one in {root.absolute(), root.resolve()} if one != Path(one.anchor)]
    ways = {way for one in folders for way in (str(one), one.as_posix(), one.as_uri().removeprefix("file://"))}
    whole = re.compile(f"{_BEGINS}(?:{'|'.join(map(re.escape, sorted(ways)))}){_ENDS}") if ways else None
    return lambda text: whole.sub(lambda match: "file:." if match["is_address"] else ".", text) if whole else text
