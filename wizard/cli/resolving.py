"""What the command line shows of files that must come whole before the plan is known."""

from __future__ import annotations

import argparse
import time

from wizard.cli.follow import Screen
from wizard.cli.setup_events import tell_progress
from wizard.cli.terminal import Terminal
from wizard.flow.run_view import resolving_words
from wizard.i18n import message
from wizard.packages.fetch import FetchProgress

_EVENT_SECONDS = 0.5


class ResolvingTold:
    """On a terminal one line that is drawn again; else one line for each file; with `--events` events as of a run."""

    def __init__(self, arguments: argparse.Namespace, terminal: Terminal) -> None:
        self._arguments, self._terminal = arguments, terminal
        self._screen = Screen(terminal)
        self._told: set[str] = set()
        self._at = 0.0

    def hear(self, progress: FetchProgress) -> None:
        # Small ones may be whole between two looks.
        new = [name for name in dict.fromkeys((*progress.whole, progress.file)) if name and name not in self._told]
        self._told.update(new)
        if progress.file and self._screen.is_tty:
            self._screen.draw(self._terminal.words(resolving_words(progress)))
        else:
            for name in new:
                self._screen.line("  … " + self._terminal.words(message("flow.resolving.begin", file=name)))
        if new or time.monotonic() - self._at >= _EVENT_SECONDS or progress.files_done == progress.files_total:
            self._at = time.monotonic()
            tell_progress(self._arguments, self._terminal, progress)

    def end(self) -> None:
        self._screen.clear()
