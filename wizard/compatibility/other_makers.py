"""Cards of AMD, Intel and Apple, and computers on Arm: what they are, and which PyTorch their makers offer for them.

The card is known by its PCI id (`matrices/other_makers.toml`). Nothing of it is set up by this program, which says so
first; the lines are for a person to type. Where an NVIDIA card is there, too, nothing is said: that one is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec

from wizard.compatibility.data.model import PLATFORMS
from wizard.machine.model import Gpu, Machine
from wizard.model.messages import Message, message, text
from wizard.model.tables import SOME, Date, Https, Name, Row, Words, parse_table, shipped_table

_MAKERS = {"amd": "AMD", "intel": "Intel", "apple": "Apple"}
_COMPUTERS = {
    ("macos", "aarch64"): ("mac-arm64", "Apple", "Mac (Apple silicon)"),
    ("macos", "x86_64"): ("mac-x86_64", "Apple", "Mac (Intel)"),
    ("windows", "aarch64"): ("windows-arm64", "Microsoft", "Windows on Arm"),
}
Confidence = Literal["high", "medium", "low"]
PciName = Annotated[str, msgspec.Meta(pattern=r"^(1002|8086):[0-9a-f]{4} \S[^\x00-\x1f\x7f]*$")]  # "1002:744c Radeon …"
System = Annotated[str, msgspec.Meta(pattern=r"^(linux|windows|macos) (x86_64|aarch64)$")]


class ChipRow(Row, frozen=True, kw_only=True):
    KEYS = (("cards",),)

    maker: Literal["amd", "intel"]
    name: Words
    target: Annotated[str, msgspec.Meta(pattern=r"^(gfx[0-9a-f]{3,4}|xe|)$")]
    tested: tuple[Literal["linux", "windows"], ...]
    cards: Annotated[tuple[PciName, ...], SOME]
    source: Words
    as_of: Date
    confidence: Confidence


class OfferRow(Row, frozen=True, kw_only=True):
    KEYS = (("by", "targets", "systems"),)

    by: Literal["AMD", "Intel", "PyTorch"]
    targets: Annotated[tuple[Name, ...], SOME]
    systems: Annotated[tuple[System, ...], SOME]
    line: Words
    page: Https
    source: Words
    as_of: Date
    confidence: Confidence


class OtherMakersTable(Row, frozen=True):
    offer: tuple[OfferRow, ...]
    chip: tuple[ChipRow, ...]


@dataclass(frozen=True, slots=True)
class OtherBuild:
    """`line`: what a person types, with the card's target in it."""

    by: str
    line: str
    row: OfferRow


@dataclass(frozen=True, slots=True)
class OtherCard:
    """`chip` and `target` "" where the table has none. `is_tested`: its maker says so of this system."""

    name: str
    maker: str
    chip: str
    target: str
    is_tested: bool
    has_cpu_build: bool
    offers: tuple[OtherBuild, ...]


def parse_other_makers(document: str) -> OtherMakersTable:
    """Raises TableError."""
    return parse_table("other_makers", document, OtherMakersTable)


@lru_cache(maxsize=1)
def _table() -> OtherMakersTable:
    return shipped_table("other_makers", OtherMakersTable)


@lru_cache(maxsize=1)
def _chips() -> Mapping[str, tuple[ChipRow, str]]:
    """By PCI id: the chip, and the card's name."""
    return {card[:9]: (row, card[10:]) for row in _table().chip for card in row.cards}


def other_cards(machine: Machine) -> tuple[OtherCard, ...]:
    """Return the cards that no CUDA build runs on, those with an offer first; none where an NVIDIA card is there."""
    if machine.nvidia_gpus:
        return ()
    computer = _COMPUTERS.get((machine.os, machine.arch))
    if computer:
        return (_computer(machine, *computer),)
    found = dict.fromkeys(_card(gpu, machine) for gpu in machine.gpus if gpu.vendor in _MAKERS)
    return tuple(sorted(found, key=lambda card: not card.offers))


def _computer(machine: Machine, target: str, maker: str, name: str) -> OtherCard:
    named = next((gpu.name for gpu in machine.gpus if gpu.name), None)
    return OtherCard(named or name, maker, "", target, True, False, tuple(_offers(target, machine)))


