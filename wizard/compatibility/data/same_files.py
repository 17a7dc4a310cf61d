"""The packages that bring one module, so that two of them in one environment overwrite each other's files: the rows of
`matrices/same_files.toml`, as values. What is done about them is `project`'s and `run.plan`'s matter.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

from wizard.model.tables import SOME, Name, Row, Sourced, parse_table, shipped_table


class SameFiles(Sourced, frozen=True):
    """`names`: packages that bring one module; the first of them has what the others have."""

    KEYS = (("names",),)

    names: Annotated[tuple[Name, ...], SOME]


class SameFilesTable(Row, frozen=True):
    same_files: Annotated[tuple[SameFiles, ...], SOME]


def parse_same_files(document: str) -> SameFilesTable:
    """Raises TableError."""
    return parse_table("same_files", document, SameFilesTable)


@lru_cache(maxsize=1)
def same_files() -> tuple[SameFiles, ...]:
    """Return the rows. Raises WizardError `bad-table`."""
    return shipped_table("same_files", SameFilesTable).same_files
