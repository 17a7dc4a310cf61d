"""Which of a project's files count on this kind of computer, by the words of their names.

A file that names another system or another maker's cards is left out, unless only such files say anything of torch.
"""

from __future__ import annotations

import re
from dataclasses import replace

from wizard.model.messages import Message, message
from wizard.project.model import DECLARED, LOCKED, RECOMMENDED, TORCH, Project, Statement

# What belongs to torch or to conda's own ground, and is no package to be asked for beside it.
_NO_REST = re.compile(
    r"torch|torchvision|torchaudio|python|cudatoolkit|pytorch-cuda|pytorch-mutex|cpuonly|__cuda|__platform|nvidia-.*-cu\d+"
)
_SYSTEM_WORDS = {
    "windows": r"win|windows|win32|win64",
    "linux": r"linux|ubuntu|debian|colab|wsl",
    "": r"mac|macos|osx|darwin|apple|mps|m1",
}
_CARD_WORDS = {
    "nvidia": r"nvidia|cuda|gpu|cu\d+",
    "cpu": r"cpu|cpuonly",
    "other": r"amd|rocm|intel|mkl|ipex|xpu|directml|dml|npu|ascend|hpu|gaudi|tpu|mps|vulkan"
    r"|camb|cambricon|mlu|maca|metax|musa|gcu|dcu|neuron",
}


_OTHER_BUILDS = re.compile(r"/(?:rocm|xpu|hpu|npu|mps|gcu|musa)[\d.]*(?:/|$)")
_OTHER_EXTRA = re.compile(
    r"(?:amd|rocm|intel|xpu|hpu|gaudi|npu|ascend|musa|mlu|maca|directml|mps|tpu)(?![a-su-z])|intelgpu"
)


def names_a_computer(file: str) -> bool:
    """Return whether a word of its name is a system's or a kind of card's."""
    kinds = "|".join([*_SYSTEM_WORDS.values(), *_CARD_WORDS.values()])
    return any(re.fullmatch(kinds, word) for word in _words_of(file))


def _names_card(file: str, kind: str) -> bool:
    return any(re.fullmatch(_CARD_WORDS[kind], word) for word in _words_of(file.rpartition("/")[2]))


def _words_of(name: str) -> set[str]:
    return set(re.split(r"[^a-z0-9]+", name.lower()))


def _misfit(file: str, os: str, has_card: bool) -> str:
    """Return the words of a file's name that mean another computer."""
    words = _words_of(file.rsplit("/", 1)[-1])
    systems = {system for system, kind in _SYSTEM_WORDS.items() if any(re.fullmatch(kind, word) for word in words)}
    cards = {card for card, kind in _CARD_WORDS.items() if any(re.fullmatch(kind, word) for word in words)}
    if "other" in cards and not any(re.fullmatch(r"nvidia|cuda|cu\d+", word) for word in words):
        cards.discard("nvidia")  # "gpu" is any maker's
    wanted = "nvidia" if has_card else "cpu"
    other_cards = cards and wanted not in cards
    if (systems and os not in systems) or other_cards:
        kinds = "|".join([*_SYSTEM_WORDS.values(), *_CARD_WORDS.values()])
        return " ".join(sorted(word for word in words if re.fullmatch(kinds, word)))
    return ""


def with_own_list(project: Project, os: str) -> tuple[Project, list[Message]]:
    """Return the project without the list for all systems where the one for this system asks for another torch."""
    pins = {one.origin.file: one.specifier for one in project.statements if one.name == TORCH and _says([one]) == 2}
    for own, pin in pins.items():
        words = _words_of(own.rpartition("/")[2])
        systems = {system for system, kind in _SYSTEM_WORDS.items() if any(re.fullmatch(kind, word) for word in words)}
        rest = words - {word for word in words if re.fullmatch(_SYSTEM_WORDS.get(os, ""), word)}
        for other, its in pins.items():
            is_beside = own.rpartition("/")[0] == other.rpartition("/")[0]
            if (
                systems == {os}
                and "colab" not in words
                and is_beside
                and _words_of(other.rpartition("/")[2]) == rest
                and its != pin
            ):
                remark = message("project.remark.other-lists", file=own, files=other)
                return _without(project, {other}), [remark]
    return project, []


