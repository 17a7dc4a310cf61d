"""Which build of a source a project takes, where the one that was decided is in none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.app import values
from tests.project.deciding import AMPERE, BLACKWELL
from tests.project.test_read import project_of
from wizard.app import project_build
from wizard.app.project import request_of
from wizard.app.project_parts import left_words, outside
from wizard.app.project_plan import _asked
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices, Verdict
from wizard.machine.model import Machine, PythonInstall
from wizard.model.errors import UsageError, WizardError
from wizard.run.model import Facts, SelectedBuild
from wizard.run.select.select_build import COMPANION_NOT_CARRIED, NO_SOURCE_SOME_SILENT
from wizard.toolconfig.settings import UserSettings

_OWN = tuple(PythonInstall(f"/usr/bin/python{one}", f"{one}.4", True) for one in ("3.12", "3.11"))
FACTS = Facts(Machine("linux", "x86_64", "2.36", None, (), pythons=_OWN), UserSettings(), (), 0.0)


@pytest.fixture
def has(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The one build that a source has: its torch, its Python."""
    torch, python = "2.13.0", "3.11"

    def select(facts: Facts, matrix: object, verdict: Verdict, choices: Choices, *rest: object) -> SelectedBuild:
        found = next((one for one in verdict.candidates if one.torch == torch and python in one.pythons), None)
        if found is None or choices.python not in (None, python):
            raise WizardError(NO_SOURCE_SOME_SILENT, silent="4", asked="5", build=verdict.candidates[0].torch)
        if choices.companions:
            raise UsageError(COMPANION_NOT_CARRIED, name=", ".join(choices.companions), build=torch)
        made = replace(found, python=python, torchvision=None, torchaudio=None)
        return replace(values.SELECTED, candidate=made, python=python, notices=())

    monkeypatch.setattr(project_build, "select_build", select)
    return torch, python


@pytest.mark.parametrize(
    ("lines", "readme", "is_told"),
    [
        ("torch\n", "", False),
        ("torch\nnumpy==2.3.0\n", "", True),
        ("torch\n", "Tested with Python 3.10.\n", True),
        ("torch\ntyping-extensions==4.12.2\n", "", False),
    ],
)
def test_what_the_one_source_has_is_taken(
    tmp_path: Path, has: tuple[str, str], lines: str, readme: str, is_told: bool
) -> None:
    """A Python that is only preferred gives way, and a newer torch for which a line would have had to move."""
    matrix, files = load_matrix(), {"requirements.txt": lines, "README.md": f"# A\n{readme}"}
    request = request_of(project_of(tmp_path, {**files}), FACTS, matrix, Choices())
    taken, selected = project_build.selected_build(FACTS, matrix, request, False, lambda: False)
    assert (selected.candidate.torch, selected.python) == has
    assert taken.decision.relaxed == ()
    assert [one.key for one in selected.notices] == ["project.other-python"] * is_told


@pytest.mark.parametrize("lines", ["torch==2.15.0\n", "torch\nscipy==1.7.0\n"])
def test_what_would_differ_further_is_not_taken(tmp_path: Path, has: tuple[str, str], lines: str) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": lines,
        "pyproject.toml": '[project]\nrequires-python = "<3.11"\n',
    }
    matrix = load_matrix()
    request = request_of(project_of(tmp_path, files), FACTS, matrix, Choices())
    with pytest.raises(WizardError, match="4 of 5 PyTorch sources"):
        project_build.selected_build(FACTS, matrix, request, False, lambda: False)


def test_a_pair_that_the_source_lacks_is_lost_and_told_where_it_need_not_be_exact(
    tmp_path: Path, has: tuple[str, str]
) -> None:
    matrix, files = load_matrix(), {"requirements.txt": "torch\ntorchvision\ntorchaudio\n"}
    request = request_of(project_of(tmp_path, {**files}), FACTS, matrix, Choices())
    taken, selected = project_build.selected_build(FACTS, matrix, request, False, lambda: False)
    assert [one.name for one in project_build.lost_pairs(taken, selected)] == ["torchvision", "torchaudio"]
    with pytest.raises(UsageError, match="has no torchvision, torchaudio"):
        project_build.selected_build(FACTS, matrix, request, True, lambda: False)
    by_hand = request_of(request.project, FACTS, matrix, Choices(companions=("torchaudio",)))
    with pytest.raises(UsageError, match="has no torchvision, torchaudio"):
        project_build.selected_build(FACTS, matrix, by_hand, False, lambda: False)


def test_no_command_is_named_for_what_a_maker_gives_by_hand(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"requirements.txt": "torch==1.10.0\nisaacgym\ndetectron2\n"})
    request = request_of(project, replace(FACTS, machine=AMPERE), load_matrix(), Choices())
    assert [one.name for one in request.packages] == []
    assert [(why, one.name) for why, one in request.left] == [("native", "detectron2")]
    assert "project.native.by-hand" in [one.key for one in request.decision.remarks]


SETUP = "from setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension\nsetup(name='x')\n"


@pytest.mark.parametrize("setup", [SETUP, SETUP.replace("from torch", "import os  #")])
def test_what_imports_torch_when_it_is_built_is_built_with_torch_there(
    tmp_path: Path, has: tuple[str, str], setup: str
) -> None:
    project = '[project]\nname = "x"\nversion = "1"\ndependencies = ["torch", "detectron2", "ops"]\n'
    files: dict[str, str | bytes] = {"setup.py": setup, "ops/setup.py": setup}
    files |= {"pyproject.toml": f'{project}[tool.uv.sources]\nops = {{ path = "ops/" }}\n'}
    matrix = load_matrix()
    request = request_of(project_of(tmp_path, files), FACTS, matrix, Choices())
    taken, selected = project_build.selected_build(FACTS, matrix, request, False, lambda: False)
    commands = [str(one.params["command"]) for one in left_words(outside(taken, selected, FACTS.machine), False)]
    apart = ["--no-build-isolation" in one for one in sorted(commands, key=lambda one: "detectron2" not in one)]
    assert apart == [True, setup == SETUP, setup == SETUP]


def test_what_comes_in_the_place_of_a_package_is_asked_for_by_its_name(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"requirements.txt": "torch==2.7.1\nspconv-cu121==2.3.6\n"})
    request = request_of(project, replace(FACTS, machine=BLACKWELL), load_matrix(), Choices())
    asked = _asked(request, values.SELECTED, list(request.packages), 0, {})
    assert "spconv-cu126" in asked.requirements
    project = project_of(tmp_path, {"requirements.txt": "torch==2.15.0\nspconv-cu121==2.3.6\n"})
    request = request_of(project, replace(FACTS, machine=BLACKWELL), load_matrix(), Choices())
    assert [one.name for one in (*request.packages, *(one for _, one in request.left))] == []
