"""Rules about whole files, and about options that change what an install does.

Rules about whole files: pip and conda stop at a file that they cannot read, and say little about why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wizard.model.messages import message
from wizard.sources.address_facts import OptionRow, address_facts
from wizard.toolconfig.lint.finding import LintContext, LintFinding, OptionFix, finding
from wizard.toolconfig.model import TRUE_WORDS, BrokenFile, Option, Tool
from wizard.toolconfig.settings import OwnSettings

_IGNORED = ("use-mirrors", "mirrors")


def changing_options(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Yield the options that change what an install does, by the rows of the table."""
    rows = {(row.tool, row.key): row for row in address_facts().options}
    has_links = any(option.role == "links" for option in own.options)
    for option in own.options:
        row = rows.get((option.tool.value, _written(option)))
        if row is None or not option.values or not _applies(row, option.values[0]):
            continue
        if row.effect == "no-index" and has_links:
            continue  # a closed lab with a folder of its own: that is how it is meant
        yield finding(
            row.effect,
            row.severity,
            option,
            meets=row.meets or "",
            name=_shown(option),
            build=situation.build,
            repairs=tuple(OptionFix(option, value) for value in option.values),
        )


def _written(option: Option) -> str:
    """uv's and conda's rows are about variables."""
    return option.key if option.tool is Tool.PIP else option.spelled


def _shown(option: Option) -> str:
    return option.spelled if option.path is None else option.key


def _applies(row: OptionRow, value: str) -> bool:
    if row.when == "set":
        return True
    if row.when in ("true", "false"):
        return (value.lower() in TRUE_WORDS) is (row.when == "true")
    return any(word in value.lower() for word in row.when.split("|"))


def ignored_options(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Yield the options that pip reads no more."""
    for option in own.options:
        if option.tool is Tool.PIP and option.key in _IGNORED:
            repairs = tuple(OptionFix(option, value) for value in option.values)
            yield finding("use-mirrors", "warning", option, repairs=repairs)


def user_site_torch(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Yield a torch in the account's own site folder, which every environment of that Python would take."""
    for site in own.user_sites:
        is_same = situation.python in (None, site.python)
        params = {
            "place": str(site.path),
            "python": site.python,
            "version": site.version or "?",
            "build": situation.build,
        }
        effect = "effect" if is_same else "effect-other"
        yield LintFinding(
            "user-site-torch",
            "warning" if is_same else "note",
            "python",
            str(site.path),
            None,
            site.version or "",
            message("lint.user-site-torch.cause", **params),
            message("lint.user-site-torch.fix", **params),
            message(f"lint.user-site-torch.{effect}", **params),
        )


OPTION_RULES = (changing_options, ignored_options, user_site_torch)


_INLINE = re.compile(r"\s[#;]")
_SINGLE = ("index-url", "cert", "proxy", "no-index", "channel_priority", "ssl_verify", "channel_alias")


def broken_files(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    for broken in own.broken:
        yield _broken(broken)


def _broken(broken: BrokenFile) -> LintFinding:
    """uv and pip do nothing at all with such a file in the way; setup reads past it."""
    code = f"file-{broken.kind}"
    params = {"place": str(broken.path), "tool": broken.tool.value, "problem": broken.problem}
    line = re.search(r"\bline:? (\d+)", broken.problem)
    return LintFinding(
        code,
        "error",
        broken.tool.value,
        str(broken.path),
        int(line[1]) if line else None,
        "",
        message(f"lint.{code}.cause", **params),
        message(f"lint.{code}.fix", **params),
        message("lint.file.effect", **params),
        meets="around",
    )


def misplaced_files(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Find files that no tool reads. Moving one would put its settings into force: that is for the user's own hand."""
    for one in own.misplaced:
        params = {"place": str(one.path), "tool": one.tool.value, "right": str(one.right)}
        cause, fix, effect = (message(f"lint.file-misplaced.{word}", **params) for word in ("cause", "fix", "effect"))
        yield LintFinding("file-misplaced", "warning", one.tool.value, str(one.path), None, "", cause, fix, effect)


def inline_comments(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Find comments behind a value, which pip takes as part of it."""
    for option in own.options:
        if option.tool is not Tool.PIP or option.path is None or not _INLINE.search(option.raw):
            continue
        clean = "\n".join(_INLINE.split(line, maxsplit=1)[0] for line in option.raw.splitlines()).strip()
        kept = clean.split() if option.is_list else [clean]
        junk = tuple(OptionFix(option, value) for value in option.values if value not in kept)
        repairs = junk if option.is_list else (OptionFix(option, option.values[0], clean or None),)
        yield finding("inline-comment", "error", option, repairs=repairs, meets="around" if option.role else "")


def contradictions(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Find settings that several places give differently: only one of them counts, and it is not always the expected
    one."""
    groups: dict[tuple[Tool, str], list[Option]] = {}
    for option in own.options:
        if option.key in _SINGLE and option.values and not option.for_mamba:
            groups.setdefault((option.tool, option.key), []).append(option)
    for (tool, key), options in groups.items():
        values = {option.values[0].rstrip("/") for option in options}
        if len(values) > 1 and not (tool is Tool.CONDA and key == "ssl_verify" and "false" in values):
            winner = _winner(options)
            loser = next(option for option in options if option.values[0] != winner.values[0])
            yield finding("contradiction", "note", loser, winner=winner.place, key=key)


def _winner(options: list[Option]) -> Option:
    """Options come with the lowest precedence first, variables last; pip's [install] beats [global]."""
    variables = [option for option in options if option.path is None]
    if variables:
        return variables[-1]
    specific = [option for option in options if option.spelled.startswith("install.")]
    return (specific or options)[-1]


FILE_RULES = (broken_files, misplaced_files, inline_comments, contradictions)
