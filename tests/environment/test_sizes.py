"""Two figures, hard links counted; kept with a stamp; stopped when asked."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from tests.environment.cheap import add_wheel, make_venv
from wizard.environment.inspect import sizes
from wizard.environment.inspect.sizes import Folder, Sizes, known_sizes, measure, measure_all, walk
from wizard.model.errors import Cancelled

linux = pytest.mark.skipif(sys.platform == "win32", reason="blocks, links and modes as on Linux")
BLOCK = 4096


def filled(folder: Path, files: int = 3, size: int = 2 * BLOCK) -> Path:
    folder.mkdir(parents=True)
    for number in range(files):
        (folder / f"f{number}").write_bytes(b"x" * size)
    return folder


def on_disk(*paths: Path) -> int:
    return sum(path.lstat().st_blocks * 512 for path in paths)


@linux
def test_a_file_that_the_cache_has_too_is_held_but_not_freed(tmp_path: Path) -> None:
    env, cache = filled(tmp_path / "env"), tmp_path / "cache"
    cache.mkdir()
    (cache / "kept").hardlink_to(env / "f0")
    (env / "twice").hardlink_to(env / "f1")  # both names are inside: it is freed, and counted once
    (env / "link").symlink_to("/")
    link = (env / "link").lstat().st_size
    expected = Sizes(6 * BLOCK + link, on_disk(env / "f1", env / "f2", env / "link"), 5)
    assert measure(env) == expected
    (cache / "kept").unlink()
    assert measure(env).freed == on_disk(env / "f0", env / "f1", env / "f2", env / "link")


@linux
def test_a_sparse_file_is_large_and_takes_little(tmp_path: Path) -> None:
    env = filled(tmp_path / "env", files=0)
    with (env / "hole").open("wb") as stream:
        stream.truncate(5_000_000_000)
    counted = measure(env)
    assert counted.apparent == 5_000_000_000
    assert counted.freed < 1_000_000


@linux
def test_links_and_what_cannot_be_read_do_not_stop_it(tmp_path: Path) -> None:
    env = filled(tmp_path / "env")
    (env / "loop").symlink_to(env)
    (env / "away").symlink_to(filled(tmp_path / "elsewhere", files=50))
    seen: list[Folder] = []
    walk(env, seen.append)
    assert [folder.path for folder in seen] == [""]
    assert measure(env).files == 5


def test_every_folder_is_visited_once_whatever_the_threads(tmp_path: Path) -> None:
    for number in range(40):
        filled(tmp_path / "env" / f"a{number % 7}" / f"b{number}", files=2, size=1)
    expected = sorted(
        str(path.relative_to(tmp_path / "env")) for path in (tmp_path / "env").rglob("*") if path.is_dir()
    )
    for threads in (1, 2, 8):
        seen: list[Folder] = []
        walk(tmp_path / "env", seen.append, threads=threads)
        assert sorted(folder.path.replace("/", os.sep) for folder in seen) == ["", *expected]


def test_it_stops_when_asked_and_leaves_no_thread(tmp_path: Path) -> None:
    for number in range(30):
        filled(tmp_path / "env" / f"b{number}", files=1, size=1)
    seen: list[Folder] = []
    before = threading.active_count()
    with pytest.raises(Cancelled):
        walk(tmp_path / "env", seen.append, lambda: len(seen) >= 5)
    assert 5 <= len(seen) < 15
    assert threading.active_count() == before


def test_what_was_counted_is_kept_until_a_package_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    envs = [make_venv(tmp_path / name) for name in ("one", "two")]
    told: list[tuple[Path, Sizes]] = []
    measure_all(iter(envs), lambda *row: told.append(row))
    assert [path for path, _ in told] == envs
    assert known_sizes(envs) == dict(told)
    monkeypatch.setattr(sizes, "measure", lambda *_: pytest.fail("counted again"))
    measure_all(envs, lambda *row: None)
    monkeypatch.undo()
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(tmp_path / "own-home"))
    add_wheel(envs[0], "numpy", "2.3.0", {"numpy/big.bin": "x" * 9999})
    assert list(known_sizes(envs)) == [envs[1]]
    again: dict[Path, Sizes] = {}
    measure_all(envs, again.__setitem__)
    assert again[envs[0]].apparent >= dict(told)[envs[0]].apparent + 9999


def test_an_answer_grows_old_and_a_broken_book_is_an_empty_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = make_venv(tmp_path / "one")
    measure_all((env,), lambda *_: None)
    assert known_sizes((env,))
    book = sizes._file()
    whole = book.read_bytes()
    book.write_bytes(whole[: len(whole) // 2])
    assert known_sizes((env,)) == {}
    book.write_bytes(whole)
    later = sizes.time.time() + 2 * 86_400
    monkeypatch.setattr(sizes.time, "time", lambda: later)
    assert known_sizes((env,)) == {}


def test_cancelled_between_two_the_first_is_kept(tmp_path: Path) -> None:
    envs = [make_venv(tmp_path / name) for name in ("one", "two")]
    told: dict[Path, Sizes] = {}
    with pytest.raises(Cancelled):
        measure_all(envs, told.__setitem__, lambda: bool(told))
    assert list(told) == list(known_sizes(envs)) == envs[:1]


def test_a_folder_that_is_gone_is_left_out(tmp_path: Path) -> None:
    told: dict[Path, Sizes] = {}
    measure_all((tmp_path / "gone", make_venv(tmp_path / "one")), told.__setitem__)
    assert list(told) == [tmp_path / "one"]
    with pytest.raises(OSError, match="gone"):
        measure(tmp_path / "gone")


@linux
def test_ordinary_users_may_meet_closed_folders(tmp_path: Path) -> None:
    env = filled(tmp_path / "env")
    (filled(env / "closed")).chmod(0)
    seen: list[Folder] = []
    walk(env, seen.append)
    closed = next(folder for folder in seen if folder.path == "closed")
    assert closed.is_readable == (os.geteuid() == 0)
    (env / "closed").chmod(0o700)
