"""A pasted error, answered with this computer's facts. Offline: nothing is asked of any source.

One file: each answer is held against the text's facts, the tables and this computer in one go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wizard.app.pages.check import driver_advice
from wizard.app.use.network import load_network
from wizard.compatibility.cards import graphics_cards
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import CPU, version_key
from wizard.compatibility.model import Verdict
from wizard.compatibility.other_makers import card_words
from wizard.diagnose.driver_guide import DriverGuide
from wizard.diagnose.known_errors.fact_checks import JudgedFacts, driver_suffices, judge_facts
from wizard.diagnose.known_errors.facts import TextFacts, parse_facts
from wizard.diagnose.known_errors.match import Explanation, explain
from wizard.diagnose.known_errors.pasted import EXPLAIN_EMPTY
from wizard.environment.layout import is_conda_prefix
from wizard.machine.model import Driver, Machine
from wizard.model.errors import UsageError
from wizard.model.messages import Message, gigabytes, message, text
from wizard.project.packages.rows import packages_by_module
from wizard.run.model import Facts

SCHEMA = 1
_MOST_SHOWN = 3
_OTHER = "explain.reason.other-"
_OWNER = "explain.reason.owner"
_CPU_BUILD = ("torch-cpu-build", "cpu-build-seen")  # without a card, it is the right one
_TAKE_A_CUDA_BUILD = (*_CPU_BUILD, "torch-replaced", "xformers-cpu-torch", "arm-cpu-build", "uv-cpu-build")
_OF_NO_CARD = ("explain.fix-mac", "explain.fix-other-maker")
_ASKS_FOR_NVIDIA = (
    *("no-nvidia-driver", "no-cuda-gpus", "is-available-false", "gpu-not-used", "cuda-missing-said", "cpu-build-said"),
    *("webui-no-gpu", "webui-device", "driver-insufficient", "cuda-init-cut", "uv-cpu-build", "nvml-not-found"),
    *("build-from-source-torch", "smi-not-found"),
)
_MADE_FOR_NVIDIA = (
    *("build-from-source-torch", "companion-build", "triton-missing", "vllm-device-type", "bitsandbytes"),
    *("nvcc-not-found", "nvcc-at-run-time", "smi-not-found", "xformers-operator"),
    "deepspeed-cuda-home",
)
_DRIVER_OF_WINDOWS = (
    *("libcuda-missing", "smi-not-found", "smi-nocomm", "nvidia-module-missing", "nvml-not-found"),
    *("no-nvidia-driver", "apt-nvidia-deps", "apt-nvidia-missing", "dkms-build", "secureboot"),
)
_NOT_SAID_WHY = ("gpu-not-used", "is-available-false", "cuda-missing-said", "webui-no-gpu", "device-name-invalid")
_SEES_NO_CARD = (*_NOT_SAID_WHY, "no-nvidia-driver", "no-cuda-gpus", "cuda-init-cut", "libcuda-missing")
_ABOUT_A_BUILD = ("torch", "import")
_NO_VERSION = ("no-version", "no-version-listed", "no-version-suffix", "no-version-tag", "uv-no-solution-torch")
_NO_BUILD = "explain.reason.no-tag"  # then neither the Python nor the index is what fails
_HAS_CODE = "explain.reason.has-code"  # then not torch lacks it, but a package beside it
_OF_A_PAIR, _AGREE = ("torchvision-nms", "extension-abi"), {"explain.reason.pair-fits", "explain.reason.made-for-this"}
_OF_A_TAG, _NEAREST = ("no-version-tag", "no-version-suffix", "uv-version-tag"), "explain.reason.nearest-build"
_DRIVER_SHORT = "explain.reason.driver-short"
_LACKS = ("module-missing", "kind-module", "no-module-companion")
_CONTAINER = message(
    "explain.reason.container",
    "A container has the driver of its host, and only the cards that it was started with (`docker run --gpus "
    "all`; in a compose file the devices under deploy): [the driver's own tool|nvidia-smi] must show the card in "
    "there.",
)


@dataclass(frozen=True, slots=True)
class ExplainResult:
    """`found`: the best first, at most three; empty for a text that holds no known error. `reasons`: what the tables
    say to the facts that the text names, and what to ask where it names none. `environment`: the folder that the text
    names; None where it names none, or none of this computer. `package`: what it lacks, by the tables; '' where these
    know none, for a name that is guessed may be anybody's."""

    found: tuple[Explanation, ...]
    facts: tuple[Message, ...] = ()
    guide: DriverGuide | None = None
    reasons: tuple[Message, ...] = ()
    environment: Path | None = None

    @property
    def package(self) -> str:
        return str(self.found[0].params.get("package", "")) if self.found and self.found[0].id in _LACKS else ""


