"""The command line's grammar (docs/architecture.md is the contract)."""

from __future__ import annotations

import argparse
from typing import Any

from wizard.cli.grammar import classroom
from wizard.cli.grammar import setup as fleet_grammar
from wizard.cli.grammar import setup as reuse_grammar
from wizard.cli.grammar.classroom import add_pack, add_profile
from wizard.cli.grammar.environment import add_environments
from wizard.cli.grammar.network import add_network_options
from wizard.cli.grammar.setup import add_download_options, download_choices, volume_choices
from wizard.cli.grammar.sources import add_mirrors, add_undo
from wizard.cli.version import ShowVersion
from wizard.compatibility.model import INDEX_STRATEGIES, Choices
from wizard.model.errors import UsageError


def add_explain(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser("explain", help="cause and fix of a pasted error")
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="a log or traceback (-: standard input)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def add_store(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "store",
        help="the packages that environments share: show them, prune them, verify them, move them",
        description="Every wheel is unpacked once into the package store, and environments share its files.",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="what it holds, and what pruning frees")
    show.add_argument("--json", action="store_true", help="one JSON document on stdout")
    prune = actions.add_parser("prune", help="take out what no environment uses and no unfinished run needs")
    prune.add_argument("--yes", "-y", action="store_true", help="do not ask")
    prune.add_argument("--json", action="store_true", help="one JSON document on stdout")
    verify = actions.add_parser(
        "verify", help="read every file and compare its SHA-256; what is damaged comes anew when it is needed (exit 1)"
    )
    verify.add_argument("--json", action="store_true", help="one JSON document on stdout")
    move = actions.add_parser("move", help="put it into another folder and use it there from now on")
    move.add_argument("folder", metavar="DIR", help="a new folder, or one that a move was interrupted into")


def add_matrices(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "matrices", help="the compatibility data: show, check, refresh"
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="the releases, or one with its builds")
    show.add_argument("torch", nargs="?", metavar="TORCH", help="a torch release, such as 2.14.1 (default: all)")
    check = actions.add_parser("check", help="is every row well formed and does it agree with the others?")
    check.add_argument("folder", nargs="?", metavar="FOLDER", help="tables elsewhere (default: ours and the overlay)")
    refresh = actions.add_parser("refresh", help="ask the sources for newer releases and keep them on this computer")
    refresh.add_argument("--remove", action="store_true", help="forget all that was learnt this way")
    refresh.add_argument("--all-platforms", action="store_true", help="not only this computer's")
    refresh.add_argument("--torch-index", metavar="URL", help="torch wheels, simple or flat")
    refresh.add_argument("--index", metavar="URL", help="Python packages")
    refresh.add_argument(
        "--find-links", action="append", default=[], metavar="DIR|URL", help="a folder or page of wheels"
    )
    for action in (show, check, refresh):
        action.add_argument("--json", action="store_true", help="one JSON document on stdout")


