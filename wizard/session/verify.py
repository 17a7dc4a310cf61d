"""The smoke test of any environment as a use case: by its own Python, with what this computer's card should give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from wizard.environments.layout import python_of
from wizard.errors import ExitStatus, UsageError
from wizard.machine.probe import probe
from wizard.report.document import report_document
from wizard.session.status import exit_status
from wizard.steps.smoke import verify


def verify_prefix(prefix: Path, is_cancelled: Callable[[], bool]) -> tuple[dict[str, Any], ExitStatus]:
    """(report, exit status). Raises UsageError `no-environment`."""
    python = python_of(prefix)
    if not python.exists():
        raise UsageError("no-environment", path=str(prefix))
    machine = probe(None, is_cancelled)
    verification = verify(python, bool(machine.driver and machine.nvidia_gpus), machine, is_cancelled)
    status = exit_status(verification)
    return report_document(None, verification, status=int(status), error=None), status
