"""The command line's help and its complaints about usage, in Chinese as in English: nothing is left out."""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator

import pytest

from wizard.cli.grammar.arguments import build_parser
from wizard.cli.grammar.network import ArgumentType
from wizard.cli.grammar.words import parse, put_into, told_language
from wizard.cli.main import main
from wizard.cli.tables import width, wrap
from wizard.model.messages import command_line_words

_BLANK = re.compile(r"%(?:\(\w+\))?[a-z]")
# Said to who writes a grammar; an open file, a deprecated option, argparse's own version action: we have none.
_NOT_FOR_PEOPLE = {
    "conflicting subparser: %s",
    "conflicting subparser alias: %s",
    'argument "-" with mode %r',
    "can't open '%(filename)s': %(error)s",
    "dest= is required for options like %r",
    "subcommands",
    "conflicting option string: %s",
    "conflicting option strings: %s",
    "mutually exclusive arguments must be optional",
    "cannot have multiple subparser arguments",
    ".__call__() not defined",
    "(default: %(default)s)",
    "cannot merge actions - two groups are named %r",
    "'required' is an invalid argument for positionals",
    "invalid option string %(option)r: must start with a character %(prefix_chars)r",
    "%r is not callable",
    "invalid conflict_resolution value: %r",
    "show program's version number and exit",
    "command '%(parser_name)s' is deprecated",
    "option '%(option)s' is deprecated",
    "argument '%(argument_name)s' is deprecated",
    "%(prog)s: warning: %(message)s",
}


def no_window(*anything: object) -> int:
    raise AssertionError


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in dict.fromkeys(action.choices.values()):
                yield from parsers(command)


def texts(parser: argparse.ArgumentParser) -> Iterator[str | None]:
    yield from (parser.description, parser.epilog)
    for group in parser._action_groups:
        yield from (group.title, group.description)
    for action in parser._actions:
        if action.option_strings and not action.help:
            raise AssertionError(f"{parser.prog} {action.option_strings} says nothing of itself")
        yield action.help
        if isinstance(action.type, ArgumentType):
            yield action.type.complaint
        elif action.type is not None:
            raise AssertionError(f"{parser.prog} {action.option_strings} names a function where a value is refused")
        if isinstance(action, argparse._SubParsersAction):
            yield from (row.help for row in action._choices_actions)


def grammar() -> set[str]:
    said = {text for parser in parsers(build_parser()) for text in texts(parser)}
    return {text for text in said if text and text != argparse.SUPPRESS}


def argparse_sentences() -> set[str]:
    """What this Python's argparse hands to gettext."""
    calls = [node for node in ast.walk(ast.parse(inspect.getsource(argparse))) if isinstance(node, ast.Call)]
    named = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in ("_", "ngettext")]
    words = [word.value for call in named for word in call.args if isinstance(word, ast.Constant)]
    return {word.strip() for word in words if isinstance(word, str)} - _NOT_FOR_PEOPLE


def test_every_text_of_the_grammar_is_translated_and_nothing_else_is() -> None:
    table = command_line_words("zh_CN")
    assert sorted(grammar() - set(table)) == []
    known = {key for key in table if key.startswith(("argument ", "unknown parser", "invalid choice", "%(heading)s"))}
    assert sorted(set(table) - grammar() - argparse_sentences() - known) == []


def test_every_sentence_of_argparse_is_translated() -> None:
    said = argparse_sentences()
    assert {"usage:", "unrecognized arguments: %s"} <= said
    assert sorted(said - set(command_line_words("zh_CN"))) == []


def test_the_translation_has_the_same_blanks_and_is_one() -> None:
    for english, chinese in command_line_words("zh_CN").items():
        assert sorted(_BLANK.findall(english)) == sorted(_BLANK.findall(chinese)), english
        assert any(unicodedata.east_asian_width(letter) == "W" for letter in chinese) or "：" in chinese, english


