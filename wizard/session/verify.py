"""The smoke test of any environment as a use case: by its own Python, with what this computer's card should give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from wizard.doctor.installation import read_installation, user_variables
from wizard.doctor.package_looks import compare_contents
from wizard.environments.layout import python_of
from wizard.errors import ExitStatus, UsageError, WizardError
from wizard.machine.probe import probe
from wizard.report.document import report_document
from wizard.session.status import exit_status
from wizard.steps.smoke import verify

_MOST = 50  # lines for the log


def verify_prefix(
    prefix: Path, is_cancelled: Callable[[], bool], deep: bool = False
) -> tuple[dict[str, Any], ExitStatus]:
    """(report, exit status). `deep`: first the content of every file of every package against its RECORD.

    Raises UsageError `no-environment`, WizardError `contents-differ`.
    """
    python = python_of(prefix)
    if not python.exists():
        raise UsageError("no-environment", path=str(prefix))
    if deep and (wrong := compare_contents(read_installation(prefix, user_variables()), is_cancelled)):
        raise WizardError(
            "contents-differ", details="\n".join(wrong[:_MOST]), count=len(wrong), first=wrong[0], path=str(prefix)
        )
    machine = probe(None, is_cancelled)
    verification = verify(python, bool(machine.driver and machine.nvidia_gpus), machine, is_cancelled)
    status = exit_status(verification)
    return report_document(None, verification, status=int(status), error=None), status
