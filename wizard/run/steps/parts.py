"""Puts in last what of a project lies on no index: packages with source alone, makers' wheels, repositories, folders,
the project itself.

Each alone and without what it needs, so that nothing of the lock is touched; their build code runs, which is why a
person asked for them. One that does not go in is a note, as an import that fails is: PyTorch works without it.

One file: how pip is told of a part, what it did, and the sentences of both.
"""

from __future__ import annotations

import os
import queue
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from packaging.utils import canonicalize_name

from wizard.compatibility.model import Plan, ProjectPart
from wizard.environment.layout import site_packages_of
from wizard.install.record import check_record, files_of, record_of, stamp
from wizard.install.store import PackageStore, StoreEntry
from wizard.model.distributions import FAMILY, changed_files
from wizard.model.errors import Cancelled, WizardError
from wizard.model.lock import LockedFile
from wizard.model.messages import Message, message
from wizard.process import Outcome, Request, child_environment, redact, run
from wizard.run.context import Context, Step
from wizard.run.steps.install import installer_for, measure
from wizard.run.verify.model import Explain, SmokeCheck, explains_nothing
from wizard.run.verify.project import ASK
from wizard.sources.model import Layout
from wizard.sources.read import default_index_url
from wizard.system import moving
from wizard.system.links import long_path
from wizard.system.traits import this
from wizard.transfer.address import is_loopback

_LONGEST = 300
_MISSING = re.compile(r"^(\S+) \S+ requires ([^,\n]+), which is not installed\.", re.MULTILINE)
_DIFFERS = re.compile(r"^(\S+) \S+ has requirement ([^,\n]+(?:,[^ ,\n]+)*), but you have (.+)\.$", re.MULTILINE)
_INSTALLED = re.compile(r"^Successfully installed (.+)$", re.MULTILINE)
_HELD = "(constraint)"  # pip's word for a version that stays
_HELD_NAME = re.compile(r"\(constraint\) ([A-Za-z0-9][\w.-]*?)==")
_STAY = frozenset({*FAMILY, "numpy"})  # nobody is given a command that replaces one of these
# pip's own last line is only that another program failed; what that said last is the reason.
_REASONS = (
    re.compile(r"has inconsistent name: ([^\n]+)"),
    re.compile(r"(\S[^\n]*)\n\s*\[end of output\]"),
    re.compile(r"^\s*(?:ERROR: |fatal: |error: (?!subprocess-exited))(.+)$", re.MULTILINE),
)
# Where a compiler ended the build, the last line is its whole command; its own first error is the reason.
_IS_COMPILER = re.compile(r"(?i)failed with exit|returned non-zero|compil|ninja")
_COMPILER = re.compile(r"^\s*(\S[^\n]*?(?::\d+|\(\d+\)) ?: (?:fatal )?error[ :][^\n]+)$", re.MULTILINE)


