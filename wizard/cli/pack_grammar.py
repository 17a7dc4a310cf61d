"""The grammar of `torch-wizard pack` and `room`, and what a machine of a class adds to `setup`."""

from __future__ import annotations

import argparse
from typing import Any

from wizard.cli.checked import whole
from wizard.cli.network_grammar import add_network_options
from wizard.cli.trust_grammar import add_trust_option


def add_pack(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "pack", help="a folder with every file of a class profile: build it, check it, update it, serve it"
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _add_build(actions)
    _add_pack_check(actions)
    _add_update(actions)
    _add_serve(actions)
    _add_room(commands)


def add_setup_options(setup: argparse.ArgumentParser) -> None:
    group = setup.add_argument_group("a class")
    group.add_argument("--pack", metavar="DIR|URL", help="take the files from there: a stick, a share, a class server")
    group.add_argument(
        "--class", dest="code", metavar="CODE", help="find the class's server in this network by its code"
    )
    group.add_argument("--label", default="", metavar="TEXT", help="what the class's results call this computer")
    group.add_argument(
        "--serve-after",
        type=whole(1, 1440),
        metavar="MINUTES",
        help="when done, hand the files on to the class for so long",
    )


def _add_build(actions: Any) -> None:
    making: argparse.ArgumentParser = actions.add_parser("build", help="make one; goes on where it was interrupted")
    making.add_argument("profile", metavar="PROFILE", help="a .torchlab file")
    making.add_argument("--output", "-o", required=True, metavar="DIR", help="a new folder, or one that was begun")
    _add_making(making)


def _add_update(actions: Any) -> None:
    making: argparse.ArgumentParser = actions.add_parser(
        "update", help="fetch what changed or was damaged, and nothing else"
    )
    making.add_argument("pack", metavar="DIR")
    making.add_argument("profile", nargs="?", metavar="PROFILE", help="the new profile (default: the pack's own)")
    making.add_argument("--remove", action="store_true", help="delete the files that it does not need any more")
    _add_making(making)


def _add_making(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--program", action="append", default=[], metavar="FILE",
        help="put this file into the pack too: the program itself, Miniforge's installer; may be given again",
    )  # fmt: skip
    parser.add_argument(
        "--split", action="store_true", help="files over 4 GiB in parts, as FAT32 needs them (seen by itself there)"
    )
    add_trust_option(parser)
    add_network_options(parser)


def _add_pack_check(actions: Any) -> None:
    looking: argparse.ArgumentParser = actions.add_parser("check", help="read every file and name those that are wrong")
    looking.add_argument("pack", metavar="DIR")
    looking.add_argument("--json", action="store_true", help="one JSON document on stdout")


def _add_serve(actions: Any) -> None:
    serving: argparse.ArgumentParser = actions.add_parser("serve", help="hand it out to the class until Ctrl+C")
    serving.add_argument("pack", metavar="DIR")
    serving.add_argument(
        "--port", type=whole(0, 65535), default=8765, metavar="N",
        help="the port to listen at (default: 8765; 0: any free one)",
    )  # fmt: skip
    serving.add_argument("--host", default="", metavar="ADDRESS", help="listen there only (default: everywhere)")
    serving.add_argument(
        "--per-client", type=whole(1, 10_000), default=8, metavar="N",
        help="replies at once for one address (default: 8; more where a room is behind one address)",
    )  # fmt: skip
    serving.add_argument(
        "--together", type=whole(1, 10_000), default=256, metavar="N", help="replies at once over all (default: 256)"
    )
    serving.add_argument("--announce", action="store_true", help="let this network find it by the code (mDNS)")


def _add_room(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser("room", help="the results of a class, red first")
    parser.add_argument("pack", metavar="DIR")
    parser.add_argument(
        "others", nargs="*", metavar="DIR", help="copies of it that further servers hand out: their results count too"
    )
    parser.add_argument(
        "--seats",
        type=whole(0, 5000),
        metavar="N",
        help="how many computers are expected; kept in the pack (0: nobody knows)",
    )
    parser.add_argument("--html", metavar="FILE", help="write them as a page, in both languages")
    parser.add_argument("--csv", metavar="FILE", help="write them as a table")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
