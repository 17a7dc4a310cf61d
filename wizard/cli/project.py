"""A project on the command line: `pick --project` decides without asking a source, `setup --project` asks and plans.

One file: what is shown of a project, asked about it and refused is one conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.classroom.profile.hosts import is_foreign, is_trusted
from wizard.cli.command import Arguments
from wizard.cli.terminal import Interrupt, Terminal, agrees, can_ask
from wizard.compatibility.data.model import Matrix
from wizard.compatibility.model import Choices
from wizard.machine.model import Machine
from wizard.model.errors import Cancelled, ExitStatus, UsageError, WizardError
from wizard.model.messages import Message, message
from wizard.project.answer import moved_words, project_document, project_lines, relaxed_words
from wizard.project.contradictions import is_contradicted, unread_lines
from wizard.project.decide import ProjectDecision, decide
from wizard.project.model import Project, cut_between, normalized
from wizard.project.packages.native import Relaxed
from wizard.project.read import read_project

if TYPE_CHECKING:
    from wizard.app.project import ProjectRequest
    from wizard.app.session import Session
    from wizard.cli.classroom.machine import Consent
    from wizard.run.model import Facts, Preview
    from wizard.run.plan.computed import OnProgress


_MOST_UNREAD = 8  # lines that are named


def project_teller(
    arguments: Arguments, choices: Choices, matrix: Matrix, terminal: Terminal
) -> Callable[[Machine, str | None], ExitStatus]:
    """Return what answers for a machine with the name of its file; the project is read once.

    Raises UsageError `no-such-project`, `nothing-declared`.
    """
    project = _read(arguments, terminal, lambda: False)

    def tell(machine: Machine, name: str | None) -> ExitStatus:
        decision = decide(project, machine, matrix, choices, is_foreign)
        if arguments.json:
            terminal.document(project_document(project, decision, name, terminal.language))
        else:
            terminal.line((f"== {name}\n" if name else "") + project_lines(decision, terminal.language, project))
        if arguments.strict and not decision.is_exact:
            terminal.error(_not_as_asked(decision))
            return ExitStatus.FAILED
        return ExitStatus.DONE

    return tell


def _read(arguments: Arguments, terminal: Terminal, is_cancelled: Callable[[], bool]) -> Project:
    """Raises UsageError `no-such-project`, `nothing-declared`, and as `project_path`."""
    return read_project(project_path(arguments, terminal, is_cancelled))


def project_path(arguments: Arguments, terminal: Terminal, is_cancelled: Callable[[], bool]) -> Path:
    """The project's folder or file; what lies at an address or in an archive is brought first. Raises UsageError
    `project-…`, WizardError `project-…`, Cancelled."""
    from wizard.app.project_address import bring_project, brought_before, is_address, is_archive_here, parse_address

    where = arguments.project
    if not is_address(where):
        path = bring_project(where, is_cancelled)
        if is_archive_here(where):
            terminal.say(message("project.fetched", "The project lies in {path}.", path=str(path)))
        return path
    if getattr(arguments, "offline", False):
        raise UsageError(
            "project-offline",
            "A project at an address cannot be had with --offline.",
            "Leave --offline out, or name a folder.",
        )
    address = parse_address(where).repository
    if there := brought_before(where):
        terminal.say(
            message(
                "project.taken-again",
                "The project was brought before and is taken as it is; delete {path} to have it anew.",
                path=str(there),
            )
        )
        return there
    terminal.say(message("project.fetching", "Fetching the project from {address}…", address=address))
    path = bring_project(where, is_cancelled)
    terminal.say(message("project.fetched", "The project lies in {path}.", path=str(path)))
    return path


def _not_as_asked(decision: ProjectDecision) -> WizardError:
    """Return why --strict is refused; several reasons are all named, for who mends one alone is refused again."""
    unread = unread_lines(decision.remarks)
    if len(reasons := (*_reasons(decision), *_unread(unread))) > 1:
        return WizardError(
            "not-as-asked-several",
            "The project cannot be had exactly as it asks, as far as it could be read. {reasons}",
            "Mend the lines that are named here and above[|; without --strict the smallest step away from what it asks "
            "is shown, with the reason].",
            reasons=reasons,
        )
    if unread and not decision.differing:
        return WizardError(
            "not-as-asked-unread",
            "Whether the project gets exactly what it asks cannot be said: {file}, line {line}, could not be read.",
            "Write what it asks for as plain lines[|; without --strict what could not be read is passed over].",
            file=unread[0].params["file"],
            line=unread[0].params["line"],
        )
    if not decision.differing:
        return WizardError(
            "not-as-asked-twice",
            "The project cannot be had exactly as it asks: two of its lines stand against each other.",
            "Correct one of the two lines, which are named above; without --strict the first counts.",
        )
    return WizardError(
        "not-as-asked",
        "The project cannot be had exactly as it asks: {names}.",
        "Without --strict the smallest step away from it is shown, with the reason.",
        names=", ".join(one.name for one in decision.differing),
    )


def _reasons(decision: ProjectDecision) -> Iterator[Message]:
    if decision.differing:
        names = ", ".join(one.name for one in decision.differing)
        yield message("project.strict.differing", "It does not get as asked: {names}.", names=names)
    if is_contradicted(decision.remarks):
        yield message("project.strict.contradicted", "Two of its lines stand against each other.")


def _unread(unread: Sequence[Message]) -> Iterator[Message]:
    """Yield the lines that nobody understood, each once."""
    places = dict.fromkeys((one.params["file"], one.params["line"]) for one in unread)
    for file, line in islice(places, _MOST_UNREAD):
        yield message("project.strict.unread", "{file}, line {line}, could not be read.", file=file, line=line)
    if (left := len(places) - _MOST_UNREAD) > 0:
        yield message("project.strict.unread-more", "Further lines that could not be read: {count}.", count=left)


def project_setup(
    arguments: Arguments, consent: Consent, terminal: Terminal, interrupt: Interrupt
) -> ProjectSetup | None:
    """None without --project. Raises UsageError `project-alone`, `project-missing`, `no-such-project`,
    `nothing-declared`."""
    if not arguments.project:
        check_is_of_project(arguments, "strict", "relax", "as_of", "parts", "distrust")
        return None
    for option in ("profile", "pack", "code", "into", "reuse", "if_missing"):
        if getattr(arguments, option):
            name = {"code": "class", "if_missing": "if-missing"}.get(option, option)
            raise UsageError(
                "project-alone",
                "--project and {option} cannot be given together.",
                "Leave {option} out: a project gets an environment of its own.",
                option=f"--{name}",
            )
    project = _read(arguments, terminal, interrupt.is_asked)
    return ProjectSetup(project, arguments, consent, terminal, interrupt)


def check_is_of_project(arguments: Arguments, *options: str) -> None:
    """Raise UsageError `project-missing` where one of these is given."""
    for option in options:
        if getattr(arguments, option):
            raise UsageError(
                "project-missing",
                "{option} is for a project.",
                "Name one with --project, or leave {option} out.",
                option=f"--{option}".replace("_", "-"),
            )


class ProjectSetup:
    """Of a setup: shows what the project gets, asks about what differs and about hosts, and plans.

    Whoever says --yes beforehand has not seen what differs, so that yes is none to it: --relax names it."""

    def __init__(
        self, project: Project, arguments: Arguments, consent: Consent, terminal: Terminal, interrupt: Interrupt
    ) -> None:
        from wizard.cli.classroom.machine import host_named

        self._project, self._arguments, self._consent = project, arguments, consent
        self._terminal, self._interrupt = terminal, interrupt
        self._refused = frozenset(map(host_named, arguments.distrust))
        self._relax = frozenset(normalized(name) for one in arguments.relax for name in one.split(","))
        self._may_ask = can_ask() and not (arguments.yes or arguments.dry_run or arguments.plan_only)
        self.shown: frozenset[str] = frozenset()

    def preview(self, session: Session, facts: Facts, choices: Choices, on_progress: OnProgress) -> Preview:
        """Raises WizardError `not-as-asked`, UsageError `project-hosts`, `project-relax`, Cancelled, and as
        `plan_project`."""
        from wizard.app.project import request_of, with_trusted
        from wizard.app.project_parts import has_parts, source_parts
        from wizard.app.project_plan import MOST_LOOKED_FOR, plan_project

        request = request_of(self._project, facts, session.matrix, choices)
        self._tell(request)
        self._ask_hosts(request)
        request = self._with_parts(request)
        facts = with_trusted(facts, request, self._consent.trusted, self._refused)
        relaxed = request.decision.differing
        is_new = self._may_ask and self._unnamed(relaxed)
        if is_new and not agrees(message("project.ask"), self._terminal, self._interrupt):
            raise Cancelled
        self._terminal.say(message("cli.electing"))
        if len(request.packages) > MOST_LOOKED_FOR:
            self._terminal.say(
                message("project.many", "It names {count} packages: this takes minutes.", count=len(request.packages))
            )
        is_asked = self._interrupt.is_asked
        try:
            found, moved = plan_project(facts, session.matrix, request, self._arguments.strict, is_asked, on_progress)
        except WizardError:
            if not self._may_ask:
                self._check(relaxed)  # what is known so far is the first answer
            raise
        if not self._may_ask:  # else they are shown with the plan, and one yes is for both
            try:
                self._check((*relaxed, *moved))
            except UsageError:
                self._tell_moved(moved)
                self._tell_idle((*relaxed, *moved))
                session.discard(found.plan.id)
                raise
            self._tell_idle((*relaxed, *moved))
            return found
        is_open = not has_parts(request) and not request.choices.parts  # nobody was asked before
        if is_open and (names := source_parts(map(moved_words, moved))):
            question = message(
                "project.part.ask-source",
                "Build last, too, what the package index has as source alone ({names})? Its build code runs then. "
                "[y/N]",
                names=cut_between([*names]),
            )
            asked = self._asked_for_parts(request, question)
            if asked.choices.parts:
                session.discard(found.plan.id)
                found, _ = plan_project(facts, session.matrix, asked, self._arguments.strict, is_asked, on_progress)
        return found

    def _tell(self, request: ProjectRequest) -> None:
        decision, language = request.decision, self._terminal.language
        puts_in = request.choices.parts and not request.choices.offline
        for line in project_lines(decision, language, puts_in=puts_in).splitlines():
            self._terminal.write(line)
        self.shown = frozenset(self._terminal.words(relaxed_words(one)) for one in decision.relaxed)
        if self._arguments.strict and not decision.is_exact:
            raise _not_as_asked(decision)

    def _tell_moved(self, moved: Iterable[Relaxed]) -> None:
        """Say why, before the refusal: the plan that says it is not shown."""
        for one in moved:
            self._terminal.write(f"  ! {self._terminal.words(moved_words(one))}")

    def _ask_hosts(self, request: ProjectRequest) -> None:
        """Without a yes nothing is taken from a host, which the plan says."""
        known = self._consent.trusted | self._refused
        for host in request.hosts:
            if is_trusted(host, known) or not self._may_ask:
                continue
            if agrees(message("profile.host.ask", host=host), self._terminal, self._interrupt):
                self._consent.trusted |= {host}
            else:
                self._refused |= {host}

    def _with_parts(self, request: ProjectRequest) -> ProjectRequest:
        from wizard.app.project_parts import asked_parts

        names = () if self._arguments.parts or not self._may_ask else asked_parts(request)
        question = message(
            "project.part.ask",
            "Install last, too: {names}, and what the package index has as source alone? Their build code runs then. "
            "[y/N]",
            names=cut_between([*names]),
        )
        return self._asked_for_parts(request, question) if names else request

    def _asked_for_parts(self, request: ProjectRequest, question: Message) -> ProjectRequest:
        """Ask whether the project's own code may run, which is what its build does."""
        from wizard.app.project_parts import with_parts

        return with_parts(request, agrees(question, self._terminal, self._interrupt))

    def _unnamed(self, relaxed: Iterable[Relaxed]) -> list[str]:
        return list(dict.fromkeys(one.name for one in relaxed if one.name not in self._relax))

    def _tell_idle(self, relaxed: Iterable[Relaxed]) -> None:
        """Name what --relax has and nothing differs for: it may be misspelt."""
        if idle := self._relax.difference(one.name for one in relaxed):
            words = message(
                "cli.relax-idle",
                "--relax {names} was not needed: nothing of that name differs from what the project asks.",
                names=", ".join(sorted(idle)),
            )
            self._terminal.say(words)

    def _check(self, relaxed: Iterable[Relaxed]) -> None:
        names = self._unnamed(relaxed)
        if names and not self._arguments.dry_run:
            options = " ".join(f"--relax {name}" for name in names)
            raise UsageError(
                "project-relax",
                "The project does not get everything as it asks: {names}.",
                "If that is all right, add {options} (--yes alone is no yes to this), or --strict for exactly what it "
                "asks; nothing was changed.",
                names=", ".join(names),
                options=options,
            )
