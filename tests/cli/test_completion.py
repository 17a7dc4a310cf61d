"""What a shell completes: asked of real shells, whose start files evaluate `torch-wizard completion SHELL`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools import path_of
from wizard.cli.main import main
from wizard.cli.root import SHELLS

ROOT = Path(__file__).resolve().parents[2]
ASKING = {
    "bash": """
        eval "$(torch-wizard completion bash)"
        COMP_WORDS=({words} "{start}"); COMP_CWORD={at}; COMP_LINE="{line}"; COMP_POINT=${{#COMP_LINE}}
        _torch_wizard_completion torch-wizard; printf '%s\\n' "${{COMPREPLY[@]}}"
    """,
    "zsh": """
        autoload -Uz compinit; compinit -D -u
        eval "$(torch-wizard completion zsh)"
        (( $+functions[_torch_wizard_completion] )) || exit 3
        compadd() {{ print -l -- "${{(P)5[@]}}" }}
        _describe() {{ print -l -- "${{(@)${{(P)3}}%%:*}}" }}
        words=({words} "{start}"); CURRENT=$(({at} + 1))
        _torch_wizard_completion
    """,
    "fish": """
        torch-wizard completion fish | source
        complete --do-complete "{line}" | string split -f1 \\t
    """,
}


def no_window(*anything: object) -> int:
    raise AssertionError


def completed(shell: str, line: str, folder: Path) -> list[str]:
    """Return what this shell would put in place of the line's last word."""
    program = path_of(shell)
    own = folder / "bin"
    own.mkdir()
    (own / "torch-wizard").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m wizard "$@"\n', encoding="utf-8")
    (own / "torch-wizard").chmod(0o755)
    environment = {**os.environ, "PATH": f"{own}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "HOME": str(folder)}
    *words, start = line.split(" ")
    script = ASKING[shell].format(words=" ".join(words), start=start, line=line, at=len(words))
    alone = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    done = subprocess.run(
        [program, *alone, "-c", script], capture_output=True, text=True, env=environment, cwd=folder, timeout=120
    )
    assert done.returncode in (0, 1), done.stderr
    assert done.stderr == ""
    return sorted(word.strip() for word in done.stdout.splitlines() if word.strip())


@pytest.mark.parametrize("shell", list(ASKING))
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("torch-wizard ver", ["verify"]),
        ("torch-wizard envs e", ["export"]),
        ("torch-wizard setup --na", ["--name"]),
        ("torch-wizard setup --engine c", ["conda"]),
        ("torch-wizard --lang zh_CN completion f", ["fish"]),
    ],
)
def test_a_shell_completes(shell: str, line: str, words: list[str], tmp_path: Path) -> None:
    assert completed(shell, line, tmp_path) == words


def test_files_are_left_to_the_shell(tmp_path: Path) -> None:
    """bash and zsh do that at a prompt only."""
    (tmp_path / "error.txt").touch()
    assert completed("fish", "torch-wizard explain err", tmp_path) == ["error.txt"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_powershell_is_answered_in_lines_of_three(
    language: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is no PowerShell to ask here; this is what click's script for it reads."""
    monkeypatch.setenv("TORCH_WIZARD_LANG", language)
    monkeypatch.setenv("_TORCH_WIZARD_COMPLETE", "powershell_complete")
    monkeypatch.setenv("COMP_WORDS", "torch-wizard ver")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert main([], no_window) == 0
    words = {"en": "smoke test of any environment", "zh_CN": "快速测试任意一个环境"}
    assert capsys.readouterr().out.splitlines() == ["plain", "verify", words[language]]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_all_that_is_said(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell], no_window) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "_TORCH_WIZARD_COMPLETE" in said.out
    assert f"{shell}_complete" in said.out
