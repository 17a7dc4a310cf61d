"""The options about the network, for every command that goes there. What they mean is in `network_wish.py`, whose
imports every start would pay for."""

from __future__ import annotations

import argparse


def add_network_options(parser: argparse.ArgumentParser) -> None:
    network = parser.add_argument_group("the network")
    network.add_argument(
        "--proxy", metavar="URL", help="an http, https, socks5 or socks5h proxy; system (the default); or none"
    )
    network.add_argument("--no-proxy", metavar="HOST,HOST", help="hosts and domains to reach without the proxy")
    network.add_argument(
        "--ca-file", metavar="PATH", help="certificates (PEM) to trust in place of the system's, as with pip --cert"
    )
