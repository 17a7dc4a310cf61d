"""A project in the window: opened, dropped, its differences with their yes, its unknown hosts, and its plan.

One file: each opens the same project and looks at the one page that it has on Build.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QFrame, QLabel
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.walking import LEAST, failed_install, go_to, lower, mnemonics, press, settle, visible
from wizard.app.pages.order import PageId
from wizard.app.pages.project import environment_name
from wizard.app.project_build import with_lost
from wizard.compatibility.model import ProjectUse
from wizard.gui.pages.base import LAID_OUT, Page
from wizard.gui.pages.build.page import BuildPage
from wizard.gui.pages.review import ReviewPage
from wizard.gui.pages.welcome.page import WelcomePage
from wizard.gui.shell.incoming import open_file
from wizard.gui.shell.window import WizardWindow
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.labels import Pill
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, message
from wizard.project.model import Project
from wizard.project.packages.native import NOTHING, Relaxed
from wizard.run.select.select_build import NO_SOURCE, NO_SOURCE_BUT


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Asks for what no card of the test's computer runs, and for a host that nobody knows."""
    folder = tmp_path / "image captions"
    folder.mkdir()
    lines = ["torch==2.0.99", "torchvision", "requests", "tqdm", "flash-attn>=2.7"]
    (folder / "requirements.txt").write_text("\n".join(lines) + "\n")
    (folder / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "1"\nrequires-python = ">=3.10"\n')
    return folder


def opened(qtbot: QtBot, window: WizardWindow, where: Path) -> BuildPage:
    welcome = window.page
    assert isinstance(welcome, WelcomePage)
    press(qtbot, welcome.project)
    welcome.opening.where.setText(str(where))
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.CHECK)
    go_to(qtbot, window, PageId.BUILD)
    page = window.page
    assert isinstance(page, BuildPage)
    qtbot.waitUntil(lambda: window.navigator.state.request is not None)
    return page


def said(page: BuildPage) -> str:
    return "\n".join(one.text() for one in page.findChildren(QLabel) if one.isVisible())


@pytest.mark.parametrize(
    ("folder", "name"),
    [("image captions", "image captions"), ("我的 项目", "project"), ("课程 torch 1", "torch-1"), ("CON", "project")],
)
def test_the_name_that_is_proposed_makes_no_tool_stumble(folder: str, name: str) -> None:
    assert environment_name(Project(f"/home/me/{folder}", (), (), (), ())) == name


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_project_says_of_installing_is_quoted(
    language: str, qtbot: QtBot, make_window: MakeWindow, project: Path, heard: list[str]
) -> None:
    (project / "README.md").write_text("# It\n## Install\nYou need <b>nvcc</b> & a compiler.\n")
    window = make_window(language)
    page = opened(qtbot, window, project)
    assert "nvcc" not in said(page), "folded"
    press(qtbot, page.project.notes.button)
    qtbot.waitUntil(lambda: "nvcc" in said(page))
    assert heard[-1] == {"en": "Quoted lines: 1", "zh_CN": "引用的行数：1"}[language]
    words = said(page)
    assert "You need nvcc & a compiler." in words.replace("  ", " ")
    assert ("README.md, line 3" if language == "en" else "README.md，第 3 行") in words


def test_the_mark_of_a_list_is_no_part_of_what_is_asked(qtbot: QtBot, make_window: MakeWindow, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "environment.yml").write_text("dependencies:\n  - python=3.8\n  - pytorch=1.13.1\n  - tqdm\n")
    page = opened(qtbot, make_window(), folder)
    lines = said(page).splitlines()
    assert {"python=3.8", "pytorch=1.13.1"} <= set(lines)
    assert not any(one.startswith("- ") for one in lines)


