"""`torch-wizard mirrors ACTION`: each action is a function of the arguments, found by its name in `ACTIONS`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from wizard.cli.mirrors_lint import lint
from wizard.cli.mirrors_table import list_sources
from wizard.cli.mirrors_test import test
from wizard.cli.mirrors_use import use
from wizard.cli.terminal import Terminal

Action = Callable[[argparse.Namespace, Terminal], int]


def mirrors(arguments: argparse.Namespace, terminal: Terminal) -> int:
    return ACTIONS[arguments.action](arguments, terminal)


ACTIONS: Mapping[str, Action] = {"list": list_sources, "test": test, "lint": lint, "use": use}
