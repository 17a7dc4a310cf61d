"""The grid, the report and the lines for afterwards: arrangements of values, without a window."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest

from tests.app import values
from tests.gui import fake_session, fake_tools
from wizard.app.pages.after_setup import SNIPPET
from wizard.app.pages.build import arrange, picked_for, pythons_of, without_card, worth_showing
from wizard.app.pages.report import DiagnosisView, broken_chain, most_telling, read_report, repair_build
from wizard.app.pages.requirements import requirements
from wizard.app.pages.sources import rows_of
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices, Reason, Verdict
from wizard.environment.model import EnvironmentKind
from wizard.machine.machine_file import read_machine_file
from wizard.machine.model import Driver, Gpu, Machine
from wizard.model.messages import LANGUAGES, Message, catalogue, in_each, text
from wizard.sources.model import Availability, UserSettings


def test_the_grid_has_new_releases_first_and_cpu_last() -> None:
    grid = arrange(values.VERDICT.candidates)
    assert grid.releases[:2] == ("2.15.0", "2.14.1")
    assert grid.variants == ("cu132", "cu130", "cu129", "cu128", "cu126", "cu124", "cu118", "cpu")
    best = grid.at(grid.releases.index("2.14.1"), grid.variants.index("cu126"))
    assert best == values.BEST
    assert grid.at(0, grid.variants.index("cu118")) is None


def test_releases_are_compared_as_versions() -> None:
    rows = [values.candidate(version, "cpu") for version in ("2.9.1", "2.10.0", "2.6.0")]
    assert arrange(rows).releases == ("2.10.0", "2.9.1", "2.6.0")


def test_a_choice_that_cannot_be_had_gives_way_to_the_best() -> None:
    assert picked_for(values.VERDICT, Choices(torch="2.13.0", variant="cu126")) == values.candidate("2.13.0", "cu126")
    forced = picked_for(values.VERDICT, Choices(torch="2.15.0", variant="cu132"))
    assert forced is not None
    assert (forced.variant, forced.fits) == ("cu132", False), "asked for by name: only the driver speaks against it"
    absent = values.candidate("2.15.0", "cu92", Reason("not-published", {}))
    with_absent = replace(values.VERDICT, candidates=(*values.VERDICT.candidates, absent))
    assert picked_for(with_absent, Choices(torch="2.15.0", variant="cu92")) == values.BEST
    assert picked_for(replace(values.VERDICT, best=None), Choices()) is None


def test_pythons_newest_first() -> None:
    assert pythons_of(values.VERDICT) == ("3.14", "3.13", "3.12", "3.11", "3.10")


def test_the_first_program_is_python() -> None:
    compile(SNIPPET, "snippet", "exec")


def test_a_report_is_read_and_one_of_the_future_too() -> None:
    said = {"key": "verify.x", "params": {"a": 1}, "text": "t"}
    view = read_report(
        {
            "verification": {
                "ok": False,
                "gpu_ok": False,
                "headline": said,
                "torch": "2.15.0",
                "new": 1,
                "checks": [{"name": "zeros", "state": "failed", "message": said, "seconds": 1}, "odd"],
            },
            "diagnosis": {"code": "no-driver", "cause": said, "repair": "bare text", "evidence": ["e"]},
            "plan": {"engine": "venv"},
            "machine": {"os": "linux"},
        }
    )
    assert view.verified
    assert view.headline == Message("verify.x", {"a": 1, "text": "t"}, "{text}")
    assert [check.name for check in view.checks] == ["zeros"]
    assert view.diagnosis is not None
    assert view.diagnosis.repair == Message("flow.plain", {"text": "bare text"})
    assert (view.engine, view.os) == ("venv", "linux")


def test_the_lines_that_prove_a_cause_come_before_the_others() -> None:
    lines = ("zeros: E: no", "kernel: E: no", "torch 2.15.0", "NVIDIA driver: none", "nvidia card: X", "intel card: Y")

    def told(code: str, *evidence: str) -> tuple[str, ...]:
        return most_telling(DiagnosisView(code, None, None, evidence))

    assert told("no-driver", *lines) == (lines[0], lines[3], lines[4])
    assert told("driver-too-old", *lines) == (lines[0], lines[3], lines[4])
    assert told("cpu-build-on-gpu-machine", *lines[2:]) == (lines[2], lines[3], lines[4])
    assert told("of-a-later-version", *lines) == lines[:3]
    assert told("no-driver", "e") == ("e",)
    assert told("no-driver") == ()


def test_a_report_without_a_test_has_nothing_to_verify() -> None:
    assert not read_report({"verification": None, "status": 1}).verified
    assert not read_report({}).verified


def test_the_usual_grid_leaves_out_old_lines_and_what_was_never_published() -> None:
    absent = Reason("not-published", {"torch": "2.15.0", "variant": "cu92", "platform": "linux"})
    every = [values.candidate(f"2.{minor}.{patch}", "cu126") for minor in range(1, 16) for patch in (0, 1)]
    every += [values.candidate("2.15.1", "cu92", absent), values.candidate("1.9.0", "cu92")]
    grid = arrange(worth_showing(every))
    assert grid.releases == tuple(f"2.{minor}.1" for minor in range(15, 10, -1))
    assert grid.variants == ("cu126",)
    old = values.candidate("1.9.0", "cu92")
    assert arrange(worth_showing(every, old)).releases[-1] == "1.9.0"
    assert "cu92" in arrange(worth_showing(every, old)).variants


def test_a_card_without_nvidias_driver_is_told_before_the_build() -> None:
    machine = read_machine_file(Path(__file__).parents[1] / "data" / "machines" / "gtx-970-linux-nouveau.json")
    facts = replace(values.FACTS, machine=machine, requirements=requirements(machine, UserSettings()))
    told = without_card(facts, values.VERDICT)
    assert [[words.key for words in row] for row in told] == [["check.driver.nouveau", "check.driver.none.why"]]
    assert without_card(values.FACTS, values.VERDICT) == ()


def test_a_card_whose_driver_tells_no_name_is_named_by_the_tables() -> None:
    """As on an H100's computer that keeps the card from programs."""
    machine = Machine("linux", "x86_64", "2.39", Driver("580.159.04", None), (Gpu("nvidia", None, "10de:2330"),))
    card = requirements(machine, UserSettings(), load_matrix())[0]
    assert "H100" in text(card.fact, "en")


