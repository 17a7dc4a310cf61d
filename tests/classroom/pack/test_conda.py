"""The built-in engine's Python in a pack: a channel of its own, each file once, under the same care as the wheels."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.classroom.pack.classes import Class, make_class, publish, with_python
from tests.classroom.pack.test_build import built, problems
from tests.servers.fault_server import FaultServer
from wizard.classroom.pack.check import others
from wizard.classroom.pack.opened import base_of, open_pack
from wizard.environment.create.rattler_engine import RattlerEngine
from wizard.environment.model import Target, TargetSystem
from wizard.model.errors import WizardError
from wizard.transfer.download import Downloads, Fetcher
from wizard.transfer.download.fetcher import Options


@pytest.fixture
def with_engine(origin: FaultServer) -> Class:
    builds = (("linux", "cu126"), ("linux", "cpu"), ("windows", "cu126"))
    made = with_python(origin.root, make_class(origin.root, builds))
    publish(origin, made)
    return made


def test_each_package_is_fetched_once_into_a_channel_that_an_engine_can_use(
    with_engine: Class, origin: FaultServer, tmp_path: Path
) -> None:
    pack = tmp_path / "pack"
    done = built(with_engine, pack)
    assert done.bytes_fetched == with_engine.union == sum(origin.sent.values())
    assert problems(pack) == []
    assert others(pack, done.listing) == ()
    channel = {path.relative_to(pack / "conda").as_posix() for path in (pack / "conda").rglob("*") if path.is_file()}
    assert channel == {
        "noarch/repodata.json",
        "noarch/pip-25.1-h1_0.conda",
        "linux-64/repodata.json",
        "linux-64/python-3.12.11-h1_0.conda",
        "win-64/repodata.json",
        "win-64/python-3.12.11-h1_0.conda",
    }
    assert [page.name for page in (pack / "simple").iterdir() if page.name in ("pip", "python")] == []
    for subdir in ("linux-64", "win-64"):
        target = Target(
            tmp_path / "none", "3.12", "rattler", channels=((pack / "conda").as_uri(),), system=TargetSystem(subdir, ())
        )
        chosen = RattlerEngine().plan(target).packages
        assert {(one.name, one.version, one.size) for one in chosen} == {
            ("pip", "25.1", 200_000),
            ("python", "3.12.11", 200_000),
        }
    page = (pack / "index.html").read_text(encoding="utf-8")
    assert "conda" in page
    assert page.count("python-3.12.11-h1_0.conda</a>") == 2


def test_a_bad_package_is_named_mended_and_never_handed_out(
    with_engine: Class, origin: FaultServer, tmp_path: Path
) -> None:
    pack = tmp_path / "pack"
    built(with_engine, pack)
    pip, python = (package.file for package in with_engine.file.profile.locks[0].conda)
    (pack / "conda" / "noarch" / pip.filename).unlink()
    altered = pack / "conda" / "linux-64" / python.filename
    altered.write_bytes(b"x" + altered.read_bytes()[1:])
    index = pack / "conda" / "noarch" / "repodata.json"
    index.write_text(index.read_text().replace('"python >=3.9"', '"other"'))
    assert sorted(problems(pack)) == [
        ("altered", f"conda/linux-64/{python.filename}"),
        ("missing", f"conda/noarch/{pip.filename}"),
        ("size", "conda/noarch/repodata.json"),
    ]
    near = open_pack(base_of(str(pack))).address_of(python)
    assert near
    from_stick = type(python)(python.name, python.version, python.filename, (near,), python.sha256, python.size)
    with pytest.raises(WizardError) as caught:
        Fetcher(Downloads(tmp_path / "student"), options=Options(backoff=0.01)).fetch([from_stick])
    assert caught.value.code == "fetch-hash-mismatch"
    before = sum(origin.sent.values())
    built(with_engine, pack)
    assert problems(pack) == []
    assert sum(origin.sent.values()) - before == (pip.size or 0) + (python.size or 0)


def test_parts_are_no_part_of_the_channel_and_are_joined_by_a_setup(with_engine: Class, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    built(with_engine, pack, part=128 * 1024)
    assert problems(pack) == []
    python = with_engine.file.profile.locks[2].conda[1].file
    assert (pack / "conda" / "win-64" / f"{python.filename}.001").is_file()
    assert python.filename not in (pack / "conda" / "win-64" / "repodata.json").read_text()
    near = open_pack(base_of(str(pack))).address_of(python)
    assert near
    from_stick = type(python)(python.name, python.version, python.filename, (near,), python.sha256, python.size)
    (path,) = Fetcher(Downloads(tmp_path / "student")).fetch([from_stick]).paths
    assert path.read_bytes() == with_engine.data[python.sha256]


def test_an_update_removes_the_python_that_nobody_needs_any_more(
    with_engine: Class, origin: FaultServer, tmp_path: Path
) -> None:
    pack = tmp_path / "pack"
    built(with_engine, pack)
    without = make_class(origin.root, (("linux", "cu126"),))
    done = built(without, pack, remove=True)
    assert sum(path.startswith("conda/") for path in done.removed) == 6
    assert list((pack / "conda").rglob("*.*")) == []
    assert problems(pack) == []
