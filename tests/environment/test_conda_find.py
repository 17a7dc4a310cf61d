"""Which conda is taken, and why it says so: confirmed by asking real programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.abilities import patience
from tests.stand_in.conda import StandInConda
from wizard.environment.conda import find
from wizard.environment.conda.find import KnownConda, executable_in, find_conda
from wizard.environment.create.choose import ChannelVerdict, choose_engine
from wizard.model.errors import Cancelled, UsageError, WizardError
from wizard.model.messages import LANGUAGES, text


@pytest.fixture
def conda(tmp_path: Path) -> StandInConda:
    return StandInConda(tmp_path / "mini forge3").install()


@pytest.mark.parametrize("named", ["root", "executable"])
def test_the_users_choice_is_the_program_or_its_folder(conda: StandInConda, named: str) -> None:
    own = find_conda(str(getattr(conda, named)), (), {})
    assert (own.executable, own.info.kind, own.info.version) == (conda.executable, "conda", "26.7.1")
    assert own.info.root_prefix == conda.root
    assert own.reason.key == "environments.reason.conda-hand"
    for language in LANGUAGES:
        assert str(conda.executable) in text(own.reason, language)


def test_a_choice_that_does_not_answer_is_not_replaced_by_another(conda: StandInConda, tmp_path: Path) -> None:
    broken = StandInConda(tmp_path / "broken").install(say={"info": {"code": 1, "stderr": "no python"}})
    known = (KnownConda(conda.executable, "conda", "PATH"),)
    with pytest.raises(WizardError) as caught:
        find_conda(str(broken.root), known, {})
    assert caught.value.code == "conda-no-answer"
    assert "no python" in caught.value.details
    assert conda.calls() == []


@pytest.mark.parametrize("named", ["nowhere", "empty"])
def test_a_choice_that_is_not_there(tmp_path: Path, named: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError) as caught:
        find_conda(str(tmp_path / named), (), {})
    assert caught.value.code == "conda-not-there"


def test_a_choice_that_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(WizardError) as caught:
        find_conda(str(tmp_path / "notes.txt"), (), {})
    assert caught.value.code == "conda-not-started"


@pytest.mark.parametrize(
    ("found_by", "key"),
    [
        ("CONDA_EXE", "variable"),
        ("MAMBA_ROOT_PREFIX", "variable"),
        ("PATH", "path"),
        ("registry", "registry"),
        ("folder", "folder"),
        ("", "folder"),
    ],
)
def test_the_first_that_answers_and_why(conda: StandInConda, tmp_path: Path, found_by: str, key: str) -> None:
    broken = StandInConda(tmp_path / "broken").install(say={"info": {"stdout": "?"}})
    known = (
        KnownConda(tmp_path / "gone" / "bin" / "conda", "conda", "CONDA_EXE"),
        KnownConda(broken.executable, "conda", "CONDA_EXE"),
        KnownConda(conda.executable, "conda", found_by),
    )
    own = find_conda(None, known, {})
    assert own.executable == conda.executable
    assert own.reason.key == f"environments.reason.conda-{key}"
    for language in LANGUAGES:
        assert found_by not in ("CONDA_EXE", "MAMBA_ROOT_PREFIX") or found_by in text(own.reason, language)


def test_none_that_answers(tmp_path: Path) -> None:
    broken = StandInConda(tmp_path / "broken").install(say={"info": {"stdout": "?"}})
    with pytest.raises(UsageError) as caught:
        find_conda(None, (KnownConda(broken.executable, "conda", "PATH"),), {})
    assert caught.value.code == "engine-conda-none"
    assert str(broken.executable) in str(caught.value)
    assert "conda-no-answer" in caught.value.details
    with pytest.raises(UsageError, match="Miniforge"):
        find_conda(None, (), {})


@pytest.mark.slow
def test_one_that_hangs_is_passed_over(conda: StandInConda, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "INFO_SECONDS", patience(3.0))
    slow = StandInConda(tmp_path / "slow").install(say={"info": {"hang": 120}})
    known = (KnownConda(slow.executable, "conda", "PATH"), KnownConda(conda.executable, "conda", "PATH"))
    assert find_conda(None, known, {}).executable == conda.executable


def test_cancelled_while_it_is_asked(tmp_path: Path) -> None:
    slow = StandInConda(tmp_path / "slow").install(say={"info": {"hang": 120}})
    with pytest.raises(Cancelled):
        find_conda(str(slow.root), (), {}, lambda: True)


def test_on_windows_the_program_beside_a_batch_file_is_taken(tmp_path: Path) -> None:
    """cmd would read a path with & or % in it as something else."""
    for name in ("condabin/conda.bat", "Scripts/conda.exe", "Library/bin/mamba.exe", "condabin/mamba.bat"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert executable_in(tmp_path / "condabin" / "conda.bat", "windows") == tmp_path / "Scripts" / "conda.exe"
    assert executable_in(tmp_path / "condabin" / "mamba.bat", "windows") == tmp_path / "Library" / "bin" / "mamba.exe"
    assert executable_in(tmp_path, "windows") == tmp_path / "Scripts" / "conda.exe"
    (tmp_path / "Scripts" / "conda.exe").unlink()
    with pytest.raises(UsageError):
        executable_in(tmp_path / "condabin" / "conda.bat", "windows")


def test_the_choice_of_the_engine(conda: StandInConda) -> None:
    own = find_conda(str(conda.root), (), {})
    up, down = ChannelVerdict("https://up.example/forge", True), ChannelVerdict("https://down.example/forge", False)
    choice = choose_engine("conda", (down, up), (), "3.12", own)
    assert (choice.engine, choice.conda, choice.channels) == ("conda", conda.executable, (up.url,))
    assert choice.reason == own.reason
    assert choose_engine("auto", (up,), (), "3.12", own).engine == "rattler", "on request only"
    with pytest.raises(UsageError) as caught:
        choose_engine("conda", (down,), (), "3.12", own)
    assert caught.value.code == "engine-conda-no-channel"
