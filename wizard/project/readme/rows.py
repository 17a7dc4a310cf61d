"""The packages that lines below each other name with a version: of a list, a table or a block of a README.

They are told, and count where nothing declares them. What is a requirement as pip writes it, `formats` knows.
"""

from __future__ import annotations

import re
from dataclasses import replace

from wizard.project.formats.requirements import FENCE, requirement
from wizard.project.model import RECOMMENDED, FileLine, Findings, Statement

# A line of a list, a table or a block that is a package and its version, and what such lines name that is no package.
_NAMED_ROW = re.compile(
    r" ?(?P<mark>--?|[+•>]|\d+[.)])? ?(?P<name>[a-z][\w.-]*)(?:\[[\w, -]*\])?(?: ?(?P<sign>[=~><!]=|[=:：≥]) ?| )"
    r"v?(?P<version>\d+(?:\.[\d*]+)+(?:\+\w+)?) ?,?(?: ?[#(（].*)?",
    re.IGNORECASE,
)
_GEOMETRIC = re.compile(r"\b(?:pyg|pytorch[ _-]geometric)\b", re.IGNORECASE)
NO_PACKAGE = re.compile(
    r"python|(?:py)?torch|cuda\S*|cudnn|nvidia\S*|driver|version|ubuntu|debian|centos|windows|linux|macos|gcc|g\+\+|cmake"
    r"|(?:ana|mini)?conda\d?|docker|node(?:\.?js)?|java|jdk|git|rust|go",
    re.IGNORECASE,
)


class NamedRows:
    """The packages that lines below each other name with a version. One that is no pin as pip writes it counts beside
    torch or Python alone: else the numbers may be anything."""

    def __init__(self, found: Findings) -> None:
        self.found = found
        self.waiting: list[Statement] = []
        self.has_torch = False

    def add(self, line: str, where: FileLine, is_code: bool) -> None:
        """Note what the line names; an empty one, and a fence, end what belongs together."""
        is_table = line.lstrip().startswith("|")
        if FENCE.match(line) or not (line.strip() or is_code):
            self.waiting, self.has_torch = [], False
        words = " ".join(line.strip().strip("|").split("|")[:2]) if is_table else line
        words = _GEOMETRIC.sub("torch-geometric", re.sub(r"^\s*\*\s", "- ", words))
        match = _NAMED_ROW.fullmatch(re.sub(r"[`*|\s]+", " ", words).rstrip())
        if not match:
            return
        sign = {"": "==", "=": "==", ":": "==", "：": "==", "≥": ">="}.get(match["sign"] or "", match["sign"])
        if NO_PACKAGE.fullmatch(match["name"]):
            named = f"{match['name']} {match['version']}"
            self.has_torch |= bool(re.match(r"(?:py)?torch [12]\.|python 3\.", named, re.IGNORECASE))
        elif one := requirement(f"{match['name']}{sign}{match['version']}", where):
            is_pin = match["sign"] == "==" and not is_table
            if is_pin or is_code or is_table or match["mark"]:
                (self.found.told if is_pin else self.waiting).append(replace(one, strength=RECOMMENDED))
        if self.has_torch:
            self.found.told += self.waiting
            self.waiting = []
