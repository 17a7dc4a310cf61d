"""The grammar of `torch-wizard profile`, and of `setup --profile`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from wizard.cli.network_grammar import add_network_options
from wizard.cli.trust_grammar import add_trust_option

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
