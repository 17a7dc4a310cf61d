"""Shared by the tests of the journal: why, the bytes from before, and a user without rights."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import pytest

from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, message, text
from wizard.undo.model import FileChange, TakenOut

WHY = message("settings-file.reason.source", id="example", name="example")
SECRET = b"index-url = https://me:hunter2@corp.example/simple\r\n\xd6\xd0"
posix = pytest.mark.skipif(sys.platform == "win32", reason="modes, owners and links as on Linux")


def leave(file: FileChange, now: bytes) -> TakenOut:
    return TakenOut(None, tuple(ours.key for ours in file.ours))


def code_of(error: pytest.ExceptionInfo[WizardError]) -> str:
    for language in LANGUAGES:
        assert text(error.value.summary, language)
        assert text(error.value.hint, language)
    return error.value.code


def as_nobody(deed: Callable[[], object]) -> str:
    """Done by a user without rights (root may do anything)."""

    def done() -> object:
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        return deed()

    return in_a_child(done)


def in_a_child(deed: Callable[[], object]) -> str:
    """What `deed` returned, or the code of its error."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            said = str(deed())
        except WizardError as error:
            said = error.code
        except BaseException as error:  # the parent shall see it
            said = repr(error)
        os.write(write_end, said.encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(pid, 0)
    return said
