"""`torch-wizard probe` and `verify`: what this computer is like; whether an environment reaches its card."""

from __future__ import annotations

from pathlib import Path

from wizard.cli.command import Arguments, command, flag, option
from wizard.cli.help import N_
from wizard.cli.options import JSON, PREFIX_HELP
from wizard.cli.terminal import Terminal, save_report
from wizard.model.errors import ExitStatus

_MARKS = {"ok": "✓", "note": "·", "warning": "!", "problem": "✗"}


@command("probe", flag("--json", help=N_("one machine.json document on stdout")))
def probe(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.session import Session
    from wizard.app.use.tables import facts_document

    facts = Session().probe()
    if arguments.json:
        terminal.document(facts_document(facts))
        return ExitStatus.DONE
    for row in facts.requirements:
        more = "".join(f"\n      {terminal.words(words)}" for words in (row.why, row.fix) if words)
        terminal.line(f"  {_MARKS[row.state]} {terminal.words(row.fact)}{more}")
    return ExitStatus.DONE


@command(
    "verify",
    option("--prefix", required=True, metavar="P", help=PREFIX_HELP),
    flag("--deep", help=N_("compare the content of every file of every package first")),
    JSON,
    option("--save", metavar="FILE", help=N_("also save the report (.html, .json or .txt)")),
)
def verify(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.session import Session
    from wizard.environment.naming import absolute_prefix
    from wizard.run.report.text import render_text

    document, status = Session().verify(absolute_prefix(arguments.prefix), deep=arguments.deep)
    if arguments.json:
        terminal.document(document)
    else:
        terminal.line(render_text(document, terminal.language))
    if arguments.save:
        save_report(Path(arguments.save).expanduser(), document, terminal)
    return status
