"""`torch-wizard envs export`: what is in an environment, as a file that another computer can make it from."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from wizard.cli.terminal import Terminal
from wizard.errors import ExitStatus, UsageError, WizardError
from wizard.i18n import Message, message
from wizard.session.environments import find_environment
from wizard.session.export import Export, export_of
from wizard.session.export_text import conda_text, environment_yml, export_document, pylock_text, requirements_text

_FORMATS: Mapping[str, Callable[[Export], str]] = {
    "requirements": requirements_text,
    "pylock": pylock_text,
    "conda": environment_yml,
    "conda-explicit": conda_text,
    "json": lambda export: json.dumps(export_document(export), ensure_ascii=False, indent=1) + "\n",
}


def export(arguments: argparse.Namespace, terminal: Terminal) -> int:
    found = export_of(find_environment(arguments.environment))
    text = _FORMATS[arguments.format](found)
    if arguments.output:
        path = Path(arguments.output).expanduser()
        _write(path, text)
        terminal.say(message("export.saved", count=_count(found, arguments.format), path=str(path)))
    else:
        terminal.line(text.rstrip("\n"))
    for words in _remarks(found, arguments.format):
        terminal.say(words)
    return ExitStatus.DONE


def _write(path: Path, text: str) -> None:
    """A new file: what is there is somebody's."""
    try:
        with path.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise UsageError("export-exists", path=str(path)) from error
    except OSError as error:
        raise WizardError("export-not-written", details=str(error), path=str(path)) from error


def _count(found: Export, form: str) -> int:
    if form == "conda-explicit":
        return len(found.conda)
    if form == "conda":
        return len(found.conda) + sum(not (each.owner or each.is_tool) for each in found.packages)
    if form == "pylock":
        return sum(each.file is not None for each in found.packages)
    return sum(not each.is_tool or form == "json" for each in found.packages)


def _remarks(found: Export, form: str) -> Iterator[Message]:
    """What another computer will not get from this file."""
    if form == "pylock":
        unknown = [each.name for each in found.packages if each.file is None and not each.is_tool]
        if unknown:
            yield message("export.left-out", names=", ".join(unknown))
    if form in ("requirements", "conda"):
        by_hand = [
            each.name for each in found.packages if each.by_hand and not each.by_hand.startswith(("http", "git+"))
        ]
        if by_hand:
            yield message("export.by-hand", names=", ".join(by_hand))
        if found.is_guessed:
            yield message("export.no-index")
