"""An address that was typed on the Source page and is wrong: it is blamed below its field, and not the network.

The errors are those of the real search, against servers on loopback.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.walking import go_to, press, settle, source_page, texts, typed
from tests.run.test_select_build import choose as select
from tests.sentences import error_text
from tests.servers.index_server import IndexServer
from tests.servers.raw_server import RawServer
from wizard.app.pages.order import PageId
from wizard.app.pages.sources import wrong_address
from wizard.compatibility.model import Choices
from wizard.gui.pages.source.page import SourcePage
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, message
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
        "not found": {"en": "is no package index.", "zh_CN": "不是软件包索引。"},
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
    go_to(qtbot, window, PageId.PLACE)
    press(qtbot, window.footer.back)
    qtbot.waitUntil(page.trouble.isVisible)
    assert page.by_hand.packages.property("wrong"), "also when one comes back"
    session.selected = values.SELECTED
    typed(qtbot, page.by_hand.packages, "https://pypi.example/simple")
    qtbot.keyClick(page.by_hand.packages, Qt.Key.Key_Tab)
    settle(qtbot, window)
    assert not page.trouble.isVisible()
    assert not page.by_hand.packages.property("wrong")
