"""From a test's result to the exit status of the contract."""

from __future__ import annotations

from wizard.model.errors import ExitStatus
from wizard.run.verify.model import Verification


def exit_status(verification: Verification) -> ExitStatus:
    """3 says: PyTorch is there and can be imported, only the card does not work."""
    if verification.ok:
        return ExitStatus.DONE
    is_gpu_matter = verification.gpu_ok is False and verification.torch is not None
    return ExitStatus.GPU_TEST_FAILED if is_gpu_matter else ExitStatus.FAILED
