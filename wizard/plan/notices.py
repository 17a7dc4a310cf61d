"""What the person should know beside the verdict: cards left out, a driver not to go beyond, unsure data."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.i18n import Message, message
from wizard.matrix.model import Build
from wizard.matrix.ordering import CPU, variant_key, version_key
from wizard.plan.cards import GraphicsCard, State
from wizard.plan.judge import Situation
from wizard.plan.last_torch import last_torches
from wizard.plan.model import Candidate, DriverUpdate
from wizard.system.traits import of


def notices(
    situation: Situation,
    targets: tuple[GraphicsCard, ...],
    best: Candidate | None,
    *,
    alone: Build | None,
    after_return: DriverUpdate | None,
) -> tuple[Message, ...]:
    """`alone`: the best build for the strongest card by itself, when the answer has to serve several.

    `after_return`: what an older driver branch would give, when this one dropped the cards.
    """
    told = (
        *_left_out(situation, targets, best),
        *_held_back(targets, best, alone),
        *_card_notes(situation),
        *_last_branches(situation),
        *_last_torches(situation),
        *_return(after_return),
        *_unsure(situation, best),
    )
    return tuple(one for place, one in enumerate(told) if one not in told[:place])  # once for cards that are alike


def _left_out(situation: Situation, targets: tuple[GraphicsCard, ...], best: Candidate | None) -> Iterator[Message]:
    for card in situation.cards:
        if card.state is State.DRIVEN and card not in targets and best and best.variant != CPU:
            yield message("plan.notice.left-out", gpu=card.name, chosen=targets[0].name)
        if card.state is State.DROPPED and card.architecture and situation.level:
            last = card.architecture.last_driver_branch or 0
            yield message("plan.notice.dropped", gpu=card.name, driver=situation.level.text, branch=last)
        if card.state is State.OTHER_DRIVER:
            yield message("plan.notice.other-driver", gpu=card.name)
        if card.state is State.NO_SYSTEM:
            yield message("plan.notice.no-system", gpu=card.name)
        if card.state is State.HANDED_OVER:
            yield message("plan.notice.handed-over", gpu=card.name)
        if card.state is State.TOO_NEW and card.first_driver and situation.level:
            yield message("plan.notice.too-new", gpu=card.name, driver=situation.level.text, branch=card.first_driver)


def _held_back(targets: tuple[GraphicsCard, ...], best: Candidate | None, alone: Build | None) -> Iterator[Message]:
    if alone is None or best is None or len(targets) < 2:
        return
    if (version_key(alone.torch), variant_key(alone.variant)) > (version_key(best.torch), variant_key(best.variant)):
        build = f"{alone.torch}+{alone.variant}"
        yield message("plan.notice.held-back", gpu=targets[0].name, build=build, other=targets[-1].name)


def _card_notes(situation: Situation) -> Iterator[Message]:
    for card in situation.cards:
        if card.capability is None:
            is_driven = card.state is State.DRIVEN
            yield message(f"plan.notice.unknown-card{'-driven' if is_driven else ''}", gpu=card.name)
        elif situation.has_own_wheels(card):
            yield message("plan.notice.own-wheels", gpu=card.name)
        required = card.architecture is not None and card.architecture.open_kernel_module == "required"
        has_modules = of(situation.machine.os).has_kernel_modules and not situation.machine.is_wsl
        if required and has_modules and card.state is State.NO_DRIVER:
            yield message("plan.notice.open-module", gpu=card.name)


def _last_branches(situation: Situation) -> Iterator[Message]:
    for card in situation.cards:
        last = card.architecture.last_driver_branch if card.architecture else None
        if last and card.state not in (State.DROPPED, State.HANDED_OVER):
            yield message("plan.notice.last-branch", gpu=card.name, branch=last)


def _last_torches(situation: Situation) -> Iterator[Message]:
    for last in last_torches(situation):
        if last.build is None:
            yield message("plan.notice.no-torch", gpu=last.card.name, first=last.first)
        else:
            build = f"{last.build.torch}+{last.build.variant}"
            yield message("plan.notice.last-torch", gpu=last.card.name, build=build)


def _return(after_return: DriverUpdate | None) -> Iterator[Message]:
    if after_return:
        build = f"{after_return.torch}+{after_return.variant}"
        yield message("plan.notice.return", branch=after_return.driver, build=build)


def _unsure(situation: Situation, best: Candidate | None) -> Iterator[Message]:
    if of(situation.machine.os).has_glibc and situation.machine.glibc is None and not situation.libc_is_musl:
        yield message("plan.notice.unknown-glibc")
    if best and best.confidence != "high":
        yield message(f"plan.notice.unsure.{best.confidence}", build=f"{best.torch}+{best.variant}")
