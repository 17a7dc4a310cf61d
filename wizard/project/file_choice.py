"""Which of a project's files count on this kind of computer, by the words of their names.

A file that names another system or another maker's cards is left out, unless only such files say anything of torch.

One file: all of them are words of files' names, or of what is in them, held against one computer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from wizard.compatibility.data.ordering import version_key
from wizard.model.messages import Message, message
from wizard.project.formats.conda_words import is_condas_alone, system_of_build
from wizard.project.model import (
    DECLARED,
    LOCKED,
    NEEDING,
    RECOMMENDED,
    TORCH,
    Project,
    Statement,
    first_few,
    is_elsewhere,
)
from wizard.project.versions import can_meet, meets

# The packages of NVIDIA's that torch brings (Requires-Dist of its wheels, 2.6 to 2.15); others are a project's own.
TORCH_PARTS = re.compile(
    r"nvidia-(?:cublas|cuda-(?:cupti|nvrtc|runtime)|cudnn|cufft|cufile|curand|cusolver|cusparse|cusparselt|nccl|nvshmem|nvtx"
    r"|nvjitlink)(?:-cu\d+)?"
)
# What belongs to torch or to conda's own ground, and is no package to be asked for beside it.
_NO_REST = re.compile(
    r"torch|torchvision|torchaudio|python|cudatoolkit|pytorch-cuda|pytorch-mutex|cpuonly|nomkl|__cuda|__platform"
    rf"|{TORCH_PARTS.pattern}"
)
SYSTEM_WORDS = {
    "windows": r"win|windows|win32|win64|win10|win11|windows10|windows11",
    "linux": r"linux|linux64|ubuntu|ubuntu18|ubuntu20|ubuntu22|ubuntu24|debian|centos|colab|wsl",
    "": r"mac|macos|macosx|osx|darwin|apple|metal|silicon|mps|m1|m2|m3|jetson|aarch64|arm64|rpi|raspberrypi",
}
_CARD_WORDS = {
    "nvidia": r"nvidia|cuda|gpu|cu\d+",
    "cpu": r"cpu|cpuonly",
    "other": r"amd|rocm|intel|mkl|ipex|xpu|directml|dml|npu|ascend|hpu|gaudi|tpu|mps|vulkan"
    r"|camb|cambricon|mlu|maca|metax|musa|gcu|dcu|neuron",
}

WITHOUT_CARD = "without a card: "  # begins the group of an environment that is for these
CUDA_IN_NAME = re.compile(r"(?<![a-z0-9])cu(?:da)?[-_.]?(\d{2})(?:[-_.]?(\d))?(?![a-z0-9])")
_OTHER_BUILDS = re.compile(r"/(?:rocm|xpu|hpu|npu|mps|gcu|musa)[\d.]*(?:/|$)")
_OWN_BUILDS = re.compile(r"/(?:cu\d{2,3}|cpu)(?:/|$)")
_OTHER_EXTRA = re.compile(
    r"(?:amd|rocm|intel|xpu|hpu|gaudi|npu|ascend|musa|mlu|maca|directml|mps|tpu)(?![a-su-z])|intelgpu"
)


# Compute capabilities of a generation's cards, the oldest and the newest.
_GENERATIONS = {
    r"blackwell|rtx50\w*|50[5-9]0": ("10.0", "12.1"),
    r"hopper|h[12]00": ("9.0", "9.0"),
    r"ada|lovelace|rtx40\w*|40[5-9]0": ("8.9", "8.9"),
    r"ampere|a100|rtx30\w*|30[5-9]0": ("8.0", "8.8"),
    r"turing|rtx20\w*": ("7.5", "7.5"),
    r"volta|v100": ("7.0", "7.2"),
    r"pascal|p100": ("6.0", "6.2"),
}
_SYSTEM_PACKAGES = {  # of conda, as `conda env export` writes them down
    "Linux": re.compile(r"libgcc-ng|libstdcxx-ng|ld-impl-linux-64|-libgcc-mutex"),
    "Windows": re.compile(r"vc|vs\d{4}-runtime|wincertstore|win-inet-pton|pywin32|m2w64-.*"),
    "macOS": re.compile(r"libcxx|appnope|llvm-openmp-osx"),
}
_MOST_NAMED = 12  # libraries of conda in one sentence
_OF_TORCH = (TORCH, "torchvision", "torchaudio", "cudatoolkit", "pytorch-cuda")
DEVELOPING = "dev"  # the group of lists that only the authors of a project need
_FRAMEWORKS = frozenset(
    ("tf", "tf1", "tf2", "tensorflow", "keras", "jax", "flax", "paddle", "mindspore", "mxnet", "openvino")
)
_PURPOSE = re.compile(r"dev|devel|develop|development|tests?|testing|docs?|lint|linting|ci|style|typing")
_OWNERS = ("pyproject.toml", "Pipfile")  # of locks
LIST_FILE = re.compile(r"(.*/)?[^/]*(req|env)[^/]*\.(txt|in|ya?ml)|(.*/)?requirements?/[^/]+\.(txt|in)", re.IGNORECASE)

# What is left of a list's name without the words for a list, where it is a release of the project's, or a day; two
# numbers alone are as often a Python's.
_OF_RELEASE = re.compile(r"v?\d+\.\d+\.\d+(?:[-_.]?(?:a|b|rc|dev|post)\.?\d+)?|v\d+\.\d+|20\d\d(?:[-_.]?\d\d){1,2}")
_LIST_WORDS = re.compile(r"(?:^|[-_.])(?:req[a-z]*|env[a-z]*|conda|releases?|versions?)(?=[-_.]|$)")
_FROZEN = frozenset(("frozen", "freeze", "freezed", "lock", "locked"))


def is_frozen(file: str, torch: Iterable[Statement]) -> bool:
    """Return whether a list's name says that it holds what was installed with one release, or at one time; a number
    that is that of its torch is none of the project's."""
    stem = file.rpartition("/")[2].lower().rpartition(".")[0]
    rest = _LIST_WORDS.sub("", stem).strip("-_.")
    is_dated = bool(_OF_RELEASE.fullmatch(rest)) and not any(meets(one.specifier, rest.lstrip("v")) for one in torch)
    return bool(LIST_FILE.fullmatch(file)) and (is_dated or bool(words_of(stem) & _FROZEN))


