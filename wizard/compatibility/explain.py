"""Says a verdict: as a document, why it is not the newest release, why another build was not chosen.

Says a verdict: the `pick --json` document, and why it is not the newest release.

Shapes and sentences only; the verdict is taken as it is. The text table is `wizard/cli/pick.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wizard.compatibility.data.ordering import CPU, cuda_of, version_key
from wizard.compatibility.model import SCHEMA, Candidate, Reason, Verdict
from wizard.compatibility.other_makers import card_document
from wizard.machine.model import Machine
from wizard.model.messages import Message, joined, message, system_language, text

_MOST_NAMED = 6

# Why another build was not chosen: the first true reason, for those that do not fit and for those that do.
#
# And the CUDA numbers that people meet: the driver's, the toolkit's, the build's. They differ, and that is normal.


def why_not(candidate: Candidate, verdict: Verdict) -> Message | None:
    """None for the best itself."""
    best = verdict.best
    if candidate.reasons:
        return candidate.reasons[0].message
    if best is None or (candidate.torch, candidate.variant) == (best.torch, best.variant):
        return None
    if candidate.variant == CPU and best.variant != CPU:
        return message("plan.why.cpu")
    if version_key(candidate.torch) < version_key(best.torch):
        return message("plan.why.older", best=best.torch)
    return message("plan.why.lower-cuda", best=cuda_of(best.variant) or "")


def cuda_numbers(machine: Machine, verdict: Verdict) -> Iterator[Message]:
    """Said only where there are two numbers to confuse."""
    driver, best = machine.driver, verdict.best
    cuda = cuda_of(best.variant) if best else None
    if cuda and driver and driver.cuda:
        yield message("plan.cuda.driver", driver=driver.cuda, cuda=cuda)
    for toolkit in machine.toolkits[:1]:
        yield message("plan.cuda.toolkit", toolkit=toolkit.version)


@dataclass(frozen=True, slots=True)
class Rejection:
    """Builds of one release that share their weightiest reason."""

    variants: tuple[str, ...]
    reason: Reason


def pick_document(verdict: Verdict, machine_name: str | None = None, language: str | None = None) -> dict[str, Any]:
    """The contract of docs/architecture.md. `machine_name`: the file's name, when several machines were asked about."""
    language = language or system_language()
    update = verdict.after_driver_update
    document: dict[str, Any] = {"schema": SCHEMA}
    if machine_name is not None:
        document["machine"] = machine_name
    document["best"] = _best(verdict.best)
    document["after_driver_update"] = (
        {"driver": update.driver, "torch": update.torch, "variant": update.variant} if update else None
    )
    document["confidence"] = verdict.best.confidence if verdict.best else None
    document["candidates"] = [_candidate(candidate, language) for candidate in verdict.candidates]
    document["other_makers"] = [card_document(card, language) for card in verdict.others]
    document["notices"] = [text(notice, language) for notice in verdict.notices]
    return document


def _best(best: Candidate | None) -> dict[str, Any] | None:
    if best is None:
        return None
    return {
        "torch": best.torch,
        "variant": best.variant,
        "python": best.python,
        "torchvision": best.torchvision,
        "torchaudio": best.torchaudio,
    }


def _candidate(candidate: Candidate, language: str | None) -> dict[str, Any]:
    return {
        "torch": candidate.torch,
        "variant": candidate.variant,
        "fits": candidate.fits,
        "reasons": [{"code": reason.code, "text": text(reason.message, language)} for reason in candidate.reasons],
        "python": candidate.python,
        "pythons": list(candidate.pythons),
        "advertised": candidate.advertised,
        "confidence": candidate.confidence,
    }


def variant_name(variant: str, language: str | None = None) -> str:
    """`CUDA 12.6`, or the word for the CPU build."""
    return text(message("plan.cpu", "CPU"), language) if variant == CPU else f"CUDA {cuda_of(variant)}"


def newest_release(verdict: Verdict) -> str | None:
    return max((candidate.torch for candidate in verdict.candidates), key=version_key, default=None)


def newest_rejections(verdict: Verdict) -> tuple[Rejection, ...]:
    """Why no CUDA build of the newest release was taken; empty when one was."""
    newest, best = newest_release(verdict), verdict.best
    if best and best.torch == newest and best.variant != CPU:
        return ()
    alike = [
        one
        for one in verdict.candidates
        if best and one.torch == newest and (one.variant == CPU) == (best.variant == CPU)
    ]
    if best and best.torch != newest and any(one.fits and one.advertised for one in alike):
        return ()  # what a person named chose another one
    grouped: dict[tuple[str, frozenset[Any]], Rejection] = {}
    for candidate in verdict.candidates:
        if candidate.torch != newest or candidate.fits or not candidate.reasons:
            continue
        reason = candidate.reasons[0]
        # The tag is in the heading: reasons that differ in nothing else are one.
        key = (reason.code, frozenset(_shared(reason.params).items()))
        before = grouped.get(key)
        grouped[key] = Rejection((*(before.variants if before else ()), candidate.variant), reason)
    return tuple(_naming_all(rejection) for rejection in grouped.values())


def _naming_all(rejection: Rejection) -> Rejection:
    """A reason that names its build names each of the group."""
    reason = rejection.reason
    if len(rejection.variants) < 2 or "variant" not in reason.params:
        return rejection
    params = {**reason.params, "variant": _some(rejection.variants, ", ")}
    return replace(rejection, reason=replace(reason, params=params))


def _some(names: Sequence[str], comma: str) -> str:
    """Of a release that was learnt there may be as many as there ever were tags."""
    return comma.join(names[:_MOST_NAMED]) + (" …" if len(names) > _MOST_NAMED else "")


def _shared(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name != "variant"}


def why_not_newest(verdict: Verdict, language: str | None = None) -> str | None:
    """A paragraph, or None when the best is the newest release on the card."""
    newest, rejections = newest_release(verdict), newest_rejections(verdict)
    if newest is None or not rejections:
        return None
    same = verdict.best is not None and verdict.best.torch == newest
    is_pinned = len({candidate.torch for candidate in verdict.candidates}) == 1  # then it need not be the newest
    heading = message(f"plan.why-{'cpu' if same else 'not-asked' if is_pinned else 'not-newest'}", torch=newest)
    sentences = [text(heading, language)]
    for rejection in rejections:
        comma = text(message("plan.and", ", "), language)
        names = _some([variant_name(tag, language) for tag in rejection.variants], comma)
        words = text(rejection.reason.message, language)
        sentences.append(text(message("plan.rejection", "{builds}: {why}.", builds=names, why=words), language))
    return joined(sentences, language or system_language())


def last_series(notices: Iterable[Message]) -> int | None:
    """Return the last driver series that knows all cards; None: no end is known."""
    return min(
        (int(str(one.params["branch"])) for one in notices if one.key == "plan.notice.last-branch"), default=None
    )


def after_update(verdict: Verdict, language: str | None = None) -> str | None:
    """Return the sentence about what a newer driver would make possible; None: nothing more."""
    update = verdict.after_driver_update
    if update is None:
        return None
    build = f"{update.torch} + {variant_name(update.variant, language)}"
    last = last_series(verdict.notices)
    if last:  # "or newer" would lead beyond the last driver that knows the card
        words = message(
            "plan.after-driver-update-until",
            "With a driver from {driver} to {last}, {build} would fit.",
            driver=update.number,
            last=last,
            build=build,
        )
    else:
        words = message(
            "plan.after-driver-update",
            "With driver {driver} or newer, {build} would fit.",
            driver=update.number,
            build=build,
        )
    return text(words, language)
