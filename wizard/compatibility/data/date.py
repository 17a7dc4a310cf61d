"""How old the tables are: the newest `as_of` among the rows that decide (releases and builds).

Read by itself, without the tables being loaded: `--version` must answer when they are damaged, too.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

_TABLES = ("releases.csv", "builds.csv")
_DAY = re.compile(r"\d{4}-\d{2}(-\d{2})?")


def data_date(folder: Path) -> str | None:
    """ "2026-11" or "2026-11-20"; None where there are no such rows."""
    return max(_dates(folder), default=None)


def _dates(folder: Path) -> Iterator[str]:
    for name in _TABLES:
        try:
            with (folder / name).open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    if _DAY.fullmatch(row.get("as_of") or ""):
                        yield row["as_of"]
        except (OSError, ValueError, csv.Error):
            continue
