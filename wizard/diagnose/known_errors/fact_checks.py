"""What the compatibility tables, and this computer, say to the facts of an error text.

Sentences that name the facts they rest on. No guess: a version that no table holds gets no sentence. What the text
does not say of its system is taken from this computer, and then the answer is less sure and says so. One file: each
check asks the same few questions of the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wizard.compatibility.cards import graphics_cards
from wizard.compatibility.data.model import PLATFORMS, SYSTEMS, Build, Floor, Matrix, least_sure
from wizard.compatibility.data.ordering import CPU, cuda_of, version_key
from wizard.compatibility.rules import code_for, driver_level, runs
from wizard.diagnose.known_errors.beside import NOT_OWNERS, check_beside, is_other_makers
from wizard.diagnose.known_errors.facts import Named, TextFacts
from wizard.machine.model import Driver, Machine
from wizard.model.capability import ComputeCapability
from wizard.model.messages import Message, message

_WIDEST = "linux_x86_64"  # the platform with the most builds: what it lacks is nowhere


@dataclass(frozen=True, slots=True)
class JudgedFacts:
    """`used`: the facts that the reasons rest on. `sureness`: high, medium or low, as the tables say it. `open`: what
    the text leaves open where that alone makes them less than certain (system, several, card), else ''.

    `settles`: the one question whose answer would say more; None where nothing is open.
    """

    reasons: tuple[Message, ...] = ()
    used: tuple[str, ...] = ()
    sureness: str = "high"
    settles: Message | None = None
    open: str = ""


@dataclass(frozen=True, slots=True)
class _Target:
    """For what the builds are judged: the platform and the Python, and whether the text itself said the platform."""

    platform: str
    python: str
    is_said: bool


def judge_facts(facts: TextFacts, matrix: Matrix, machine: Machine | None = None) -> JudgedFacts:
    """Return what follows; `machine` None: nothing is known of this computer."""
    facts = _with_capability(facts, matrix)
    place = _place(facts, machine)
    reasons = (
        *_pair(facts, matrix),
        *_code(facts, matrix, place),
        *_short(facts, matrix, place),
        *_driver(facts, matrix, place),
        *_wanted(facts, matrix, place),
        *_wheel(facts, place),
        *_index(facts, matrix, place),
        *check_beside(facts, matrix),
        *(_other_computer(facts, matrix, machine) if machine else ()),
    )
    judged = [build.confidence for build in matrix.builds if facts.torch and _is(build, facts.torch)][:1]
    left_open = _left_open(facts, place)
    sureness = least_sure("medium" if left_open else "high", *judged)
    used = tuple(dict.fromkeys(_used(facts)))
    return JudgedFacts(reasons, used, sureness, _question(facts), left_open if sureness == "medium" else "")


def _left_open(facts: TextFacts, place: _Target) -> str:
    if facts.is_of_several:
        return "several"
    if facts.wanted is not None and not place.is_said:
        return "system"
    return "card" if facts.driver_cuda and facts.capability is None else ""  # which builds have code is open


def _place(facts: TextFacts, machine: Machine | None) -> _Target:
    system = facts.os or ("linux" if facts.arch == "aarch64" else "")
    said = PLATFORMS.get((system, facts.arch or "x86_64"), "")
    here = PLATFORMS.get((machine.os, machine.arch), "") if machine and not facts.os else ""
    return _Target(said or here or _WIDEST, facts.python, bool(said))


def _with_capability(facts: TextFacts, matrix: Matrix) -> TextFacts:
    """That of the cards which the text names, where all that bear those names have the same."""
    known = frozenset[ComputeCapability]().union(*(matrix.capabilities_of(card) for card in facts.cards))
    is_one = facts.capability is None and len(known) == 1
    return replace(facts, capability=next(iter(known))) if is_one else facts


def _used(facts: TextFacts) -> Iterator[str]:
    """The facts in words that need no translation."""
    for named in (facts.torch, facts.torchvision, facts.wanted, facts.wheel):
        if named:
            yield named.text
    if facts.python:
        yield f"Python {facts.python}"
    yield from sorted(facts.cards)
    if facts.capability:
        yield facts.capability.sm
    if facts.driver:
        yield f"NVIDIA {facts.driver}"
    if facts.driver_cuda:
        yield f"CUDA {facts.driver_cuda}"
    package = "" if facts.package in NOT_OWNERS else facts.package
    yield from (each for each in (facts.error, facts.library, package, facts.environment) if each)


def _question(facts: TextFacts) -> Message | None:
    """One: the fact that decides most of what the text leaves open."""
    if not (facts.says_torch or facts.torch or facts.nightly or facts.wanted or facts.wheel) and facts.names_torch:
        return message("explain.ask-torch")
    if facts.wanted and not facts.python and facts.wheel is None:
        return message("explain.ask-python")
    return None


def _pair(facts: TextFacts, matrix: Matrix) -> Iterator[Message]:
    if facts.twice:
        yield message("explain.reason.twice", conda=facts.twice[0], pip=facts.twice[1])
    torch, vision = facts.torch, facts.torchvision
    if torch is None or vision is None:
        return
    release = matrix.releases.get(torch.version)
    right = release.torchvision if release else None
    if right and version_key(right)[:2] != version_key(vision.version)[:2]:
        yield message("explain.reason.pair", torch=torch.version, right=right, torchvision=vision.version)
    elif torch.tag and vision.tag and torch.tag != vision.tag and not facts.is_of_several:
        yield message("explain.reason.tags", torch=torch.text, torchvision=vision.text)
    elif right and facts.is_of_vision and (torch.tag == vision.tag or not (torch.tag and vision.tag)):
        yield message(
            "explain.reason.pair-fits",
            "{torch} and {torchvision} go together, so the program uses others than these: look in its own Python "
            '(`python -c "import torch, torchvision; print(torch.__file__, torchvision.__file__)"`), or one of '
            "the two is not whole.",
            torch=torch.text,
            torchvision=vision.text,
        )


def _code(facts: TextFacts, matrix: Matrix, place: _Target) -> Iterator[Message]:
    """Which build holds code for the card: the one named, else one of its release, else of the newest that has one."""
    if facts.capability is None or (facts.torch and is_other_makers(facts.torch)):
        return
    with_code = [build for build in _cuda_builds(matrix, place) if _has_code(build, facts)]
    there = facts.torch
    blanks = {"sm": facts.capability.sm}
    pythons = {python for build in with_code for python in _made_for(build)}
    if pythons and facts.python and facts.python not in pythons:
        yield message(
            "explain.reason.code-python",
            "Builds with code for {sm} are made for Python {first} to {last}, none for the {python} of the text.",
            first=min(pythons, key=version_key),
            last=max(pythons, key=version_key),
            python=facts.python,
            **blanks,
        )
        return
    if there and there.tag and any(_is(build, there) for build in with_code):
        yield message("explain.reason.has-code", build=there.text, **blanks)
        return
    usable = [build for build in with_code if not facts.python or facts.python in _made_for(build)]
    driven = [build for build in usable if _is_driven(build, facts, matrix, place)] or usable
    fitting = [build for build in driven if build.advertised] or driven
    of_release = [build for build in fitting if there and build.torch == there.version]
    of_newest = [build for build in fitting if build.torch == fitting[0].torch]
    least = (of_release or of_newest)[-1:]  # the lowest CUDA asks the least of the driver
    if least and there and any(_is(build, there) for build in _cuda_builds(matrix, place)):
        known = "no-code" if facts.driver else "no-code-if"
        yield message(f"explain.reason.{known}", build=there.text, other=_text(least[0]), **blanks)
    elif least:
        yield message("explain.reason.code", other=_text(least[0]), **blanks)


def _is_driven(build: Build, facts: TextFacts, matrix: Matrix, place: _Target) -> bool:
    """Whether the driver that the text names runs it; True where the text or the tables say nothing of that."""
    level = driver_level(Driver(facts.driver, facts.driver_cuda or None) if facts.driver else None)
    system = "windows" if place.platform.startswith("win") else "linux"
    floor = matrix.floors.get((cuda_of(build.variant) or "", system))
    return level is None or floor is None or runs(level, floor)


def driver_suffices(facts: TextFacts, matrix: Matrix) -> bool | None:
    """Whether the driver that the text names runs the CUDA of its torch; None where either is open."""
    floors = _floors(facts, matrix, _place(facts, None))
    runs = {_is_driven_by(facts, floor) for floor in floors}
    return runs.pop() if len(runs) == 1 else None


def _floors(facts: TextFacts, matrix: Matrix, place: _Target) -> list[Floor]:
    """Of the CUDA of the text's torch: on its system, or on both where it does not say."""
    torch = facts.torch
    cuda = cuda_of(torch.tag) if torch and torch.tag and facts.driver and not is_other_makers(torch) else None
    said = ("windows" if place.platform.startswith("win") else "linux",) if place.is_said else ("linux", "windows")
    return [matrix.floors[cuda, system] for system in said if cuda and (cuda, system) in matrix.floors]


