"""The options of `setup` beside its choices: downloading, folders, an environment that is there, labs.

The options about downloading: how much of the line and of a server's patience a setup may take.
"""

from __future__ import annotations

import argparse
import re
from typing import Any

from wizard.cli.grammar.network import ArgumentType, whole


def add_volume_options(parser: argparse.ArgumentParser) -> None:
    places = parser.add_argument_group("other places", "kept for later starts; the word default takes one back")
    places.add_argument("--cache-dir", metavar="DIR", help="for downloads and package caches (default: our own folder)")
    places.add_argument("--temp-dir", metavar="DIR", help="for temporary files of all tools (default: the system's)")


def volume_choices(arguments: argparse.Namespace) -> dict[str, Any]:
    """Fields of Choices; empty for a command without these options."""
    return {name: getattr(arguments, name, None) for name in ("cache_dir", "temp_dir")}


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


MOST_CONNECTIONS = 16
_RATE = re.compile(r"(\d+(?:\.\d+)?)([kmg]?)b?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}  # as curl counts


def add_download_options(parser: argparse.ArgumentParser) -> None:
    download = parser.add_argument_group("the download")
    download.add_argument(
        "--limit-rate", type=rate, metavar="5M", help="at most so many bytes a second, over all connections (K, M, G)"
    )
    download.add_argument(
        "--connections",
        type=whole(1, MOST_CONNECTIONS),
        metavar="N",
        help=f"connections at once, 1 to {MOST_CONNECTIONS} (4)",
    )
    download.add_argument("--keep-wheels", action="store_true", help="keep the wheels too, beside what is unpacked")
    download.add_argument(
        "--copies", action="store_true", help="files of its own for the environment, none shared with others"
    )
    add_volume_options(parser)


def download_choices(arguments: argparse.Namespace) -> dict[str, Any]:
    """Fields of Choices; empty for a command that downloads nothing."""
    wanted = {name: getattr(arguments, name, None) for name in ("limit_rate", "connections")}
    return wanted | {name: getattr(arguments, name, False) for name in ("keep_wheels", "copies")}


def _rate(text: str) -> int:
    """`500K`, `5M`, `1.5m`, `800000`: bytes per second. Raises ValueError."""
    match = _RATE.fullmatch(text.strip())
    value = int(float(match[1]) * _UNITS[match[2].lower()]) if match else 0
    if value < 1:
        raise ValueError(text)
    return value


rate = ArgumentType(_rate, "%(value)r is no rate; write 500K or 5M")
