"""What a dropped file is: the plan of a run on this computer, and everything that is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app import values
from tests.sentences import error_text
from wizard.app.pages.opened import what_is
from wizard.model.errors import UsageError


def events(root: Path, run: str) -> Path:
    if run == "gone":
        raise UsageError(error_text("no-such-run"), run=run)
    return root / run / "events.jsonl"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("run-2/plan.json", "run"),
        ("elsewhere/plan.json", "foreign-plan"),
        ("run-2/report.json", "other"),
        ("class.torchlab", "profile"),
        ("machine.json", "other"),
    ],
)
def test_what_a_file_is(path: str, kind: str, tmp_path: Path) -> None:
    runs = [values.run_info(name, "unfinished") for name in ("gone", "run-1", "run-2")]
    opened = what_is(tmp_path / path, runs, lambda run: events(tmp_path, run))
    assert opened.kind == kind
    assert (opened.run.id if opened.run else None) == ("run-2" if kind == "run" else None)


def test_a_linked_folder_is_the_same_folder(tmp_path: Path) -> None:
    (tmp_path / "real" / "run-1").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    runs = [values.run_info("run-1", "planned")]
    opened = what_is(tmp_path / "link" / "run-1" / "plan.json", runs, lambda run: events(tmp_path / "real", run))
    assert opened.kind == "run"
