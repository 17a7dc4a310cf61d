"""What keeps the house as it is: small folders with a subject, no circle of imports, no long module."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.house import circles, class_names, floors, imported, modules, rooms

PROGRAM = Path(__file__).resolve().parents[1] / "wizard"
MODULES = [path for path in PROGRAM.rglob("*.py") if path.name != "__init__.py"]
Trees = dict[str, ast.Module]


@pytest.fixture(scope="module")
def trees() -> Trees:
    return modules(PROGRAM)


def test_a_folder_has_at_most_fifteen_modules() -> None:
    counted = Counter(path.parent.relative_to(PROGRAM).as_posix() for path in MODULES)
    assert {folder: count for folder, count in counted.items() if count > 15} == {}


@pytest.mark.skipif(not (PROGRAM.parent / ".git").exists() or shutil.which("git") is None, reason="no git here")
def test_git_leaves_no_module_out() -> None:
    """A rule in .gitignore that fits a folder of the program would keep it out of every clone."""
    command = ("git", "ls-files", "--others", "--ignored", "--exclude-standard", "wizard", "tests", "resources")
    done = subprocess.run(command, cwd=PROGRAM.parent, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(done.stderr.strip())  # a copy that belongs to somebody else
    assert [one for one in done.stdout.splitlines() if one.endswith((".py", ".toml", ".csv", ".po"))] == []


def test_no_host_of_a_package_registry_is_named() -> None:
    """The official index is chosen by leaving it out; the names are put together here for the same reason."""
    parts = (("pypi", "org"), ("files", "pythonhosted", "org"), ("deb", "debian", "org"), ("registry", "npmjs", "org"))
    hosts = [".".join(words).encode() for words in parts]
    root = PROGRAM.parent
    files = [path for path in root.iterdir() if path.is_file()]
    for folder in (PROGRAM, *(root / name for name in (".ci", "benchmarks", "docs", "matrices", "resources", "tests"))):
        files += [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert len(files) > 1_000
    assert [path.name for path in files if any(host in path.read_bytes() for host in hosts)] == []


def test_a_folder_says_what_it_is() -> None:
    folders = [path.parent for path in MODULES]
    said = {folder: ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) for folder in folders}
    assert [folder.name for folder, text in said.items() if not text] == []


def test_a_module_has_at_most_400_lines() -> None:
    long = {path.name: count for path in MODULES if (count := len(path.read_text("utf-8").splitlines())) > 400}
    assert long == {}


def test_no_circle_of_imports_and_few_floors(trees: Trees) -> None:
    """Those within functions and for types alone count too."""
    graph = {name: imported(name, tree, trees) for name, tree in trees.items()}
    assert [part for one in (graph, rooms(graph)) for part in circles(one) if len(part) > 1] == []
    assert floors(rooms(graph)) <= 10


def test_a_class_name_stands_for_one_thing(trees: Trees) -> None:
    assert {name: places for name, places in class_names(trees).items() if len(places) > 1} == {}


def test_a_module_above_300_lines_says_why() -> None:
    long = {path for path in MODULES if len(path.read_text("utf-8").splitlines()) > 300}
    said = {path: ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "" for path in long}
    assert [path.name for path, text in said.items() if "One file" not in text] == []


def test_a_folder_without_modules_is_said_in_one_sentence(tmp_path: Path) -> None:
    script = Path(__file__).parents[1] / "benchmarks" / "house.py"
    ended = subprocess.run([sys.executable, script, tmp_path / "none"], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith("No Python files in ")
    assert ended.stderr.count("\n") == 1