def purpose_of(file: str) -> str:
    """Return the group of what a list is for by its name; "" for everybody's."""
    return DEVELOPING if LIST_FILE.fullmatch(file) and is_developing(file.rpartition("/")[2]) else ""


def of_another_framework(file: str) -> bool:
    """Return whether a list's name means TensorFlow, JAX … and not torch."""
    words = words_of(file.rpartition("/")[2])
    return bool(LIST_FILE.fullmatch(file)) and bool(words & _FRAMEWORKS) and not words & {"torch", "pytorch"}


def asks_for_another_framework(statements: Iterable[Statement]) -> bool:
    return any(one.name in _FRAMEWORKS for one in statements)


def is_developing(group: str) -> bool:
    return any(_PURPOSE.fullmatch(word) for word in words_of(group))


def names_a_computer(file: str) -> bool:
    return bool(computer_in(file))


def computer_in(file: str) -> frozenset[str]:
    """Return the words of its name that are a system's, a kind of card's or a CUDA's."""
    kinds = "|".join([*SYSTEM_WORDS.values(), *_CARD_WORDS.values()])
    words = (word for word in words_of(file) if re.fullmatch(kinds, word))
    return frozenset((*words, *(match[0] for match in CUDA_IN_NAME.finditer(file.lower()))))


def names_card(file: str, kind: str) -> bool:
    return any(re.fullmatch(_CARD_WORDS[kind], word) for word in words_of(file.rpartition("/")[2]))


def names_other_maker(words: str) -> bool:
    """Return whether a name or a heading is about another maker's cards alone."""
    named = words_of(words)
    return any(re.fullmatch(_CARD_WORDS["other"], word) for word in named) and not named & {"nvidia", "cuda"}


def words_of(name: str) -> set[str]:
    return set(re.split(r"[^a-z0-9]+", name.lower()))


