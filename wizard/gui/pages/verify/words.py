"""Words of Verify: what runs, what of a project is missing, what was changed, what is gone.

And of a failure the log's own words.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication

from wizard.app.pages.event_tail import logged_words
from wizard.app.pages.order import AppState
from wizard.app.pages.report import CheckView, ReportView
from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.figures import build_text
from wizard.model.messages import Message, message
from wizard.run.verify.project import ASK

_PARTS = "parts"  # the step that puts a project's own parts in
_SAID_OF = ("part", "project-import")  # checks
_NOT_IN = ("verify.project.part-failed", "verify.project.part-replaced")  # what is said of a part by its name


def what_runs(view: ReportView) -> str:
    """Return what of a project is missing, in a line of its own, then the card, where one is used, and the build."""
    said = view.headline.params if view.headline else {}
    card = str(said.get("device") or "") if view.gpu_ok else ""
    runs = "  •  ".join(filter(None, (card, build_text(view.torch))))
    return "\n".join(filter(None, (lack_words(view), runs)))


def is_lack(check: CheckView) -> bool:
    """Return whether it says that something is not there which a project, or who sets it up, asks for."""
    return check.name in ("declared", "part") and check.state == "warning"


def lack_words(view: ReportView) -> str:
    """Say that a part of a project is missing, or that not all is as it asks; '' where nothing lacks."""
    lacks = [check.message for check in view.checks if is_lack(check)]
    parts = {str(said.params.get("name")) for said in lacks if said.key in _NOT_IN}
    if len(parts) > 1:
        words = QCoreApplication.translate("VerifyPage", "%1 parts of your project are missing.")
        return words.replace("%1", str(len(parts)))
    if parts:
        return QCoreApplication.translate("VerifyPage", "One part of your project is missing.")
    return QCoreApplication.translate("VerifyPage", "Not all is as your project asks.") if lacks else ""


def names_log(view: ReportView) -> bool:
    """Return whether one of the checks sends to the log: no cause of what failed is known."""
    said = (value for check in view.checks for value in check.message.params.values())
    return any(isinstance(value, Message) and value.key == ASK.key for value in said)


def changed_words(state: AppState, has_kernel: bool, packages: int, translator: Translator) -> tuple[str, str]:
    """Return the names of the files of settings that were changed on the way (`has_kernel`: Jupyter's, too), and all
    that is to be said of them: what the tools themselves say now. `packages`: so many were put in for Jupyter."""
    files = [file.path for one in state.used if one.change for file in one.change.files]
    files += ["kernel.json (Jupyter)"] if has_kernel else []
    said = [translator.say(check.words) for one in state.used for check in one.checks]
    said += [translator.say(words) for one in state.used for words in one.after]
    if packages:
        came = QCoreApplication.translate("VerifyPage", "Packages added or changed for Jupyter: %1.")
        said.insert(0, came.replace("%1", str(packages)))
    words = QCoreApplication.translate("VerifyPage", "Changed settings files: %1. Undo takes it back.")
    lines = [words.replace("%1", translator.listed(files)), *said] if files else said
    return translator.listed(Path(one).name for one in files), "\n".join(lines)


def gone_words(prefix: str) -> Message:
    """Say that the environment is not there any more."""
    return message("flow.environment.gone", "{name} is no longer at {path}.", name=Path(prefix).name, path=prefix)


def log_words(report: Mapping[str, Any], events: Path) -> str:
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
