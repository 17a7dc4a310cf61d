"""Typed values read by several threads at once, as errands of the window do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

import wizard
from wizard.model.typed import from_json, from_last_line, read_own_json

READERS = 3


def slow() -> type[int]:
    """An annotation is evaluated while the type is described: another thread comes in the middle of it."""
    time.sleep(0.2)
    return int


@dataclass(frozen=True, slots=True)
class Inner:
    number: "slow()"  # type: ignore[valid-type] # noqa: UP037


@dataclass(frozen=True, slots=True)
class Outer:
    inner: Inner
    others: tuple[Inner, ...] = ()


def read_by_several() -> None:
    read = list[Outer]()
    at_once = threading.Barrier(READERS)

    def reader() -> None:
        at_once.wait()
        read.append(from_json(b'{"inner": {"number": 1}, "others": [{"number": 2}]}', Outer))

    threads = [threading.Thread(target=reader) for _ in range(READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(one.others) for one in read] == [1] * READERS


def test_a_type_that_several_threads_read_first() -> None:
    """In a process of its own: what went wrong here was a segmentation fault."""
    program = [sys.executable, "-X", "faulthandler", "-c", "from tests.test_typed import read_by_several as go; go()"]
    done = subprocess.run(program, capture_output=True, text=True, cwd=Path(wizard.__file__).parents[1])
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("call", ["msgspec.json.decode(", "msgspec.convert("])
def test_nobody_reads_past_it(call: str) -> None:
    sources = Path(wizard.__file__).parent.rglob("*.py")
    users = {path.name for path in sources if call in path.read_text(encoding="utf-8")}
    assert users <= {"tables.py", "typed.py"}  # which name `described` in the same line


@dataclass
class Note:
    place: Path
    parents: tuple[str, ...]


def test_a_name_that_is_no_text_is_read_as_it_was_written(tmp_path: Path) -> None:
    """msgspec's own reader refuses a lone surrogate; a folder's name may hold one."""
    broken = os.fsdecode(b"/x/\xff")
    (tmp_path / "note").write_text(json.dumps({"place": broken, "parents": [broken], "more": 1}), "utf-8")
    assert read_own_json(tmp_path / "note", Note) == Note(Path(broken), (broken,))
    (tmp_path / "note").write_text('{"place": 3, "parents": []}', "utf-8")
    assert read_own_json(tmp_path / "note", Note) is None
    assert read_own_json(tmp_path / "gone", Note) is None


@pytest.mark.parametrize("around", [("", ""), ("hello from a hook\n", ""), ("", "bye\n"), ("[1]\n", "{}\n7\nbye\n")])
def test_a_childs_answer_is_found_among_what_hooks_print(around: tuple[str, str]) -> None:
    before, after = around
    assert from_last_line(f'{before}{{"place": "/a", "parents": ["b"]}}\n{after}', Note) == Note(Path("/a"), ("b",))


@pytest.mark.parametrize("printed", ["", "bye", "{}\n" * 30])
def test_no_answer_is_none_of_what_hooks_print(printed: str) -> None:
    with pytest.raises(ValueError, match="Expecting value|Object missing"):
        from_last_line(printed, Note)
