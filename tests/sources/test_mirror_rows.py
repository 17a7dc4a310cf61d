"""Who may race: the rows, the user's settings, by hand, and a lab's own list."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sources.test_known_sources import LAB, SETTINGS, Typed
from wizard.model.errors import UsageError
from wizard.model.messages import text
from wizard.sources.cross_check import is_same_site
from wizard.sources.known_sources import source_candidates
from wizard.sources.model import Layout, Origin, SourceKind, UserSettings
from wizard.sources.table import mirror_rows, official, own_file


def ids(kind: SourceKind, typed: Typed = Typed(), settings: UserSettings = UserSettings(), **more: bool) -> list[str]:  # noqa: B008
    return [source.id for source in source_candidates(kind, typed, settings, "cu126", **more)]


def test_official_before_mirrors() -> None:
    assert ids(SourceKind.TORCH)[:2] == ["official-torch-cu126", "sjtu-torch-cu126"]
    assert ids(SourceKind.PACKAGES)[:2] == ["official", "tuna-packages"]
    assert ids(SourceKind.CONDA)[:2] == ["official-conda-forge", "tuna-conda-forge"]
    assert ids(SourceKind.MINIFORGE)[:2] == ["official-miniforge", "tuna-miniforge"]


def test_the_default_build_may_come_from_any_package_index() -> None:
    more = ids(SourceKind.TORCH, is_default_build=True)
    assert {"official", "tuna-packages", "official-torch-cu126"} <= set(more)
    assert len(set(more)) == len(more)
    assert "tuna-packages" not in ids(SourceKind.TORCH)


def test_own_and_typed_places_come_first() -> None:
    typed = Typed(index="https://i.example/simple", torch_index="https://t.example/whl")
    assert ids(SourceKind.TORCH, typed, SETTINGS)[:5] == [
        "by-hand-torch-index",
        "by-hand-index",
        "user-index-url-1",
        "user-extra-index-url-1",
        "user-find-links-1",
    ]
    assert "by-hand-torch-index" not in ids(SourceKind.PACKAGES, typed, SETTINGS)
    assert ids(SourceKind.CONDA, Typed(channel="https://c.example/forge"))[0] == "by-hand-channel"


def test_a_known_mirror_in_the_users_settings_is_asked_once() -> None:
    url = next(row.url for row in mirror_rows() if (row.kind, row.id) == ("pypi", "tuna"))
    (own,) = [
        r
        for r in source_candidates(SourceKind.PACKAGES, Typed(), UserSettings(index_url=f"{url}/"))
        if r.mirror == "tuna"
    ]
    assert own.origin is Origin.USER_SETTINGS


def test_the_flat_mirror_is_flat() -> None:
    layouts = {
        source.mirror: source.layout for source in source_candidates(SourceKind.TORCH, Typed(), UserSettings(), "cu126")
    }
    assert layouts["aliyun"] is Layout.FLAT
    assert layouts["nju"] is Layout.SIMPLE


def own(text: str) -> Path:
    path = own_file()
    assert path.parent == Path(os.environ["TORCH_WIZARD_HOME"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


ROW = '[[mirror]]\nkind = "pypi"\nid = "lab"\nname = "Room 5"\nlayout = "simple"\nurl = "https://lab.example/simple"\n'


def test_a_lab_adds_its_own(tmp_path: Path) -> None:
    path = own(ROW + f'[[mirror]]\nkind="pytorch-wheels"\nid="share"\nlayout="flat"\nurl="{tmp_path.as_uri()}"\n')
    lab = next(
        source for source in source_candidates(SourceKind.PACKAGES, Typed(), UserSettings()) if source.mirror == "lab"
    )
    assert lab.row
    assert (text(lab.name), lab.row.status, lab.row.source) == ("Room 5", "own", str(path))
    assert "tuna-packages" in ids(SourceKind.PACKAGES)
    assert "share-torch-cu126" in ids(SourceKind.TORCH)
    own("only_these = true\n" + ROW)
    assert ids(SourceKind.PACKAGES) == ["official", "lab-packages"]
    own(ROW.replace('"lab"', '"official"'))
    assert official("pypi").url == "https://lab.example/simple"


@pytest.mark.parametrize(
    "text",
    [
        "[[mirror]",
        ROW.replace("https://", "http://"),
        ROW.replace("pypi", "npm"),
        ROW.replace('"simple"', '"channel"'),
        ROW + "colour = 1\n",
        "mirror = 3\n",
        '[[mirror]]\nkind = "pypi"\nlayout = "simple"\nurl = "https://x.example"\n',
    ],
)
def test_a_lab_file_that_cannot_be_used_is_said(text: str) -> None:
    path = own(text)
    with pytest.raises(UsageError) as caught:
        mirror_rows()
    assert (caught.value.code, caught.value.params["path"]) == ("bad-mirrors-file", str(path))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("mirror.sjtu.edu.cn", "s3.jcloud.sjtu.edu.cn", True),
        ("mirrors.ustc.edu.cn", "mirrors.tuna.tsinghua.edu.cn", False),
        ("mirrors.aliyun.com", "files.aliyun.com", True),
        ("mirrors.aliyun.com", "mirrors.tencent.com", False),
        ("a.github.io", "a.github.io", True),
        ("127.0.0.1", "127.0.0.2", False),
        ("::1", "127.0.0.1", False),
        ("localhost", "mirror", False),
    ],
)
def test_one_site(one: str, other: str, same: bool) -> None:
    assert is_same_site(one, other) is same


def test_the_users_lab_index_is_kept() -> None:
    assert [source.url for source in source_candidates(SourceKind.PACKAGES, Typed(), SETTINGS)][0] == LAB
