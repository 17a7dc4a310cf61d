"""A class whose pack was built, and a server that hands it out."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.classroom.pack.classes import Class, make_class, publish, with_python
from tests.servers.fault_server import FaultServer
from wizard.classroom.pack.build import BuildOptions, build
from wizard.classroom.pack.make import read_listing, wanted_of
from wizard.classroom.server.limits import Limits
from wizard.classroom.server.server import PackServer, ServeOptions, content_of_pack
from wizard.transfer.download import Downloads


def build_one(origin: FaultServer, course: Class, folder: Path) -> Class:
    publish(origin, course)
    build(wanted_of(course.file), folder, BuildOptions(), Downloads(folder.parent / "own"))
    return course


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Class, Path]:
    folder = tmp_path_factory.mktemp("built") / "pack"
    with FaultServer() as origin:
        return build_one(origin, with_python(origin.root, make_class(origin.root, kilobytes=700)), folder), folder


@pytest.fixture
def pack(built: tuple[Class, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(built[1], tmp_path / "pack"))


@pytest.fixture
def course(built: tuple[Class, Path], pack: Path) -> Class:
    """Its pack lies in `tmp_path / "pack"`."""
    return built[0]


def serve(folder: Path, limits: Limits = Limits(), port: int = 0) -> PackServer:  # noqa: B008 - frozen
    return PackServer(content_of_pack(folder, read_listing(folder)), ServeOptions("127.0.0.1", port, limits))


@pytest.fixture
def server(pack: Path) -> Iterator[PackServer]:
    with serve(pack) as running:
        yield running
