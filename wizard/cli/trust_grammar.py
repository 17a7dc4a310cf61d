"""The grammar of `--trust`, of every command that a class profile may send somewhere."""

from __future__ import annotations

import argparse


def add_trust_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trust", action="append", default=[], metavar="HOST",
        help="a host that the profile names and that is neither official nor in the tables; may be given again",
    )  # fmt: skip
