"""Where the program asks on which system it is: only in files that docs/windows.md lists, each with what tests it.

And Windows' own interfaces only in wizard/windows. A new branch wants a row there, and a test of its Windows side.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BRANCH = re.compile(r"\bsys\.platform\b|\bos\.name\b")
INTERFACE = re.compile(r"\bwindll\b|\bWinDLL\b|\bimport winreg\b|\bmsvcrt\b|\bwintypes\b")
ROW = re.compile(r"^\| `(?P<file>[^`]+)` \| (?P<asks>[^|]+) \| (?P<test>[^|]+) \|$", re.MULTILINE)


def files_with(pattern: re.Pattern[str]) -> set[str]:
    sources = (path for path in (ROOT / "wizard").rglob("*.py") if pattern.search(path.read_text(encoding="utf-8")))
    return {path.relative_to(ROOT / "wizard").as_posix() for path in sources}


def rows() -> dict[str, str]:
    text = (ROOT / "docs" / "windows.md").read_text(encoding="utf-8")
    return {match["file"]: match["test"].strip() for match in ROW.finditer(text)}


def test_every_branch_is_listed() -> None:
    listed, found = set(rows()), files_with(BRANCH)
    assert found - listed == set(), "add a row to docs/windows.md, with the test of the Windows side"
    assert listed - found == set(), "take the row out of docs/windows.md"


def test_the_tests_that_are_named_are_there() -> None:
    for file, named in rows().items():
        for name in re.findall(r"`(tests/[^`]+)`", named):
            assert (ROOT / name).exists(), f"{file}: {name}"
        assert named.startswith(("`tests/", "hosted: ")), file


def test_windows_own_interfaces_lie_in_one_folder() -> None:
    assert {name for name in files_with(INTERFACE) if not name.startswith("windows/")} == set()
