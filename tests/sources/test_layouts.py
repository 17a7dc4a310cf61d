"""The exact wheel out of pages of the recorded shapes: the official torch index, a package index, mirrors, listings.

The shapes: absolute links to another host, `%2B`, hashes in the fragment or not at all, 403 for what is missing,
sizes in JSON only, metadata under its old and its new name, re-uploads with a build number, files withdrawn.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.servers.index_server import JSON, Answer, IndexServer
from tests.sources.wheels import make_wheel
from wizard.sources import read as read_module
from wizard.sources.model import Layout, Offer, Origin, Source
from wizard.sources.read import Reader
from wizard.sources.releases import listed_builds
from wizard.sources.wanted import WantedWheel, carried, platform_tags

CU126 = "torch-2.14.1+cu126-cp312-cp312-manylinux_2_28_x86_64.whl"
AGAIN = "torch-2.14.1+cu126-2-cp312-cp312-manylinux_2_28_x86_64.whl"
BROKEN = "torch-2.14.1+cu126-3-cp312-cp312-manylinux_2_28_x86_64.whl"
OTHERS = [
    "torch-2.14.1+cu126-cp312-cp312-win_amd64.whl",
    "torch-2.14.1+cu126-cp313-cp313-manylinux_2_28_x86_64.whl",
    "torch-2.14.1+cu126-cp313-cp313t-manylinux_2_28_x86_64.whl",
    "torch-2.14.0+cu126-cp312-cp312-manylinux_2_28_x86_64.whl",
    "torch-2.14.1+cpu-cp312-cp312-manylinux_2_28_x86_64.whl",
    "torch-2.14.1+rocm6.4-cp312-cp312-manylinux_2_28_x86_64.whl",
    "torch-2.14.1+cpu.cxx11.abi-cp312-cp312-manylinux_2_28_x86_64.whl",
    "torch-2.16.0.dev20261120+cu126-cp312-cp312-manylinux_2_28_x86_64.whl",
]
META = "cd" * 32


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[IndexServer, IndexServer]]:
    """The index, and the host that its files lie on."""
    for name in (CU126, AGAIN, BROKEN, *OTHERS):
        make_wheel(tmp_path / "root", name)
    with IndexServer(tmp_path / "root") as index, IndexServer(tmp_path / "root") as files:
        yield index, files


def digest(server: IndexServer, name: str) -> str:
    return hashlib.sha256((server.root / name).read_bytes()).hexdigest()


def links(server: IndexServer, files: IndexServer, names: list[str], *, fragment: bool = True) -> bytes:
    """As the official torch index writes them."""
    lines = []
    for name in names:
        escaped = name.replace("+", "%2B")
        at = f"{files.url}/files/{escaped}" + (f"#sha256={digest(server, name)}" if fragment else "")
        yanked = ' data-yanked="broken upload"' if name == BROKEN else ""
        new = f'data-dist-info-metadata="sha256={META}" data-core-metadata="sha256={META}"'
        lines.append(f'    <a href="{at}" data-requires-python="&gt;=3.10" {new}{yanked}>{name}</a><br/>')
    body = "\n".join(lines)
    return f"<!DOCTYPE html>\n<html>\n  <body>\n    <h1>Links for torch</h1>\n{body}\n  </body>\n</html>\n".encode()


def find(source: Source, python: str = "3.12") -> Offer | None:
    wanted = WantedWheel("torch", "2.14.1", "cu126", python, platform_tags(python, "linux", "x86_64", "2.36"), "cu130")
    with Reader(timeouts=(2.0, 2.0)) as reader:
        return carried(reader, source, wanted)


def test_the_official_torch_index(servers: tuple[IndexServer, IndexServer]) -> None:
    index, files = servers
    index.answers["/whl/cu126/torch/"] = Answer(links(index, files, [CU126, AGAIN, BROKEN, *OTHERS]))
    source = Source("o", Layout.SIMPLE, Origin.OFFICIAL, f"{index.url}/whl/cu126", "Official", "cu126")
    offer = find(source)
    assert offer
    assert (offer.filename, str(offer.version)) == (AGAIN, "2.14.1+cu126")
    assert offer.url == f"{files.url}/files/{AGAIN.replace('+', '%2B')}"
    assert (offer.sha256, offer.size, offer.metadata) == (digest(index, AGAIN), None, META)


def test_a_missing_project_on_the_official_index_answers_403(
    servers: tuple[IndexServer, IndexServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    index, _ = servers
    index.answers["/whl/cu999/torch/"] = Answer(b"<Error><Code>AccessDenied</Code></Error>", 403)
    monkeypatch.setattr(read_module, "forbidden_means_missing", lambda url: "/whl/" in url)
    source = Source("o", Layout.SIMPLE, Origin.OFFICIAL, f"{index.url}/whl/cu999", "Official", "cu999")
    assert find(source) is None


@pytest.mark.parametrize("with_sizes", [True, False])
def test_a_package_index_in_json(servers: tuple[IndexServer, IndexServer], with_sizes: bool) -> None:
    index, files = servers
    entries = []
    for name in (CU126, AGAIN, BROKEN, *OTHERS):
        entry: dict[str, object] = {
            "filename": name,
            "url": f"{files.url}/files/{name.replace('+', '%2B')}",
            "hashes": {"sha256": digest(index, name)},
            "requires-python": ">=3.10",
            "yanked": "broken upload" if name == BROKEN else False,
            "core-metadata": {"sha256": META},
            "dist-info-metadata": {"sha256": META},
        }
        entries.append({**entry, "size": (index.root / name).stat().st_size} if with_sizes else entry)
    document = {"meta": {"api-version": "1.1"}, "name": "torch", "files": entries, "versions": ["2.14.1"]}
    index.answers["/simple/torch/"] = Answer(json.dumps(document).encode(), headers={"Content-Type": JSON})
    offer = find(Source("s", Layout.SIMPLE, Origin.MIRROR, index.simple, "Mirror"))
    assert offer
    assert (offer.filename, offer.sha256, offer.metadata) == (AGAIN, digest(index, AGAIN), META)
    assert offer.size == ((index.root / AGAIN).stat().st_size if with_sizes else None)


def test_a_flat_listing_without_hashes(servers: tuple[IndexServer, IndexServer]) -> None:
    index, files = servers
    page = links(index, files, [*OTHERS, CU126], fragment=False)
    index.answers["/pytorch-wheels/cu126/"] = Answer(page, headers={"Content-Type": "text/html; charset=utf-8"})
    source = Source("f", Layout.FLAT, Origin.MIRROR, f"{index.url}/pytorch-wheels/cu126/", "Listing", "cu126")
    offer = find(source)
    assert offer
    assert (offer.filename, offer.sha256, offer.size) == (CU126, None, None)
    assert find(source, "3.14") is None


def test_a_directory_listing_of_a_plain_web_server(servers: tuple[IndexServer, IndexServer]) -> None:
    index, _ = servers
    rows = "".join(
        f'<a href="{name.replace("+", "%2B")}">{name[:40]}..&gt;</a>  21-Nov-2026 2.4G\n' for name in (CU126, *OTHERS)
    )
    head = "<html><head><title>Index of /</title></head><body><h1>Index of /</h1><hr>"
    page = f'{head}<pre><a href="../">../</a>\n{rows}</pre><hr></body></html>'
    index.answers["/files/"] = Answer(page.encode())
    offer = find(Source("f", Layout.FLAT, Origin.BY_HAND, f"{index.url}/files/", "Listing"))
    assert offer
    assert offer.url == f"{index.url}/files/{CU126.replace('+', '%2B')}"


def test_a_page_that_hides_metadata_says_so(servers: tuple[IndexServer, IndexServer]) -> None:
    index, files = servers
    page = links(index, files, [CU126]).replace(f'"sha256={META}"'.encode(), b'"false"')
    index.answers["/simple/torch/"] = Answer(page)
    source = Source("s", Layout.SIMPLE, Origin.MIRROR, index.simple, "Mirror")
    offer = find(source)
    assert offer
    assert offer.metadata is None


def test_builds_as_the_tables_group_them(servers: tuple[IndexServer, IndexServer]) -> None:
    index, _ = servers
    source = Source("s", Layout.SIMPLE, Origin.MIRROR, index.simple, "Mirror")
    with Reader(timeouts=(2.0, 2.0)) as reader:
        offers = reader.offers(source, "torch")
    withdrawn = [replace(offer, yanked=offer.filename == BROKEN) for offer in offers]
    found = {(one.torch, one.variant, one.platform): one for one in listed_builds(withdrawn)}
    assert set(found) == {
        ("2.14.1", "cu126", "linux_x86_64"),
        ("2.14.1", "cu126", "win_amd64"),
        ("2.14.1", "cpu", "linux_x86_64"),
        ("2.14.0", "cu126", "linux_x86_64"),
    }
    linux = found["2.14.1", "cu126", "linux_x86_64"]
    assert (linux.pythons_among(()), linux.min_glibc, linux.local_version) == (("3.12", "3.13"), "2.28", "cu126")
    assert found["2.14.1", "cu126", "win_amd64"].min_glibc is None
