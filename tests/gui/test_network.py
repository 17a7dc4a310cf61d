"""The network on the page Source: the system's settings, a proxy by hand, and what is wrong with them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.test_source import is_in_sight
from tests.gui.walking import go_to, press, settle, source_page, texts, typed
from tests.sentences import error_text
from wizard.app.pages.order import PageId
from wizard.model.errors import WizardError
from wizard.model.messages import message
from wizard.sources.model import Origin
from wizard.transfer.proxy.model import Mode, SystemProxy


def test_passwords_in_addresses_are_not_shown(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    address = "https://me:word@packages.example/simple"
    secret = replace(values.TUNA, id="own", origin=Origin.USER_SETTINGS, url=address, name="own")
    session.selected = replace(values.PROBED_SELECTED, package_sources=(secret,), states=(values.PROBED[0],))
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    qtbot.waitUntil(lambda: any("packages.example" in text for text in texts(window)))
    assert not any("word@" in text or "me:word" in text for text in texts(window))


def test_what_the_system_says_is_shown_without_a_password(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.system = SystemProxy(
        http="http://me:word@proxy.example:3128",
        no_proxy=(".lab.example",),
        notices=(message("network.notice.script"),),
    )
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    page.network_fold.button.setChecked(True)
    assert "proxy.example:3128" in page.network.said
    assert "word" not in page.network.said
    assert ".lab.example" in page.network.said
    assert "PAC" in page.network.said
    assert "--proxy" not in page.network.said, "no talk of the command line in the window"


def test_a_proxy_by_hand_is_kept_and_the_sources_are_asked_again(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    page.network_fold.button.setChecked(True)
    assert not page.network.address.isVisible()
    page.network.modes[Mode.CUSTOM].setChecked(True)
    for field, text in (
        (page.network.address, "http://proxy.example:3128"),
        (page.network.user, "li"),
        (page.network.password, "p@ss:word"),
        (page.network.except_hosts, "*.lab.example, 10.0.0.0/8"),
    ):
        typed(qtbot, field, text)
    assert page.network.password.echoMode() is QLineEdit.EchoMode.Password
    press(qtbot, page.network.apply)
    settle(qtbot, window)
    wish = session.wish
    assert (wish.mode, wish.proxy) == (Mode.CUSTOM, "http://li:p%40ss%3Aword@proxy.example:3128")
    assert wish.no_proxy == (".lab.example", "10.0.0.0/8")
    assert session.names().count("select_build") == 2
    assert window.navigator.state.selected is not None
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    go_to(qtbot, window, PageId.SOURCE)
    assert page.network.address.text() == "http://proxy.example:3128", "the login has fields of its own"
    assert (page.network.user.text(), page.network.password.text()) == ("li", "p@ss:word")


@pytest.mark.parametrize(
    ("field", "text", "code"),
    [
        ("address", "ftp://proxy.example", "network-proxy-scheme"),
        ("address", "http://", "network-bad-proxy"),
        ("except_hosts", "not a host!", "network-bad-host"),
        ("certificate", "/nowhere/ca.pem", "network-ca-unreadable"),
    ],
)
def test_wrong_values_are_a_sentence_in_the_page(
    field: str, text: str, code: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    page.network_fold.button.setChecked(True)
    page.network.modes[Mode.CUSTOM].setChecked(True)
    typed(qtbot, page.network.address, "http://proxy.example:3128")
    typed(qtbot, getattr(page.network, field), text)
    press(qtbot, page.network.apply)
    assert page.trouble.code == f"error.{code}.summary"
    assert "save_network" not in session.names()


@pytest.mark.parametrize(
    ("code", "words", "field"),
    [
        ("network-proxy-offline", "Change proxy…", "chosen_mode"),
        ("no-source-answers", "Change proxy…", "chosen_mode"),
        ("network-tls-issuer", "Choose a certificate…", "certificate"),
        ("source-certificate", "Choose a certificate…", "certificate"),
    ],
)
def test_what_is_wrong_with_the_network_is_a_button_away(
    code: str, words: str, field: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    named = {"proxy": "127.0.0.1:7890", "place": "PyTorch", "source": "PyTorch", "issuer": "Campus", "reasons": ()}
    session.fail["select_build"] = WizardError(error_text(code), **named)
    window = make_window()
    window.resize(1000, 560)
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    qtbot.waitUntil(page.trouble.isVisible)
    assert page.network_fold.button.isChecked()
    assert not page.fold.button.isChecked(), "another source has the same network"
    assert "Source" not in page.trouble.plain_text(), "nobody is led to where they are"
    page.network_fold.button.setChecked(False)
    assert page.trouble.again.text() == words
    press(qtbot, page.trouble.again)
    wanted = getattr(page.network, field)
    qtbot.waitUntil(lambda: is_in_sight(page, wanted))
    assert window.focusWidget() is wanted


def test_from_another_page_the_blamed_proxy_is_open(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.PLACE)
    session.fail["preview"] = WizardError("network-proxy-offline", proxy="127.0.0.1:7890", place="PyPI")
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.REVIEW and window.page.trouble.isVisible())
    press(qtbot, window.page.trouble.ways[0])
    page = source_page(window)
    qtbot.waitUntil(lambda: is_in_sight(page, page.network.chosen_mode))
