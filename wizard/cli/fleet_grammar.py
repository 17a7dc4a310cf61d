"""The options of `setup` for labs, fleets and clusters: `--shared`, `--if-missing`."""

from __future__ import annotations

import argparse
from typing import Any


def add_fleet_options(setup: argparse.ArgumentParser) -> None:
    fleet = setup.add_argument_group("for labs and clusters")
    fleet.add_argument(
        "--shared", action="store_true", help="everybody on this computer may use the environment, you alone change it"
    )
    fleet.add_argument(
        "--if-missing", action="store_true", help="do nothing where a setup has made what is asked for already"
    )


def shared_choice(arguments: argparse.Namespace) -> dict[str, Any]:
    """A field of Choices; empty for a command without this option."""
    return {"shared": True} if getattr(arguments, "shared", False) else {}
