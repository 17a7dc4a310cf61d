"""The wish about the network that the options of a command line make (`network_grammar.py`), over what was saved."""

from __future__ import annotations

import argparse
from dataclasses import replace

from wizard.network.address import checked_proxy
from wizard.network.bypass import checked_entries
from wizard.network.model import Mode, Network
from wizard.network.tls import checked_certificate
from wizard.session.network import load_network


def network_from(arguments: argparse.Namespace) -> Network:
    """What was saved, with the options over it. Raises UsageError `network-…`."""
    wish = load_network()
    if arguments.proxy is not None:
        wish = _with_proxy(wish, arguments.proxy)
    if arguments.no_proxy is not None:
        wish = replace(wish, no_proxy=checked_entries(arguments.no_proxy, "--no-proxy"))
    if arguments.ca_file is not None:
        wish = replace(wish, certificate=checked_certificate(arguments.ca_file, "--ca-file"))
    return wish


def _with_proxy(wish: Network, text: str) -> Network:
    named = {mode.value: mode for mode in (Mode.SYSTEM, Mode.NONE)}
    mode = named.get(text.strip().lower())
    if mode:
        return replace(wish, mode=mode, proxy=None)
    return replace(wish, mode=Mode.CUSTOM, proxy=checked_proxy(text, "--proxy"))
