"""What the command line says: documents on stdout, people's text on stderr, in the chosen language."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from wizard.errors import WizardError
from wizard.i18n import Message, text
from wizard.redact import redact


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
    def __init__(self, language: str | None) -> None:
        self.language = language

    def words(self, message: Message) -> str:
        return text(message, self.language)

    def say(self, message: Message) -> None:
        self.write(self.words(message))

    def write(self, line: str) -> None:
        """To a person."""
        self._put(sys.stderr, line)

    def document(self, value: Mapping[str, Any]) -> None:
        """To a program: one JSON document, one line."""
        self.line(json.dumps(value, ensure_ascii=False))

    def line(self, line: str) -> None:
        self._put(sys.stdout, line)

    def error(self, error: WizardError) -> None:
        self.write(redact(f"✗ {self.words(error.summary)}\n  {self.words(error.hint)}"))

    @staticmethod
    def _put(stream: TextIO | None, line: str) -> None:
        if stream is None:  # a windowed program on Windows has no streams
            return
        try:
            stream.write(line + "\n")
            stream.flush()
        except BrokenPipeError:
            _give_up(stream)
        except OSError as error:
            if stream is sys.stdout:  # a document that is not there must not look like success
                _give_up(stream)
                raise WizardError("output-failed", details=str(error)) from error
