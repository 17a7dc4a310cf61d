"""What the command line says: documents on stdout, people's text on stderr, in the chosen language."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO

from wizard.model.catalogue import translate
from wizard.model.errors import Cancelled, ErrorText, UsageError, WizardError
from wizard.model.messages import Message, message, system_language, text
from wizard.model.redact import redact
from wizard.system import moving
from wizard.system.facts import is_terminal

if TYPE_CHECKING:
    from wizard.cli.progress import Bars


NEEDS_YES = ErrorText(
    "needs-yes",
    "There is no terminal to ask in.",
    "Add --yes to go on without a question.",
)
# What a terminal obeys, or shows out of its order: a name or a sentence of another computer may hold it.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
OUTPUT_FAILED = ErrorText(
    "output-failed",
    "The output could not be written.",
    "Check the disk or the program that reads the output.",
)


def write_new(path: Path, text: str, runs: bool = False, in_new_folder: bool = False) -> None:
    """`runs`: who may read it may run it. `in_new_folder`: its folder is made where it is not there.

    Raises UsageError `file-exists`, WizardError `file-not-written`."""
    try:
        if in_new_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        put_new(path, text.encode("utf-8", "surrogateescape"))
        if runs:
            mode = path.stat().st_mode
            path.chmod(mode | (mode & 0o444) >> 2)
    except FileExistsError as error:
        raise UsageError(
            "file-exists", "“{path}” is there already.", "Choose another file, or remove that one.", path=str(path)
        ) from error
    except OSError as error:
        raise WizardError(
            "file-not-written",
            "“{path}” could not be written.",
            "Choose a folder in which you may write.",
            details=str(error),
            path=str(path),
        ) from error


def save_report(path: Path, document: dict[str, Any], terminal: Terminal) -> None:
    """Save as .html, .json or .txt and say so. Raise WizardError `save-failed`."""
    from wizard.run.report.write import save_as

    try:
        save_as(path, document, terminal.language)
    except OSError as error:
        raise WizardError(
            "save-failed",
            "The report could not be saved in {path}.",
            "Choose a folder that is yours, and a name that ends in .html, .json or .txt.",
            details=str(error),
            path=str(path),
        ) from error
    terminal.say(message("doctor.say.saved", path=str(path)))


def put_new(path: Path, data: bytes) -> None:
    """Whole or not at all: half of one would stand in the way of the next try. Raises OSError."""
    with path.open("xb") as stream:
        try:
            stream.write(data)
            stream.flush()
        except OSError:
            with contextlib.suppress(OSError):
                moving.unlink(path)
            raise


def plain(text: str) -> str:
    """Replace what a terminal would obey in place of showing it; lines and tabs stay."""
    return _OBEYED.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


class Interrupt:
    def __init__(self) -> None:
        self._asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._remember)

    def _remember(self, number: int, frame: FrameType | None) -> None:
        self._asked = True

    def is_asked(self) -> bool:
        return self._asked

    def check(self) -> None:
        """Raises Cancelled."""
        if self._asked:
            raise Cancelled

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """While a person is asked: reading a line would go on after a signal that is only remembered."""
        self.check()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            yield
        except KeyboardInterrupt:
            raise Cancelled from None
        finally:
            signal.signal(signal.SIGINT, self._remember)


def prepare_streams() -> None:
    """UTF-8 wherever the output goes; a console that cannot show a character gets a replacement, not a crash."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            with contextlib.suppress(OSError, ValueError):
                reconfigure(encoding="utf-8", errors="replace")


def _give_up(stream: TextIO) -> None:
    """Sends nowhere what is still in its buffer: Python would try it again at its end, and end with status 120."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class Terminal:
    """`is_drawn_on`: bars may be drawn, for a person looks on."""

    def __init__(self, language: str | None) -> None:
        self.language = language
        self.is_drawn_on = is_terminal(sys.stderr) and os.environ.get("TERM") not in ("dumb", "unknown")
        self._bars: Bars | None = None

    def draw(self, words: Message, done: float = 0, total: float | None = None, name: str = "") -> None:
        """Draw a bar with words below all that is said, instead of the earlier one of this name."""
        if not self.is_drawn_on:
            return
        if self._bars is None:
            from wizard.cli.progress import Bars

            self._bars = Bars()
        self._bars.draw(name, plain(self.words(words)), done, total)

    def drop(self, name: str | None = None) -> None:
        """Take a bar away; None: all of them."""
        if self._bars:
            self._bars.drop(name)

    def words(self, words: Message) -> str:
        return text(words, self.language)

    def translated(self, english: str) -> str:
        """Return a text of the help or of a complaint in the person's language."""
        return translate(english, self.language or system_language())

    def say(self, words: Message) -> None:
        self.write(self.words(words))

    def write(self, line: str) -> None:
        """To a person."""
        self._put(sys.stderr, line)

    def document(self, value: Mapping[str, Any]) -> None:
        """To a program: one JSON document, one line."""
        self.line(json.dumps(value, ensure_ascii=False))

    def line(self, line: str) -> None:
        self._put(sys.stdout, line)

    def error(self, error: WizardError) -> None:
        lines = [f"✗ {self.words(error.summary)}", f"  {self.words(error.hint)}"]
        if said := error.params.get("resolver"):
            lines.append(f"  {self.words(message('cli.resolver', 'The resolver says: {said}', said=str(said)))}")
        self.write(redact("\n".join(lines)))

    def _put(self, stream: TextIO | None, line: str) -> None:
        if self._bars:
            self._bars.hide()
        if stream is None:  # a windowed program on Windows has no streams
            return
        is_read_by_a_person = stream is sys.stderr or is_terminal(stream)
        try:
            stream.write((plain(line) if is_read_by_a_person else line) + "\n")
            stream.flush()
        except BrokenPipeError:
            _give_up(stream)
        except OSError as error:
            if stream is sys.stdout:  # a document that is not there must not look like success
                _give_up(stream)
                raise WizardError(OUTPUT_FAILED, details=str(error)) from error


_YES = ("y", "yes", "是", "好")


def can_ask() -> bool:
    return is_terminal(sys.stdin)


def check_can_ask(is_agreed: bool) -> None:
    """Raises UsageError `needs-yes` where there is nobody to ask and nobody agreed beforehand."""
    if not (is_agreed or can_ask()):
        raise UsageError(NEEDS_YES)


def answer(question: Message, terminal: Terminal, interrupt: Interrupt | None = None) -> str:
    """Return the line that is typed. Raise Cancelled when it is interrupted."""
    terminal.say(question)
    with interrupt.at_once() if interrupt else contextlib.nullcontext():
        return sys.stdin.readline().strip()


def agrees(question: Message, terminal: Terminal, interrupt: Interrupt | None = None) -> bool:
    """Tell whether yes was typed. Raise Cancelled when it is interrupted."""
    return answer(question, terminal, interrupt).lower() in _YES