def _card(gpu: Gpu, machine: Machine) -> OtherCard:
    chip, sold_as = _chips().get(gpu.pci_id or "", (None, ""))
    maker = _MAKERS[gpu.vendor]
    # Windows' own driver calls every card "Basic Display Adapter"; a maker's driver says its maker's name.
    own = gpu.name if gpu.name and (not sold_as or maker.lower() in gpu.name.lower()) else sold_as
    name = (own or gpu.pci_id or "?").removeprefix(f"{maker} ").strip()
    target = chip.target if chip else ""
    is_tested = chip is not None and machine.os in chip.tested
    has_cpu = (machine.os, machine.arch) in PLATFORMS
    return OtherCard(
        name, maker, chip.name if chip else "", target, is_tested, has_cpu, tuple(_offers(target, machine))
    )


def _offers(target: str, machine: Machine) -> Iterator[OtherBuild]:
    system = f"{machine.os} {machine.arch}"
    for row in _table().offer:
        if target in row.targets and system in row.systems:
            yield OtherBuild(row.by, row.line.format(target=target), row)


def card_words(card: OtherCard) -> tuple[Message, Message, Message]:
    """Return what it is, what this program does with it, and what there is for it: said before everything else."""
    return _fact(card), _next(card), _offered(card)


def _fact(card: OtherCard) -> Message:
    target = card.target if card.target.startswith("gfx") else ""
    details = ", ".join(filter(None, (card.maker, card.chip, target)))
    return message("other.card", "{card} ({details})", card=card.name, details=details)


def _next(card: OtherCard) -> Message:
    """What this program does, and what it would install: the window and the terminal say the same."""
    if card.has_cpu_build:
        return message(
            "other.next-cpu",
            "CUDA needs an NVIDIA card; PyTorch uses the processor: slower.",
        )
    return message(
        "other.next-none",
        "CUDA needs an NVIDIA card, with Linux or Windows; this program has no build for this computer.",
    )


def _offered(card: OtherCard) -> Message:
    """What there is for the card, with the lines to type."""
    if not card.offers and card.has_cpu_build and not card.chip:  # an id that the table lacks
        return message(
            "other.not-known",
            "Whether a PyTorch is published for this card is not known here; the CPU build runs, slower.",
        )
    if not card.offers:
        return message("other.no-offer", "No PyTorch is published for this card; the CPU build runs, slower.")
    told = tuple(_offer_says(card, offer, place) for place, offer in enumerate(card.offers))
    if not card.is_tested and card.chip:
        told += (
            message(
                "other.untested", "{maker} does not say that it tested this card on this system.", maker=card.maker
            ),
        )
    return message("other.offers", "{offers}", offers=told)


def _offer_says(card: OtherCard, offer: OtherBuild, place: int) -> Message:
    params = {"by": offer.by, "line": offer.line, "page": offer.row.page, "as_of": offer.row.as_of}
    if card.target == "mac-arm64":
        return message(
            "other.offer-mac",
            "The plain package uses Apple's card (MPS); its page says how: {page} ({as_of}). In an environment of your "
            "own: `{line}`.",
            **params,
        )
    if card.target in ("mac-x86_64", "windows-arm64"):
        return message(
            "other.offer-cpu",
            "{by} publishes a CPU build for it: {page} ({as_of}). In an environment of your own: `{line}`.",
            **params,
        )
    if place:
        return message("other.offer-or", "{by} has one, too: {page} ({as_of}), `{line}`.", **params)
    return message(
        "other.offer",
        "{by} offers a PyTorch for this card; its page says how: {page} ({as_of}). In an environment of your own: "
        "`{line}`.",
        **params,
    )


def card_document(card: OtherCard, language: str | None) -> dict[str, Any]:
    """As `pick --json` has it."""
    return {
        "name": card.name,
        "maker": card.maker,
        "chip": card.chip or None,
        "target": card.target or None,
        "tested": card.is_tested,
        "text": text(_next(card), language),
        "offers": [
            {
                "by": offer.by,
                "line": offer.line,
                "page": offer.row.page,
                "source": offer.row.source,
                "as_of": offer.row.as_of,
                "confidence": offer.row.confidence,
            }
            for offer in card.offers
        ],
    }
