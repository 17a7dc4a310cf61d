"""What is said of an environment, in the table of all, in the row of one and beside it. Asks nobody."""

from __future__ import annotations

import datetime
import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from wizard.gui.widgets.figures import variant_text
from wizard.system.traits import this

if TYPE_CHECKING:
    from wizard.environment.model import Environment

_STATES = {"ok": "ok", "broken": "problem", "unfinished": "warning", "deleting": "note"}
_NEAR_DAYS = 30
_NOBODYS = ("system", "base")  # kinds of which no packages are changed


def engine_name(kind: str) -> str:
    """Return who made an environment in the language of the window."""
    names = {
        "rattler": QCoreApplication.translate("EngineName", "built-in"),
        "conda": QCoreApplication.translate("EngineName", "conda"),
        "venv": QCoreApplication.translate("EngineName", "venv"),
        "base": QCoreApplication.translate("EngineName", "conda itself"),
        "system": QCoreApplication.translate("EngineName", "system"),
    }
    return names.get(kind, kind)


def environment_state(state: str) -> tuple[str, str]:
    """The pill's state and word."""
    words = {
        "ok": QCoreApplication.translate("EnvironmentState", "OK"),
        "broken": QCoreApplication.translate("EnvironmentState", "Broken"),
        "unfinished": QCoreApplication.translate("EnvironmentState", "Unfinished"),
        "deleting": QCoreApplication.translate("EnvironmentState", "Being deleted"),
    }
    return _STATES.get(state, "note"), words.get(state, state)


def from_home(folder: Path) -> str:
    """Return a folder as shells of Linux and macOS write it: ~ for the person's own."""
    own = Path.home()
    return f"~/{folder.relative_to(own)}" if not this().dos_paths and own in folder.parents else str(folder)


def torch_words(one: Environment) -> str:
    if one.torch is None:
        return "–"
    return f"{one.torch}+{one.variant}" if one.variant and "+" not in one.torch else one.torch


def day_text(moment: float | None) -> str:
    """Return a day as a date, and those of the last month as words."""
    if moment is None:
        return "–"
    then, today = (datetime.date.fromtimestamp(at) for at in (moment, time.time()))
    near = {
        0: QCoreApplication.translate("EnvironmentDay", "today"),
        1: QCoreApplication.translate("EnvironmentDay", "yesterday"),
    }
    days = (today - then).days
    if 1 < days <= _NEAR_DAYS:
        return QCoreApplication.translate("EnvironmentDay", "%1 days ago").replace("%1", str(days))
    return near.get(days, then.isoformat())


def built_words(one: Environment) -> str:
    """Return its torch as people say it: 2.14.1 CUDA 12.6."""
    return (
        f"{one.torch.partition('+')[0]} {variant_text(one.variant)}" if one.torch and one.variant else torch_words(one)
    )


def takes_packages(one: Environment) -> bool:
    return one.state.value == "ok" and bool(one.torch) and one.kind.value not in _NOBODYS


def cannot_take(one: Environment, package: str) -> str:
    """Say why no package can be added to it, in the language of the window; '' where one can."""
    if takes_packages(one):
        return ""
    reasons = {
        "system": QCoreApplication.translate("CannotTake", "This Python is the system's: %1 is not added to it."),
        "base": QCoreApplication.translate("CannotTake", "This is conda itself: %1 is not added to it."),
        "broken": QCoreApplication.translate("CannotTake", "It is broken: %1 can be added once it is repaired."),
        "unfinished": QCoreApplication.translate("CannotTake", "Its setup is unfinished: %1 can be added after that."),
        "deleting": QCoreApplication.translate("CannotTake", "It is being deleted: %1 cannot be added."),
    }
    no_torch = QCoreApplication.translate("CannotTake", "It has no PyTorch: %1 is added only to one that has.")
    return reasons.get(one.kind.value, reasons.get(one.state.value, no_torch)).replace("%1", package)