def _is_driven_by(facts: TextFacts, floor: Floor) -> bool:
    level = driver_level(Driver(facts.driver, facts.driver_cuda or None))
    return level is None or runs(level, floor)


def _short(facts: TextFacts, matrix: Matrix, place: _Target) -> Iterator[Message]:
    """A driver that does not run the CUDA of the torch beside it."""
    floors = _floors(facts, matrix, place)
    if facts.torch and floors and not any(_is_driven_by(facts, floor) for floor in floors):
        yield message(
            "explain.reason.driver-short",
            "The driver {driver} is too old for {torch}: that needs {floor} or newer.",
            driver=facts.driver,
            torch=facts.torch.text,
            floor=floors[0].driver_floor,
        )


def _driver(facts: TextFacts, matrix: Matrix, place: _Target) -> Iterator[Message]:
    """Any build of the driver's CUDA major runs, whatever its minor."""
    if not facts.driver_cuda:
        return
    allowed = version_key(facts.driver_cuda)[0]
    runs = [one for one in _cuda_builds(matrix, place) if version_key(cuda_of(one.variant) or "")[0] <= allowed]
    runs = [one for one in runs if not facts.python or facts.python in _made_for(one)]
    runs = [one for one in runs if facts.capability is None or _has_code(one, facts)]
    runs = [one for one in runs if one.advertised] or runs
    if runs:
        yield message("explain.reason.driver", cuda=facts.driver_cuda, build=_text(runs[0]))


