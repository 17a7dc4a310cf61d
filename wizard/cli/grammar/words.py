"""The command line's help and argparse's own complaints, in the person's language.

The grammar is written in English; a table gives the other language's words for each text, as Qt's files do for the
window (`resources/translations`). argparse takes its own sentences from two functions of its module, meant for
gettext; gettext itself would want a variable of the environment, which pip and uv would inherit. They are put back.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from wizard.cli.grammar.arguments import build_parser
from wizard.cli.grammar.network import ArgumentType
from wizard.cli.tables import wrap
from wizard.model.messages import LANGUAGES, command_line_words, system_language

Words = Mapping[str, str]


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Raises SystemExit where help was asked for, or where the words are wrong."""
    words = command_line_words(told_language(argv) or system_language())
    if not words:
        return build_parser().parse_args(argv)
    with _argparse_saying(words):
        parser = build_parser()
        put_into(parser, words)
        return parser.parse_args(argv)


def told_language(argv: Sequence[str]) -> str | None:
    """What `--lang` says, on either side of a command; needed before there is a grammar to ask."""
    told = None
    for word, following in zip(argv, [*argv[1:], ""], strict=True):
        value = following if word == "--lang" else word.removeprefix("--lang=")
        if word.startswith("--lang") and value in LANGUAGES:
            told = value
    return told


class _Columns(argparse.HelpFormatter):
    """Counts columns, not letters."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(indent + line for line in wrap(text, width - len(indent)))


def put_into(parser: argparse.ArgumentParser, words: Words) -> None:
    """Replaces every text of the grammar that the table knows."""
    parser.formatter_class = _Columns
    parser.description, parser.epilog = _said(parser.description, words), _said(parser.epilog, words)
    for group in parser._action_groups:
        group.title, group.description = _said(group.title, words), _said(group.description, words)
    for action in parser._actions:
        action.help = _said(action.help, words)
        if isinstance(action.type, ArgumentType):
            action.type = replace(action.type, complaint=_said(action.type.complaint, words))
        if isinstance(action, argparse._SubParsersAction):
            for row in action._choices_actions:
                row.help = _said(row.help, words)
            for command in dict.fromkeys(action.choices.values()):
                put_into(command, words)


def _said(english: Any, words: Words) -> Any:
    return words.get(english, english)


@contextlib.contextmanager
def _argparse_saying(words: Words) -> Iterator[None]:
    def say(english: str) -> str:
        core = english.strip()  # argparse's sentences carry their line ends and blanks
        return english.replace(core, words.get(core, core)).replace("： ", "：") if core else english

    def say_counted(one: str, many: str, count: int) -> str:
        return say(one if count == 1 else many)

    module: Any = argparse
    kept: tuple[Callable[..., str], ...] = (module._, module.ngettext)
    module._, module.ngettext = say, say_counted
    try:
        yield
    finally:
        module._, module.ngettext = kept
