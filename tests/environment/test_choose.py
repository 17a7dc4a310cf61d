from __future__ import annotations

from pathlib import Path

import pytest

from wizard.environment.create.choose import BasePython, ChannelVerdict, choose_engine, suitable_python
from wizard.model.errors import ExitStatus, UsageError, WizardError
from wizard.model.messages import LANGUAGES, text

UP = ChannelVerdict("https://user:secret@conda.lab.example/forge", True)
DOWN = ChannelVerdict("https://down.example/forge", False)
PYTHONS = (
    BasePython("/usr/bin/python3", "3.11.2", False),
    BasePython("/a/python3.12", "3.12.1", True),
    BasePython("/b/python3.12", "3.12.11", True),
    BasePython("/c/python3.12", "3.12.11", True),
    BasePython("/odd/python", "3.12.x", True),
)


@pytest.mark.parametrize(
    ("wanted", "channels", "python", "engine", "reason"),
    [
        ("auto", (DOWN, UP), "3.12", "rattler", "rattler-channel"),
        ("auto", (UP,), "3.11", "rattler", "rattler-channel"),
        ("auto", (DOWN,), "3.12", "venv", "venv-no-channel"),
        ("auto", (), "3.12", "venv", "venv-no-channel"),
        ("rattler", (UP,), "3.12", "rattler", "rattler-asked"),
        ("venv", (UP,), "3.12", "venv", "venv-kind-asked"),
    ],
)
def test_the_choice(wanted: str, channels: tuple[ChannelVerdict, ...], python: str, engine: str, reason: str) -> None:
    choice = choose_engine(wanted, channels, PYTHONS, python)
    assert (choice.engine, choice.reason.key) == (engine, f"environments.reason.{reason}")
    assert choice.base_python == (Path("/b/python3.12") if engine == "venv" else None)
    assert choice.channels == ((UP.url,) if engine == "rattler" else ())
    for language in LANGUAGES:
        assert "secret" not in text(choice.reason, language)


def test_a_python_counts_as_asked_for_where_it_was_named_alone() -> None:
    choice = choose_engine("venv", (UP,), PYTHONS, "3.12", is_named=True)
    assert choice.reason.key == "environments.reason.venv-asked"


@pytest.mark.parametrize(
    ("wanted", "channels", "python", "code", "status"),
    [
        ("conda", (UP,), "3.12", "engine-conda-none", ExitStatus.USAGE),
        ("pixi", (UP,), "3.12", "engine-unknown", ExitStatus.USAGE),
        ("rattler", (DOWN,), "3.12", "engine-rattler-no-channel", ExitStatus.USAGE),
        ("venv", (UP,), "3.13", "engine-venv-no-python", ExitStatus.USAGE),
        ("venv", (UP,), "3.11", "engine-venv-no-python", ExitStatus.USAGE),
        ("auto", (DOWN,), "3.13", "no-engine", ExitStatus.FAILED),
        ("auto", (), "3.11", "no-engine", ExitStatus.FAILED),
    ],
)
def test_what_cannot_be_done(
    wanted: str, channels: tuple[ChannelVerdict, ...], python: str, code: str, status: ExitStatus
) -> None:
    with pytest.raises(WizardError) as caught:
        choose_engine(wanted, channels, PYTHONS, python)
    assert (caught.value.code, caught.value.exit_status) == (code, status)
    assert isinstance(caught.value, UsageError) == (status is ExitStatus.USAGE)
    for language in LANGUAGES:
        assert text(caught.value.summary, language)
        assert text(caught.value.hint, language)


def test_the_newest_patch_release_wins_and_the_first_among_equals() -> None:
    found = suitable_python(PYTHONS, "3.12")
    assert found is not None
    assert found.executable == "/b/python3.12"
    assert suitable_python((), "3.12") is None
