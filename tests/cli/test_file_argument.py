"""A file in place of a command opens the window with it; a command stays a command."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import wizard.__main__ as program
from wizard.cli.window import with_command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "课程 1"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in ("plan.json", "setup", "第一课.torchlab"):
        (folder / name).write_text("{}")
    return folder


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["第一课.torchlab"], ["window", "第一课.torchlab"]),
        (["GONE.TORCHLAB"], ["window", "GONE.TORCHLAB"]),
        (["plan.json"], ["window", "plan.json"]),
        (["--lang", "zh_CN", "plan.json"], ["--lang", "zh_CN", "window", "plan.json"]),
        (["--lang=en", "a.torchlab"], ["--lang=en", "window", "a.torchlab"]),
    ],
)
def test_a_file_opens_the_window(folder: Path, words: list[str], meant: list[str]) -> None:
    assert with_command(words) == meant
    assert with_command([str(folder / words[-1])]) == ["window", str(folder / words[-1])]


def test_so_does_a_folder_that_is_given_by_a_path(folder: Path) -> None:
    (folder / "repo").mkdir()
    for given in (".", "..", "./repo", str(folder / "repo")):
        assert with_command([given]) == ["window", given]
    assert with_command(["repo"]) == ["repo"], "a name alone could be a command's"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["setup"],
        ["setup", "--profile", "a.torchlab"],
        ["window", "a.torchlab"],
        ["--version"],
        ["no.such.file"],
        ["-I", "-B", "-c", "plan.json"],
        ["run", "plan.json"],
        ["--lang"],
        ["--lang", "en"],
        ["no/such/folder"],
        ["-x.torchlab"],
    ],
)
def test_everything_else_stays_as_it_is(folder: Path, words: list[str]) -> None:
    assert with_command(words) == words


def test_the_program_starts_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Down to the call that opens the window."""
    opened: list[str | None] = []

    def open_window(session: object, file: str | None, self_test: bool, **more: object) -> int:
        opened.append(file)
        return 0

    monkeypatch.setattr(program, "open_window", open_window)
    monkeypatch.setattr(program, "_first_picture", lambda argv: None, raising=False)  # no second window
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setattr(sys, "argv", ["torch-wizard", "第一课.torchlab"])
    assert program.main() == 0
    assert opened == ["第一课.torchlab"]
