"""The rows of `matrices/companions.toml` as values, and what one row says by itself.

What the rows say together of a package is `companions`' matter. One file: it is one table.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Literal

import msgspec
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from wizard.compatibility.data.ordering import variant_key, version_key
from wizard.model.tables import SOME, Https, Name, Row, Sourced, Words, parse_table, shipped_table
from wizard.project.packages.system_rows import BuildBackend, CardSpan, OfUnix, OldBuild, SystemProgram
from wizard.project.versions import can_meet, meets

Names = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9*][a-z0-9.*-]*$")]  # with `*` for any ending
Numbers = Annotated[str, msgspec.Meta(pattern=r"^[0-9]+(\.[0-9a-z]+)*$")]
WheelSpan = Annotated[str, msgspec.Meta(pattern=r"^[0-9.]+(post\d+)? (3\.\d+-3\.\d+|none)$")]


class Companion(Sourced, frozen=True):
    KEYS = (("name",),)

    name: Name
    wheels: Literal["index", "torch", "pages", "releases", "none", "conda"]
    also: tuple[Names, ...] = ()
    follows: bool = False
    card: bool = False
    lacks: tuple[Literal["windows", "linux"], ...] = ()  # systems, as "windows"
    instead: Name = ""
    instead_from: Numbers = ""  # the first torch, of two numbers, that the other one goes with; "": any
    on_cpu: Name = ""  # the package that has the same for the processor, by the same numbers
    ready: tuple[Literal["windows", "linux"], ...] = ()  # systems with wheels on the index, whatever `wheels` says
    begins: tuple[Annotated[str, msgspec.Meta(pattern=r"^(windows|linux) [0-9.]+$")], ...] = ()  # wheels there
    ends: tuple[Annotated[str, msgspec.Meta(pattern=r"^(windows|linux) [0-9.]+$")], ...] = ()  # none of a newer one
    torch_since: tuple[Annotated[str, msgspec.Meta(pattern=r"^(windows|linux) \d+\.\d+$")], ...] = ()
    newest: Numbers = ""  # torch, of two numbers; "": no row says it
    newest_of: tuple[Annotated[str, msgspec.Meta(pattern=r"^[0-9.]+ \d+\.\d+$")], ...] = ()  # of releases, likewise
    last: Numbers = ""  # the last release of all; "": it goes on
    least: Annotated[str, msgspec.Meta(pattern=r"^(\d+\.\d)?$")] = ""  # compute capability; "": no row says it
    makes_from: Annotated[str, msgspec.Meta(pattern=r"^\d+\.\d$")] = ""  # the oldest card that it makes code for
    cuda_ends: Annotated[str, msgspec.Meta(pattern=r"^\d+$")] = ""  # the last CUDA that its source builds with
    opens: tuple[Annotated[str, msgspec.Meta(pattern=r"^[0-9.]+ nvidia-[a-z-]+-cu\d+$")], ...] = ()  # since a release
    cudas: tuple[Annotated[str, msgspec.Meta(pattern=r"^cu\d{2,3}$")], ...] = ()  # in the names of what is made
    by_hand: bool = False  # its maker gives it at `where`, after a yes to its licence
    where: Https = ""
    pages_since: Numbers = ""  # the first torch, of two numbers, that has a page of its own; "": any
    module: Name = ""  # what it is imported as, where that is not its name
    parts: tuple[Name, ...] = ()  # companions that releases before `parts_before` are imported with alone
    parts_before: Numbers = ""

    def newest_for(self, specifier: str) -> str:
        """Return the newest torch that ready wheels are known for, of the pinned release where a row says it."""
        return self._newest_of_pin(specifier) or self.newest

    def _newest_of_pin(self, specifier: str) -> str:
        pin = re.fullmatch(r"={2,3}([0-9]{1,9}(?:\.[0-9]{1,9}){0,5})(?:\.\*|[a-z.+][\w.+]*)?", specifier)
        spans = (one.split() for one in self.newest_of)
        older = [torch for since, torch in spans if pin and Version(since) <= Version(pin[1])]
        return older[-1] if older else ""

    def wheels_bound(self, specifier: str) -> str:
        """Return before which torch its ready wheels end, as `<2.9`; "" where they go on, or no row says it: of what
        lies with a release, `newest` is that of the newest one, and a pin's is known by `newest_of` alone."""
        newest = self.newest if self.wheels in ("index", "pages", "releases") else ""
        if self.wheels == "releases" and "==" in specifier:
            newest = self._newest_of_pin(specifier)
        numbers = [int(number) for number in newest.split(".")] if newest else []
        return f"<{numbers[0]}.{numbers[1] + 1}" if numbers else ""

    def ends_before(self, torch: str, specifier: str = "") -> bool:
        """Return whether no ready wheels are known for so new a torch."""
        newest = self.newest_for(specifier)
        return bool(newest) and version_key(torch)[:2] > version_key(newest)[:2]

    def is_before(self, torch: str, os: str) -> bool:
        """Return whether its wheels for that system begin with a newer torch."""
        firsts = (one.split()[1] for one in self.torch_since if one.startswith(os))
        return any(version_key(torch)[:2] < version_key(first) for first in firsts)

    def is_of_older_cuda(self, variant: str) -> bool:
        """Return whether its source does not build with the CUDA of this build."""
        return bool(self.cuda_ends) and variant_key(variant)[:1] > version_key(self.cuda_ends)

    def has_other(self, torch: str) -> bool:
        """Return whether there is another package for systems that it lacks, and one for this torch."""
        return bool(self.instead) and version_key(torch)[:2] >= version_key(self.instead_from)[:2]

    def is_outside(self, specifier: str, os: str) -> bool:
        """Return whether each release that meets it is older than the first with ready wheels for that system, or newer
        than the last."""
        signs = ((">=", self.begins), ("<=", self.ends))
        known = ",".join(sign + one.split()[1] for sign, ones in signs for one in ones if one.startswith(os))
        return bool(known) and bool(specifier) and not can_meet(specifier, known)

    def page(self, torch: str, variant: str) -> str:
        """Return the page of wheels for this build, by most named as the release's first; "" where there is none."""
        minor = ".".join(torch.split(".")[:2])
        is_there = self.wheels == "pages" and version_key(torch)[:2] >= version_key(self.pages_since)
        is_there = is_there and not self.ends_before(torch)
        return self.where.format(torch=f"{minor}.0", patch=torch, minor=minor, cuda=variant) if is_there else ""

    @property
    def all_pages(self) -> str:
        """Return the folder of its makers that its pages lie in."""
        return self.where.partition("{")[0].rpartition("/")[0]


