"""The command that opens the window: apart from the others, because the window's first picture must not wait for what
they need."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from wizard import paths
from wizard.system.traits import this

if TYPE_CHECKING:
    from wizard.cli.terminal import Terminal
    from wizard.session.session import Session

OpenWindow = Callable[["Session", str | None, bool], int]


def is_plain_window(argv: Sequence[str]) -> bool:
    """Nothing is asked for but the window, or the window with a file: nobody has to read a grammar for that."""
    return not argv or (argv[0] == "window" and len(argv) <= 2 and not any(one.startswith("-") for one in argv))


def window(file: str | None, self_test: bool, terminal: Terminal, open_window: OpenWindow) -> int:
    from wizard.errors import ExitStatus
    from wizard.i18n import message
    from wizard.session.late import late_session

    if not has_display() and not self_test:
        terminal.say(message("cli.no_display"))
        terminal.write("  torch-wizard setup --yes --name torch")
        return ExitStatus.FAILED
    if _is_something_left():
        from wizard.session.environments import finish_deletions_in_background

        finish_deletions_in_background()
    return open_window(late_session(), file, self_test)


def has_display(environ: Mapping[str, str] = os.environ) -> bool:
    if not this().needs_display:
        return True
    offscreen = environ.get("QT_QPA_PLATFORM", "") in ("offscreen", "vnc", "minimal")
    return offscreen or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def _is_something_left() -> bool:
    """A look at names only: a deletion that was not finished, a draft that nobody decided about."""
    places = ((paths.home() / "deletions", "*.json"), (paths.runs_dir(), "*/draft.json"))
    try:
        return any(True for place, names in places for _ in place.glob(names))
    except OSError:
        return True