def answer(words: str, look: Callable[[], tuple[Facts, Verdict, Matrix]]) -> ExplainResult:
    """`look` is only called when the answer needs facts. Raises UsageError `explain-empty`."""
    if not words.strip():
        raise UsageError(EXPLAIN_EMPTY)
    found = with_package(explain(words)[:_MOST_SHOWN])
    named = parse_facts(words)
    wanted = found[0].error.facts if found else ()
    if not wanted and not any(one.error.wants_card for one in found):
        reasons = _reasons(judge_facts(named, load_matrix()), found, named)
        found = by_the_tables(by_the_texts_facts(found, named), reasons)
        return ExplainResult(found, reasons=reasons, environment=_environment(named.environment))
    facts, verdict, matrix = look()
    guide = driver_advice(facts.machine, matrix, verdict.after_driver_update) if "driver-guide" in wanted else None
    reasons = _reasons(judge_facts(named, matrix, facts.machine), found, named)
    is_of_another = _is_of_another(reasons, named, facts)
    found = by_the_tables(by_the_texts_facts(found, named), reasons)
    if found[0].id == "driver-insufficient" and driver_suffices(named, matrix):
        other = replace(found[0], reason="explain.cause-driver-suffices", advice="explain.fix-driver-suffices")
        found = (other, *found[1:])
    if not facts.machine.nvidia_gpus:
        offered = next((card.maker for card in verdict.others if card.offers), "")
        found = tuple(_without_a_card(one, named, offered) for one in found)
    elif unknown := _unknown_card(facts.machine, verdict, matrix):
        found = tuple(_for_unknown_card(one, unknown) for one in found)
    environment = _environment(named.environment)
    # A failure on a card is not of a computer without one, unless the text's environment is here.
    is_cpu = verdict.best is not None and verdict.best.variant == CPU
    fits = not is_of_another and (not is_cpu or bool(environment) or found[0].id in _CPU_BUILD)
    told = tuple(_facts(wanted, facts, verdict, matrix, fits))
    return ExplainResult(found, told, guide, reasons, environment)


def _without_a_card(one: Explanation, named: TextFacts, offered: str) -> Explanation:
    """What helps with a card alone, apart: here it would bring a build that cannot compute.

    `offered`: whose card is here that has a PyTorch of its own; '': none. What ran on one of AMD stays as it is."""
    has_run = one.error.ran_on_card
    is_of_amd = named.shows_amd or "HIP " in one.line
    if not one.error.wants_card or one.advice in _OF_NO_CARD or (has_run and is_of_amd):
        return one
    advice = "explain.fix-text-of-card" if has_run or _shows_card(named) else "explain.fix-no-card"
    if offered:
        return replace(one, params={**one.params, "maker": offered}, advice=f"{advice}-offer", with_card=one.fix)
    return replace(one, advice=advice, with_card=one.fix)


def _unknown_card(machine: Machine, verdict: Verdict, matrix: Matrix) -> str:
    """Return the name of this computer's card where the tables have none of its cards, and so the CPU build alone."""
    cards = graphics_cards(machine, matrix)
    is_cpu = verdict.best is not None and verdict.best.variant == CPU
    return cards[0].name if is_cpu and cards and all(one.capability is None for one in cards) else ""


def _for_unknown_card(one: Explanation, card: str) -> Explanation:
    """Advice to take a CUDA build, apart: here the tables know none that would compute."""
    if one.id not in _TAKE_A_CUDA_BUILD or one.advice in _OF_NO_CARD:
        return one
    return replace(one, params={**one.params, "gpu": card}, advice="explain.fix-unknown-card", with_card=one.fix)


def with_package(found: tuple[Explanation, ...]) -> tuple[Explanation, ...]:
    """Name the package that brings the module which is missing, where a row of the tables has it."""
    if not found or found[0].id not in _LACKS:
        return found
    first, module = found[0], found[0].params["name"]
    params = {**first.params, "package": packages_by_module().get(module, "")}
    if first.id == "no-module-companion" or not params["package"]:  # whose own words name it, or nobody knows it
        return (replace(first, params=params), *found[1:])
    known = replace(first, params=params, reason="explain.cause-module-of", advice="explain.fix-module-of")
    return (known, *found[1:])


