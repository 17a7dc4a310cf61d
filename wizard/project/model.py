"""What a project declares, as values: every statement with the file and the line that make it.

Names are normalized (PEP 503), versions are PEP 440 specifiers whatever the file's own tool writes. No rule about
torch lives here; `understand` and `decide` have those.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from packaging.utils import canonicalize_name

from wizard.model.messages import Message, message

DECLARED, LOCKED, RECOMMENDED = "declared", "locked", "recommended"
PYTHON, TORCH = "python", "torch"
IN_LOCK = "lock"  # group of what a lock says of itself, which counts where nothing else is declared
MADE_FOR = "__platform"  # a name that no package has: the systems of a lock, as its marker
_SHOWN = 160  # characters of a line that a person is shown


@dataclass(frozen=True, slots=True)
class FileLine:
    """`file` is relative to the project, with slashes; `line` counts from 1."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Statement:
    """One package, the Python or a CUDA toolkit that is asked for."""

    name: str
    specifier: str  # PEP 440; "" for any version
    origin: FileLine
    strength: str = DECLARED
    group: str = ""  # an extra or a group that is not installed unasked
    marker: str = ""  # PEP 508; "" for always
    local: str = ""  # "cu117" of ==1.13.1+cu117
    url: str = ""  # a direct reference, a path, a repository
    build: str = ""  # conda's build string
    conda: bool = False  # named in conda's words
    extras: tuple[str, ...] = ()  # of the package: what stands in brackets

    def __str__(self) -> str:
        return f"{self.name}{self.specifier or (f' @ {self.url}' if self.url else '')}"


@dataclass(frozen=True, slots=True)
class AddressLine:
    """An address that the project wants packages from: `kind` is index, find-links or channel."""

    kind: str
    url: str
    origin: FileLine
    strength: str = DECLARED
    marker: str = ""  # PEP 508; "" for always


@dataclass(frozen=True, slots=True)
class Project:
    """All that was read. `remarks` say what could not be, and how a line was understood."""

    folder: str
    files: tuple[str, ...]
    statements: tuple[Statement, ...]
    sources: tuple[AddressLine, ...]
    remarks: tuple[Message, ...]


@dataclass
class Findings:
    """What the readers fill; `include` reads another file that a line names, for a group."""

    include: Callable[[str, FileLine, str], None] = lambda name, origin, group: None
    statements: list[Statement] = field(default_factory=list)
    sources: list[AddressLine] = field(default_factory=list)
    remarks: list[Message] = field(default_factory=list)

    def remark(self, code: str, origin: FileLine, **params: str | int) -> None:
        """`code` picks `project.remark.<code>` in the catalogue."""
        place = {"file": origin.file, "line": origin.line, "text": origin.text, **params}
        shown = {key: fit_to_show(value) if isinstance(value, str) else value for key, value in place.items()}
        found = message(f"project.remark.{code}", **shown)
        if found not in self.remarks:
            self.remarks.append(found)


def origin_of(file: str, line: int, text: str) -> FileLine:
    return FileLine(file, line, fit_to_show(text))


def fit_to_show(text: str) -> str:
    """Return what fits on one line of a screen, and cannot move its cursor."""
    shown = "".join(char if char.isprintable() else " " for char in text.strip()[: 2 * _SHOWN])
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"


def normalized(name: str) -> str:
    return str(canonicalize_name(name.strip()))


def builds_itself(project: Project) -> bool:
    """Return whether the project is a package of its own: it says so, or a line installs it (`-e .`)."""
    own = ("setup.py", "setup.cfg", "pyproject.toml")
    declares = any(one.origin.file in own and not one.group for one in project.statements)
    return declares or any(one.name == "." for one in project.statements)
