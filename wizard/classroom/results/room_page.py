"""The room as a static page in both languages and as a table for a spreadsheet.

The page runs no script and loads nothing. Every word in it may come from a stranger's certificate: all is escaped, and
in the table no cell can begin a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from wizard.classroom.code import code_of
from wizard.classroom.results.room import GREEN, ClassResults, MachineRow, Said
from wizard.model.markup import Markup, joined, page, tag
from wizard.model.messages import LANGUAGES, catalogue, message, text
from wizard.model.messages import joined as run_on

_NAMES = {"en": "English", "zh_CN": "简体中文"}
_COLUMNS = ("state", "machine", "why", "fix", "card", "build", "when")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Half of the world's spreadsheets take a semicolon for the border of a cell, whatever stands around it.
_INNER_FORMULA = re.compile(r"([;,|][\s\"']*)(?=[=+\-@＝＋－＠])")
_CREATED = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\dZ")
_STYLE = """
body{font:15px/1.5 system-ui,'Noto Sans CJK SC','Microsoft YaHei',sans-serif;margin:1.5em;color:#1d2430;background:#fff}
h1{font-size:1.5em;margin:.2em 0}table{border-collapse:collapse;width:100%;margin-top:1em}
th,td{text-align:left;vertical-align:top;padding:.45em .7em;border-bottom:1px solid #d8dde5}
.red .state{color:#a4161a;font-weight:600}.green .state{color:#1b6e3c}.red{background:#fdf1f1}
small{color:#566}input{margin:0 .3em 0 1em}section{display:none}
#en:checked~.en,#zh_CN:checked~.zh_CN{display:block}
td:nth-child(3){overflow-wrap:anywhere;min-width:13em}td:nth-child(4){min-width:10em}
td:nth-child(6){min-width:7em}td:last-child{min-width:6em}
@media print{section{display:block}input,label{display:none}}
@media(prefers-color-scheme:dark){body{color:#e6e9ef;background:#161a20}th,td{border-color:#333a45}
.red{background:#2b1a1c}.red .state{color:#ff9a9a}.green .state{color:#7ed6a2}small{color:#9aa5b1}}
"""


def room_page(room: ClassResults, language: str | None = None) -> str:
    """Return the page. `language`: the one that is shown first."""
    first = language if language in LANGUAGES else LANGUAGES[0]
    choices = (_choice(name, name == first) for name in LANGUAGES)
    return page(room.title, _STYLE, *choices, *(_section(room, name) for name in LANGUAGES))


def _choice(name: str, is_first: bool) -> Markup:
    checked = {"checked": ""} if is_first else {}
    return joined((tag("input", type="radio", name="l", id=name, **checked), tag("label", _NAMES[name], for_=name)))


def _section(room: ClassResults, language: str) -> Markup:
    words = _words(language)
    columns = (tag("th", words(f"share.column.{name}")) for name in _COLUMNS)
    rows = [_row(row, language) for row in room.rows]
    if room.missing:
        state = tag("td", words("share.state.missing"), class_="state")
        silent = tag("td", words("share.room.missing", count=room.missing), colspan=str(len(_COLUMNS) - 1))
        rows.append(tag("tr", state, silent, class_="missing"))
    return tag(
        "section",
        tag("h1", room.title),
        tag("p", text(room.head, language)),
        tag("small", words("share.room.code", code=code_of(room.profile_sha256))),
        tag("table", tag("thead", tag("tr", *columns)), tag("tbody", joined(rows, "\n"))),
        joined(tag("p", text(note, language)) for note in room.notes),
        class_=language,
        lang=language.replace("_", "-"),
    )


def _row(row: MachineRow, language: str) -> Markup:
    words = _words(language)
    seconds = _below(f"{row.seconds:.0f} s") if row.seconds is not None else ""
    return tag(
        "tr",
        tag("td", words(f"share.state.{row.state}"), class_="state"),
        tag("td", row.label, _below(row.machine)),
        tag("td", sentences(row.why, language)),
        tag("td", sentences(row.fix, language)),
        tag("td", row.cards, _below(row.system)),
        tag("td", row.build),
        tag("td", moment_text(row.created), seconds),
        class_="green" if row.state == GREEN else "red",
    )


def _below(words: str) -> Markup:
    return joined((tag("br"), tag("small", words)))


@lru_cache(maxsize=256)  # a room asks each second for each of its red seats
def brief_cause(code: str, language: str) -> str:
    """Return a word or two for what is wrong, the most exact that there are; "": none are known for this code."""
    parts = code.split("-")
    ends = ["-".join(parts[first:]) for first in range(len(parts))]
    starts = ["-".join(parts[:last]) for last in range(len(parts) - 1, 0, -1)]
    keys = (f"share.brief.{one}" for one in (*ends, *starts))
    known = next((key for key in keys if key in catalogue("en")), "")
    return text(message(known), language) if known else ""


def moment_text(created: str) -> str:
    """`2026-11-21T21:35:24Z` for people; what has another form stays as it is."""
    found = _CREATED.fullmatch(created)
    return f"{found[1]} {found[2]} UTC" if found else created


def room_csv(room: ClassResults, language: str = LANGUAGES[0]) -> str:
    """With a byte order mark, by which spreadsheets know UTF-8."""
    words = _words(language)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([words(f"share.column.{name}") for name in (*_COLUMNS, "code", "system", "id", "seconds")])
    for row in room.rows:
        seconds = "" if row.seconds is None else f"{row.seconds}"
        cells = (
            words(f"share.state.{row.state}"),
            row.label,
            sentences(row.why, language),
            sentences(row.fix, language),
            row.cards,
            row.build,
            row.created,
            row.code,
            row.system,
            row.machine,
            seconds,
        )
        writer.writerow([cell_of(cell) for cell in cells])
    for _ in range(room.missing):  # a line for each seat, so that counting lines counts the room
        writer.writerow([words("share.state.missing"), *[""] * (len(_COLUMNS) + 3)])
    return "\ufeff" + out.getvalue()


def cell_of(value: str) -> str:
    """What a spreadsheet would take for a formula becomes plain text."""
    flat = _INNER_FORMULA.sub(r"\1'", " ".join(value.split()))
    return f"'{flat}" if value.startswith(_FORMULA) or flat.startswith(_FORMULA) else flat


def sentences(said: Iterable[Said], language: str) -> str:
    return run_on((_sentence(each, language) for each in said), language)


def _sentence(said: Said, language: str) -> str:
    try:
        return text(said.message, language)
    except (KeyError, IndexError, ValueError, TypeError, AttributeError):
        return said.text or said.message.key


def _words(language: str) -> Callable[..., str]:
    def words(key: str, **blanks: str | int) -> str:
        return text(message(key, **blanks), language)

    return words
