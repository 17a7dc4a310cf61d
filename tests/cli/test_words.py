"""The command line's help and its complaints about usage, in Chinese as in English: nothing is left out."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from tests.sentences import marked
from wizard.cli.main import main
from wizard.cli.root import all_commands, parse, told_language
from wizard.cli.tables import width, wrap
from wizard.cli.terminal import Terminal


def no_window(*anything: object) -> int:
    raise AssertionError


def commands(group: click.Command, name: str = "torch-wizard") -> Iterator[tuple[str, click.Command]]:
    yield name, group
    if isinstance(group, click.Group):
        ctx = click.Context(group)
        for below in group.list_commands(ctx):
            command = group.get_command(ctx, below)
            assert command is not None
            yield from commands(command, f"{name} {below}")


def test_every_text_that_is_shown_is_marked() -> None:
    shown: set[str | None] = set()
    for name, command in commands(all_commands()):
        shown |= {command.help, command.short_help, command.epilog}
        for param in command.params:
            assert param.help or not isinstance(param, click.Option) or param.hidden, (
                f"{name} {param.name} says nothing"
            )
            shown |= {param.help, *getattr(param, "heading", ())}
    assert sorted({text for text in shown if text} - {sentence for _, sentence in marked()}) == []


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_the_help_is_chinese_and_fits_the_terminal(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for name, _ in commands(all_commands()):
        assert main(["--lang", "zh_CN", *name.split()[1:], "--help"], no_window) == 0
        body = capsys.readouterr().out.partition("\n\n")[2].splitlines()  # the head is option names only
        assert [line for line in body if width(line) > int(columns) and "  " in line.strip()] == []
        assert [line for line in body if re.search(r"(?:\b[a-z]{2,} ){3}", line)] == []


@pytest.mark.parametrize("words", [["--help"], ["pack", "serve", "--help"], ["doctor", "-h"]])
def test_help_is_said_in_the_language_that_was_told(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for language, first, heading in (
        ("zh_CN", "用法： torch-wizard", "选项："),
        ("en", "Usage: torch-wizard", "Options:"),
    ):
        assert main(["--lang", language, *words], no_window) == 0
        said = capsys.readouterr()
        assert said.err == ""
        assert said.out.startswith(first)
        assert heading in said.out


@pytest.mark.parametrize(
    ("words", "chinese", "english"),
    [
        (["nonsense"], "没有命令 'nonsense'", "No such command 'nonsense'"),
        (["setpu"], "没有命令 'setpu'。 您是否想写 setup？", "No such command 'setpu'. Did you mean setup?"),
        (["envs"], "命令：", "Commands:"),
        (["probe", "--x"], "错误：没有选项 '--x'", "Error: No such option '--x'"),
        (["probe", "--jsno"], "您是否想写 --json", "Did you mean --json?"),
        (["probe", "now"], "多余的参数：now", "Got unexpected arguments: now"),
        (["verify"], "缺少 '--prefix'", "'--prefix' is missing"),
        (["run"], "缺少 'PLAN'", "'PLAN' is missing"),
        (["pick", "--python"], "选项 '--python' 需要一个值", "Option '--python' requires a value"),
        (["setup", "--name", "--yes"], "选项 '--name' 需要一个值", "Option '--name' requires a value"),
        (["setup", "--engine", "warp"], "'warp' 不在可选范围内（可选：auto,", "'warp' is not one of: auto, rattler"),
        (
            ["setup", "--name", "a", "--prefix", "b"],
            "--name 和 --prefix 不能同时",
            "--name and --prefix cannot be given",
        ),
        (["envs", "clone", "a"], "必须给出一个：--name, --prefix", "One of these is required: --name, --prefix"),
        (["setup", "--limit-rate", "fast"], "'fast' 不是速率", "'fast' is no rate; write 500K or 5M"),
        (["pack", "serve", "x", "--port", "99999"], "0 到 65535 之间", "'99999' is no number from 0 to 65535"),
        (["room", "x", "--seats", "many"], "'many' 不是 0 到 5000", "'many' is no number from 0 to 5000"),
        (["room", "x", "--seats", "-5"], "'-5' 不是 0 到 5000", "'-5' is no number from 0 to 5000"),
        (["probe", "--json=x"], "选项 '--json' 不接受值", "Option '--json' does not take a value"),
        (["profile", "check", "x", "--machine"], "选项 '--machine' 需要一个值", "Option '--machine' requires a value"),
    ],
)
def test_wrong_usage_is_said_in_the_language_that_was_told(
    words: list[str], chinese: str, english: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for language, expected in (("zh_CN", chinese), ("en", english)):
        assert main(["--lang", language, *words], no_window) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert expected in said.err


def test_the_language_is_known_before_the_grammar_is() -> None:
    assert told_language(["--lang", "zh_CN", "envs", "--lang=en"]) == "en"
    assert told_language(["profile", "make", "--language", "zh_CN"]) is None
    assert told_language(["--lang"]) is None
    assert told_language(["--lang=xx"]) is None


def test_what_was_typed_means_the_same_in_both_languages() -> None:
    said = ["setup", "--limit-rate", "1.5m", "--connections", "3", "--serve-after", "60", "--yes"]
    chinese, english = (parse(said, Terminal(language)).arguments for language in ("zh_CN", "en"))
    assert vars(chinese) == vars(english)
    assert (chinese.limit_rate, chinese.connections, chinese.serve_after) == (1_572_864, 3, 60)


@pytest.mark.parametrize(
    "typed",
    [
        ["profile", "check", "--machine", "a", "b", "--json", "c"],
        ["profile", "check", "c", "--json", "--machine", "a", "b"],
        ["profile", "check", "c", "--json", "--machine", "a", "--machine=b"],
    ],
)
def test_an_option_takes_several_values_up_to_the_next(typed: list[str]) -> None:
    found = parse(typed, Terminal("en")).arguments
    assert (found.profile, found.machine, found.json) == ("c", ("a", "b"), True)


@pytest.mark.parametrize(
    ("typed", "key"), [(["--sign"], ""), (["--sign", "--force"], ""), (["--sign", "k"], "k"), ([], None)]
)
def test_a_key_to_sign_with_may_be_named(typed: list[str], key: str | None) -> None:
    assert parse(["profile", "make", "-o", "x", *typed], Terminal("en")).arguments.sign == key


def test_lines_by_columns() -> None:
    assert wrap("一二三四，五六 abc def七", 8) == ["一二三", "四，五六", "abc def", "七"]
    assert wrap("（可选：a）", 4) == ["（可", "选：", "a）"]
    assert wrap("averylongwordthatdoesnotfit 好", 5) == ["averylongwordthatdoesnotfit", "好"]


def loaded_by(*words: str) -> set[str]:
    """Return the modules that a whole start has loaded at its end."""
    code = (
        "import atexit, json, sys\n"
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))\n"
        f"sys.argv = {['torch-wizard', *words]!r}\n"
        "from wizard.__main__ import main\n"
        "raise SystemExit(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_help_waits_for_nothing_that_it_does_not_show() -> None:
    """No wall clock: what is loaded by then. The network alone costs more than all of the help."""
    loaded = loaded_by("--help")
    heavy = {"requests", "urllib3", "ssl", "psutil", "subprocess", "packaging", "PySide6", "msgspec", "rich"}
    assert loaded & heavy == set()
    rooms = ("wizard.transfer", "wizard.process", "wizard.run", "wizard.app.session", "wizard.cli.pick")
    assert {name for name in loaded if name.startswith(rooms)} == set()


@pytest.mark.parametrize("words", [["runs"], ["envs", "list"], ["pick", "--offline"]])
def test_a_command_without_the_network_waits_for_no_part_of_it_and_for_no_other_command(words: list[str]) -> None:
    loaded = loaded_by(*words)
    assert loaded & {"requests", "urllib3", "ssl", "installer", "PySide6", "rich", "aiohttp", "rattler"} == set()
    others = ("wizard.sources", "wizard.install.store", "wizard.app.session", "wizard.cli.setup", "wizard.cli.sources")
    assert {name for name in loaded if name.startswith(others)} == set()


@pytest.mark.parametrize("command", ["setup", "doctor", "mirrors", "profile", "pack", "store"])
def test_the_help_of_a_command_waits_for_its_options_only(command: str) -> None:
    """A shell that completes waits as long."""
    loaded = loaded_by(command, "--help")
    assert loaded & {"requests", "urllib3", "rich", "aiohttp", "rattler", "wizard.app.session"} == set()


def test_what_a_terminal_would_obey_is_not_passed_on(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal("en")
    terminal.write("a\x1b]0;mine\x07\x9bm\u202e\rb\tc\r\n中文 é\n")
    terminal.document({"path": "\u202e"})
    said = capsys.readouterr()
    assert said.err == "a\N{REPLACEMENT CHARACTER}]0;mine" + "\N{REPLACEMENT CHARACTER}" * 2 + "m" + (
        "\N{REPLACEMENT CHARACTER}" * 2 + "b\tc\n中文 é\n\n"
    )
    assert said.out == '{"path": "\u202e"}\n', "a program gets the name as it is"
