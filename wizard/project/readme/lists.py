"""Reads the packages that a README lists as needed without a command that installs them: bullets below a heading such
as Requirements, an indented block below "Install the following Python dependencies:".

They are recommendations, which nothing takes unasked. A name counts where a table of this program knows it, or where it
stands as code, with a bound, or in a list that is said to be for pip; else it may be any word.
"""

from __future__ import annotations

import re
from functools import lru_cache

from wizard.project.formats.conda_words import is_condas_alone, name_of_conda
from wizard.project.formats.requirements import FENCE, requirement
from wizard.project.formats.words import LONGEST
from wizard.project.formats.working_folder import MOST_LINES, OF_NEEDS
from wizard.project.model import DECIDED, RECOMMENDED, Statement, normalized, origin_of
from wizard.project.packages.rows import companion_table
from wizard.project.readme.rows import NO_PACKAGE

_MOST_LISTED = 60  # packages of one text
_LEADS = re.compile(
    r"\b(?:dependenc(?:y|ies)|requirements?|prerequisites?|packages?|librar(?:y|ies)|modules?|requires?|required"
    r"|install)\b|依赖|安装",
    re.IGNORECASE,
)
_IS_LABEL = re.compile(r"\W*(?:requirements?|prerequisites?|dependenc(?:y|ies)|依赖)\W*", re.IGNORECASE)
_ENDS = re.compile(r"[:：][*_ ]*$")
# What no user of the project needs, or no package of Python's.
_OF_OTHERS = re.compile(
    r"\b(?:data ?sets?|models?|checkpoints?|weights|tests?|testing|docs?|documentation|develop(?:ment|ers?)"
    r"|apt(?:-get)?|brew|yum|npm|system|hardware|docker|plug-?ins?|extensions?|nodes?|commands?|steps?|includes?|provides?)\b",
    re.IGNORECASE,
)
# Packages that are held against the project, or against each other.
_COMPARES = re.compile(r"\b(?:compar\w*|benchmark\w*|demonstrat\w*|versus|vs)\b|对比|比较", re.IGNORECASE)
_OF_PIP = re.compile(r"\bpip3?\b|\bpython (?:dependenc|requirement|package|librar|module)", re.IGNORECASE)
_LINK = re.compile(r"\[([^\][]{1,100})\]\([^()\s]{0,300}\)")
_BULLET = re.compile(r"\s{0,20}(?:[-*+•]|\d{1,2}[.)])\s{1,8}")
_INDENTED = re.compile(r"(?: {4}|\t)\s{0,8}(?=\S)")
_BETWEEN = re.compile(r",\s+(?=[A-Za-z`])|\s+(?:and|&)\s+")
_SIGN = r"(?:[<>=~!]==?|==?|[<>≥≤])"
_ENTRY = re.compile(
    r"(?P<name>[A-Za-z][\w.-]{0,60}?)(?:\[[\w, -]{0,60}\])?"
    rf"(?: ?\(? ?(?:versions?|ver\.?|v)? ?(?P<sign>{_SIGN})? ?v?(?P<version>\d{{1,9}}(?:\.[\d*]{{1,9}}){{0,4}})"
    rf"(?P<further>(?: ?, ?{_SIGN} ?\d{{1,9}}(?:\.[\d*]{{1,9}}){{0,4}}){{0,3}})"
    r"(?P<newer> ?\+| ?,? ?(?:or|and) (?:newer|later|above|higher|up(?:wards)?\b))? ?\)?)?"
    r"(?P<after>[.;]?| ?[(（#:：].*| [-–—] .*)",
    re.IGNORECASE,
)


