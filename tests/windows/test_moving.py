"""Files renamed, replaced and removed while others read them: as Windows refuses it, and in one place of the program.

Windows' refusals are stood in by errors with its numbers; the readers and files are real.
"""

from __future__ import annotations

import ast
import errno
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.abilities import needs_links
from wizard.environment.remove import erase
from wizard.run import control, run_folder
from wizard.run.run_folder import RunFolder
from wizard.system import disk, disk_windows, moving

ROOT = Path(__file__).resolve().parents[2]
ACCESS_DENIED, SHARING_VIOLATION, LOCK_VIOLATION = 5, 32, 33


def refusal(number: int, path: object = "x") -> PermissionError:
    error = PermissionError(errno.EACCES, "refused", str(path))
    error.winerror = number  # type: ignore[attr-defined]
    return error


class Held:
    """A disk on which nobody moves or removes a file that is held."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._held: dict[Path, int] = {}
        self.refused = 0
        self._guard = threading.Lock()
        monkeypatch.setattr(disk, "insist", disk_windows.insist)
        for name in ("replace", "rename", "unlink"):
            monkeypatch.setattr(os, name, self._refusing(getattr(os, name)))

    def hold(self, path: Path, times: int) -> None:
        self._held[path] = times

    def _refusing(self, real: Callable[..., None]) -> Callable[..., None]:
        def call(*paths: Any, **more: Any) -> None:
            with self._guard:
                for path in (Path(str(path).removeprefix("\\\\?\\")) for path in paths):  # as Windows' long form begins
                    if self._held.get(path, 0) > 0:
                        self._held[path] -= 1
                        self.refused += 1
                        raise refusal((ACCESS_DENIED, SHARING_VIOLATION, LOCK_VIOLATION)[self.refused % 3], path)
            real(*paths, **more)

        return call


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    return Held(monkeypatch)


def test_a_file_that_is_read_is_replaced_when_the_reader_is_done(tmp_path: Path, held: Held) -> None:
    (tmp_path / "new").write_text("new")
    (tmp_path / "old").write_text("old")
    held.hold(tmp_path / "old", times=5)
    moving.replace(tmp_path / "new", tmp_path / "old")
    assert (tmp_path / "old").read_text() == "new"
    assert held.refused == 5


def test_written_in_one_go_or_as_it_was(tmp_path: Path, held: Held, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "note"
    (tmp_path / "note.new").write_text("cut")
    held.hold(path, times=3)
    moving.write_whole(path, b"first", 0o640)
    assert (path.read_bytes(), held.refused) == (b"first", 3)
    assert os.name == "nt" or path.stat().st_mode & 0o777 == 0o640

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="full"):
        moving.write_whole(path, b"second")
    assert path.read_bytes() == b"first"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["note"]


@needs_links
def test_a_link_in_the_place_of_an_unfinished_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("mine")
    (tmp_path / "note.new").symlink_to(tmp_path / "elsewhere")
    moving.write_whole(tmp_path / "note", b"ours")
    assert ((tmp_path / "note").read_bytes(), (tmp_path / "elsewhere").read_text()) == (b"ours", "mine")


def test_renamed_and_removed(tmp_path: Path, held: Held) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_text("x")
    held.hold(tmp_path / "a", times=2)
    moving.rename(tmp_path / "a", tmp_path / "b")
    held.hold(tmp_path / "b" / "file", times=3)
    moving.unlink(tmp_path / "b" / "file")
    assert list((tmp_path / "b").iterdir()) == []
    moving.unlink(tmp_path / "b" / "file", missing_ok=True)
    with pytest.raises(FileNotFoundError):
        moving.unlink(tmp_path / "b" / "file")


def test_a_word_to_a_run_gets_through_beside_a_nonstop_reader(tmp_path: Path, held: Held) -> None:
    folder = RunFolder(tmp_path)
    for word in (control.PAUSE, "", control.CANCEL):
        held.hold(folder.control, times=4)
        control.ask(folder, word)
        assert control.asked(folder) == word
    held.hold(folder.control, times=4)
    control.clear(folder)
    assert control.asked(folder) == ""


def test_a_reader_that_comes_while_it_is_replaced_sees_the_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a pause would be none for a moment."""
    monkeypatch.setattr(disk, "insist", disk_windows.insist)
    folder, refusals = RunFolder(tmp_path), [refusal(ACCESS_DENIED), refusal(SHARING_VIOLATION)]
    control.ask(folder, control.PAUSE)
    real = Path.read_text

    def read(path: Path, **more: Any) -> str:
        if refusals:
            raise refusals.pop()
        return real(path, **more)

    monkeypatch.setattr(Path, "read_text", read)
    assert control.asked(folder) == control.PAUSE


def test_the_owner_of_a_run_is_forgotten(tmp_path: Path, held: Held) -> None:
    run_folder.write_owner(tmp_path / "owner")
    held.hold(tmp_path / "owner", times=3)
    run_folder.forget_owner(tmp_path / "owner")
    assert not (tmp_path / "owner").exists()