def _wanted(facts: TextFacts, matrix: Matrix, place: _Target) -> Iterator[Message]:
    """A version that the index listed is not this Python's fault."""
    wanted = facts.wanted
    if wanted and wanted.name == "torchaudio":
        yield from _audio(wanted, matrix)
    if wanted is None or wanted.name != "torch" or is_other_makers(wanted) or _asks_other_maker(facts):
        return
    if facts.os == "macos":
        if wanted.tag and wanted.tag != CPU:
            yield message("explain.reason.mac", tag=wanted.tag)
        return
    plain = [version.partition("+")[0] for version in facts.listed]
    if facts.listed and wanted.version not in plain:
        nearest = min(facts.listed, key=lambda one: _apart(version_key(one), version_key(wanted.version)))
        yield message("explain.reason.nearest", nearest=nearest)
    every = [build for build in matrix.builds if build.torch == wanted.version]
    if not every:
        return
    builds = [build for build in every if build.platform == place.platform]
    yield from _published(wanted, facts, builds, place)
    fitting = [build for build in builds if _serves(build, wanted, place.python)]
    if fitting and wanted.tag and place.python and facts.index != wanted.tag:
        tag, where = wanted.tag, SYSTEMS[place.platform]
        yield message("explain.reason.exists", torch=wanted.text, python=place.python, system=where, tag=tag)
    elif not fitting and place.python:
        yield from _nearest_build(wanted, matrix, place)


def _index(facts: TextFacts, matrix: Matrix, place: _Target) -> Iterator[Message]:
    """An index whose torch ended before this Python came, or began after it; where the text names no system, on one."""
    for platform in (place.platform,) if place.is_said else tuple(SYSTEMS):
        made = [build for build in matrix.builds if build.platform == platform]
        there = {python for build in made if build.variant == facts.index for python in _made_for(build)}
        others = [build for build in made if facts.python in _made_for(build) and build.variant != CPU]
        if facts.python and there and facts.python not in there and others and facts.os != "macos":
            yield message(
                "explain.reason.index-python",
                "On {system} the index {index} has torch for Python {first} to {last}, none for {python}; {other} has "
                "a wheel for it.",
                system=SYSTEMS[platform],
                index=facts.index,
                first=min(there, key=version_key),
                last=max(there, key=version_key),
                python=facts.python,
                other=_text(next((one for one in others if one.advertised), others[0])),
            )
            return


def _audio(wanted: Named, matrix: Matrix) -> Iterator[Message]:
    """torchaudio has ended: what is newer than its last release is in no index."""
    there = {row.torchaudio: torch for torch, row in matrix.releases.items() if row.torchaudio}
    last = max(there, key=version_key)
    if version_key(wanted.version) > version_key(last):
        yield message(
            "explain.reason.audio-ends",
            "torchaudio {wanted} was not published: the last is {last}, which goes with torch {first} and newer.",
            wanted=wanted.version,
            last=last,
            first=min((torch for torch, row in matrix.releases.items() if row.torchaudio == last), key=version_key),
        )


def _published(wanted: Named, facts: TextFacts, builds: list[Build], place: _Target) -> Iterator[Message]:
    if not builds:
        yield message("explain.reason.no-platform", torch=wanted.version, system=SYSTEMS[place.platform])
        return
    pythons = sorted({python for build in builds for python in _made_for(build)}, key=version_key)
    if wanted.version not in [version.partition("+")[0] for version in facts.listed]:
        yield message("explain.reason.pythons", torch=wanted.version, first=pythons[0], last=pythons[-1])
    tag = wanted.tag or _asked_tag(facts)
    if tag and all(build.variant != tag for build in builds):
        tags = ", ".join(build.variant for build in builds)
        yield message("explain.reason.no-tag", torch=wanted.version, tag=tag, tags=tags)
        yield from _nearest_tag(tag, builds)


