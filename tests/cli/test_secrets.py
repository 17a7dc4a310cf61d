"""What is said of a failure holds sentences that hold others: a password in the innermost is hidden, too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sentences import error_text
from wizard.cli.command import Arguments
from wizard.cli.reporter import telling_refusal
from wizard.cli.terminal import Terminal
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, message
from wizard.run.emitter import Emitter
from wizard.run.run_folder import RunFolder

INNER = message(
    "source.said", name="me", words=message("error.state-not-writable.summary", path="https://me:secret@lab.example")
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_a_refusal(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal(language)
    error = WizardError(
        error_text("no-source-answers"), details="https://me:secret@lab.example", reasons=(INNER, INNER)
    )
    with pytest.raises(WizardError), telling_refusal(Arguments(events=True), terminal):
        raise error
    terminal.error(error)
    said = capsys.readouterr()
    assert json.loads(said.out)["error"]["code"] == "no-source-answers"
    for text in (said.out, said.err):
        assert "***@lab.example" in text
        assert "secret" not in text


def test_of_a_run(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    emitter = Emitter(folder)
    emitter.notice(INNER)
    emitter.log("fetch", INNER)
    emitter.close()
    for path in (folder.events, folder.log):
        text = path.read_text(encoding="utf-8")
        assert "***@lab.example" in text
        assert "secret" not in text
