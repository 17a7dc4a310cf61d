"""The grammar of `torch-wizard profile`, `pack` and `room`, and what a class adds to `setup`.

The grammar of `torch-wizard profile`, and of `setup --profile`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from wizard.cli.grammar.network import add_network_options, add_trust_option, whole


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
        "--program",
        action="append",
        default=[],
        metavar="FILE",
        help="put this file into the pack too: the program itself, Miniforge's installer; may be given again",
    )
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
        "--port",
        type=whole(0, 65535),
        default=8765,
        metavar="N",
        help="the port to listen at (default: 8765; 0: any free one)",
    )
    serving.add_argument("--host", default="", metavar="ADDRESS", help="listen there only (default: everywhere)")
    serving.add_argument(
        "--per-client",
        type=whole(1, 10_000),
        default=8,
        metavar="N",
        help="replies at once for one address (default: 8; more where a room is behind one address)",
    )
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


_ENGINES = ("auto", "rattler", "conda", "venv")


def add_to_setup(setup: argparse.ArgumentParser) -> None:
    setup.add_argument(
        "--profile", metavar="FILE", help="a class profile (*.torchlab): its build for this computer, exactly its files"
    )
    add_trust_option(setup)


def add_profile(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "profile", help="class profiles (*.torchlab): make one, show it, check it against machines, sign it"
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for add in _ACTIONS:
        add(actions)


def _add_make(actions: Any) -> None:
    make: argparse.ArgumentParser = actions.add_parser(
        "make", help="lock the builds that a class needs; without machines and tags: the build for this computer"
    )
    make.add_argument("--output", "-o", metavar="FILE", required=True, help="a new file, such as class.torchlab")
    make.add_argument("--force", action="store_true", help="write over FILE if it is there")
    make.add_argument(
        "--sign",
        nargs="?",
        const="",
        metavar="KEYFILE",
        help="sign it: with your own key, or that of a minisign key file",
    )
    make.add_argument("--title", help="for people (default: the name)")
    need = make.add_argument_group("what the class needs")
    need.add_argument(
        "--machine", nargs="+", metavar="FILE", help="machine files (`probe --json`), or a folder of them"
    )
    need.add_argument("--platform", metavar="A,B", help="windows,linux (linux-aarch64): with --variant")
    need.add_argument("--variant", metavar="A,B", help="CUDA tags and cpu, such as cu126,cpu")
    need.add_argument("--torch", metavar="A,B", help="allowed torch releases; one: that one and no other")
    need.add_argument("--python", metavar="3.12", help="Python version of the environments")
    need.add_argument("--with", dest="companions", metavar="A,B", help="torchvision,torchaudio,NAME (none: only torch)")
    _add_environment(make)
    _add_sources(make)


def _add_environment(make: argparse.ArgumentParser) -> None:
    there = make.add_argument_group("on the students' machines")
    there.add_argument("--name", default="torch", help="name of the environment (torch)")
    there.add_argument("--place", metavar="~/P", help="the folder that holds it, on every system")
    there.add_argument("--place-windows", metavar="D:/P", help="the folder that holds it on Windows")
    there.add_argument("--place-linux", metavar="/P", help="the folder that holds it on Linux")
    there.add_argument("--engine", choices=_ENGINES, default="auto", help="what makes the environment")
    there.add_argument(
        "--ask", metavar="A,B", help="what may still be chosen: name, place, engine, python, torch, variant"
    )
    there.add_argument("--language", choices=("en", "zh_CN"), help="language of messages there")
    there.add_argument("--share", action="append", default=[], metavar="URL", help="a class server, asked first")
    there.add_argument("--only-share", action="store_true", help="ask class servers only")


def _add_sources(make: argparse.ArgumentParser) -> None:
    sources = make.add_argument_group("sources by hand")
    sources.add_argument("--index", metavar="URL", help="Python packages")
    sources.add_argument("--torch-index", metavar="URL", help="torch wheels, simple or flat")
    sources.add_argument("--channel", metavar="URL", help="conda channel, for the students' machines")
    sources.add_argument("--mirror", default="auto", metavar="ID|official|race", help="as for setup")
    sources.add_argument("--region", choices=("auto", "cn", "world"), default="auto", help="as for setup")
    add_network_options(make)


def _add_show(actions: Any) -> None:
    show: argparse.ArgumentParser = actions.add_parser(
        "show", help="what is in one, and which build this computer takes"
    )
    show.add_argument("profile", metavar="FILE")
    show.add_argument("--json", action="store_true", help="one JSON document on stdout")


def _add_check(actions: Any) -> None:
    check: argparse.ArgumentParser = actions.add_parser(
        "check", help="every mistake in one; with machine files: which build each machine takes (exit 1: one has none)"
    )
    check.add_argument("profile", metavar="FILE")
    check.add_argument("--machine", nargs="+", metavar="FILE", help="machine files, or a folder of them")
    check.add_argument("--json", action="store_true", help="one JSON document on stdout")


def _add_signing(actions: Any) -> None:
    key: argparse.ArgumentParser = actions.add_parser(
        "key", help="your own public key for signing profiles; made when first asked for"
    )
    key.add_argument("--output", "-o", metavar="FILE", help="also write it to a new file, as minisign reads it")
    sign: argparse.ArgumentParser = actions.add_parser("sign", help="sign one with your key: FILE.minisig beside it")
    sign.add_argument("profile", metavar="FILE")
    sign.add_argument("--key", metavar="KEYFILE", help="a minisign key file in place of your own key")
    verify: argparse.ArgumentParser = actions.add_parser("verify", help="who signed one (exit 1: nobody)")
    verify.add_argument("profile", metavar="FILE")
    verify.add_argument(
        "--key", metavar="KEY|FILE", help="the class's key, as the teacher gives it; remembered in place of another"
    )


_ACTIONS: tuple[Callable[[Any], None], ...] = (_add_make, _add_show, _add_check, _add_signing)
