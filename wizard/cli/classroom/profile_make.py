"""`torch-wizard profile make`: from machine files, or from systems and CUDA tags, to a `*.torchlab` file.

One file: each refusal stands where it is found, with its sentences.
"""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.classroom.profile.model import ASKABLE, Profile, ProfileEnvironment, ProfileLock
from wizard.cli.command import Arguments, OneOf, command, flag, option, under
from wizard.cli.help import N_
from wizard.cli.options import ENGINES, NETWORK, NO_MACHINE_FILES, REGIONS, network_from
from wizard.cli.terminal import Interrupt, Terminal, put_new
from wizard.compatibility.model import Choices
from wizard.machine.host.operating_system import normal_arch
from wizard.machine.machine_file import read_machine_file
from wizard.machine.model import Machine
from wizard.model.distributions import FAMILY
from wizard.model.errors import EXPORT_EXISTS, EXPORT_NOT_WRITTEN, ErrorText, ExitStatus, UsageError, WizardError
from wizard.model.messages import LANGUAGES, Message, bytes_text, gigabytes, message
from wizard.process import redact
from wizard.system import paths

if TYPE_CHECKING:
    from wizard.app.session import Session
    from wizard.classroom.profile.make import Hearing, Made
    from wizard.classroom.profile.needs import Allowed, Needs, ProfileNeed
    from wizard.compatibility.data.model import Matrix


PROFILE_OPTION = ErrorText(
    "profile-option",
    "{option} cannot be {value} in a class profile.",
    "See “torch-wizard profile make --help”; a place is ~/folder, or for one system a full path.",
)

_PLATFORMS: Mapping[str, tuple[str, str]] = {
    "windows": ("windows", "x86_64"),
    "linux": ("linux", "x86_64"),
    "linux-aarch64": ("linux", "aarch64"),
}


