"""What was asked for narrows the answer; what nothing can meet is a usage error."""

from __future__ import annotations

import pytest

from tests.compatibility.machines import machine
from tests.compatibility.test_named_machines import build_of, codes, find, verdict_of
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import canonical, check_choices, nearest_python, resolve
from wizard.model.errors import ExitStatus, UsageError

CARD = "gtx-1660-ti-windows-546"


@pytest.mark.parametrize(
    ("choices", "code"),
    [
        (Choices(torch="9.9.9"), "no-such-torch"),
        (Choices(torch="latest"), "no-such-torch"),
        (Choices(variant="cu999"), "no-such-variant"),
        (Choices(variant="rocm"), "no-such-variant"),
        (Choices(python="2.7"), "no-build-for-python"),
        (Choices(python="3.99"), "no-build-for-python"),
        (Choices(python="three"), "no-build-for-python"),
    ],
)
def test_nonsense_is_a_usage_error_with_words(choices: Choices, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        resolve(machine(CARD), load_matrix(), choices)
    assert (caught.value.code, caught.value.exit_status) == (code, ExitStatus.USAGE)
    for language in ("en", "zh_CN"):
        described = caught.value.to_json(language)
        assert described["summary"]
        assert described["hint"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (Choices(torch="2.10"), Choices(torch="2.10.0")),
        (Choices(torch=" v2.14.1 "), Choices(torch="2.14.1")),
        (Choices(torch="2.15.0.0"), Choices(torch="2.15.0")),
        (Choices(torch="2.14.1", variant="CU126"), Choices(torch="2.14.1", variant="cu126")),
        (Choices(variant=" CPU"), Choices(variant="cpu")),
        (Choices(python="3.12.4"), Choices(python="3.12")),
        (Choices(python="3.12"), Choices(python="3.12")),
    ],
)
def test_other_spellings_of_the_same_wish(given: Choices, meant: Choices) -> None:
    assert canonical(given) == meant
    assert canonical(meant) == meant
    check_choices(given, load_matrix())
    assert resolve(machine(CARD), load_matrix(), given) == resolve(machine(CARD), load_matrix(), meant)


@pytest.mark.parametrize("text", ["2.10rc1", "1!2.10", "2.10.post1", "9" * 5000, "two", "2.15.0.1"])
def test_what_is_another_release_stays_so(text: str) -> None:
    assert canonical(Choices(torch=text)) == Choices(torch=text)
    with pytest.raises(UsageError):
        check_choices(Choices(torch=text), load_matrix())
    with pytest.raises(UsageError):
        check_choices(Choices(python="3.12rc1" if text == "two" else text), load_matrix())


def test_only_what_was_asked_for_is_judged() -> None:
    verdict = verdict_of(CARD, torch="2.13.0")
    assert {candidate.torch for candidate in verdict.candidates} == {"2.13.0"}
    assert build_of(verdict.best) == "2.13.0+cu126"
    assert build_of(verdict_of(CARD, variant="cu118").best) == "2.7.1+cu118"
    assert build_of(verdict_of(CARD, variant="cpu").best) == "2.15.0+cpu"


def test_a_pair_that_was_never_published_says_so() -> None:
    verdict = verdict_of(CARD, torch="2.7.1", variant="cu132")
    assert verdict.best is None
    assert codes(verdict, "2.7.1", "cu132") == ["not-published"]


def test_an_older_python_takes_an_older_build() -> None:
    assert build_of(verdict_of(CARD, python="3.8").best) == "2.4.1+cu124"
    assert build_of(verdict_of(CARD, python="3.10").best) == "2.14.1+cu126"
    verdict = verdict_of("rtx-5070-ti-windows-581", python="3.10")
    assert build_of(verdict.best) == "2.14.1+cu132"
    assert codes(verdict, "2.15.0", "cu132") == ["python-unsupported"]


def test_an_experimental_python_is_offered_on_request_only() -> None:
    assert build_of(verdict_of("gtx-970-windows-552", python="3.15").best) == "2.15.0+cpu"
    verdict = verdict_of("gtx-970-windows-552", python="3.15", include_unadvertised=True)
    assert build_of(verdict.best) == "2.14.1+cu126"
    assert "3.15" in find(verdict, "2.14.1", "cu126").pythons
    assert "3.15" not in find(verdict_of("gtx-970-windows-552"), "2.14.1", "cu126").pythons


def test_an_unadvertised_build_is_offered_on_request_only() -> None:
    name = "v100-linux-580"
    assert not [c for c in verdict_of(name).candidates if not c.advertised]
    asked = verdict_of(name, variant="cu129")
    assert build_of(asked.best) == "2.10.0+cu129"
    everything = verdict_of(name, include_unadvertised=True)
    assert not find(everything, "2.13.0", "cu129").advertised
    assert codes(everything, "2.15.0", "cu134")[0] == "not-published"


def test_companions_and_bounds() -> None:
    name = "no-gpu-linux"
    with_315 = verdict_of(name, python="3.15").best
    assert with_315 is not None
    assert (with_315.torchvision, with_315.torchaudio) == ("0.29.2", None)
    assert find(verdict_of(name), "2.2.2", "cu121").numpy == "<2"
    assert find(verdict_of(name), "2.3.1", "cu121").numpy == ""
    assert find(verdict_of(name, python="3.8"), "2.3.1", "cu121").numpy == "<2"
    assert find(verdict_of(CARD), "2.4.0", "cu124").numpy == "<2"
    assert find(verdict_of(CARD), "2.4.1", "cu124").numpy == ""


@pytest.mark.parametrize(
    ("pythons", "nearest"),
    [
        (("3.10", "3.12", "3.14"), "3.12"),
        (("3.6", "3.7", "3.9"), "3.9"),
        (("3.13", "3.14"), "3.13"),
        ((), None),
    ],
)
def test_nearest_python(pythons: tuple[str, ...], nearest: str | None) -> None:
    assert nearest_python(pythons, "3.12") == nearest


def test_torchaudio_goes_with_the_cuda_that_it_was_made_for() -> None:
    """Beside torch 2.15.0+cu132 torchaudio 2.11.0, the last there is, ends with an error as it is imported."""
    matrix, card = load_matrix(), machine("h200-linux-580")
    verdict = resolve(card, matrix, Choices())
    assert verdict.best
    assert (verdict.best.variant, verdict.best.torchaudio) == ("cu132", None)
    asked = resolve(card, matrix, Choices(companions=("torchvision", "torchaudio"))).best
    assert asked
    assert (asked.torch, asked.variant, asked.torchaudio) == ("2.15.0", "cu130", "2.11.0")
    of_it = resolve(card, matrix, Choices(torch="2.11.0")).best
    assert of_it
    assert (of_it.variant, of_it.torchaudio) == ("cu130", "2.11.0")
    older = resolve(card, matrix, Choices(torch="1.13.1")).best
    assert older is None or older.torchaudio == "0.13.1"