class Pair(Sourced, frozen=True):
    """Which torch a release of a companion was made for."""

    KEYS = (("companion", "version"),)

    companion: Name
    version: Numbers
    torch: Numbers  # a release, or the first two numbers of one


class CondaNamed(Sourced, frozen=True):
    """Packages that have the same name at conda and on the package index; that are conda's alone; or one's names."""

    KEYS = (("names",),)

    names: Annotated[tuple[Names, ...], SOME]
    lacks: tuple[Literal["windows", "linux"], ...] = ()  # systems that no channel has it for


class CondaBuild(Sourced, frozen=True):
    """How conda names the builds of one system alone."""

    KEYS = (("system",),)

    system: Literal["Linux", "Windows", "macOS"]
    builds: Annotated[tuple[Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9_.*?]+$")], ...], SOME]


class WheelPythons(Sourced, frozen=True):
    """The Pythons of a package's wheels: `RELEASE FIRST-LAST` or `RELEASE none`, from each release to the next in the
    list, which begins with the first of all."""

    KEYS = (("package",),)

    package: Name
    since: Annotated[tuple[WheelSpan, ...], SOME]
    also: tuple[Name, ...] = ()  # built with it
    windows: tuple[WheelSpan, ...] = ()  # where that differs; the others are Linux's
    starts: Annotated[str, msgspec.Meta(pattern=r"^3\.\d+$")] = ""  # the last Python that imports it, wheels or not
    numpy2: Numbers = ""  # the first release whose wheels go with NumPy 2; "": all, or its own metadata says it


class TorchBound(Sourced, frozen=True):
    """The torch that a package asks for: `RELEASE SPECIFIER`, from each release to the next in the list; `*`: any."""

    KEYS = (("package",),)

    package: Name
    since: Annotated[
        tuple[Annotated[str, msgspec.Meta(pattern=r"^[0-9.]+(?:\.post[0-9]+)? [<>=!,.*0-9]+$")], ...], SOME
    ]
    tried: bool = False  # its makers tried it with these; its metadata asks for no such end
    by_code: bool = False  # its code goes with these alone, and its metadata does not say so
    module: Annotated[str, msgspec.Meta(pattern=r"^(\w+(\.\w+)*)?$")] = ""  # that newer ones lack, and it imports


class CudaLibraries(Sourced, frozen=True):
    """The CUDAs that a package's wheels hold a library for: `RELEASE TAG…`, from each release to the next in the list.
    It takes the one of torch's own CUDA, and none other."""

    KEYS = (("package",),)

    package: Name
    since: Annotated[tuple[Annotated[str, msgspec.Meta(pattern=r"^[0-9.]+(post\d+)?( cu\d{3})+$")], ...], SOME]


class CudaMajor(Sourced, frozen=True):
    """The CUDA whose libraries a package opens when it runs, by its first number: `RELEASE NUMBER`, from each release
    to the next in the list."""

    KEYS = (("package",),)

    package: Name
    since: Annotated[tuple[Annotated[str, msgspec.Meta(pattern=r"^[0-9.]+ \d{1,2}$")], ...], SOME]

    def of(self, specifier: str) -> str:
        """Return the CUDA of the newest release that meets it; "" where it is older than what is known."""
        asked, spans = SpecifierSet(specifier), [one.split() for one in self.since]
        named = [Version(one.version.removesuffix(".*")) for one in asked]
        for at, (since, cuda) in reversed(list(enumerate(spans))):
            end = Version(spans[at + 1][0]) if at + 1 < len(spans) else None
            inside = [one for one in named if Version(since) <= one and (end is None or one < end)]
            if any(asked.contains(one, prereleases=True) for one in (Version(since), *inside)):
                return cuda
        return ""


class CodeHost(Sourced, frozen=True):
    """`archive`: where it has a snapshot of a `{repository}` at a `{ref}`."""

    KEYS = (("host",),)

    host: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)+$")]
    archive: Annotated[str, msgspec.Meta(pattern=r"^\{repository\}/\S*\{ref\}\S*\.zip$")]


