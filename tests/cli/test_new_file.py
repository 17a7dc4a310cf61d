"""Files that a person asked for, on a disk that is full: none at all, or the one from before."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sentences import error_text
from tests.undo.noting import in_a_child
from wizard.cli.classroom.profile_make import _write
from wizard.cli.terminal import write_new
from wizard.model.errors import UsageError, WizardError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a limit of Linux stands for the full disk")
DATA = "x" * 400_000


def on_a_full_disk(deed: Callable[[], object]) -> str:
    def done() -> object:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        return deed()

    return in_a_child(done)


def test_a_new_file_is_whole_or_not_there(tmp_path: Path) -> None:
    assert on_a_full_disk(lambda: write_new(tmp_path / "new.sh", DATA, runs=True)) == "file-not-written"
    assert on_a_full_disk(lambda: _write(tmp_path / "new.torchlab", DATA.encode(), force=False)) == "export-not-written"
    assert list(tmp_path.iterdir()) == []
    write_new(tmp_path / "new.sh", DATA)
    with pytest.raises(UsageError):
        write_new(tmp_path / "new.sh", "other")
    assert (tmp_path / "new.sh").read_text() == DATA


def test_what_is_written_over_is_as_before(tmp_path: Path) -> None:
    path = tmp_path / "class.torchlab"
    path.write_text("the old one")
    assert on_a_full_disk(lambda: _write(path, DATA.encode(), force=True)) == "export-not-written"
    assert path.read_text() == "the old one"
    _write(path, DATA.encode(), force=True)
    assert path.read_text() == DATA
    assert list(tmp_path.iterdir()) == [path]


def test_a_setup_that_was_done_stays_done_when_it_cannot_be_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.classroom.profile.examples import profile
    from wizard.classroom.profile.write import profile_file
    from wizard.cli.classroom.machine import ClassRun, Consent
    from wizard.cli.terminal import Interrupt, Terminal
    from wizard.transfer.proxy.model import Network

    def refused(*anything: object, **more: object) -> object:
        raise WizardError(error_text("share-no-mdns"))

    path = tmp_path / "class.torchlab"
    path.write_bytes(profile_file(profile()).data)
    monkeypatch.setattr("wizard.classroom.server.share.serve_downloads", refused)
    told = argparse.Namespace(profile=str(path), pack=None, code=None, serve_after=5, label="")
    terminal, interrupt = Terminal("en"), Interrupt()
    consent = Consent(("files.example.org",), terminal, interrupt)
    ClassRun(told, Network(), terminal, consent, interrupt).serve_after(0, (), interrupt)
    assert "✗" in capsys.readouterr().err
