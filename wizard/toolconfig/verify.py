"""Ask the tools themselves what they would use now: pip and conda say it, uv shows it in its own words.

A setting that was written and does not count is worse than none: it is believed in. Where a tool cannot be
asked, the answer says so.
"""

from __future__ import annotations

import ast
import enum
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wizard.machine.host.condas import candidates
from wizard.model.errors import WizardError
from wizard.model.messages import Message, message
from wizard.process import Outcome, Request, child_environment, redact, run
from wizard.system import paths
from wizard.toolconfig.edit import value_of
from wizard.toolconfig.model import Tool, UserContext
from wizard.toolconfig.use import SettingsRequest
from wizard.undo.user_file import read

# What pip, uv and conda say about the settings that they would use, read from their own words. Pure.

_PIP_ORDER = (":env:", "install", "global")  # the first that says it
_PIP_RANKS = ("global", "user", "site", "env", "env_var")  # pip's OVERRIDE_ORDER, the weakest first
_UV_INDEX = re.compile(
    r'given: Some\(\s*(?P<url>"(?:[^"\\]|\\.)*"),\s*\),.*?\bdefault: (?P<default>true|false)', re.DOTALL
)


def parse_pip_settings(text: str) -> str | None:
    """Return the index that `pip install` would use, by what `pip config list` says; --pypi-url is its old name."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, sign, value = line.partition("=")
        if sign:
            found[key.strip().replace(".pypi-url", ".index-url")] = _quoted(value)
    return next((found[key] for key in (f"{part}.index-url" for part in _PIP_ORDER) if found.get(key)), None)


def says_twice(text: str) -> bool:
    """Tell whether `pip config list` names a key more than once: since 26 it lists file by file, by name and not by
    rank."""
    keys = [line.partition("=")[0] for line in text.splitlines() if "=" in line]
    return len(keys) != len(set(keys))


def parse_pip_debug(text: str) -> str | None:
    """Return the same by `pip config debug`, which says which file says what, and of which rank each is."""
    by_rank: dict[str, dict[str, str]] = {kind: {} for kind in _PIP_RANKS}
    kind = ""
    for line in text.splitlines():
        if line.endswith(":") and line[:-1] in by_rank:
            kind = line[:-1]
        elif kind == "env_var":
            name, _, value = line.strip().partition("=")
            if name in ("PIP_INDEX_URL", "PIP_PYPI_URL"):
                by_rank[kind][":env:.index-url"] = _quoted(value)
        elif kind and line.startswith("    "):
            key, _, value = line.strip().partition(": ")
            by_rank[kind][key.replace(".pypi-url", ".index-url")] = value
    found = {key: value for kind in _PIP_RANKS for key, value in by_rank[kind].items()}
    return next((found[key] for key in (f"{part}.index-url" for part in _PIP_ORDER) if found.get(key)), None)


def _quoted(value: str) -> str:
    """Return a value that pip prints as Python writes a text."""
    try:
        return str(ast.literal_eval(value))
    except (ValueError, SyntaxError):
        return value


def parse_uv_settings(text: str) -> tuple[bool, str | None]:
    """Return (whether this is a form that we know, the default index or None) from `uv --show-settings`, which is meant
    for people and may change."""
    _, begin, rest = text.partition("index_locations: IndexLocations {")
    indexes, end, _ = rest.partition("flat_index:")
    if not (begin and end and "indexes: [" in indexes):
        return False, None
    try:
        rows = [(json.loads(row["url"]), row["default"]) for row in _UV_INDEX.finditer(indexes)]
    except ValueError:  # a character that Rust writes in a way of its own
        return False, None
    return True, next((url for url, default in rows if default == "true"), None)


def parse_conda_sources(text: str, name: str) -> str | None:
    """Return the address that `conda config --show-sources --json` gives a custom channel; a later source is
    stronger."""
    document = json.loads(text)
    found = None
    for source in document.values() if isinstance(document, dict) else ():
        channels = source.get("custom_channels") if isinstance(source, dict) else None
        if isinstance(channels, dict) and isinstance(channels.get(name), str):
            found = channels[name]
    return found


Ask = Callable[[Request], Outcome]
_SECONDS = 60.0  # conda is slow to start, on Windows more so
_OWN_VARIABLES = {Tool.PIP: ("PIP_", "VIRTUAL_ENV"), Tool.UV: ("UV_",), Tool.CONDA: ("CONDA_PREFIX",)}


class ToolAnswer(str, enum.Enum):
    CONFIRMED = "confirmed"
    READ = "read"  # the tool takes the file without complaint; what it says was checked by reading it
    DIFFERS = "differs"
    NOT_ASKED = "not-asked"  # the tool is not on this computer, or did not answer


@dataclass(frozen=True, slots=True)
class ToolCheck:
    """`words` is one sentence for people."""

    tool: Tool
    answer: ToolAnswer
    words: Message


def verify(request: SettingsRequest, around: UserContext, ask: Ask = run) -> ToolCheck:
    """Ask the request's tool. Changes nothing. Addresses are never printed with a password."""
    return {Tool.PIP: _verify_pip, Tool.UV: _verify_uv, Tool.CONDA: _verify_conda}[request.tool](request, around, ask)