@dataclass
class _Outcome:
    """What became of the parts. `put_in`: by the names that their builds gave them."""

    put_in: dict[str, ProjectPart] = field(default_factory=dict)
    left: list[ProjectPart] = field(default_factory=list)
    checks: list[SmokeCheck] = field(default_factory=list)

    def note(self, said: Message, part: ProjectPart | None = None, in_place_of: Collection[str] = ()) -> None:
        """`part`: what is not in, whose command goes with it; `in_place_of`: the locked packages that this would
        change."""
        data = {"part": part.name} if part else {}
        self.checks.append(SmokeCheck("part", "warning", said, data=data))
        if part:
            self.left.append(part)
            command = str(part.way.params.get("command", ""))
            again = message("verify.project.part-again", "To try it again by hand: `{command}`", command=command)
            if stays := sorted(_STAY.intersection(in_place_of)):
                again = message(
                    "verify.project.part-stays",
                    "Nothing needs to be done: installed by hand it would replace {names}, which PyTorch needs.",
                    names=", ".join(stays),
                )
            elif in_place_of:
                again = message(
                    "verify.project.part-instead",
                    "Nothing needs to be done, unless you want this one in place of what is there: `{command}`",
                    command=command,
                )
            self.checks.append(SmokeCheck("part", "warning", again, data=data))


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
        held = _held(context)
        parts, found, locked = _parts(context), _Outcome(), _Locked(context)
        for number, part in enumerate(parts):
            context.check()
            done = f"part {part.words}"
            if not target.is_new and done in context.history.done:
                found.put_in[str(context.history.done[done].get("name") or part.name)] = part
                continue
            # Not of what is there: of two in one moment the second would not be told.
            context.emitter.progress(self.name, number, len(parts), _at(part, number + 1, len(parts)))
            if name := self._put_in(context, part, held, locked, found):
                context.journal.done(done, {"name": name})
        if found.put_in:
            lacks = self._pip(context, "check", "--disable-pip-version-check").stdout
            found.checks += _needs(lacks, {file.name for file in context.lock.files}, target.created.prefix)
            said = message("verify.project.parts", "Installed last: {names}.", names=", ".join(found.put_in))
            found.checks.insert(0, SmokeCheck("part", "ok", said))
        for check in found.checks:
            context.emitter.log(self.name, check.message)
        context.parts.set_result(tuple(found.checks))
        context.journal.done(self.name)
        count, total = len(parts) - len(found.left), len(parts)
        if found.left:
            return message(
                "step.parts.left",
                "{count} of {total} installed; not installed: {names}",
                count=count,
                total=total,
                names=_names(found.left),
            )
        return message("step.parts.done", "{count} of {total} installed", count=count, total=total)

    def _put_in(self, context: Context, part: ProjectPart, held: Path, locked: _Locked, found: _Outcome) -> str:
        """Return the name that its build gave it; "" where it is not in now."""
        outcome = self._pip(context, *pip_words(part, context.place.result().created.prefix, held), part=part)
        said, changed = f"{outcome.stdout}\n{outcome.stderr}", locked.changed()
        if not outcome.ok and changed:
            self._put_back(context, part, changed.values(), locked, found)
        if not outcome.ok and _HELD in said:
            names = [str(canonicalize_name(one)) for one in _HELD_NAME.findall(said)] or [part.name]
            found.note(_is_locked(part, names[0]), part, names)
            return ""
        if not outcome.ok:
            found.note(self._failure(part, said, outcome), part)
            return ""
        names = _INSTALLED.findall(outcome.stdout)
        name = canonicalize_name(names[-1].split()[-1].rpartition("-")[0]) if names else part.name
        if changed or context.lock.find(name):
            if not context.lock.find(name):
                self._pip(context, "uninstall", "-y", name)
            if self._put_back(context, part, (*changed.values(), name), locked, found):
                others = ", ".join(dict.fromkeys(changed.values())) or name
                found.note(_has_their_files(part, others), part, {name, *changed.values()})
            return ""
        if name in found.put_in:
            found.note(_is_another(name, found.put_in[name], part))
        found.put_in[name] = part
        return name

    def _put_back(
        self, context: Context, part: ProjectPart, names: Iterable[str], locked: _Locked, found: _Outcome
    ) -> bool:
        """Put the locked packages of these names back; return whether all their files are as they were."""
        store, ready = PackageStore(), queue.SimpleQueue[StoreEntry | None]()
        files = [file for file in map(context.lock.find, dict.fromkeys(names)) if file]
        for file in files:
            if entry := store.find(file, deep=True):  # one whose file it shares is another now, too
                ready.put(entry)
        ready.put(None)
        created = context.place.result().created
        installer_for(context, created, self.name, deep=True).pipeline(ready, is_cancelled=context.is_stopped)
        locked.look()
        if spoiled := [file.name for file in files if locked.is_spoiled(file)]:
            said = _is_spoiled(part, ", ".join(spoiled))
            found.left.append(part)
            found.checks.append(SmokeCheck("part", "warning", said, data={"part": part.name}))
        return not spoiled

    def _pip(self, context: Context, *words: str, part: ProjectPart | None = None) -> Outcome:
        """Raises Cancelled."""
        created = context.place.result().created
        argv = (str(created.python), "-m", "pip", *words)
        request = Request(argv, cwd=created.prefix, environment=build_environment(context.plan, part))
        outcome = run(request, lambda _, line: context.emitter.log(self.name, line), context.is_stopped)
        if outcome.cancelled or context.is_stopped():
            raise Cancelled
        return outcome

    def _failure(self, part: ProjectPart, said: str, outcome: Outcome) -> Message:
        error = redact(why_failed(said) or outcome.tail() or "?")[:_LONGEST].rstrip(".")
        cause, fix = self._explain(said) or (ASK, "")
        return message(
            "verify.project.part-failed",
            "“{name}” could not be installed: {error}. {cause} {fix}",
            name=part.name,
            error=error,
            cause=cause,
            fix=fix,
        )


