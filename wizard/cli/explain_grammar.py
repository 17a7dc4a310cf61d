"""The grammar of `torch-wizard explain`; apart from the command, whose imports every start would pay for."""

from __future__ import annotations

import argparse
from typing import Any


def add_explain(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser("explain", help="cause and fix of a pasted error")
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="a log or traceback (-: standard input)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
