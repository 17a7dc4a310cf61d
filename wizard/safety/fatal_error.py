"""What is said when the program cannot even begin: a part of it is missing or broken.

Only the standard library and our own message box, for anything else may be what is broken; so these sentences are not
in the catalogues. One sentence of cause, one of what to do; the traceback goes into a file.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from wizard.system import moving
from wizard.system.windows.desktop import message_box

TITLE = "Torch Setup"
_TEXT = {
    "en": "Torch Setup cannot start: a part of the program is missing or damaged ({what}).\n"
    "Install it again. The details are in {log}",
    "zh": "Torch Setup 无法启动：程序的某个部分缺失或已损坏（{what}）。\n请重新安装。详细信息见 {log}",
}


def last_words(error: BaseException) -> int:
    """The exit status. Never raises."""
    details = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    words = sentence(error, _write(details))
    if sys.stderr is None:  # a windowed program on Windows
        message_box(TITLE, words)
        return 1
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(words + "\n")
    return 1


def sentence(error: BaseException, log: Path | None) -> str:
    """Return one sentence in the account's language, without anything of the program that may be broken."""
    named = (os.environ.get(name, "") for name in ("TORCH_WIZARD_LANG", "LC_ALL", "LC_MESSAGES", "LANG"))
    language = next(filter(None, named), "")
    what = getattr(error, "name", None) or type(error).__name__
    return _TEXT["zh" if language.lower().startswith("zh") else "en"].format(what=what, log=log or "-")


def _write(details: str) -> Path | None:
    """Beside the other logs where that can be found out, else in a new folder of its own: what stands in the shared
    temporary folder under a known name may be a link to a file of the user's, put there by somebody else."""
    text = f"{time.strftime('%Y-%m-%d %H:%M:%S')} {sys.version}\n{details}"
    for folder in _folders():
        with contextlib.suppress(OSError):
            path = folder() / "start.log"
            moving.unlink(path, missing_ok=True)  # the link, where it is one
            made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)  # never through a link
            with os.fdopen(made, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
            return path
    return None


def _folders() -> Iterator[Callable[[], Path]]:
    with contextlib.suppress(Exception):  # what it imports may be what is broken
        from wizard.system import paths

        logs = paths.logs_dir()

        def beside_the_others() -> Path:
            logs.mkdir(parents=True, exist_ok=True)
            return logs

        yield beside_the_others
    yield lambda: Path(tempfile.mkdtemp(prefix="torch-setup-"))  # for this user alone
