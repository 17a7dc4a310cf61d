"""What a race says while it goes on: each source as it answers, then judged, then measured; asked anew on request."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

import pytest

from tests.run import test_benchmark
from tests.run.test_benchmark import SLOW, Lab
from tests.servers.mirror_server import Ways
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.run.model import Facts, SelectedBuild
from wizard.run.select.select_build import select_build
from wizard.sources.model import SourceStatus, UserSettings

lab, wheels = test_benchmark.lab, test_benchmark.wheels


def asked(lab: Lab, home: Path, fresh: bool = False) -> tuple[SelectedBuild, list[SourceStatus]]:
    test_benchmark.write_mirrors(home, lab.rows, lab.layouts)
    choices = Choices(engine="venv", mirrors="race")
    matrix, facts, told = load_matrix(), Facts(test_benchmark.NO_CARD, UserSettings(), (), 0.0), []
    verdict = resolve(test_benchmark.NO_CARD, matrix, choices)
    selected = select_build(facts, matrix, verdict, choices, None, lambda: False, fresh, told.append)
    return selected, told


@pytest.fixture
def home() -> Path:
    return Path(os.environ["TORCH_WIZARD_HOME"])


@pytest.mark.slow
def test_each_source_is_told_as_it_comes_and_the_end_is_the_elections_word(lab: Lab, home: Path) -> None:
    lab.add("official", Ways(bytes_per_second=SLOW))
    lab.add("quick")
    lab.add("refuses", Ways(refuses="all"))
    selected, told = asked(lab, home)
    stages: dict[str, list[str]] = defaultdict(list)
    last = {}
    for one in told:
        stages[one.source.id].append(one.stage)
        last[one.key] = one
    assert stages["quick-torch-cpu"] == ["answered", "judged", "measuring", "measured"]
    assert stages["refuses-torch-cpu"] == ["answered", "judged"]
    shown = {state.key: state for state in selected.states if state.kind}
    assert {key: (state.availability, state.rate) for key, state in last.items()} == {
        key: (state.availability, state.rate) for key, state in shown.items()
    }
    assert last["torch", "quick-torch-cpu"].rate


def test_what_was_kept_is_told_at_once_and_asking_anew_measures_again(lab: Lab, home: Path) -> None:
    lab.add("official")
    mirror = lab.add("mirror")
    first, _ = asked(lab, home)
    mirror.forget()
    again, told = asked(lab, home)
    assert {one.stage for one in told} == {"measured"}
    assert mirror.files_sent() == 0
    assert [state.asked for state in again.states if state.kind] == [
        state.asked for state in first.states if state.kind
    ]
    _, told = asked(lab, home, fresh=True)
    assert "measuring" in {one.stage for one in told}
    assert mirror.files_sent() > 0
