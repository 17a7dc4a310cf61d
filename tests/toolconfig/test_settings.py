"""The user's own pip and uv settings: where they lie, which one wins, and that nothing in them can stop us."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wizard.model.messages import LANGUAGES, text
from wizard.sources.model import UserSettings
from wizard.toolconfig.settings import read_user_settings

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
A, B, C, D = (f"https://{name}.example/simple" for name in "abcd")


class Computer:
    """A file system of its own, with a home in it."""

    def __init__(self, root: Path) -> None:
        self.root, self.home = root, root / "home" / "me"
        self.home.mkdir(parents=True)
        self.environ: dict[str, str] = {}

    def write(self, path: str, content: str | bytes) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        return place

    def read(self, os_name: str = "linux") -> UserSettings:
        return read_user_settings(self.environ, self.home, os_name, self.root)


linux = pytest.mark.skipif(sys.platform == "win32", reason="relative folders of Linux")


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    return Computer(tmp_path)


USER, LEGACY, GLOBAL, XDG = (
    "home/me/.config/pip/pip.conf",
    "home/me/.pip/pip.conf",
    "etc/pip.conf",
    "etc/xdg/pip/pip.conf",
)


def test_nothing_is_set(computer: Computer) -> None:
    assert computer.read() == UserSettings()
    assert computer.read("windows") == UserSettings()


def test_files_win_in_pips_order_key_by_key(computer: Computer) -> None:
    for path in (XDG, GLOBAL, LEGACY, USER):
        computer.write(path, f"[global]\nindex-url = https://{path.replace('/', '.')}\n")
        expected = f"https://{path.replace('/', '.')}"
        assert computer.read().index_url == expected
    computer.write(LEGACY, f"[global]\nextra-index-url = {B}\n")
    settings = computer.read()
    assert (settings.index_url, settings.extra_index_urls) == (f"https://{USER.replace('/', '.')}", (B,))
    assert settings.files == tuple(str(computer.root / path) for path in (XDG, GLOBAL, LEGACY, USER))


def test_install_beats_global_and_variables_beat_files(computer: Computer) -> None:
    computer.write(USER, f"[install]\nindex-url={B}\n[global]\nindex_url={A}\n[download]\nindex-url={D}\n")
    assert computer.read().index_url == B
    computer.environ["PIP_INDEX_URL"] = C
    assert computer.read().index_url == C
    computer.environ["PIP_INDEX_URL"] = ""
    assert computer.read().index_url == B


def test_many_values_stand_apart_by_any_white_space(computer: Computer) -> None:
    computer.write(USER, f"[global]\r\nextra-index-url =\r\n    {A}\r\n    {B}   {C}\r\n; note\r\n# note\r\n")
    assert computer.read().extra_index_urls == (A, B, C)
    computer.environ["PIP_EXTRA_INDEX_URL"] = D
    assert computer.read().extra_index_urls == (D,)


def test_pip_config_file(computer: Computer) -> None:
    computer.write(USER, f"[global]\nindex-url={A}\n")
    computer.write(GLOBAL, f"[global]\nextra-index-url={B}\n")
    named = computer.write("lab.conf", f"[global]\nfind-links={C}\n")
    computer.environ["PIP_CONFIG_FILE"] = str(named)
    settings = computer.read()
    assert (settings.index_url, settings.extra_index_urls, settings.find_links) == (None, (B,), (C,))
    computer.environ["PIP_CONFIG_FILE"] = str(computer.root / "gone.conf")
    assert computer.read().index_url == A
    computer.environ["PIP_CONFIG_FILE"] = "/dev/null"
    assert computer.read().files == ()


def test_windows_places(computer: Computer) -> None:
    computer.environ.update(PROGRAMDATA=str(computer.root / "pd"), APPDATA=str(computer.root / "ad"))
    computer.write("pd/pip/pip.ini", f"[global]\nindex-url={A}\nextra-index-url={B}\n")
    computer.write("home/me/pip/pip.ini", f"[global]\nindex-url={C}\n")
    computer.write(
        "ad/pip/pip.ini", b"\xef\xbb\xbf[global]\r\nindex-url=" + D.encode() + b"\r\nfind-links=D:\\wheels\r\n"
    )
    computer.write("ad/uv/uv.toml", f'extra-index-url = ["{C}"]')
    settings = computer.read("windows")
    assert (settings.index_url, settings.extra_index_urls) == (D, (B, C))
    assert settings.find_links == ("file:///D:/wheels",)
    computer.environ["PIP_CONFIG_FILE"] = "NUL"
    assert computer.read("windows").files == (str(computer.root / "ad/uv/uv.toml"),)


@linux
def test_folders_become_file_urls(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(computer.root)
    computer.write(USER, "[global]\nfind-links = /srv/wheels ~/轮子 wheels file:///srv/more\nno-index = yes\n")
    settings = computer.read()
    assert settings.find_links == (
        "file:///srv/wheels",
        (computer.home / "轮子").as_uri(),
        (computer.root / "wheels").as_uri(),
        "file:///srv/more",
    )
    assert settings.no_index


def test_values_are_taken_as_they_are(computer: Computer) -> None:
    """No interpolation, no inline comments: pip would use the very same text."""
    computer.write(
        USER, "[global]\nindex-url = https://u:p%40ss@a.example/s%(x)s?k=1;2\ncert = /ca file.pem\nproxy=p:3128\n"
    )
    settings = computer.read()
    assert settings.index_url == "https://u:p%40ss@a.example/s%(x)s?k=1;2"
    assert (settings.certificate, settings.proxy) == ("/ca file.pem", "p:3128")


@pytest.mark.parametrize(
    "value",
    ["https://a.example/simple  # my mirror", pytest.param("mirror example", marks=linux), "https://[", "gopher://x/"],
)
def test_an_unusable_address_is_left_out_and_said(computer: Computer, value: str) -> None:
    computer.write(USER, f"[global]\nindex-url = {value}\n")
    settings = computer.read()
    if value == "mirror example":  # a path, as far as pip knows
        assert settings.index_url
        assert settings.index_url.endswith("mirror%20example")
        return
    assert settings.index_url is None
    assert [notice.key for notice in settings.notices] == ["settings.bad-address"]


def test_plain_http_is_left_out_without_telling_the_password(computer: Computer) -> None:
    computer.write(
        USER, "[global]\nindex-url = http://me:secret@lab.example/simple\nextra-index-url = http://127.0.0.1/s\n"
    )
    settings = computer.read()
    assert (settings.index_url, settings.extra_index_urls) == (None, ("http://127.0.0.1/s",))
    for language in LANGUAGES:
        assert "secret" not in text(settings.notices[0], language)
        assert "lab.example" in text(settings.notices[0], language)


@pytest.mark.parametrize(
    "content",
    [
        b"index-url = x\n",
        b"[global\nx",
        b"[global]\nkey\n",
        b"[global]\na=1\na=2\n",
        b"\xff\xfe[\x00g\x00",
        b"\x00\x01",
        b"\x81\x82",
    ],
)
def test_an_unreadable_file_is_a_notice(computer: Computer, content: bytes) -> None:
    computer.write(USER, content)
    computer.write(GLOBAL, f"[global]\nindex-url={A}\n")
    settings = computer.read()
    assert settings.index_url == A
    assert [notice.key for notice in settings.notices] == ["settings.unreadable"]
    assert all(str(Path(USER)) in text(notice, language) for notice in settings.notices for language in LANGUAGES)


def test_a_folder_in_place_of_a_file_is_a_notice(computer: Computer) -> None:
    (computer.root / USER).mkdir(parents=True)
    computer.write("home/me/.config/uv/uv.toml", "not = [toml")
    assert [notice.key for notice in computer.read().notices] == ["settings.unreadable"] * 2


@linux
def test_uv_files(computer: Computer) -> None:
    computer.write(
        "home/me/.config/uv/uv.toml",
        f'''
        find-links = ["wheels"]
        extra-index-url = ["{B}"]
        [[index]]
        url = "{A}"
        default = true
        [[index]]
        name = "torch"
        url = "{C}"
        explicit = true
        [[index]]
        url = "https://flat.example/cu126/"
        format = "flat"
    ''',
    )
    computer.write("etc/uv/uv.toml", f'index-url = "{D}"')
    settings = computer.read()
    assert settings.index_url == A
    assert settings.extra_index_urls == (B, D)
    assert settings.find_links == ("https://flat.example/cu126/", (computer.home / ".config/uv/wheels").as_uri())
    computer.write(USER, f"[global]\nindex-url={C}\n")
    assert (computer.read().index_url, computer.read().extra_index_urls) == (C, (B, A, D))
    computer.environ["UV_NO_CONFIG"] = "1"
    assert computer.read().extra_index_urls == ()


def test_uv_variables(computer: Computer) -> None:
    computer.environ = {
        "UV_DEFAULT_INDEX": A,
        "UV_INDEX_URL": "https://old.example/simple",
        "UV_INDEX": f"lab={B} {C}?a=b",
        "UV_EXTRA_INDEX_URL": D,
        "UV_FIND_LINKS": "/x,/y /z",
        "UV_NO_INDEX": "true",
    }
    found = computer.read()
    assert (found.index_url, found.extra_index_urls) == (A, (B, f"{C}?a=b", D))
    assert found.find_links == ("file:///x", "file:///y", "file:///z")
    assert found.no_index


def test_uvs_pip_table_wins_for_uv_pip(computer: Computer) -> None:
    lists = f'extra-index-url = ["{C}"]\n[pip]\nextra-index-url = ["{D}"]\n'
    computer.write("etc/uv/uv.toml", f'index-url = "{A}"\n{lists}index-url = "{B}"\nno-index = true\n')
    found = computer.read()
    assert (found.index_url, found.extra_index_urls, found.no_index) == (B, (D,), True)


ENVIRON = st.dictionaries(
    st.sampled_from(
        ["PIP_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "UV_INDEX", "UV_FIND_LINKS", "UV_DEFAULT_INDEX"]
    ),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
)


@CALM
@given(content=st.one_of(st.binary(), st.text().map(lambda t: f"[global]\nindex-url={t}\n".encode())), environ=ENVIRON)
def test_no_content_and_no_variable_makes_it_fail(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, environ: dict[str, str]
) -> None:
    computer = Computer(tmp_path_factory.mktemp("computer"))
    computer.environ = environ
    computer.write(USER, content)
    computer.write("home/me/.config/uv/uv.toml", content)
    for os_name in ("linux", "windows"):
        settings = computer.read(os_name)
        assert all(text(notice, language) for notice in settings.notices for language in LANGUAGES)


@CALM
@given(
    st.recursive(
        st.one_of(st.integers(), st.booleans(), st.text(max_size=3)), lambda inner: st.lists(inner, max_size=3)
    )
)
def test_odd_types_in_uv_toml_are_left_out(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    computer = Computer(tmp_path_factory.mktemp("computer"))
    for key in ("index", "index-url", "extra-index-url", "find-links", "no-index", "pip"):
        computer.write("etc/uv/uv.toml", f"{key} = {json.dumps(value)}")
        assert isinstance(computer.read(), UserSettings)


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes in the file system")
def test_a_pipe_in_place_of_a_settings_file_is_not_waited_for(tmp_path: Path) -> None:
    for place in (".config/pip/pip.conf", ".config/uv/uv.toml", ".condarc"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(tmp_path / place)
    found = read_user_settings({}, tmp_path, "linux", tmp_path / "root")
    assert [notice.key for notice in found.notices].count("settings.unreadable") == 3
