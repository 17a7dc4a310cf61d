"""Looking into wheels by ranges: what they say, what it costs, and servers and wheels that do not play along."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.servers.index_server import Answer, IndexServer
from tests.sources.torch_wheels import FLAGS, OLD_TABLE, TABLE, companion, library, torch_wheel, version_file
from wizard.model.messages import LANGUAGES, text
from wizard.sources.model import Layout, Offer, Origin, Source
from wizard.sources.read import Reader
from wizard.sources.remote_wheel import (
    RangedFile,
    find_arch_flags,
    parse_release_table,
    parse_requirements,
    parse_version_file,
    read_requirements,
    read_wheel,
)
from wizard.transfer.http import Client, SourceUnreachable

LINUX = "torch-2.16.0+cu132-cp312-cp312-manylinux_2_28_x86_64.whl"
ARM = "torch-2.16.0+cu130-cp312-cp312-manylinux_2_28_aarch64.whl"
WINDOWS = "torch-2.16.0+cu132-cp312-cp312-win_amd64.whl"
CODES = tuple(FLAGS.split())


@pytest.fixture
def server(tmp_path: Path) -> Iterator[IndexServer]:
    (tmp_path / "root").mkdir()
    with IndexServer(tmp_path / "root") as running:
        yield running


@pytest.fixture
def reader() -> Iterator[Reader]:
    with Reader(timeouts=(2.0, 2.0)) as made:
        yield made


def only(reader: Reader, server: IndexServer, project: str = "torch") -> Offer:
    (offer,) = reader.offers(Source("lab", Layout.SIMPLE, Origin.BY_HAND, server.simple, "Lab"), project)
    return offer


def refusal(reader: Reader, offer: Offer) -> str:
    with pytest.raises(SourceUnreachable) as caught:
        read_wheel(reader.client, offer)
    for language in LANGUAGES:
        assert text(caught.value.summary, language)
        assert text(caught.value.hint, language)
    return caught.value.code


def test_the_table_of_the_release_is_enough_on_linux(server: IndexServer, reader: Reader) -> None:
    wheel = torch_wheel(server.root, LINUX, "13.2", flags="sm_75 sm_80")
    offer = only(reader, server)
    seen = read_wheel(reader.client, offer)
    assert (seen.version, seen.cuda, seen.variant) == ("2.16.0+cu132", "13.2", "cu132")
    assert (seen.architectures, seen.evidence, seen.confidence) == (CODES, "table inside the wheel", "high")
    assert seen.read_bytes < wheel.stat().st_size / 5
    assert all(one.range for one in server.requests if one.path.endswith(".whl"))
    assert not [one for one in server.requests if one.method == "HEAD"]


def test_arm_has_its_own_row(server: IndexServer, reader: Reader) -> None:
    torch_wheel(server.root, ARM, "13.0")
    seen = read_wheel(reader.client, only(reader, server))
    assert seen.architectures == ("sm_80", "sm_90", "sm_100", "sm_110", "sm_120")


def test_on_windows_the_library_is_the_proof(server: IndexServer, reader: Reader) -> None:
    torch_wheel(server.root, WINDOWS, "13.2", flags="sm_61 " + FLAGS)
    seen = read_wheel(reader.client, only(reader, server))
    assert (seen.architectures, seen.confidence) == (("sm_61", *CODES), "high")
    assert "library" in seen.evidence
    torch_wheel(server.root, WINDOWS, "13.2")
    seen = read_wheel(reader.client, only(reader, server))
    assert (seen.architectures, seen.confidence) == (CODES, "medium")


def test_without_a_table_the_library_tells_and_without_both_nobody_guesses(server: IndexServer, reader: Reader) -> None:
    torch_wheel(server.root, LINUX, "13.2", table="", flags="sm_80 sm_90 sm_90a compute_90")
    assert read_wheel(reader.client, only(reader, server)).architectures == ("sm_80", "sm_90", "compute_90")
    torch_wheel(server.root, LINUX, "13.4", version="2.16.0+cu134")
    seen = read_wheel(reader.client, only(reader, server))
    assert (seen.architectures, seen.confidence, seen.variant) == (None, "low", "cu134")


def test_the_cpu_build(server: IndexServer, reader: Reader) -> None:
    torch_wheel(server.root, "torch-2.16.0-cp312-cp312-win_amd64.whl", None)
    seen = read_wheel(reader.client, only(reader, server))
    assert (seen.variant, seen.architectures) == ("cpu", None)


def test_a_folder_needs_no_server(tmp_path: Path, reader: Reader) -> None:
    wheel = torch_wheel(tmp_path, LINUX, "13.2")
    source = Source("f", Layout.FLAT, Origin.BY_HAND, tmp_path.as_uri(), "Folder")
    seen = read_wheel(reader.client, reader.offers(source, "torch")[0])
    assert (seen.architectures, seen.read_bytes) == (CODES, 0)
    offer = reader.offers(source, "torch")[0]
    wheel.unlink()
    assert refusal(reader, offer) == "wheel-unreadable"


def test_a_server_without_ranges_is_not_made_to_send_the_file(server: IndexServer, reader: Reader) -> None:
    wheel = torch_wheel(server.root, LINUX, "13.2")
    offer = only(reader, server)
    server.answers[f"/files/{LINUX}"] = Answer(wheel.read_bytes(), headers={"Content-Type": "application/zip"})
    assert refusal(reader, offer) == "source-no-ranges"
    assert len([path for path in server.paths() if path.endswith(".whl")]) == 1


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer(b"x", 206, {"Content-Range": "bytes 5-5/99"}), "source-no-ranges"),
        (Answer(b"x", 206, {"Content-Range": "bytes 0-0/*"}), "source-no-ranges"),
        (Answer(b"x", 206, {}), "source-no-ranges"),
        (Answer(b"", 206, {"Content-Range": "bytes 0-0/99"}), "source-no-ranges"),
        (Answer(b"x", 206, {"Content-Range": "bytes 0-0/99"}), "source-no-ranges"),
        (Answer(b"x", 206, {"Content-Range": f"bytes 0-0/{10**13}"}), "source-no-ranges"),
        (Answer(b"no", 416, {}), "source-status"),
        (Answer(b"no", 403, {}), "source-forbidden"),
        (Answer(b"no", 404, {}), "source-status"),
        (Answer(b"", 302, {"Location": "http://portal.example/login"}), "source-insecure"),
        (Answer(b"<html>sign in</html>"), "source-no-ranges"),
    ],
)
def test_servers_that_do_not_play_along(server: IndexServer, reader: Reader, answer: Answer, code: str) -> None:
    torch_wheel(server.root, LINUX, "13.2", ballast=1000)
    offer = only(reader, server)
    server.answers[f"/files/{LINUX}"] = answer
    assert refusal(reader, offer) == code


@pytest.mark.parametrize("content", [b"PK\x05\x06 no wheel", b"\0" * 5000, b"PK\x05\x06" + b"\xff" * 18, b"x"])
def test_what_is_no_wheel(server: IndexServer, reader: Reader, content: bytes) -> None:
    (server.root / LINUX).write_bytes(content)
    server.metadata = False
    assert refusal(reader, only(reader, server)) == "wheel-unreadable"


def test_a_wheel_of_something_else(server: IndexServer, reader: Reader) -> None:
    companion(server.root, LINUX)
    assert refusal(reader, only(reader, server)) == "wheel-unreadable"


def test_there_is_a_limit_to_what_a_look_may_cost(server: IndexServer) -> None:
    (server.root / "big.bin").write_bytes(b"a" * 300_000)
    file = RangedFile(Client(), f"{server.url}/big.bin", "Lab", most_bytes=100_000)
    file.seek(0)
    with pytest.raises(SourceUnreachable) as caught:
        file.read()
    assert caught.value.code == "wheel-too-costly"
    assert file.fetched <= 100_000


def test_a_redirect_to_the_files_host_is_followed(server: IndexServer, reader: Reader, tmp_path: Path) -> None:
    torch_wheel(server.root, LINUX, "13.2")
    with IndexServer(tmp_path / "root") as other:
        server.file_prefix = f"{server.url}/moved"
        server.answers[f"/moved/{LINUX}"] = Answer(b"", 302, {"Location": f"{other.url}/files/{LINUX}"})
        assert read_wheel(reader.client, only(reader, server)).architectures == CODES


def test_version_files() -> None:
    assert parse_version_file(version_file("2.15.0+cu132", "13.2")) == ("2.15.0+cu132", "13.2")
    assert parse_version_file("__version__ = '1.7.0'\ncuda = '10.2'\n") == ("1.7.0", "10.2")
    assert parse_version_file(version_file("2.13.0+cpu", None)) == ("2.13.0+cpu", None)
    for odd in ("", "def", "\0", "(" * 5000, "__version__ = 3\ncuda = print('x')"):
        assert parse_version_file(odd) == (None, None)
    greedy = "import " + "a." * 150_000 + "a\n__version__ = '2.15.0'"  # Python's own parser would take 8 GB
    assert parse_version_file(greedy) == (None, None)


def test_release_tables_of_both_forms() -> None:
    assert parse_release_table(TABLE)["13.2"]["aarch64"] == ("sm_80", "sm_90", "sm_100", "sm_110", "sm_120")
    assert parse_release_table(OLD_TABLE)["12.6"]["*"][0] == "sm_50"
    for odd in ("", "PYTORCH_RELEASES_CODE_CC = 3", "PYTORCH_RELEASES_CODE_CC = f()", OLD_TABLE.replace("50", "'x'")):
        assert not parse_release_table(odd).get("13.2")
    assert parse_release_table("PYTORCH_RELEASES_CODE_CC = {'13.2': 'all'}") == {}


def test_flags_across_two_pieces() -> None:
    data = library(FLAGS)
    cut = data.index(b"sm_86 sm_90")
    assert find_arch_flags([data[:cut], data[cut:]]) == CODES


def test_a_library_for_one_architecture() -> None:
    """Torch 2.5 for Arm has sm_90 alone. Two lone names could be anything."""
    assert find_arch_flags([b"x\0sm_", b"90\0y", b"\0sm_90\0"]) == ("sm_90",)
    assert find_arch_flags([b"\0sm_90\0", b"\0sm_80\0"]) == ()
    assert find_arch_flags([b"\0sm_90\0", b"\0sm_80 sm_90\0"]) == ("sm_80", "sm_90")
    assert find_arch_flags([b"sm_90", b""]) == ()


def test_core_metadata_beside_the_wheel_and_inside_it(server: IndexServer, reader: Reader) -> None:
    name = "torchvision-0.31.0+cu132-cp312-cp312-manylinux_2_28_x86_64.whl"
    companion(server.root, name, "numpy", "torch==2.16.0", "pillow!=8.3.*,>=5.3.0")
    offer = only(reader, server, "torchvision")
    assert offer.metadata == ""
    assert [str(one) for one in read_requirements(reader.client, offer)][1] == "torch==2.16.0"
    assert server.paths()[-1].endswith(".whl.metadata")
    inside = read_requirements(reader.client, replace(offer, metadata=None))
    assert [one.name for one in inside] == ["numpy", "torch", "pillow"]
    with pytest.raises(SourceUnreachable) as caught:
        read_requirements(reader.client, replace(offer, metadata="ab" * 32))
    assert caught.value.code == "wheel-unreadable"
    assert [one.name for one in parse_requirements("Requires-Dist: a\nRequires-Dist: ???\nRequires-Dist: b>1\n")] == [
        "a",
        "b",
    ]
