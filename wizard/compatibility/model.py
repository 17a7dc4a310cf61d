"""The decision as data: what was wanted, what fits and why not, and what will be done.

A *candidate* is one build: torch release x CUDA tag (`variant`, "cu126" or "cpu") for one Python. A *plan*
is a candidate with everything that is needed to carry it out without asking again; with its lock it is
complete. Plans are files: the worker reads one, and nothing in it depends on the window.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wizard.model.messages import Message, Scalar, Words

if TYPE_CHECKING:
    from wizard.compatibility.other_makers import OtherCard

SCHEMA = 1

REASON_CODES = (
    "no-gpu",
    "other-maker",
    "no-driver",
    "driver-too-old",
    "no-kernels-for-gpu",
    "not-published",
    "python-unsupported",
    "platform-unsupported",
    "glibc-too-old",
)
# uv's words: the first index that has a package is asked for its versions; the highest version of all indexes.
INDEX_STRATEGIES = ("first-index", "unsafe-best-match")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a build does not fit. The text is `reason.<code>` in the catalogue; `params` fill it.

    `words`: the key of a text that says more exactly what is so, where one code covers several cases.
    """

    code: str
    params: Mapping[str, Scalar] = field(default_factory=dict)
    words: str = ""

    @property
    def message(self) -> Message:
        return Message(f"reason.{self.words or self.code}", self.params)

    @property
    def short(self) -> Message:
        """For a cell of the table."""
        return Message(f"plan.cell.{self.words or self.code}", self.params)


TODAY = "today"  # in place of a day: the newest


@dataclass(frozen=True, slots=True)
class Choices:
    """What the person asked for; None or () means: the product decides."""

    python: str | None = None  # "3.12"
    torch: str | None = None  # "2.14.1"
    variant: str | None = None  # "cu126", "cpu"
    companions: tuple[str, ...] | None = None  # torchvision, torchaudio; None = torchvision where it can be had
    extras: tuple[str, ...] = ()  # further requirements
    engine: str = "auto"  # auto | rattler | conda | venv
    conda: str | None = None  # the conda engine's program or installation; None = the first that answers
    base_python: str | None = None  # the venv engine's Python, by its path; None = the newest that serves
    name: str | None = None
    prefix: str | None = None
    index: str | None = None  # Python packages
    torch_index: str | None = None  # torch wheels
    find_links: tuple[str, ...] = ()
    index_strategy: str = INDEX_STRATEGIES[0]
    channel: str | None = None
    include_unadvertised: bool = False
    offline: bool = False
    mirrors: str = "auto"  # auto | official | race | the id of one mirror
    region: str = "auto"  # auto | cn | world: where "auto" lets the mirrors race
    limit_rate: int | None = None  # bytes per second of the download, over all connections
    connections: int | None = None  # of the download, at once
    reuse: bool = False  # the target is an environment that is there
    cache_dir: str | None = None  # for downloads and package caches; None = our own folder
    temp_dir: str | None = None  # for temporary files; None = the system's
    packs: tuple[str, ...] = ()  # where the class keeps the files of its profile: folders and servers, asked first
    label: str = ""  # what the class's results call this computer
    shared: bool = False  # everybody on this computer may use the environment
    copies: bool = False  # the environment gets files of its own, none that it shares with the package store
    as_of: str | None = None  # the day of what a project leaves open, "2022-03-14" or "today"; None: its own, if old
    parts: bool = False  # of a project, what lies on no index is put in last: its own build code runs
    keep_wheels: bool = False  # the downloaded wheels stay in the downloads, beside what is unpacked in the store


@dataclass(frozen=True, slots=True)
class Link:
    """One link of the proof chain: card -> kernels -> driver -> wheel."""

    kind: str  # "gpu", "kernels", "driver", "python", "platform", "wheel"
    message: Message
    source: str = ""  # the row that says so
    confidence: str = "high"


@dataclass(frozen=True, slots=True)
class Candidate:
    torch: str
    variant: str
    python: str | None  # the Python this was judged for
    torchvision: str | None
    torchaudio: str | None
    fits: bool
    reasons: tuple[Reason, ...] = ()
    proof: tuple[Link, ...] = ()
    numpy: str = ""  # specifier: "" or "<2"
    confidence: str = "high"
    is_translated: bool = False  # the driver has to make its code for one of the cards
    advertised: bool = True
    pythons: tuple[str, ...] = ()  # every stable Python this build is published for

    def companion(self, name: str) -> str | None:
        """Return its torchvision or torchaudio; None where there is none for this build."""
        return {"torchvision": self.torchvision, "torchaudio": self.torchaudio}[name]


