"""Shipped tables are read by the parsers that `matrices check` uses: a wrong row is named by line and field."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wizard.app.use.tables import PARSERS, check
from wizard.compatibility.data.schema import TABLES
from wizard.system.paths import matrices_dir


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(matrices_dir(), tmp_path / "matrices"))


def changed(path: Path, old: str, new: str) -> int:
    """The line of the first `old`, which becomes `new`."""
    words = path.read_text(encoding="utf-8")
    assert old in words
    path.write_text(words.replace(old, new, 1), encoding="utf-8")
    return words[: words.index(old)].count("\n") + 1


def test_there_is_a_parser_for_each() -> None:
    known = {f"{name}.toml" for name in PARSERS} | {f"{table.name}.csv" for table in TABLES}
    assert {path.name for path in matrices_dir().glob("*.*") if path.suffix != ".md"} == known
    assert check(matrices_dir()) == ()


@pytest.mark.parametrize(
    ("table", "old", "new", "field"),
    [
        ("mirrors", 'url = "https://mirrors.tuna', 'url = "http://mirrors.tuna', "url"),
        ("mirrors", 'layout = "flat"', 'layout = "nonsense"', "layout"),
        ("mirrors", 'kind = "conda-forge"', 'kind = "conda"', "kind"),
        ("mirrors", 'status = "alive"', 'status = "gone"', "status"),
        ("mirrors", 'as_of = "2026-11"', "as_of = 2026", "as_of"),
        ("cluster_places", "keeps = true", 'keeps = "yes"', "keeps"),
        ("conda_errors", "says = '''following", "says = '''(following", "says"),
        ("driver_guide", "branches = [470", 'branches = ["470"', "branches"),
        ("errors", "    'Torch not compiled", "    7, '(?<!a)Torch not compiled", "patterns"),
        ("lint", 'status = "gone"', 'status = "away"', "status"),
        ("miniforge", 'exists = "no"', 'exists = "never"', "exists"),
        ("other_makers", 'target = "gfx900"', 'target = "sm_90"', "target"),
        ("policy", 'default = "3.12"', "default = 3.12", "default"),
        ("race", "seconds = 3.0", 'seconds = "3"', "seconds"),
        ("same_files", 'confidence = "low"', 'confidence = "none"', "confidence"),
        ("settings_files", 'scope = "machine"', 'scope = "global"', "scope"),
    ],
)
def test_a_wrong_row_is_named(folder: Path, table: str, old: str, new: str, field: str) -> None:
    line = changed(folder / f"{table}.toml", old, new)
    problems = check(folder)
    assert len(problems) == 1, problems
    place, _, words = problems[0].partition(": ")
    name, told, path = place.split(".", 2)
    assert (name, words.strip() != "") == (table, True)
    assert path.endswith(field) or path.startswith(field), place
    assert abs(int(told) - line) <= 1, "the first line of a list is that of its field"


@pytest.mark.parametrize(
    ("added", "named"),
    [("\nstray_field = 1\n", "stray_field"), ("\n[[stray_table]]\na = 1\n", "stray_table"), ('\nopen = "\n', "")],
)
def test_what_is_unknown_or_no_toml_is_named_in_each(folder: Path, added: str, named: str) -> None:
    """All at once: each check reads every table."""
    whole = {name: (folder / f"{name}.toml").read_text(encoding="utf-8") for name in PARSERS}
    for name, words in whole.items():
        (folder / f"{name}.toml").write_text(words + added, encoding="utf-8")
    problems = check(folder)
    for name, words in whole.items():
        of = [one for one in problems if one.startswith(f"{name}.")]
        assert any(named in one for one in of), (name, of)
        assert named or of[0].startswith(f"{name}.{words.count(chr(10)) + 2}: "), of


def test_what_is_missing_or_no_text_is_named_in_each(folder: Path) -> None:
    for name in PARSERS:
        (folder / f"{name}.toml").write_bytes(b"\xff")
    assert [one.partition(": ")[0] for one in check(folder)] == [*PARSERS]
    for name in PARSERS:
        (folder / f"{name}.toml").unlink()
    assert check(folder) == tuple(f"{name}: the file is missing" for name in PARSERS)


@pytest.mark.parametrize(
    ("table", "old", "new", "command", "named"),
    [
        ("mirrors.toml", 'layout = "flat"', 'layout = "nonsense"', ["mirrors", "list"], "layout"),
        ("policy.toml", "[python]", "[snake]", ["pick", "--offline"], "snake"),
        ("releases.csv", "torch,", "torches,", ["pick", "--offline"], "columns"),
    ],
)
def test_a_broken_table_is_told_and_not_thrown(
    folder: Path, tmp_path: Path, table: str, old: str, new: str, command: list[str], named: str
) -> None:
    changed(folder / table, old, new)
    around = {**os.environ, "TORCH_WIZARD_MATRICES": str(folder), "TORCH_WIZARD_HOME": str(tmp_path / "home")}
    line = [sys.executable, "-m", "wizard", "--lang", "en", *command]
    done = subprocess.run(line, env=around, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert named in done.stderr
    assert "matrices check" in done.stderr
