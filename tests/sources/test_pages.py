"""Index pages: real shapes, odd shapes, and pages that are no index."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sources.wheels import CPU, CU126, PLAIN, make_wheel
from wizard.sources import index
from wizard.sources.index import list_folder, parse_flat, parse_simple_html, parse_simple_json
from wizard.sources.model import Layout, Offer, Origin, Source
from wizard.transfer.address import resolve_link
from wizard.transfer.http import SourceUnreachable

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
SOURCE = Source("lab", Layout.SIMPLE, Origin.BY_HAND, "https://lab.example/simple", "Lab")
BASE = "https://lab.example/simple/torch/"
DIGEST = "ab" * 32


def read(body: str, base: str = BASE, project: str = "torch") -> tuple[Offer, ...]:
    return parse_simple_html(body, base, SOURCE, project)


def test_links_of_every_kind() -> None:
    escaped = CU126.replace("+", "%2B")
    offers = read(f"""<!DOCTYPE html><html><body><h1>Links for torch</h1>
        <a href="/whl/{escaped}#sha256={DIGEST.upper()}" data-requires-python="&gt;=3.10">{CU126}</a><br/>
        <a href="https://other.example/a/{CPU}#md5=1&amp;sha256={DIGEST}" data-yanked="broken">x</a>
        <A HREF='{PLAIN}?x=1#egg=torch'>y</A>
        <a href="torch-2.14.1-1cu-cp312-cp312-win_amd64.whl" data-yanked>z</a>""")
    assert [offer.url for offer in offers] == [
        f"https://lab.example/whl/{escaped}",
        f"https://other.example/a/{CPU}",
        f"{BASE}{PLAIN}?x=1",
        f"{BASE}torch-2.14.1-1cu-cp312-cp312-win_amd64.whl",
    ]
    assert [offer.filename for offer in offers[:3]] == [CU126, CPU, PLAIN]
    assert [offer.sha256 for offer in offers] == [DIGEST, DIGEST, None, None]
    assert [offer.yanked for offer in offers] == [False, True, False, True]
    assert offers[0].requires_python == ">=3.10"
    assert str(offers[0].version) == "2.14.1+cu126"
    assert offers[0].size is None


@pytest.mark.parametrize(
    "href",
    [
        "torch-2.14.1.tar.gz",
        "torch-2.14.1.whl",
        "torch-not.a.version-py3-none-any.whl",
        "torchvision-0.29.1-py3-none-any.whl",
        "a%2F..%2Ftorch-2.14.1-py3-none-any.whl",
        "..%5Ctorch-2.14.1-py3-none-any.whl",
        "http://lab.example/torch-2.14.1-py3-none-any.whl",
        "file:///srv/torch-2.14.1-py3-none-any.whl",
        "//[/torch-2.14.1-py3-none-any.whl",
        "javascript:alert(1)//torch-2.14.1-py3-none-any.whl",
        "",
    ],
)
def test_what_is_no_wheel_of_ours_is_passed_over(href: str) -> None:
    offers = read(f'<html><a href="{href}">x</a><a href="{CU126}">y</a></html>')
    assert [offer.filename for offer in offers] == [CU126]


def test_a_base_tag_counts() -> None:
    page = f'<html><head><base href="../../files/"></head><body><a href="{CU126}">x</a></body></html>'
    assert read(page)[0].url == f"https://lab.example/files/{CU126}"
    assert read(page.replace("../../files/", "http://evil.example/"))[0].url == BASE + CU126


def test_an_empty_page_of_an_index_offers_nothing() -> None:
    assert read("<!DOCTYPE html><html><head><title>Links for torch</title></head><body></body></html>") == ()
    assert read('<html><a href="torch-1.0.tar.gz">sdist only</a><script></script></html>') == ()


@pytest.mark.parametrize(
    "page",
    [
        '<html><body><form action="/login"><input name="user"></form></body></html>',
        "<html><script>location='https://portal.example'</script></html>",
        '<html><iframe src="x"></iframe><a href="/help.html">help</a></html>',
        "It works!",
        "",
    ],
)
def test_a_page_for_people_is_recognised(page: str) -> None:
    for parse in (parse_simple_html, parse_flat):
        with pytest.raises(SourceUnreachable) as caught:
            parse(page, BASE, SOURCE, "torch")
        assert caught.value.code == "source-not-an-index"
        assert "Lab" in str(caught.value)


def test_json_with_all_that_it_may_say() -> None:
    files = [
        {
            "filename": CU126,
            "url": f"../../f/{CU126}",
            "hashes": {"sha256": DIGEST.upper()},
            "size": 5,
            "requires-python": ">=3.10",
            "yanked": False,
            "core-metadata": {"sha256": "x"},
        },
        {
            "filename": CPU,
            "url": f"https://cdn.example/1/2#sha256={DIGEST}",
            "hashes": {},
            "yanked": "why",
            "size": True,
        },
        {"filename": PLAIN, "url": PLAIN, "hashes": {"sha256": "short"}, "size": -1, "yanked": None},
        {"filename": "torch-2.14.1.tar.gz", "url": "x", "hashes": {}},
        {"filename": 3, "url": "x"},
        {"url": "x"},
        "odd",
        None,
        {"filename": CPU, "url": "http://lab.example/x"},
    ]
    offers = parse_simple_json(json.dumps({"meta": {"api-version": "1.1"}, "files": files}), BASE, SOURCE, "Torch")
    assert [(o.filename, o.size, o.sha256, o.yanked) for o in offers] == [
        (CU126, 5, DIGEST, False),
        (CPU, None, None, True),
        (PLAIN, None, None, False),
    ]
    assert offers[0].url == f"https://lab.example/f/{CU126}"


@pytest.mark.parametrize("page", ["", "{", "[]", '{"files": 3}', '{"message": "login"}', "[" * 100_000])
def test_json_that_is_no_index(page: str) -> None:
    with pytest.raises(SourceUnreachable) as caught:
        parse_simple_json(page, BASE, SOURCE, "torch")
    assert caught.value.code == "source-not-an-index"


def test_folders(tmp_path: Path) -> None:
    wheels = tmp_path / "my wheels"
    made = make_wheel(wheels, CU126)
    make_wheel(wheels, "torchvision-0.29.1+cu126-cp312-cp312-win_amd64.whl")
    (wheels / "notes.txt").write_text("x")
    (wheels / "torch-1-py3-none-any.whl").mkdir()
    flat = Source("f", Layout.FLAT, Origin.BY_HAND, wheels.as_uri(), "Folder")
    (offer,) = list_folder(flat, "torch")
    assert (offer.filename, offer.size, offer.url, offer.sha256) == (CU126, made.stat().st_size, made.as_uri(), None)


def test_an_index_on_disk(tmp_path: Path) -> None:
    made = make_wheel(tmp_path / "simple" / "torch", CPU)
    source = Source("s", Layout.SIMPLE, Origin.USER_SETTINGS, (tmp_path / "simple").as_uri(), "Disk")
    assert list_folder(source, "torch")[0].url == made.as_uri()
    assert list_folder(source, "numpy") == ()
    page = made.parent / "index.html"
    page.write_text(f'<html><a href="../../files/{CPU.replace("+", "%2B")}#sha256={DIGEST}">x</a></html>')
    (offer,) = list_folder(source, "torch")
    assert (offer.sha256, offer.url) == (DIGEST, f"{tmp_path.as_uri()}/files/{CPU.replace('+', '%2B')}")
    listing = Source("p", Layout.FLAT, Origin.BY_HAND, page.as_uri(), "Page")
    assert len(list_folder(listing, "torch")) == 1


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    source = Source("f", Layout.FLAT, Origin.BY_HAND, (tmp_path / "gone").as_uri(), "Folder")
    with pytest.raises(SourceUnreachable) as caught:
        list_folder(source, "torch")
    assert caught.value.code == "source-no-folder"


HREF = st.one_of(st.text(), st.builds("{}{}".format, st.sampled_from(["//[", "/", "%", "../", "http:"]), st.just(CPU)))


@CALM
@given(
    st.one_of(st.text(), HREF.map(lambda href: f'<a href="{href}">x</a>'), st.text().map(lambda t: f"<![{t}<!--<a {t}"))
)
def test_no_page_makes_the_parsers_fail(body: str) -> None:
    for parse in (parse_simple_html, parse_flat, parse_simple_json):
        with contextlib.suppress(SourceUnreachable):
            assert all(offer.url.startswith("https://") for offer in parse(body, BASE, SOURCE, "torch"))


JSON_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(CPU),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
FILE = st.fixed_dictionaries(
    {key: JSON_VALUE for key in ("filename", "url", "hashes", "size", "requires-python", "yanked")}
)


@CALM
@given(st.lists(st.one_of(FILE, JSON_VALUE)))
def test_no_json_makes_the_parser_fail(files: list[object]) -> None:
    parse_simple_json(json.dumps({"files": files}), BASE, SOURCE, "torch")


def test_links_to_other_projects_are_passed_over_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A flat page lists thousands of them."""
    resolved: list[str] = []

    def counted(base: str, href: str) -> str | None:
        resolved.append(href)
        return resolve_link(base, href)

    monkeypatch.setattr(index, "resolve_link", counted)
    others = "".join(f'<a href="other-{n}-py3-none-any.whl">x</a>' for n in range(50))
    offers = parse_flat(
        f'<html>{others}<a href="whl/{CU126}">y</a><a href="torch%5F-1.whl">z</a>', BASE, SOURCE, "torch"
    )
    assert [offer.filename for offer in offers] == [CU126]
    assert len(resolved) == 2
    assert parse_flat(f"<html>{others}<form></form>", BASE, SOURCE, "torch") == ()  # a list, whatever else is on it


@pytest.mark.parametrize("text", ["a<b \ufffd\ufffd <html x> \ufffd", "\0<a>\0", "x <y> z", "", "words"])
def test_random_bytes_are_no_empty_index(text: str) -> None:
    with pytest.raises(SourceUnreachable) as caught:
        read(text)
    assert caught.value.code == "source-not-an-index"


def test_an_empty_index_is_one() -> None:
    assert read("<!DOCTYPE html><html><body></body></html>") == ()
