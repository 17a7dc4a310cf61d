"""A profile on one machine, before anything is looked up: what may be chosen, where it goes, and why nothing fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.classroom.profile.examples import entry, profile
from tests.compatibility.machines import machine
from wizard.classroom.profile.conda import plain_address
from wizard.classroom.profile.model import ProfileEnvironment, ProfileFile, ProfileSources
from wizard.classroom.profile.setup import check_target, profile_choices, select
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import text


def test_what_the_profile_says_is_what_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    made = profile(
        environment=ProfileEnvironment("deep", "venv", companions=(), extras=("pandas",), place_linux="~/class"),
        sources=ProfileSources(conda_channel="https://conda.example.org/forge"),
    )
    monkeypatch.setattr("wizard.system.traits.os_name", lambda: "linux")
    choices = profile_choices(made, Choices(limit_rate=5))
    assert (choices.prefix, choices.name) == (str(Path.home() / "class" / "deep"), None)
    assert (choices.engine, choices.extras, choices.channel) == ("venv", ("pandas",), "https://conda.example.org/forge")
    assert choices.limit_rate == 5  # how fast is no matter of the class
    monkeypatch.setattr("wizard.system.traits.os_name", lambda: "windows")
    assert (profile_choices(made, Choices()).prefix, profile_choices(made, Choices()).name) == (None, "deep")


def test_what_is_asked_for_may_be_chosen() -> None:
    made = profile(ask=("name", "place"))
    assert profile_choices(made, Choices(name="mine")).name == "mine"
    assert profile_choices(made, Choices(prefix="/tmp/x")).prefix == "/tmp/x"
    with pytest.raises(UsageError) as caught:
        profile_choices(made, Choices(torch="2.13.0"))
    assert caught.value.code == "profile-fixed"
    profile_choices(profile(), Choices(name="deep"))  # saying what it says anyway is no wish


def test_a_student_who_may_choose_gets_the_best_of_what_is_left() -> None:
    made = profile(entry("linux", "cu130"), entry("linux", "cu126"), entry("linux", "cpu"), ask=("variant",))
    here, matrix = machine("rtx-5070-ti-linux-550"), load_matrix()
    assert select(made, machine("v100-linux-580"), matrix, Choices()).lock == made.locks[1]
    assert select(made, machine("v100-linux-580"), matrix, Choices(variant="cpu")).lock == made.locks[2]
    with pytest.raises(WizardError) as caught:
        select(made, here, matrix, Choices(variant="cu126"))
    assert caught.value.code == "profile-none-fits"
    with pytest.raises(UsageError) as none:
        select(made, here, matrix, Choices(torch="2.13.0"))
    assert none.value.code == "profile-none-chosen"


def test_a_machine_that_nothing_fits_is_told_why_and_what_would_help() -> None:
    made = profile(entry("windows", "cu130"), entry("linux", "cpu"))
    with pytest.raises(WizardError) as caught:
        select(made, machine("rtx-5070-ti-windows-572"), load_matrix(), Choices())
    assert caught.value.code == "profile-none-fits-driver"
    assert "needs driver 580 or newer" in text(caught.value.summary, "en")
    assert "needs driver" not in text(caught.value.summary, "zh_CN")
    assert "linux" not in text(caught.value.summary, "en")  # of another system's entry there is nothing to say
    assert "driver 580" in text(caught.value.hint, "en")
    with pytest.raises(WizardError) as arm:
        select(made, machine("windows-on-arm"), load_matrix(), Choices())
    assert arm.value.code == "profile-none-fits"
    assert "windows aarch64; torch" in text(arm.value.summary, "en")
    assert "it is for" not in text(arm.value.summary, "zh_CN")


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("https://me:word@example.org/a.whl", "https://example.org/a.whl"),
        ("https://me@example.org:8443/a.whl#sha256=1", "https://example.org:8443/a.whl"),
        ("http://127.0.0.1:1/a.whl", "http://127.0.0.1:1/a.whl"),
    ],
)
def test_names_and_passwords_are_left_out(url: str, plain: str) -> None:
    assert plain_address(url) == plain


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://example.org/a.whl?token=abc", "profile-secret"),
        ("https://example.org/t/abcdef/a.whl", "profile-secret"),
        ("file:///home/me/a.whl", "profile-local"),
    ],
)
def test_what_cannot_be_left_out_ends_it(url: str, code: str) -> None:
    with pytest.raises(WizardError) as caught:
        plain_address(url)
    assert caught.value.code == code
    assert "abc" not in str(caught.value) + caught.value.details


@pytest.mark.parametrize(
    ("ask", "said", "leads"),
    [(("name", "place"), "another name", True), (("place",), "another folder", True), ((), "whoever made", False)],
)
def test_of_a_name_that_is_taken_it_says_what_the_profile_lets_one_do(
    ask: tuple[str, ...], said: str, leads: bool, tmp_path: Path
) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "pyvenv.cfg").write_text("", encoding="utf-8")
    file = ProfileFile(profile(ask=ask), b"", "0" * 64)
    with pytest.raises(UsageError) as caught:
        check_target(file, Choices(prefix=str(tmp_path / "deep")))
    assert caught.value.hint is not None
    hint = caught.value.hint.sentence
    assert (said in hint, "{page.place}" in hint) == (True, leads)
    assert "if the profile" not in hint


@pytest.mark.parametrize("ask", [(), ("place",)])
def test_of_a_folder_that_holds_files_and_is_given_it_says_who_can_name_another(
    ask: tuple[str, ...], tmp_path: Path
) -> None:
    """Where another may be chosen, `check_place` says so."""
    target, file = tmp_path / "deep", ProfileFile(profile(ask=ask), b"", "0" * 64)
    target.mkdir()
    assert not check_target(file, Choices(prefix=str(target))), "an empty one is free"
    (target / "homework.py").write_text("", encoding="utf-8")
    if ask:
        assert not check_target(file, Choices(prefix=str(target)))
        return
    with pytest.raises(UsageError) as caught:
        check_target(file, Choices(prefix=str(target)))
    hint = caught.value.hint.sentence
    assert caught.value.code == "target-not-empty"
    assert hint is not None
    assert ("whoever made" in hint, "Choose" in hint) == (True, False)
