"""The options of `setup` for an environment that is there: `--into`, or `--reuse` beside `--name` and `--prefix`."""

from __future__ import annotations

import argparse
from typing import Any


def add_into(where: Any) -> None:
    where.add_argument(
        "--into", metavar="NAME|P", help="an environment that is there: install into it, with a way back"
    )


def add_reuse(setup: argparse.ArgumentParser) -> None:
    setup.add_argument(
        "--reuse", action="store_true", help="the environment of --name or --prefix is there: install into it"
    )


def reuse_choices(arguments: argparse.Namespace) -> dict[str, Any]:
    """Fields of Choices."""
    return {"reuse": bool(getattr(arguments, "reuse", False) or getattr(arguments, "into", None))}
