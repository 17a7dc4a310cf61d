"""Other users, for tests that root runs: a computer lets them do less, and they may not read everything of root's."""

from __future__ import annotations

import json
import os
import stat
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

STRANGER = 54321  # a user of whom this computer has never heard
AS_STRANGER = ("setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups")
# Reads what the stranger may not, for the program itself and its Python may lie in the developer's own folder.
READING = (*AS_STRANGER, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
_PROJECT = Path(__file__).resolve().parents[1]


def _may_be_read(path: Path) -> bool:
    return all(each.stat().st_mode & stat.S_IXOTH for each in (path, *path.parents))


_IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
needs_open_project = pytest.mark.skipif(
    _IS_ROOT and not _may_be_read(_PROJECT), reason="other users may not read this copy of the project"
)


def as_user(user: int, home: Path, work: Callable[[], Any]) -> Any:
    """What `work` returns in a child of that user, whose program's folder is `home`. Only root may."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads: the child needs none of them
        child = os.fork()
    if child == 0:
        answer: Any = "failed"
        try:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            os.environ["TORCH_WIZARD_HOME"] = str(home)
            answer = work()
        except BaseException:
            answer = traceback.format_exc()
        finally:
            os.write(writing, json.dumps(answer).encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    return json.loads(text)
