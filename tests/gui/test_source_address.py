"""An address that was typed on the Source page and is wrong: it is blamed below its field, and not the network.

The errors are those of the real search, against servers on loopback.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.walking import go_to, press, settle, source_page, texts, typed
from tests.run.test_select_build import choose as select
from tests.run.test_select_build import wheel
from tests.sentences import error_text
from tests.servers.index_server import IndexServer
from tests.servers.raw_server import RawServer
from wizard.app.pages.order import PageId
from wizard.app.pages.sources import must_correct, rows_of, wrong_address
from wizard.compatibility.model import Choices
from wizard.gui.pages.source.page import SourcePage
from wizard.gui.widgets.commands import page_name
from wizard.gui.widgets.labels import SIGNS
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, message, text
from wizard.sources.model import Availability, Layout, Origin, Source, SourceStatus

_PAGE = b"<html><body>Welcome to our laboratory.</body></html>"
_HEAD = b"HTTP/1.1 %s\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[IndexServer]:
    with IndexServer(tmp_path / "wheels") as server:
        yield server


def _answering(status: bytes) -> Callable[[bytes], list[bytes | float]]:
    return lambda request: [_HEAD % (status, len(_PAGE)), _PAGE]


def _error(server: IndexServer, address: str) -> WizardError:
    with pytest.raises(WizardError) as raised:
        select(server, torch_index=address, index=None)
    return raised.value


def test_the_keys_go_through_the_fields_as_they_are_seen(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    press(qtbot, page.fold.button)
    by_hand = page.by_hand
    seen = (by_hand.torch, by_hand.packages, by_hand.folder, by_hand._browse, by_hand.channel)
    seen[0].setFocus()
    for now, after in pairwise(seen):
        qtbot.keyClick(now, Qt.Key.Key_Tab)
        assert window.focusWidget() is after


def _typed_in(qtbot: QtBot, window: object, session: FakeSession, error: WizardError, address: str) -> SourcePage:
    go_to(qtbot, window, PageId.SOURCE)  # type: ignore[arg-type]
    page = source_page(window)  # type: ignore[arg-type]
    press(qtbot, page.fold.button)
    session.fail["select_build"] = error
    typed(qtbot, page.by_hand.torch, address)
    qtbot.keyClick(page.by_hand.torch, Qt.Key.Key_Tab)
    qtbot.waitUntil(page.trouble.isVisible)
    return page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["nobody", "no index", "not found"])
def test_a_wrong_address_is_blamed_below_its_field(
    kind: str, language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, server: IndexServer
) -> None:
    """It was told as “No internet connection” beside sources that had just answered."""
    status = b"404 Not Found" if kind == "not found" else b"200 OK"
    with RawServer(_answering(status)) as lab:
        address = "http://127.0.0.1:9/simple/" if kind == "nobody" else f"{lab.root}/simple/"
        error = _error(server, address)
    page = _typed_in(qtbot, make_window(language), session, error, address)
    told = page.trouble.plain_text()
    expected = {
        "nobody": {"en": "This address does not answer.", "zh_CN": "这个地址没有响应。"},
        "no index": {"en": "no package index.", "zh_CN": "不是软件包索引。"},
        "not found": {"en": "/simple/torch/ (HTTP 404).", "zh_CN": "/simple/torch/ 上什么都没有（HTTP 404）。"},
    }
    assert expected[kind][language] in told
    assert not any(words in told for words in ("internet connection", "网络连接", "below", "下面"))
    assert ("Other sources answered" in told or "其他下载源有响应" in told) is (kind == "nobody")
    assert [bool(one.property("wrong")) for one in page.by_hand._fields] == [True, False, False, False]
    field = page.by_hand.torch
    top = page.trouble.mapTo(page, page.trouble.rect().topLeft()).y()
    assert 0 < top - field.mapTo(page, field.rect().bottomLeft()).y() < 16
    assert page.fold.button.isChecked()
    assert not page.network_fold.button.isChecked(), "the network is not what lacks"


def test_without_any_answer_before_the_network_may_be_it(server: IndexServer) -> None:
    error = _error(server, "http://127.0.0.1:9/simple/")
    choices = Choices(torch_index="http://127.0.0.1:9/simple/")
    wrong = wrong_address(error, choices, has_answer=False)
    assert wrong is not None
    assert wrong.hint.key == "page.source.address-or-network"
    assert wrong_address(replace_details(error, "official PyPI: unreachable"), choices, has_answer=False) is None


def replace_details(error: WizardError, more: str) -> WizardError:
    return WizardError(error_text(error.code), details=f"{error.details}\n{more}", **error.params)


def test_a_channel_that_does_not_answer_is_told_below_its_field(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    press(qtbot, page.fold.button)
    address = "https://conda.lab.exmaple"
    named = {"tried": address, "python": "3.12", "found": "-"}
    session.fail["select_build"] = WizardError(error_text("engine-rattler-no-channel"), **named)
    typed(qtbot, page.by_hand.channel, address)
    qtbot.keyClick(page.by_hand.channel, Qt.Key.Key_Tab)
    qtbot.waitUntil(page.trouble.isVisible)
    assert "no conda channel" in page.trouble.plain_text()
    assert page.by_hand.channel.property("wrong")


def test_an_index_that_fails_only_later_is_told_where_it_was_typed(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """The build comes from elsewhere, and all else would be asked of who does not answer."""
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    press(qtbot, page.fold.button)
    source = Source("by-hand-index", Layout.SIMPLE, Origin.BY_HAND, "https://pypi.exmaple/simple", "Your choice")
    words = message("error.source-offline.summary", "{source} could not be reached.", source="Your choice")
    lost = SourceStatus(source, Availability.UNREACHABLE, words)
    session.selected = replace(values.SELECTED, package_sources=(source,), states=(*values.SELECTED.states, lost))
    typed(qtbot, page.by_hand.packages, "https://pypi.exmaple/simple")
    qtbot.keyClick(page.by_hand.packages, Qt.Key.Key_Tab)
    qtbot.waitUntil(page.trouble.isVisible)
    settle(qtbot, window)
    assert page.by_hand.packages.property("wrong")
    assert any("This address does not answer." in one for one in texts(window))
    press(qtbot, window.footer.back)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.BUILD)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(page.trouble.isVisible)
    assert page.by_hand.packages.property("wrong"), "also when one comes back"
    session.selected = values.SELECTED
    typed(qtbot, page.by_hand.packages, "https://pypi.example/simple")
    qtbot.keyClick(page.by_hand.packages, Qt.Key.Key_Tab)
    settle(qtbot, window)
    assert not page.trouble.isVisible()
    assert not page.by_hand.packages.property("wrong")


_ANSWERS = {  # how the address for all other packages answers: what is said below its field
    "404 Not Found": ("There is nothing at {root}/simple/numpy/ (HTTP 404).", "{root}/simple/numpy/ 上什么都没有"),
    "503 Busy": ("This address answers with an error (HTTP 503).", "这个地址返回了错误（HTTP 503）。"),
    "403 Forbidden": ("refuses to answer this computer (HTTP 403).", "拒绝了本机的访问（HTTP 403）。"),
    "200 OK": ("does not have NumPy, or is no package index.", "没有 NumPy，或者不是软件包索引。"),
    "": ("This address does not answer.", "这个地址没有响应。"),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("status", _ANSWERS)
def test_a_wrong_index_for_other_packages_is_told_and_next_waits(
    status: str, language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, server: IndexServer
) -> None:
    """It was said to serve, and Review blamed the network or what nobody had added."""
    wheel(server.root, "torch", "2.15.0+cpu")
    with RawServer(_answering(status.encode() or b"200 OK")) as lab:
        root = lab.root if status else "http://127.0.0.1:9"
        found = select(server, index=f"{root.replace('//', '//li:secret@')}/simple/")
    window = make_window(language)
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    press(qtbot, page.fold.button)
    session.selected = found
    typed(qtbot, page.by_hand.packages, f"{root}/simple/")
    qtbot.keyClick(page.by_hand.packages, Qt.Key.Key_Tab)
    qtbot.waitUntil(page.trouble.isVisible)
    settle(qtbot, window)
    told = page.trouble.plain_text()
    assert _ANSWERS[status][LANGUAGES.index(language)].format(root=root.replace("//", "//***@")) in told
    assert "secret" not in told + "".join(texts(window))
    assert [bool(one.property("wrong")) for one in page.by_hand._fields] == [False, True, False, False]
    assert not any("come from here" in one or "都来自这里" in one for one in texts(window))
    assert [len(page.tables[kind].rows) for kind in ("torch", "packages")] == [1, 1]
    assert page.tables["packages"].lines[0].no_choice.text() == SIGNS["problem"]
    assert not window.footer.primary.isEnabled(), "all else would fail later"
    assert window.footer.primary.toolTip()
    session.selected = values.SELECTED
    page.by_hand.packages.clear()
    qtbot.keyClick(page.by_hand.packages, Qt.Key.Key_Tab)
    qtbot.waitUntil(window.footer.primary.isEnabled)
    assert not page.trouble.isVisible()


def test_an_index_that_a_folder_completes_is_no_wrong_one(server: IndexServer, tmp_path: Path) -> None:
    """It may have the few packages of a lab; where nobody has NumPy it is told, once."""
    wheel(server.root, "torch", "2.15.0+cpu")
    links = tmp_path / "links"
    links.mkdir()
    with RawServer(_answering(b"404 Not Found")) as lab:
        address = f"{lab.root}/simple/"
        wrong = select(server, index=address, torch_index=None, find_links=(server.root.as_uri(),))
        wheel(links, "numpy", "2.3.5")
        completed = select(server, index=address, find_links=(str(links),))
    assert [row.source.id for row in rows_of(wrong) if row.kind == "packages"] == [
        "by-hand-index",
        "by-hand-find-links-1",
    ]
    assert must_correct(wrong, Choices()) is not None
    assert must_correct(completed, Choices()) is None


def test_the_address_of_torch_that_is_not_there_is_named_without_its_login(server: IndexServer) -> None:
    with RawServer(_answering(b"404 Not Found")) as lab:
        address = f"{lab.root.replace('//', '//li:secret@')}/simple/?token=hush"
        error = _error(server, address)
    wrong = wrong_address(error, Choices(torch_index=address), has_answer=True)
    assert wrong is not None
    told = text(wrong.summary, "en")
    assert "/simple/torch/" in told
    assert "HTTP 404" in told
    assert "secret" not in told
    assert "hush" not in told


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", ["lock-network", "lock-no-solution"])
def test_review_leads_to_the_sources(
    code: str, language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """An index that fell silent since has a way back."""
    session.fail["preview"] = WizardError(error_text(code))
    window = make_window(language)
    go_to(qtbot, window, PageId.REVIEW)
    qtbot.waitUntil(window.page.trouble.isVisible)
    assert page_name(PageId.SOURCE) in window.page.trouble.plain_text()
    window.page.trouble.opened.emit(PageId.SOURCE.value)
    assert window.navigator.page is PageId.SOURCE
