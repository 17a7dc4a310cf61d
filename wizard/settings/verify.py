"""The tools themselves are asked what they would use now: pip and conda say it, uv shows it in its own words.

A setting that was written and does not count is worse than none: it is believed in. Where a tool cannot be
asked, the answer says so.
"""

from __future__ import annotations

import enum
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wizard import paths
from wizard.errors import WizardError
from wizard.i18n import Message, message
from wizard.machine.condas import candidates
from wizard.process import Outcome, Request, child_environment, redact, run
from wizard.settings.answers import (
    parse_conda_sources,
    parse_pip_debug,
    parse_pip_settings,
    parse_uv_settings,
    says_twice,
)
from wizard.settings.editors import value_of
from wizard.settings.model import Tool
from wizard.settings.places import Surroundings
from wizard.settings.use import Wish
from wizard.undo.target import read

Ask = Callable[[Request], Outcome]
_SECONDS = 60.0  # conda is slow to start, on Windows more so
_OWN_VARIABLES = {Tool.PIP: ("PIP_", "VIRTUAL_ENV"), Tool.UV: ("UV_",), Tool.CONDA: ("CONDA_PREFIX",)}


class Answer(str, enum.Enum):
    CONFIRMED = "confirmed"
    READ = "read"  # the tool takes the file without complaint; what it says was checked by reading it
    DIFFERS = "differs"
    NOT_ASKED = "not-asked"  # the tool is not on this computer, or did not answer


@dataclass(frozen=True, slots=True)
class Check:
    """`words` is one sentence for people."""

    tool: Tool
    answer: Answer
    words: Message


def verify(wish: Wish, around: Surroundings, ask: Ask = run) -> Check:
    """Changes nothing. Addresses are never printed with a password."""
    return {Tool.PIP: _verify_pip, Tool.UV: _verify_uv, Tool.CONDA: _verify_conda}[wish.tool](wish, around, ask)


def _check(wish: Wish, answer: Answer, found: str | None = None) -> Check:
    words = message(f"settings-file.check.{answer.value}", tool=wish.tool.value, path=str(wish.path),
                    found=redact(found or "-"))  # fmt: skip
    return Check(wish.tool, answer, words)


def _compared(wish: Wish, found: str | None) -> Check:
    if found != wish.url:
        return _check(wish, Answer.DIFFERS, found)
    if found is None:
        words = message("settings-file.check.confirmed-default", tool=wish.tool.value)
        return Check(wish.tool, Answer.CONFIRMED, words)
    return _check(wish, Answer.CONFIRMED, found)


def _question(wish: Wish, around: Surroundings, *argv: str) -> Request:
    """The tool is asked as the user's own shell would ask it: with the variables that ours never get."""
    kept = {name: value for name, value in around.environ.items() if name.startswith(_OWN_VARIABLES[wish.tool])}
    locale_mode = {"PYTHONUTF8": around.environ.get("PYTHONUTF8", "0")}  # pip reads its files in the system's encoding
    environment = child_environment({**kept, **locale_mode}, around.environ)
    return Request(argv, environment=environment, timeout=_SECONDS, cwd=around.home)


def _pythons(around: Surroundings) -> Iterator[str]:
    """On the user's PATH first: that is the pip that people type. A frozen program is no Python."""
    for name in ("python3", "python", "py"):
        found = shutil.which(name, path=around.environ.get("PATH"))
        if found:
            yield found
    if not paths.is_frozen():
        yield sys.executable


def _verify_pip(wish: Wish, around: Surroundings, ask: Ask) -> Check:
    for python in dict.fromkeys(_pythons(around)):
        pip = (python, "-m", "pip", "--disable-pip-version-check", "config")
        outcome = ask(_question(wish, around, *pip, "list"))
        if outcome.ok and says_twice(outcome.stdout) and (told := ask(_question(wish, around, *pip, "debug"))).ok:
            return _compared(wish, parse_pip_debug(told.stdout))
        if outcome.ok:
            return _compared(wish, parse_pip_settings(outcome.stdout))
        if "No module named pip" not in outcome.stderr and outcome.exit_code is not None:
            return _check(wish, Answer.DIFFERS, (outcome.stderr.strip().splitlines() or ["?"])[-1])
    return _check(wish, Answer.NOT_ASKED)


def _verify_uv(wish: Wish, around: Surroundings, ask: Ask) -> Check:
    try:
        uv = str(paths.uv_executable())
    except FileNotFoundError:
        return _check(wish, Answer.NOT_ASKED)
    outcome = ask(_question(wish, around, uv, "--offline", "--show-settings", "pip", "compile", "-"))
    is_known, found = parse_uv_settings(outcome.stdout)
    if is_known:
        return _compared(wish, found)
    accepted = ask(_question(wish, around, uv, "cache", "dir"))  # reads all settings, and stops at a wrong one
    if accepted.exit_code is None:
        return _check(wish, Answer.NOT_ASKED)
    if not accepted.ok:
        return _check(wish, Answer.DIFFERS, (accepted.stderr.strip().splitlines() or ["?"])[-1])
    return _check(wish, Answer.READ) if _is_written(wish) else _check(wish, Answer.DIFFERS)


def _is_written(wish: Wish) -> bool:
    try:
        return value_of(wish.tool, wish.path, read(wish.path) or b"", wish.key) == wish.url
    except WizardError:
        return False


def conda_of(around: Surroundings) -> str | None:
    """The conda that people type; mamba and micromamba have other commands."""
    return next((str(found[1]) for found in candidates(around.environ) if found[0] == "conda"), None)


def _verify_conda(wish: Wish, around: Surroundings, ask: Ask) -> Check:
    conda = conda_of(around)
    if conda is None:
        return _check(wish, Answer.NOT_ASKED)
    outcome = ask(_question(wish, around, conda, "config", "--show-sources", "--json"))
    try:
        return _compared(wish, parse_conda_sources(outcome.stdout, wish.key.partition(".")[2]))
    except ValueError:
        return _check(wish, Answer.NOT_ASKED)


def clean_index_cache(around: Surroundings, ask: Ask = run) -> bool | None:
    """conda keeps lists of the old source for a while: they go. None: there is no conda; False: it did not do it."""
    conda = conda_of(around)
    if conda is None:
        return None
    request = Request(
        (conda, "clean", "--index-cache", "--yes"), environment=child_environment(base=around.environ), cwd=around.home
    )
    return ask(request).ok