def _check(request: SettingsRequest, answer: ToolAnswer, found: str | None = None) -> ToolCheck:
    words = message(
        f"settings-file.check.{answer.value}",
        tool=request.tool.value,
        path=str(request.path),
        found=redact(found or "-"),
    )
    return ToolCheck(request.tool, answer, words)


def _compared(request: SettingsRequest, found: str | None) -> ToolCheck:
    if found != request.url:
        return _check(request, ToolAnswer.DIFFERS, found)
    if found is None:
        words = message("settings-file.check.confirmed-default", tool=request.tool.value)
        return ToolCheck(request.tool, ToolAnswer.CONFIRMED, words)
    return _check(request, ToolAnswer.CONFIRMED, found)


def _question(request: SettingsRequest, around: UserContext, *argv: str) -> Request:
    """Return the request as the user's own shell would make it: with the variables that ours never get."""
    kept = {name: value for name, value in around.environ.items() if name.startswith(_OWN_VARIABLES[request.tool])}
    locale_mode = {"PYTHONUTF8": around.environ.get("PYTHONUTF8", "0")}  # pip reads its files in the system's encoding
    environment = child_environment({**kept, **locale_mode}, around.environ)
    return Request(argv, environment=environment, timeout=_SECONDS, cwd=around.home)


def _pythons(around: UserContext) -> Iterator[str]:
    """Yield Pythons, those on the user's PATH first: that is the pip that people type. A frozen program is no
    Python."""
    for name in ("python3", "python", "py"):
        found = paths.find_program(name, around.environ.get("PATH"))
        if found:
            yield found
    if not paths.is_frozen():
        yield sys.executable


def _verify_pip(request: SettingsRequest, around: UserContext, ask: Ask) -> ToolCheck:
    for python in dict.fromkeys(_pythons(around)):
        pip = (python, "-m", "pip", "--disable-pip-version-check", "config")
        outcome = ask(_question(request, around, *pip, "list"))
        if outcome.ok:
            debugged = ask(_question(request, around, *pip, "debug")) if says_twice(outcome.stdout) else None
            if debugged and debugged.ok:
                return _compared(request, parse_pip_debug(debugged.stdout))
            return _compared(request, parse_pip_settings(outcome.stdout))
        if "No module named pip" not in outcome.stderr and outcome.exit_code is not None:
            return _check(request, ToolAnswer.DIFFERS, (outcome.stderr.strip().splitlines() or ["?"])[-1])
    return _check(request, ToolAnswer.NOT_ASKED)


def _verify_uv(request: SettingsRequest, around: UserContext, ask: Ask) -> ToolCheck:
    try:
        uv = str(paths.uv_executable())
    except FileNotFoundError:
        return _check(request, ToolAnswer.NOT_ASKED)
    outcome = ask(_question(request, around, uv, "--offline", "--show-settings", "pip", "compile", "-"))
    is_known, found = parse_uv_settings(outcome.stdout)
    if is_known:
        return _compared(request, found)
    accepted = ask(_question(request, around, uv, "cache", "dir"))  # reads all settings, and stops at a wrong one
    if accepted.exit_code is None:
        return _check(request, ToolAnswer.NOT_ASKED)
    if not accepted.ok:
        return _check(request, ToolAnswer.DIFFERS, (accepted.stderr.strip().splitlines() or ["?"])[-1])
    return _check(request, ToolAnswer.READ) if _is_written(request) else _check(request, ToolAnswer.DIFFERS)


def _is_written(request: SettingsRequest) -> bool:
    try:
        return value_of(request.tool, request.path, read(request.path) or b"", request.key) == request.url
    except WizardError:
        return False


def conda_of(around: UserContext) -> str | None:
    """Return the conda that people type; mamba and micromamba have other commands."""
    return next((str(found[1]) for found in candidates(around.environ) if found[0] == "conda"), None)


def _verify_conda(request: SettingsRequest, around: UserContext, ask: Ask) -> ToolCheck:
    conda = conda_of(around)
    if conda is None:
        return _check(request, ToolAnswer.NOT_ASKED)
    outcome = ask(_question(request, around, conda, "config", "--show-sources", "--json"))
    try:
        return _compared(request, parse_conda_sources(outcome.stdout, request.key.partition(".")[2]))
    except ValueError:
        return _check(request, ToolAnswer.NOT_ASKED)


def clean_index_cache(around: UserContext) -> bool | None:
    """Remove the lists that conda keeps of the old source for a while. None: there is no conda; False: it refused."""
    conda = conda_of(around)
    if conda is None:
        return None
    request = Request(
        (conda, "clean", "--index-cache", "--yes"), environment=child_environment(base=around.environ), cwd=around.home
    )
    return run(request).ok
