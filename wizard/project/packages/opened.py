"""The libraries of CUDA that a package opens when it runs, and neither brings nor has in its metadata.

Where torch comes with the same CUDA it brings them; beside a torch of another, the packages that a project lists for
that are its own. Which packages open which is rows (`opens`) of `matrices/companions.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from wizard.compatibility.data.ordering import CPU, variant_key
from wizard.compatibility.model import Candidate
from wizard.model.messages import Message, message
from wizard.project.file_choice import TORCH_PARTS
from wizard.project.model import DECLARED, Project, Statement, cut_between
from wizard.project.packages.companions import companion
from wizard.project.packages.cuda_tags import cuda_of_name, has_tag
from wizard.project.versions import can_meet, marker_holds
from wizard.project.weigh import BuildWeigher, Weighed

_EXPORTED = re.compile(r"==[^*]+")  # what pip freeze writes of all that an older torch has brought


def take_parts(weigher: BuildWeigher, project: Project, best: Weighed) -> tuple[Message, ...]:
    """Take the lines for parts of CUDA that some package opens and this torch does not bring. Return what is said of
    it."""
    asks, os = weigher.asks, weigher.machine.os
    here = [one for one in asks.packages if marker_holds(one.marker, os, best.python)]
    needed = {name for one in here for name in _lacking(one, best.candidate)}
    tags, files = {cuda_of_name(name) for name in needed}, {one.origin.file for one in here}
    lines = [one for one in project.statements if TORCH_PARTS.fullmatch(one.name) and cuda_of_name(one.name) in tags]
    lines = [one for one in lines if one.strength == DECLARED and not one.group and one.origin.file in files]
    lines = [one for one in lines if one.name in needed or not _EXPORTED.fullmatch(one.specifier)]
    kept = [one for one in lines if marker_holds(one.marker, os, best.python)]
    weigher.asks = replace(
        asks, packages=(*asks.packages, *kept), rest=(*asks.rest, *{one.name: one for one in kept}.values())
    )
    if len(kept) == len(lines):
        weigher.remarks = [one for one in weigher.remarks if not (kept and one.key == "project.remark.nvidia-parts")]
    return tuple(_words(here, kept, best.candidate))


def _words(packages: Iterable[Statement], kept: list[Statement], taken: Candidate) -> Iterator[Message]:
    """Say what is taken beside torch for a package that opens it, and what no line has."""
    lines = {one.name: one for one in packages if [*_lacking(one, taken)]}
    if not lines:
        return
    one = next(iter(lines.values()))
    lacking = [name for name in _lacking(one, taken) if name not in {each.name for each in kept}]
    asked, given = cuda_of_name(next(_lacking(one, taken)))[2:4], variant_key(taken.variant)[0]
    if kept:
        at = kept[0].origin
        yield message(
            "project.remark.parts-kept",
            "{file}, line {line} lists {packages}, and that is taken, too: {by} opens these libraries of CUDA {asked}, "
            "and torch brings those of CUDA {given}.",
            file=at.file,
            line=at.line,
            packages=cut_between([each.name for each in kept]),
            by=one.name,
            asked=asked,
            given=given,
        )
    if lacking:
        yield message(
            "project.remark.parts-lacking",
            "{by} opens libraries of CUDA {asked} when it uses the card, and torch brings those of CUDA {given}: there "
            "it fails without them. Add {packages} afterwards, or choose a torch with CUDA {asked}.",
            packages=cut_between(lacking),
            by=", ".join(lines),
            asked=asked,
            given=given,
        )


def _lacking(one: Statement, taken: Candidate) -> Iterator[str]:
    """Yield the packages of libraries that it opens and this torch has no CUDA for."""
    row = companion(one.name)
    for since, name in (each.split() for each in (row.opens if row else ())):
        is_other = taken.variant != CPU and not has_tag(cuda_of_name(name), taken.variant)
        if is_other and can_meet(one.specifier, f">={since}"):
            yield name
