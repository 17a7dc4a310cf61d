"""What a command is made of, on click: options under headings, values of one kind, groups that load a command late.

A line that was typed becomes a `Call`, the command with its arguments; carrying it out is another matter (`main.py`).
How help and complaints look is in `help.py`.

One file: an option, a command and a group are one thing to who writes a command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from wizard.cli.help import HELP_NAMES, N_, Helped, translated
from wizard.cli.terminal import Terminal
from wizard.model.messages import LANGUAGES

_NEGATIVE = re.compile(r"-\d+|-\d*\.\d+")


class Arguments(SimpleNamespace):
    """What was typed: an attribute for each option and argument of the command."""


Run = Callable[[Arguments, Terminal], int]


@dataclass(frozen=True, slots=True)
class Call:
    """A command that was typed and is not yet carried out. `name`: as it is typed, `envs list`."""

    name: str
    run: Run
    arguments: Arguments


class PathValue(click.ParamType[str]):
    """A path, which a shell completes: a `file` or a `dir`. Nothing is looked at."""

    def __init__(self, kind: str) -> None:
        self.name = kind

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        return [CompletionItem(incomplete, type=self.name)]


_FILE, _FOLDER = PathValue("file"), PathValue("dir")


def _path_type(metavar: str) -> PathValue | None:
    """Return what a shell completes for `FILE`, `DIR|URL`, `NAME|P`; None for what is no path."""
    words = set(re.findall(r"[A-Z]+", metavar))
    if words & {"FILE", "KEYFILE", "PLAN", "PROFILE"}:
        return _FILE
    return _FOLDER if words & {"DIR", "FOLDER", "P", "PATH", "PREFIX"} else None


class GroupedOption(click.Option):
    """`heading`: of the part of the help in which it stands, and what is said below it.

    `takes_several`: values up to the next option, as `--machine A B`; `value_optional`: the value may be left out.
    """

    def __init__(self, names: Sequence[str], takes_several: bool = False, **more: Any) -> None:
        self.takes_several, self.value_optional = takes_several, "flag_value" in more
        self.heading = ("", "")
        super().__init__(names, **more)


def option(*names: str, help: str, **more: Any) -> GroupedOption:
    """Return an option with a value. `dest`: its attribute; `again`: it may be given again; else as click's."""
    dest, several = more.pop("dest", None), more.pop("takes_several", False)
    more.setdefault("type", _path_type(more.get("metavar", "")))
    again = more.pop("again", False) or several
    return GroupedOption([*names, dest] if dest else names, several, help=help, multiple=again, **more)


def flag(*names: str, help: str = "", hidden: bool = False) -> GroupedOption:
    """Return an option without a value."""
    return GroupedOption(names, help=help, hidden=hidden, is_flag=True)


def argument(name: str, metavar: str, help: str | None = None, **more: Any) -> click.Argument:
    """Return a positional argument; `required=False` or `nargs=-1` as click's."""
    more.setdefault("type", _path_type(metavar))
    return click.Argument([name], help=help, metavar=metavar, **more)


def under(heading: str, *options: GroupedOption, more: str = "") -> tuple[GroupedOption, ...]:
    """Return the options, which stand under this heading in the help; `more` is said below it."""
    for each in options:
        each.heading = (heading, more)
    return options


class OneOf(click.Choice[str]):
    """One word of several."""

    def __init__(self, *choices: str) -> None:
        super().__init__(choices)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word. Raise click.BadParameter for another one."""
        if value in self.choices:
            return str(value)
        words = N_("'%(value)s' is not one of: %(choices)s")
        raise click.BadParameter(translated(ctx, words, value=value, choices=", ".join(self.choices)), ctx, param)


class CheckedValue(click.ParamType[int]):
    """A number of one kind. `parse` raises ValueError; `complaint` says why, with the blanks `value` and limits."""

    name = "value"

    def __init__(self, parse: Callable[[str], int], complaint: str, **limits: int) -> None:
        self.parse, self.complaint, self.limits = parse, complaint, limits

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number. Raise click.BadParameter."""
        try:
            return value if isinstance(value, int) else self.parse(value)
        except ValueError:
            words = translated(ctx, self.complaint, value=value, **self.limits)
            raise click.BadParameter(words, ctx, param) from None


def whole(least: int, most: int) -> CheckedValue:
    """Return the type of a whole number within limits."""

    def parse(text: str) -> int:
        if not least <= int(text) <= most:
            raise ValueError(text)
        return int(text)

    return CheckedValue(parse, N_("'%(value)s' is no number from %(least)d to %(most)d"), least=least, most=most)


def language_option(hidden: bool = True) -> GroupedOption:
    """Return `--lang`, which every command takes; what it says is known before (`told_language`)."""
    words = N_("language of messages (default: the system's)")
    return GroupedOption(["--lang"], help=words, type=OneOf(*LANGUAGES), hidden=hidden, expose_value=False)