def test_a_text_that_nobody_translated_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = build_parser()
    real.add_argument("--new", help="nobody has translated this")
    monkeypatch.setattr("tests.cli.test_words.build_parser", lambda: real)
    assert grammar() - set(command_line_words("zh_CN")) == {"nobody has translated this"}


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_the_help_is_chinese_and_fits_the_terminal(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    parser = build_parser()
    put_into(parser, command_line_words("zh_CN"))
    for each in parsers(parser):
        body = each.format_help().partition("\n\n")[2].splitlines()  # the head is option names only
        assert [line for line in body if width(line) > int(columns) and "  " in line.strip()] == []
        assert [line for line in body if re.search(r"(?:\b[a-z]{2,} ){3}", line)] == []


@pytest.mark.parametrize("words", [["--help"], ["pack", "serve", "--help"], ["doctor", "-h"]])
def test_help_is_said_in_the_language_that_was_told(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for language, first, heading in (
        ("zh_CN", "用法：torch-wizard", "选项"),
        ("en", "usage: torch-wizard", "options"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["--lang", language, *words], no_window)
        said = capsys.readouterr()
        assert (ended.value.code, said.err) == (0, "")
        assert said.out.startswith(first)
        assert heading in said.out


@pytest.mark.parametrize(
    ("words", "chinese", "english"),
    [
        (["nonsense"], "'nonsense' 不在可选范围内（可选：", "invalid choice: 'nonsense'"),
        (["probe", "--x"], "错误：无法识别的参数：--x", "error: unrecognized arguments: --x"),
        (["verify"], "缺少必需的参数：--prefix", "the following arguments are required: --prefix"),
        (["pick", "--python"], "需要一个值", "argument --python: expected one argument"),
        (["setup", "--name", "a", "--prefix", "b"], "不能与参数 --name 同时使用", "not allowed with argument --name"),
        (["setup", "--limit-rate", "fast"], "'fast' 不是速率", "'fast' is no rate; write 500K or 5M"),
        (["pack", "serve", "x", "--port", "99999"], "0 到 65535 之间", "'99999' is no number from 0 to 65535"),
        (["room", "x", "--seats", "many"], "'many' 不是 0 到 5000", "'many' is no number from 0 to 5000"),
        (["probe", "--json=x"], "不接受值 'x'", "ignored explicit argument 'x'"),
    ],
)
def test_wrong_usage_is_said_in_the_language_that_was_told(
    words: list[str], chinese: str, english: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for language, expected in (("zh_CN", chinese), ("en", english)):
        with pytest.raises(SystemExit) as ended:
            main([*words, "--lang", language] if words[-1] != "--python" else ["--lang", language, *words], no_window)
        assert ended.value.code == 2
        assert expected in capsys.readouterr().err


def test_the_language_is_known_before_the_grammar_is() -> None:
    assert told_language(["--lang", "zh_CN", "envs", "--lang=en"]) == "en"
    assert told_language(["profile", "make", "--language", "zh_CN"]) is None
    assert told_language(["--lang"]) is None
    assert told_language(["--lang=xx"]) is None


def test_what_was_typed_means_the_same_in_both_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    said = ["setup", "--limit-rate", "1.5m", "--connections", "3", "--serve-after", "60", "--yes"]
    monkeypatch.setenv("TORCH_WIZARD_LANG", "zh_CN")
    before = vars(argparse)["_"]
    chinese = parse(said)
    assert vars(argparse)["_"] is before
    monkeypatch.setenv("TORCH_WIZARD_LANG", "en")
    assert vars(chinese) == vars(parse(said))
    assert (chinese.limit_rate, chinese.connections, chinese.serve_after) == (1_572_864, 3, 60)


def test_lines_by_columns() -> None:
    assert wrap("一二三四，五六 abc def七", 8) == ["一二三", "四，五六", "abc def", "七"]
    assert wrap("（可选：a）", 4) == ["（可", "选：", "a）"]
    assert wrap("averylongwordthatdoesnotfit 好", 5) == ["averylongwordthatdoesnotfit", "好"]


def test_help_waits_for_nothing_that_it_does_not_show() -> None:
    """No wall clock: what is loaded by then. The network alone costs more than all of the help."""
    code = (
        "import atexit, json, sys\n"
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))\n"
        "sys.argv = ['torch-wizard', '--help']\n"
        "from wizard.__main__ import main\n"
        "raise SystemExit(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = set(json.loads(done.stderr.splitlines()[-1]))
    assert loaded & {"requests", "urllib3", "ssl", "psutil", "subprocess", "packaging", "PySide6", "msgspec"} == set()
    assert {name for name in loaded if name.startswith(("wizard.transfer", "wizard.process", "wizard.run"))} == set()
