"""`torch-wizard mirrors list`: every source that is known, what was last said of it, and who says so."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wizard import paths
from wizard.cli.pick_table import align
from wizard.cli.terminal import Terminal
from wizard.errors import ExitStatus
from wizard.i18n import message, text
from wizard.mirrors.racers import Kind, Racer, racers
from wizard.mirrors.settings import read_user_settings
from wizard.plan.model import Choices
from wizard.process import redact

SCHEMA = 1
_LIST_HEAD = ("kind", "id", "name", "status", "as-of", "origin", "address")


def list_sources(arguments: argparse.Namespace, terminal: Terminal) -> int:
    settings = read_user_settings(os.environ, Path.home(), paths.os_name())
    choices = choices_of(arguments)
    listed = [(kind, racer) for kind in kinds_of(arguments) for racer in racers(kind, choices, settings, "{variant}")]
    if arguments.json:
        sources = [{"kind": kind.value, **source_document(racer, terminal.language)} for kind, racer in listed]
        terminal.document({"schema": SCHEMA, "sources": sources})
        return ExitStatus.DONE
    head = [terminal.words(message(f"mirrors.head.{name}")) for name in _LIST_HEAD]
    terminal.line(align([head, *(_list_row(kind, racer, terminal) for kind, racer in listed)]))
    return ExitStatus.DONE


def choices_of(arguments: argparse.Namespace) -> Choices:
    return Choices(
        index=arguments.index, torch_index=arguments.torch_index, find_links=tuple(arguments.find_links),
        channel=arguments.channel,
    )  # fmt: skip


def kinds_of(arguments: argparse.Namespace) -> Sequence[Kind]:
    return [kind for kind in Kind if not arguments.kind or kind.value in arguments.kind]


def source_document(racer: Racer, language: str | None) -> dict[str, Any]:
    """`url` null: the official package index, which is pip's and uv's own default."""
    source, row = racer.source, racer.row
    return {
        "id": racer.mirror, "name": name_of(racer, language), "origin": source.origin.value,
        "layout": source.layout.value, "url": redact(source.url) if source.url else None,
        "status": row.status if row else None, "as_of": (row.as_of or None) if row else None,
        "completeness": row.completeness if row else "", "evidence": row.evidence if row else "",
        "note": row.note if row else "", "source": row.source if row else None,
    }  # fmt: skip


def name_of(racer: Racer, language: str | None) -> str:
    return text(racer.row.operator if racer.row else racer.source.label, language)


def _list_row(kind: Kind, racer: Racer, terminal: Terminal) -> list[str]:
    row, source = racer.row, racer.source
    status = terminal.words(message(f"mirrors.status.{row.status}")) if row else "-"
    default = terminal.words(message("mirrors.no-address"))
    return [
        terminal.words(message(f"mirrors.kind.{kind.value}")), racer.mirror, name_of(racer, terminal.language), status,
        (row.as_of or "-") if row else "-", terminal.words(message(f"mirrors.origin.{source.origin.value}")),
        redact(source.url) if source.url else default,
    ]  # fmt: skip
