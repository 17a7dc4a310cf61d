"""Rules about options that change what an install does: a table of them (`matrices/lint.toml`), what pip ignores,
and a torch in the user's own site folder."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.i18n import message
from wizard.mirrors.address_facts import OptionRow, address_facts
from wizard.mirrors.pip_settings import TRUE_WORDS
from wizard.settings.finding import Finding, Repair, Situation, finding
from wizard.settings.model import Tool
from wizard.settings.options import Option, OwnSettings

_IGNORED = ("use-mirrors", "mirrors")


def changing_options(own: OwnSettings, situation: Situation) -> Iterator[Finding]:
    rows = {(row.tool, row.key): row for row in address_facts().options}
    has_links = any(option.role == "links" for option in own.options)
    for option in own.options:
        row = rows.get((option.tool.value, _written(option)))
        if row is None or not option.values or not _applies(row, option.values[0]):
            continue
        if row.effect == "no-index" and has_links:
            continue  # a closed lab with a folder of its own: that is how it is meant
        yield finding(row.effect, row.severity, option, touches=row.touches, name=_shown(option), build=situation.build,
                      repairs=tuple(Repair(option, value) for value in option.values))  # fmt: skip


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


def ignored_options(own: OwnSettings, situation: Situation) -> Iterator[Finding]:
    for option in own.options:
        if option.tool is Tool.PIP and option.key in _IGNORED:
            repairs = tuple(Repair(option, value) for value in option.values)
            yield finding("use-mirrors", "warning", option, repairs=repairs)


def user_site_torch(own: OwnSettings, situation: Situation) -> Iterator[Finding]:
    for site in own.user_sites:
        is_same = situation.python in (None, site.python)
        params = {"place": str(site.path), "python": site.python, "version": site.version or "?",
                  "build": situation.build}  # fmt: skip
        effect = "effect" if is_same else "effect-other"
        yield Finding(
            "user-site-torch", "warning" if is_same else "note", "python", str(site.path), None, site.version or "",
            message("lint.user-site-torch.cause", **params), message("lint.user-site-torch.fix", **params),
            message(f"lint.user-site-torch.{effect}", **params),
        )  # fmt: skip


OPTION_RULES = (changing_options, ignored_options, user_site_torch)
