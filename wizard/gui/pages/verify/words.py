"""Words of Verify: what runs, what is gone, and of a failure the log's own words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wizard.app.pages.event_tail import logged_words
from wizard.app.pages.report import ReportView
from wizard.gui.widgets.figures import build_text
from wizard.model.messages import Message, message

_PARTS = "parts"  # the step that puts a project's own parts in
_SAID_OF = ("part", "project-import")  # checks


def what_runs(view: ReportView) -> str:
    """Return the card, where one is used, and the build."""
    said = view.headline.params if view.headline else {}
    card = str(said.get("device") or "") if view.gpu_ok else ""
    return "  •  ".join(filter(None, (card, build_text(view.torch))))


def gone_words(prefix: str) -> Message:
    """Say that the environment is not there any more."""
    return message("flow.environment.gone", "{name} is no longer at {path}.", name=Path(prefix).name, path=prefix)


def to_explain(report: Mapping[str, Any], events: Path) -> str:
    """Return the words of what could not be put in and of what could not be imported, as the run's log has them, else
    the report; '' where all could."""
    rows = [_mapping(row) for row in _mapping(report.get("verification")).get("checks") or ()]
    wrong = [row for row in rows if row.get("name") in _SAID_OF and row.get("state") == "warning"]
    said = [logged_words(events, _PARTS)] if any(row.get("name") == "part" for row in wrong) else []
    said += [str(_mapping(row.get("data")).get("said") or "") for row in wrong if row.get("name") != "part"]
    params = [_mapping(_mapping(row.get("message")).get("params")) for row in wrong]
    return "\n".join(filter(None, said)) or "\n".join(str(one["error"]) for one in params if one.get("error"))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
