"""What an error text's facts say of what stands beside torch: companions, CUDA's libraries, the C library, memory.

Sentences that name the facts they rest on, as in `fact_checks`; nothing here depends on the platform's builds.
"""

from __future__ import annotations

from collections.abc import Iterator

from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import cuda_of, version_key
from wizard.diagnose.known_errors.facts import Named, TextFacts
from wizard.model.messages import Message, message
from wizard.project.packages.companions import releases_for

NOT_OWNERS = frozenset({"pip", "uv", "conda", "torch", "importlib", "nvidia", "numpy"})
_OF_GLIBC = "linux_x86_64"
_MOST_CONFLICTS = 8


def check_beside(facts: TextFacts, matrix: Matrix) -> Iterator[Message]:
    yield from _bits(facts)
    yield from _failed(facts)
    yield from _made_for(facts)
    yield from _companions(facts)
    yield from _library(facts)
    yield from _glibc(facts, matrix)
    yield from _memory(facts)
    yield from _conflicts(facts)


def _bits(facts: TextFacts) -> Iterator[Message]:
    if facts.is_32_bit:
        yield message(
            "explain.reason.32-bit",
            "The Python of the text is a 32-bit one: no torch was made for it. Install a 64-bit Python.",
        )


def is_other_makers(named: Named) -> bool:
    """AMD's and Intel's builds are in no table: nothing is said of them."""
    return named.tag.startswith(("rocm", "xpu"))


def _failed(facts: TextFacts) -> Iterator[Message]:
    """Whose file could not be loaded; a nightly has no companions that were compiled for it."""
    if facts.failed_file and facts.names_torch:
        yield message(
            "explain.reason.owner",
            "The file that could not be loaded is of {package}, not of torch.",
            package=facts.failed_file,
        )
        if ".nv" in facts.nightly:
            yield message(
                "explain.reason.makers-build",
                "torch {torch} is a build of NVIDIA's own (for Jetson, or in a container): wheels of {package} "
                "from the index are made for another torch. Take both from one source, or build {package} for "
                "this torch with `--no-build-isolation`.",
                torch=facts.nightly,
                package=facts.failed_file,
            )
        elif facts.nightly:
            yield message(
                "explain.reason.nightly",
                "torch {torch} is a nightly: compiled packages are made for releases. Take a release of torch, the one "
                "that {package} is made for, in a new environment.",
                torch=facts.nightly,
                package=facts.failed_file,
            )


def _made_for(facts: TextFacts) -> Iterator[Message]:
    """A build whose own name tells the torch: another than the one beside it, or the very one, and it still fails."""
    if facts.made_for is None or facts.torch is None:
        return
    if version_key(facts.made_for[1]) == version_key(facts.torch.version)[:2]:
        if facts.is_of_loading:
            yield message(
                "explain.reason.made-for-this",
                "{build} is by its name the build for torch {made} already, so the same again does not help. What "
                "can differ: the C++ ABI in the name (cxx11abiTRUE or FALSE; torch._C._GLIBCXX_USE_CXX11_ABI says "
                "torch's), the CUDA, or another torch that is loaded; or that file was built wrongly: take "
                "another release of it, or build it here with `--no-build-isolation`.",
                build=facts.made_for[0],
                made=facts.made_for[1],
            )
    else:
        yield message(
            "explain.reason.made-for",
            "{build} is compiled for torch {made}, and {torch} is there: take its build for torch {right}, or that "
            "torch.",
            build=facts.made_for[0],
            made=facts.made_for[1],
            torch=facts.torch.text,
            right=".".join(facts.torch.version.split(".")[:2]),
        )


def _companions(facts: TextFacts) -> Iterator[Message]:
    named = dict.fromkeys((*facts.companions, *((facts.failed_file,) if facts.failed_file == "vllm" else ())))
    for package in named:
        for torch in facts.torches:
            if made := releases_for(package, torch):
                yield message(
                    "explain.reason.companion",
                    "For torch {torch} these releases of {package} were made: {releases}.",
                    torch=torch,
                    package=package,
                    releases=", ".join(made),
                )


def _library(facts: TextFacts) -> Iterator[Message]:
    """A CUDA library of another major version than torch's belongs to another package."""
    torch = facts.torch
    if torch and facts.library_cuda and is_other_makers(torch):
        yield message(
            "explain.reason.library-nvidia",
            "{library} is of NVIDIA's CUDA, {torch} is not: the package that wants it was made for NVIDIA cards.",
            library=facts.library,
            torch=torch.text,
        )
        return
    cuda = cuda_of(torch.tag) if torch and torch.tag and not is_other_makers(torch) else None
    if not facts.library_cuda or cuda is None or version_key(cuda)[0] == facts.library_cuda or torch is None:
        return
    owner = facts.package if facts.package not in NOT_OWNERS else ""
    yield message(
        "explain.reason.library-of" if owner else "explain.reason.library",
        package=owner,
        library=facts.library,
        major=facts.library_cuda,
        torch=torch.text,
    )


def _glibc(facts: TextFacts, matrix: Matrix) -> Iterator[Message]:
    """A C library that is older than a wheel's name, or torch's newer wheels, ask for."""
    there = version_key(facts.glibc)
    builds = [build for build in matrix.builds if build.platform == _OF_GLIBC and build.min_glibc and build.advertised]
    newest = max((build.min_glibc or "" for build in builds), key=version_key)
    wants = facts.wants_glibc or newest
    fits = [build.torch for build in builds if version_key(build.min_glibc or "") <= there]
    if facts.glibc and there < version_key(wants) and fits:
        yield message(
            "explain.reason.glibc",
            "The text's system has glibc {there}, and the wheel, or torch after {last}, needs {wants}. No other Python "
            "changes that, and glibc is not to be replaced: take a wheel for the older glibc (torch {last} has one), a "
            "newer system, or a container.",
            there=facts.glibc,
            wants=wants,
            last=max(fits, key=version_key),
        )


def _memory(facts: TextFacts) -> Iterator[Message]:
    """What is larger than the card in one piece fits into no emptied card."""
    asked, total = facts.memory or (0, 0)
    if asked > total:
        yield message(
            "explain.reason.one-piece",
            "{asked} GiB were asked for in one piece, and the card has {total} GiB: closing other programs "
            "cannot help; "
            "a smaller size, length or batch can, and attention that saves memory (flash attention, xformers).",
            asked=asked,
            total=total,
        )
    if facts.held:
        number, held, whole = facts.held
        yield message(
            "explain.reason.held",
            "Another process ({number}) holds {held} of the card's {whole} GiB: end it, wait for it, or take "
            "another card first (`nvidia-smi`); smaller settings come after that.",
            number=number,
            held=held,
            whole=whole,
        )


def _conflicts(facts: TextFacts) -> Iterator[Message]:
    """Several lines of pip's report: an answer tells of one of them."""
    pins = (conflict.partition(" → torch==") for conflict in facts.conflicts)
    asked = {name: pin.split()[0] for name, _, pin in pins if pin}
    if len(asked) > 1 and len(set(asked.values())) == 1:
        yield message(
            "explain.reason.one-torch",
            "{names} all ask for torch {torch}: putting that one back (with its torchvision and torchaudio) fits them "
            "all; another release of one of them does not.",
            names=", ".join(asked),
            torch=next(iter(asked.values())),
        )
    if len(facts.conflicts) > 1:
        yield message(
            "explain.reason.conflicts",
            "pip names {count} conflicts, each as package → what it asks for (what is there): {list}",
            count=len(facts.conflicts),
            list="; ".join(facts.conflicts[:_MOST_CONFLICTS]),
        )