def for_this_computer(project: Project, os: str, has_card: bool) -> tuple[Project, list[Message]]:
    """Return the project without what only other computers' files say, addresses too."""
    project = _without_other_makers(project)
    saying = {one.origin.file for one in project.statements} | {one.origin.file for one in project.sources}
    misfits = {file: words for file in project.files if file in saying and (words := _misfit(file, os, has_card))}
    fitting = [one for one in project.statements if one.origin.file not in misfits]
    if not misfits:
        return project, []
    if not any(is_rest(one) for one in fitting) and any(is_rest(one) for one in project.statements):
        # Nothing else declares anything: made for another system, and all that there is.
        of_others = {file for file, words in misfits.items() if _is_of_other_maker(words)}
        of_others = of_others if len(of_others) < len(misfits) else set[str]()
        left = [file for file in misfits if file not in of_others]
        # Lists for two systems are two ways to the same: the one that says most of torch.
        chosen = max(left, key=lambda file: _says([one for one in project.statements if one.origin.file == file]))
        of_others |= {file for file in left if misfits[file] != misfits[chosen]}
        return _without(project, of_others), [
            message(f"project.remark.{'not-for-this' if file in of_others else 'other-system'}", file=file, words=words)
            for file, words in misfits.items()
        ]
    # What another maker's list says of torch is nothing to a card that has a list of its own.
    has_own = any(file not in misfits and _names_card(file, "nvidia" if has_card else "cpu") for file in saying)
    theirs = {file for file, words in misfits.items() if has_own and _is_of_other_maker(words)}
    if _says(fitting) >= _says([one for one in project.statements if one.origin.file not in theirs]):
        return _without(project, set(misfits)), [
            message("project.remark.not-for-this", file=file, words=words) for file, words in misfits.items()
        ]
    # Only files for other computers say which torch: of these the first counts, with what goes along with it.
    of_torch = [one.origin.file for one in project.statements if one.origin.file in misfits and _says([one]) > 0]
    chosen = min(of_torch, key=lambda file: _is_of_other_maker(misfits[file]))
    kept = _without(project, set(misfits) - {chosen})
    return kept, [message("project.remark.other-system", file=chosen, words=misfits[chosen])]


def _is_of_other_maker(words: str) -> bool:
    return any(re.fullmatch(_CARD_WORDS["other"], word) for word in words.split())


def _without_other_makers(project: Project) -> Project:
    """Leave out extras for cards of other makers, and what a README has for these where it has more."""
    lines = {source.origin for source in project.sources if _OTHER_BUILDS.search(source.url)}
    lines |= {one.origin for one in project.statements if _OTHER_BUILDS.fullmatch(f"/{one.local}")}
    theirs = {one for one in project.statements if one.origin in lines or _OTHER_EXTRA.match(one.group)}
    is_told_alone = not any(one.name == TORCH for one in project.statements if one not in theirs)
    optional = (one for one in theirs if one.group not in ("", "constraint") or one.strength == RECOMMENDED)
    left = {one for one in optional if not (one.strength == RECOMMENDED and is_told_alone)}
    origins = {one.origin for one in left}
    return replace(
        project,
        statements=tuple(one for one in project.statements if one not in left),
        sources=tuple(one for one in project.sources if one.origin not in origins),
    )


def _without(project: Project, files: set[str]) -> Project:
    return replace(
        project,
        statements=tuple(one for one in project.statements if one.origin.file not in files),
        sources=tuple(one for one in project.sources if one.origin.file not in files),
    )


def _says(statements: list[Statement]) -> int:
    """How much is said of torch: 2 a version, 1 its name, 0 nothing."""
    torch = [
        one for one in statements if one.name == TORCH and one.strength != LOCKED and one.group in ("", "constraint")
    ]
    return 2 if any(one.specifier for one in torch) else 1 if torch else 0


def is_rest(one: Statement) -> bool:
    return (
        one.strength == DECLARED and one.group == "" and one.name not in (".", "") and not _NO_REST.fullmatch(one.name)
    )
