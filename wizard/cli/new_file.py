"""A file that a person asked for by `-o`: a new one, for what is there is somebody's."""

from __future__ import annotations

from pathlib import Path

from wizard.errors import UsageError, WizardError


def write_new(path: Path, text: str, runs: bool = False) -> None:
    """`runs`: who may read it may run it. Raises UsageError `file-exists`, WizardError `file-not-written`."""
    try:
        with path.open("x", encoding="utf-8", errors="surrogateescape", newline="\n") as stream:
            stream.write(text)
        if runs:
            mode = path.stat().st_mode
            path.chmod(mode | (mode & 0o444) >> 2)
    except FileExistsError as error:
        raise UsageError("file-exists", path=str(path)) from error
    except OSError as error:
        raise WizardError("file-not-written", details=str(error), path=str(path)) from error
