"""`torch-wizard pick`: the verdict for this computer, or for one machine file or a whole lab of them.

A bad file among several is named and passed over, the others are answered, and the exit status is 2 in the end. The
sources are asked for this computer only: what a described machine would reach is not known here.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wizard.app.session import Session
from wizard.cli.grammar.arguments import choices_from
from wizard.cli.matrices import news_document, told, warn_of_overlay
from wizard.cli.network import network_from
from wizard.cli.tables import render
from wizard.cli.terminal import Terminal
from wizard.compatibility.explain import pick_document
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import canonical, check_choices
from wizard.machine.machine_file import read_machine_file
from wizard.machine.model import Machine
from wizard.model.errors import ExitStatus, UsageError, WizardError
from wizard.model.messages import Message, message
from wizard.run.model import Facts
from wizard.run.select.judged_builds import JudgedBuild


def pick(arguments: argparse.Namespace, terminal: Terminal) -> int:
    session, choices = Session(network_from(arguments)), canonical(choices_from(arguments))
    check_choices(choices, session.matrix)
    warn_of_overlay(terminal)
    if arguments.machine is None:
        return _pick_here(session, choices, arguments, terminal)
    files, is_named = _files(arguments.machine)
    if _names_sources(choices):
        terminal.say(message("matrices.sources-not-asked"))
    status = ExitStatus.DONE
    for file in files:
        try:
            _answer(read_machine_file(file), file.name if is_named else None, session, choices, arguments, terminal)
        except UsageError as error:
            if not is_named:
                raise
            terminal.error(error)
            status = ExitStatus.USAGE
    return status


def _answer(
    machine: Machine,
    name: str | None,
    session: Session,
    choices: Choices,
    arguments: argparse.Namespace,
    terminal: Terminal,
) -> None:
    verdict = session.judge(machine, choices)
    if arguments.json:
        terminal.document(pick_document(verdict, name, terminal.language))
        return
    if name:
        terminal.line(f"== {name}")
    terminal.line(render(verdict, terminal.language, machine if arguments.explain else None))


def _names_sources(choices: Choices) -> bool:
    return bool(choices.index or choices.torch_index or choices.find_links or choices.channel)


def _files(given: list[str]) -> tuple[list[Path], bool]:
    """The files in the order of the arguments, and whether answers must say which file they are for."""
    files = [file for name in given for file in _files_of(Path(name))]
    if not files:
        raise UsageError("no-machine-files", path=given[0])
    return files, len(files) > 1 or Path(given[0]).is_dir()


def _files_of(path: Path) -> list[Path]:
    return sorted(path.glob("*.json")) if path.is_dir() else [path]


def _pick_here(session: Session, choices: Choices, arguments: argparse.Namespace, terminal: Terminal) -> int:
    facts = session.probe()
    verdict = session.judge(facts.machine, choices)
    carried, news = (None, ()) if choices.offline else _live(session, facts, choices)
    if arguments.json:
        document = pick_document(verdict, None, terminal.language)
        terminal.document({**document, **_live_document(carried, news, choices, terminal)})
        return ExitStatus.DONE
    terminal.line(render(verdict, terminal.language, facts.machine if arguments.explain else None))
    if carried:
        terminal.line(terminal.words(carried))
    for line in _news_lines(news, terminal):
        terminal.line(line)
    return ExitStatus.DONE


def _live(session: Session, facts: Facts, choices: Choices) -> tuple[Message, tuple[JudgedBuild, ...]]:
    """What the sources that this computer reaches would give, and what they have beyond the tables."""
    try:
        election = session.elect(facts, choices)
    except WizardError as error:
        found = error.summary
        if error.code == "no-source-answers" or error.code.startswith("network-"):
            return found, ()
    else:
        build = f"torch {election.candidate.torch}+{election.candidate.variant}"
        found = message("cli.carried", build=build, python=election.python, source=election.torch_source.name)
    return found, session.news(facts, choices)


def _live_document(
    carried: Message | None, news: tuple[JudgedBuild, ...], choices: Choices, terminal: Terminal
) -> dict[str, Any]:
    if choices.offline or carried is None:
        return {}
    return {
        "carried": carried.to_json(terminal.language),
        "new": [
            {
                **news_document(one.build),
                "fits": one.fits,
                "reasons": [{"code": reason.code, "text": terminal.words(reason.message)} for reason in one.reasons],
            }
            for one in news
        ],
    }


def _news_lines(news: tuple[JudgedBuild, ...], terminal: Terminal) -> Iterator[str]:
    for one in news:
        yield f"{told(one.build, terminal)} {terminal.words(_fit(one, terminal))}"
    if any(one.fits for one in news):
        yield terminal.words(message("matrices.refresh"))


def _fit(one: JudgedBuild, terminal: Terminal) -> Message:
    if one.fits is None:
        return message("matrices.unjudged")
    if one.fits:
        return message("matrices.fits")
    return message("matrices.fits-not", why=terminal.words(one.reasons[0].message))
