"""A repair as data: what is put aside, what keeps others out, how the test is run. Lies beside the plan of its run.

The plan and the lock say what comes; this says what goes, and that the environment was there before. A run that
has this file is a repair: it makes no environment, and it can be taken back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from wizard.errors import UsageError
from wizard.typed import from_json

SCHEMA = 1
FILE_NAME = "repair.json"


@dataclass(frozen=True, slots=True)
class Repair:
    """`aside`: paths to put aside with nothing in their place. `variables`: of the user's terminal, for the test."""

    code: str  # the cause
    names: tuple[str, ...]  # distributions that are installed again
    aside: tuple[str, ...]
    no_user_site: bool
    drop_library_folders: tuple[str, ...]
    site: str
    python_version: str
    variant: str
    variables: Mapping[str, str] = field(default_factory=dict)
    schema: int = SCHEMA


def write_repair(folder: Path, repair: Repair) -> None:
    (folder / FILE_NAME).write_bytes(msgspec.json.format(msgspec.json.encode(repair), indent=1))


def read_repair(folder: Path) -> Repair | None:
    """None: this run sets up. Raises UsageError `bad-plan`."""
    path = folder / FILE_NAME
    if not path.is_file():
        return None
    try:
        repair = from_json(path.read_bytes(), Repair)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError("bad-plan", details=str(error), path=str(path)) from error
    if repair.schema != SCHEMA:
        raise UsageError("plan-schema", path=str(path), found=repair.schema, known=SCHEMA)
    return repair