def test_long_quotes_are_read_by_the_arrows(qtbot: QtBot, make_window: MakeWindow, project: Path) -> None:
    lines = "\n\n".join(f"Step {number}: install the compiler number {number} by hand." for number in range(30))
    (project / "README.md").write_text(f"# It\n## Install\n{lines}\n")
    window = make_window()
    page = opened(qtbot, window, project)
    lower(window)
    fold = page.project.notes
    fold.button.setFocus()
    qtbot.keyClick(fold.button, Qt.Key.Key_Space)
    quotes = [one for one in fold.findChildren(QLabel) if "compiler" in one.text()]
    qtbot.waitUntil(lambda: quotes[0].visibleRegion().boundingRect().height() > 0)

    def goes_on_to(quote: QLabel, key: Qt.Key) -> bool:
        for _ in range(500):
            if quote.visibleRegion().boundingRect().height() == quote.height():
                return True
            qtbot.keyClick(fold.button, key)
        return False

    assert goes_on_to(quotes[-1], Qt.Key.Key_Down)
    assert fold.button.hasFocus(), "and it was no step of Tab"
    assert goes_on_to(quotes[0], Qt.Key.Key_Up)
    fold.button.setChecked(False)
    qtbot.keyClick(fold.button, Qt.Key.Key_Down)
    assert not fold.button.hasFocus(), "an arrow leads on, as always"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_footer_of_a_project_is_low_in_a_small_window(
    language: str, qtbot: QtBot, make_window: MakeWindow, project: Path
) -> None:
    window = make_window(language)
    page = opened(qtbot, window, project)
    lower(window)
    strict = page.project.strict
    qtbot.waitUntil(lambda: window.width() == LEAST[0] and strict.isVisible())
    qtbot.waitUntil(lambda: strict.height() <= 2 * strict.fontMetrics().lineSpacing() + 8)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_asked_has_room_in_a_narrow_window(
    language: str, qtbot: QtBot, make_window: MakeWindow, project: Path
) -> None:
    """Its badge left a version 93 pixels, and it was broken; where there is room the badge stands beside it."""
    window = make_window(language)
    page = opened(qtbot, window, project)
    card = page.project.card
    for size, is_above in ((LEAST, True), ((640, 400), True), ((900, 600), False), (LEAST, True)):
        lower(window, size)
        qtbot.waitUntil(lambda: abs(window.width() - size[0]) < 2)  # noqa: B023
        qtbot.wait(100)
        asked = next(one for one in visible(card, QLabel) if one.text() == "torch==2.0.99")
        pill = next(one for one in visible(card, Pill) if one.property("pill") == "warning")
        assert asked.width() >= asked.fontMetrics().horizontalAdvance(asked.text())
        at, of = (QRect(one.mapTo(card, QPoint(0, 0)), one.size()) for one in (pill, asked))
        assert (at.bottom() < of.top(), at.right() < of.left()) == (is_above, not is_above)
        assert at.width() < of.width() or not is_above, "no wider than its word"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_differs_stands_first_and_needs_a_yes(
    language: str, qtbot: QtBot, make_window: MakeWindow, project: Path
) -> None:
    window = make_window(language)
    page = opened(qtbot, window, project)
    assert page.title == project.name
    qtbot.waitUntil(lambda: "requires-python" in said(page))
    words = said(page)
    assert page.project._unasked.text() in words, "nobody was asked yet"
    assert page.project._unasked.text().startswith(("Not looked up: whether the project's packages", "未查询："))
    assert words.index("torch==2.0.99") < words.index("requires-python")
    assert "flash-attn>=2.7" in words
    reasons = [one for one in visible(window, QLabel) if one.property("role") == "differs"]
    frames = [one for one in visible(window, QFrame) if one.property("role") == "differs"]
    grounds = [one for one in frames if one not in reasons]
    assert (len(reasons), len(grounds)) == (2, 2), "each with its reason, on a ground of its own"
    assert all(one.width() > page.project.card.width() * 0.9 for one in grounds)
    assert not page.grid.isVisible()
    assert not window.footer.primary.isEnabled()
    qtbot.waitUntil(page.project.agree.isVisible)
    page.project.agree.click()
    assert window.footer.primary.isEnabled()
    letters = [letter for letter, _ in mnemonics(window)]
    assert len(letters) == len(set(letters)), sorted(mnemonics(window))
    page.project.strict.click()
    assert not window.footer.primary.isEnabled()
    qtbot.waitUntil(lambda: not page.project.agree.isVisible())


