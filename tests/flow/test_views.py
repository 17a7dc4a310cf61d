"""The grid, the report and the lines for afterwards: arrangements of values, without a window."""

from __future__ import annotations

from dataclasses import replace

from tests.flow import values
from wizard.flow.afterwards import SNIPPET
from wizard.flow.grid import arrange, picked_for, pythons_of, worth_showing
from wizard.flow.report_view import read_report
from wizard.flow.sources_view import rows_of
from wizard.i18n import Message
from wizard.plan.model import Choices, Reason


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
    view = read_report({
        "verification": {"ok": False, "gpu_ok": False, "headline": said, "torch": "2.15.0", "new": 1,
                         "checks": [{"name": "zeros", "state": "failed", "message": said, "seconds": 1}, "odd"]},
        "diagnosis": {"code": "no-driver", "cause": said, "repair": "bare text", "evidence": ["e"]},
        "plan": {"engine": "venv"}, "machine": {"os": "linux"},
    })  # fmt: skip
    assert view.verified
    assert view.headline == Message("verify.x", {"a": 1})
    assert [check.name for check in view.checks] == ["zeros"]
    assert view.diagnosis is not None
    assert view.diagnosis.repair == Message("flow.plain", {"text": "bare text"})
    assert (view.engine, view.os) == ("venv", "linux")


def test_a_report_without_a_test_has_nothing_to_verify() -> None:
    assert not read_report({"verification": None, "status": 1}).verified
    assert not read_report({}).verified


def test_the_usual_grid_leaves_out_old_lines_and_what_was_never_published() -> None:
    absent = Reason("not-published", {"torch": "2.15.0", "variant": "cu92", "platform": "linux"})
    every = [values.candidate(f"2.{minor}.{patch}", "cu126") for minor in range(1, 16) for patch in (0, 1)]
    every += [values.candidate("2.15.1", "cu92", absent), values.candidate("1.9.0", "cu92")]
    grid = arrange(worth_showing(every))
    assert grid.releases == tuple(f"2.{minor}.1" for minor in range(15, 5, -1))
    assert grid.variants == ("cu126",)
    old = values.candidate("1.9.0", "cu92")
    assert arrange(worth_showing(every, old)).releases[-1] == "1.9.0"
    assert "cu92" in arrange(worth_showing(every, old)).variants


def test_a_source_that_is_used_has_what_is_taken_from_it() -> None:
    """It was asked for the newest build first, has it not, and an older one comes from it."""
    torch = values.RACED_ELECTION.torch_source
    states = tuple(
        replace(state, verdict="missing", truth="missing") if state.source == torch else state
        for state in values.RACED_ELECTION.states
    )
    rows = rows_of(replace(values.RACED_ELECTION, states=states))
    assert [row.word for row in rows if "torch" in row.uses] == ["complete"]
    assert [row.pill for row in rows if "torch" in row.uses] == ["ok"]