class LoadsWhole(Sourced, frozen=True):
    """A package that reads whole objects from its model files, which torch refuses since that release."""

    KEYS = (("package",),)

    package: Name
    torch: Annotated[str, msgspec.Meta(pattern=r"^\d+\.\d+$")]


class PackageNeed(Sourced, frozen=True):
    """`since`: releases of the package, each with another one that it and those after it need, and in which versions;
    `*`: in any."""

    KEYS = (("package", "undeclared"),)

    package: Name
    since: Annotated[tuple[Annotated[str, msgspec.Meta(pattern=r"^\d\S* [a-z0-9-]+ (\*|[<>=!~]=?\S+)$")], ...], SOME]
    also: tuple[Name, ...] = ()  # other names of it
    undeclared: bool = False  # its metadata does not say so, and no resolver knows it


class Gone(Sourced, frozen=True):
    """What programs use (`names`, in full) and only the `kept` releases of a package have; `unless`: the option of a
    call with which it is there in newer ones, too, `unless_also` further ones that nobody is told to give, `beside` the
    other package with which it is, and `given` and `most` that newer ones lack an option of the call alone, or take no
    more arguments without their names."""

    KEYS = (("package", "kept", "beside", "given", "most"),)

    package: Name
    kept: Annotated[str, msgspec.Meta(pattern=r"^((<|>=)[0-9.]+|!=\d+\.\d+\.\*(,!=\d+\.\d+\.\*)*)$")]
    names: Annotated[tuple[Annotated[str, msgspec.Meta(pattern=r"^\w+(\.\w+)*$")], ...], SOME]
    unless: Annotated[str, msgspec.Meta(pattern=r"^[a-z_]+$")] = ""
    unless_also: tuple[Annotated[str, msgspec.Meta(pattern=r"^[a-z_]+$")], ...] = ()
    beside: Name = ""
    given: Annotated[str, msgspec.Meta(pattern=r"^[a-z_]+$")] = ""
    most: Annotated[int, msgspec.Meta(ge=0)] = -1  # -1: any number


class AfterInstall(Sourced, frozen=True):
    """A package of the index that is not whole before its own `command` has been run, in the environment."""

    KEYS = (("package",),)

    package: Name
    command: Words


