"""What a project's own programs ask for in their code (`search.demands`), and what that means for the choice.

What lists ask for is the neighbours' matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wizard.compatibility.data.ordering import CPU, variant_key
from wizard.compatibility.rules import code_for
from wizard.model.capability import ComputeCapability
from wizard.model.messages import Message, message
from wizard.project.model import ARCHS, ASSERTED, BINARY, BOUND, COMPILES, MENDED, FileLine, cut_between
from wizard.project.packages.companions import companion, mended_names, release_of, torch_bound
from wizard.project.packages.ready import native_state
from wizard.project.packages.rows import companion_table
from wizard.project.packages.same_files import told_twins
from wizard.project.versions import can_meet, marker_holds, meets
from wizard.project.weigh import BuildWeigher, Weighed

_OLD_CARD = tuple(f"project.remark.{code}" for code in ("made-old-card", "named-bfloat16", "named-card"))
_SYSTEMS, _ALONE = "project.remark.named-systems", "project.remark.named-systems-alone"
_ANY_NEWER = ">=9999"
_LEFT_OUT = ("no-card", "old-card", "no-wheel", "before")  # of `native_state`


def demand_words(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Yield what the programs ask for and what becomes of it here."""
    yield from _bound_words(weigher, best)
    yield from _mended_words(weigher, best)
    yield from _old_sources(weigher, best)
    yield from _asserted_words(weigher, best)
    yield from _card_words(weigher, best)
    yield from _binary_words(weigher, best)
    yield from _other_cuda(weigher, best)
    yield from _other_cards(weigher, best)
    yield from told_twins(weigher, best)
    yield from _compile_words(weigher, best)
    yield from _made_words(weigher, best)


