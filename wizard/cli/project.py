"""`pick --project`: the decision for a project on one machine after the other, without asking a source."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wizard.classroom.profile.hosts import is_foreign
from wizard.cli.command import Arguments
from wizard.cli.terminal import Terminal
from wizard.compatibility.data.model import Matrix
from wizard.compatibility.model import Choices
from wizard.machine.model import Machine
from wizard.model.errors import ExitStatus, WizardError
from wizard.project.answer import project_document, project_lines
from wizard.project.decide import decide
from wizard.project.read import read_project


def project_teller(
    arguments: Arguments, choices: Choices, matrix: Matrix, terminal: Terminal
) -> Callable[[Machine, str | None], ExitStatus]:
    """Return what answers for a machine with the name of its file; the project is read once.

    Raises UsageError `no-such-project`, `nothing-declared`.
    """
    project = read_project(Path(arguments.project))

    def tell(machine: Machine, name: str | None) -> ExitStatus:
        decision = decide(project, machine, matrix, choices, is_foreign)
        if arguments.json:
            terminal.document(project_document(project, decision, name, terminal.language))
        else:
            terminal.line((f"== {name}\n" if name else "") + project_lines(decision, terminal.language))
        if arguments.strict and decision.relaxed:
            terminal.error(
                WizardError(
                    "not-as-asked",
                    "The project cannot be had exactly as it asks: {names}.",
                    "Without --strict the smallest step away from it is shown, with the reason.",
                    names=", ".join(one.name for one in decision.relaxed),
                )
            )
            return ExitStatus.FAILED
        return ExitStatus.DONE

    return tell