def _misfit(file: str, os: str, has_card: bool) -> str:
    """Return the words of a file's name that mean another computer."""
    folder, _, last = file.rpartition("/")
    words = words_of(last) | ({*folder.lower().split("/")} if LIST_FILE.fullmatch(file) else set())
    systems = {system for system, kind in SYSTEM_WORDS.items() if any(re.fullmatch(kind, word) for word in words)}
    cards = {card for card, kind in _CARD_WORDS.items() if any(re.fullmatch(kind, word) for word in words)}
    if "other" in cards and not any(re.fullmatch(r"nvidia|cuda|cu\d+", word) for word in words):
        cards.discard("nvidia")  # "gpu" is any maker's
    wanted = "nvidia" if has_card else "cpu"
    other_cards = cards and wanted not in cards
    if (systems and os not in systems) or other_cards:
        kinds = "|".join([*SYSTEM_WORDS.values(), *_CARD_WORDS.values()])
        return " ".join(sorted(word for word in words if re.fullmatch(kinds, word)))
    return ""


def are_alternatives(one: list[Statement], other: list[Statement]) -> bool:
    """Return whether two environments ask for torch releases that exclude each other, so that nobody makes one of
    both."""
    pins = [
        [each.specifier for each in way if each.name == TORCH and each.strength == DECLARED] for way in (one, other)
    ]
    return all(pins) and not any(can_meet(first, second) for first in pins[0] for second in pins[1])


def for_this_generation(project: Project, capability: str) -> tuple[Project, list[Message]]:
    """Return the project without the lists that name other generations of cards, where others ask for torch."""
    others = {}
    for file in project.files:
        words = words_of(file.rpartition("/")[2])
        named = {word for word in words if least_of(word)}
        if named and LIST_FILE.fullmatch(file) and not any(is_of_generation(capability, word) for word in named):
            others[file] = " ".join(sorted(named))
    left = without(project, set(others))
    if not others or not says(list(left.statements)):
        return project, []
    return left, [message("project.remark.not-for-this", file=file, words=words) for file, words in others.items()]


def least_of(generation: str) -> str:
    """Return the oldest compute capability of a generation's cards; "" where the word is none."""
    return _span_of(generation)[0]


def is_of_generation(capability: str, generation: str) -> bool:
    """Return whether a card of this compute capability is one of a generation's; no card is one of any."""
    first, last = map(version_key, _span_of(generation))
    return bool(capability and first) and first <= version_key(capability) <= last


def _span_of(generation: str) -> tuple[str, str]:
    words = generation.lower()
    return next((span for kind, span in _GENERATIONS.items() if re.fullmatch(kind, words)), ("", ""))


def for_this_computer(project: Project, os: str, has_card: bool) -> tuple[Project, list[Message]]:
    """Return the project without what only other computers' files say, addresses too."""
    project = _without_other_makers(project)
    for_cpu = {} if has_card else _with_own_for_cpu(project)
    kept, said = _without_misfits(without(project, {*for_cpu}), os, has_card)
    lists = (message("project.remark.list-for-cpu", file=file, taken=taken) for file, taken in for_cpu.items())
    return kept, [*lists, *said]


def _with_own_for_cpu(project: Project) -> dict[str, str]:
    """Return the whole lists for any computer beside which one for computers without a card (`environment_cpu.yml`) has
    torch and half of the rest, with that one: who has no card installs from it alone."""
    names: dict[str, set[str]] = {}
    for one in project.statements:
        if one.strength == DECLARED and not one.group and LIST_FILE.fullmatch(one.origin.file):
            names.setdefault(one.origin.file, set()).add(one.name)
    whole = {file: of for file, of in names.items() if TORCH in of and file not in project.included}
    own = [file for file in whole if names_card(file, "cpu")]
    return {
        file: taken
        for file, of in whole.items()
        for taken in own[:1]
        if not names_a_computer(file.rpartition("/")[2]) and 2 * len(of & whole[taken]) >= len(of)
    }


