"""The grammar of `torch-wizard undo` and of `mirrors use`; apart from the commands, whose imports cost time."""

from __future__ import annotations

import argparse
from typing import Any

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
        "--kind", action="append", default=[], choices=("packages", "conda", "torch", "miniforge"),
        help="only these (may be repeated; packages or conda can be a default)",
    )  # fmt: skip
    use.add_argument("--conda", metavar="PATH", help="the conda that is asked: its program or installation")
    use.add_argument("--yes", "-y", action="store_true", help="do not ask")
