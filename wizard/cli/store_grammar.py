"""The grammar of `torch-wizard store`."""

from __future__ import annotations

import argparse
from typing import Any


def add_store(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "store",
        help="the packages that environments share: show them, prune them, verify them, move them",
        description="Every wheel is unpacked once into the package store, and environments share its files.",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="what it holds, and what pruning frees")
    show.add_argument("--json", action="store_true", help="one JSON document on stdout")
    prune = actions.add_parser("prune", help="take out what no environment uses and no unfinished run needs")
    prune.add_argument("--yes", "-y", action="store_true", help="do not ask")
    prune.add_argument("--json", action="store_true", help="one JSON document on stdout")
    verify = actions.add_parser(
        "verify", help="read every file and compare its SHA-256; what is damaged comes anew when it is needed (exit 1)"
    )
    verify.add_argument("--json", action="store_true", help="one JSON document on stdout")
    move = actions.add_parser("move", help="put it into another folder and use it there from now on")
    move.add_argument("folder", metavar="DIR", help="a new folder, or one that a move was interrupted into")
