"""The help of a command and what is wrong with a line that was typed, laid out in columns, in the person's language.

click takes its own sentences from gettext, which asks the environment for the language; pip and uv would inherit that.
So each sentence is put together here, from what click's exceptions carry, and goes through `Terminal.translated`.
"""

from __future__ import annotations

import inspect
from difflib import get_close_matches
from typing import Any

import click
from click.shell_completion import CompletionItem

from wizard.cli.tables import width, wrap
from wizard.cli.terminal import Terminal
from wizard.model.catalogue import N_ as N_

HELP_NAMES = ["-h", "--help"]


def translated(ctx: click.Context | None, english: str, **params: object) -> str:
    """Return the text in the person's language with its blanks filled, `%(name)s`."""
    terminal = ctx.obj if ctx else None
    words = terminal.translated(english) if isinstance(terminal, Terminal) and english else english
    return words % params if params else words


class HelpLayout(click.HelpFormatter):
    """click's layout, by columns: it counts letters, and a Chinese one takes two columns."""

    def write_heading(self, heading: str) -> None:
        self.write(f"{'':>{self.current_indent}}{heading}\n")

    def write_text(self, text: str) -> None:
        indent = " " * self.current_indent
        self.write("".join(f"{indent}{line}\n" for line in wrap(text, self.width - len(indent))))

    def write_dl(self, rows: Any, col_max: int = 28, col_spacing: int = 2) -> None:
        """Write options and their words in two columns; Chinese signs count as two wide."""
        rows, left = list(rows), " " * self.current_indent
        first = min(max(width(name) for name, _ in rows), col_max) + col_spacing
        for name, words in rows:
            lines = wrap(words, self.width - len(left) - first)
            fits = width(name) + col_spacing <= first
            self.write(f"{left}{name}{' ' * (first - width(name)) + lines[0] if fits else ''}".rstrip() + "\n")
            self.write("".join(f"{left}{' ' * first}{line}\n" for line in lines[1 if fits else 0 :]))


class _HelpContext(click.Context):
    formatter_class = HelpLayout


class Helped(click.Command):
    """The help of a command and of a group."""

    context_class = _HelpContext

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        found = super().get_help_option(ctx)
        if found:
            found.help = N_("Show this help and exit.")
        return found

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(f"{translated(ctx, N_('Usage:'))} {' '.join([ctx.command_path, *self.usage_pieces(ctx)])}\n")

    def usage_pieces(self, ctx: click.Context) -> list[str]:
        required = [each for each in self.params if isinstance(each, click.Option) and each.required]
        pieces = [f"{each.opts[-1]} {each.make_metavar(ctx)}" for each in required]
        return [translated(ctx, N_("[OPTIONS]")), *pieces, *self.collect_usage_pieces(ctx)[1:]]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_indented(formatter, translated(ctx, self.help or ""))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_indented(formatter, translated(ctx, self.epilog or ""))

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        shown = [each for each in self.params if isinstance(each, click.Argument) and each.help]
        _write_part(formatter, translated(ctx, N_("Arguments:")), _rows(ctx, shown))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Those without a heading first."""
        shown = [each for each in self.get_params(ctx) if isinstance(each, click.Option) and not each.hidden]
        for heading, more in dict.fromkeys([("", ""), *map(_heading, shown)]):
            title = translated(ctx, heading) + translated(ctx, N_(":")) if heading else translated(ctx, N_("Options:"))
            rows = _rows(ctx, [each for each in shown if _heading(each) == (heading, more)])
            _write_part(formatter, title, rows, translated(ctx, more))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        return self.complete_options(ctx, incomplete)

    def complete_options(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        found = click.Command.shell_complete(self, ctx, incomplete)
        for each in found:
            each.help = translated(ctx, each.help or "")
        return found


def _heading(param: click.Parameter) -> tuple[str, str]:
    return getattr(param, "heading", ("", ""))


def _rows(ctx: click.Context, params: list[Any]) -> list[tuple[str, str]]:
    return [
        (
            each.get_help_spec(ctx) if isinstance(each, click.Option) else each.make_metavar(ctx),
            translated(ctx, inspect.cleandoc(each.help or "")),
        )
        for each in params
    ]


def _write_part(formatter: click.HelpFormatter, title: str, rows: list[tuple[str, str]], more: str = "") -> None:
    if rows:
        with formatter.section(title):
            if more:
                formatter.write_text(more)
            formatter.write_dl(rows)


def _write_indented(formatter: click.HelpFormatter, words: str) -> None:
    if words:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(words)


def tell_complaint(error: click.UsageError, terminal: Terminal) -> None:
    """Write how the command is typed, what was wrong, and where all of it stands."""
    ctx = error.ctx
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        terminal.write(error.message)
        return
    if ctx:
        terminal.write(ctx.get_usage())
        terminal.write(translated(ctx, N_("Try '%(command)s --help' for help."), command=ctx.command_path) + "\n")
    terminal.write(translated(ctx, N_("Error: %(message)s"), message=complaint(error)))


def complaint(error: click.UsageError) -> str:
    """Return click's complaint in the language of the program, with names that are meant perhaps."""
    ctx = error.ctx
    if isinstance(error, click.NoSuchOption):
        words = translated(ctx, N_("No such option '%(name)s'."), name=error.option_name)
        return words + _similar(ctx, error.possibilities or [])
    if isinstance(error, click.exceptions.NoSuchCommand) and ctx and isinstance(ctx.command, click.Group):
        words = translated(ctx, N_("No such command '%(name)s'."), name=error.command_name)
        return words + _similar(ctx, get_close_matches(error.command_name, ctx.command.list_commands(ctx)))
    if isinstance(error, click.MissingParameter) and error.param and ctx:
        name = error.param.opts[-1] if isinstance(error.param, click.Option) else error.param.make_metavar(ctx)
        return translated(ctx, N_("'%(name)s' is missing."), name=name)
    if isinstance(error, click.BadOptionUsage):
        params = ctx.command.get_params(ctx) if ctx else []
        flags = [name for each in params if isinstance(each, click.Option) and each.is_flag for name in each.opts]
        if error.option_name in flags:
            return translated(ctx, N_("Option '%(name)s' does not take a value."), name=error.option_name)
        return translated(ctx, N_("Option '%(name)s' requires a value."), name=error.option_name)
    if isinstance(error, click.BadParameter) and error.param:
        return f"{error.param.opts[-1]}: {error.message}"
    return error.message


def _similar(ctx: click.Context | None, names: list[str]) -> str:
    return " " + translated(ctx, N_("Did you mean %(names)s?"), names=", ".join(names)) if names else ""
