"""`torch-wizard mirrors list | test | use | lint`.

`torch-wizard mirrors test`: what is true of every source today, for the wanted build, to the client that installs.

Exit status 0 when each kind that is needed has a complete source, else 1.

One file: the five actions share their table and their words.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wizard.app.use import settings as use_case
from wizard.app.use import settings as use_cases
from wizard.cli.command import Arguments, CommandGroup, OneOf, argument, flag, option
from wizard.cli.help import N_
from wizard.cli.options import JSON, NETWORK, YES, find_links, network_from
from wizard.cli.tables import align
from wizard.cli.terminal import NEEDS_YES, Interrupt, Terminal, agrees, can_ask, check_can_ask
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import canonical, check_choices
from wizard.model.errors import ExitStatus, UsageError
from wizard.model.messages import bytes_text, message, text
from wizard.process import redact
from wizard.sources.model import Source, SourceKind, SourceStatus
from wizard.system import paths

if TYPE_CHECKING:
    from wizard.sources.benchmark import Benchmark
    from wizard.toolconfig.lint.finding import LintFinding
    from wizard.toolconfig.model import Diff
    from wizard.undo.model import Change

# `torch-wizard mirrors use ID`: a mirror for good, in the user's own settings; shown, asked, written, checked.
#
# Exit status 1 when a tool says something else than was written.


_KINDS = OneOf("torch", "packages", "conda", "miniforge")
_KIND = option("--kind", again=True, type=_KINDS, help=N_("only these (may be repeated; default: all)"))
_FURTHER = (
    option("--index", metavar="URL", help=N_("also this index of Python packages")),
    option("--torch-index", metavar="URL", help=N_("also these torch wheels, simple or flat")),
    find_links(N_("also this folder or page")),
    option("--channel", metavar="URL", help=N_("also this conda channel")),
)
mirrors = CommandGroup("mirrors")


@mirrors.add(
    "use",
    N_("make a mirror the default of pip, uv and conda; torch-wizard undo takes it back"),
    argument("id", "ID", N_("as `mirrors list` names it; official: the tools' own default")),
    option(
        "--kind", again=True, type=_KINDS, help=N_("only these (may be repeated; packages or conda can be a default)")
    ),
    option("--conda", metavar="PATH", help=N_("the conda that is asked: its program or installation")),
    YES,
)
def use(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.toolconfig.use import OFFICIAL

    around = use_cases.surroundings(arguments.conda)
    plan = use_cases.plan_use(arguments.id, tuple(arguments.kind), around)
    for notice in plan.notices:
        terminal.write(f"! {terminal.words(notice)}")
    if plan.diffs:
        if arguments.id == OFFICIAL:
            terminal.say(
                message(
                    "settings-file.use.official",
                    "The official source is the tools' own default, so the setting is taken out.",
                )
            )
        show(plan.diffs, terminal)
        check_can_ask(arguments.yes)
        if not arguments.yes and not agrees(message("settings-file.use.ask", "Write this? [y/N]"), terminal):
            return ExitStatus.CANCELLED
    else:
        terminal.say(message("settings-file.use.nothing", "All files say so already; nothing was written."))
    return _done(use_cases.use(plan, around), terminal)


def show(diffs: tuple[Diff, ...], terminal: Terminal) -> None:
    for diff in diffs:
        terminal.line(diff.text)


def _done(used: use_cases.Used, terminal: Terminal) -> int:
    from wizard.toolconfig.verify import ToolAnswer

    for check in used.checks:
        terminal.say(check.words)
    for words in used.after:
        terminal.say(words)
    differs = any(check.answer is ToolAnswer.DIFFERS for check in used.checks)
    if used.change:
        terminal.say(message("settings-file.use.offer" if differs else "settings-file.use.done", id=used.change.id))
    return ExitStatus.FAILED if differs else ExitStatus.DONE


SCHEMA = 1
_LIST_HEAD = ("kind", "id", "name", "status", "as-of", "origin", "address")


@mirrors.add("list", N_("all sources that are known, and since when"), JSON, _KIND, *_FURTHER)
def list_sources(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.sources.known_sources import source_candidates
    from wizard.toolconfig.settings import read_user_settings

    settings = read_user_settings(os.environ, Path.home(), paths.os_name())
    choices = choices_of(arguments)
    listed = [
        (kind, source)
        for kind in kinds_of(arguments)
        for source in source_candidates(kind, choices, settings, "{variant}")
    ]
    if arguments.json:
        sources = [{"kind": kind.value, **source_document(source, terminal.language)} for kind, source in listed]
        terminal.document({"schema": SCHEMA, "sources": sources})
        return ExitStatus.DONE
    head = [terminal.words(message(f"mirrors.head.{name}")) for name in _LIST_HEAD]
    terminal.line(align([head, *(_list_row(kind, source, terminal) for kind, source in listed)]))
    return ExitStatus.DONE


def choices_of(arguments: Arguments) -> Choices:
    """Return the sources that were named on the command line as choices."""
    return Choices(
        index=arguments.index,
        torch_index=arguments.torch_index,
        find_links=tuple(arguments.find_links),
        channel=arguments.channel,
    )


def kinds_of(arguments: Arguments) -> Sequence[SourceKind]:
    return [kind for kind in SourceKind if not arguments.kind or kind.value in arguments.kind]


def source_document(source: Source, language: str | None) -> dict[str, Any]:
    """`url` null: the official package index, which is pip's and uv's own default."""
    row = source.row
    return {
        "id": source.mirror,
        "name": name_of(source, language),
        "origin": source.origin.value,
        "layout": source.layout.value,
        "url": redact(source.url) if source.url else None,
        "status": row.status if row else None,
        "as_of": (row.as_of or None) if row else None,
        "completeness": row.completeness if row else "",
        "evidence": row.evidence if row else "",
        "note": row.note if row else "",
        "source": row.source if row else None,
    }


def name_of(source: Source, language: str | None) -> str:
    return text(source.row.operator if source.row else source.label, language)


def _list_row(kind: SourceKind, source: Source, terminal: Terminal) -> list[str]:
    row = source.row
    status = terminal.words(message(f"mirrors.status.{row.status}")) if row else "-"
    default = terminal.words(message("mirrors.no-address", "(default)"))
    return [
        terminal.words(message(f"mirrors.kind.{kind.value}")),
        source.mirror,
        name_of(source, terminal.language),
        status,
        (row.as_of or "-") if row else "-",
        terminal.words(message(f"mirrors.origin.{source.origin.value}")),
        redact(source.url) if source.url else default,
    ]


# `torch-wizard mirrors lint`: what in the pip, uv and conda settings would harm an install, and mending it.
#
# The exit status is 0 when no finding of severity error is left, else 1.

_MARKS = {"error": "✗", "warning": "!", "note": "·"}


@mirrors.add(
    "lint",
    N_("look over the pip, uv and conda settings: what breaks an install, and mend it"),
    JSON,
    option("--fix", metavar="CODE|all", help=N_("mend the findings of this code, or all that can be")),
    flag("--yes", "-y", help=N_("do not ask before writing")),
)
def lint(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.session import Session

    if arguments.fix and not arguments.yes and (arguments.json or not can_ask()):
        raise UsageError(NEEDS_YES)
    session = Session()
    facts = session.probe()
    findings, change = session.lint(facts), None
    if arguments.fix:
        change = _fix(findings, arguments, terminal)
        findings = session.lint(facts)
    if arguments.json:
        terminal.document(use_case.document(findings, terminal.language, change))
    else:
        _show(findings, terminal)
    return ExitStatus.FAILED if any(one.severity == "error" for one in findings) else ExitStatus.DONE


def _fix(findings: Sequence[LintFinding], arguments: Arguments, terminal: Terminal) -> Change | None:
    planned = use_case.mending(findings, arguments.fix)
    for refused in planned.refused:
        terminal.error(refused)
    if not planned.diffs:
        terminal.say(message("lint.nothing-to-fix"))
        return None
    for diff in planned.diffs:
        terminal.write(diff.text)
    if not arguments.yes and not agrees(
        message(
            "lint.ask",
            "Write this? The old files are kept, and [{page.undo}|torch-wizard undo] brings them back. [y/N]",
        ),
        terminal,
    ):
        terminal.say(message("lint.left-alone", "Nothing was changed."))
        return None
    change = use_case.mend(planned, terminal.say)
    terminal.say(
        message(
            "lint.fixed",
            "Files mended: {count}. To take it back: [{page.undo}.|torch-wizard undo]",
            count=len(planned.diffs),
        )
    )
    return change


def _show(findings: Sequence[LintFinding], terminal: Terminal) -> None:
    if not findings:
        terminal.say(message("lint.none", "Nothing to object to in the pip, uv and conda settings."))
        return
    for finding in findings:
        at = finding.place
        if finding.line is not None:
            at = terminal.words(message("lint.line", "{place}, line {line}", place=finding.place, line=finding.line))
        severity = terminal.words(message(f"lint.severity.{finding.severity}"))
        terminal.line(f"{_MARKS[finding.severity]} {severity} {finding.code}: {at}")
        terminal.line(f"    {terminal.words(finding.cause)}")
        terminal.line(f"    {terminal.words(message('lint.label.fix'))} {terminal.words(finding.fix)}")
        terminal.line(f"    {terminal.words(message('lint.label.effect'))} {terminal.words(finding.effect)}")
    count = use_case.counts(findings)
    terminal.say(
        message(
            "lint.found",
            "Errors: {errors}, warnings: {warnings}, notes: {notes}.",
            errors=count["error"],
            warnings=count["warning"],
            notes=count["note"],
        )
    )
    if any(finding.is_fixable for finding in findings):
        terminal.say(
            message("lint.fixable", "These can be mended here: [{page.check}.|torch-wizard mirrors lint --fix all]")
        )


_HEAD = ("name", "verdict", "host", "rate", "age")


@mirrors.add(
    "test",
    N_("ask every source for the wanted build, follow its link, measure the best three"),
    JSON,
    flag("--fresh", help=N_("do not use what was measured within a day")),
    option("--torch", metavar="X", help=N_("torch release (default: the best for this computer)")),
    option("--variant", metavar="T", help=N_("cpu or a CUDA tag, such as cu126")),
    option("--python", metavar="3.12", help=N_("Python version of the environment")),
    _KIND,
    *_FURTHER,
    *NETWORK,
)
def test(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.session import Session
    from wizard.app.use.sources import NEEDED, ask_sources, lacking

    session, interrupt = Session(network_from(arguments)), Interrupt()
    choices = replace(choices_of(arguments), torch=arguments.torch, variant=arguments.variant, python=arguments.python)
    choices = canonical(choices)
    check_choices(choices, session.matrix)
    kinds = kinds_of(arguments)
    facts = session.probe(is_cancelled=interrupt.is_asked)
    verdict = session.propose(facts, choices)

    def show_table(benchmark: Benchmark) -> None:
        if not arguments.json:
            terminal.line(_table(benchmark, terminal))

    benchmarks = ask_sources(
        facts, session.matrix, verdict, choices, kinds, interrupt.is_asked, arguments.fresh, show_table
    )
    if arguments.json:
        terminal.document(_document(benchmarks, terminal.language))
    needed = kinds if arguments.kind else NEEDED
    missing = [kind for kind in lacking(benchmarks) if kind in needed]
    for kind in missing:
        terminal.say(
            message(
                "mirrors.none-complete",
                "No source is complete for {kind}.",
                kind=terminal.words(message(f"mirrors.kind.{kind.value}")),
            )
        )
    return ExitStatus.FAILED if missing else ExitStatus.DONE


def _table(benchmark: Benchmark, terminal: Terminal) -> str:
    head = [terminal.words(message(f"mirrors.head.{name}")) for name in _HEAD]
    title = terminal.words(message(f"mirrors.title.{benchmark.kind.value}", wanted=benchmark.wanted))
    return "\n".join([title, align([head, *(_row(status, terminal) for status in benchmark.ranked)]), ""])


def _row(status: SourceStatus, terminal: Terminal) -> list[str]:
    rate = "-" if status.rate is None else f"{bytes_text(status.rate)}/s"
    return [
        name_of(status.source, terminal.language),
        terminal.words(status.message),
        status.final_host or "-",
        rate,
        _age(status.asked, terminal),
    ]


def _age(asked: float, terminal: Terminal) -> str:
    minutes = round((datetime.datetime.now().timestamp() - asked) / 60)
    if minutes < 1:
        return terminal.words(message("mirrors.age.now", "now"))
    if minutes < 60:
        return terminal.words(message("mirrors.age.minutes", "{count} min ago", count=minutes))
    return terminal.words(message("mirrors.age.hours", "{count} h ago", count=round(minutes / 60)))


def _document(benchmarks: Sequence[Benchmark], language: str | None) -> dict[str, Any]:
    from wizard.app.use.sources import NEEDED
    from wizard.sources.benchmark_policy import region

    return {
        "schema": SCHEMA,
        "region": region(),
        "kinds": [
            {
                "kind": benchmark.kind.value,
                "wanted": benchmark.wanted,
                "needed": benchmark.kind in NEEDED,
                "complete": len(benchmark.complete),
                "measured_now": not benchmark.is_kept,
                "sources": [_tested(status, language) for status in benchmark.ranked],
            }
            for benchmark in benchmarks
        ],
    }


def _tested(status: SourceStatus, language: str | None) -> dict[str, Any]:
    asked = datetime.datetime.fromtimestamp(status.asked, datetime.timezone.utc)
    return {
        **source_document(status.source, language),
        "verdict": status.availability.value,
        "message": status.message.to_json(language),
        "final_host": status.final_host,
        "file": status.file,
        "sha256": status.sha256,
        "bytes": status.size,
        "newest": status.newest,
        "seconds": status.seconds,
        "bytes_per_second": status.rate,
        "measured": asked.isoformat(timespec="seconds"),
    }