def by_the_texts_facts(found: tuple[Explanation, ...], named: TextFacts) -> tuple[Explanation, ...]:
    """The first answer in other words where the figures and names of the text contradict the row's own."""
    if not found:
        return found
    if found[0].id == "oom" and named.free and _has_room(*named.free):
        other = replace(found[0], reason="explain.cause-card-has-room", advice="explain.fix-card-has-room")
        return (other, *found[1:])
    if found[0].id == "no-version-listed" and (last := _newest_below(named)):
        params = {**found[0].params, "last": last}
        newer = replace(found[0], params=params, reason="explain.cause-newer-listed", advice="explain.fix-newer-listed")
        return (newer, *found[1:])
    asks = found[0].id in _CPU_BUILD or (found[0].id in _ASKS_FOR_NVIDIA and not named.has_other_build)
    if named.os == "macos" and (asks or found[0].id in _MADE_FOR_NVIDIA):
        return (replace(found[0], reason="explain.cause-mac", advice="explain.fix-mac"), *found[1:])
    if named.is_wsl:  # what else the text shows must not send a Linux driver into WSL, which breaks it
        found = (found[0], *(one for one in found[1:] if one.id not in _DRIVER_OF_WINDOWS))
    if named.is_wsl and found[0].id in _DRIVER_OF_WINDOWS:
        inside = "explain.error.no-driver-wsl"
        return (replace(found[0], reason=f"{inside}.cause", advice=f"{inside}.fix"), *found[1:])
    if asks and (named.shows_amd or named.shows_intel) and not named.shows_nvidia:
        other = replace(found[0], reason="explain.cause-other-maker", advice="explain.fix-other-maker")
        return (other, *found[1:])
    if found[0].id in _NOT_SAID_WHY and named.torch and named.torch.tag == CPU and not named.is_of_several:
        seen, params = "explain.error.cpu-build-seen", {"version": f"{named.torch.version}+{CPU}"}
        return (replace(found[0], params=params, reason=f"{seen}.cause", advice=f"{seen}.fix"), *found[1:])
    return found


def by_the_tables(found: tuple[Explanation, ...], reasons: tuple[Message, ...]) -> tuple[Explanation, ...]:
    """The first answer in other words where the tables know better than its row."""
    said = {one.key for one in reasons}
    if found and found[0].id == "no-kernel-image" and _HAS_CODE in said:
        other = replace(found[0], reason="explain.cause-other-package", advice="explain.fix-other-package")
        return (other, *found[1:])
    if found and found[0].id in _OF_A_PAIR and said & _AGREE:
        agree = replace(found[0], reason="explain.cause-names-agree", advice="explain.fix-names-agree")
        return (agree, *found[1:])
    if found and found[0].id in _NOT_SAID_WHY and _DRIVER_SHORT in said:
        short = replace(found[0], reason="explain.cause-driver-short", advice="explain.fix-driver-short")
        return (short, *found[1:])
    if found and found[0].id in _OF_A_TAG and _NEAREST in said:
        python = replace(found[0], reason="explain.cause-no-such-python", advice="explain.fix-no-such-python")
        return (python, *found[1:])
    if found and found[0].id in _NO_VERSION and _NO_BUILD in said:
        other = replace(found[0], reason="explain.cause-no-such-build", advice="explain.fix-no-such-build")
        return (other, *found[1:])
    return found


def _newest_below(named: TextFacts) -> str:
    """The newest version that the index listed, where all are older than the one that was asked for."""
    last = max(named.listed, key=version_key, default="")
    is_newer = named.wanted and last and version_key(named.wanted.version) > version_key(last.partition("+")[0])
    return last if is_newer else ""


def _has_room(asked: float, free: float) -> bool:
    """Far more than asked for, in GiB: a little more may be lost to rounding and to the driver."""
    return free >= 2 * asked and free - asked >= 1


def _is_of_another(reasons: tuple[Message, ...], named: TextFacts, facts: Facts) -> bool:
    """Whether the text shows a computer that is not this one: a build that fits here is no advice there."""
    return (_shows_card(named) and not facts.machine.nvidia_gpus) or any(one.key.startswith(_OTHER) for one in reasons)


def _shows_card(named: TextFacts) -> bool:
    return bool(named.shows_nvidia or named.capability or named.cards or named.driver or named.driver_cuda)


def _environment(named: str) -> Path | None:
    """Return the environment that a text names, if it is here."""
    prefix = Path(named)
    return prefix if named and ((prefix / "pyvenv.cfg").is_file() or is_conda_prefix(prefix)) else None


