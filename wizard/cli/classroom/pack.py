"""`torch-wizard pack`: build, check, update and serve the folder that a class installs from."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.cli.command import Arguments, CommandGroup, argument, flag, option, whole
from wizard.cli.help import N_
from wizard.cli.options import JSON, NETWORK, TRUST, network_from
from wizard.cli.terminal import Interrupt, Terminal
from wizard.model.errors import Cancelled, ExitStatus
from wizard.model.messages import Message, bytes_text, message

if TYPE_CHECKING:
    from wizard.classroom.pack.build import BuildOptions
    from wizard.classroom.pack.listing import Built, PackProblem
    from wizard.transfer.download import FetchProgress

_PACK = argument("pack", "DIR")
_MAKING = (
    option(
        "--program",
        again=True,
        metavar="FILE",
        help=N_("put this file into the pack too: the program itself, Miniforge's installer; may be given again"),
    ),
    flag("--split", help=N_("files over 4 GiB in parts, as FAT32 needs them (seen by itself there)")),
    TRUST,
    *NETWORK,
)


_MOST_NAMED = 20
_NAP = 0.2


pack = CommandGroup("pack")


@pack.add(
    "build",
    N_("make one; goes on where it was interrupted"),
    argument("profile", "PROFILE", N_("a .torchlab file")),
    option("--output", "-o", required=True, metavar="DIR", help=N_("a new folder, or one that was begun")),
    *_MAKING,
)
def _build(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.classroom.pack.make import build_pack
    from wizard.cli.classroom.machine import Consent

    folder = Path(arguments.output).expanduser().absolute()
    progress, interrupt = _Progress(terminal), Interrupt()
    built = build_pack(
        Path(arguments.profile).expanduser(),
        folder,
        _options(arguments),
        progress.fetched,
        interrupt.is_asked,
        Consent(arguments.trust, terminal, interrupt, for_pack=True),
    )
    terminal.drop()
    return _tell(built, folder, terminal)


@pack.add(
    "update",
    N_("fetch what changed or was damaged, and nothing else"),
    _PACK,
    argument("profile", "[PROFILE]", N_("the new profile (default: the pack's own)"), required=False),
    flag("--remove", help=N_("delete the files that it does not need any more")),
    *_MAKING,
)
def _update(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.classroom.pack.make import update_pack
    from wizard.cli.classroom.machine import Consent

    folder = Path(arguments.pack).expanduser().absolute()
    profile = Path(arguments.profile).expanduser() if arguments.profile else None
    progress, interrupt = _Progress(terminal), Interrupt()
    consent = Consent(arguments.trust, terminal, interrupt, for_pack=True)
    built = update_pack(folder, profile, _options(arguments), progress.fetched, interrupt.is_asked, consent)
    terminal.drop()
    return _tell(built, folder, terminal)


def _options(arguments: Arguments) -> BuildOptions:
    from wizard.app.use.network import load_network
    from wizard.classroom.pack.build import BuildOptions
    from wizard.transfer.download.fetcher import Options
    from wizard.transfer.proxy.environment import present_environment

    program = tuple(Path(name).expanduser() for name in arguments.program)
    environment = present_environment(network_from(arguments) or load_network())
    return BuildOptions(
        split=arguments.split,
        program=program,
        remove=getattr(arguments, "remove", False),
        fetch=Options(environment=environment),
    )


def _tell(built: Built, folder: Path, terminal: Terminal) -> int:
    from wizard.classroom.code import code_of

    terminal.say(
        message(
            "pack.done",
            "The pack is ready: {path} ({size}). Downloaded: {fetched}; taken from this computer's "
            "downloads: {copied}; was there already: {present}.",
            path=str(folder),
            size=bytes_text(built.listing.total_bytes),
            fetched=bytes_text(built.bytes_fetched),
            copied=bytes_text(built.bytes_copied),
            present=bytes_text(built.bytes_present),
        )
    )
    for key, names in (("pack.split", built.split), ("pack.removed", built.removed), ("pack.kept", built.kept)):
        if names:
            terminal.say(message(key, count=len(names), names=_some(names)))
    terminal.say(message("pack.code", "Class code: {code}", code=code_of(built.listing.profile_sha256)))
    return ExitStatus.DONE


@pack.add("check", N_("read every file and name those that are wrong"), _PACK, JSON)
def _check(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.classroom.pack.make import check_pack

    folder = Path(arguments.pack).expanduser().absolute()
    progress, interrupt = _Progress(terminal), Interrupt()
    checked = check_pack(folder, progress.read, interrupt.is_asked)
    terminal.drop()
    if arguments.json:
        problems = [asdict(problem) for problem in checked.problems]
        terminal.document({"schema": 1, "ok": not problems, "problems": problems, "others": list(checked.others)})
    else:
        show_problems(checked.problems, terminal)
        if checked.others:
            terminal.say(
                message(
                    "pack.others",
                    "Files in the pack that are not in its list and are given to nobody ({count}): {names}",
                    count=len(checked.others),
                    names=_some(checked.others),
                )
            )
        if not checked.problems:
            terminal.say(
                message(
                    "pack.good", "Every file is there and right ({size}).", size=bytes_text(checked.listing.total_bytes)
                )
            )
    return ExitStatus.FAILED if checked.problems else ExitStatus.DONE


def show_problems(problems: tuple[PackProblem, ...], terminal: Terminal) -> None:
    for problem in problems:
        terminal.write("✗ " + terminal.words(Message(f"pack.problem.{problem.kind}", {"path": problem.path})))
    if problems:
        terminal.say(message("pack.mend", "[{page.class}|torch-wizard pack update] fetches these anew."))


@pack.add(
    "serve",
    N_("hand it out to the class until Ctrl+C"),
    _PACK,
    option(
        "--port",
        type=whole(0, 65535),
        default=8765,
        metavar="N",
        help=N_("the port to listen at (default: 8765; 0: any free one)"),
    ),
    option("--host", default="", metavar="ADDRESS", help=N_("listen there only (default: everywhere)")),
    option(
        "--per-client",
        type=whole(1, 10_000),
        default=8,
        metavar="N",
        help=N_("replies at once for one address (default: 8; more where a room is behind one address)"),
    ),
    option(
        "--together",
        type=whole(1, 10_000),
        default=256,
        metavar="N",
        help=N_("replies at once over all (default: 256)"),
    ),
    flag("--announce", help=N_("let this network find it by the code (mDNS)")),
)
def _serve(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.classroom.code import code_of
    from wizard.classroom.pack.listing import PROFILE
    from wizard.classroom.profile.hosts import foreign_hosts
    from wizard.classroom.profile.read import read_profile
    from wizard.classroom.server.limits import Limits
    from wizard.classroom.server.server import ServeOptions
    from wizard.classroom.server.share import serve_pack

    progress, interrupt = _Progress(terminal), Interrupt()
    limits = Limits(together=arguments.together, each=arguments.per_client)
    options = ServeOptions(arguments.host, arguments.port, limits)
    folder = Path(arguments.pack).expanduser().absolute()
    came: list[Message] = []
    with serve_pack(
        folder,
        options,
        arguments.announce,
        lambda value: came.append(
            message("share.came", "A result came in: {label}", label=value.label or value.machine[:8])
        ),
        progress.read,
        interrupt.is_asked,
        lambda refused: came.append(refused.words),
    ) as serving:
        terminal.drop()
        show_problems(serving.problems, terminal)
        terminal.say(
            message(
                "share.serving",
                "Serving the pack at {addresses} (Ctrl+C ends it)",
                addresses="  ".join(serving.addresses),
            )
        )
        code = code_of(serving.listing.profile_sha256, serving.class_key)
        # Who is not announced is not found by the code alone.
        trust = [f"--trust {one.name} " for one in foreign_hosts(read_profile(folder / PROFILE).profile)]
        by_address = f"--pack {serving.addresses[0]} " if serving.addresses and not arguments.announce else ""
        terminal.say(
            message(
                "share.code",
                "Class code: {code}. Students type[ it on the page {page.welcome}.|: torch-wizard setup {options} "
                "--yes]",
                code=code,
                options=f"{by_address}--class {code} {''.join(trust)}".rstrip(),
            )
        )
        try:
            wait(interrupt, came, terminal)
        except Cancelled:
            counted = serving.server.counted
            terminal.say(
                message(
                    "share.served",
                    "Handed out: {size}, to computers: {clients}. Results that came in: {results}. Requests "
                    "that were asked to wait: {refused}.",
                    size=bytes_text(counted.bytes_sent),
                    clients=len(counted.clients),
                    results=counted.results,
                    refused=counted.refused,
                )
            )
            if too_many := counted.too_many.copy():
                terminal.say(
                    message(
                        "share.too-many",
                        "Results that were refused because one address had sent too many within an hour: {count} "
                        "(from {clients}).",
                        count=too_many.total(),
                        clients=_some(tuple(client for client, _ in too_many.most_common())),
                    )
                )
    return ExitStatus.DONE


def wait(interrupt: Interrupt, came: list[Message], terminal: Terminal, until: float | None = None) -> None:
    """Until it is stopped, which raises Cancelled, or the time is over."""
    while until is None or time.monotonic() < until:
        interrupt.check()
        while came:
            terminal.say(came.pop(0))
        time.sleep(_NAP)


def _some(names: tuple[str, ...]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (" …" if len(names) > _MOST_NAMED else "")


class _Progress:
    """Of files that come, and of bytes that are read."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._read = 0

    def fetched(self, progress: FetchProgress) -> None:
        total = "?" if progress.total is None else bytes_text(progress.total)
        words = message(
            "pack.fetching", "{done} / {total}  {file}", done=bytes_text(progress.done), total=total, file=progress.file
        )
        self._terminal.draw(words, progress.done, progress.total)

    def read(self, count: int) -> None:
        self._read += count
        self._terminal.draw(message("pack.reading", "{done} read", done=bytes_text(self._read)))
