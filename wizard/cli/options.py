"""Options that several commands take, and what they mean as values. Light: what a value needs is imported with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from wizard.cli.command import Arguments, CheckedValue, GroupedOption, OneOf, flag, option, under, whole
from wizard.cli.help import N_
from wizard.model.errors import ErrorText, UsageError

if TYPE_CHECKING:
    from wizard.compatibility.model import Choices
    from wizard.transfer.proxy.model import Network


NO_MACHINE_FILES = ErrorText(
    "no-machine-files",
    "There is no machine file in {path}.",
    "Give a folder with .json files, such as those that [{page.check}|torch-wizard probe --json] prints.",
)

ENGINES = ("auto", "rattler", "conda", "venv")
REGIONS = ("auto", "cn", "world")
INDEX_STRATEGIES = ("first-index", "unsafe-best-match")
_COMPANIONS = ("torchvision", "torchaudio")
_MOST_CONNECTIONS = 16
_RATE = re.compile(r"(\d+(?:\.\d+)?)([kmg]?)b?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}  # as curl counts


def _rate(text: str) -> int:
    """`500K`, `5M`, `1.5m`, `800000`: bytes per second. Raises ValueError."""
    match = _RATE.fullmatch(text.strip())
    value = int(float(match[1]) * _UNITS[match[2].lower()]) if match else 0
    if value < 1:
        raise ValueError(text)
    return value


RATE = CheckedValue(_rate, N_("'%(value)s' is no rate; write 500K or 5M"))
CONNECTIONS = whole(1, _MOST_CONNECTIONS)


def find_links(help: str) -> GroupedOption:
    return option("--find-links", again=True, metavar="DIR|URL", help=help)


JSON = flag("--json", help=N_("one JSON document on stdout"))
YES = flag("--yes", "-y", help=N_("do not ask"))
EVENTS = flag("--events", help=N_("JSON event lines on stdout instead of text"))
PREFIX_HELP = N_("folder of the environment")
TRUST = option(
    "--trust",
    again=True,
    metavar="HOST",
    help=N_("a host that the profile or the project names and nobody here knows; may be given again"),
)
DISTRUST = option(
    "--distrust",
    again=True,
    metavar="HOST",
    help=N_("a host that the project names and nothing is taken from; may be given again"),
)
AS_OF = option(
    "--as-of",
    metavar="DATE",
    help=N_("packages that the project leaves open as on this day (2022-03-14), or today; else its own, if it is old"),
)
PROJECT = under(
    N_("a project"),
    option(
        "--project",
        metavar="PATH",
        help=N_("what this project (folder, file or address) asks for; nothing of it is run"),
    ),
    flag("--strict", help=N_("exactly what the project asks, or exit status 1")),
    option(
        "--relax",
        again=True,
        metavar="A,B",
        help=N_("what may differ from what the project asks (torch, cuda, numpy); may be given again"),
    ),
    AS_OF,
    flag(
        "--parts",
        help=N_("install last what is on no index: the project itself, its folders and repositories; their code runs"),
    ),
)
NETWORK = under(
    N_("the network"),
    option("--proxy", metavar="URL", help=N_("an http, https, socks5 or socks5h proxy; system (the default); or none")),
    option("--no-proxy", metavar="HOST,HOST", help=N_("hosts and domains to reach without the proxy")),
    option(
        "--ca-file", metavar="PATH", help=N_("certificates (PEM) to trust in place of the system's, as with pip --cert")
    ),
)
BUILD = under(
    N_("the build"),
    option(
        "--python",
        metavar="3.12|PATH",
        help=N_("Python version of the environment, or a Python of this computer to make it from (engine venv)"),
    ),
    option("--torch", metavar="X", help=N_("torch release, such as 2.14.1")),
    option("--variant", metavar="T", help=N_("cpu or a CUDA tag, such as cu126")),
    option("--with", dest="companions", metavar="A,B", help=N_("torchvision,torchaudio,NAME (none: only torch)")),
    flag("--include-unadvertised", help=N_("also builds that are not announced")),
    option("--engine", type=OneOf(*ENGINES), default="auto", help=N_("what makes the environment")),
    option(
        "--conda", metavar="PATH", help=N_("your own conda, mamba or micromamba, or its folder (means --engine conda)")
    ),
)
SOURCES = under(
    N_("sources by hand"),
    option("--index", metavar="URL", help=N_("Python packages")),
    option("--torch-index", metavar="URL", help=N_("torch wheels, simple or flat")),
    option(
        "--index-strategy",
        type=OneOf(*INDEX_STRATEGIES),
        default=INDEX_STRATEGIES[0],
        help=N_("of several indexes of your settings: the first that has a package, or the highest version of all"),
    ),
    find_links(N_("a folder or page of wheels")),
    option("--channel", metavar="URL", help=N_("conda channel (file:// too)")),
    option(
        "--mirror",
        default="auto",
        metavar="ID|official|race",
        help=N_("one mirror, the official places, or the fastest"),
    ),
    option("--region", type=OneOf(*REGIONS), default="auto", help=N_("where you are (default: by the system)")),
)


def names_network(arguments: Arguments) -> bool:
    return not (arguments.proxy is None and arguments.no_proxy is None and arguments.ca_file is None)


def network_from(arguments: Arguments) -> Network:
    """Return what was saved, with the options over it. Raise UsageError `network-…`."""
    from dataclasses import replace

    from wizard.app.use.network import load_network

    wish = load_network()
    if arguments.proxy is not None:
        wish = _with_proxy(wish, arguments.proxy)
    if arguments.no_proxy is not None:
        from wizard.transfer.proxy.bypass import checked_entries

        wish = replace(wish, no_proxy=checked_entries(arguments.no_proxy, "--no-proxy"))
    if arguments.ca_file is not None:
        from wizard.transfer.tls import checked_certificate

        wish = replace(wish, certificate=checked_certificate(arguments.ca_file, "--ca-file"))
    return wish


def _with_proxy(wish: Network, text: str) -> Network:
    from dataclasses import replace

    from wizard.transfer.proxy.bypass import checked_proxy
    from wizard.transfer.proxy.model import Mode

    named = {mode.value: mode for mode in (Mode.SYSTEM, Mode.NONE)}
    mode = named.get(text.strip().lower())
    if mode:
        return replace(wish, mode=mode, proxy=None)
    return replace(wish, mode=Mode.CUSTOM, proxy=checked_proxy(text, "--proxy"))


def choices_from(arguments: Arguments) -> Choices:
    """Return what BUILD, SOURCES and, where a command has them, the options of `setup` ask for.

    Raise UsageError `engine-conda-other` for a conda beside an engine that uses none, `python-path-engine`,
    `python-not-usable`."""
    from wizard.compatibility.model import Choices

    typed = vars(arguments)
    companions: tuple[str, ...] | None = None
    extras: tuple[str, ...] = ()
    if arguments.companions is not None:
        names = [name.strip() for name in arguments.companions.split(",") if name.strip() not in ("", "none")]
        companions = tuple(name for name in names if name in _COMPANIONS)
        extras = tuple(name for name in names if name not in _COMPANIONS)
    python, base_python = _python(arguments.python)
    engine = _engine(arguments.engine, arguments.conda)
    if base_python and engine not in ("auto", "venv"):
        raise UsageError(
            "python-path-engine",
            "[The engine |--engine ]{engine} brings a Python of its own and cannot use the one at {path}.",
            "[Choose another engine on the page {page.place}, or a Python version such as 3.12 on the page "
            "{page.build}.|Leave --engine out, or give --python a version such as 3.12.]",
            engine=engine,
            path=base_python,
        )
    of_setup: dict[str, Any] = {name: typed[name] for name in _OF_SETUP if name in typed}
    _check_day(of_setup.get("as_of"))
    return Choices(
        python=python,
        base_python=base_python,
        torch=arguments.torch,
        variant=arguments.variant,
        companions=companions,
        extras=extras,
        engine="venv" if base_python else engine,
        conda=arguments.conda,
        prefix=typed.get("prefix") or typed.get("into"),
        index=arguments.index,
        torch_index=arguments.torch_index,
        find_links=tuple(arguments.find_links),
        index_strategy=arguments.index_strategy,
        channel=arguments.channel,
        include_unadvertised=arguments.include_unadvertised,
        offline=typed.get("offline", False),
        mirrors=arguments.mirror,
        region=arguments.region,
        reuse=bool(typed.get("reuse") or typed.get("into")),
        **of_setup,
    )


_OF_SETUP = (
    *("as_of", "parts", "name", "limit_rate", "connections"),
    *("keep_wheels", "copies", "cache_dir", "temp_dir", "shared"),
)


def _check_day(text: str | None) -> None:
    """Raise UsageError `as-of-unknown`."""
    from datetime import date

    from wizard.compatibility.model import TODAY

    if text is None or text == TODAY:
        return
    try:
        if date.fromisoformat(text).isoformat() != text or date.fromisoformat(text) > date.today():
            raise ValueError(text)
    except ValueError as error:
        raise UsageError(
            "as-of-unknown",
            "“{day}” is no day that has been.",
            "Write it as 2022-03-14, or give today.",
            day=text,
        ) from error


def _python(text: str | None) -> tuple[str | None, str | None]:
    """Return version and path; a path is asked for its version. Raise UsageError `python-not-usable`."""
    if text is None or not set(text) & set("/\\~"):
        return text, None
    from pathlib import Path

    from wizard.machine.asking import asker
    from wizard.machine.host.interpreters import named_python

    found = named_python(asker(lambda: False), Path(text))
    return found.minor, found.executable


def _engine(engine: str, conda: str | None) -> str:
    if conda is None or engine == "conda":
        return engine
    if engine != "auto":
        raise UsageError(
            "engine-conda-other",
            "--conda names a conda, and --engine {engine} does not use one.",
            "Leave out one of the two.",
            engine=engine,
        )
    return "conda"