def test_the_usual_grid_has_the_columns_and_rows_that_hold_a_choice() -> None:
    old_driver = Reason("driver-too-old", {"need": "580", "have": "535"})
    every = [values.candidate(f"2.{minor}.0", "cu130", old_driver) for minor in range(10, 16)]
    every += [values.candidate(f"2.{minor}.0", "cu126") for minor in (9, 11, 14)]
    every += [values.candidate(f"2.{minor}.0", "cpu") for minor in range(9, 16)]
    grid = arrange(worth_showing(every))
    assert grid.variants == ("cu126", "cpu")
    assert grid.releases == ("2.15.0", "2.14.0", "2.11.0", "2.9.0"), "the newest, for which people look, and what fits"
    unfit = arrange(worth_showing(every[:6]))
    assert unfit.variants == ("cu130",), "nothing fits: the reasons are shown"


def test_a_source_that_is_used_has_what_is_taken_from_it() -> None:
    """It was asked for the newest build first, has it not, and an older one comes from it."""
    torch = values.PROBED_SELECTED.torch_source
    states = tuple(
        replace(state, availability=Availability.MISSING) if state.source == torch else state
        for state in values.PROBED_SELECTED.states
    )
    rows = rows_of(replace(values.PROBED_SELECTED, states=states))
    assert [row.availability for row in rows if "torch" in row.uses] == [Availability.COMPLETE]


def messages_in(value: object) -> Iterator[Message]:
    """Every sentence in a value, however deep, also those of an event or a report."""
    if isinstance(value, Message):
        yield value
        value = value.params
    elif is_dataclass(value):
        value = [getattr(value, one.name) for one in fields(value)]
    elif isinstance(value, Mapping) and {"key", "params", "text"} <= value.keys():
        yield Message.from_json(value)
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        for one in value:
            yield from messages_in(one)


def test_what_the_pictures_say_is_the_programs_own(tmp_path: Path) -> None:
    """Every key and blank is one of the program's: a sentence that it does not have cannot be shown."""
    said = [vars(values), values.place(), values.blocked(), values.preview("a-run"), vars(fake_tools)]
    for run in (True, False):
        said.append(fake_session.report(run))
    session = fake_session.FakeSession(tmp_path)
    fake_session.failed_run(fake_session.FakeRun(session, "run-1"))
    said.append([json.loads(line) for line in session.events_path("run-1").read_text().splitlines()])
    shown = list(messages_in(said))
    assert {
        "check.gpu.name_memory",
        "plan.proof.kernels",
        "environments.place.none.why",
        "verify.headline.gpu-ok",
        "diagnosis.no-kernels-for-gpu.cause",
        "doctor.cpu-build.cause",
        "truth.complete",
        "step.create.done",
        "change.environment.rattler",
    } <= {one.key for one in shown}
    catalogue.cache_clear()  # what a fixture would have put in
    for language in LANGUAGES:
        by_key = {one.key for one in shown if not one.sentence}
        assert not by_key - {in_each(en="").key} - catalogue(language).keys()
        assert all(text(one, language) for one in shown)


def test_the_programs_own_python_is_no_environment_of_the_persons() -> None:
    assert not fake_tools.environment("own", kind=EnvironmentKind.VENV, prefix=Path(sys.prefix)).is_persons
    assert fake_tools.ENVIRONMENTS[0].is_persons


@pytest.mark.parametrize(
    ("code", "broken"),
    [
        ("no-kernels-for-gpu", "kernels"),
        ("cpu-build-on-gpu-machine-chosen", "kernels"),
        ("driver-too-old", "driver"),
        ("gpu-memory-full", ""),
        ("unknown", ""),
    ],
)
def test_the_chain_shows_the_link_that_does_not_hold(code: str, broken: str) -> None:
    told = fake_session.report(False)
    told["diagnosis"]["code"] = code
    links = broken_chain(told)
    assert [link.kind for link in links if not link.holds] == ([broken] if broken else [])
    if broken:
        assert [link.fact for link in links][::2] == ["NVIDIA GeForce GTX 1080 Ti (sm_61)", "580.126.09"]
    assert broken_chain({**told, "machine": {"gpus": []}}) == broken_chain({"diagnosis": 1, "machine": None}) == ()


def test_a_repair_brings_a_build_of_the_release_that_is_there_else_the_newest_that_fits() -> None:
    asked: list[str | None] = []

    def propose(choices: Choices) -> Verdict:
        asked.append(choices.torch)
        return values.VERDICT if choices.torch is None else Verdict(None, None, ())

    told = {"diagnosis": {"code": "no-kernels-for-gpu"}, "plan": {"torch": "2.15.0", "python": "3.12"}}
    assert repair_build(told, propose) is values.BEST
    assert asked == ["2.15.0", None]
    there = {"torch": values.BEST.torch, "variant": values.BEST.variant, "python": "3.12"}
    assert repair_build({**told, "plan": there}, propose) is None, "that very build is what fails"
    assert repair_build({**told, "diagnosis": {"code": "driver-too-old"}}, propose) is None, (
        "another build mends nothing"
    )
    assert repair_build({"diagnosis": 1, "plan": None}, propose) is None
