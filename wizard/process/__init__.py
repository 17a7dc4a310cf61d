"""Running other programs: a request goes in, an outcome comes out, and nothing is left behind.

The only place in the project that starts a process. `run` waits; `Running` streams. A program that
could not be started is an outcome, not an exception.
"""

from wizard.model.redact import redact
from wizard.process.request import Outcome, Request, StopTimeouts, child_environment
from wizard.process.running import Running, run, without_memory
from wizard.process.tree import guarded

__all__ = [
    "Outcome",
    "Request",
    "Running",
    "StopTimeouts",
    "child_environment",
    "guarded",
    "redact",
    "run",
    "without_memory",
]