def why_failed(said: str) -> str:
    """Return the reason that pip, or what it ran, gives in one line; "" where it gives none."""
    errors = next(filter(None, (reason.findall(said) for reason in _REASONS)), [""])
    is_compiler = _IS_COMPILER.search(errors[-1]) and (first := _COMPILER.search(said))
    return " ".join((first[1] if is_compiler and first else errors[-1]).split())


class _Locked:
    """The files of the locked packages."""

    def __init__(self, context: Context) -> None:
        created, self._store = context.place.result().created, PackageStore()
        self._site_packages = site_packages_of(created.prefix, created.python_version)
        self._owners = {
            long_path(self._site_packages / path): file.name
            for file in context.lock.files
            for path in files_of(measure(file, self._site_packages, self._store))
        }
        self.look()

    def look(self) -> None:
        """What is there now is as it shall stay."""
        self._before = {path: _stamp(path) for path in self._owners}

    def is_spoiled(self, file: LockedFile) -> bool:
        """Return whether one of its files is gone, or has another content than its list says."""
        source = measure(file, self._site_packages, self._store)
        changed = changed_files(self._site_packages, record_of(source), canonicalize_name(file.name))
        return bool(changed or check_record(self._site_packages, source))

    def changed(self) -> dict[Path, str]:
        """Return what is gone or another now, and whose it is."""
        return {path: self._owners[path] for path, before in self._before.items() if before and _stamp(path) != before}


def _stamp(path: Path) -> tuple[int, ...]:
    """Return `stamp`, and for a file that has no other name what nobody can set: its time of any change."""
    found = stamp(path)
    if found is None:
        return ()
    facts = path.stat()
    return (*found, facts.st_ctime_ns if facts.st_nlink == 1 else 0)


# Windows': a file beyond 260 characters ends the clone else, and an environment's `src` lies deep.
_LONG_PATHS = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.longpaths", "GIT_CONFIG_VALUE_0": "true"}
_QUIET = ("--no-input", "--disable-pip-version-check")


def pip_words(part: ProjectPart, prefix: Path, held: Path) -> tuple[str, ...]:
    """Return what pip is told. What lies on a page is taken ready or not at all. `held`: a file with the versions that
    stay: a part whose name only its build tells may be one of the lock."""
    build = ("--no-build-isolation",) if part.sees_torch else ()
    page = ("--only-binary", ":all:", "--find-links", part.page) if part.page else ()
    # pip's own place for what it clones is the folder from which it was started, outside a venv.
    editable = ("--src", str(prefix / "src"), "-e") if part.is_editable else ()
    # What is there in the same version would be taken for it, and nothing said.
    alone = ("install", "--no-deps", "--force-reinstall", *_QUIET, "--constraint", str(held))
    return (*alone, *build, *page, *editable, part.words)


