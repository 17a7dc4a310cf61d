"""No state of our own folder stops a start: what cannot be used is set aside with a sentence, or left and survived."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.abilities import needs_links
from tests.safety.broken import ELSEWHERE, IN_THE_WAY, SETTINGS
from tests.undo.noting import as_nobody
from tests.users import needs_open_project
from wizard.app.use.network import load_network, save_network
from wizard.cli.main import main
from wizard.gui.startup.preferences import Preferences
from wizard.model.messages import LANGUAGES, message, text
from wizard.safety.state import read_settings, set_right
from wizard.system import paths

COMMANDS = (["runs"], ["undo", "list"])


def no_window(*told: Any) -> int:
    raise AssertionError("no window was wanted")


@pytest.fixture
def home() -> Path:
    paths.home().mkdir(parents=True)
    return paths.home()


@pytest.mark.parametrize("what", SETTINGS)
def test_settings_that_cannot_be_read_are_set_aside(what: str, home: Path) -> None:
    SETTINGS[what](home)
    assert read_settings(home / "settings.json") == {}, "and who reads them before is not stopped"
    (told,) = set_right()
    assert (told.key, told.params["name"]) == ("safety.set-aside", "settings.json")
    assert os.path.lexists(home / str(told.params["kept"])), "nothing is deleted"
    assert not os.path.lexists(home / "settings.json")
    assert set_right() == ()
    Preferences().put(language="zh_CN")
    save_network(load_network())
    assert Preferences().wishes.language == "zh_CN"
    assert set_right() == ()


@pytest.mark.parametrize("what", IN_THE_WAY)
def test_a_file_where_a_folder_must_be(what: str, home: Path) -> None:
    IN_THE_WAY[what](home)
    (told,) = set_right()
    assert (told.key, told.params["name"]) == ("safety.set-aside", what)
    for language in LANGUAGES:
        assert what in text(told, language)
    assert set_right() == ()


@needs_links
def test_a_link_to_a_disk_that_is_not_there_stays(home: Path) -> None:
    (home / "downloads").symlink_to(home / "unplugged")
    assert set_right() == ()
    assert (home / "downloads").is_symlink()


def test_two_that_are_set_aside_at_once_keep_their_names(home: Path) -> None:
    kept = set()
    for _ in range(3):
        SETTINGS["garbled"](home)
        (told,) = set_right()
        kept.add(told.params["kept"])
    assert len(kept) == 3


@pytest.mark.parametrize("what", [*SETTINGS, *IN_THE_WAY, *ELSEWHERE])
def test_the_command_line_starts(what: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (SETTINGS.get(what) or IN_THE_WAY.get(what) or ELSEWHERE[what])(home)
    for command in COMMANDS:
        assert main(["--lang", "en", *command], no_window) == 0
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        assert "mistake" not in said.err
        is_told = what not in ELSEWHERE and command is COMMANDS[0]
        assert ("was set aside" in said.err) == is_told


@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_a_home_that_is_a_file_is_named(below: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.rmdir()
    home.write_text("somebody's", encoding="utf-8")
    os.environ[paths.HOME_VARIABLE] = str(home / below)  # the fixture of every test puts it back
    assert set_right() == (message("safety.home-is-file", path=str(home)),)
    assert main(["--lang", "en", "runs"], no_window) in (0, 1)
    said = capsys.readouterr().err
    assert "is a file" in said
    assert "Traceback" not in said
    assert home.read_text(encoding="utf-8") == "somebody's"


@pytest.mark.skipif(os.name == "nt", reason="Windows' rights are no bits")
@needs_open_project
@pytest.mark.parametrize(("mode", "status"), [(0o555, "0"), (0o000, "1")])
def test_a_home_that_may_not_be_written(mode: int, status: str, capfd: pytest.CaptureFixture[str]) -> None:
    """By a user to whom the bits apply. One that may not even be entered ends `runs` with a sentence."""
    with tempfile.TemporaryDirectory() as name:  # tmp_path is closed to other users
        place = Path(name)
        os.environ[paths.HOME_VARIABLE] = name
        place.chmod(mode)
        assert as_nobody(lambda: main(["--lang", "en", "runs"], no_window)) == status
        place.chmod(0o700)
    said = capfd.readouterr().err
    assert "may not write into" in said
    assert "Traceback" not in said


def test_words_of_a_start_go_to_people_not_into_documents(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    SETTINGS["garbled"](home)
    assert main(["runs", "--json"], no_window) == 0
    assert capsys.readouterr().out == ""
    assert sys.stdout is not None
