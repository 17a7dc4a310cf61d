"""Sources in order of trust, the rows behind them, the official index, and channels that answer."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers.index_server import Answer, IndexServer
from wizard.model.errors import UsageError
from wizard.model.messages import text
from wizard.sources.channel import check_channel
from wizard.sources.known_sources import conda_channels, package_sources, torch_sources
from wizard.sources.model import Layout, Origin, UserSettings
from wizard.sources.read import ask_uv, parse_help, parse_index_annotation
from wizard.sources.table import forbidden_means_missing, mirror_rows, official
from wizard.transfer.http import SourceUnreachable

LAB, EXTRA = "https://lab.example/simple", "https://extra.example/simple"
SETTINGS = UserSettings(index_url=LAB, extra_index_urls=(EXTRA,), find_links=("file:///srv/wheels",))


@dataclass(frozen=True)
class Typed:
    index: str | None = None
    torch_index: str | None = None
    find_links: tuple[str, ...] = ()
    channel: str | None = None


def torch_urls(typed: Typed, settings: UserSettings = SETTINGS) -> list[str | None]:
    return [source.url for source in torch_sources(typed, settings, "cu126")]


def package_urls(typed: Typed, settings: UserSettings = SETTINGS) -> list[str | None]:
    return [source.url for source in package_sources(typed, settings)]


OFFICIAL_TORCH = "https://download.pytorch.org/whl/cu126"


def test_torch_in_order_of_trust() -> None:
    assert torch_urls(Typed()) == ["file:///srv/wheels", EXTRA, LAB, OFFICIAL_TORCH, None]
    assert torch_urls(Typed(), UserSettings()) == [OFFICIAL_TORCH, None]
    sources = torch_sources(Typed(), SETTINGS, "cu126")
    assert [source.variant for source in sources] == [None, None, None, "cu126", None]
    assert [source.layout for source in sources][:2] == [Layout.FLAT, Layout.SIMPLE]
    assert len({source.id for source in sources}) == len(sources)
    assert all(source.name for source in sources)


def test_by_hand_replaces_the_rest(tmp_path: Path) -> None:
    folder = str(tmp_path)
    assert torch_urls(Typed(torch_index="https://t.example/cu126")) == ["https://t.example/cu126"]
    assert torch_urls(Typed(torch_index="https://t.example/", find_links=(folder,))) == [
        "https://t.example/",
        tmp_path.as_uri(),
    ]
    assert torch_urls(Typed(index="https://i.example/")) == ["https://i.example/", OFFICIAL_TORCH]
    assert torch_urls(Typed(find_links=(folder,)))[0] == tmp_path.as_uri()
    assert package_urls(Typed(index="https://i.example/", find_links=(folder,))) == [
        "https://i.example/",
        tmp_path.as_uri(),
    ]
    assert package_urls(Typed(torch_index="https://t.example/")) == [LAB, EXTRA, "file:///srv/wheels"]


def test_packages_default_and_own(tmp_path: Path) -> None:
    assert package_urls(Typed(), UserSettings()) == [None]
    assert package_urls(Typed(), UserSettings(extra_index_urls=(EXTRA,))) == [None, EXTRA]
    added = Typed(find_links=(str(tmp_path),))
    assert package_urls(added) == [LAB, EXTRA, tmp_path.as_uri(), "file:///srv/wheels"]


def test_no_index_leaves_folders_only() -> None:
    closed = UserSettings(index_url=LAB, find_links=("file:///srv/wheels",), no_index=True)
    assert torch_urls(Typed(), closed) == package_urls(Typed(), closed) == ["file:///srv/wheels"]


def test_one_address_comes_once() -> None:
    twice = UserSettings(index_url=LAB + "/", extra_index_urls=(LAB, OFFICIAL_TORCH))
    assert torch_urls(Typed(), twice) == [LAB, OFFICIAL_TORCH, None]


def test_channels() -> None:
    (forge,) = conda_channels(Typed(), UserSettings())
    assert (forge.origin, forge.layout, forge.url) == (Origin.OFFICIAL, Layout.CHANNEL, official("conda-forge").url)
    (typed,) = conda_channels(Typed(channel="https://c.example/forge"), UserSettings(conda_channels=(LAB,)))
    assert (typed.origin, typed.url) == (Origin.BY_HAND, "https://c.example/forge")
    own, last = conda_channels(Typed(), UserSettings(conda_channels=("https://own.example/forge",)))
    assert (own.origin, last.url) == (Origin.USER_SETTINGS, forge.url)  # a channel of theirs may be gone
    closed = conda_channels(Typed(), UserSettings(conda_channels=("https://own.example/forge",), conda_only=True))
    assert closed == (own,)


@pytest.mark.parametrize("typed", [Typed(index="x"), Typed(torch_index="http://x.example/"), Typed(find_links=("",))])
def test_a_bad_address_stops_at_once(typed: Typed) -> None:
    with pytest.raises(UsageError):
        torch_sources(typed, SETTINGS, "cu126")
    with pytest.raises(UsageError):
        conda_channels(Typed(channel="ftp://x"), SETTINGS)


def test_every_row_says_where_it_is_from() -> None:
    rows = mirror_rows()
    assert len({(row.kind, row.id) for row in rows}) == len(rows) > 20
    for row in rows:
        assert row.status == "alive"
        assert re.match(r"^20\d\d-\d\d", row.as_of)
        assert row.source
        assert text(row.operator, "en")
        assert text(row.operator, "zh_CN")
        assert row.layout in ("simple", "flat", "channel", "files")
        assert row.url is None or row.url.startswith("https://")
        assert ("{variant}" in (row.url or "")) == (row.kind == "pytorch-wheels")
    assert [(row.kind, row.id) for row in rows if row.url is None] == [("pypi", "official")]


def test_rows_give_addresses() -> None:
    assert official("pytorch-wheels").address("cpu") == "https://download.pytorch.org/whl/cpu"
    with pytest.raises(ValueError, match="no address"):
        official("pypi").address()
    with pytest.raises(LookupError):
        official("floppy-disks")
    assert forbidden_means_missing(OFFICIAL_TORCH)
    assert not forbidden_means_missing("https://mirror.example/whl/cu126")


# As uv 0.13.8 prints them, with another address.
HELP = """
      --index <INDEX>
          All indexes provided via this flag take priority over the index specified by
          `--default-index` (which defaults to the public one).

      --default-index <DEFAULT_INDEX>
          The default package index (by default: <https://index.example/simple>).

          Accepts either a repository compliant with PEP 503 (the simple repository API), or a local
"""
COMPILED = "pip==26.3\n    # from https://index.example/simple\n"


def test_what_uv_says() -> None:
    assert parse_help(HELP) == "https://index.example/simple"
    assert parse_help(HELP.replace("https:", "http:")) is None
    assert parse_help("") is None
    assert parse_index_annotation(f"# uv pip compile -\n{COMPILED}") == "https://index.example/simple"
    assert parse_index_annotation("pip==26.3\n") is None


@pytest.mark.parametrize(("says_in_help", "resolves"), [(True, True), (False, True), (False, False)])
def test_uv_is_asked_as_a_real_program(tmp_path: Path, says_in_help: bool, resolves: bool) -> None:
    """A stand-in for uv: the real one would go to the network for the second question."""
    program = tmp_path / "uv.py"
    program.write_text(
        "import sys\n"
        f"if sys.argv[1] == 'help': print({HELP!r} if {says_in_help} else 'no such help')\n"
        f"elif {resolves} and sys.stdin.read() == 'pip\\n': print({COMPILED!r})\n"
        "else: sys.exit('offline')\n",
        encoding="utf-8",
    )
    uv = (sys.executable, str(program))
    if says_in_help or resolves:
        assert ask_uv(uv) == "https://index.example/simple"
        return
    with pytest.raises(SourceUnreachable) as caught:
        ask_uv(uv)
    assert caught.value.code == "source-no-default"
    assert "offline" in caught.value.details


def test_the_real_uv_names_its_default_without_a_network() -> None:
    from wizard.sources.read import default_index_url

    assert default_index_url().startswith("https://")


def answers(url: str) -> bool:
    try:
        check_channel(url)
    except SourceUnreachable:
        return False
    return True


def test_a_channel_is_begun_not_downloaded(tmp_path: Path) -> None:
    noarch = tmp_path / "forge" / "noarch"
    noarch.mkdir(parents=True)
    with IndexServer(tmp_path) as server:
        url = f"{server.url}/forge"
        assert not answers(url)
        (noarch / "repodata.json").write_bytes(b'{"info": {}, "packages": {}}' + b" " * 5_000_000)
        assert answers(url)
        assert server.requests[-1].range == "bytes=0-511"
        assert server.bytes_sent < 5_000
        (noarch / "repodata.json.zst").write_bytes(b"\x28\xb5\x2f\xfd" + b"x" * 100)
        server.requests.clear()
        assert answers(url + "/")
        assert server.paths() == ["/forge/noarch/repodata.json.zst"]
    assert not answers(url)
    assert answers((tmp_path / "forge").as_uri())
    assert not answers((tmp_path / "gone").as_uri())


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer(b"<html><form>sign in</form></html>"), "source-not-an-index"),
        (Answer(b"", 403), "source-forbidden"),
        (Answer(b"", 502), "source-status"),
        (Answer(b"", 302, {"Location": "http://portal.example/"}), "source-insecure"),
    ],
)
def test_why_a_channel_does_not_answer(tmp_path: Path, answer: Answer, code: str) -> None:
    with IndexServer(tmp_path) as server:
        for name in ("repodata.json.zst", "repodata.json", "repodata.json.bz2"):
            server.answers[f"/c/noarch/{name}"] = answer
        with pytest.raises(SourceUnreachable) as caught:
            check_channel(server.url.replace("://", "://me:topsecret@") + "/c")
    assert caught.value.code == code
    assert "topsecret" not in str(caught.value) + caught.value.details


def test_a_channel_that_ignores_ranges_is_not_downloaded_either(tmp_path: Path) -> None:
    with IndexServer(tmp_path) as server:
        server.answers["/c/noarch/repodata.json.zst"] = Answer(b"gone", 404)
        server.answers["/c/noarch/repodata.json"] = Answer(b"{" + b" " * 1000)
        assert answers(f"{server.url}/c")
