"""What a person would type to get the same environment by hand. For the Review page; nobody runs it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from wizard.compatibility.model import Plan
from wizard.environment.activate.scripts import quote_powershell
from wizard.environment.activate.terminal import this_users_shell
from wizard.model.distributions import FAMILY
from wizard.model.lock import Lock
from wizard.process import redact
from wizard.sources.model import Layout
from wizard.sources.read import default_index_url
from wizard.system import paths

_PLAIN = re.compile(r"[\w.:\\/+=-]+")
_FLAT = Layout.FLAT.value
Quote = Callable[[str], str]


def equivalent_commands(plan: Plan, lock: Lock, shell: str | None = None) -> tuple[str, ...]:
    """They install what the run would. Redacted: safe to show and to copy, credentials have to be put back. `shell`:
    None is the person's own."""
    shell = shell or this_users_shell(paths.os_name())
    install = _install(plan, lock, shell)
    lines = (install,) if plan.engine == "existing" else (_create(plan, shell), install)
    last = (str(part.way.params.get("command", "")) for part in (plan.project.parts if plan.project else ()))
    lines = (*lines, *filter(None, last))
    return tuple(redact(line) for line in lines)


def quote_of(shell: str) -> Quote:
    """How this shell takes a text as one word."""
    if shell == "powershell":
        return lambda text: text if _PLAIN.fullmatch(text) else quote_powershell(text)
    if shell == "cmd":  # not only for spaces: < > and & are its own signs
        return lambda text: text if _PLAIN.fullmatch(text) else f'"{text}"'
    return shlex.quote


def line_of(program: str, words: Iterable[str], shell: str) -> str:
    """Return a line for this shell: PowerShell takes a quoted program for a text, unless it is told to call it."""
    written = quote_of(shell)(program)
    return " ".join([f"& {written}" if shell == "powershell" and written != program else written, *words])


def _create(plan: Plan, shell: str) -> str:
    quote = quote_of(shell)
    if plan.engine == "venv":
        return line_of(plan.base_python or "python3", ("-m", "venv", quote(plan.prefix)), shell)
    channels = [word for channel in plan.channels for word in ("-c", quote(channel))]
    wanted = map(quote, (f"python={plan.python}", "pip", *plan.conda_specs))
    words = ("create", "-p", quote(plan.prefix), "--override-channels", *channels, *wanted)
    return line_of(plan.conda or "conda", words, shell)


def _install(plan: Plan, lock: Lock, shell: str) -> str:
    quote = quote_of(shell)
    words = (*_options(plan), *_requirements(plan, lock))
    return line_of("uv", ("pip", "install", "--python", quote(plan.prefix), *map(quote, words)), shell)


def _options(plan: Plan) -> Iterator[str]:
    """Of all but torch's family. In the order in which they were asked for the lock: uv asks its default last."""
    sources = [source for source in plan.sources if source.role == "packages"]
    for source in sources:
        if source.layout == _FLAT and source.url:
            yield from ("--find-links", source.url)
    indexes = [source.url for source in sources if source.layout != _FLAT]
    if sources and not indexes:
        yield "--no-index"
    if any(indexes):  # the official one alone is chosen by saying nothing
        *first, last = (url or default_index_url() for url in indexes)
        yield from (word for url in first for word in ("--index", url))
        yield from ("--default-index", last)
    if len(indexes) > 1:
        yield from ("--index-strategy", plan.choices.index_strategy)


def _requirements(plan: Plan, lock: Lock) -> Iterator[str]:
    """An option is for every package: what is bound to one source of several is named by its file, or its version."""
    packages = [source for source in plan.sources if source.role == "packages"]
    main = next((source.url for source in packages), None)
    is_bound = any(source.role == "torch" and source.url != main for source in plan.sources) or len(packages) > 1
    files = [file for file in lock.files if file.name in FAMILY] if is_bound else []
    # uv puts the versions of a folder beside those of every index; a class profile names its packages itself, and of an
    # old project the newest are not meant.
    is_own = plan.profile_sha256 is not None or plan.project is not None
    is_pinned = any(source.layout == _FLAT for source in packages) or is_own
    pinned = [file for file in lock.files if is_pinned and file not in files]
    named = {file.name for file in (*files, *pinned)}
    if plan.profile_sha256 is not None:
        yield "--no-deps"
    yield from (f"{file.name}=={file.version}" for file in pinned)
    yield from (f"{file.name} @ {file.urls[0]}{f'#sha256={file.sha256}' if file.sha256 else ''}" for file in files)
    yield from (each for each in plan.requirements if canonicalize_name(Requirement(each).name) not in named)
