"""The options about the network and about trust, and values that have to be of one kind.

A value of an option that has to be of one kind, and the sentence for one that is not.

The sentence is a field and not raised as text, so that it can be put into the person's language (`words.py`).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass


def add_trust_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="HOST",
        help="a host that the profile names and that is neither official nor in the tables; may be given again",
    )


# The options about the network, for every command that goes there. What they mean is in `cli/network.py`, whose
# imports every start would pay for.


def add_network_options(parser: argparse.ArgumentParser) -> None:
    network = parser.add_argument_group("the network")
    network.add_argument(
        "--proxy", metavar="URL", help="an http, https, socks5 or socks5h proxy; system (the default); or none"
    )
    network.add_argument("--no-proxy", metavar="HOST,HOST", help="hosts and domains to reach without the proxy")
    network.add_argument(
        "--ca-file", metavar="PATH", help="certificates (PEM) to trust in place of the system's, as with pip --cert"
    )


@dataclass(frozen=True, slots=True)
class ArgumentType:
    parse: Callable[[str], int]  # raises ValueError
    complaint: str  # with the blank %(value)r

    def __call__(self, text: str) -> int:
        try:
            return self.parse(text)
        except ValueError:
            raise argparse.ArgumentTypeError(self.complaint % {"value": text}) from None


def whole(least: int, most: int) -> ArgumentType:
    def parse(text: str) -> int:
        if not least <= int(text) <= most:
            raise ValueError(text)
        return int(text)

    return ArgumentType(parse, f"%(value)r is no number from {least} to {most}")
