"""The user's own conda settings: where they lie, how they add up, and which addresses the built-in engine gets."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.toolconfig.test_settings import Computer
from wizard.compatibility.model import Choices
from wizard.model.messages import LANGUAGES, text
from wizard.sources.address_facts import address_facts, begins_with, channel_name, dead_address, needs_terms
from wizard.sources.known_sources import conda_channels
from wizard.toolconfig.conda import (
    CondaValues,
    addresses,
    all_addresses,
    conda_places,
    conda_root_of,
    merge_conda,
    parse_conda_file,
    read_conda,
)
from wizard.toolconfig.model import UserContext

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
OFFICIAL = "https://conda.anaconda.org/conda-forge"
TUNA = """
channels:
  - defaults
show_channel_urls: true
default_channels:
  - https://mirrors.tuna.tsinghua.edu.cn/anaconda/pkgs/main
  - https://mirrors.tuna.tsinghua.edu.cn/anaconda/pkgs/r
  - https://mirrors.tuna.tsinghua.edu.cn/anaconda/pkgs/msys2
custom_channels:
  conda-forge: https://mirrors.tuna.tsinghua.edu.cn/anaconda/cloud
  pytorch: https://mirrors.tuna.tsinghua.edu.cn/anaconda/cloud
"""  # as the operator documents it
USER = "home/me/.condarc"


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    return Computer(tmp_path)


def values(computer: Computer, os_name: str = "linux", conda_root: Path | None = None) -> CondaValues:
    around = UserContext(computer.environ, computer.home, os_name, computer.root)
    return read_conda(around, conda_root).values


def engine_channels(computer: Computer) -> list[str | None]:
    return [source.url for source in conda_channels(Choices(), computer.read())]


def test_every_place_of_the_search_path_and_the_later_wins(computer: Computer) -> None:
    root = computer.root / "opt" / "miniforge3"
    computer.environ.update(
        XDG_CONFIG_HOME=str(computer.root / "xdg"),
        CONDA_PREFIX=str(computer.root / "env"),
        CONDARC=str(computer.root / "lab.yml"),
    )
    places = [
        "etc/conda/.condarc",
        "etc/conda/condarc",
        "etc/conda/condarc.d/a.yml",
        "etc/conda/condarc.d/b.yaml",
        "var/lib/conda/.condarc",
        "opt/miniforge3/.condarc",
        "opt/miniforge3/condarc.d/x.yml",
        "xdg/conda/.condarc",
        "home/me/.config/conda/.condarc",
        "home/me/.conda/.condarc",
        "home/me/.condarc",
        "env/.condarc",
        "lab.yml",
    ]
    for number, place in enumerate(places):
        computer.write(place, f"channels: [c{number}]\nchannel_alias: https://alias{number}.example\n")
        found = values(computer, conda_root=root)
        assert found.alias == f"https://alias{number}.example", place
        assert found.channels == tuple(f"c{n}" for n in range(number, -1, -1)), place
    computer.write("etc/conda/condarc.d/read.me", "channels: [no]\n")
    assert "no" not in values(computer, conda_root=root).channels


def test_windows_places(computer: Computer) -> None:
    """conda has C:/ProgramData in its source, whatever PROGRAMDATA says."""
    computer.environ["PROGRAMDATA"] = str(computer.root / "pd")
    places = conda_places(UserContext(computer.environ, computer.home, "windows", computer.root))
    assert Path("C:/ProgramData/conda/.condarc") == places[0]
    assert not any("etc" in place.parts for place in places)
    assert computer.home / ".condarc" in places


def test_the_installation_of_the_shell(tmp_path: Path) -> None:
    conda = str(tmp_path / "bin" / "conda")
    assert conda_root_of({"CONDA_EXE": conda}) == tmp_path
    assert conda_root_of({"CONDA_ROOT": "/x", "CONDA_EXE": conda}) == Path("/x")
    assert conda_root_of({"CONDA_EXE": "conda"}) is None


def merged(*files: str, **environ: str) -> CondaValues:
    return merge_conda(tuple(parse_conda_file(file, Path(f"/{n}")) for n, file in enumerate(files)), environ)


def test_lists_and_maps_add_up_and_single_values_win() -> None:
    found = merged(
        "channels: [defaults, lab]\ncustom_channels: {a: https://a.example, b: https://b.example}\noffline: true\n",
        "channels: [conda-forge, lab]\ncustom_channels: {b: https://bb.example}\noffline: false\n",
    )
    assert found.channels == ("conda-forge", "lab", "defaults")
    assert dict(found.custom) == {"a": "https://a.example", "b": "https://bb.example"}
    assert not found.offline


def test_marks() -> None:
    lab = "channels: #!final\n  - lab\nchannel_priority: strict  #!final\n"
    found = merged(lab, "channels: [conda-forge]\nchannel_priority: disabled\n")
    assert (found.channels, found.priority) == (("lab",), "strict")
    found = merged("channels:\n  - first  #!top\n  - last  #!bottom\n  - mid\n", "channels: [own]\n")
    assert found.channels == ("first", "own", "mid", "last")


def test_variables_beat_files_and_add_to_lists() -> None:
    found = merged("channels: [a]\nssl_verify: true\n", CONDA_CHANNELS="x, y", CONDA_SSL_VERIFY="no", CONDA_OFFLINE="1")
    assert (found.channels, found.ssl_verify, found.offline) == (("x", "y", "a"), False, True)
    assert merged("channels: ['https://h/t/${TOKEN}/lab']\n", TOKEN="abc").channels == ("https://h/t/abc/lab",)
    assert merged("channels: ['https://h/t/$NOPE/lab']\n").channels == ("https://h/t/$NOPE/lab",)


@pytest.mark.parametrize(("written", "expected"), [("true", "flexible"), ("false", "disabled"), ("strict", "strict")])
def test_the_old_words_of_priority(written: str, expected: str) -> None:
    assert merged(f"channel_priority: {written}\n").priority == expected


def test_names_become_addresses() -> None:
    found = CondaValues(custom=(("conda-forge", "https://m.example/cloud/"), ("lab/inner", "https://i.example")))
    assert addresses("conda-forge", found) == ("https://m.example/cloud/conda-forge",)  # the PARENT is written
    assert addresses("conda-forge/label/dev", found) == ("https://m.example/cloud/conda-forge/label/dev",)
    assert addresses("lab/inner", found) == ("https://i.example/lab/inner",)
    assert addresses("nvidia", found) == ("https://conda.anaconda.org/nvidia",)
    assert addresses("nvidia", CondaValues(alias="https://x.example/c/")) == ("https://x.example/c/nvidia",)
    assert addresses("https://x.example/c/lab/linux-64/", found) == ("https://x.example/c/lab",)
    assert addresses("conda-forge/win-64", CondaValues()) == (OFFICIAL,)
    assert addresses("local", found) == addresses("nodefaults", found) == ()
    assert addresses("C:\\channels\\lab", found) == ("C:\\channels\\lab",)
    multi = CondaValues(multi=(("team", ("conda-forge", "https://t.example/t")),))
    assert addresses("team", multi) == (OFFICIAL, "https://t.example/t")
    assert all(needs_terms(url) for url in addresses("defaults", CondaValues()))


def test_mamba_mirrors_stand_for_the_name(computer: Computer) -> None:
    computer.write(
        "home/me/.mambarc",
        """
        channels: [conda-forge]
        mirrored_channels:
          conda-forge: [https://one.example/conda-forge, oci://ghcr.io/channel-mirrors/conda-forge]
    """,
    )
    assert engine_channels(computer) == ["https://one.example/conda-forge", OFFICIAL]


def test_the_operators_own_example(computer: Computer) -> None:
    """`defaults` is left, and conda-forge is asked where the user put it; the official place stands behind it."""
    computer.write(USER, TUNA)
    found = computer.read()
    assert found.conda_channels == ("https://mirrors.tuna.tsinghua.edu.cn/anaconda/cloud/conda-forge",)
    assert [notice.key for notice in found.notices] == ["settings.channel-terms"]
    assert all(text(found.notices[0], language) for language in LANGUAGES)
    assert engine_channels(computer) == [*found.conda_channels, OFFICIAL]


@pytest.mark.parametrize("name", ["defaults", "https://repo.anaconda.com/pkgs/main", "main", "anaconda", "r"])
def test_anacondas_channels_are_never_taken(computer: Computer, name: str) -> None:
    computer.write(USER, f"channels: ['{name}']\n")
    assert computer.read().conda_channels == ()
    assert engine_channels(computer) == [OFFICIAL]


def test_channels_without_python_are_of_no_use_to_the_engine(computer: Computer) -> None:
    computer.write(USER, "channels: [pytorch, nvidia, bioconda, conda-forge]\nchannel_priority: strict\n")
    assert engine_channels(computer) == [OFFICIAL]
    computer.write(USER, "channels: [https://lab.example/conda/main, conda-forge]\n")
    assert engine_channels(computer) == ["https://lab.example/conda/main", OFFICIAL]


def test_a_closed_lab_stays_closed(computer: Computer) -> None:
    folder = computer.root / "channel"
    computer.write(USER, f"channels: [conda-forge, '{folder.as_uri()}']\noffline: true\n")
    assert engine_channels(computer) == [folder.as_uri()]
    computer.write(USER, "channels: [https://lab.example/c]\nallowlist_channels: [https://lab.example/c]\n")
    assert engine_channels(computer) == ["https://lab.example/c"]
    computer.write(USER, "channels: [https://lab.example/c]\nallowlist_channels: [https://lab.example/c, conda-forge]")
    assert engine_channels(computer) == ["https://lab.example/c", OFFICIAL]


def test_proxy_and_certificate_where_pip_has_none(computer: Computer) -> None:
    authority = computer.write("home/me/lab.pem", "x")
    computer.write(
        USER, "proxy_servers: {http: 'http://p.example:1', https: 'http://p.example:2'}\nssl_verify: ~/lab.pem\n"
    )
    assert (computer.read().proxy, computer.read().certificate) == ("http://p.example:2", str(authority))
    computer.write("home/me/.config/pip/pip.conf", "[global]\nproxy = q.example:3\ncert = /own.pem\n")
    assert (computer.read().proxy, computer.read().certificate) == ("q.example:3", "/own.pem")


@pytest.mark.parametrize("verify", ["false", "true", "truststore", "<truststore>", "/gone/ca.pem", "''"])
def test_certificate_checks_are_never_loosened(computer: Computer, verify: str) -> None:
    computer.write(USER, f"ssl_verify: {verify}\n")
    assert computer.read().certificate is None


def test_addresses_are_checked_and_secrets_kept_quiet(computer: Computer) -> None:
    computer.write(USER, "channels: ['http://me:topsecret@lab.example/c', 'https://me:pw@ok.example/c']\n")
    found = computer.read()
    assert found.conda_channels == ("https://me:pw@ok.example/c",)
    assert [notice.key for notice in found.notices] == ["settings.address-not-secure"]
    assert all("topsecret" not in text(notice, language) for notice in found.notices for language in LANGUAGES)


@pytest.mark.parametrize("content", [b"channels: [", b"- a\n", b"a: 1\na: 2\n", b"\xff\xfe", b"just words", b"{a: *b}"])
def test_an_unreadable_file_is_a_notice(computer: Computer, content: bytes) -> None:
    computer.write(USER, content)
    computer.write("home/me/.conda/.condarc", "channels: [https://lab.example/c]\n")
    found = computer.read()
    assert found.conda_channels == ("https://lab.example/c",)
    assert [notice.key for notice in found.notices] == ["settings.unreadable"]
    assert str(Path(USER)) in text(found.notices[0], "en")


@CALM
@given(st.one_of(st.binary(), st.text().map(lambda t: f"channels: [{t}]\n".encode())))
def test_no_content_makes_it_fail(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    computer = Computer(tmp_path_factory.mktemp("computer"))
    computer.write(USER, content)
    for os_name in ("linux", "windows"):
        found = computer.read(os_name)
        assert all(text(notice, language) for notice in found.notices for language in LANGUAGES)
        assert not any(needs_terms(url) for url in found.conda_channels)


def test_lines_are_known() -> None:
    file = parse_conda_file("# note\nchannels:\n  - a\n  - b\ncustom_channels:\n  x: https://x.example\n", Path("/f"))
    assert [(row.key, row.name, row.value, row.line) for row in file.rows] == [
        ("channels", None, "a", 3),
        ("channels", None, "b", 4),
        ("custom_channels", "x", "https://x.example", 6),
    ]


def test_facts_about_addresses() -> None:
    facts = address_facts()
    assert all(row.source and row.as_of for row in (*facts.dead, *facts.terms, *facts.options))
    assert begins_with("https://me:pw@Pypi.Douban.com/simple/", "pypi.douban.com")
    assert not begins_with("https://pypi.douban.com.evil.example/", "pypi.douban.com")
    dead = dead_address("http://pypi.douban.com/simple/")
    assert dead is not None
    assert dead.status == "gone"
    assert dead_address("https://mirrors.ustc.edu.cn/pypi/simple") is None
    assert channel_name("https://x.example/cloud/conda-forge/") == "conda-forge"
    assert channel_name("https://x.example/t/tk-1/conda-forge/label/dev") == "conda-forge/label/dev"
    assert not needs_terms(OFFICIAL)


def test_all_addresses_are_in_order_without_repeats() -> None:
    found = CondaValues(channels=("conda-forge", OFFICIAL, "https://x.example/c/"))
    assert all_addresses(found) == (OFFICIAL, "https://x.example/c")
