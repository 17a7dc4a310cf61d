"""The torch of a profile beside what the official page and the program's own table say of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.classroom.profile.known import make_official_at
from tests.servers.index_server import IndexServer
from tests.sources.wheels import make_wheel
from wizard.classroom.profile.family import check_family, own_word
from wizard.classroom.profile.model import ProfileLock
from wizard.compatibility.data.load import load_matrix
from wizard.model.errors import UsageError
from wizard.model.lock import LockedFile
from wizard.model.messages import LANGUAGES, text
from wizard.sources.model import UserSettings

TORCH = "torch-2.13.0+cpu-cp312-cp312-manylinux_2_28_x86_64.whl"
UNPINNED = TORCH.replace("+cpu", "+lab")
PLAIN = "torchvision-0.28.0-cp312-cp312-manylinux_2_28_x86_64.whl"


@pytest.fixture
def official(tmp_path: Path) -> Iterator[IndexServer]:
    for name in (TORCH, PLAIN):
        make_wheel(tmp_path / "official", name)
    with IndexServer(tmp_path / "official") as server:
        make_official_at(server.simple)
        yield server


def file(server: IndexServer, name: str, sha256: str | None = None, called: str | None = None) -> LockedFile:
    data = next(path for path in server.files() if path.name == name).read_bytes()
    project, version = name.split("-")[:2]
    shown = called or name
    digest = sha256 or hashlib.sha256(data).hexdigest()
    return LockedFile(project, version, shown, (f"{server.url}/files/{shown}",), digest, len(data))


def told(*files: LockedFile) -> list[str]:
    lock = ProfileLock("linux", "x86_64", "3.12", "2.13.0", "cpu", files, "2.28")
    try:
        return [notice.key for notice in check_family(lock, load_matrix(), UserSettings(), lambda: False)]
    except UsageError as error:
        return [error.code]


def test_what_the_official_page_says_counts(official: IndexServer) -> None:
    torch, vision = file(official, TORCH), file(official, PLAIN)
    assert told(torch, vision) == []
    for bad in (replace(torch, sha256="0" * 64), replace(vision, sha256="0" * 64)):
        assert told(bad) == ["profile-torch-differs"]
        assert told(replace(bad, urls=(f"https://evil.example/{bad.filename}",))) == ["profile-torch-differs"]


@pytest.mark.parametrize("other", ["torch-2.13.0+cpu-7-cp312", "torch-2.13.0+CPU-cp312", "torch-2.13.0.0+cpu-cp312"])
def test_another_name_for_the_same_wheel_changes_nothing(official: IndexServer, other: str) -> None:
    called = TORCH.replace("torch-2.13.0+cpu-cp312", other, 1)
    assert told(file(official, TORCH, "0" * 64, called)) == ["profile-torch-differs"]
    tag = TORCH.replace("manylinux_2_28", "manylinux_2_27")
    assert told(file(official, TORCH, "0" * 64, tag)) == ["profile-torch-differs"]


@pytest.mark.parametrize("tags", ["py3-none-any", "cp312-abi3-linux_x86_64", "cp311.cp312-cp312-linux_x86_64"])
def test_other_tags_than_the_official_pages_do_not_hide_a_wheel(official: IndexServer, tags: str) -> None:
    make_wheel(official.root, UNPINNED)
    called = f"torch-2.13.0+lab-{tags}.whl"
    bad = file(official, UNPINNED, "0" * 64, called)
    assert told(replace(bad, urls=(f"https://evil.example/{called}",))) == ["profile-torch-differs"]


def test_a_wheel_that_the_official_page_does_not_have_is_believed_of_nobody_who_stands_for_it(
    official: IndexServer,
) -> None:
    called = TORCH.replace("2.13.0", "2.13.1")
    unknown = replace(file(official, TORCH, None, called), version="2.13.1+cpu")
    assert told(unknown) == ["profile-torch-unknown"]
    assert told(replace(unknown, urls=("https://lab.example/" + called,))) == ["profile.torch-own"]


def test_where_nobody_answers_it_is_said(official: IndexServer) -> None:
    torch = file(official, TORCH)
    official.__exit__(None, None, None)
    assert told(torch) == ["profile.torch-unconfirmed"]
    official.__init__(official.root)  # type: ignore[misc]  # so that the fixture can end it once more
    official.__enter__()


def test_a_page_of_something_else_is_no_answer(tmp_path: Path) -> None:
    make_wheel(tmp_path / "other", TORCH)
    with IndexServer(tmp_path / "other") as server, IndexServer(tmp_path / "none") as portal:
        torch = file(server, TORCH)
        make_official_at(portal.simple)
        assert told(torch) == ["profile.torch-own"]  # from a host that somebody must have said yes to
        make_official_at(portal.simple, mirror=server.simple)
        assert told(torch) == ["profile.torch-unconfirmed"]


def test_for_other_packages_only_the_profile_vouches_and_it_is_said() -> None:
    wheels = {name: f"{name}-1.0-py3-none-any.whl" for name in ("torch", "numpy", "sympy")}
    others = tuple(
        LockedFile(name, "1.0", wheel, (f"https://lab.example/{wheel}",), "0" * 64, 9) for name, wheel in wheels.items()
    )
    (notice,) = own_word(ProfileLock("linux", "x86_64", "3.12", "2.13.0", "cpu", others, "2.28"))
    assert notice.params["count"] == 2
    for language in LANGUAGES:
        assert {"en": "numpy, sympy", "zh_CN": "numpy、sympy"}[language] in text(notice, language)
    assert own_word(ProfileLock("linux", "x86_64", "3.12", "2.13.0", "cpu", others[:1], "2.28")) == ()
