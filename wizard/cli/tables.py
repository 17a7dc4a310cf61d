"""Tables for a terminal, in columns that count Chinese letters as two; the verdict's own table.

The verdict as a text table, torch x CUDA, for a terminal; Chinese letters are two columns wide.

The best is marked, the other cells say in three words why not. What is chosen to be shown is the newest
patch of the newest releases, and always the best. `pick --json` has everything.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from wizard.compatibility.data.ordering import variant_key, version_key
from wizard.compatibility.explain import after_update, cuda_numbers, variant_name, why_not, why_not_newest
from wizard.compatibility.model import Candidate, Verdict
from wizard.machine.model import Machine
from wizard.model.messages import message, text

# How wide words are in a terminal, and lines that fit: a Chinese letter takes two columns and may end a line anywhere.
#
# argparse and textwrap count letters, so their Chinese lines come out twice as long as the terminal.

# A word of Latin letters or one other letter, with the marks that may not be parted from it.
_PIECE = re.compile(r"\s+|[（“《]*(?:[!-~]+|\S)[，。；：、？！）》”]*")


def width(words: str) -> int:
    """Columns in a terminal: a Chinese letter takes two, a combining mark none."""
    return sum(_letter_width(letter) for letter in words)


def _letter_width(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in ("W", "F") else 1


def wrap(words: str, columns: int) -> list[str]:
    """Lines of at most so many columns; a piece that is longer stands alone."""
    lines = [""]
    for piece in _PIECE.findall(" ".join(words.split())):
        if lines[-1] and width(lines[-1] + piece.rstrip()) > columns:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return lines


_ROWS = 6
_MOST_COLUMNS = 7
_GAP = "  "


def render(verdict: Verdict, language: str | None = None, explained: Machine | None = None) -> str:
    """`explained`: the machine, when everything is to be explained: sources, CUDA numbers, all other builds."""
    parts = [_headline(verdict, language), _chain(verdict, language, explained is not None), _table(verdict, language)]
    parts += [why_not_newest(verdict, language) or "", after_update(verdict, language) or ""]
    parts += ["\n".join(text(notice, language) for notice in verdict.notices)]
    if explained:
        parts += ["\n".join(text(words, language) for words in cuda_numbers(explained, verdict))]
        parts += [_others(verdict, language)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _headline(verdict: Verdict, language: str | None) -> str:
    best = verdict.best
    if best is None:
        return text(message("plan.table.none"), language)
    title = message(
        "plan.table.title", torch=best.torch, variant=variant_name(best.variant, language), python=best.python or "?"
    )
    companions = message(
        "plan.table.companions", torchvision=best.torchvision or "–", torchaudio=best.torchaudio or "–"
    )
    return f"{text(title, language)}\n{text(companions, language)}"


def _chain(verdict: Verdict, language: str | None, with_sources: bool) -> str:
    """The proof: card, code in the wheel, driver, Python, system, wheel."""
    lines = []
    for link in verdict.best.proof if verdict.best else ():
        lines.append(f"  ✓ {text(link.message, language)}")
        if with_sources and link.source:
            lines.append(f"      [{text(message(f'matrices.sure.{link.confidence}'), language)}] {link.source}")
    return "\n".join([text(message("plan.explain.chain"), language), *lines]) if lines else ""


def _others(verdict: Verdict, language: str | None) -> str:
    rows = [
        [f"{candidate.torch}+{candidate.variant}", text(words, language)]
        for candidate in verdict.candidates
        if (words := why_not(candidate, verdict))
    ]
    names = max((width(name) for name, _ in rows), default=0)
    lines = [f"  {name}{' ' * (names - width(name))}{_GAP}{words}" for name, words in rows]
    return "\n".join([text(message("plan.explain.others"), language), *lines]) if lines else ""


def _table(verdict: Verdict, language: str | None) -> str:
    cells = {(candidate.torch, candidate.variant): candidate for candidate in verdict.candidates}
    releases = _releases(verdict)
    variants = _variants(verdict, releases)
    head = [text(message("plan.table.torch"), language), *(variant_name(tag, language) for tag in variants)]
    rows = [
        [torch, *(_cell(cells.get((torch, tag)), verdict.best, language) for tag in variants)] for torch in releases
    ]
    return align([head, *rows])


def _releases(verdict: Verdict) -> list[str]:
    """The newest patch of the newest minor releases, and the best."""
    newest: dict[tuple[int, ...], str] = {}
    for torch in sorted({candidate.torch for candidate in verdict.candidates}, key=version_key):
        newest[version_key(torch)[:2]] = torch
    shown = set(sorted(newest.values(), key=version_key, reverse=True)[:_ROWS])
    if verdict.best:
        shown.add(verdict.best.torch)
    return sorted(shown, key=version_key, reverse=True)


def _variants(verdict: Verdict, releases: Sequence[str]) -> list[str]:
    shown = {candidate.variant for candidate in verdict.candidates if candidate.torch in releases}
    ordered = sorted(shown, key=variant_key, reverse=True)
    if len(ordered) <= _MOST_COLUMNS:
        return ordered
    keep = set(ordered[: _MOST_COLUMNS - 1]) | {ordered[-1]} | ({verdict.best.variant} if verdict.best else set())
    return [tag for tag in ordered if tag in keep]


def _cell(candidate: Candidate | None, best: Candidate | None, language: str | None) -> str:
    if candidate is None:
        return text(message("plan.cell.not-published"), language)
    if candidate.fits:
        is_best = best is not None and (candidate.torch, candidate.variant) == (best.torch, best.variant)
        return text(message("plan.cell.best" if is_best else "plan.cell.fits"), language)
    return text(candidate.reasons[0].short, language)


def align(rows: Sequence[Sequence[str]]) -> str:
    """The first row is the head, with a rule below it."""
    widths = [max(width(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        _GAP.join(cell + " " * (columns - width(cell)) for cell, columns in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    rule = "-" * (sum(widths) + len(_GAP) * (len(widths) - 1))
    return "\n".join([lines[0], rule, *lines[1:]])