def _without_misfits(project: Project, os: str, has_card: bool) -> tuple[Project, list[Message]]:
    saying = {one.origin.file for one in project.statements} | {one.origin.file for one in project.sources}
    misfits = {file: words for file in project.files if file in saying and (words := _misfit(file, os, has_card))}
    has_other = any(names_a_computer(file.rpartition("/")[2]) for file in saying if file not in misfits)
    if not has_card and not has_other and any(names_card(file, "nvidia") for file in misfits):
        misfits = {file: words for file, words in misfits.items() if not _is_of_cpu_and_mac(words)}
    fitting = [one for one in project.statements if one.origin.file not in misfits]
    if not misfits:
        return project, []
    if not any(map(_is_declared, fitting)) and any(map(_is_declared, project.statements)):
        # Nothing else declares anything: made for another system, and all that there is.
        of_others = {file for file, words in misfits.items() if _is_of_other_maker(words)}
        of_others = of_others if len(of_others) < len(misfits) else set[str]()
        left = [file for file in misfits if file not in of_others]
        # Lists for two systems are two ways to the same: the one that says most of torch.
        chosen = max(left, key=lambda file: says([one for one in project.statements if one.origin.file == file]))
        of_others |= {file for file in left if misfits[file] != misfits[chosen]}
        return without(project, of_others), [
            message(f"project.remark.{'not-for-this' if file in of_others else 'other-system'}", file=file, words=words)
            for file, words in misfits.items()
        ]
    # What another maker's list says of torch is nothing to a card that has a list of its own.
    has_own = any(file not in misfits and names_card(file, "nvidia" if has_card else "cpu") for file in saying)
    theirs = {file for file, words in misfits.items() if has_own and _is_of_other_maker(words)}
    if says(fitting) >= says([one for one in project.statements if one.origin.file not in theirs]):
        return without(project, set(misfits)), [
            message("project.remark.not-for-this", file=file, words=words) for file, words in misfits.items()
        ]
    # Only files for other computers say which torch: of these the first counts, with what goes along with it.
    of_torch = [one.origin.file for one in project.statements if one.origin.file in misfits and says([one]) > 0]
    chosen = min(of_torch, key=lambda file: _is_of_other_maker(misfits[file]))
    kept = without(project, set(misfits) - {chosen})
    own = {file for file in saying - set(misfits) if words_of(file) & {*SYSTEM_WORDS.get(os, "-").split("|")}}
    if any(is_rest(one) and one.origin.file in own for one in fitting):  # its own list has all but torch
        taken = [one for one in kept.statements if one.origin.file != chosen or one.name in _OF_TORCH]
        said = message("project.remark.other-system-torch", file=chosen, words=misfits[chosen])
        return replace(kept, statements=tuple(taken)), [said]
    return kept, [message("project.remark.other-system", file=chosen, words=misfits[chosen])]


def exported_elsewhere(statements: Iterable[Statement], os: str) -> Iterator[Message]:
    """Yield, for each list that conda wrote on another system, that it was: by its packages that only one has, else by
    its builds, which conda finds there alone."""
    written: dict[str, list[Statement]] = {}
    for one in statements:
        if one.conda and one.strength == DECLARED and not one.marker:  # what has a marker is said to be for one system
            written.setdefault(one.origin.file, []).append(one)
    for file, lines in written.items():
        systems = {name for one in lines for name, kind in _SYSTEM_PACKAGES.items() if kind.fullmatch(one.name)}
        built = {one: system for one in lines if (system := system_of_build(one.build))}
        only = next(iter(systems or {*built.values()}), os)
        if only.lower() == os or len(systems or {*built.values()}) > 1:
            continue
        if systems:
            yield message("project.remark.exported", file=file, system=only)
        else:
            place = next(iter(built)).origin
            where: dict[str, str | int] = {"file": file, "line": place.line, "text": place.text}
            yield message("project.remark.built-elsewhere", **where, count=len(built), system=only)


def exports(statements: list[Statement]) -> Iterator[Message]:
    """What is said once for a whole export of another computer."""
    paths = [one for one in statements if one.url.startswith("file:") and one.name != "."]
    if paths:
        first = paths[0].origin
        yield message("project.remark.file-paths", count=len(paths), file=first.file, line=first.line)
    parts = sum(1 for one in statements if TORCH_PARTS.fullmatch(one.name) and one.strength == DECLARED)
    if parts:
        yield message("project.remark.nvidia-parts", count=parts)
    needed = {one.group for one in statements if one.name == NEEDING}  # these come first: nothing of them is cut off
    libraries = [*dict.fromkeys(one.name for one in statements if _is_library(one))]
    if libraries := sorted(libraries, key=lambda name: name not in needed):
        words = first_few(libraries, _MOST_NAMED)
        yield message("project.remark.conda-libraries", count=len(libraries), packages=words)


