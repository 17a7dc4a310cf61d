"""What the command line wishes of the network, and whom a class profile may send this computer to.

`--trust HOST`, and the question about a host where somebody can be asked: before a class profile sends us anywhere.

Whoever says --yes beforehand has not seen which hosts a file names, so that yes is none to them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from dataclasses import replace

from wizard.app.use.network import load_network
from wizard.classroom.profile.hosts import ForeignHost, check_hosts, foreign_hosts, is_trusted
from wizard.classroom.profile.model import ProfileFile
from wizard.cli.terminal import Interrupt, Terminal, agrees
from wizard.model.messages import message
from wizard.transfer.address import host_of
from wizard.transfer.proxy.bypass import checked_entries, checked_proxy
from wizard.transfer.proxy.model import Mode, Network
from wizard.transfer.tls import checked_certificate


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


class Consent:
    """Which hosts a person has said yes to. `is_attended` False: nobody is asked. `for_pack`: to make one."""

    def __init__(
        self,
        given: Collection[str],
        terminal: Terminal,
        interrupt: Interrupt,
        is_attended: bool = True,
        for_pack: bool = False,
    ) -> None:
        self._terminal, self._interrupt, self._for_pack = terminal, interrupt, for_pack
        self._may_ask = is_attended and sys.stdin is not None and sys.stdin.isatty()
        self.trusted: frozenset[str] = frozenset(_host(text) for text in given)

    def __call__(self, file: ProfileFile) -> frozenset[str]:
        """Names every foreign host. Raises UsageError `profile-hosts` for one without a yes, Cancelled."""
        for host in foreign_hosts(file.profile, self._for_pack):
            words = message("profile.host", host=host.name, gives=gives(host, self._terminal))
            self._terminal.write("! " + self._terminal.words(words))
            if not is_trusted(host.name, self.trusted) and self._may_ask and self._agrees(host):
                self.trusted |= {host.name}
        check_hosts(file.profile, self.trusted, self._for_pack)
        return self.trusted

    def _agrees(self, host: ForeignHost) -> bool:
        with self._interrupt.at_once():
            return agrees(message("profile.host.ask", host=host.name), self._terminal)


def gives(host: ForeignHost, terminal: Terminal) -> str:
    return "; ".join(map(terminal.words, host.words))


def _host(text: str) -> str:
    """Of what was typed: a name, with or without a port, or a whole address."""
    try:
        return host_of(text if "://" in text else f"https://{text}")
    except ValueError:
        return text  # no host is called so