def test_a_tree_goes_when_the_last_of_its_files_is_let_go(
    tmp_path: Path, held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "_use_fd_functions", False)  # as it is on Windows
    for name in ("a", "b", "c"):
        (tmp_path / "tree" / name).mkdir(parents=True)
        (tmp_path / "tree" / name / "file").write_text("x")
        held.hold(tmp_path / "tree" / name / "file", times=2)
    moving.remove_tree(tmp_path / "tree")
    moving.remove_tree(tmp_path / "tree")  # nothing there: no matter
    assert not (tmp_path / "tree").exists()
    assert held.refused == 6


def test_an_environment_with_a_file_that_is_read_is_removed(
    tmp_path: Path, held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erase, "_BY_DESCRIPTOR", False)  # as it is on Windows
    monkeypatch.setattr(erase, "open_folder", disk_windows.open_folder)
    (tmp_path / "env").mkdir()
    for name in ("a", "b"):
        (tmp_path / "env" / name).write_text("x")
    held.hold(tmp_path / "env" / "a", times=6)  # twice in each attempt
    erased: list[int] = []
    erase.erase(tmp_path / "env", erased.append)
    assert not (tmp_path / "env").exists()
    assert (sum(erased), held.refused) == (2, 6)


@pytest.mark.parametrize("number", [ACCESS_DENIED, SHARING_VIOLATION, LOCK_VIOLATION])
def test_who_never_lets_go_is_told_of(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a bounded time, by the clock that the test turns; the pauses grow, and some hundred times it is tried."""
    now, pauses = [0.0], list[float]()

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        now[0] += seconds

    # the clock of this module alone: threads of other tests sleep, too
    clock = SimpleNamespace(sleep=sleep, monotonic=lambda: now[0])
    monkeypatch.setattr(disk_windows, "time", clock)

    def never() -> None:
        raise refusal(number)

    with pytest.raises(PermissionError) as caught:
        disk_windows.insist(never)
    assert caught.value.winerror == number  # type: ignore[attr-defined]
    assert 2.0 < now[0] <= 5.0
    assert pauses[0] <= 0.002 < pauses[-1]
    assert len(pauses) > 200


def test_another_refusal_is_told_at_once() -> None:
    tried: list[int] = []

    def full() -> None:
        tried.append(1)
        raise OSError(errno.ENOSPC, "full")

    with pytest.raises(OSError, match="full"):
        disk_windows.insist(full)
    assert tried == [1]


# --- the sources -----------------------------------------------------------------------------------------------------

# The place itself; a tree that is removed by open folders, and removed again as a whole.
MAY = {"system/moving.py", "environment/remove/erase.py"}
OF_OS = {"replace", "rename", "renames", "unlink", "remove", "removedirs"}
OF_SHUTIL = {"rmtree", "move"}


def bare(source: str) -> Iterator[int]:
    """Lines in which a file is replaced, renamed or removed with a single try. `str.replace` takes two arguments, that
    of a date or a dataclass takes names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module in ("os", "shutil"):
            if {each.name for each in node.names} & (OF_OS | OF_SHUTIL):
                yield node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            if node.attr in OF_OS:
                yield node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "shutil":
            if node.attr in OF_SHUTIL:
                yield node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not _is_moving(node.func):
            one = len(node.args) == 1 and not node.keywords
            if (node.func.attr in ("replace", "rename") and one) or node.func.attr == "unlink":
                yield node.lineno


def _is_moving(called: ast.Attribute) -> bool:
    return isinstance(called.value, ast.Name) and called.value.id == "moving"


@pytest.mark.parametrize(
    "source",
    [
        "fresh.replace(path)",
        "Path(a).rename(b)",
        "os.replace(a, b)",
        "shutil.rmtree(a)",
        "path.unlink(missing_ok=True)",
        "from os import replace",
        "call(os.unlink)",
        "(folder / 'x').unlink()",
    ],
)
def test_a_bare_one_is_seen(source: str) -> None:
    assert list(bare(source))


@pytest.mark.parametrize(
    "source",
    [
        "text.replace('a', 'b')",
        "day.replace(tzinfo=utc)",
        "dataclasses.replace(value, size=1)",
        "moving.replace(a, b)",
        "moving.unlink(a)",
        "folder.rmdir()",
    ],
)
def test_a_sound_one_is_left(source: str) -> None:
    assert not list(bare(source))


def test_files_are_moved_and_removed_in_one_place() -> None:
    found = {}
    for path in sorted((ROOT / "wizard").rglob("*.py")):
        if lines := list(bare(path.read_text(encoding="utf-8"))):
            found[path.relative_to(ROOT / "wizard").as_posix()] = lines
    assert set(found) - MAY == set(), f"by wizard.system.moving: {found}"
    assert set(found) == MAY
