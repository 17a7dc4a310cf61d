"""The grammar of `torch-wizard envs`; apart from the commands, whose imports every start would pay for.

Each action adds itself: a function here or in a file of its own, named in `_ACTIONS` below and in `ACTIONS` of
`cli/environment/commands.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from wizard.cli.grammar.network import add_network_options


def add_environments(commands: Any) -> None:
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
    shown.add_argument("environment", metavar="NAME|PREFIX", help="an environment's name or folder")
    shown.add_argument("--json", action="store_true", help="one JSON document on stdout")


def _add_terminal(actions: Any) -> None:
    opened: argparse.ArgumentParser = actions.add_parser(
        "terminal", help="open a terminal window in which one is switched on"
    )
    opened.add_argument("environment", metavar="NAME|PREFIX", help="an environment's name or folder")


def _add_delete(actions: Any) -> None:
    deleting: argparse.ArgumentParser = actions.add_parser(
        "delete", help="show what goes and what stays, ask for the name, delete"
    )
    deleting.add_argument("environment", metavar="NAME|PREFIX", help="an environment's name or folder")
    deleting.add_argument("--yes", metavar="NAME", help="the environment's name, instead of typing it when asked")


def _add_finish(actions: Any) -> None:
    actions.add_parser("finish", help="finish deletions that were interrupted (each start does this by itself)")


def _add_restore(actions: Any) -> None:
    back: argparse.ArgumentParser = actions.add_parser(
        "restore", help="bring back the packages that the last setup or repair in it has replaced"
    )
    back.add_argument("environment", metavar="NAME|PREFIX", help="an environment's name or folder")
    back.add_argument("--yes", "-y", action="store_true", help="do not ask")


def _add_clone(actions: Any) -> None:
    copying: argparse.ArgumentParser = actions.add_parser("clone", help="a copy that works in its new place")
    copying.add_argument("environment", metavar="NAME|PREFIX", help="an environment's name or folder")
    where = copying.add_mutually_exclusive_group(required=True)
    where.add_argument("--name", help="name of the copy")
    where.add_argument("--prefix", metavar="P", help="folder of the copy")


def _add_export(actions: Any) -> None:
    exporting: argparse.ArgumentParser = actions.add_parser(
        "export", help="what is in one, so that it can be made again"
    )
    exporting.add_argument("environment", metavar="NAME|PREFIX", help="an environment's name or folder")
    exporting.add_argument(
        "--format",
        choices=("requirements", "pylock", "conda", "conda-explicit", "json"),
        default="requirements",
        help="the form of the list (default: requirements)",
    )
    exporting.add_argument("--output", "-o", metavar="FILE", help="a new file (default: stdout)")


def _add_module(actions: Any) -> None:
    module: argparse.ArgumentParser = actions.add_parser(
        "module", help="a module file for it (Lmod, Environment Modules), for clusters"
    )
    module.add_argument("environment", metavar="NAME|PREFIX", help="an environment's name or folder")
    module.add_argument("--format", choices=("tcl", "lua"), help="default: lua for a FILE that ends in .lua, else tcl")
    module.add_argument("--output", "-o", metavar="FILE", help="a new file, or a folder for it (default: stdout)")


def _add_bootstrap(actions: Any) -> None:
    own: argparse.ArgumentParser = actions.add_parser(
        "bootstrap", help="install Miniforge, for who wants a conda of their own (setup needs none)"
    )
    own.add_argument("--prefix", metavar="P", help="its folder, without a space (default: ~/miniforge3)")
    own.add_argument("--mirror", metavar="ID", help="fetch it there, as `mirrors list --kind miniforge` names it")
    own.add_argument(
        "--from", dest="near", metavar="DIR|URL", help="take the installer there first, such as a pack's folder program"
    )
    own.add_argument("--release", metavar="VERSION", help="this release of it (default: the newest)")
    own.add_argument("--yes", "-y", action="store_true", help="do not ask; this also accepts Miniforge's licence")
    add_network_options(own)


_ACTIONS: tuple[Callable[[Any], None], ...] = (
    _add_list,
    _add_show,
    _add_terminal,
    _add_delete,
    _add_restore,
    _add_clone,
    _add_export,
    _add_module,
    _add_finish,
    _add_bootstrap,
)
