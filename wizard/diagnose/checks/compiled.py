"""Are the compiled files (.pyc) whole? Asked where an import ends with Python's words for one that is not.

A disk that was full or a computer that went off cuts them; no RECORD lists what they should be, and Python, which
looks at a time and a length of the source alone, does not make them anew. Looks only; mends nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wizard.diagnose.model import Check, Remedy, finding, found, not_looked, proof, ruled_out
from wizard.environment.inspect.installation import Installation
from wizard.model.errors import Cancelled
from wizard.model.typed import from_last_line
from wizard.process import Request, child_environment, run
from wizard.run.verify.model import Verification
from wizard.system import paths

_WORDS = ("marshal data", "bad marshal")  # CPython's Python/marshal.c
_SECONDS = 300.0
_ONE_FILE = 30.0  # seconds more: for the start, the list of the files, and the last of them on a slow disk
_SHOWN = 5


def is_asked_for(verification: Verification) -> bool:
    """Return whether a check failed with words of the reader of compiled files."""
    errors = (str(check.data.get("error") or "") for check in verification.checks if check.state == "failed")
    return any(words in error for error in errors for words in _WORDS)


def compiled(env: Installation, is_cancelled: Callable[[], bool] = lambda: False) -> Check:
    """Have this environment's Python read all of them. Raises Cancelled."""
    if env.python is None:
        return not_looked("compiled", "no-python")
    script = paths.resources_dir() / "scripts" / "compiled_files.py"
    words = (str(env.python.executable), "-I", "-B", "-X", "utf8", str(script), str(env.site), str(_SECONDS))
    request = Request(words, environment=child_environment(), timeout=_SECONDS + _ONE_FILE)
    outcome = run(request, is_cancelled=is_cancelled)
    if outcome.cancelled:
        raise Cancelled
    try:
        paths_cut, looked, count = from_last_line(outcome.stdout, tuple[list[str], int, int])
    except (ValueError, RecursionError):
        return not_looked("compiled", "no-time" if outcome.timed_out else "no-python")
    cut = tuple(map(Path, paths_cut))
    if not cut:
        if looked < count:
            return not_looked("compiled", "not-all", looked=looked, count=count)
        return ruled_out("compiled")
    more = (proof("more", count=len(cut) - _SHOWN),) if len(cut) > _SHOWN else ()
    rest = (proof("not-all", looked=looked, count=count),) if looked < count else ()
    first = str(cut[0].relative_to(env.site)) if env.site in cut[0].parents else str(cut[0])
    evidence = (*map(str, cut[:_SHOWN]), *more, *rest)
    one = finding("compiled", "compiled-cut", evidence, Remedy(aside=cut), count=len(cut), first=first)
    return found("compiled", one)
