"""The command that opens the window: apart from the others, because the window's first picture must not wait for what
they need."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from wizard.system import paths
from wizard.system.traits import this

if TYPE_CHECKING:
    from wizard.app.tools import WindowSession
    from wizard.cli.terminal import Terminal


# `torch-wizard FILE` means `torch-wizard window FILE`: what a file manager, a drop on the icon or a hand gives. So does
# a folder that is given by a path (`.`, `code/their-repo`): a project or an environment.
#
# Looks at the words only as far as it must, for the window's first picture waits for it: the grammar is `root.py`.
# A command's name never holds a dot, so a file of such a name in the current folder takes no command's place.

COMPLETING = "_TORCH_WIZARD_COMPLETE"  # set by a shell that asks what may follow
_SUFFIX = ".torchlab"
_LANGUAGE = "--lang"  # the one option before a command that has a word of its own


def with_command(argv: Sequence[str]) -> list[str]:
    """With `window` before a file or a folder that stands where a command is expected."""
    words = list(argv)
    at = 0
    while at < len(words) and words[at].startswith(_LANGUAGE):
        at += 1 if "=" in words[at] else 2
    if at < len(words) and _is_opened(words[at]):
        words.insert(at, "window")
    return words


def _is_opened(word: str) -> bool:
    """A class profile also when it is not there: the window says so, as of any other file that it cannot open."""
    if word.startswith("-"):
        return False
    name = os.path.basename(word)  # noqa: PTH119
    if name == word and word not in (os.curdir, os.pardir):
        is_there = "." in name and os.path.isfile(word)  # noqa: PTH113
    else:
        is_there = os.path.exists(word) and (os.path.isdir(word) or "." in name)  # noqa: PTH110, PTH112
    return is_there or word.lower().endswith(_SUFFIX)


OpenWindow = Callable[["WindowSession", str | None, bool], int]


def is_plain_window(argv: Sequence[str]) -> bool:
    """Nothing is asked for but the window, or the window with a file: nobody has to read a grammar for that."""
    if COMPLETING in os.environ:
        return False
    return not argv or (argv[0] == "window" and len(argv) <= 2 and not any(one.startswith("-") for one in argv))


def window(file: str | None, self_test: bool, terminal: Terminal, open_window: OpenWindow) -> int:
    from wizard.app.tools import WindowSession
    from wizard.model.errors import ExitStatus
    from wizard.model.messages import LANGUAGE_VARIABLE, message

    if terminal.language:  # of this start: before the language that was chosen in an earlier window
        os.environ[LANGUAGE_VARIABLE] = terminal.language

    if not has_display() and not self_test:
        terminal.say(
            message("cli.no_display", "No display was found, so there is no window. The same job runs in the terminal:")
        )
        is_project = file is not None and os.path.isdir(file)  # noqa: PTH112
        asked = f"--project {this().quoted(file or '')}" if is_project else "--yes --name torch"
        terminal.write(f"  torch-wizard setup {asked}")
        return ExitStatus.FAILED
    if _is_something_left():
        from wizard.app.use.runs import finish_deletions_in_background

        finish_deletions_in_background()
    return open_window(WindowSession(), file, self_test)


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
