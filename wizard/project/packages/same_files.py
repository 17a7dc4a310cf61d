"""Tells of a project's own lines which of two packages that bring one module a setup installs.

Which these are is a row of `matrices/same_files.toml`; how a lock keeps them apart is `run.plan`'s matter.
"""

from __future__ import annotations

from collections.abc import Iterator

from wizard.compatibility.data.ordering import CPU
from wizard.compatibility.data.same_files import same_files
from wizard.model.messages import Message, message
from wizard.project.model import cut_between
from wizard.project.packages.companions import companion
from wizard.project.versions import marker_holds
from wizard.project.weigh import BuildWeigher, Weighed


def told_twins(weigher: BuildWeigher, best: Weighed) -> Iterator[Message]:
    """Say of which packages that the lines ask for a setup installs the first alone. What is left out here, or
    has its place taken by the same for the processor, is none of them."""
    os, is_cpu = weigher.machine.os, best.candidate.variant == CPU
    lines = {one.name: one for one in weigher.asks.packages[::-1] if marker_holds(one.marker, os, best.python)}
    rows = ((name, companion(name)) for name in lines)
    gone = {name for name, row in rows if row and ((is_cpu and row.card) or os in row.lacks)}
    for twins in same_files():
        named = [lines[name] for name in twins.names if name in lines and name not in gone]
        if len(named) > 1:
            first, *others = named
            yield message(
                "project.remark.same-files",
                "{others} and {stays} ({place}) bring the same files, and whichever came last would overwrite the "
                "other's: a setup installs {stays} alone. Where you install by hand, do the same.",
                others=cut_between([f"{one.name} ({one.origin})" for one in others]),
                stays=first.name,
                place=str(first.origin),
            )
