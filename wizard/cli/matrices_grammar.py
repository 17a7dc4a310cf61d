"""The grammar of `torch-wizard matrices`; apart from the command, whose imports every start would pay for."""

from __future__ import annotations

import argparse
from typing import Any


def add_matrices(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "matrices", help="the compatibility data: show, check, refresh"
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="the releases, or one with its builds")
    show.add_argument("torch", nargs="?", metavar="TORCH", help="a torch release, such as 2.14.1 (default: all)")
    check = actions.add_parser("check", help="is every row well formed and does it agree with the others?")
    check.add_argument("folder", nargs="?", metavar="FOLDER", help="tables elsewhere (default: ours and the overlay)")
    refresh = actions.add_parser("refresh", help="ask the sources for newer releases and keep them on this computer")
    refresh.add_argument("--remove", action="store_true", help="forget all that was learnt this way")
    refresh.add_argument("--all-platforms", action="store_true", help="not only this computer's")
    refresh.add_argument("--torch-index", metavar="URL", help="torch wheels, simple or flat")
    refresh.add_argument("--index", metavar="URL", help="Python packages")
    refresh.add_argument(
        "--find-links", action="append", default=[], metavar="DIR|URL", help="a folder or page of wheels"
    )
    for action in (show, check, refresh):
        action.add_argument("--json", action="store_true", help="one JSON document on stdout")