def test_exactly_as_asked_says_why_not_where_a_line_could_not_be_read(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    (tmp_path / "requirements.txt").write_text("torch\n??? 1\n")
    window = make_window()
    page = opened(qtbot, window, tmp_path)
    qtbot.waitUntil(window.footer.primary.isEnabled)
    page.project.strict.click()
    assert not window.footer.primary.isEnabled()
    qtbot.waitUntil(page.project._refused.isVisible)
    assert "line" in page.project._refused.text()


def test_what_is_left_out_is_a_difference_and_a_line_stands_once(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    (tmp_path / "requirements.txt").write_text("torch==2.10.0+cu102\ntriton\nflash-attn>=2.7\nhqq\n")
    window = make_window()
    page = opened(qtbot, window, tmp_path)
    request = window.navigator.state.request
    assert request is not None
    left_out = {one.name for one in request.decision.left_out}
    qtbot.waitUntil(page.project.agree.isVisible)
    assert str(len(left_out) + len(request.decision.relaxed)) in page.project.agree.text()
    qtbot.waitUntil(lambda: "torch==2.10.0+cu102" in said(page))
    assert said(page).count("torch==2.10.0+cu102") == 1


def test_the_way_leaves_the_source_out_and_review_plans_the_project(
    qtbot: QtBot, make_window: MakeWindow, project: Path, session: FakeSession
) -> None:
    window = make_window()
    page = opened(qtbot, window, project)
    qtbot.waitUntil(page.project.agree.isVisible)
    assert "Planned" in said(page)
    page.project.agree.click()
    press(qtbot, window.footer.primary)
    assert window.navigator.page is PageId.PLACE
    qtbot.waitUntil(lambda: window.navigator.state.place is not None)
    assert window.navigator.state.choices.name == "image captions"
    go_to(qtbot, window, PageId.REVIEW)
    qtbot.waitUntil(lambda: window.navigator.state.preview is not None)
    preview = window.navigator.state.preview
    assert preview is not None
    plan = replace(preview.plan, candidate=replace(preview.plan.candidate, torch="2.13.9"), python="3.11")
    window.navigator.put_preview(replace(preview, plan=plan))
    window.navigator.go_to(PageId.BUILD)
    settle(qtbot, window)
    assert "The sources have" in said(page)
    assert "Python 3.11" in said(page)
    request, trusted, is_strict = next(given for name, given in session.calls if name == "plan_project")
    assert request.project.folder == str(project)
    page.project.show_state(window.navigator.state)
    assert page.project._unasked.isHidden(), "the sources have given all of it"
    assert (trusted, is_strict) == (frozenset(), False)
    window.navigator.go_to(PageId.WELCOME)
    assert window.navigator.state.project is None
    assert window.navigator.state.choices.name is None


def test_a_torchvision_that_no_source_has_stands_on_top_of_review(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, tmp_path: Path
) -> None:
    (tmp_path / "requirements.txt").write_text("torch\ntorchvision\n")
    window, project = make_window(), tmp_path
    opened(qtbot, window, project)
    go_to(qtbot, window, PageId.REVIEW)
    qtbot.waitUntil(lambda: window.navigator.state.preview is not None)
    preview = window.navigator.state.preview
    assert preview is not None
    lost = Relaxed("torchvision", "*", NOTHING, message("flow.plain", build="torch 2.14.1+cu126"))
    notices = with_lost(session.selected, (lost,)).notices
    plan = replace(preview.plan, notices=notices, project=ProjectUse(str(project), left=("torchvision",)))
    window.navigator.put_preview(replace(preview, plan=plan))
    review = window.pages[PageId.REVIEW]
    assert isinstance(review, ReviewPage)
    assert review.lost.isVisible()
    assert review.lost.words.startswith("torchvision, which the project asks for, will be missing")
    assert review.lost.y() < review.tiles.y()
    assert "torchvision" not in review.different.accessibleName(), "it is said once"


def on_review(qtbot: QtBot, window: WizardWindow, project: Path) -> tuple[BuildPage, Page]:
    """Agree to what differs and go on to Review, which ends as the session says."""
    page = opened(qtbot, window, project)
    qtbot.waitUntil(page.project.agree.isVisible)
    page.project.agree.click()
    go_to(qtbot, window, PageId.PLACE)
    press(qtbot, window.footer.primary)
    return page, window.pages[PageId.REVIEW]


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_no_source_has_it_another_one_is_a_press_away(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, project: Path
) -> None:
    session.fail["preview"] = WizardError(NO_SOURCE, build="torch 2.6.0+cpu")
    window = make_window(language)
    _, review = on_review(qtbot, window, project)
    qtbot.waitUntil(review.trouble.ways[0].isVisible)
    press(qtbot, review.trouble.ways[0])
    assert window.navigator.page is PageId.SOURCE
    settle(qtbot, window)
    asked = next(choices for name, choices in reversed(session.calls) if name == "select_build")
    assert asked.torch == window.navigator.state.request.choices.torch, "the project's build"
    session.fail.clear()
    go_to(qtbot, window, PageId.REVIEW)
    qtbot.waitUntil(window.footer.primary.isEnabled)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_torch_that_the_sources_have_is_a_press_away(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, project: Path
) -> None:
    """It needs its own yes: the project asks for another one."""
    session.fail["preview"] = WizardError(NO_SOURCE_BUT, build="torch 2.6.0+cpu", torch="2.13.0")
    window = make_window(language)
    page, review = on_review(qtbot, window, project)
    qtbot.waitUntil(review.trouble.again.isVisible)
    assert "2.13.0" in review.trouble.again.text()
    press(qtbot, review.trouble.again)
    assert window.navigator.page is PageId.BUILD
    settle(qtbot, window)
    assert window.navigator.state.request.choices.torch == "2.13.0"
    assert not window.footer.primary.isEnabled(), "what differs is shown first"
    qtbot.waitUntil(page.project.agree.isVisible)


@pytest.mark.parametrize("page", [PageId.CHECK, PageId.BUILD, PageId.SOURCE, PageId.PLACE, PageId.REVIEW])
def test_after_a_failed_run_a_page_is_opened_with_the_project_and_all_that_was_chosen(
    page: PageId, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, project: Path
) -> None:
    window = make_window()
    on_review(qtbot, window, project)
    install = failed_install(qtbot, window, session)
    assert install.other.isVisible(), "another source"
    before = window.navigator.state
    assert install.open_page(page.value) == ""
    qtbot.waitUntil(lambda: window.navigator.page is page)
    settle(qtbot, window)
    after = window.navigator.state
    assert (after.project, after.run_id) == (before.project, None)
    assert after.choices.name == before.choices.name == "image captions"
    session.script = FakeSession(session.root).script
    if page in (PageId.CHECK, PageId.BUILD):
        go_to(qtbot, window, PageId.BUILD)
        window.pages[PageId.BUILD].project.agree.setChecked(True)
    go_to(qtbot, window, PageId.INSTALL)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)


def test_of_a_host_that_nobody_knows_nothing_is_taken_without_its_own_yes(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "requirements.txt").write_text("--extra-index-url https://packages.lab.example/simple\ntorch\n")
    window = make_window()
    page = opened(qtbot, window, folder)
    qtbot.waitUntil(page.project.consent.isVisible)
    assert "nothing is taken from it" in said(page)
    assert window.footer.primary.isEnabled()
    assert window.navigator.state.trusted == set()
    stops, one = [page.project.agree], page.project.agree.nextInFocusChain()
    while one is not page.project.agree and one is not None:
        stops, one = [*stops, one], one.nextInFocusChain()
    box = page.project.consent.boxes["packages.lab.example"]
    assert stops.index(box) < stops.index(page.project.notes.button), "Tab goes down the page"
    box.click()
    assert window.footer.primary.isEnabled()
    assert window.navigator.state.trusted == {"packages.lab.example"}


def test_another_file_alone_decides(qtbot: QtBot, make_window: MakeWindow, project: Path) -> None:
    window = make_window()
    page = opened(qtbot, window, project)
    (project / "other.txt").write_text("torch\n")
    page.project.file_chosen.emit(str(project / "other.txt"))
    qtbot.waitUntil(lambda: "other.txt" in said(page) and "requires-python" not in said(page))
    settle(qtbot, window)
    qtbot.waitUntil(window.footer.primary.isEnabled)


def test_a_dropped_folder_or_file_is_opened_as_a_project(qtbot: QtBot, make_window: MakeWindow, project: Path) -> None:
    for one in (project, project / "requirements.txt"):
        window = make_window()
        open_file(window, one)
        qtbot.waitUntil(lambda window=window: window.navigator.page is PageId.CHECK)
        assert window.navigator.state.project is not None


def test_a_folder_without_a_declaration_is_told(qtbot: QtBot, make_window: MakeWindow, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    window = make_window()
    welcome = window.page
    assert isinstance(welcome, WelcomePage)
    press(qtbot, welcome.project)
    welcome.opening.where.setText(str(tmp_path / "empty"))
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: "nothing-declared" in welcome.trouble.code)
    assert welcome.opening.isVisible()
    press(qtbot, welcome.opening.drop)
    assert welcome.setup.isVisible()


def test_the_window_keeps_its_width_in_the_other_language(
    qtbot: QtBot, make_window: MakeWindow, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It grew by 25 pixels, below the edge of a small screen: from there on each page had lost its right margin."""
    monkeypatch.setattr("wizard.gui.shell.window.room_on", lambda screen: QRect(0, 0, 1920, 1200))
    window = make_window()
    window.resize(1080, 740)
    go_to(qtbot, window, PageId.BUILD)  # the grid's controls are in the footer
    open_file(window, project)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.CHECK)
    go_to(qtbot, window, PageId.BUILD)
    page = window.page
    assert isinstance(page, BuildPage)
    qtbot.waitUntil(page.project.agree.isVisible)
    page.project.more.button.setChecked(True)
    for language in ("zh_CN", "en", "zh_CN"):
        window.rail.language_chosen.emit(language)
        qtbot.wait(50)  # the footer is laid out anew
        assert window.width() == 1080, language
    page.project.agree.click()
    go_to(qtbot, window, PageId.REVIEW)
    assert window.width() == 1080


@pytest.mark.parametrize("size", [LEAST, (1080, 740)])
def test_a_project_is_read_from_its_top(
    size: tuple[int, int], qtbot: QtBot, make_window: MakeWindow, project: Path
) -> None:
    """The box of what differs has the keys where it is seen, else Tab leads there; Return accepts nothing unread."""
    window = make_window()
    lower(window, size)
    page = opened(qtbot, window, project)
    bar, agree, primary = page._scroll.verticalScrollBar(), page.project.agree, window.footer.primary
    qtbot.waitUntil(agree.isVisible)
    first = page if size == LEAST else agree
    qtbot.waitUntil(lambda: window.focusWidget() is first)
    qtbot.wait(3 * LAID_OUT)
    assert (window.focusWidget(), bar.value()) == (first, 0)
    assert page.ring.isVisible() == (first is page), "where the keys are is seen"
    assert page.ring.size() == page.size() or first is agree
    assert primary.toolTip() == primary.accessibleDescription() == "Tick “I accept the 2 differences” first."
    qtbot.keyClick(first, Qt.Key.Key_Return)
    assert not agree.isChecked()
    if first is page:
        qtbot.keyClick(page, Qt.Key.Key_Tab)
    assert window.focusWidget() is agree
    assert not page.ring.isVisible()
    qtbot.waitUntil(lambda: agree.visibleRegion().boundingRect().height() == agree.height())
    qtbot.keyClick(agree, Qt.Key.Key_Space)
    qtbot.waitUntil(primary.isEnabled)
    assert primary.toolTip() == ""
    qtbot.keyClick(agree, Qt.Key.Key_Return)
    assert window.navigator.page is PageId.PLACE, "Return goes on, and takes no yes back"


def test_a_repository_has_all_of_its_address_in_a_narrow_window(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    (tmp_path / "requirements.txt").write_text("torch\ngit+https://git.example/x/diffusers.git\n")
    window = make_window()
    page = opened(qtbot, window, tmp_path)
    lower(window)
    qtbot.waitUntil(lambda: any("git.example" in one.text() for one in visible(page.project.card, QLabel)))
    qtbot.wait(3 * LAID_OUT)
    line = next(one for one in visible(page.project.card, QLabel) if "git.example" in one.text())
    assert "\u200b" not in line.text(), "copied without the breaks"
    parts = re.split("[\u200b ]", QLabel.text(line))
    assert max(map(line.fontMetrics().horizontalAdvance, parts)) <= line.width()


def test_an_old_project_says_of_which_day_its_packages_are_and_offers_the_newest(
    qtbot: QtBot, make_window: MakeWindow, project: Path, session: FakeSession
) -> None:
    for path in (one for one in project.rglob("*") if one.is_file()):
        os.utime(path, (1_647_259_200, 1_647_259_200))  # 2022-03-14
    window = make_window()
    page = opened(qtbot, window, project)
    qtbot.waitUntil(page.project.newest.isVisible)
    assert "last changed on 2022-03-14" in said(page)
    page.project.agree.click()
    page.project.newest.click()
    assert window.navigator.state.choices.as_of == "today"
    qtbot.waitUntil(lambda: "come in today's newest" in said(page))
    assert not page.project.agree.isChecked(), "it was a yes to the other plan"
    page.project.agree.click()
    go_to(qtbot, window, PageId.PLACE)
    window.navigator.go_to(PageId.BUILD)
    settle(qtbot, window)
    assert page.project.newest.isChecked()
    assert page.project.newest.isVisible()
    page.project.newest.click()
    assert window.navigator.state.choices.as_of is None
    qtbot.waitUntil(lambda: "last changed on 2022-03-14" in said(page))


def test_a_reason_stands_with_what_was_asked_not_with_what_is_planned(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    """“Planned: torch 2.7.1” above “has no code for this card” read as if the planned one had none."""
    (tmp_path / "requirements.txt").write_text("torch==2.10.0+cu102\n")
    page = opened(qtbot, make_window(), tmp_path)
    qtbot.waitUntil(lambda: "torch==2.10.0+cu102" in said(page))
    (why,) = (one for one in page.project.card.findChildren(Advice) if one.isVisible())
    beside = [one.text() for one in why.parentWidget().findChildren(QLabel)]
    assert "torch==2.10.0+cu102" in beside
    assert not any(words.startswith("torch 2.") for words in beside), "what is planned has a cell of its own"
