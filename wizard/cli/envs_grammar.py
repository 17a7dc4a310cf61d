"""The grammar of `torch-wizard envs`; apart from the commands, whose imports every start would pay for.

Each action adds itself: a function here or in a file of its own, named in `_ACTIONS` below and in `ACTIONS` of
`cli/envs.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any


def add_parser(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "envs", help="the environments on this computer: list them, look at one, delete one"
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for add in _ACTIONS:
        add(actions)


def _add_list(actions: Any) -> None:
    shown: argparse.ArgumentParser = actions.add_parser("list", help="all of them, of every engine and installation")
    shown.add_argument("--json", action="store_true", help="one JSON document on stdout")
    shown.add_argument("--sizes", action="store_true", help="count their files too, which takes a while")


def _add_show(actions: Any) -> None:
    shown: argparse.ArgumentParser = actions.add_parser(
        "show", help="what is in one, how large it is, and what deleting it would take along"
    )
    shown.add_argument("environment", metavar="NAME|PREFIX")
    shown.add_argument("--json", action="store_true", help="one JSON document on stdout")


def _add_delete(actions: Any) -> None:
    deleting: argparse.ArgumentParser = actions.add_parser(
        "delete", help="show what goes and what stays, ask for the name, delete"
    )
    deleting.add_argument("environment", metavar="NAME|PREFIX")
    deleting.add_argument("--yes", metavar="NAME", help="the environment's name, instead of typing it when asked")


def _add_finish(actions: Any) -> None:
    actions.add_parser("finish", help="finish deletions that were interrupted (each start does this by itself)")


_ACTIONS: tuple[Callable[[Any], None], ...] = (_add_list, _add_show, _add_delete, _add_finish)
