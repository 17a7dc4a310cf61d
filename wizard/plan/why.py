"""Why another build was not chosen: the first true reason, for those that do not fit and for those that do.

And the CUDA numbers that people meet: the driver's, the toolkit's, the build's. They differ, and that is normal.
"""

from __future__ import annotations

from collections.abc import Iterator

from wizard.i18n import Message, message
from wizard.machine.model import Machine
from wizard.matrix.ordering import CPU, cuda_of, version_key
from wizard.plan.model import Candidate, Verdict


def why_not(candidate: Candidate, verdict: Verdict) -> Message | None:
    """None for the best itself."""
    best = verdict.best
    if candidate.reasons:
        return candidate.reasons[0].message
    if best is None or (candidate.torch, candidate.variant) == (best.torch, best.variant):
        return None
    if candidate.variant == CPU and best.variant != CPU:
        return message("plan.why.cpu")
    if version_key(candidate.torch) < version_key(best.torch):
        return message("plan.why.older", best=best.torch)
    return message("plan.why.lower-cuda", best=cuda_of(best.variant) or "")


def cuda_numbers(machine: Machine, verdict: Verdict) -> Iterator[Message]:
    """Said only where there are two numbers to confuse."""
    driver, best = machine.driver, verdict.best
    cuda = cuda_of(best.variant) if best else None
    if cuda and driver and driver.cuda:
        yield message("plan.cuda.driver", driver=driver.cuda, cuda=cuda)
    for toolkit in machine.toolkits[:1]:
        yield message("plan.cuda.toolkit", toolkit=toolkit.version)