def add_doctor(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    doctor = commands.add_parser(
        "doctor",
        help="why an environment does not work, and the smallest repair",
        description="Looks into any environment, also one that was made by other means. Without --prefix: whether "
        "something has replaced PyTorch in the environments that were set up here.",
        epilog="Exit status: 0 nothing is wrong, or repaired and tested; 1 found and not repaired; 2 wrong usage; "
        "3 the environment is fine, this computer keeps PyTorch from the card.",
    )
    doctor.add_argument("--prefix", metavar="P", help="folder of the environment")
    doctor.add_argument("--json", action="store_true", help="one document on stdout")
    doctor.add_argument("--repair", action="store_true", help="carry out the smallest repair, after asking")
    doctor.add_argument("--yes", "-y", action="store_true", help="do not ask")
    doctor.add_argument("--no-import", action="store_true", help="only look: do not import PyTorch")
    doctor.add_argument("--deep", action="store_true", help="also read every file and compare its SHA-256")
    doctor.add_argument("--undo", action="store_true", help="take the last repair of this environment back")
    doctor.add_argument("--save", metavar="FILE", help="also save the answer (.html, .json or .txt)")
    job = doctor.add_argument_group("from a login node without a card")
    job.add_argument("--job", choices=("slurm",), help="write a script that tests it on a compute node (sbatch, srun)")
    job.add_argument("--output", "-o", metavar="FILE", help="the script, a new file on a disk that all nodes see")
    job.add_argument(
        "--job-option",
        action="append",
        default=[],
        metavar="OPTION",
        help="for Slurm, such as --job-option=--partition=gpu",
    )
    sources = doctor.add_argument_group("sources by hand (default: those of its setup, then the official ones)")
    sources.add_argument("--index", metavar="URL", help="Python packages")
    sources.add_argument("--torch-index", metavar="URL", help="torch wheels, simple or flat")
    sources.add_argument(
        "--find-links", action="append", default=[], metavar="DIR|URL", help="a folder or page of wheels"
    )


FAMILY_COMPANIONS = ("torchvision", "torchaudio")
REGIONS = ("auto", "cn", "world")
ENGINES = ("auto", "rattler", "conda", "venv")


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="torch-wizard",
        description="From a bare computer to PyTorch on its graphics card. Without a command: the window.",
        epilog="Exit status: 0 done, 1 failed, 2 wrong usage, 3 installed but the GPU test failed, 130 cancelled.",
    )
    parser.add_argument("--version", action=ShowVersion, help="version of the program, and date of its data")
    _add_language(parser, None, "language of messages (default: the system's)")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    window = commands.add_parser("window", help="open the window (the default)")
    window.add_argument("file", nargs="?", metavar="FILE", help="a plan or a profile to open")
    window.add_argument("--self-test", action="store_true", help=argparse.SUPPRESS)

    probe = commands.add_parser("probe", help="facts about this computer")
    probe.add_argument("--json", action="store_true", help="one machine.json document on stdout")

    pick = commands.add_parser("pick", help="which builds fit, the best first, and why")
    pick.add_argument("--machine", nargs="+", metavar="FILE", help="machine files, or a folder of them")
    pick.add_argument("--json", action="store_true", help="one JSON document on stdout")
    pick.add_argument("--explain", action="store_true", help="every link of the proof with its source, and all others")
    pick.add_argument("--offline", action="store_true", help="ask no source: decide by the shipped tables alone")
    _add_choices(pick)

    setup = commands.add_parser("setup", help="the whole job without a window")
    where = setup.add_mutually_exclusive_group()
    where.add_argument("--name", help="name of the new environment (default: torch)")
    where.add_argument("--prefix", metavar="P", help="folder of the new environment")
    reuse_grammar.add_into(where)
    reuse_grammar.add_reuse(setup)
    classroom.add_to_setup(setup)
    classroom.add_setup_options(setup)
    fleet_grammar.add_fleet_options(setup)
    _add_choices(setup)
    add_download_options(setup)
    setup.add_argument("--dry-run", action="store_true", help="show the plan and stop")
    setup.add_argument("--plan-only", action="store_true", help="save the plan, print where it lies, and stop")
    setup.add_argument("--yes", "-y", action="store_true", help="do not ask")
    setup.add_argument("--events", action="store_true", help="JSON event lines on stdout instead of text")

    run = commands.add_parser("run", help="carry out a plan")
    run.add_argument("plan", metavar="PLAN", help="plan.json, or the id of a run")
    run.add_argument("--events", action="store_true", help="JSON event lines on stdout instead of text")
    run.add_argument("--started", action="store_true", help=argparse.SUPPRESS)

    resume = commands.add_parser("resume", help="go on with an unfinished run (the newest, without RUN)")
    resume.add_argument("run", nargs="?", metavar="RUN")
    resume.add_argument("--events", action="store_true", help="JSON event lines on stdout instead of text")

    verify = commands.add_parser("verify", help="smoke test of any environment")
    verify.add_argument("--prefix", required=True, metavar="P", help="folder of the environment")
    verify.add_argument("--deep", action="store_true", help="compare the content of every file of every package first")
    verify.add_argument("--json", action="store_true", help="one JSON document on stdout")
    verify.add_argument("--save", metavar="FILE", help="also save the report (.html, .json or .txt)")

    runs = commands.add_parser("runs", help="the runs on this computer; remove one")
    runs.add_argument("--remove", metavar="RUN", help="remove an unfinished run and the environment that it began")
    runs.add_argument("--json", action="store_true", help="one JSON document on stdout")
    for add in (
        add_explain,
        add_matrices,
        add_doctor,
        add_environments,
        add_mirrors,
        add_profile,
        add_pack,
        add_undo,
        add_store,
    ):
        add(commands)
    _take_language_behind(parser)
    return parser