def build_environment(plan: Plan, part: ProjectPart | None) -> dict[str, str]:
    """The sources that the plan's packages came from, for what a build needs; in variables, not on the command line,
    where others could read a password. git asks nobody and goes by https alone."""
    sources = [source for source in plan.sources if source.role == "packages"]
    indexes = [source.url or default_index_url() for source in sources if source.layout != Layout.FLAT.value]
    links = [source.url for source in sources if source.layout == Layout.FLAT.value and source.url]
    own = urlsplit(part.words.removeprefix("git+") if part else "")
    is_here = own.scheme == "http" and is_loopback(own.hostname or "")
    named = {
        "PIP_CONFIG_FILE": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "https:http" if is_here else "https",
        "GIT_HTTP_LOW_SPEED_LIMIT": "1000",  # bytes per second, for so many seconds: else git waits for ever
        "GIT_HTTP_LOW_SPEED_TIME": "60",
        **({} if "GIT_CONFIG_COUNT" in os.environ else _LONG_PATHS),
        **({"PIP_INDEX_URL": indexes[0]} if indexes else {"PIP_NO_INDEX": "1"}),
        **({"PIP_EXTRA_INDEX_URL": " ".join(indexes[1:])} if indexes[1:] else {}),
        **({"PIP_FIND_LINKS": " ".join(links)} if links else {}),
    }
    return child_environment({**plan.environment, **named})


def _parts(context: Context) -> tuple[ProjectPart, ...]:
    return context.plan.project.parts if context.plan.project else ()


def _at(part: ProjectPart, number: int, count: int) -> Message:
    kind = (
        message("step.parts.page", "ready wheel")
        if part.page
        else "git"
        if part.words.startswith("git+")
        else message("step.parts.address", "address")
        if "://" in part.words
        else message("step.parts.folder", "folder")
        if Path(part.words).is_absolute()
        else message("step.parts.source", "source")
    )
    return message(
        "step.parts.at",
        "Installing {number} of {count}: {name} ({kind})",
        number=number,
        count=count,
        name=part.name,
        kind=kind,
    )


def _names(parts: tuple[ProjectPart, ...] | list[ProjectPart]) -> str:
    return ", ".join(dict.fromkeys(part.name for part in parts))


def _is_locked(part: ProjectPart, package: str) -> Message:
    return message(
        "verify.project.part-locked",
        "{name} was not installed: it is the package {package}, and the plan has the one of the package index.",
        name=part.name,
        package=package,
    )


def _has_their_files(part: ProjectPart, others: str) -> Message:
    return message(
        "verify.project.part-replaced",
        "{name} was taken out again: it writes over files of {others}, which are as before.",
        name=part.name,
        others=others,
    )


def _is_spoiled(part: ProjectPart, others: str) -> Message:
    return message(
        "verify.project.part-spoiled",
        "“{name}” has written into files of {others}, and these could not be put back: other environments may share "
        "them. Set this environment up anew, and let Doctor look at the others.",
        name=part.name,
        others=others,
    )


def _is_another(name: str, before: ProjectPart, part: ProjectPart) -> Message:
    return message(
        "verify.project.part-twice",
        "{first} and {second} are both the package {name}: the second is installed in place of the first.",
        first=before.name,
        second=part.name,
        name=name,
    )


def _held(context: Context) -> Path:
    """Write down which versions stay. Raises WizardError `state-not-writable`."""
    path = context.folder.path / "parts-constraints.txt"
    lines = "".join(f"{file.name}=={file.version}\n" for file in context.lock.files)
    try:
        moving.write_whole(path, lines.encode())
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(path.parent)) from error
    return path


def _needs(said: str, locked: Collection[str], prefix: Path) -> Iterator[SmokeCheck]:
    """What the parts need and did not bring: pip says that of everything, what is `locked` is none of theirs."""
    for name, needed in dict.fromkeys(_MISSING.findall(said)):
        if canonicalize_name(name) not in locked:
            yield SmokeCheck(
                "part",
                "warning",
                message(
                    "verify.project.part-needs",
                    "{name} needs {needed}, which is not there. Add it: "
                    "[{page.environments}|torch-wizard envs add {environment} {package}].",
                    name=name,
                    needed=needed,
                    environment=this().quoted(prefix.name),
                    package=this().quoted(needed),
                ),
                data={"part": name},
            )
    for name, needed, found in dict.fromkeys(_DIFFERS.findall(said)):
        if canonicalize_name(name) not in locked:
            yield SmokeCheck(
                "part",
                "warning",
                message(
                    "verify.project.part-differs",
                    "{name} asks for {needed}, and {found} is there. What of it needs the other version fails.",
                    name=name,
                    needed=needed,
                    found=found,
                ),
            )
