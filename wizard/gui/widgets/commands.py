"""Names of pages, and how the window shows a sentence with marks (`model.marks`): nobody has to type there.

The commands, options and settings of other programs are taken out of the sentence and shown below it, under “In a
terminal”; a page's name becomes a link.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from wizard.app.pages.order import PageId, SideId
from wizard.model.marks import COMMAND, END, PAGE, PAGE_NAMES

# What stands around a sign goes with it: quotes, and the colon or the verb that leads to a command. Where the command
# itself followed a colon, its word wants a verb; but none where it has one of its own ("the command below shows").
_COMMAND = re.compile(f'[“`"]?{COMMAND}([^{END}]*){END}[”`"]?')
_PAGE = re.compile(f'[“"]?{PAGE}([^{END}]*){END}[”"]?')
_SETTING = re.compile(r"[A-Z][A-Z0-9_]*(=\S*)?")
_TYPED = r"(?:the command below|command \d)"
_USED = r"(?:the (?:option|setting) below|(?:option|setting) \d)"
_VERB = r"(?: below)? (?:lists|must|names|says|sets|shows|stands)\b"
_VERB_ZH = r"(?:下面的)?(?:命令|选项|设置)(?: \d)? ?(?:会|应|必须|可以|能|显示|列出)"
_AROUND = (
    (rf"\b([Rr]un|[Tt]ype): (?={_TYPED})", r"\1 "),
    (r"\bSet (?=(?:the setting below|setting \d))", "Use "),
    (r"\bset (?=(?:the setting below|setting \d))", "use "),
    (rf": (?={_TYPED}(?!{_VERB}))", ": run "),
    (rf": (?={_USED}(?!{_VERB}))", ": use "),
    (r"设(?:置|为)? ?(?=下面的设置|设置 \d)", "使用"),
    (r"运行[： ](?=下[面方]的命令|命令 \d)", "运行"),
    (rf"(?<=[里中]) ?(?! ?{_VERB_ZH})(?=下[面方]的命令|命令 \d)", "运行"),
    (r"(?<=执行|输入)：(?=下面的命令|命令 \d)", ""),
    (rf"：(?!{_VERB_ZH})(?=下面的命令|命令 \d)", "：运行"),
    (rf"：(?!{_VERB_ZH})(?=下面的选项|下面的设置|选项 \d|设置 \d)", "：使用"),
    (r"(?<=[一-鿿，、；。：（）”]) (?=下面的|(?:命令|选项|设置|变量) \d)|(?<=下面的..) (?=[一-鿿（])", ""),
    (r"((?:命令|选项|设置|变量) \d)(?=[一-鿿])", r"\1 "),
)


def page_name(page: PageId | SideId) -> str:
    """Return a page's name in the language of the window."""
    return named(page.value)


def named(page: str) -> str:
    """Return a page's name by its id."""
    return QCoreApplication.translate("Rail", PAGE_NAMES[page], "")


def plain(words: str) -> str:
    """Return a sentence for where nothing can lie below it: with its commands."""
    return with_pages(words.replace(COMMAND, "")).replace(END, "")


def with_pages(words: str) -> str:
    return _PAGE.sub(lambda found: f"“{named(found[1])}”", words)


def pages_of(words: str) -> tuple[str, ...]:
    """Return the ids of the pages that a sentence names."""
    return tuple(dict.fromkeys(_PAGE.findall(words)))


def linked(words: str, here: str = "") -> str:
    """Put a link in the place of each page's name, but for the page that they stand on; the rest is HTML already."""

    def link(found: re.Match[str]) -> str:
        return with_pages(found[0]) if found[1] == here else f'<a href="{found[1]}">{named(found[1])}</a>'

    return _PAGE.sub(link, words)


def apart(words: str) -> tuple[str, tuple[str, ...]]:
    """Return the words, and the commands and options of other programs that stood in them; the words say which is meant
    where, and once that the numbered ones stand below."""
    found = tuple(dict.fromkeys(_COMMAND.findall(words)))
    numbered = [each for each in _COMMAND.finditer(words) if _place(each[1], found)]

    def pointed(each: re.Match[str]) -> str:
        is_first = bool(numbered) and each.start() == numbered[0].start()
        said = _pointed(kind_of(each[1]), _place(each[1], found), is_first)
        before = words[: each.start()].rstrip()
        return said[0].upper() + said[1:] if not before or before.endswith(".") else said

    said = _COMMAND.sub(pointed, words)
    for pattern, shown in _AROUND:
        said = re.sub(pattern, shown, said)
    # What ends in a command has no full stop after it, so that it can be copied; a sentence has one.
    ends = words.endswith((END, f"{END}”", f'{END}"')) and bool(found)
    return f"{said}{'。' if re.search('[一-鿿]', said) else '.'}" if ends else said, found


def _place(part: str, found: Sequence[str]) -> int:
    """Return its number among those of its kind; 0 where it is the only one."""
    alike = [one for one in found if kind_of(one) == kind_of(part)]
    return alike.index(part) + 1 if len(alike) > 1 else 0


def _pointed(kind: str, number: int, is_first: bool) -> str:
    if number and is_first:
        first = {
            "option": QCoreApplication.translate("Advice", "option %1 below"),
            "setting": QCoreApplication.translate("Advice", "setting %1 below"),
            "variable": QCoreApplication.translate("Advice", "variable %1 below"),
            "command": QCoreApplication.translate("Advice", "command %1 below"),
        }
        return first[kind].replace("%1", str(number))
    if number:
        numbered = {
            "option": QCoreApplication.translate("Advice", "option %1"),
            "setting": QCoreApplication.translate("Advice", "setting %1"),
            "variable": QCoreApplication.translate("Advice", "variable %1"),
            "command": QCoreApplication.translate("Advice", "command %1"),
        }
        return numbered[kind].replace("%1", str(number))
    return {
        "option": QCoreApplication.translate("Advice", "the option below"),
        "setting": QCoreApplication.translate("Advice", "the setting below"),
        "variable": QCoreApplication.translate("Advice", "the variable below"),
        "command": QCoreApplication.translate("Advice", "the command below"),
    }[kind]


def kind_of(part: str) -> str:
    """Tell what was taken out of a sentence: an option of a command that the reader has, a variable of the environment
    by its name or with its value (a setting), a command."""
    if part.startswith("-"):
        return "option"
    found = _SETTING.fullmatch(part)
    return "command" if not found else "setting" if found[1] else "variable"