def _add_language(parser: argparse.ArgumentParser, default: str | None, words: str) -> None:
    parser.add_argument("--lang", choices=("en", "zh_CN"), default=default, help=words)


def _take_language_behind(parser: argparse.ArgumentParser) -> None:
    """Behind a command, too: nobody remembers on which side of it. What stands before it is kept where nothing does."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in dict.fromkeys(action.choices.values()):
                _add_language(command, argparse.SUPPRESS, argparse.SUPPRESS)
                _take_language_behind(command)


def _add_choices(parser: argparse.ArgumentParser) -> None:
    build = parser.add_argument_group("the build")
    build.add_argument("--python", metavar="3.12", help="Python version of the environment")
    build.add_argument("--torch", metavar="X", help="torch release, such as 2.14.1")
    build.add_argument("--variant", metavar="T", help="cpu or a CUDA tag, such as cu126")
    build.add_argument(
        "--with", dest="companions", metavar="A,B", help="torchvision,torchaudio,NAME (none: only torch)"
    )
    build.add_argument("--include-unadvertised", action="store_true", help="also builds that are not announced")
    build.add_argument("--engine", choices=ENGINES, default="auto", help="what makes the environment")
    build.add_argument(
        "--conda", metavar="PATH", help="your own conda, mamba or micromamba, or its folder (means --engine conda)"
    )
    sources = parser.add_argument_group("sources by hand")
    sources.add_argument("--index", metavar="URL", help="Python packages")
    sources.add_argument("--torch-index", metavar="URL", help="torch wheels, simple or flat")
    sources.add_argument(
        "--index-strategy",
        choices=INDEX_STRATEGIES,
        default=INDEX_STRATEGIES[0],
        help="of several indexes of your settings: the first that has a package, or the highest version of all",
    )
    sources.add_argument(
        "--find-links", action="append", default=[], metavar="DIR|URL", help="a folder or page of wheels"
    )
    sources.add_argument("--channel", metavar="URL", help="conda channel (file:// too)")
    sources.add_argument(
        "--mirror", default="auto", metavar="ID|official|race", help="one mirror, the official places, or the fastest"
    )
    sources.add_argument("--region", choices=REGIONS, default="auto", help="where you are (default: by the system)")
    add_network_options(parser)


def _engine(engine: str, conda: str | None) -> str:
    """Raises UsageError `engine-conda-other` for a conda beside an engine that uses none."""
    if conda is None or engine == "conda":
        return engine
    if engine != "auto":
        raise UsageError("engine-conda-other", engine=engine)
    return "conda"


def choices_from(arguments: argparse.Namespace) -> Choices:
    companions: tuple[str, ...] | None = None
    extras: tuple[str, ...] = ()
    if arguments.companions is not None:
        names = [name.strip() for name in arguments.companions.split(",") if name.strip() not in ("", "none")]
        companions = tuple(name for name in names if name in FAMILY_COMPANIONS)
        extras = tuple(name for name in names if name not in FAMILY_COMPANIONS)
    return Choices(
        python=arguments.python,
        torch=arguments.torch,
        variant=arguments.variant,
        companions=companions,
        extras=extras,
        engine=_engine(arguments.engine, arguments.conda),
        conda=arguments.conda,
        name=getattr(arguments, "name", None),
        prefix=getattr(arguments, "prefix", None) or getattr(arguments, "into", None),
        index=arguments.index,
        torch_index=arguments.torch_index,
        find_links=tuple(arguments.find_links),
        index_strategy=getattr(arguments, "index_strategy", INDEX_STRATEGIES[0]),
        channel=arguments.channel,
        include_unadvertised=arguments.include_unadvertised,
        offline=getattr(arguments, "offline", False),
        mirrors=arguments.mirror,
        region=arguments.region,
        **download_choices(arguments),
        **volume_choices(arguments),
        **reuse_grammar.reuse_choices(arguments),
        **fleet_grammar.shared_choice(arguments),
    )