class Command(Helped):
    """`exclusive`: attributes of the options of which one may be given; `needs_one`: and must be."""

    def __init__(
        self,
        name: str,
        help: str,
        run: Run,
        params: Sequence[click.Parameter],
        description: str | None = None,
        epilog: str | None = None,
        exclusive: Collection[str] = (),
        needs_one: bool = False,
    ) -> None:
        super().__init__(
            name,
            {"help_option_names": HELP_NAMES, "allow_extra_args": True},
            params=[*params, language_option()],
            help=description or help,
            short_help=help,
            epilog=epilog,
        )
        self.run, self.exclusive, self.needs_one = run, exclusive, needs_one

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Raise click.UsageError for what this command does not take."""
        if ctx.resilient_parsing:  # a shell asks what may follow: nothing is complete yet
            return super().parse_args(ctx, args)
        try:
            rest = super().parse_args(ctx, self._spread(ctx, args))
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # click's parser does not say whose option it was
            raise
        if rest:
            words = translated(ctx, N_("Got unexpected arguments: %(words)s"), words=" ".join(rest))
            raise click.UsageError(words, ctx)
        self._check_exclusive(ctx)
        return rest

    def _spread(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Write several values as several options; an option where a value is wanted is a forgotten value."""
        wanting = {
            name: each
            for each in self.params
            if isinstance(each, GroupedOption) and not (each.is_flag or each.value_optional)
            for name in each.opts
        }
        spread, left = list[str](), list(args)
        while left:
            word = left.pop(0)
            spread.append(word)
            if word == "--":
                return spread + left
            if word in wanting:
                if not left or _is_option(left[0]):
                    raise click.BadOptionUsage(word, "", ctx)
                spread.append(left.pop(0))
                while wanting[word].takes_several and left and not _is_option(left[0]):
                    spread += [word, left.pop(0)]
        return spread

    def _check_exclusive(self, ctx: click.Context) -> None:
        among = [each for each in self.params if each.name in self.exclusive]
        given = [each for each in among if ctx.get_parameter_source(each.name) is ParameterSource.COMMANDLINE]
        if len(given) > 1:
            words = N_("%(one)s and %(other)s cannot be given together.")
            raise click.UsageError(translated(ctx, words, one=given[0].opts[0], other=given[1].opts[0]), ctx)
        if self.needs_one and not given:
            names = ", ".join(each.opts[0] for each in among)
            raise click.UsageError(translated(ctx, N_("One of these is required: %(names)s"), names=names), ctx)

    def invoke(self, ctx: click.Context) -> Call:
        """Return the call; nothing is carried out yet."""
        return Call(ctx.command_path.split(" ", 1)[-1], self.run, Arguments(**ctx.params))


def _is_option(word: str) -> bool:
    return len(word) > 1 and word.startswith("-") and " " not in word and not _NEGATIVE.fullmatch(word)


def command(name: str, *params: click.Parameter, **more: Any) -> Callable[[Run], Command]:
    """Make the function below a command, whose line of help stands where it is named (`Late`); `more` as `Command`."""
    return lambda run: Command(name, "", run, params, **more)


@dataclass(frozen=True, slots=True)
class Late:
    """A command that is loaded when it is typed: its module, and what a list of commands says of it."""

    module: str
    help: str
    attribute: str = ""  # the command in it (default: its name)


class CommandGroup(Helped, click.Group):
    """Commands in the order of `late`, then those that were added. `without`: what a line without a command means."""

    def __init__(
        self, name: str, help: str = "", late: Mapping[str, Late] | None = None, without: Run | None = None, **more: Any
    ) -> None:
        super().__init__(
            name,
            context_settings={"help_option_names": HELP_NAMES},
            params=[*more.pop("params", ()), language_option(hidden=without is None)],
            help=more.pop("description", None) or help,
            short_help=help,
            subcommand_metavar="COMMAND ...",
            invoke_without_command=True,
            callback=self._without_command,
            no_args_is_help=without is None,
            **more,
        )
        self._late, self._without = dict(late or {}), without

    def add(self, name: str, help: str, *params: click.Parameter, **more: Any) -> Callable[[Run], Command]:
        """Make the function below a command of this group."""

        def adding(run: Run) -> Command:
            made = Command(name, help, run, params, **more)
            self.add_command(made)
            return made

        return adding

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(dict.fromkeys([*self._late, *self.commands]))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import only the command that was typed, so that the others cost no start."""
        late = self._late.get(cmd_name)
        if late is None:
            return self.commands.get(cmd_name)
        found: click.Command = getattr(import_module(late.module), late.attribute or cmd_name)
        found.short_help, found.help = late.help, found.help or late.help
        return found

    def _without_command(self, **params: object) -> Call | None:
        ctx = click.get_current_context()
        if ctx.invoked_subcommand is not None:
            return None
        if self._without is None:
            raise click.UsageError(translated(ctx, N_("A command is missing.")), ctx)
        return Call("", self._without, Arguments(**params))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        rows = [(name, translated(ctx, self._help_of(name))) for name in self.list_commands(ctx)]
        with formatter.section(translated(ctx, N_("Commands:"))):
            formatter.write_dl(rows)

    def _help_of(self, name: str) -> str:
        late = self._late.get(name)
        return late.help if late else self.commands[name].short_help or ""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Return the names without loading any of the commands."""
        names = [
            CompletionItem(name, help=translated(ctx, self._help_of(name)))
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]
        return names + self.complete_options(ctx, incomplete)