@command(
    "make",
    option("--output", "-o", metavar="FILE", required=True, help=N_("a new file, such as class.torchlab")),
    flag("--force", help=N_("write over FILE if it is there")),
    option(
        "--sign",
        flag_value="",
        is_flag=False,
        metavar="[KEYFILE]",
        help=N_("sign it: with your own key, or that of a minisign key file"),
    ),
    option("--title", metavar="TITLE", help=N_("for people (default: the name)")),
    *under(
        N_("what the class needs"),
        option(
            "--machine",
            takes_several=True,
            metavar="FILE...",
            help=N_("machine files (`probe --json`), or a folder of them"),
        ),
        option("--platform", metavar="A,B", help=N_("windows,linux (linux-aarch64): with --variant")),
        option("--variant", metavar="A,B", help=N_("CUDA tags and cpu, such as cu126,cpu")),
        option("--torch", metavar="A,B", help=N_("allowed torch releases; one: that one and no other")),
        option("--python", metavar="3.12", help=N_("Python version of the environments")),
        option(
            "--with",
            dest="companions",
            metavar="A,B",
            help=N_("torchvision,torchaudio,NAME (none: only torch; default: torchvision)"),
        ),
    ),
    *under(
        N_("on the students' machines"),
        option("--name", metavar="NAME", default="torch", help=N_("name of the environment (torch)")),
        option("--place", metavar="~/P", help=N_("the folder that holds it, on every system")),
        option("--place-windows", metavar="D:/P", help=N_("the folder that holds it on Windows")),
        option("--place-linux", metavar="/P", help=N_("the folder that holds it on Linux")),
        option("--engine", type=OneOf(*ENGINES), default="auto", help=N_("what makes the environment")),
        option(
            "--ask", metavar="A,B", help=N_("what may still be chosen: name, place, engine, python, torch, variant")
        ),
        option("--language", type=OneOf(*LANGUAGES), help=N_("language of messages there")),
        option("--share", again=True, metavar="URL", help=N_("a class server, asked first")),
        flag("--only-share", help=N_("ask class servers only")),
    ),
    *under(
        N_("sources by hand"),
        option("--index", metavar="URL", help=N_("Python packages")),
        option("--torch-index", metavar="URL", help=N_("torch wheels, simple or flat")),
        option("--find-links", again=True, metavar="URL", help=N_("a page of wheels that all computers can reach")),
        option("--channel", metavar="URL", help=N_("conda channel, for the students' machines")),
        option("--mirror", default="auto", metavar="ID|official|race", help=N_("as for setup")),
        option("--region", type=OneOf(*REGIONS), default="auto", help=N_("as for setup")),
    ),
    *NETWORK,
)
def make(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.session import Session
    from wizard.classroom.profile.make import check_made, make_profile
    from wizard.classroom.profile.needs import Allowed, checked
    from wizard.cli.classroom.profile_sign import named_key, sign_with
    from wizard.run.select.mirror_policy import check_mirror

    session, interrupt = Session(network_from(arguments)), Interrupt()
    path, made = Path(arguments.output).expanduser(), _made(arguments)
    if path.exists() and not arguments.force:
        raise UsageError(EXPORT_EXISTS, path=str(path))
    if not os.access(path.absolute().parent, os.W_OK):  # now, and not after all the locks were made
        raise WizardError(EXPORT_NOT_WRITTEN, details="no folder that can be written", path=str(path))
    signing = None if arguments.sign is None else named_key(arguments.sign)
    allowed = checked(Allowed(_list(arguments.torch), _list(arguments.variant), arguments.python), session.matrix)
    choices = _choices(arguments, allowed, made.environment)
    check_mirror(choices.mirrors)
    check_made(made)
    wanted = _Wanted.of(arguments, allowed, session)
    needs = wanted.needs(session.matrix)
    if arguments.companions is None:
        terminal.say(
            message(
                "profile.make.default-with",
                "Each build comes with torchvision; change it [on the page {page.build}|by --with].",
            )
        )
    for unmet in needs.unmet:
        why = terminal.words(unmet.reason) if unmet.reason else "-"
        key = "profile.make.unmet" if unmet.is_read else "profile.make.unread"
        terminal.say(message(key, machine=unmet.machine, why=why))
    terminal.say(message("cli.electing"))
    telling, facts = _Telling(terminal), session.facts_of(_somewhere())
    hearing, is_cancelled = telling.hearing(), interrupt.is_asked
    file = make_profile(facts, session.matrix, needs, made, choices, is_cancelled, hearing, wanted.fewer)
    _write(path, file.data, arguments.force)
    total = gigabytes(sum(each.size or 0 for each in file.profile.files))
    terminal.say(message("profile.make.done", path=str(path), code=file.sha256[:12], gigabytes=total))
    for words in _about(file.profile, session.matrix):
        terminal.say(words)
    if signing:
        sign_with(path, file, signing, terminal)
    return ExitStatus.FAILED if needs.unmet or telling.left_out else ExitStatus.DONE


def _about(profile: Profile, matrix: Matrix) -> Iterator[Message]:
    """What whoever hands it out must know: the driver, the version of the program, addresses that nobody can reach."""
    from wizard.classroom.profile.choose import sufficient_drivers
    from wizard.classroom.profile.hosts import loopback_hosts
    from wizard.classroom.profile.rows import FIRST_READER

    for system, driver in sufficient_drivers(profile, matrix).items():
        yield message(
            "profile.make.driver",
            "NVIDIA driver {driver} suffices for every build of this profile on {system}.",
            driver=driver,
            system=system,
        )
    if profile.rows:
        yield message(
            "profile.make.rows",
            "Not every Torch Setup knows torch {releases}, so the profile carries the rows of the tables on it. "
            "The computers of the class need Torch Setup {version} or newer.",
            releases=", ".join(row["torch"] for row in profile.rows["releases"]),
            version=FIRST_READER,
        )
    hosts = loopback_hosts(profile)
    if hosts:
        yield message(
            "profile.make.loopback",
            "No other computer can fetch from {hosts}: everywhere that means the computer itself. Hand out the files "
            "as a pack, or make the profile with an address that the class can reach.",
            hosts=", ".join(hosts),
        )


class _Telling:
    """`left_out`: entries that could not be made, so that their machines get nothing."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self.left_out = 0

    def hearing(self) -> Hearing:
        from wizard.classroom.profile.make import Hearing

        return Hearing(self._entry, self._left_out, self._no_python, self._replaced, self._terminal.say)

    def _entry(self, need: ProfileNeed, entry: ProfileLock) -> None:
        size = bytes_text(sum(file.size or 0 for file in entry.files) + entry.conda_bytes)
        key = "profile.make.entry-for" if need.machines else "profile.make.entry"
        count = len(entry.files) + len(entry.conda)
        self._terminal.say(message(key, entry=entry.label, files=count, size=size, count=len(need.machines)))

    def _left_out(self, need: ProfileNeed, error: WizardError) -> None:
        self.left_out += 1
        key = "profile.make.left-out-for" if need.machines else "profile.make.left-out"
        why, machines = self._terminal.words(error.summary), ", ".join(need.machines)
        self._terminal.say(message(key, entry=need.label, why=why, machines=machines))

    def _no_python(self, need: ProfileNeed, error: WizardError) -> None:
        why = self._terminal.words(error.summary)
        self._terminal.say(message("profile.make.no-python", entry=need.label, why=why))

    def _replaced(self, need: ProfileNeed, given: tuple[ProfileNeed, ...]) -> None:
        self._terminal.say(
            message(
                "profile.make.replaced",
                "No source has {wanted}; instead of it the next best comes: {given}.",
                wanted=need.label,
                given=", ".join(dict.fromkeys(f"torch {one.torch}+{one.variant}" for one in given)),
            )
        )


def _somewhere() -> Machine:
    """Stands for the target until each entry names its own; only this computer's way to the network is looked at."""
    return Machine("linux", "x86_64", None, None, ())


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What was asked for: machines, and systems with tags. `unread`: files that are no machine."""

    allowed: Allowed
    machines: Sequence[tuple[str, Machine]]
    unread: Sequence[tuple[str, UsageError]]
    platforms: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, arguments: Arguments, allowed: Allowed, session: Session) -> _Wanted:
        platforms = _platforms(arguments.platform)
        if not arguments.machine and not allowed.variants:
            if platforms:
                raise UsageError(
                    "profile-make-what",
                    "It is not known which graphics cards the class has.",
                    "Name machine files with --machine FOLDER (“torch-wizard probe --json” on each computer), or "
                    "CUDA tags with --variant cu126,cpu.",
                )
            return cls(allowed, [("-", session.probe().machine)], [], ())
        machines, unread = machines_of(arguments.machine) if arguments.machine else ([], [])
        if not platforms and not arguments.machine:
            platforms = ((paths.os_name(), normal_arch(platform.machine())),)
        return cls(allowed, machines, unread, platforms if allowed.variants else ())

    def needs(self, matrix: Matrix, all_of_them: bool = True) -> Needs:
        from wizard.classroom.profile.needs import Needs, Unmet, needs_of_machines, needs_of_platforms, together

        unread = Needs((), tuple(Unmet(name, error.summary, is_read=False) for name, error in self.unread))
        machines = needs_of_machines(self.machines, self.allowed, matrix)
        return together([machines, unread, needs_of_platforms(self.platforms, self.allowed, matrix, all_of_them)])

    def fewer(self, matrix: Matrix) -> Needs:
        """By tables that lack builds which no source has."""
        return self.needs(matrix, all_of_them=False)


def machines_of(given: Sequence[str]) -> tuple[list[tuple[str, Machine]], list[tuple[str, UsageError]]]:
    """By file name; and those that are no machine that this program knows, which must not hold up all the others.

    Raises UsageError `no-machine-files`, `no-machine-file`; `bad-machine-file` where there is no other."""
    files: list[Path] = []
    for name in given:
        path = Path(name).expanduser()
        files += sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise UsageError(NO_MACHINE_FILES, path=given[0])
    machines, unread = [], []
    for file in files:
        try:
            machines.append((file.name, read_machine_file(file)))
        except UsageError as error:
            if error.code != "bad-machine-file":
                raise
            unread.append((file.name, error))
    if not machines:
        raise unread[0][1]
    return machines, unread


def _platforms(text: str | None) -> tuple[tuple[str, str], ...]:
    names = _list(text)
    unknown = [name for name in names if name not in _PLATFORMS]
    if unknown:
        raise UsageError(
            "profile-no-platform",
            "{platform} is not a system that PyTorch is built for.",
            "Write one or more of: {known}.",
            platform=unknown[0],
            known=", ".join(_PLATFORMS),
        )
    return tuple(_PLATFORMS[name] for name in names)


def _choices(arguments: Arguments, allowed: Allowed, environment: ProfileEnvironment) -> Choices:
    """Engine `venv`: nothing is made here, so no conda channel needs to be asked or to race.

    Raises WizardError `profile-local`, `profile-secret` for an address that no profile may hold."""
    from wizard.classroom.profile.conda import plain_address

    for url in (arguments.index, arguments.torch_index, arguments.channel, *arguments.find_links):
        if url is not None:
            plain_address(url)
    return Choices(
        python=allowed.python,
        companions=None if arguments.companions is None else environment.companions,
        engine="venv",
        index=arguments.index,
        torch_index=arguments.torch_index,
        find_links=tuple(arguments.find_links),
        channel=arguments.channel,
        mirrors=arguments.mirror,
        region=arguments.region,
    )


def _made(arguments: Arguments) -> Made:
    """Raises UsageError `profile-option` for what no profile may hold."""
    from wizard.classroom.profile.make import Made

    names = ("torchvision",) if arguments.companions is None else _list(arguments.companions)
    names = tuple(name for name in names if name != "none")
    environment = ProfileEnvironment(
        name=arguments.name,
        engine=arguments.engine,
        torch=_list(arguments.torch),
        companions=tuple(name for name in FAMILY[1:] if name in names),
        extras=tuple(name for name in names if name not in FAMILY[1:]),
        place_windows=arguments.place_windows or arguments.place,
        place_linux=arguments.place_linux or arguments.place,
    )
    ask = _list(arguments.ask)
    _check(arguments, environment, ask)
    return Made(
        title=arguments.title or arguments.name,
        made=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        environment=environment,
        share=tuple(arguments.share),
        only_share=arguments.only_share,
        ask=ask,
        language=arguments.language,
    )


def _check(arguments: Arguments, environment: ProfileEnvironment, ask: tuple[str, ...]) -> None:
    """The reader would refuse them too, but only after all the locks were made."""
    from wizard.classroom.profile.fields import address_flaw, name_flaw, place_flaw, shown
    from wizard.classroom.profile.read import title_flaw

    if name_flaw(environment.name):
        raise UsageError(PROFILE_OPTION, option="--name", value=environment.name)
    if arguments.place and (not arguments.place.startswith("~/") or place_flaw(arguments.place, "linux")):
        raise UsageError(PROFILE_OPTION, option="--place", value=arguments.place)
    for name, os_name, place in (
        ("--place-windows", "windows", environment.place_windows),
        ("--place-linux", "linux", environment.place_linux),
    ):
        if place and place_flaw(place, os_name):
            raise UsageError(PROFILE_OPTION, option=name, value=place)
    for name in ask:
        if name not in ASKABLE:
            raise UsageError(PROFILE_OPTION, option="--ask", value=name)
    if arguments.title and title_flaw(arguments.title):
        raise UsageError(PROFILE_OPTION, option="--title", value=shown(arguments.title))
    for url in arguments.share:
        if address_flaw(url, is_share=True):
            raise UsageError(PROFILE_OPTION, option="--share", value=redact(url))


def _list(text: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in (text or "").split(",") if part.strip()))


def _write(path: Path, data: bytes, force: bool) -> None:
    from wizard.classroom.pack.files import put_bytes

    try:
        (put_bytes if force else put_new)(path, data)
    except FileExistsError as error:
        raise UsageError(EXPORT_EXISTS, path=str(path)) from error
    except OSError as error:
        raise WizardError(EXPORT_NOT_WRITTEN, details=str(error), path=str(path)) from error