def _reasons(judged: JudgedFacts, found: tuple[Explanation, ...], named: TextFacts) -> tuple[Message, ...]:
    """What the tables say, how sure they are and from which facts, and the one question that would say more."""
    said = judged.reasons if found or named.is_of_torch else ()
    if any(not one.key.startswith((_OTHER, _OWNER)) for one in said):  # these two rest on nothing more
        facts = ", ".join(judged.used)
        rests = (
            message("explain.rests-on", facts=facts),
            message(f"explain.sureness.{judged.open or judged.sureness}"),
        )
        said = (*said, *rests) if facts else said
    if found and found[0].error.rank <= 0 and named.called_by:
        said = (*said, _called_by(named.called_by))
    if found and found[0].id in _SEES_NO_CARD and named.is_in_container and not named.shows_amd:
        said = (*said, _CONTAINER)
    is_about_a_build = bool(found) and found[0].error.area in _ABOUT_A_BUILD
    said = (*said, *_places(named)) if is_about_a_build else said
    is_open = is_about_a_build and (found[0].error.area == "import" or "best" in found[0].error.facts)
    return (*said, judged.settles) if judged.settles and (judged.reasons or is_open) else said


def _called_by(package: str) -> Message:
    return message(
        "explain.reason.called-by",
        "The last file of the trace that is neither torch's nor Python's own is one of {package}.",
        package=package,
    )


def _places(named: TextFacts) -> Iterator[Message]:
    """Where the advice is to be followed, for applications that bring their own Python."""
    if named.environment.startswith("/nix/store"):
        yield message(
            "explain.reason.nix",
            "The text is of an environment of Nix, into which nothing can be installed: change its flake or "
            "package set, or use an environment of your own (`python -m venv`) beside it.",
        )
    if named.is_packed:
        yield message(
            "explain.reason.packed",
            "The text is of an application that carries its own PyTorch, into which nothing can be installed: take a "
            "newer release of it, or run it from its source in an environment.",
        )
    elif named.own_python:
        yield message(
            "explain.reason.own-python",
            "The application has a Python of its own: install into that one (“`{python} -m pip install …`”).",
            python=f"{named.own_python}\\python.exe",
        )


def _facts(wanted: tuple[str, ...], facts: Facts, verdict: Verdict, matrix: Matrix, fits: bool) -> Iterator[Message]:
    """`fits`: whether the build that is best here is advice for the text's computer."""
    machine = facts.machine
    if "card" in wanted:
        cards = graphics_cards(machine, matrix)
        if cards:
            told = (f"{one.name} ({one.capability})" if one.capability else one.name for one in cards)
            yield message("explain.fact.card", cards=", ".join(told))
        elif verdict.others:
            yield from (words for other in verdict.others for words in card_words(other))
        else:
            yield message("explain.fact.no-card")
    if "driver" in wanted:
        yield _driver(machine.driver)
    if "best" in wanted and fits:
        yield from _best(verdict)
    if "disk" in wanted:
        for volume in machine.volumes:
            if volume.free_bytes is not None:
                yield message("explain.fact.disk", place=volume.path, free=gigabytes(volume.free_bytes))
    if "network" in wanted:
        yield _network()


def _driver(driver: Driver | None) -> Message:
    if driver is None:
        return message("explain.fact.no-driver")
    if driver.cuda is None:
        return message("explain.fact.driver-alone", driver=driver.version)
    return message("explain.fact.driver", driver=driver.version, cuda=driver.cuda)


def _best(verdict: Verdict) -> Iterator[Message]:
    best, update = verdict.best, verdict.after_driver_update
    if best is None:
        yield message("explain.fact.best-none")
        return
    yield message("explain.fact.best", build=f"torch {best.torch}+{best.variant}", python=best.python or "?")
    if update:
        yield message("explain.fact.after-update", driver=update.number, build=f"torch {update.torch}+{update.variant}")


def _network() -> Message:
    known = load_network()
    return message(
        "explain.fact.network",
        proxy=message(f"explain.fact.network-{known.mode.value}"),
        certificates=known.certificate or message("explain.fact.network-system-store"),
    )


def answer_document(given: ExplainResult, language: str | None = None) -> dict[str, Any]:
    """`explain --json`."""
    guide = given.guide
    return {
        "schema": SCHEMA,
        "known": bool(given.found),
        "errors": [
            {
                "id": one.id,
                "area": one.error.area,
                "line": one.line,
                "cause": text(one.cause, language),
                "fix": text(one.fix, language),
                "fix_with_card": text(one.with_card, language) if one.with_card else None,
                "source": one.error.source,
                "status": one.error.status,
            }
            for one in given.found
        ],
        "from_text": [text(reason, language) for reason in given.reasons],
        "facts": [text(fact, language) for fact in given.facts],
        "driver": None
        if guide is None
        else {
            "branch": guide.branch,
            "notes": [text(note, language) for note in guide.notes],
            "install": list(guide.install),
            "hold": list(guide.hold),
            "unhold": list(guide.unhold),
            "page": guide.page,
        },
    }
