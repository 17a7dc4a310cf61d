"""Puts in last what of a project lies on no index: packages with source alone, makers' wheels, repositories, folders,
the project itself.

Each alone and without what it needs, so that nothing of the lock is touched; their build code runs, which is why a
person asked for them. One that does not go in is a note, as an import that fails is: PyTorch works without it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from packaging.utils import canonicalize_name

from wizard.compatibility.model import Plan, ProjectPart
from wizard.environment.layout import site_packages_of
from wizard.install.record import check_record
from wizard.install.store import PackageStore
from wizard.model.errors import Cancelled
from wizard.model.messages import Message, message
from wizard.process import Outcome, Request, child_environment, redact, run
from wizard.run.context import Context, Step
from wizard.run.steps.install import measure
from wizard.run.verify.model import Explain, SmokeCheck, explains_nothing
from wizard.sources.model import Layout
from wizard.sources.read import default_index_url
from wizard.transfer.address import is_loopback

_MOST_SAID, _LONGEST = 50, 300
_MISSING = re.compile(r"^(\S+) \S+ requires ([^,\n]+), which is not installed\.", re.MULTILINE)
_DIFFERS = re.compile(r"^(\S+) \S+ has requirement ([^,\n]+(?:,[^ ,\n]+)*), but you have (.+)\.$", re.MULTILINE)
# pip's own last line is only that another program failed; what that said last is the reason.
_REASON = re.compile(r"(\S[^\n]*)\n\s*\[end of output\]")
_ERROR = re.compile(r"^\s*(?:ERROR: |fatal: )(.+)$", re.MULTILINE)


class Parts(Step):
    name = "parts"
    weight = 6

    def __init__(self, explain: Explain = explains_nothing) -> None:
        """`explain`: the cause of what pip says, and what to do."""
        self._explain = explain

    def announce(self, context: Context) -> Message:
        return message("step.parts.will", "Installing {names}", names=_names(_parts(context)))

    def run(self, context: Context) -> Message:
        target = context.wait_for_place()
        held = context.folder.path / "parts-constraints.txt"
        held.write_text("".join(f"{file.name}=={file.version}\n" for file in context.lock.files), encoding="utf-8")
        parts, checks, put_in = _parts(context), list[SmokeCheck](), list[ProjectPart]()
        for number, part in enumerate(parts):
            context.check()
            context.emitter.progress(self.name, number, len(parts), detail=part.name)
            done = f"part {part.words}"
            if context.lock.find(canonicalize_name(part.name)):
                checks.append(_note("part", _locked(part)))
                checks.append(_note("left", part.way))
            elif not target.is_new and done in context.history.done:
                put_in.append(part)
            elif (outcome := self._install(context, part, held)).ok:
                context.journal.done(done)
                put_in.append(part)
            else:
                checks += self._failed(part, outcome)
        checks += _needs(context) if put_in else ()
        checks += _replaced(context)
        if put_in:
            said = message("verify.project.parts", "Installed last: {names}.", names=_names(put_in))
            checks.insert(0, SmokeCheck("part", "ok", said))
        for check in checks:
            context.emitter.log(self.name, check.message)
        context.parts.set_result(tuple(checks))
        context.journal.done(self.name)
        return message("step.parts.done", "{count} of {total} installed", count=len(put_in), total=len(parts))

    def _install(self, context: Context, part: ProjectPart, held: Path) -> Outcome:
        created = context.place.result().created
        argv = (str(created.python), "-m", "pip", *pip_words(part, created.prefix, held))
        request = Request(argv, cwd=created.prefix, environment=_environment(context.plan, part))
        outcome = run(request, lambda _, line: context.emitter.log(self.name, line), context.is_stopped)
        if outcome.cancelled or context.is_stopped():
            raise Cancelled
        return outcome

    def _failed(self, part: ProjectPart, outcome: Outcome) -> Iterator[SmokeCheck]:
        said = f"{outcome.stdout}\n{outcome.stderr}"
        errors = _REASON.findall(said) or _ERROR.findall(said)
        error = redact(" ".join((errors[-1] if errors else outcome.tail() or "?").split()))[:_LONGEST].rstrip(".")
        cause, fix = self._explain(said) or (None, None)
        words = message(
            "verify.project.part-failed",
            "{name} could not be installed: {error}. {cause} {fix}",
            name=part.name,
            error=error,
            cause=cause or "",
            fix=fix or "",
        )
        yield SmokeCheck("part", "warning", words, data={"name": part.name, "said": redact(outcome.tail())})
        yield _note("left", part.way)


def pip_words(part: ProjectPart, prefix: Path, held: Path) -> tuple[str, ...]:
    """Return what pip is told. What lies on a page is taken ready or not at all. `held`: a file with the versions that
    stay: a part whose name only its build tells may be one of the lock."""
    build = ("--no-build-isolation",) if part.sees_torch else ()
    page = ("--only-binary", ":all:", "--find-links", part.page) if part.page else ()
    # pip's own place for what it clones is the folder from which it was started, outside a venv.
    editable = ("--src", str(prefix / "src"), "-e") if part.is_editable else ()
    quiet = ("--no-input", "--disable-pip-version-check")
    return ("install", "--no-deps", *quiet, "--constraint", str(held), *build, *page, *editable, part.words)


def _environment(plan: Plan, part: ProjectPart) -> dict[str, str]:
    """The sources that the plan's packages came from, for what a build needs; in variables, not on the command line,
    where others could read a password. git asks nobody and goes by https alone."""
    sources = [source for source in plan.sources if source.role == "packages"]
    indexes = [source.url or default_index_url() for source in sources if source.layout != Layout.FLAT.value]
    links = [source.url for source in sources if source.layout == Layout.FLAT.value and source.url]
    own = urlsplit(part.words.removeprefix("git+"))
    is_here = own.scheme == "http" and is_loopback(own.hostname or "")
    named = {
        "PIP_CONFIG_FILE": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "https:http" if is_here else "https",
        **({"PIP_INDEX_URL": indexes[0]} if indexes else {"PIP_NO_INDEX": "1"}),
        **({"PIP_EXTRA_INDEX_URL": " ".join(indexes[1:])} if indexes[1:] else {}),
        **({"PIP_FIND_LINKS": " ".join(links)} if links else {}),
    }
    return child_environment({**plan.environment, **named})


def _parts(context: Context) -> tuple[ProjectPart, ...]:
    return context.plan.project.parts if context.plan.project else ()


def _names(parts: tuple[ProjectPart, ...] | list[ProjectPart]) -> str:
    return ", ".join(dict.fromkeys(part.name for part in parts))


def _note(name: str, said: Message) -> SmokeCheck:
    return SmokeCheck(name, "warning", said)


def _locked(part: ProjectPart) -> Message:
    return message(
        "verify.project.part-locked",
        "{name} was not installed: another package needs it, and the one of the package index is there.",
        name=part.name,
    )


def _needs(context: Context) -> Iterator[SmokeCheck]:
    """What the parts need and did not bring: pip says that of everything, others are none of theirs."""
    created = context.place.result().created
    argv = (str(created.python), "-m", "pip", "check", "--disable-pip-version-check")
    environment = child_environment({"PIP_CONFIG_FILE": os.devnull})
    said = run(Request(argv, environment=environment), is_cancelled=context.is_stopped).stdout
    locked = {file.name for file in context.lock.files}
    for name, needed in dict.fromkeys(_MISSING.findall(said)):
        if canonicalize_name(name) not in locked:
            yield _note(
                "part",
                message(
                    "verify.project.part-needs",
                    "{name} needs {needed}, which is not there. Add it: [{page.environments}|torch-wizard envs add].",
                    name=name,
                    needed=needed,
                ),
            )
    for name, needed, found in dict.fromkeys(_DIFFERS.findall(said)):
        if canonicalize_name(name) not in locked:
            yield _note(
                "part",
                message(
                    "verify.project.part-differs",
                    "{name} asks for {needed}, and {found} is there. What of it needs the other version fails.",
                    name=name,
                    needed=needed,
                    found=found,
                ),
            )


def _replaced(context: Context) -> Iterator[SmokeCheck]:
    """A part may bring a file that a package of the lock has."""
    created = context.place.result().created
    site_packages = site_packages_of(created.prefix, created.python_version)
    store = PackageStore()
    measures = (measure(file, site_packages, store) for file in context.lock.files)
    wrong = [each for measured_by in measures for each in check_record(site_packages, measured_by)]
    if wrong:
        said = message(
            "verify.project.part-replaced",
            "Installing them changed files of other packages: {first} ({count} in all). "
            "[{page.environments}|torch-wizard doctor NAME --fix] puts them back.",
            first=wrong[0],
            count=len(wrong),
        )
        yield SmokeCheck("part", "warning", said, data={"files": wrong[:_MOST_SAID]})
