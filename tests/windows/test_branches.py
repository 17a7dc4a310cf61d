"""Where the program asks on which system it is: only in files that docs/windows.md lists, each with what tests it.

Two tables: questions that another answer can be given to here (`paths.os_name`), each with a test that does so, and
those of `sys.platform`, where a type checker must see which system's calls follow. And Windows' own interfaces only in
wizard/windows. A new branch wants a row there, and a test of its Windows side.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BRANCH = re.compile(r"\bsys\.platform\b|\bos\.name\b")
QUESTION = re.compile(r"\bos_name\(\) (?:==|!=)|\[paths\.os_name\(\)\]")
INTERFACE = re.compile(r"\bwindll\b|\bWinDLL\b|\bimport winreg\b|\bmsvcrt\b|\bwintypes\b")
ROW = re.compile(r"^\| `(?P<file>[^`]+)` \| (?P<asks>[^|]+) \| (?P<test>[^|]+) \|$", re.MULTILINE)


def files_with(pattern: re.Pattern[str]) -> set[str]:
    sources = (path for path in (ROOT / "wizard").rglob("*.py") if pattern.search(path.read_text(encoding="utf-8")))
    return {path.relative_to(ROOT / "wizard").as_posix() for path in sources}


def rows(heading: str) -> dict[str, str]:
    """Of the one table below that heading."""
    text = (ROOT / "docs" / "windows.md").read_text(encoding="utf-8")
    part = text.partition(f"\n### {heading}\n")[2].partition("\n### ")[0]
    return {match["file"]: match["test"].strip() for match in ROW.finditer(part)}


TABLES = {"By `paths.os_name`": QUESTION, "By `sys.platform`": BRANCH}


@pytest.mark.parametrize("heading", TABLES)
def test_every_branch_is_listed(heading: str) -> None:
    listed, found = set(rows(heading)), files_with(TABLES[heading])
    assert found - listed == set(), "add a row to docs/windows.md, with the test of the Windows side"
    assert listed - found == set(), "take the row out of docs/windows.md"


def test_the_question_that_can_be_answered_otherwise_is_answered_otherwise() -> None:
    """By a test that runs here, and that speaks of that module."""
    for file, named in rows("By `paths.os_name`").items():
        files = re.findall(r"`(tests/[^`]+)`", named)
        texts = [(ROOT / name).read_text(encoding="utf-8") for name in files]
        assert any(re.search(rf"\b{Path(file).stem}\b", text) for text in texts), file


def test_the_tests_that_are_named_are_there() -> None:
    for file, named in {**rows("By `paths.os_name`"), **rows("By `sys.platform`")}.items():
        for name in re.findall(r"`(tests/[^`]+)`", named):
            assert (ROOT / name).exists(), f"{file}: {name}"
        assert named.startswith(("`tests/", "hosted: ")), file


def test_windows_own_interfaces_lie_in_one_folder() -> None:
    assert {name for name in files_with(INTERFACE) if not name.startswith("windows/")} == set()
