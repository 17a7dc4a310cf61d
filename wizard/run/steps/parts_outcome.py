"""Words and outcome of what a project's parts came to: what is in, what is not and why, and how to try again."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from packaging.utils import canonicalize_name

from wizard.compatibility.model import ProjectPart
from wizard.model.distributions import FAMILY
from wizard.model.messages import Message, message
from wizard.process import redact
from wizard.run.verify.model import SmokeCheck
from wizard.system.traits import this

_MISSING = re.compile(r"^(\S+) \S+ requires ([^,\n]+), which is not installed\.", re.MULTILINE)
_DIFFERS = re.compile(r"^(\S+) \S+ has requirement ([^,\n]+(?:,[^ ,\n]+)*), but you have (.+)\.$", re.MULTILINE)
# pip's `ask_path_exists`, told to ask nobody.
_OTHER_CLONE = re.compile(r"No input was expected [^\n]*question: What to do\?")
_STAY = frozenset({*FAMILY, "numpy"})  # nobody is given a command that replaces one of these
# pip's own last line is only that another program failed; what that said is the reason.
_SHARPEST = (
    re.compile(r"has inconsistent name: ([^\n]+)"),
    re.compile(r"warning: (You appear to have cloned an empty repository)"),
)
_END = "[end of output]"  # of what the other program said, in pip's words
_BEGIN = "lines of output]"
# Its last line may be a hint on how to go on, or where to read more: the last one that is an error's is taken.
_WRONG = re.compile(
    r"^(?P<at> *)Traceback \(most recent call last\):\n(?:(?P=at) [^\n]*\n)+"
    r"(?P=at)(?P<raised>[\w.]+: *\n\s*\S[^\n]*|\S[^\n]*)"
    r"|^[ \t]*(?P<kind>ERROR: |fatal: |error: (?!subprocess-exited))(?P<said>\S[^\n]*)",
    re.MULTILINE,
)
# Where a compiler ended the build, the last line is its whole command; its own first error is the reason.
_IS_COMPILER = re.compile(r"(?i)failed with exit|returned non-zero|compil|ninja")
_COMPILER = re.compile(
    r"^\s*(\S[^\n]*?(?::\d+|\(\d+\)) ?: (?:fatal )?error[ :][^\n]+|CMake Error[^\n]*:\s+\S[^\n]*)$", re.MULTILINE
)


@dataclass
class PartsOutcome:
    """What became of the parts. `put_in`: by the names that their builds gave them."""

    put_in: dict[str, ProjectPart] = field(default_factory=dict)
    left: list[ProjectPart] = field(default_factory=list)
    checks: list[SmokeCheck] = field(default_factory=list)

    def is_left(self, part: ProjectPart) -> None:
        """Take down that it is not in, once: a build may fail and have spoiled what is locked as well."""
        if part not in self.left:
            self.left.append(part)

    def spoiled(self, part: ProjectPart, others: str) -> None:
        """`others`: the locked packages whose files could not be put back."""
        self.is_left(part)
        for said in (is_spoiled_by(part, others), look_at_the_others()):
            self.checks.append(SmokeCheck("part", "warning", said, data={"part": part.name}))

    def note(self, said: Message, part: ProjectPart | None = None, in_place_of: Collection[str] = ()) -> None:
        """`part`: what is not in, whose command goes with it; `in_place_of`: the locked packages that this would
        change."""
        data = {"part": part.name} if part else {}
        self.checks.append(SmokeCheck("part", "warning", said, data=data))
        if part:
            self.is_left(part)
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


def is_other_clone(said: str) -> bool:
    """Return whether pip asked what to do with a clone that is there, of another address or with other files."""
    return bool(_OTHER_CLONE.search(said))


def why_failed(said: str) -> str:
    """Return the reason that pip, or what it ran, gives in one line; "" where it gives none."""
    if sharpest := next(filter(None, (reason.findall(said) for reason in _SHARPEST)), None):
        return " ".join(sharpest[-1].split())
    whole, end, _ = said.rpartition(_END)
    of_program = whole.rpartition(_BEGIN)[2] if end else said
    wrong = deque(_WRONG.finditer(of_program), 1)
    if wrong:
        error = wrong[0]["raised"] or f"{wrong[0]['kind'] if end else ''}{wrong[0]['said']}"
    else:
        error = next(reversed(of_program.strip().splitlines()), "") if end else ""
    is_compiler = _IS_COMPILER.search(error) and (first := _COMPILER.search(said))
    return " ".join((first[1] if is_compiler and first else error).split())


def at_work(part: ProjectPart, number: int, count: int) -> Message:
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


def names_of(parts: tuple[ProjectPart, ...] | list[ProjectPart]) -> str:
    return ", ".join(dict.fromkeys(part.name for part in parts))


def is_locked(part: ProjectPart, package: str) -> Message:
    return message(
        "verify.project.part-locked",
        "{name} was not installed: it is the package {package}, and the plan has the one of the package index.",
        name=part.name,
        package=package,
    )


def is_another_file(part: ProjectPart) -> Message:
    return message(
        "verify.project.part-hash",
        "{name} was not installed: its file has another content than the hash behind its path says. Fetch it anew.",
        name=part.name,
    )


def has_their_files(part: ProjectPart, others: str) -> Message:
    return message(
        "verify.project.part-replaced",
        "{name} was taken out again: it writes over files of {others}, which are as before.",
        name=part.name,
        others=others,
    )


SPOILED = "verify.project.part-spoiled"


def is_spoiled_by(part: ProjectPart, others: str) -> Message:
    return message(
        "verify.project.part-spoiled",
        "“{name}” has written into files of {others}, and these could not be put back: other environments may share "
        "them.",
        name=part.name,
        others=others,
    )


def look_at_the_others() -> Message:
    """Say what to do where other environments may have what a part spoiled: only all contents show it for certain."""
    return message(
        "verify.project.part-look",
        "Set this environment up anew, and have each of the others looked at: "
        "[{page.doctor}|torch-wizard doctor --deep --prefix FOLDER].",
    )


def has_other_clone(part: ProjectPart, before: ProjectPart | None, folder: Path) -> Message:
    """`before`: what was put in under this name."""
    if before is None:
        return message(
            "verify.project.part-other-clone",
            "{name} was not installed: {folder} holds the clone of another address.",
            name=part.name,
            folder=str(folder),
        )
    return message(
        "verify.project.part-second",
        "Two lines give {name}: the first is installed ({first}), the second is not ({second}).",
        name=part.name,
        first=redact(before.words),
        second=redact(part.words),
    )


def has_left(part: ProjectPart, files: Iterable[str]) -> Message:
    return message(
        "verify.project.part-left-files",
        "The build of “{name}” has left {files} among the packages: Python runs that at each start, and no package "
        "lists it. Read it, and delete it where you do not want that.",
        name=part.name,
        files=", ".join(files),
    )


def is_another(name: str, before: ProjectPart, part: ProjectPart) -> Message:
    return message(
        "verify.project.part-twice",
        "{first} and {second} are both the package {name}: the second is installed in place of the first.",
        first=before.name,
        second=part.name,
        name=name,
    )


def lacking_needs(
    said: str, locked: Collection[str], prefix: Path, parts: Iterable[ProjectPart] = ()
) -> Iterator[SmokeCheck]:
    """What the parts need and did not bring: pip says that of everything, what is `locked` is none of theirs. Another
    of the `parts` is told as what could not be installed, and is none of an index."""
    own = {canonicalize_name(one.name) for one in parts}
    for name, needed in dict.fromkeys(_MISSING.findall(said)):
        if canonicalize_name(name) not in locked and canonicalize_name(needed) not in own:
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
                data={"part": name, "part_is_in": True},
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
