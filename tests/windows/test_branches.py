"""Where the program asks on which system it runs: only in the few files that docs/windows.md lists, all of them in
wizard/system and wizard/system/windows, each with a test that walks through its Windows side.

By the sources' syntax, not by their text: `sys.platform`, `os.name` and the like, a comparison of a system's name, a
table looked up by `os_name()`, a look whether `os` has something. start.py is one file on purpose.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from wizard.system import traits

ROOT = Path(__file__).resolve().parents[2]
SYSTEMS = {"windows", "linux", "win32", "nt", "posix", "darwin", "cygwin", "Windows", "Linux", "Darwin"}
TOLD = {
    ("sys", "platform"),
    ("os", "name"),
    ("os", "uname"),
    ("platform", "system"),
    ("platform", "uname"),
    ("platform", "win32_ver"),
    ("sys", "getwindowsversion"),
}
NOT_EVERYWHERE = {"os", "signal", "socket", "select", "sys", "psutil"}
OF_A_FROZEN_PROGRAM = {"frozen", "_MEIPASS"}
# Without one of these words there is no question: most files need no second look.
WORTH_READING = re.compile(
    r"sys\.platform|os\.u?name|os_name|platform\.\w|from (?:sys|os|platform) import|[gs]etattr\(|hasattr\(|getwindows"
    r"|['\"](?:[wW]indows|[lL]inux|win32|nt|posix|[dD]arwin|cygwin)['\"]"
)
INTERFACE = re.compile(r"\bwindll\b|\bWinDLL\b|\bimport winreg\b|\bmsvcrt\b|\bwintypes\b")
ROW = re.compile(r"^\| `(?P<file>[^`]+\.py)` \| (?P<asks>[^|]+) \| (?P<test>[^|]+) \|$", re.MULTILINE)
MOST_FILES = 10


def questions(source: str) -> Iterator[int]:
    """Lines in which it is asked which system this is."""
    if not WORTH_READING.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        if any(asks(node) for kind, asks in KINDS if isinstance(node, kind)):
            yield getattr(node, "lineno", 0)


def _is_told(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and (node.value.id, node.attr) in TOLD


def _names_a_system(node: ast.AST) -> bool:
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return any(_names_a_system(each) for each in node.elts)
    return isinstance(node, ast.Constant) and node.value in SYSTEMS


def _compares(node: ast.Compare) -> bool:
    if isinstance(node.ops[0], (ast.In, ast.NotIn)) and isinstance(node.left, ast.Constant):
        return False  # whether a word is in a text
    sides = [node.left, *node.comparators]
    return any(_names_a_system(side) for side in sides)


def _looks_up(node: ast.Subscript) -> bool:
    """`TABLE[paths.os_name()]`: the tables are those of wizard/system."""
    return _asks_by_name(node.slice)


def _asks_by_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _last_name(node.func) == "os_name"


def _last_name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _calls(node: ast.Call) -> bool:
    """`TABLE.get(os_name())`, `hasattr(os, "geteuid")`, `getattr(os, "O_BINARY", 0)`."""
    if isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        return any(map(_asks_by_name, node.args))
    if _last_name(node.func) not in ("hasattr", "getattr") or _last_name(node.args[0]) not in NOT_EVERYWHERE:
        return False
    return not isinstance(node.args[1], ast.Constant) or node.args[1].value not in OF_A_FROZEN_PROGRAM


def _brings(node: ast.ImportFrom) -> bool:
    return any((node.module, each.name) in TOLD for each in node.names)


def _matches(node: ast.MatchValue) -> bool:
    return _names_a_system(node.value)


KINDS: tuple[tuple[type[ast.AST], Callable[[Any], bool]], ...] = (
    (ast.Attribute, _is_told),
    (ast.Compare, _compares),
    (ast.Subscript, _looks_up),
    (ast.Call, _calls),
    (ast.ImportFrom, _brings),
    (ast.MatchValue, _matches),
)


@pytest.mark.parametrize(
    "asked",
    [
        "if sys.platform == 'win32': pass",
        "x = os.name",
        "from platform import system",
        "a = os_name() == 'windows'",
        "if 'linux' != system: pass",
        "b = name in ('windows', 'nt')",
        "c = T[paths.os_name()]",
        "T.get(os_name())",
        "d = hasattr(os, 'geteuid')",
        "e = getattr(os, 'O_BINARY', 0)",
        "machine.os == 'linux'",
        "match system:\n case 'windows': pass",
        "def f(*, on=sys.platform.startswith('win')): pass",
    ],
)
def test_a_question_is_seen(asked: str) -> None:
    assert list(questions(asked))


@pytest.mark.parametrize(
    "told",
    [
        "of(machine.os).has_glibc",
        "of(os_name).scripts",
        "f(paths.os_name())",
        "ROWS = {'windows': 1}",
        "b = 'linux' in wheel",
        "getattr(sys, 'frozen', False)",
        "if this().has_proc: pass",
        "# sys.platform",
    ],
)
def test_a_fact_is_none(told: str) -> None:
    assert not list(questions(told))


@lru_cache(maxsize=1)
def asking() -> dict[str, list[int]]:
    found = {}
    for path in sorted((ROOT / "wizard").rglob("*.py")):
        if lines := list(questions(path.read_text(encoding="utf-8"))):
            found[path.relative_to(ROOT / "wizard").as_posix()] = lines
    return found


def rows() -> dict[str, str]:
    text = (ROOT / "docs" / "windows.md").read_text(encoding="utf-8")
    return {match["file"]: match["test"].strip() for match in ROW.finditer(text)}


def test_it_is_asked_at_the_bottom_only() -> None:
    above = {name for name in asking() if name.partition("/")[0] != "system"}
    assert above == set(), "say in wizard/system what differs, and ask for that"


def test_every_file_that_asks_is_listed() -> None:
    listed, found = set(rows()), set(asking())
    assert found - listed == set(), "add a row to docs/windows.md, with the test of the Windows side"
    assert listed - found == set(), "take the row out of docs/windows.md"
    assert len(found) <= MOST_FILES


def test_each_has_a_test_that_runs_its_windows_side_here() -> None:
    for file, named in rows().items():
        files = re.findall(r"`(tests/[^`]+)`", named)
        texts = [(ROOT / name).read_text(encoding="utf-8") for name in files]
        assert any(re.search(rf"\b{Path(file).stem}\b", text) for text in texts), file


def test_windows_own_interfaces_lie_in_one_folder() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "wizard").rglob("*.py")}
    found = {path.relative_to(ROOT / "wizard").as_posix() for path, text in sources.items() if INTERFACE.search(text)}
    assert {name for name in found if not name.startswith("system/windows/")} == set()


def test_each_trait_differs_and_is_asked_for() -> None:
    """A row of the table that says the same twice, or that nobody reads, is none."""
    names = [field.name for field in fields(traits.SystemTraits)]
    assert [name for name in names if getattr(traits.LINUX, name) == getattr(traits.WINDOWS, name)] == []
    program = [path for path in (ROOT / "wizard").rglob("*.py") if path.name != "traits.py"]
    text = "\n".join(path.read_text(encoding="utf-8") for path in program)
    read = set(re.findall(r"(?:this\(\)|\bof\([\w.]+\)|\bsystem|\brow)\.(\w+)", text))
    assert set(names) - read == set()
