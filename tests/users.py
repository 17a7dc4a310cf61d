"""Other users, for tests that root runs: a computer lets them do less, and they may not read everything of root's."""

from __future__ import annotations

import os
import stat
from pathlib import Path

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
