"""What of a project is installed last: the tick on Build, its row, and what the plan is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.test_project import opened, project, said
from wizard.gui.pages.base import LAID_OUT
from wizard.gui.pages.build.page import BuildPage
from wizard.gui.widgets.advice import Advice
from wizard.model.messages import LANGUAGES

__all__ = ["project"]


def read(page: BuildPage) -> str:
    """Return what the page says of the reading, also where that is folded."""
    return " ".join(one.text() for one in page.project.findChildren(Advice))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_project_itself_is_installed_last_where_that_is_ticked(
    language: str, qtbot: QtBot, make_window: MakeWindow, project: Path
) -> None:
    """Its row says so, and the request of the plan has it; what was agreed to stays agreed to."""
    backend = '[build-system]\nrequires = []\nbuild-backend = "mesonpy"\n'
    (project / "pyproject.toml").write_text((project / "pyproject.toml").read_text() + backend)
    with (project / "requirements.txt").open("a") as lines:
        lines.write("git+https://git.example/x/other.git\n")
    window = make_window(language=language)
    page = opened(qtbot, window, project)
    parts, last = page.project.parts, {"en": "last, from its source", "zh_CN": "最后从其源码安装"}[language]
    qtbot.waitUntil(parts.isVisible)
    assert last not in said(page)
    noticed = {
        "en": ("tick “Install the project itself", "and it is installed last."),
        "zh_CN": ("请勾选“同时", "它会最后安装。安装开始"),
    }
    assert [one in read(page) for one in noticed[language]] == [True, False]
    assert "--parts" not in read(page)
    parts.click()
    qtbot.waitUntil(lambda: said(page).count(last) == 2)  # the repository, and the project itself
    qtbot.waitUntil(lambda: [one in read(page) for one in noticed[language]] == [False, True])
    request = window.navigator.state.request
    assert request is not None
    assert (request.choices.parts, request.asked.parts, window.navigator.state.choices.parts) == (True, True, True)
    parts.click()
    qtbot.waitUntil(lambda: last not in said(page))


def test_a_project_that_is_all_on_the_index_has_nothing_to_install_last(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    (tmp_path / "requirements.txt").write_text("torch\nrequests\n")
    page = opened(qtbot, make_window(), tmp_path)
    qtbot.wait(LAID_OUT)
    assert not page.project.parts.isVisible()