def listed_packages(file: str, text: str) -> list[Statement]:
    """Return the packages of such lists, each with its line."""
    found, block = dict[str, Statement](), list[Statement]()
    is_needs = is_led = is_pip = is_code = is_compared = False
    for number, line in enumerate(text.split("\n")[:MOST_LINES], 1):
        if FENCE.match(line):
            is_code = not is_code
            is_led &= is_code  # one block of code belongs to a sentence
            found |= {one.name: one for one in block if one.name not in found}
            block = []
            continue
        if not is_code and line.startswith("#"):
            is_needs, is_led = bool(OF_NEEDS.match(line[:LONGEST])), False
            is_pip = is_needs and bool(_OF_PIP.search(line[:LONGEST]))
            is_compared = bool(_COMPARES.search(line[:LONGEST]))
            continue
        if not line.strip():
            continue
        bullet, indent = (None, None) if is_code else (_BULLET.match(line), _INDENTED.match(line))
        is_item = bool(bullet or is_code or (indent and is_led))
        if not is_item:
            is_led = is_lead(line) and not (is_compared or _COMPARES.search(line[-LONGEST:]))
            is_pip = is_led and bool(_OF_PIP.search(line[-LONGEST:]))
            continue
        marked = bullet or indent
        at = marked.end() if marked else 0
        words = line[at : at + LONGEST].strip()
        listed = _listed(words, number, file, is_pip, is_plain=not bullet) if is_led or (is_needs and bullet) else []
        if is_code and not listed:
            is_led = False  # a command, or what it answers
            block = []
        for one in listed:
            block = [*block, one] if is_code else block
            if not is_code:
                found.setdefault(one.name, one)
        if len(found) + len(block) > _MOST_LISTED:
            break
    return list(found.values())[:_MOST_LISTED]


def is_lead(line: str) -> bool:
    """Return whether a list of what the project needs comes below it."""
    words = line[-LONGEST:].rstrip()
    if _IS_LABEL.fullmatch(words):
        return True
    last = re.split(r"(?<=[.!?])\s+(?=[A-Z])", words)[-1]
    return bool(_ENDS.search(last) and _LEADS.search(last) and not _OF_OTHERS.search(last))


def _listed(words: str, number: int, file: str, is_pip: bool, is_plain: bool) -> list[Statement]:
    """Return the packages of one entry; nothing where a part of it is none. `is_plain`: a line of a block has one."""
    words = _LINK.sub(r"\1", words)
    parts = [words] if is_plain else _BETWEEN.split(words)
    found = [_package(part.strip(), number, file, is_pip) for part in parts]
    return [one for one in found if one] if all(found) else []


def _package(words: str, number: int, file: str, is_pip: bool) -> Statement | None:
    is_code = words[:1] in ("`", "'", '"')
    match = _ENTRY.fullmatch(re.sub(r"[`*'\"\s]+", " ", words).strip())
    if not match or NO_PACKAGE.fullmatch(match["name"]):
        return None
    name = _of_modules().get(normalized(match["name"]), name_of_conda(match["name"], ""))
    sign = {"=": "==", "≥": ">=", "≤": "<=", "<==": "<=", ">==": ">="}.get(match["sign"] or "", match["sign"] or "")
    is_bound = bool(sign or match["newer"])
    if name in DECIDED or name in _programs() or is_condas_alone(name):
        return None
    if not (name in _known() or (match["version"] and is_bound) or is_code or is_pip):
        return None
    bound = f"{'>=' if match['newer'] else sign or '=='}{match['version']}" if match["version"] else ""
    bound += re.sub(r"≥", ">=", match["further"] or "").replace("≤", "<=").replace(" ", "") if bound else ""
    one = requirement(f"{name}{bound}", origin_of(file, number, words)) or requirement(
        name, origin_of(file, number, words)
    )
    return Statement(one.name, one.specifier, one.origin, RECOMMENDED) if one else None


@lru_cache(maxsize=1)
def _of_modules() -> dict[str, str]:
    """Return which package an import means that is called otherwise (`cv2`, `sklearn`)."""
    return {normalized(module): row.package for row in reversed(companion_table().imported) for module in row.modules}


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    table = companion_table()
    names = {row.package for row in table.imported} | {row.package for row in table.wheel_pythons}
    names |= {row.package for row in table.torch_bound} | {row.package for row in table.package_need}
    names |= {row.name for row in table.companion} | {row.names[0] for row in table.conda_alias}
    names |= {name for row in table.imported for name in row.brings}
    return frozenset(normalized(one) for one in names)


@lru_cache(maxsize=1)
def _programs() -> frozenset[str]:
    names = (word for row in companion_table().system_program for word in (*row.words, *row.started))
    return frozenset(map(normalized, names))
