"""Further addresses for a lock's files: the same name and bytes elsewhere, at no more than a page for each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.servers.mirror_server import MirrorServer, Ways
from tests.sources.wheels import make_wheel
from wizard.model.lock import Lock, LockedFile
from wizard.run.plan.other_packages import with_alternates
from wizard.sources.model import Layout, Origin, Source, UserSettings

NAMES = ("alpha-1.0-py3-none-any.whl", "beta-2.0-py3-none-any.whl")


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    for name in NAMES:
        make_wheel(tmp_path / "wheels", name)
    return tmp_path / "wheels"


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as made:
        yield made


def add(stack: ExitStack, wheels: Path, name: str, ways: Ways | None = None) -> tuple[MirrorServer, Source]:
    server = stack.enter_context(MirrorServer(wheels, ways))
    origin = Origin.OFFICIAL if name == "official" else Origin.MIRROR
    return server, Source(name, Layout.SIMPLE, origin, server.simple, name)


def lock_of(wheels: Path, server: MirrorServer, sha256: str | None = None) -> Lock:
    files = []
    for name in NAMES:
        digest = sha256 or hashlib.sha256((wheels / name).read_bytes()).hexdigest()
        project, version = name.split("-")[:2]
        files.append(LockedFile(project, version, name, (f"{server.url}/files/{name}",), digest))
    text = "\n".join(f"{file.urls[0]} {file.sha256}" for file in files)
    return Lock(tuple(files), text)


def listed_by(lock: Lock, server: MirrorServer) -> Lock:
    return replace(lock, files=tuple(replace(file, listed_by=server.simple) for file in lock.files))


def more(lock: Lock, *sources: Source, seconds: float = 30.0) -> Lock:
    return with_alternates(lock, {"packages": sources}, UserSettings(), lambda: False, seconds)


def hosts(lock: Lock, *servers: MirrorServer) -> list[list[int]]:
    """For each file the servers in the order of its addresses, by number."""
    return [[next(i for i, s in enumerate(servers) if url.startswith(s.url)) for url in f.urls] for f in lock.files]


def test_the_same_file_in_the_order_of_the_sources(wheels: Path, stack: ExitStack) -> None:
    (first, one), (second, two), (official, three) = (add(stack, wheels, name) for name in ("a", "b", "official"))
    lock = more(lock_of(wheels, first), one, two, three)
    assert hosts(lock, first, second, official) == [[0, 1, 2], [0, 1, 2]]
    assert [file.size for file in lock.files] == [(wheels / name).stat().st_size for name in NAMES]
    for server in (first, second, official):
        assert sorted(server.paths()) == ["/simple/alpha/", "/simple/beta/"], "a page each, no file"


def test_nobody_is_asked_without_sources(wheels: Path, stack: ExitStack) -> None:
    server, _ = add(stack, wheels, "a")
    lock = lock_of(wheels, server)
    assert with_alternates(lock, {}, UserSettings(), lambda: False) is lock
    assert server.asked == []


def test_no_hash_is_no_hindrance_and_another_hash_is(wheels: Path, stack: ExitStack) -> None:
    (first, one), (bare, two) = add(stack, wheels, "a"), add(stack, wheels, "b", Ways(hashes=False, json=False))
    liar, three = add(stack, wheels, "c", Ways(lists_hash="0" * 64))
    assert hosts(more(lock_of(wheels, first), one, three, two), first, bare, liar) == [[0, 1], [0, 1]]


def test_who_lacks_it_or_is_silent_is_left_out(wheels: Path, stack: ExitStack) -> None:
    (first, one), (lacks, two) = add(stack, wheels, "a"), add(stack, wheels, "b", Ways(lacks=(NAMES[0],)))
    refuses, three = add(stack, wheels, "c", Ways(refuses="all"))
    assert hosts(more(lock_of(wheels, first), one, three, two), first, lacks, refuses) == [[0], [0, 1]]


def test_the_official_hash_counts(wheels: Path, stack: ExitStack) -> None:
    """The lock was made of a mirror's page that lies: the file then comes from where it is right."""
    (liar, one), (official, two) = add(stack, wheels, "a", Ways(lists_hash="0" * 64)), add(stack, wheels, "official")
    lock = more(listed_by(lock_of(wheels, liar, "0" * 64), liar), one, two)
    assert hosts(lock, liar, official) == [[1], [1]]
    assert {file.listed_by for file in lock.files} == {official.simple}
    agreed = more(listed_by(lock_of(wheels, official), liar), one, two)
    assert {file.listed_by for file in agreed.files} == {liar.simple}, "the version was still its word"
    right = [hashlib.sha256((wheels / name).read_bytes()).hexdigest() for name in NAMES]
    assert [file.sha256 for file in lock.files] == right
    assert all(digest in lock.text for digest in right)
    assert "0" * 64 not in lock.text
    assert liar.url not in lock.text


def test_one_that_hangs_holds_nobody_up(wheels: Path, stack: ExitStack) -> None:
    (first, one), (hangs, two) = add(stack, wheels, "a"), add(stack, wheels, "b", Ways(hangs="all"))
    assert hosts(more(lock_of(wheels, first), one, two, seconds=2.0), first, hangs) == [[0], [0]]