def _bound_words(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Say which releases of a package the programs take alone, once for each line, and whether these go with torch."""
    asks, torch = weigher.asks, best.candidate.torch
    bounds = [one for one in asks.demands if one.name == BOUND]
    for place in dict.fromkeys(one.origin for one in bounds):
        here = [one for one in bounds if one.origin == place]
        lines = [each for one in here for each in asks.packages if each.name == one.group]
        ends = [end for one in here if (end := torch_bound(one.group, one.specifier))]
        is_met = not ends or any(meets(end, torch) for end in ends)
        if is_met and any("==" in one.specifier for one in lines):
            continue
        where: dict[str, str | int] = {"file": place.file, "line": place.line}
        where |= {"package": cut_between([one.group for one in here]), "asked": here[0].specifier}
        if is_met:
            yield message(
                "project.remark.own-bound",
                "{file}, line {line}: the project's own code takes {package} {asked} alone. Take care that it is such "
                "a one.",
                **where,
            )
            continue
        is_cpu = best.candidate.variant == CPU
        alike = (one.torch for one in weigher.fitting if (one.variant == CPU) == is_cpu)
        nearest = next((one for one in alike if meets(ends[0], one)), "")
        where |= {"torch": torch, "made": ends[0]}
        if nearest:
            yield message(
                "project.remark.own-bound-older",
                "{file}, line {line}: the project's own code takes {package} {asked} alone, whose ready wheels are "
                "known for torch {made}, and here it is {torch}: it ends where that is looked at. The nearest torch "
                "that has one and runs here is {nearest}.",
                **where,
                nearest=nearest,
            )
        else:
            yield message(
                "project.remark.own-bound-none",
                "{file}, line {line}: the project's own code takes {package} {asked} alone, whose ready wheels are "
                "known for torch {made}, and no torch that old runs here. With a newer release it ends where that is "
                "looked at.",
                **where,
            )


def _mended_words(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Say which packages go with this torch only because the project puts in their place what they import."""
    torch, names = best.candidate.torch, mended_names(weigher.asks.demands)
    bound = [(one, torch_bound(one.name, one.specifier)) for one in weigher.asks.packages if one.name in names]
    others = [str(one) for one, end in bound if end and not meets(end, torch)]
    for one in (one for one in weigher.asks.demands if one.name == MENDED and others):
        yield message(
            "project.remark.mended",
            "{file}, line {line}, puts {module}, which newer releases of {lacking} lack, in its place for {packages}: "
            "with it they go with torch {torch}. A program that comes to them before that line fails at its import.",
            file=one.origin.file,
            line=one.origin.line,
            module=one.group,
            lacking=one.group.partition(".")[0],
            packages=cut_between([*dict.fromkeys(others)]),
            torch=torch,
        )


def _old_sources(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Name the releases that are to be built from a repository, and whose makers built them for older torch alone."""
    torch = best.candidate.torch
    for native in weigher.asks.native:
        row = companion(native.name)
        built = ((one, release_of(one)) for one in native.statements)
        old = [(one, pin) for one, pin in built if pin and row and row.newest_of and row.ends_before(torch, pin)]
        for one, pin in old[:1]:
            yield message(
                "project.remark.old-source",
                "{file}, line {line}, builds {package} {release} from its repository, whose makers have it ready for "
                "torch up to {newest}, and here it is {torch}: nobody here knows whether that source goes with it.",
                file=one.origin.file,
                line=one.origin.line,
                package=native.name,
                release=pin.strip("="),
                newest=row.newest_for(pin) if row else "",
                torch=torch,
            )


def _asserted_words(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Say which lines end a program without what is left out here, although it is imported in `try`."""
    states = {one.name: native_state(one, best, weigher.machine) for one in weigher.asks.native}
    for one in weigher.asks.demands:
        if one.name == ASSERTED and states.get(one.group) in _LEFT_OUT:
            yield message(
                "project.remark.asserted",
                "{file}, line {line}, ends the program without {package} (“{text}”), and it is not there here: what "
                "gets to that line does not run on this computer.",
                file=one.origin.file,
                line=one.origin.line,
                text=one.origin.text,
                package=one.group,
            )


def _card_words(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Say which lines have the project's own code compiled for other cards alone."""
    known = [gpu.compute_capability for gpu in weigher.machine.gpus if gpu.compute_capability]
    lines: dict[tuple[str, ...], list[FileLine]] = {}
    for one in weigher.asks.demands if known and best.candidate.variant != CPU else ():
        if one.name == ARCHS and not any(code_for(one.extras, card) for card in known):
            lines.setdefault(one.extras, []).append(one.origin)
    for archs, places in lines.items():
        named = sorted({ComputeCapability.from_arch(arch) for arch in archs})
        yield message(
            "project.remark.own-cards",
            "{places}: the project's own code is compiled for cards of compute capability {cards} alone, and the card "
            "here has {given}: built so, it does not run. Add {given} to that list before you build it.",
            places=cut_between([*map(str, places)]),
            cards=", ".join(map(str, named)),
            given=str(max(known)),
        )


def _binary_words(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Say which lines load ready code that is made for another torch."""
    torch = best.candidate.torch
    for one in weigher.asks.demands:
        if one.name == BINARY and not any(meets(f"=={release}.*", torch) for release in one.extras):
            yield message(
                "project.remark.own-binary",
                "{file}, line {line}, loads ready code that is made for torch {made} alone, and here it is {torch}: it "
                "does not load, and what needs it does not run.",
                file=one.origin.file,
                line=one.origin.line,
                made=", ".join(one.extras),
                torch=torch,
            )


def _other_cuda(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Say which packages open the libraries of another CUDA than torch's when they run."""
    variant = best.candidate.variant
    given = "" if variant == CPU else str(variant_key(variant)[0])
    lines = [one for one in weigher.asks.packages if marker_holds(one.marker, weigher.machine.os, best.python)]
    for row in companion_table().cuda_major if given else ():
        for asked in [one for one in lines if one.name == row.package and not one.url][:1]:
            wanted = row.of(asked.specifier)
            is_open = can_meet(asked.specifier, _ANY_NEWER)  # which may be for a newer one
            if not wanted or wanted == given or (is_open and int(wanted) < int(given)):
                continue
            yield message(
                "project.remark.other-cuda",
                "{file}, line {line}: the package index has {package} for CUDA {wanted}, and torch brings CUDA {given} "
                "({variant}): it does not find its libraries there, and works on the processor or not at all. Take a "
                "release for CUDA {given}, or have the libraries of CUDA {wanted} as well.",
                file=asked.origin.file,
                line=asked.origin.line,
                package=str(asked),
                wanted=wanted,
                given=given,
                variant=variant,
            )


def _other_cards(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Say which packages have no code for the card here, in the release that is asked for."""
    known = [gpu.compute_capability for gpu in weigher.machine.gpus if gpu.compute_capability]
    lines = [one for one in weigher.asks.packages if marker_holds(one.marker, weigher.machine.os, best.python)]
    for row in companion_table().card_span if known and best.candidate.variant != CPU else ():
        asked = ((one, row.of(one.specifier)) for one in lines if one.name in (row.package, *row.also) and not one.url)
        for one, span in [(one, span) for one, span in asked if span][:1]:
            least, most = map(ComputeCapability.parse, span)
            where: dict[str, str | int] = {"file": one.origin.file, "line": one.origin.line, "package": str(one)}
            if most < min(known) and row.ended:
                yield message(
                    "project.remark.card-ended",
                    "{file}, line {line}: {package} has code for cards up to compute capability {most}, the card here "
                    "has {given}, and no newer release of it comes: what uses it hangs or fails on this card. Take "
                    "another package with the same modules that has code for it, or do without it.",
                    **(where | {"most": str(most), "given": str(min(known))}),
                )
            elif most < min(known):
                yield message(
                    "project.remark.card-newer",
                    "{file}, line {line}: {package} has code for cards up to compute capability {most}, and the card "
                    "here has {given}: what uses it does not run on this card. Take a newer release of it, or do "
                    "without it.",
                    **where,
                    most=str(most),
                    given=str(min(known)),
                )
            elif max(known) < least:
                yield message(
                    "project.remark.card-older",
                    "{file}, line {line}: {package} has code for cards from compute capability {least} on, and the "
                    "card here has {given}: what uses it does not run on this card. Do without it, or take an older "
                    "release that the rest goes with.",
                    **where,
                    least=str(least),
                    given=str(max(known)),
                )


def _compile_words(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Say where torch is to compile for the card as the program stands, and Triton, which does it, is not there or not
    for this card."""
    row = next((one for one in companion_table().companion if one.makes_from), None)
    planned = {one.name for one in weigher.asks.packages}
    known = [gpu.compute_capability for gpu in weigher.machine.gpus if gpu.compute_capability]
    one = next((one for one in weigher.asks.demands if one.name == COMPILES), None)
    if one is None or row is None or best.candidate.variant == CPU or not known:
        return
    on = f" ({one.extras[0]}: {one.extras[1]})" if one.extras else ""
    where: dict[str, str | int] = {"file": one.origin.file, "line": one.origin.line, "on": on}
    is_other = row.instead in planned or row.name in planned
    if max(known) < ComputeCapability.parse(row.makes_from):
        yield message(
            "project.remark.compile-old-card",
            "{file}, line {line}, has torch compile what it runs{on}, as the program stands. That makes code for cards "
            "of compute capability {least} and newer alone, and the card here has {given}: switch it off.",
            **where,
            least=row.makes_from,
            given=str(max(known)),
        )
    elif weigher.machine.os in row.lacks and not is_other:
        yield message(
            "project.remark.compile-without",
            "{file}, line {line}, has torch compile what it runs{on}, as the program stands. That needs {package}, "
            "which torch does not bring on this system: switch it off, or install {instead} in a release for torch "
            "{torch}, if there is one.",
            **where,
            package=row.name,
            instead=row.instead,
            torch=best.candidate.torch,
        )


def _made_words(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Say which packages that programs import at their top make code for newer cards alone, on whatever system."""
    known = [gpu.compute_capability for gpu in weigher.machine.gpus if gpu.compute_capability]
    importing = {one.group: one for one in weigher.asks.needing}
    for native in weigher.asks.native if known and best.candidate.variant != CPU else ():
        row = companion(native.name)
        if row and row.makes_from and max(known) < ComputeCapability.parse(row.makes_from) and row.name in importing:
            place = importing[row.name].origin
            yield message(
                "project.remark.made-old-card",
                "{file}, line {line}, imports {package}, which makes code for cards of compute capability {least} and "
                "newer alone, and the card here has {given}: what uses it does not run on this card, on any system.",
                file=place.file,
                line=place.line,
                package=row.name,
                least=row.makes_from,
                given=str(max(known)),
            )


def without_wsl(remarks: Sequence[Message]) -> tuple[Message, ...]:
    """Return what is said, and send nobody to WSL for a card that fails there as well."""
    is_old = any(one.key in _OLD_CARD for one in remarks)
    return tuple(replace(one, key=_ALONE) if is_old and one.key == _SYSTEMS else one for one in remarks)