def _is_of_cpu_and_mac(words: str) -> bool:
    """Return whether a name has both (`cpu_apple`): beside a list for cards, that is everybody's who has none."""
    named = set(words.split())
    others = named - {"cpu"}
    return others != named and bool(others) and all(re.fullmatch(SYSTEM_WORDS[""], word) for word in others)


def _is_of_other_maker(words: str) -> bool:
    return any(re.fullmatch(_CARD_WORDS["other"], word) for word in words.split())


def _without_other_makers(project: Project) -> Project:
    """Leave out extras for cards of other makers, and what a README has for these or a Mac where it has more."""
    lines = {source.origin for source in project.sources if _OTHER_BUILDS.search(source.url)}
    lines |= {one.origin for one in project.statements if _OTHER_BUILDS.fullmatch(f"/{one.local}")}
    theirs = {one for one in project.statements if one.origin in lines or _OTHER_EXTRA.match(one.group)}
    theirs |= {*filter(is_elsewhere, project.statements)}
    is_told_alone = not any(one.name == TORCH for one in project.statements if one not in theirs)
    optional = (one for one in theirs if one.group not in ("", "constraint") or one.strength == RECOMMENDED)
    left = {one for one in optional if not (one.strength == RECOMMENDED and is_told_alone)}
    origins = {one.origin for one in left}
    # An index of theirs beside one of NVIDIA's or of the CPU's is for other computers.
    has_own = any(_OWN_BUILDS.search(source.url) for source in project.sources)
    origins |= {one.origin for one in project.sources if has_own and _OTHER_BUILDS.search(one.url)}
    return replace(
        project,
        statements=tuple(
            replace(one, marker="") if is_elsewhere(one) else one for one in project.statements if one not in left
        ),
        sources=tuple(one for one in project.sources if one.origin not in origins),
    )


def without(project: Project, files: set[str]) -> Project:
    return replace(
        project,
        statements=tuple(one for one in project.statements if one.origin.file not in files),
        sources=tuple(one for one in project.sources if one.origin.file not in files),
    )


def says(statements: list[Statement]) -> int:
    """How much is said of torch: 2 a version, 1 its name, 0 nothing."""
    torch = [
        one for one in statements if one.name == TORCH and one.strength != LOCKED and one.group in ("", "constraint")
    ]
    return 2 if any(one.specifier for one in torch) else 1 if torch else 0


def is_rest(one: Statement) -> bool:
    return (
        one.strength == DECLARED
        and one.group == ""
        and one.name not in (".", "")
        and not (_NO_REST.fullmatch(one.name) or _is_library(one))
    )


def _is_declared(one: Statement) -> bool:
    return is_rest(one) or (one.name == TORCH and one.strength == DECLARED and not one.group)


def _is_library(one: Statement) -> bool:
    """Return whether conda names it, and pip can bring nothing that it is."""
    is_own = one.conda and one.strength == DECLARED and not one.group and not _NO_REST.fullmatch(one.name)
    return is_own and is_condas_alone(one.name, one.build)


def stale_locks(statements: list[Statement]) -> tuple[set[str], list[Message]]:
    """Return the locks that hold a release which the lines of today refuse, each told with one of these."""
    asked: dict[str, list[Statement]] = {}
    for one in statements:
        if one.strength == DECLARED and not one.group and not one.marker and one.origin.file in _OWNERS:
            asked.setdefault(one.name, []).append(one)
    sourced = {
        one.name for one in statements if one.url and one.strength == DECLARED
    }  # of another version than its own
    held: dict[tuple[str, str], list[Statement]] = {}
    for one in statements:
        if one.strength == LOCKED and not one.group and one.name in asked and one.name not in sourced:
            held.setdefault((one.origin.file, one.name), []).append(one)
    found: dict[str, Message] = {}
    for (file, name), pins in held.items():
        against = next(
            (one for one in asked[name] if not any(can_meet(one.specifier, pin.specifier) for pin in pins)), None
        )
        if against and file not in found:
            place = against.origin
            found[file] = message(
                "project.remark.lock-stale",
                lock=file,
                has=str(pins[0]),
                file=place.file,
                line=place.line,
                asked=str(against),
            )
    return set(found), list(found.values())
