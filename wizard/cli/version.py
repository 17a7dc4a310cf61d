"""`--version`: the program's version, and how old its data are; a copy of last year may not know today's cards."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from wizard import __version__
from wizard.compatibility.data.date import data_date
from wizard.system import paths


def version_line() -> str:
    dates = f"data of {data_date(paths.matrices_dir()) or '?'}"
    if learnt := data_date(paths.matrices_overlay_dir()):
        dates += f", learnt on this computer {learnt}"
    return f"torch-wizard {__version__} ({dates})"


class ShowVersion(argparse.Action):
    """argparse's own takes a finished text, which every start would have to read the tables for."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *told: Any) -> None:
        if sys.stdout is not None:  # a windowed program on Windows has no streams
            sys.stdout.write(f"{version_line()}\n")
        parser.exit()
