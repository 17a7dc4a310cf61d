"""A file that a person asked for by `-o`: a new one, for what is there is somebody's."""

from __future__ import annotations

import contextlib
from pathlib import Path

from wizard.errors import UsageError, WizardError
from wizard.system import moving


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
        raise UsageError("file-exists", path=str(path)) from error
    except OSError as error:
        raise WizardError("file-not-written", details=str(error), path=str(path)) from error


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
