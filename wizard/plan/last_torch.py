"""Which is the last torch that will ever run on this card? For cards whose driver line has ended.

Counted over the advertised builds that this platform and its C library take, with the newest driver that the card can
ever have. A card that the newest of them still serves has no last torch yet.
"""

from __future__ import annotations

from dataclasses import dataclass

from wizard.matrix.model import Build
from wizard.matrix.ordering import CPU, branch_of, version_key
from wizard.plan.cards import GraphicsCard
from wizard.plan.judge import Situation, glibc_reasons
from wizard.plan.kernels import code_for


@dataclass(frozen=True, slots=True)
class LastTorch:
    """`build` None: no release in the tables ran on it; `first` is the oldest of them."""

    card: GraphicsCard
    build: Build | None
    first: str


def last_torches(situation: Situation) -> tuple[LastTorch, ...]:
    alike = {(card.name, card.capability): card for card in situation.cards}
    found = (last_torch(card, situation) for card in alike.values())
    return tuple(one for one in found if one)


def last_torch(card: GraphicsCard, situation: Situation) -> LastTorch | None:
    architecture = card.architecture
    if architecture is None or architecture.last_driver_branch is None or card.capability is None:
        return None
    here = [
        build for build in situation.matrix.builds
        if build.platform == situation.platform and build.advertised and not any(glibc_reasons(build, situation))
    ]  # fmt: skip
    if not here:
        return None
    last = next((build for build in here if _runs(build, card, situation)), None)
    newest, first = here[0].torch, min((build.torch for build in here), key=version_key)
    return None if last and last.torch == newest else LastTorch(card, last, first)


def _runs(build: Build, card: GraphicsCard, situation: Situation) -> bool:
    floor, architecture = situation.floor(build), card.architecture
    if build.variant == CPU or build.kernels is None or floor is None or card.capability is None:
        return False
    branch = architecture.last_driver_branch if architecture else None
    within = branch is None or branch_of(floor.driver_floor) <= branch
    return within and code_for(build.kernels.architectures, card.capability) is not None
