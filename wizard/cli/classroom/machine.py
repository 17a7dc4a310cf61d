"""What a machine of a class does around its setup: asks about hosts, finds the files, tells the class, hands on."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

from wizard.classroom.join import START_SECONDS, Asked, Classroom, Patience, enter
from wizard.classroom.pack.opened import shown
from wizard.classroom.profile.hosts import ForeignHost, check_hosts, foreign_hosts, is_trusted
from wizard.classroom.profile.model import ProfileFile
from wizard.classroom.results.certificate import clean_label
from wizard.classroom.results.submit import hand_in_failure, hand_in_present
from wizard.cli.command import Arguments
from wizard.cli.terminal import Interrupt, Terminal, agrees, can_ask
from wizard.compatibility.model import Choices
from wizard.machine.model import Machine
from wizard.model.errors import Cancelled, ExitStatus, UsageError, WizardError
from wizard.model.lock import LockedFile
from wizard.model.messages import Message, message
from wizard.transfer.address import host_of
from wizard.transfer.proxy.model import Network

_NAP = 0.2


class Consent:
    """Which hosts a person has said yes to. `is_attended` False: nobody is asked. `for_pack`: to make one.

    Whoever says --yes beforehand has not seen which hosts a file names, so that yes is none to them."""

    def __init__(
        self,
        given: Collection[str],
        terminal: Terminal,
        interrupt: Interrupt,
        is_attended: bool = True,
        for_pack: bool = False,
    ) -> None:
        self._terminal, self._interrupt, self._for_pack = terminal, interrupt, for_pack
        self._may_ask = is_attended and can_ask()
        self.trusted: frozenset[str] = frozenset(map(host_named, given))

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
        return agrees(message("profile.host.ask", host=host.name), self._terminal, self._interrupt)


def gives(host: ForeignHost, terminal: Terminal) -> str:
    return "; ".join(map(terminal.words, host.words))


def host_named(text: str) -> str:
    """Of what was typed: a name, with or without a port, or a whole address."""
    try:
        return host_of(text if "://" in text else f"https://{text}")
    except ValueError:
        return text  # no host is called so


class ClassRun:
    """Of a setup; does nothing where no class was named."""

    def __init__(
        self, arguments: Arguments, network: Network, terminal: Terminal, consent: Consent, interrupt: Interrupt
    ) -> None:
        """Sets the arguments' profile to the one that was found. Raises as `enter` and `consent`."""
        self._arguments, self._terminal = arguments, terminal
        patience = Patience(START_SECONDS, self._waits, interrupt.is_asked)
        self._room = _entered(arguments, network, consent, patience)
        self._machine: Machine | None = None
        if self._room:
            arguments.profile = str(self._room.path)
            for notice in self._room.notices:
                terminal.write("! " + terminal.words(notice))

    def _waits(self, words: Message) -> None:
        self._terminal.say(message("share.waiting", "{words} (Ctrl+C ends it)", words=words))

    def choices(self, choices: Choices) -> Choices:
        if not self._room:
            return choices
        return replace(choices, packs=self._room.bases, label=clean_label(self._arguments.label))

    def saw(self, machine: Machine) -> None:
        self._machine = machine

    def urls(self) -> Callable[[LockedFile], tuple[str, ...]]:
        return self._room.further_urls() if self._room else _nowhere

    @contextlib.contextmanager
    def telling_failures(self) -> Iterator[None]:
        """What ends a setup before it is a run is known to the class too."""
        try:
            yield
        except WizardError as error:
            if self._room and not self._arguments.dry_run:
                self._tell(self._room, error)
            raise

    def _tell(self, room: Classroom, error: WizardError) -> None:
        try:
            hand_in_failure(room.bases, room.file.sha256, self._arguments.label, error, self._machine)
        except WizardError:
            self._terminal.say(message("share.not-handed-in"))

    def tell_present(self, prefix: Path) -> None:
        """All was there already; the class may not know it."""
        if not self._room or self._arguments.dry_run:
            return
        try:
            place = hand_in_present(self._room.bases, self._room.file.sha256, self._arguments.label, prefix)
        except WizardError:
            self._terminal.say(message("share.not-handed-in"))
            return
        if place:
            self._terminal.say(message("share.handed-in", place=shown(place)))

    def serve_after(self, status: int, files: tuple[LockedFile, ...], interrupt: Interrupt) -> None:
        """Opt-in: hands on what this computer has, for the minutes that were named, or until it is stopped. Its files
        are right, whatever the card said."""
        from wizard.classroom.server.server import ServeOptions
        from wizard.classroom.server.share import serve_downloads

        minutes = self._arguments.serve_after
        if not self._room or not minutes or status not in (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED):
            return
        options, until = ServeOptions(port=0), time.monotonic() + 60 * minutes
        try:
            with serve_downloads(self._room.file, self._room.path, files, options, announce=True) as serving:
                self._terminal.say(
                    message(
                        "share.after",
                        "This computer now hands the files on to the class for {minutes} min: {addresses} "
                        "(Ctrl+C ends it)",
                        minutes=minutes,
                        addresses="  ".join(serving.addresses),
                    )
                )
                with contextlib.suppress(Cancelled):
                    while time.monotonic() < until:
                        interrupt.check()
                        time.sleep(_NAP)
        except WizardError as error:  # said, but the setup was done all the same, and its exit status says that
            self._terminal.error(error)


def _entered(arguments: Arguments, network: Network, consent: Consent, patience: Patience) -> Classroom | None:
    if not (arguments.profile or arguments.pack or arguments.code):
        if arguments.serve_after or arguments.label:
            raise UsageError(
                "share-no-class",
                "--label and --serve-after belong to a class, and none was named.",
                "Add --profile FILE, --pack DIR or --class CODE.",
            )
        return None
    profile = Path(arguments.profile).expanduser() if arguments.profile else None
    return enter(Asked(profile, arguments.pack, arguments.code), network, agree=consent, patience=patience)


def _nowhere(file: LockedFile) -> tuple[str, ...]:
    return ()
