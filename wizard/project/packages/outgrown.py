"""What a project's own programs use and the chosen torch, Python or NumPy may lack: a sentence for each line.

Which lines these are is `search.gone`'s matter; what of it holds a release back is the weigher's and `needs`'.
"""

from __future__ import annotations

from collections.abc import Iterator

from wizard.model.messages import Message, Param, message
from wizard.project.model import BEGUN, OF_ALL, PYTHON, TORCH, WHOLE, Statement, cut_between
from wizard.project.packages.companions import LISTED, companion, has_wheel
from wizard.project.packages.cuda_tags import PYTHONS
from wizard.project.packages.native import left_out
from wizard.project.packages.needs import goes_with_newest, is_held_anyhow, lines_of_numpy, numpy_for
from wizard.project.packages.rows import companion_table
from wizard.project.versions import marker_holds, meets, python_meets
from wizard.project.weigh import BuildWeigher, Weighed


def code_words(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Name the lines of programs that hold a package or Python back, and those that fail with what is taken."""
    kept = {one.origin for one in lines_of_numpy(weigher, best)}
    by_code = {one.origin for one in weigher.asks.torch}
    numpy = numpy_for(weigher, best)
    outgrown = (one for one in weigher.asks.outgrown if not meets(one.specifier, best.candidate.torch))
    for one in (one for one in weigher.asks.of_code if one.group not in OF_ALL):
        yield from _partner_words(weigher, best, one)
    of_code = (one for one in weigher.asks.of_code if one.group in OF_ALL and not goes_with_newest(one, numpy))
    for one in (*of_code, *outgrown):
        is_held = _is_held(one, best) or one.origin in kept
        place = one.origin
        if not one.extras:
            yield from () if is_held_anyhow(weigher, one) else _built_words(one, is_held)
            continue
        where: dict[str, str | int] = {"file": place.file, "line": place.line, "name": one.extras[0]}
        where |= {"package": one.group, "kept": one.specifier}
        if len(one.extras) > 1:
            yield from _compiled_words(weigher, best, one, is_held)
            continue
        if one.local:
            yield from _option_words(weigher, best, one, is_held, where)
        elif one.group == TORCH and not any(meets(one.specifier, each) for each in weigher.releases):
            yield message(
                "project.remark.code-never",
                "{file}, line {line} uses {name}, which {package} has in {kept} alone, and no such release has a build "
                "that this program knows: what needs that line does not run with any torch from here. Look for a newer "
                "state of the project, or change its code.",
                **where,
            )
        elif not is_held and one.specifier.startswith(">="):
            yield message(
                "project.remark.code-older",
                "{file}, line {line} uses {name}, which {package} has in {kept} alone, and here it is {torch}: where "
                "the project gets to that line, it fails. Take a newer torch if the rest goes with it, or change that "
                "line.",
                **where,
                torch=best.candidate.torch,
            )
        elif not is_held:
            yield message(
                "project.remark.code-fails",
                "{file}, line {line} uses {name}, which {package} has in {kept} alone, and here it is newer: where the "
                "project gets to that line, it fails. Change it there, or ask its authors.",
                **where,
            )
        elif one.origin in by_code if one.group == TORCH else not is_held_anyhow(weigher, one):
            yield _holding(where)


def _holding(where: dict[str, str | int]) -> Message:
    return message(
        "project.remark.code-holds",
        "{file}, line {line} uses {name}, which {package} has in {kept} alone; such a one is taken.",
        **where,
    )


def _is_held(one: Statement, best: Weighed) -> bool:
    """Return whether the chosen Python or torch has what a program uses of it."""
    if one.group == PYTHON:
        return python_meets(one.specifier, best.python)
    return one.group == TORCH and (meets(one.specifier, best.candidate.torch) or bool(one.local and not best.torch))


def _partner_words(weigher: BuildWeigher, best: Weighed, one: Statement) -> Iterator[Message]:
    """Say which releases of another package a line goes with, and whether such a one is taken, there for this Python,
    or a person's to add. Of what no line asks for that is said of programs alone which a README starts."""
    os, left = weigher.machine.os, {each.name for each in left_out(weigher.asks, best, weigher.machine)}
    lines = [each for each in weigher.asks.packages if marker_holds(each.marker, os, best.python)]
    row = companion(one.group)
    is_built = one.group in left or bool(row and row.wheels not in LISTED)
    is_planned = any(each.name == one.group and not each.url for each in lines) and not is_built
    is_asked = any(each.name == one.group for each in (*lines, *weigher.asks.told))
    where: dict[str, str | int] = {"file": one.origin.file, "line": one.origin.line, "name": one.extras[0]}
    where |= {"package": one.group, "kept": one.specifier}
    pythons = [each for each in PYTHONS if has_wheel(one.group, one.specifier, each, os)]
    if not (is_asked or one.build == BEGUN) or is_held_anyhow(weigher, one):
        return
    if best.python not in pythons and pythons:
        yield message(
            "project.remark.code-none",
            "{file}, line {line} uses {name}, which {package} has in {kept} alone, and no such release is there for "
            "Python {python}: what gets to that line does not run here. Change it there, or run it in an environment "
            "of its own with Python {older}.",
            **where,
            python=best.python,
            older=pythons[-1],
        )
    elif is_planned:
        yield _holding(where)
    else:
        yield message(
            "project.remark.code-beside",
            "{file}, line {line} uses {name}, which {package} has in {kept} alone, and a setup does not choose the "
            "release of {package} here. Where it comes newer, or not at all, add such a one afterwards.",
            **where,
        )


def _option_words(
    weigher: BuildWeigher, best: Weighed, one: Statement, is_held: bool, where: dict[str, str | int]
) -> Iterator[Message]:
    """Say that a call without an option may be refused a file, or is where it reads whole objects."""
    more = message("project.remark.more-places", " (and {count} more)", count=one.further) if one.further else ""
    said: dict[str, Param] = {**where, "more": more}
    if not is_held and weigher.asks.torch_any and weigher.asks.torch:
        yield message(
            "project.remark.code-option-told",
            "{file}, line {line}{more} calls {name} without {argument}, and {other_file} names an older torch: from "
            "the one that is taken here it may be refused a file. Give {argument} in that line, as its documents say.",
            **said,
            argument=one.local,
            other_file=weigher.asks.torch[0].origin.file,
        )
    elif not is_held:
        yield message(
            "project.remark.code-option",
            "{file}, line {line}{more} calls {name} without {argument}, and the project asks for an older torch: from "
            "the one that is taken here it may be refused a file. Give {argument} in that line, as its documents say.",
            **said,
            argument=one.local,
        )
    elif one.build == WHOLE and not meets(one.specifier, best.candidate.torch):
        yield message(
            "project.remark.code-whole",
            "{file}, line {line}{more} reads a whole model or a program's settings by {name} without {argument}, which "
            "{package} does in {kept} alone: the {torch} that is taken here refuses such a file. Where you trust it, "
            "give {argument}=False in that line and in others like it, or take an older torch.",
            **said,
            argument=one.local,
            torch=best.candidate.torch,
        )
    elif not meets(one.specifier, best.candidate.torch) and _is_before(weigher, one):
        yield message(
            "project.remark.code-option-old",
            "{file}, line {line}{more} calls {name} without {argument}, from a time when {package} read whole objects "
            "so ({kept}): the {torch} that is taken here refuses a file with anything but plain tensors. Where you "
            "trust it, give {argument}=False in that line and in others like it, or take an older torch.",
            **said,
            argument=one.local,
            torch=best.candidate.torch,
        )


def _is_before(weigher: BuildWeigher, one: Statement) -> bool:
    """Return whether the project was last changed before there was a torch that does not meet the row."""
    releases = weigher.matrix.releases.values()
    first = min((each.released for each in releases if not meets(one.specifier, each.torch)), default="")
    return bool(weigher.asks.changed) and weigher.asks.changed < first


def _built_words(one: Statement, is_held: bool) -> Iterator[Message]:
    """Say what the project's own code is built with, and does not load without."""
    place = one.origin
    where: dict[str, str | int] = {"file": place.file, "line": place.line, "text": place.text, "package": one.group}
    if is_held:
        yield message(
            "project.remark.built-holds",
            "{file}, line {line} builds the project's own code with an older {package} (“{text}”), and it does not "
            "load with a newer one: {package}{kept} is taken.",
            **where,
            kept=one.specifier,
        )
    else:
        yield message(
            "project.remark.built-fails",
            "{file}, line {line} builds the project's own code with an older {package} (“{text}”), and here it is "
            "newer: built so, it does not load. Build it with the one that is here.",
            **where,
        )


def _compiled_words(weigher: BuildWeigher, best: Weighed, one: Statement, is_held: bool) -> Iterator[Message]:
    """Say of code that is compiled, and of its options, which torch takes it, or what to write for the one here."""
    torch, (name, instead, *more) = best.candidate.torch, one.extras
    where: dict[str, str | int] = {"file": one.origin.file, "line": one.origin.line, "name": name}
    where |= {"places": cut_between([str(one.origin), *more]), "torch": torch}
    rows = companion_table().native_gone
    if any(row.options for row in rows if row.name == name):
        instead = next((row.instead for row in rows[::-1] if row.options and not meets(row.kept, torch)), instead)
    if not is_held:
        yield message(
            "project.remark.native-refused",
            "{places}: {name} goes with torch {kept} alone, and with torch {torch} this part of the project does not "
            "compile. Write {instead} in its place before you build it.",
            **where,
            kept=one.specifier,
            instead=instead,
        )
    elif one.origin in {each.origin for each in weigher.asks.torch}:
        yield message(
            "project.remark.native-holds",
            "{places}: {name} goes with torch {kept} alone where this part of the project is compiled; such a torch is "
            "taken.",
            **where,
            kept=one.specifier,
        )
