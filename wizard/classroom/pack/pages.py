"""The pages of a pack: a simple index (PEP 503) for pip and uv, a channel's index for conda, one page for people.

All links are relative, so a pack may be moved, or put behind any web server.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import PurePosixPath
from urllib.parse import quote

from packaging.utils import canonicalize_name

from wizard.classroom.pack.listing import CONDA, REPODATA, PackEntry, PackRequest
from wizard.classroom.profile.model import NOARCH
from wizard.model.messages import message, text

_STYLE = (
    "body{font:16px/1.6 system-ui,'Noto Sans CJK SC','Microsoft YaHei',sans-serif;max-width:46em;margin:2em auto;"
    "padding:0 1em;color:#1d2430;background:#fff}code{background:#eef1f5;padding:.1em .35em;border-radius:4px}"
    "td{padding:.15em 1em .15em 0;vertical-align:top}h2{margin-top:2em}"
    "@media(prefers-color-scheme:dark){body{color:#e6e9ef;background:#161a20}code{background:#262c36}a{color:#8ab4ff}}"
)


@dataclass(frozen=True, slots=True)
class PackPage:
    path: str
    text: str


def pages(wanted: PackRequest, placed: Mapping[str, PackEntry], code: str) -> tuple[PackPage, ...]:
    """`placed`: sha256 -> where it lies."""
    projects: dict[str, list[PackEntry]] = {}
    for file in wanted.wheels:
        projects.setdefault(canonicalize_name(file.name), []).append(placed[file.sha256])
    return (
        PackPage("simple/index.html", _simple((f"{name}/", name) for name in sorted(projects))),
        *(PackPage(f"simple/{name}/index.html", _project(entries)) for name, entries in sorted(projects.items())),
        *_channel(wanted, placed),
        PackPage("index.html", _people(wanted, placed, code)),
    )


def _channel(wanted: PackRequest, placed: Mapping[str, PackEntry]) -> Iterator[PackPage]:
    """What the profile says of its conda packages, as a channel says it. `noarch` is what makes a folder a channel."""
    whole = [package for package in wanted.conda if not placed[package.file.sha256].parts]  # conda cannot join them
    for subdir in sorted({NOARCH, *(package.subdir for package in wanted.conda)}) if wanted.conda else ():
        kinds: dict[str, dict[str, object]] = {"packages": {}, "packages.conda": {}}
        for package in sorted((each for each in whole if each.subdir == subdir), key=lambda each: each.path):
            kind = "packages.conda" if package.file.filename.endswith(".conda") else "packages"
            kinds[kind][package.file.filename] = package.index_record()
        index = {"info": {"subdir": subdir}, **kinds, "removed": [], "repodata_version": 1}
        yield PackPage(f"{CONDA}/{subdir}/{REPODATA}", json.dumps(index, indent=1, sort_keys=True) + "\n")


def _simple(links: Iterable[tuple[str, str]]) -> str:
    lines = "\n".join(f'<a href="{escape(href)}">{escape(words)}</a><br>' for href, words in links)
    return f'<!DOCTYPE html>\n<meta charset="utf-8"><meta name="pypi:repository-version" content="1.0">\n{lines}\n'


def _project(entries: Sequence[PackEntry]) -> str:
    """A split file has no link: pip cannot join it."""
    whole = [entry for entry in entries if not entry.parts]
    return _simple(
        (f"../../{quote(entry.path)}#sha256={entry.sha256}", PurePosixPath(entry.path).name) for entry in whole
    )


def _people(wanted: PackRequest, placed: Mapping[str, PackEntry], code: str) -> str:
    size = round(sum(entry.size for entry in placed.values()) / 1e9, 2)
    body = []
    for language in wanted.languages:
        words = {
            name: escape(text(message(f"pack.page.{name}", **blanks), language))
            for name, blanks in (
                ("what", {"count": len(placed), "size": size}),
                ("stick", {}),
                ("web", {}),
                ("pip", {}),
                ("check", {}),
                ("conda", {}),
                ("code", {"code": code}),
            )
        }
        conda = f"<p>{words['conda']}</p>" if wanted.conda else ""
        body.append(
            f'<section lang="{language.replace("_", "-")}"><h2>{escape(wanted.title)}</h2><p>{words["what"]}</p>'
            f"<p>{words['stick']}<br><code>torch-wizard setup --profile profile.torchlab</code></p>"
            f"<p>{words['web']}<br><code>torch-wizard setup --pack ADDRESS --class {escape(code)}</code></p>"
            f"<p>{words['code']}</p><p>{words['pip']}</p>{conda}<p>{words['check']}</p></section>"
        )
    rows = "".join(
        f'<tr><td><a href="{quote(file.path)}">{escape(file.path)}</a></td><td>{file.size / 1e6:.1f} MB</td></tr>'
        for entry in sorted(placed.values(), key=lambda entry: -entry.size)
        for file in entry.files
    )
    return (
        f'<!DOCTYPE html>\n<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{escape(wanted.title)}</title><style>{_STYLE}</style></head>\n<body>{''.join(body)}"
        f"<table>{rows}</table></body></html>\n"
    )