def _nearest_tag(tag: str, builds: list[Build]) -> Iterator[Message]:
    """The index of that release whose CUDA is least apart from the one that was asked."""
    there = [build.variant for build in builds if build.variant != CPU]
    if len(tag) > 3 and tag[2:].isdigit() and there:  # not for cu12.1, which is no tag
        asked = version_key(cuda_of(tag) or "")
        near = min(there, key=lambda one: _apart(version_key(cuda_of(one) or ""), asked))
        yield message(
            "explain.reason.nearest-tag",
            "The nearest to {tag} of these is {near}: `--index-url https://download.pytorch.org/whl/{near}`",
            tag=tag,
            near=near,
        )


def _asks_other_maker(facts: TextFacts) -> bool:
    """Whether the index that was asked is AMD's or Intel's: the tables know NVIDIA's builds alone."""
    return _asked_tag(facts).startswith(("rocm", "xpu")) or (facts.has_other_build and not facts.index)


def _asked_tag(facts: TextFacts) -> str:
    """The one CUDA tag of the index that was asked: of its address, or of all that it listed."""
    tags = {version.partition("+")[2] for version in facts.listed}
    return facts.index or (tags.pop() if len(tags) == 1 else "")


def _serves(build: Build, wanted: Named, python: str) -> bool:
    return (not wanted.tag or build.variant == wanted.tag) and (not python or python in _made_for(build))


def _made_for(build: Build) -> tuple[str, ...]:
    """The Pythons that have a wheel, also where PyTorch calls it experimental."""
    return (*build.pythons, *build.experimental_pythons)


def _nearest_build(wanted: Named, matrix: Matrix, place: _Target) -> Iterator[Message]:
    """Of the builds for that platform and Python; of the same kind, where there is one."""
    there = [one for one in matrix.builds if one.platform == place.platform and place.python in _made_for(one)]
    alike = [one for one in there if (one.variant == CPU) == (wanted.tag == CPU)] if wanted.tag else there
    key = version_key(wanted.version)
    for build in sorted(alike or there, key=lambda one: _apart(version_key(one.torch), key))[:1]:
        where = SYSTEMS[place.platform]
        yield message("explain.reason.nearest-build", build=_text(build), python=place.python, system=where)


def _wheel(facts: TextFacts, place: _Target) -> Iterator[Message]:
    """A wheel that was made for another Python than the text's own."""
    if facts.wheel and facts.wheel_python and place.python and facts.wheel_python != place.python:
        params = {"wheel": facts.wheel.text, "made": facts.wheel_python, "python": place.python}
        yield message("explain.reason.wheel-python", **params)


def _other_computer(facts: TextFacts, matrix: Matrix, machine: Machine) -> Iterator[Message]:
    """Where the text and this computer disagree, what is said of this computer may not hold for the text's."""
    if facts.os and facts.os != machine.os:
        yield message("explain.reason.other-system", theirs=facts.os, ours=machine.os)
        return
    cards = graphics_cards(machine, matrix)
    known = [card.capability for card in cards if card.capability]
    if facts.capability and known and facts.capability not in known:
        yield message("explain.reason.other-card", sm=facts.capability.sm, cards=", ".join(card.name for card in cards))
    driver = machine.driver.version if machine.driver else ""
    if facts.driver and driver and version_key(facts.driver) != version_key(driver):
        yield message("explain.reason.other-driver", theirs=facts.driver, ours=driver)


def _cuda_builds(matrix: Matrix, place: _Target) -> Iterator[Build]:
    return (build for build in matrix.builds if build.platform == place.platform and build.kernels)


def _has_code(build: Build, facts: TextFacts) -> bool:
    kernels, capability = build.kernels, facts.capability
    if kernels is None or capability is None:
        return False
    code = code_for(kernels.architectures, capability)
    return code is not None and not code.is_ptx  # translated code is not what anybody is advised to count on


def _is(build: Build, named: Named) -> bool:
    return (build.torch, build.variant) == (named.version, named.tag)


def _apart(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """How far two versions are apart: the first number counts most. Of what lies below, the newest is near."""
    steps = [left - right for left, right in zip(one, other, strict=False)]
    first = next((place for place, step in enumerate(steps) if step), len(steps))
    toward = 1 if one > other else -1
    return (*(abs(step) for step in steps[: first + 1]), *(toward * number for number in one[first + 1 : len(steps)]))


def _text(build: Build) -> str:
    return f"torch {build.torch}+{build.variant}"
