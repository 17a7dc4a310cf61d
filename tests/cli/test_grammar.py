"""What the grammar takes beyond what its help shows, and what is said of a path that was typed in a roundabout way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from wizard.cli.main import main
from wizard.cli.root import parse, told_language
from wizard.cli.terminal import Terminal


@pytest.mark.parametrize(
    ("words", "language"),
    [
        (["--lang", "zh_CN", "runs"], "zh_CN"),
        (["runs", "--lang", "zh_CN"], "zh_CN"),
        (["envs", "--lang", "en", "list"], "en"),
        (["envs", "list", "--lang=zh_CN"], "zh_CN"),
        (["--lang", "en", "envs", "list", "--lang", "zh_CN"], "zh_CN"),
        (["profile", "make", "-o", "x", "--lang", "en", "--language", "zh_CN"], "en"),
        (["envs", "list"], None),
    ],
)
def test_the_language_may_stand_on_either_side_of_a_command(words: Sequence[str], language: str | None) -> None:
    parse(words, Terminal(None))  # which refuses what it does not take
    assert told_language(words) == language


def no_window(*anything: object) -> int:
    raise AssertionError


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "--prefix"),
        ("doctor", "--undo", "--prefix"),
        ("doctor", "--job", "slurm", "-o", "job.sh", "--prefix"),
        ("doctor", "--no-import", "--prefix"),
    ],
)
def test_a_prefix_is_told_as_it_is(
    words: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert main([*words, "../no such", "--lang", "en"], no_window) == 2
    said = capsys.readouterr().err
    assert str(tmp_path / "no such") in said
    assert ".." not in said


def test_a_place_that_cannot_be_is_refused_before_anything_is_looked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--lang", "en", "envs", "bootstrap", "--prefix", str(tmp_path / "a b"), "--yes"], no_window) == 2
    said = capsys.readouterr().err
    assert "space" in said
    assert "Looking for" not in said
