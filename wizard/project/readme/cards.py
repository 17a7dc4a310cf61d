"""Reads what a README says of graphics cards: that there must be one, of which kind, and which torch is for which.

By itself that asks for nothing. Versions in words are the neighbour's matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from wizard.compatibility.data.ordering import version_key
from wizard.model.messages import Message, message
from wizard.project.file_choice import least_of
from wizard.project.formats.words import LONGEST, SENTENCE, torch_in_words
from wizard.project.model import BFLOAT16, CARD, DECORATED, FOR_CARDS, RECOMMENDED, SWITCH, Statement, origin_of

# The least that a card must be: "compute capability 7.5 or higher", "a Turing GPU or newer".
_OR_NEWER = (
    r"(?:[ ,(]*(?:gpus?|cards?|architectures?|generation)?[ ,]*(?:or|and|及)? ?"
    r"(?:newer|later|above|higher|up(?:wards)?\b|beyond|以上|更高))"
)
_CAPABILITY = re.compile(
    r"(?:compute[ -]capabilit(?:y|ies)|计算能力|算力)(?: \(?(?:cc|sm)\)?)?"
    rf"(?: ?(?:of|is|version|must be|at least|minimum))* ?[:：]? ?(?P<sign>[=><≥≤]{{0,2}}) ?"
    rf"(?P<least>\d{{1,2}}\.\d)(?![\d.])(?P<newer> ?\+|{_OR_NEWER})?",
    re.IGNORECASE,
)
_GENERATION = re.compile(
    rf"\b(?P<generation>[a-z]+)(?:-based)?(?:{_OR_NEWER}|-or-(?:newer|later))(?! \d)", re.IGNORECASE
)
# "For your GPU" is said to who has one.
_WANTS_CARD = re.compile(
    r"(?=.*\b(?:nvidia|cuda)\b).*\b(?:requires?|needs?|must have)\b(?!.*\byour(?: \w+){0,2} (?:gpus?|cards?)\b)"
    r".*\b(?:gpus?|cards?)\b",
    re.IGNORECASE,
)
# "A GPU with bfloat16 support" is a must where the sentence says so; computing with these begins with Ampere.
_BFLOAT16 = re.compile(
    r"\b(?:must|requires?|required|needs?|needed)\b.*\b(?:bfloat16|bf16)\b|\b(?:bfloat16|bf16)\b.{0,40}\b(?:required|needed)\b",
    re.IGNORECASE,
)
_WITH_BFLOAT16 = ">=8.0"
_IS_MUST = re.compile(
    r"\b(?:must|requires?|required|needs?|needed|at least|minimum|prerequisites?)\b|需要|要求", re.IGNORECASE
)
_IS_CASE = re.compile(
    r"\b(?:not?|if|when|unless|only for|optional(?:ly)?|adds?|added|fix(?:es|ed)?|below|lower|older|faster)\b|n't\b",
    re.IGNORECASE,
)
# Of the project as a whole, and of no part of it: "If you want to use this on your own computer, you must have …".
_TO_USE_IT = re.compile(
    r"\bif you(?:['’]d like| (?:want|wish|plan|intend|would like)) to (?:use|run|install|try)"
    r" (?:it|this|(?:this|the|our) (?:project|code|program|software|repo(?:sitory)?|package|tool|notebook|app))"
    r"(?: (?:locally|yourself|on your (?:own )?(?:computer|machine|pc|system|hardware)))*,",
    re.IGNORECASE,
)
# Cards of one generation in a sentence: "RTX 50 series", "RTX 5090", "50xx", "Blackwell", "H100".
_CARDS = re.compile(
    r"\b(?:rtx[ -]?(?P<rtx>\d0)(?:\d0|xx)?|(?P<series>\d0)(?:xx|[ -]?series)|(?P<name>[a-z]+(?:\d00)?))(?![\w.])",
    re.IGNORECASE,
)
_IS_FOR = re.compile(r"\b(?:for|on|if|have|has|own|using|use|with)\b|^\W*$", re.IGNORECASE)
_IS_PAST = re.compile(
    r"\bnot?\b|n't\b|cannot|incompatible|unsupported|\badd(?:s|ed)\b|releas|\bfix|\bbug|error|issue|faster|speed"
    r"|benchmark|before|until|\bdrop",
    re.IGNORECASE,
)


def torch_for_cards(file: str, text: str) -> Iterator[Statement]:
    """Yield the torch that a sentence names for the cards of one generation: "For RTX 50 series GPUs, PyTorch 2.8.0
    with CUDA 12.8 should be used"."""
    for number, line in enumerate(text.split("\n"), 1):
        for sentence in SENTENCE.split(line[:LONGEST]):
            words = DECORATED.sub(" ", sentence)
            specifier = "" if _IS_PAST.search(words) else torch_in_words(words)
            for match in _CARDS.finditer(words) if specifier else ():
                series = match["rtx"] or match["series"]
                generation = f"rtx{series}" if series else match["name"].lower()
                if least_of(generation) and _IS_FOR.search(words[: match.start()]):
                    yield Statement(FOR_CARDS, specifier, origin_of(file, number, sentence), RECOMMENDED, generation)


def cards_in_words(file: str, text: str) -> list[Statement]:
    """Return the lines that say that there must be a card, or of which compute capability or generation."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        is_option = line.lstrip(" |`").startswith("--")  # what one option of a program needs
        for sentence in [] if is_option else SENTENCE.split(line[:LONGEST]):
            words = _TO_USE_IT.sub("", DECORATED.sub(" ", sentence))
            least = "" if _IS_CASE.search(words) else _least_card(words)
            if not _IS_CASE.search(words) and _BFLOAT16.search(words):
                where = origin_of(file, number, line)
                found.append(Statement(CARD, _WITH_BFLOAT16, where, RECOMMENDED, "systems", build=BFLOAT16))
            if least or (_WANTS_CARD.match(words) and not _IS_CASE.search(words)):
                specifier = f">={least}" if least else ""
                found.append(Statement(CARD, specifier, origin_of(file, number, line), RECOMMENDED, "systems"))
    return found


def other_cards(statements: Iterable[Statement], has_card: bool, capability: str) -> Iterator[Message]:
    """Yield the first line that wants another card than is here."""
    for one in statements:
        least, place = version_key(one.specifier), one.origin
        is_old = bool(capability) and version_key(capability) < least
        is_absent = not (has_card or capability) and one.build != BFLOAT16  # which a processor has
        if one.name == CARD and (is_old or is_absent):
            where: dict[str, str | int] = {"file": place.file, "line": place.line, "text": place.text}
            code = "card-switch" if one.build == SWITCH else "named-no-card"
            code = "card-default" if one.build == SWITCH and len(one.extras) > 1 else code
            code = ("named-bfloat16" if one.build == BFLOAT16 else "named-card") if is_old else code
            where |= {"least": one.specifier[2:], "given": capability, "option": next(iter(one.extras), "")}
            where |= {"name": one.extras[-1] if one.extras else ""}
            yield message(f"project.remark.{code}", **where)
            return


def _least_card(words: str) -> str:
    match = _CAPABILITY.search(words)
    if match and (match["newer"] or match["sign"] in (">=", "≥") or (not match["sign"] and _IS_MUST.search(words))):
        return match["least"]
    return next(filter(None, (least_of(match["generation"]) for match in _GENERATION.finditer(words))), "")
