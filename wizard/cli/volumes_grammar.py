"""The options about where caches and temporary files go; the environment's own place is `--name` or `--prefix`."""

from __future__ import annotations

import argparse
from typing import Any


def add_volume_options(parser: argparse.ArgumentParser) -> None:
    places = parser.add_argument_group("other places", "kept for later starts; the word default takes one back")
    places.add_argument("--cache-dir", metavar="DIR", help="for downloads and package caches (default: our own folder)")
    places.add_argument("--temp-dir", metavar="DIR", help="for temporary files of all tools (default: the system's)")


def volume_choices(arguments: argparse.Namespace) -> dict[str, Any]:
    """Fields of Choices; empty for a command without these options."""
    return {name: getattr(arguments, name, None) for name in ("cache_dir", "temp_dir")}
