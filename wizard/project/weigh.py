"""Weighs builds for a project on one machine: the newest that fits both, else the one that is the smallest step away.

Every build that runs on the machine is weighed with every Python that it is published for by what it leaves unmet:
torch and Python weigh most, a recommendation half of that, the CUDA tag and what wheels' names imply least. What a
person named (`--python`) weighs as what a file declares. Pure: no source is asked whether it carries the build.

One file: all that is weighed is one order.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from wizard.compatibility.data.model import PLATFORMS, Matrix
from wizard.compatibility.data.ordering import CPU, variant_key, version_key
from wizard.compatibility.model import Candidate, Choices, Verdict
from wizard.compatibility.resolve import resolve, running_builds
from wizard.machine.model import Machine
from wizard.model.messages import Message
from wizard.project.contradictions import bounded, contradiction, contradicts_itself, without_apart
from wizard.project.model import DECLARED, PAIRS, PYTHON, RECOMMENDED, TORCH, FileLine, Project, Statement
from wizard.project.packages.companions import can_start, companion, has_library
from wizard.project.packages.cuda_tags import has_tag, is_used
from wizard.project.packages.implied import below_the_tables, binding, implied_met, of_pair
from wizard.project.packages.lacking import needed_pins, needed_without_wheels, without_wheels
from wizard.project.understand import Understood, pair_meets, understand
from wizard.project.versions import can_meet, marker_holds, meets, python_meets

_FULL, _HALF = 2, 1
_MOST_KEPT = 64  # lines that ask for torch; of more those alone that narrow what may be taken


@dataclass(frozen=True)
class Weighed:
    """A build with a Python, and what it leaves unmet."""

    candidate: Candidate
    python: str
    torch: bool
    declared_python: bool
    person_python: bool
    pairs: tuple[str, ...]
    implied: bool
    tag: bool
    libraries: tuple[str, ...] = ()  # packages whose releases that are asked for have no library for this CUDA
    bounds: int = 0  # of packages that do not run with this torch
    order: tuple[object, ...] = field(compare=False, default=())


class BuildWeigher:
    """One project on one machine: `best` is the choice, `asks` what was understood, `remarks` what is to be said."""

    def __init__(
        self,
        project: Project,
        machine: Machine,
        matrix: Matrix,
        choices: Choices,
        absent: Collection[tuple[str, str]] = (),
    ) -> None:
        self.machine, self.matrix, self.choices = machine, matrix, choices
        # The person's Python is weighed here, so that it may give way with a reason.
        free = replace(choices, python=None, include_unadvertised=True)
        self.verdict: Verdict = resolve(machine, matrix, free, prove_all=False)
        self.absent, candidates = absent, self.verdict.candidates
        # Code that the driver must translate first runs torch and not its libraries: no pin is worth that.
        self.fitting = running_builds(self.verdict, absent)
        self.has_card = any(one.variant != CPU for one in self.fitting)
        capability = max((gpu.compute_capability for gpu in machine.gpus if gpu.compute_capability), default="")
        asks = understand(project, machine.os, self.has_card, str(capability))
        glibc = machine.glibc or ""
        used = (one for one in asks.implied if one.name != PYTHON or is_used(one.url, machine.os, glibc))
        asks = replace(asks, glibc=glibc, implied=tuple(used))
        usable = [one for one in self.fitting if one.variant != CPU or not self.has_card]
        self.asks, apart = without_apart(asks, candidates, usable)
        self.remarks: list[Message] = [*self.asks.remarks, *apart]
        self._lacking_of: dict[str, int] = {}
        self.firm_tags = [tag for tag in self.asks.tags if tag.firm]
        self.pythons = sorted({python for build in matrix.builds for python in build.pythons}, key=version_key)
        self.releases = sorted({torch for torch in matrix.releases}, key=version_key)
        torch, vision = self._agreeing(self.asks.torch), self.asks.pairs.get(PAIRS[0], ())
        torch = torch or tuple(below_the_tables(vision, candidates))
        torch = (*(of_pair(vision, torch, candidates) if self.asks.torch_any else ()), *torch)
        self.asks = self._without_lost(replace(self.asks, torch=torch, python=self._agreeing_python()))
        self.asks = replace(self.asks, python=tuple(self._kept_pythons()))

    def _agreeing(self, torch: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """Without those that no release meets together with an earlier one: told as the two lines."""
        if self.asks.torch_any:
            return torch
        kept: list[Statement] = []
        said: list[Message] = []
        left = {python: frozenset(self.releases) for python in self.pythons}  # what meets all that are kept
        for one in torch:
            pythons = [python for python in self.pythons if self._holds(one, python)]
            alone = frozenset(release for release in self.releases if meets(one.specifier, release))
            apart = bool(alone) or not can_meet(",".join(each.specifier for each in kept[:_MOST_KEPT]), one.specifier)
            if pythons and not can_meet(one.specifier, ""):
                said.append(contradicts_itself(one))
            elif kept and apart and pythons and not any(left[python] & alone for python in pythons):
                said.append(contradiction(next((other for other in kept if other.specifier), kept[0]), one))
                self.asks = self.asks.without_pairs_of(one.origin.file)
            elif pythons and (len(kept) < _MOST_KEPT or any(left[python] - alone for python in pythons)):
                kept.append(one)
                left |= {python: left[python] & alone for python in pythons}
        self.remarks += bounded(said)
        return tuple(kept)

    def _without_lost(self, asks: Understood) -> Understood:
        """Where only pages and wheels of a torch that does not run here say which: that is what moves."""
        usable = [one.torch for one in self.fitting if one.variant != CPU or not self.has_card]
        pinned = [one for one in asks.implied if one.name == TORCH and one.specifier.startswith("==")]
        named = [one for one in pinned if one.strength == DECLARED or not one.url]  # one wheel of a README is a hint
        lost = tuple(one for one in named if not any(meets(one.specifier, torch) for torch in usable))
        if asks.torch or not lost or len(lost) < len(named):
            return asks
        left = tuple(one for one in asks.implied if one not in lost)
        return replace(asks, torch=tuple(replace(one, url="") for one in lost), torch_any=True, implied=left)

    def _holds(self, one: Statement, python: str) -> bool:
        return marker_holds(one.marker, self.machine.os, python)

    def _agreeing_python(self) -> tuple[Statement, ...]:
        kept: list[Statement] = []
        for one in (*self.asks.python, *self._pythons_of_torch()):
            if kept and not any(
                all(python_meets(s.specifier, python) for s in [*kept, one]) for python in self.pythons
            ):
                self.remarks.append(contradiction(next((other for other in kept if other.specifier), kept[0]), one))
                continue
            kept.append(one)
        return tuple(kept)

    def _kept_pythons(self) -> Iterator[Statement]:
        """Leave out a recommended Python that pins have no wheel for, and have for another one of the asked torch."""
        releases = {one for one in self.releases if any(self.torch_meets(one, python) for python in self.pythons)}
        pythons = {python for build in self.matrix.builds if build.torch in releases for python in build.pythons}
        least = min(map(self._lacking, pythons), default=0)
        for one in self.asks.python:
            here = (self._lacking(python) for python in pythons if python_meets(one.specifier, python))
            if one.strength != RECOMMENDED or min(here, default=0) <= least:
                yield one

    def _pythons_of_torch(self) -> Iterator[Statement]:
        """Yield the Pythons that the lines for torch are meant for, where they leave some out."""
        torch = () if self.asks.torch_any else self.asks.torch
        held = [python for python in self.pythons if any(self._holds(one, python) for one in torch)]
        if held and held != self.pythons:
            last = version_key(held[-1])[1] + 1
            yield replace(torch[0], name=PYTHON, specifier=f">={held[0]},<3.{last}", marker="")

    @cached_property
    def asked_releases(self) -> list[str]:
        """Those of the tables that meet what is asked of torch, whether they run here or not."""
        pythons = self._meant_pythons or self.pythons
        return [one for one in self.releases if any(self.torch_meets(one, python) for python in pythons)]

    @cached_property
    def _meant_pythons(self) -> list[str]:
        return [one for one in self.pythons if all(python_meets(each.specifier, one) for each in self.asks.python)]

    def torch_meets(self, release: str, python: str) -> bool:
        met = [meets(one.specifier, release) for one in self.asks.torch if self._holds(one, python)]
        return not met or (any(met) if self.asks.torch_any else all(met))

    def best(self) -> Weighed | None:
        """None: no build runs on this machine at all."""
        return min(self._weighed(), key=lambda one: one.order, default=None)

    def _weighed(self) -> Iterator[Weighed]:
        wants_cpu = bool(self.firm_tags) and {tag.tag for tag in self.firm_tags} == {CPU}
        firm = {tag.tag for tag in self.firm_tags}
        for candidate in self.fitting:
            if self.has_card and candidate.variant == CPU and not wants_cpu and self.choices.variant != CPU:
                continue
            if not candidate.advertised and candidate.variant not in firm and self.choices.variant is None:
                continue
            weighed = [self.weigh(candidate, python) for python in candidate.pythons]
            # With its pin the CPU tag goes, too.
            yield from (one for one in weighed if not (self.has_card and candidate.variant == CPU and one.torch))

    def is_newest(self, best: Weighed) -> bool:
        """Return whether its torch would be taken if nothing were asked."""
        is_cpu, taken = best.candidate.variant == CPU, version_key(best.candidate.torch)
        free = [one for one in self.fitting if one.advertised and (one.variant == CPU) == is_cpu]
        return all(version_key(one.torch) <= taken for one in free)

    def held_back(self, best: Weighed) -> tuple[str, FileLine] | None:
        """Return the newest torch that goes with what is asked of torch itself, and the line that does not go with
        that; None where it is taken, or a lock keeps the other."""
        is_cpu, taken = best.candidate.variant == CPU, version_key(best.candidate.torch)
        free = [one for one in self.fitting if one.advertised and (one.variant == CPU) == is_cpu]
        newer = [one for one in free if version_key(one.torch) > taken]
        newer = [one for one in newer if any(self.torch_meets(one.torch, python) for python in one.pythons)]
        is_kept = any(one.name == TORCH and meets(one.specifier, best.candidate.torch) for one in self.asks.locked)
        if not newer or best.torch or is_kept or self.choices.torch:
            return None
        places, nearest = (list(self._against(one, best)) for one in (newer[0], newer[-1]))
        places.sort(key=lambda one: one not in nearest)  # what is against the next release, too, holds torch here
        return (newer[0].torch, places[0]) if places else None

    def _against(self, newest: Candidate, best: Weighed) -> Iterator[FileLine]:
        """Yield the lines that a newer torch does not go with, or its Pythons do not."""
        pythons, os = newest.pythons, self.machine.os
        for one in self.asks.python:
            if not any(python_meets(one.specifier, python) for python in pythons):
                yield one.origin
        ways = [one for one in self.fitting if one.torch == newest.torch and one.advertised]
        unmet = [one for one in self.asks.implied if not any(implied_met(one, newest.torch, each) for each in pythons)]
        yield from (one.origin for one in unmet if implied_met(one, best.candidate.torch, best.python))
        for name in set.intersection(*({*self.weigh(one, pythons[0]).pairs} for one in ways)):
            yield from (one.origin for one in self.asks.pairs[name] if one.specifier and name not in best.pairs)
        lacking = frozenset.intersection(*(without_wheels(self.asks, os, python) for python in pythons))
        lacking -= without_wheels(self.asks, os, best.python)
        lost = {*lacking, *(set(self.weigh(newest, pythons[0]).libraries) - set(best.libraries))}
        lines = (*self.asks.packages, *self.asks.constraints)
        yield from (one.origin for one in lines if one.name in lost)
        yield from (tag.origin for tag in self.firm_tags if has_tag(tag.tag, best.candidate.variant))

    def weigh(self, candidate: Candidate, python: str) -> Weighed:
        declared = not all(python_meets(one.specifier, python) for one in self.asks.python)
        # A line that falls away with a Python which nothing asks for is not met by that.
        meant = (self._meant_pythons if declared else []) or [python]
        torch = not self.torch_meets(candidate.torch, python)
        torch |= not any(self.torch_meets(candidate.torch, one) for one in meant)
        person = self.choices.python is not None and python != self.choices.python
        pairs = () if torch else tuple(self._unmet_pairs(candidate, python))
        wants = [one for one in self.asks.implied if marker_holds(one.marker, self.machine.os, python)]
        unmet = [] if torch else [one for one in wants if not implied_met(one, candidate.torch, python)]
        usable = [tag.tag for tag in self.firm_tags if tag.tag == CPU or tag.tag.startswith("cu")]
        cuda = [tag for tag in usable if tag != CPU] or usable
        tag = bool(cuda) and not torch and not any(has_tag(one, candidate.variant) for one in cuda)
        libraries = tuple(self._without_library(candidate.variant, python))
        bounds = sum(one in self._bounds for one in unmet)
        weighed = Weighed(candidate, python, torch, declared, person, pairs, bool(unmet), tag, libraries, bounds)
        return replace(weighed, order=self._order(weighed))

    def _order(self, one: Weighed) -> tuple[object, ...]:
        torch = _HALF if self.asks.torch_any else _FULL
        python = _FULL if any(asked.strength == DECLARED for asked in self.asks.python) else _HALF
        # A recommended line with all that hangs on it is less than what a person named.
        person = 2 * _FULL if self.asks.torch_any and not self.asks.python else _FULL
        weight = torch * one.torch + python * one.declared_python + person * one.person_python
        weight += self._hanging if one.torch or one.person_python else bool(one.pairs) + one.implied + one.tag
        candidate = one.candidate
        return (
            weight,
            one.torch + one.declared_python + one.person_python,
            one.person_python,
            sum(not python_meets(asked.specifier, one.python) for asked in self.asks.python),
            one.torch and not self.asks.is_for_the_card(candidate.torch),
            self._distance(candidate.torch) if one.torch or (one.pairs and not self.asks.torch) else 0,
            self._lock_distance(candidate.torch) if not one.torch else 0,
            self._python_distance(one.python) if self._is_split and not one.torch else (),
            0 if one.torch else self._lacking(one.python),
            len(one.libraries),
            one.bounds,
            sum(candidate.companion(name) is None for name in self.asks.pairs),
            0 if one.torch else len(one.pairs) + sum(self._other_patches(candidate)),
            self.asks.way_to(candidate.torch),
            [-number for number in version_key(candidate.torch)],
            self._variant_distance(candidate.torch, candidate.variant),
            candidate.confidence == "low",
            [-number for number in variant_key(candidate.variant)],
            self._is_experimental(candidate, one.python),
            self._lacking(one.python),
            self._age_distance(one.python) if one.torch else 0,
            self._python_distance(one.python),
        )

    @cached_property
    def _hanging(self) -> int:
        """How much hangs on the torch that is asked for, and goes with it: to move it is never the smaller step."""
        pairs = any(one.specifier for lines in self.asks.pairs.values() for one in lines)
        return pairs + bool(self.asks.implied) + bool(self.firm_tags)

    @cached_property
    def _is_split(self) -> bool:
        """Return whether lines have another torch for each Python, so that the Python chooses it."""
        held = {tuple(self._holds(one, python) for python in self.pythons) for one in self.asks.torch}
        return not self.asks.torch_any and len(held) > 1

    @cached_property
    def _bounds(self) -> frozenset[Statement]:
        return frozenset(binding(self.asks.implied, self.asks.packages))

    def _without_library(self, variant: str, python: str) -> Iterator[str]:
        for native in self.asks.native:
            row, os = companion(native.name), self.machine.os
            lines = [one for one in native.statements if one.strength == DECLARED and not one.group]
            lines = [one for one in lines if self._holds(one, python) and one.specifier]
            gone = row is not None and (os in row.lacks or any(row.is_outside(one.specifier, os) for one in lines))
            if lines and not gone and not has_library(native.name, ",".join(one.specifier for one in lines), variant):
                yield native.name

    def _unmet_pairs(self, candidate: Candidate, python: str) -> Iterator[str]:
        for name, statements in self.asks.pairs.items():
            given = candidate.companion(name)
            applying = [one for one in statements if one.specifier and self._holds(one, python)]
            met = [pair_meets(one.specifier, given or "") for one in applying]
            if met and not (any(met) if all(one.strength == RECOMMENDED for one in applying) else all(met)):
                yield name

    def _other_patches(self, candidate: Candidate) -> Iterator[bool]:
        """Yield whether the pair's release is another patch than each pin has."""
        for name, statements in self.asks.pairs.items():
            given = candidate.companion(name)
            pins = [one.specifier for one in statements if one.strength == DECLARED and one.specifier]
            yield bool(given and pins) and not any(meets(one, given or "") for one in pins)

    def _lacking(self, python: str) -> int:
        """Return how many pins have no wheel for it; one that it cannot import, either, counts twice."""
        if python not in self._lacking_of:
            os = self.machine.os
            needed = {*needed_without_wheels(self.asks, os, python)}
            lacking = without_wheels(self.asks, os, python)
            lost = sum(not can_start(name, python) for name in lacking)
            pins = {one.name for one in needed_pins(self.asks, os, python)}
            self._lacking_of[python] = len(lacking) + lost + len(needed) + len(pins)
        return self._lacking_of[python]

    def _distance(self, release: str) -> int:
        """How many minor releases lie between this one and the nearest that was asked for."""
        minors = sorted({version_key(one)[:2] for one in self.releases})
        asked = {version_key(one)[:2] for one in self.asked_releases if self.asks.torch or one in self._of_pairs}
        if not asked:  # older or newer than the tables
            named = [version_key(one.specifier)[:2] for one in self.asks.torch if version_key(one.specifier)]
            asked = {minors[min(bisect_left(minors, min(named)), len(minors) - 1)]} if named else {minors[-1]}
        here = minors.index(version_key(release)[:2])
        return min(abs(minors.index(one) - here) for one in asked)

    @cached_property
    def _of_pairs(self) -> frozenset[str]:
        """The releases whose torchvision and torchaudio meet what is asked of these: where torch is not named, they
        say which is meant."""
        asked = [(name, one) for name, lines in self.asks.pairs.items() for one in lines if one.specifier]
        some = self.verdict.candidates
        given = {name: {one.torch: one.companion(name) for one in some if one.companion(name)} for name in PAIRS}
        return frozenset(
            release
            for release in self.releases
            if all(pair_meets(one.specifier, given[name].get(release) or "") for name, one in asked)
        )

    def _lock_distance(self, release: str) -> int:
        locked = [one for one in self.asks.locked if one.name == TORCH]
        return int(bool(locked) and not any(meets(one.specifier, release) for one in locked))

    def _variant_distance(self, torch: str, variant: str) -> int:
        """How far its CUDA is from the nearest that was asked; another major version is further than any minor."""
        cuda = [tag for tag in self.asks.tags if re.fullmatch(r"cu\d{2,3}", tag.tag)]
        cuda = [tag for tag in cuda if tag.firm] or cuda
        # A recommended line that names torch and its CUDA means them together.
        lines = {one.origin for one in self.asks.torch if self.asks.torch_any and meets(one.specifier, torch)}
        named = [tag.tag for tag in [tag for tag in cuda if tag.origin in lines] or cuda]
        named = named or [one.local for one in self.asks.locked if one.name == TORCH and one.local.startswith("cu")]
        if any(has_tag(tag, variant) for tag in named):
            return 0
        here = variant_key(variant)
        asked = [variant_key(tag) for tag in named if tag != CPU and here]
        far = (100 * abs(here[0] - major) + sum(abs(here[1] - one) for one in minor) for major, *minor in asked)
        return min(far, default=0)

    @cached_property
    def _asked_pythons(self) -> frozenset[str]:
        """Those of the torch that is asked for, or of the oldest that is known where it is older."""
        named = [version_key(one.specifier) for one in self.asks.torch if version_key(one.specifier)]
        is_older = bool(named) and max(named) < version_key(self.releases[0])
        asked = set(self.asked_releases) or set(self.releases[: 1 if is_older else 0])
        return frozenset(python for one in self.matrix.builds if one.torch in asked for python in one.pythons)

    def _age_distance(self, python: str) -> int:
        """Return how many releases it is from the Pythons of the torch that is asked for: where torch moves, the other
        pins are still of its age."""
        here = version_key(python)[1]
        return min((abs(version_key(one)[1] - here) for one in self._asked_pythons), default=0)

    def _is_experimental(self, candidate: Candidate, python: str) -> bool:
        platform = PLATFORMS.get((self.machine.os, self.machine.arch), "")
        build = self.matrix.build(candidate.torch, candidate.variant, platform)
        return build is not None and python in build.experimental_pythons

    def _python_distance(self, python: str) -> tuple[int, ...]:
        """The one of a lock, then the program's own default and what is nearest below it."""
        locked = [one for one in self.asks.locked if one.name == PYTHON]
        preferred, minor = version_key(self.matrix.policy.default_python)[1], version_key(python)[1]
        not_locked = int(bool(locked) and not any(python_meets(one.specifier, python) for one in locked))
        told = [version_key(one.specifier) for one in locked if one.strength == RECOMMENDED]
        if not_locked and told and len(told[0]) > 1:
            return (1, abs(minor - told[0][1]), minor)
        if self.asks.python and not all(python_meets(one.specifier, python) for one in self.asks.python):
            # Away from what was asked: as near to it as can be.
            asked = [version_key(one.specifier)[1] for one in self.asks.python if len(version_key(one.specifier)) > 1]
            return (1, min((abs(minor - one) for one in asked), default=0), minor)
        return (not_locked, int(minor > preferred), abs(minor - preferred))