@dataclass(frozen=True, slots=True)
class DriverUpdate:
    driver: str  # branch: "580"
    torch: str
    variant: str
    oldest: str = ""  # the first of that branch that will do: "580.65.06"

    @property
    def number(self) -> str:
        """What a sentence names, the same as in "needs driver 580.65.06 or newer"."""
        return self.oldest or self.driver


@dataclass(frozen=True, slots=True)
class Verdict:
    """`candidates` best first: the fitting ones by the rule, then the others newest first."""

    best: Candidate | None
    after_driver_update: DriverUpdate | None
    candidates: tuple[Candidate, ...]
    notices: tuple[Message, ...] = ()  # cards left out, a driver not to go beyond, unsure data
    others: tuple[OtherCard, ...] = ()  # cards of other makers, where no NVIDIA card is there


@dataclass(frozen=True, slots=True)
class PlanSource:
    """A source as the lock step and the report need it. `url` None: the official default. Never printed raw."""

    role: str  # "torch", "packages", "conda"
    layout: str
    origin: str
    url: str | None
    name: Words = ""


@dataclass(frozen=True, slots=True)
class ProjectImport:
    """A module that a project's files import, the names that are taken from it, and where first: `train.py:3`."""

    module: str
    names: tuple[str, ...]
    place: str


@dataclass(frozen=True, slots=True)
class ProjectPart:
    """What of a project lies on no index and pip puts in last. `words`: a folder, an address or a requirement; `page`:
    of its makers' ready wheels, then no other is taken; `sees_torch`: its build needs the environment's torch; `way`:
    what is said where it does not go in, with the command; `digest`: `sha256=…`, which its line promises of a file."""

    name: str
    words: str
    way: Message
    is_editable: bool = False
    page: str = ""
    sees_torch: bool = False
    digest: str = ""


@dataclass(frozen=True, slots=True)
class ProjectUse:
    """What of a project is tried and shown after its setup. `promised`: requirements that count here; `asked`: the same
    as its files have them, whether the plan could keep them or not; `left`: packages that the plan leaves out; `ways`:
    how each of them can be had; `command`: the first that its README names, shown as text alone; `parts`: put in last,
    in this order."""

    folder: str
    promised: tuple[str, ...] = ()
    imports: tuple[ProjectImport, ...] = ()
    left: tuple[str, ...] = ()
    command: str = ""
    command_file: str = ""
    asked: tuple[str, ...] = ()
    ways: tuple[Message, ...] = ()
    parts: tuple[ProjectPart, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What `runs/<id>/plan.json` holds. Paths are absolute strings of this machine."""

    id: str
    created: float
    candidate: Candidate
    choices: Choices
    prefix: str
    engine: str
    engine_reason: Message
    python: str  # "3.12"
    base_python: str | None  # venv engine
    channels: tuple[str, ...]
    sources: tuple[PlanSource, ...]
    requirements: tuple[str, ...]  # as given to the resolver: torch==2.14.1+cu126, numpy<2 …
    gpu_expected: bool  # a card that this build should run on is there: the GPU test must pass
    machine: Mapping[str, Any]  # machine.json of the moment
    total_bytes: int | None = None
    notices: tuple[Message, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)  # proxy and certificate for every child
    conda: str | None = None  # conda engine: the program
    further_channels: tuple[str, ...] = ()  # other places of the same channels, for when one fails
    conda_specs: tuple[str, ...] = ()  # what the wheels need of conda's packages: "setuptools==80.9.0"
    profile_sha256: str | None = None  # of the class profile whose lock this is
    project: ProjectUse | None = None  # whose packages these are
    left_out: tuple[str, ...] = ()  # named by a person, and of no use with it: `notices` say why
    schema: int = SCHEMA

    @property
    def keeps_wheels(self) -> bool:
        """Whether somebody wants the wheels, too: the person, or the rest of a class."""
        return self.choices.keep_wheels or self.profile_sha256 is not None
