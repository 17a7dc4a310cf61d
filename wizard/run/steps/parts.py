"""Puts in last what of a project lies on no index: packages with source alone, makers' wheels, repositories, folders,
the project itself.

Each alone and without what it needs, so that nothing of the lock is touched; their build code runs, which is why a
person asked for them. One that does not go in is a note, as an import that fails is: PyTorch works without it.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from packaging.utils import canonicalize_name

from wizard.compatibility.model import Plan, ProjectPart
from wizard.environment.inspect.start_files import LARGEST, start_files, strays
from wizard.environment.layout import site_packages_of
from wizard.install.record import check_record, files_of, record_of, stamp
from wizard.install.store import PackageStore, StoreEntry
from wizard.model.distributions import changed_files, has_digest
from wizard.model.errors import Cancelled, WizardError
from wizard.model.lock import LockedFile
from wizard.model.messages import Message, message
from wizard.process import Outcome, Request, child_environment, redact, run
from wizard.run.context import Context, Step
from wizard.run.steps.install import installer_for, measure
from wizard.run.steps.parts_outcome import (
    PartsOutcome,
    at_work,
    has_left,
    has_other_clone,
    has_their_files,
    is_another,
    is_another_file,
    is_locked,
    is_other_clone,
    lacking_needs,
    names_of,
    why_failed,
)
from wizard.run.verify.model import Explain, SmokeCheck, explains_nothing
from wizard.run.verify.project import ASK
from wizard.sources.model import Layout
from wizard.sources.read import default_index_url
from wizard.system import moving
from wizard.system.links import long_path
from wizard.transfer.address import is_loopback

_LONGEST = 300
_CLONES = "src"  # pip's own name for the folder of what it clones to be edited
_INSTALLED = re.compile(r"^Successfully installed (.+)$", re.MULTILINE)
_HELD = "(constraint)"  # pip's word for a version that stays
_HELD_NAME = re.compile(r"\(constraint\) ([A-Za-z0-9][\w.-]*?)==")


class Parts(Step):
    name = "parts"
    weight = 6

    def __init__(self, explain: Explain = explains_nothing) -> None:
        """`explain`: the cause of what pip says, and what to do."""
        self._explain = explain

    def announce(self, context: Context) -> Message:
        return message("step.parts.will", "Installing {names}", names=names_of(_parts(context)))

    def run(self, context: Context) -> Message:
        target = context.wait_for_place()
        held = _held(context)
        parts, found, locked = _parts(context), PartsOutcome(), _Locked(context)
        for number, part in enumerate(parts):
            context.check()
            done = f"part {part.words}"
            if not target.is_new and done in context.history.done:
                found.put_in[str(context.history.done[done].get("name") or part.name)] = part
                continue
            # Not of what is there: of two in one moment the second would not be told.
            context.emitter.progress(self.name, number, len(parts), at_work(part, number + 1, len(parts)))
            if name := self._put_in(context, part, held, locked, found):
                context.journal.done(done, {"name": name})
        if found.put_in:
            lacks = self._pip(context, "check", "--disable-pip-version-check").stdout
            found.checks += lacking_needs(lacks, {one.name for one in context.lock.files}, target.created.prefix, parts)
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
                names=names_of(found.left),
            )
        return message("step.parts.done", "{count} of {total} installed", count=count, total=total)

    def _put_in(self, context: Context, part: ProjectPart, held: Path, locked: _Locked, found: PartsOutcome) -> str:
        """Return the name that its build gave it; "" where it is not in now."""
        before, names = start_files(locked.site), locked.names()
        name = self._built(context, part, held, locked, found)
        if not name:
            locked.take_back(before, names)
        if left := [one for one in strays(locked.site) if one not in before]:
            data = {"part": part.name, "part_is_in": bool(name)}
            found.checks.append(SmokeCheck("part", "warning", has_left(part, left), data=data))
        return name

    def _built(self, context: Context, part: ProjectPart, held: Path, locked: _Locked, found: PartsOutcome) -> str:
        if not has_digest(Path(part.words), part.digest):
            found.note(is_another_file(part), part)
            return ""
        outcome = self._pip(context, *pip_words(part, context.place.result().created.prefix, held), part=part)
        said, changed = f"{outcome.stdout}\n{outcome.stderr}", locked.changed()
        if not outcome.ok and changed:
            self._put_back(context, part, changed.values(), locked, found)
        if not outcome.ok and _HELD in said:
            names = [str(canonicalize_name(one)) for one in _HELD_NAME.findall(said)] or [part.name]
            found.note(is_locked(part, names[0]), part, names)
            return ""
        if not outcome.ok and is_other_clone(said):
            before = found.put_in.get(canonicalize_name(part.name))
            clone = context.place.result().created.prefix / _CLONES / part.name
            found.note(has_other_clone(part, before, clone), part, {part.name} if before else ())
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
                found.note(has_their_files(part, others), part, {name, *changed.values()})
            return ""
        if name in found.put_in:
            found.note(is_another(name, found.put_in[name], part))
        found.put_in[name] = part
        return name

    def _put_back(
        self, context: Context, part: ProjectPart, names: Iterable[str], locked: _Locked, found: PartsOutcome
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
            found.spoiled(part, ", ".join(spoiled))
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


class _Locked:
    """The files of the locked packages."""

    def __init__(self, context: Context) -> None:
        created, self._store = context.place.result().created, PackageStore()
        self.site = site_packages_of(created.prefix, created.python_version)
        self._owners = {
            long_path(self.site / path): file.name
            for file in context.lock.files
            for path in files_of(measure(file, self.site, self._store))
        }
        self.look()

    def look(self) -> None:
        """What is there now is as it shall stay."""
        self._before = {path: _stamp(path) for path in self._owners}

    def is_spoiled(self, file: LockedFile) -> bool:
        """Return whether one of its files is gone, or has another content than its list says."""
        source = measure(file, self.site, self._store)
        changed = changed_files(self.site, record_of(source), canonicalize_name(file.name))
        return bool(changed or check_record(self.site, source))

    def names(self) -> frozenset[str]:
        """Return what lies in the folder of packages, by its name there."""
        with contextlib.suppress(OSError):
            return frozenset(path.name for path in long_path(self.site).iterdir())
        return frozenset()

    def take_back(self, before: Mapping[str, bytes], names: Collection[str]) -> None:
        """Remove what a part that is not in has left beside the packages (pip leaves what it had written when the disk
        was full), and make the files that every start of Python reads what they were. `names`: what lay there."""
        now = start_files(self.site)
        gone = sorted(self.names().difference(names)) if names else []
        other = [name for name, content in before.items() if now.get(name) != content and len(content) < LARGEST]
        with contextlib.suppress(OSError):  # what stays is told
            for name in gone:
                path = self.site / name
                (moving.remove_tree if path.is_dir() and not path.is_symlink() else moving.unlink)(path)
            for name in other:
                moving.write_whole(self.site / name, before[name])
        if gone or other:
            self.look()

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
    editable = ("--src", str(prefix / _CLONES), "-e") if part.is_editable else ()
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


def _held(context: Context) -> Path:
    """Write down which versions stay. Raises WizardError `state-not-writable`."""
    path = context.folder.path / "parts-constraints.txt"
    lines = "".join(f"{file.name}=={file.version}\n" for file in context.lock.files)
    try:
        moving.write_whole(path, lines.encode())
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(path.parent)) from error
    return path