class OwnIndex(Sourced, frozen=True):
    """A package of which the package index has no release before `since` any more; its makers have them at `where`."""

    KEYS = (("package",),)

    package: Name
    since: Numbers
    where: Https


class WheelsElsewhere(Sourced, frozen=True):
    """Where others than its makers have ready wheels of a package, for a system that these leave out, and for which
    release, torch (two numbers) and CUDAs."""

    KEYS = (("package", "system"),)

    package: Name
    system: Literal["windows", "linux"]
    where: Https
    builds: Annotated[
        tuple[Annotated[str, msgspec.Meta(pattern=r"^[0-9.]+(post\d+)? \d+\.\d+( cu\d{3})+$")], ...], SOME
    ]

    def has(self, specifier: str, torch: str, variant: str) -> bool:
        """Return whether there is one of a release that meets it for this build."""
        minor = ".".join(torch.split(".")[:2])
        split = (one.split() for one in self.builds)
        return any(for_torch == minor and variant in tags and meets(specifier, to) for to, for_torch, *tags in split)


class Imported(Sourced, frozen=True):
    """The modules of a package, and all packages that it brings; `more`: it brings further ones, which no row names;
    `also`: what its repository is called."""

    KEYS = (("package",),)

    package: Name
    modules: Annotated[tuple[Name, ...], SOME]
    brings: tuple[Name, ...] = ()
    more: bool = False
    also: tuple[Name, ...] = ()


class NativeGone(Sourced, frozen=True):
    """What the headers of torch's releases behind `kept` refuse of a project's own C++: `options` of the compiler, or
    what its code uses (`pattern`, but where it defines `own`); `instead`: what is written today."""

    KEYS = (("name",),)

    name: Words
    kept: Annotated[str, msgspec.Meta(pattern=r"^<[0-9.]+$")]
    instead: Words
    options: tuple[Annotated[str, msgspec.Meta(pattern=r"^(c|gnu)\+\+\w+$")], ...] = ()
    on_windows: bool = False  # as an option of nvcc
    pattern: str = ""
    own: Annotated[str, msgspec.Meta(pattern=r"^\w*$")] = ""

    def __post_init__(self) -> None:
        """Refuse what is no pattern. Raises ValueError."""
        try:
            re.compile(self.pattern)
        except re.error as error:
            raise ValueError(f"pattern: {error}") from error


class CompanionTable(Row, frozen=True):
    companion: Annotated[tuple[Companion, ...], SOME]
    pair: tuple[Pair, ...] = ()
    conda_named: tuple[CondaNamed, ...] = ()
    conda_only: tuple[CondaNamed, ...] = ()
    conda_build: tuple[CondaBuild, ...] = ()
    conda_alias: tuple[CondaNamed, ...] = ()  # of each the index's name, then conda's
    wheel_pythons: tuple[WheelPythons, ...] = ()
    torch_bound: tuple[TorchBound, ...] = ()
    package_need: tuple[PackageNeed, ...] = ()
    cuda_libraries: tuple[CudaLibraries, ...] = ()
    cuda_major: tuple[CudaMajor, ...] = ()
    card_span: tuple[CardSpan, ...] = ()
    loads_whole: tuple[LoadsWhole, ...] = ()
    code_host: tuple[CodeHost, ...] = ()
    gone: tuple[Gone, ...] = ()
    system_program: tuple[SystemProgram, ...] = ()
    of_unix: tuple[OfUnix, ...] = ()
    build_backend: tuple[BuildBackend, ...] = ()
    old_build: tuple[OldBuild, ...] = ()
    imported: tuple[Imported, ...] = ()
    after_install: tuple[AfterInstall, ...] = ()
    own_index: tuple[OwnIndex, ...] = ()
    wheels_elsewhere: tuple[WheelsElsewhere, ...] = ()
    native_gone: tuple[NativeGone, ...] = ()


def parse_companions(document: str) -> CompanionTable:
    """Raises TableError."""
    return parse_table("companions", document, CompanionTable)


@lru_cache(maxsize=1)
def companion_table() -> CompanionTable:
    """Raises WizardError `bad-table`."""
    return shipped_table("companions", CompanionTable)


def packages_by_module() -> dict[str, str]:
    """Return the packages that bring the modules which a row knows; of several the first. Raises as the table does."""
    return {module: row.package for row in reversed(companion_table().imported) for module in row.modules}
