"""`torch-wizard mirrors test`: what is true of every source today, for the wanted build, to the client that installs.

Exit status 0 when each kind that is needed has a complete source, else 1.
"""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from wizard.cli.interrupt import Interrupt
from wizard.cli.mirrors_table import SCHEMA, choices_of, kinds_of, name_of, source_document
from wizard.cli.network_wish import network_from
from wizard.cli.pick_table import align
from wizard.cli.terminal import Terminal
from wizard.errors import ExitStatus
from wizard.i18n import message
from wizard.mirrors.race_policy import region
from wizard.plan.asked import canonical, check_choices
from wizard.session.race import Placed, Race
from wizard.session.session import Session
from wizard.session.sources import NEEDED, ask_sources, lacking, wish_of

_HEAD = ("name", "verdict", "host", "rate", "age")


def test(arguments: argparse.Namespace, terminal: Terminal) -> int:
    session, interrupt = Session(network_from(arguments)), Interrupt()
    choices = replace(choices_of(arguments), torch=arguments.torch, variant=arguments.variant, python=arguments.python)
    choices = canonical(choices)
    check_choices(choices, session.matrix)
    kinds = kinds_of(arguments)
    facts = session.probe(is_cancelled=interrupt.is_asked)
    wish = wish_of(facts, session.matrix, session.propose(facts, choices), choices)

    def show(race: Race) -> None:
        if not arguments.json:
            terminal.line(_table(race, terminal))

    races = ask_sources(facts, wish, choices, kinds, interrupt.is_asked, arguments.fresh, show)
    if arguments.json:
        terminal.document(_document(races, terminal.language))
    needed = kinds if arguments.kind else NEEDED
    missing = [kind for kind in lacking(races) if kind in needed]
    for kind in missing:
        terminal.say(message("mirrors.none-complete", kind=terminal.words(message(f"mirrors.kind.{kind.value}"))))
    return ExitStatus.FAILED if missing else ExitStatus.DONE


def _table(race: Race, terminal: Terminal) -> str:
    head = [terminal.words(message(f"mirrors.head.{name}")) for name in _HEAD]
    title = terminal.words(message(f"mirrors.title.{race.kind.value}", wanted=race.question.label))
    return "\n".join([title, align([head, *(_row(one, terminal) for one in race.placed)]), ""])


def _row(one: Placed, terminal: Terminal) -> list[str]:
    finding = one.finding
    rate = "-" if finding.rate is None else f"{finding.rate / 1e6:.2f} MB/s"
    return [
        name_of(one.racer, terminal.language), terminal.words(finding.message), finding.final_host or "-", rate,
        _age(finding.asked, terminal),
    ]  # fmt: skip


def _age(asked: float, terminal: Terminal) -> str:
    minutes = round((datetime.datetime.now().timestamp() - asked) / 60)
    if minutes < 1:
        return terminal.words(message("mirrors.age.now"))
    if minutes < 60:
        return terminal.words(message("mirrors.age.minutes", count=minutes))
    return terminal.words(message("mirrors.age.hours", count=round(minutes / 60)))


def _document(races: Sequence[Race], language: str | None) -> dict[str, Any]:
    return {
        "schema": SCHEMA, "region": region(),
        "kinds": [
            {"kind": race.kind.value, "wanted": race.question.label, "needed": race.kind in NEEDED,
             "complete": len(race.complete), "measured_now": not race.is_kept,
             "sources": [_tested(one, language) for one in race.placed]}
            for race in races
        ],
    }  # fmt: skip


def _tested(one: Placed, language: str | None) -> dict[str, Any]:
    finding = one.finding
    asked = datetime.datetime.fromtimestamp(finding.asked, datetime.timezone.utc)
    return {
        **source_document(one.racer, language),
        "verdict": finding.truth.value, "message": finding.message.to_json(language),
        "final_host": finding.final_host, "file": finding.file, "sha256": finding.sha256, "bytes": finding.size,
        "newest": finding.newest, "seconds": finding.seconds, "bytes_per_second": finding.rate,
        "measured": asked.isoformat(timespec="seconds"),
    }  # fmt: skip
