"""A whole real setup that is killed and healed says everything in the person's language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from tests.line.world import World
from tests.waiting import HANG

# Three plain words in a row; a path, a command, a version and a name with an upper-case letter have signs between them.
ENGLISH = re.compile(r"(?:(?<![\w./\\-])[A-Za-z]?[a-z]+[ ,;]+){2,}[a-z]+(?![\w./\\-])")
REPORTS = ("report.txt", "report.html")
COMMAND = re.compile(r"^    \S|\bpip install\b")  # to be copied
CHINESE = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")


class _Text(HTMLParser):
    """What of a page is read."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._hidden = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.lines.extend(data.splitlines())


def _kill_in_the_middle(world: World, *options: str) -> list[str]:
    program = world.start(*options, "setup", "--yes", "--name", "demo", *world.sources)
    world.wait_for_journal(program)
    world.kill_all()
    said = "\n".join(program.communicate(timeout=HANG)).splitlines()
    world.wait_for_nothing()
    return said


def _said(world: World, language: str) -> Iterator[tuple[str, str]]:
    """Every line that a person reads, with where it stood."""
    options = ("--lang", language)
    yield from (("setup", line) for line in _kill_in_the_middle(world, *options))
    prefix = str(world.home / "state" / "envs" / "demo")
    for arguments in (
        ("runs",),
        ("resume",),
        ("doctor", "--prefix", prefix),
        ("envs", "list"),
        ("envs", "show", prefix),
        *(("verify", "--prefix", prefix, "--save", str(world.home / name)) for name in REPORTS),
    ):
        done = world.run(*options, *arguments)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        assert done.stdout.strip() or done.stderr.strip(), arguments
        yield from ((arguments[0], line) for line in (done.stdout + done.stderr).splitlines())
    for name in REPORTS:
        text = (world.home / name).read_text(encoding="utf-8")
        yield from ((name, line) for line in (_Text(text).lines if name.endswith("html") else text.splitlines()))


@pytest.mark.slow
@pytest.mark.parametrize(("language", "foreign"), [("zh_CN", ENGLISH), ("en", CHINESE)], ids=["zh_CN", "en"])
def test_every_line_of_a_setup_is_in_one_language(world: World, language: str, foreign: re.Pattern[str]) -> None:
    lines = list(_said(world, language))
    assert {name for name, _ in lines} == {"setup", "runs", "resume", "doctor", "envs", "verify", *REPORTS}
    assert not [line for line in lines if foreign.search(line[1]) and not COMMAND.search(line[1])]
    assert any(
        " 未完成 " in line if language == "zh_CN" else " unfinished " in line for name, line in lines if name == "runs"
    )
    assert any((ENGLISH if language == "en" else CHINESE).search(line) for _, line in lines)
