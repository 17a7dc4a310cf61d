"""`torch-wizard envs restore`: brings back what the newest run replaced; and what `envs show` says of such a state."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wizard.cli.asking import agrees, check_can_ask
from wizard.cli.envs_view import amount
from wizard.cli.terminal import Terminal
from wizard.environments.clone_rewrite import shell_word
from wizard.errors import ExitStatus, UsageError
from wizard.i18n import Message, message
from wizard.session import snapshots
from wizard.session.drift import known_prefixes
from wizard.session.environments import find_environment

_MOST_PACKAGES = 6


def restore(arguments: argparse.Namespace, terminal: Terminal) -> int:
    prefix = find_environment(arguments.environment).prefix
    found = snapshots.snapshots_in(prefix)
    if not found:
        raise UsageError("nothing-to-undo", path=str(prefix))
    check_can_ask(arguments.yes)
    newest = found[0]
    question = message("snapshot.ask", run=newest.run, prefix=str(prefix), names=_names(newest.names))
    if not arguments.yes and not agrees(question, terminal):
        return ExitStatus.CANCELLED
    back = snapshots.restore(prefix)
    terminal.say(message("snapshot.restored", run=back.run, prefix=str(prefix)))
    return ExitStatus.DONE


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(names[:_MOST_PACKAGES]) + (" …" if len(names) > _MOST_PACKAGES else "") or "–"


def snapshot_words(prefix: Path) -> Iterator[Message]:
    for one in snapshots.snapshots_in(prefix):
        yield message("snapshot.kept", run=one.run, size=amount(one.size), names=_names(one.names),
                      prefix=shell_word(prefix))  # fmt: skip


def snapshot_documents(prefix: Path) -> list[dict[str, Any]]:
    return [
        {"run": one.run, "bytes": one.size, "packages": list(one.names), "kept_since": one.moved}
        for one in snapshots.snapshots_in(prefix)
    ]


def let_go_of_stale(terminal: Terminal) -> None:
    """What was kept for so long goes, and that is said."""
    for folder in snapshots.let_go_of_stale(known_prefixes()):
        terminal.say(message("snapshot.stale", path=str(folder), days=snapshots.KEPT_DAYS))
