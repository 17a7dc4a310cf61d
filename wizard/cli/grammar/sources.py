"""The grammar of `torch-wizard mirrors` and `undo`.

The grammar of `torch-wizard mirrors`; apart from the commands, whose imports every start would pay for.

Each action adds itself: `list` and `test` here, others in files of their own, named in `_ACTIONS` below and in
`ACTIONS` of `cli/mirrors.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from wizard.cli.grammar.network import add_network_options

LIST = "list"


def add_undo(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "undo", help="take back a change of your pip, uv or conda settings (the last one, without ID), or list them"
    )
    parser.add_argument("id", nargs="?", metavar="ID | list", help="number of a change; list: show all of them")
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="with list: one JSON document on stdout")


def add_use(actions: Any) -> None:
    use: argparse.ArgumentParser = actions.add_parser(
        "use", help="make a mirror the default of pip, uv and conda; torch-wizard undo takes it back"
    )
    use.add_argument("id", metavar="ID", help="as `mirrors list` names it; official: the tools' own default")
    use.add_argument(
        "--kind",
        action="append",
        default=[],
        choices=("packages", "conda", "torch", "miniforge"),
        help="only these (may be repeated; packages or conda can be a default)",
    )
    use.add_argument("--conda", metavar="PATH", help="the conda that is asked: its program or installation")
    use.add_argument("--yes", "-y", action="store_true", help="do not ask")


KINDS = ("torch", "packages", "conda", "miniforge")


def add_mirrors(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "mirrors", help="where packages can come from: list the sources, test them"
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for add in _ACTIONS:
        add(actions)


def _add_list(actions: Any) -> None:
    shown: argparse.ArgumentParser = actions.add_parser("list", help="all sources that are known, and since when")
    shown.add_argument("--json", action="store_true", help="one JSON document on stdout")
    _add_kinds(shown)
    add_sources(shown)


def _add_test(actions: Any) -> None:
    test: argparse.ArgumentParser = actions.add_parser(
        "test", help="ask every source for the wanted build, follow its link, measure the best three"
    )
    test.add_argument("--json", action="store_true", help="one JSON document on stdout")
    test.add_argument("--fresh", action="store_true", help="do not use what was measured within a day")
    test.add_argument("--torch", metavar="X", help="torch release (default: the best for this computer)")
    test.add_argument("--variant", metavar="T", help="cpu or a CUDA tag, such as cu126")
    test.add_argument("--python", metavar="3.12", help="Python version of the environment")
    _add_kinds(test)
    add_sources(test)
    add_network_options(test)


def _add_lint(actions: Any) -> None:
    lint: argparse.ArgumentParser = actions.add_parser(
        "lint", help="look over the pip, uv and conda settings: what breaks an install, and mend it"
    )
    lint.add_argument("--json", action="store_true", help="one JSON document on stdout")
    lint.add_argument("--fix", metavar="CODE|all", help="mend the findings of this code, or all that can be")
    lint.add_argument("--yes", "-y", action="store_true", help="do not ask before writing")


def _add_kinds(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kind", action="append", choices=KINDS, default=[], help="only these (may be repeated; default: all)"
    )


def add_sources(parser: argparse.ArgumentParser) -> None:
    """Further sources, as `setup` takes them: they are listed and tested beside the known ones."""
    parser.add_argument("--index", metavar="URL", help="also this index of Python packages")
    parser.add_argument("--torch-index", metavar="URL", help="also these torch wheels, simple or flat")
    parser.add_argument("--find-links", action="append", default=[], metavar="DIR|URL", help="also this folder or page")
    parser.add_argument("--channel", metavar="URL", help="also this conda channel")


_ACTIONS: tuple[Callable[[Any], None], ...] = (_add_list, _add_test, _add_lint, add_use)
