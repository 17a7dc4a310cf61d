"""The pages of a pack: a simple index (PEP 503) for pip and uv, a channel's index for conda, one page for people.

All links are relative, so a pack may be moved, or put behind any web server.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote

from packaging.utils import canonicalize_name

from wizard.classroom.pack.listing import CONDA, REPODATA, PackEntry, PackRequest
from wizard.classroom.profile.model import NOARCH
from wizard.model.markup import Markup, joined, page, tag
from wizard.model.messages import bytes_text, gigabytes, message, text

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
    """Return all pages. `placed`: sha256 -> where it lies."""
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
    lines = joined((joined((tag("a", words, href=href), tag("br"))) for href, words in links), "\n")
    version = tag("meta", name="pypi:repository-version", content="1.0")
    return f"<!DOCTYPE html>\n{tag('meta', charset='utf-8')}{version}\n{lines}\n"


def _project(entries: Sequence[PackEntry]) -> str:
    """A split file has no link: pip cannot join it."""
    whole = [entry for entry in entries if not entry.parts]
    return _simple(
        (f"../../{quote(entry.path)}#sha256={entry.sha256}", PurePosixPath(entry.path).name) for entry in whole
    )


def _people(wanted: PackRequest, placed: Mapping[str, PackEntry], code: str) -> str:
    rows = (
        tag("tr", tag("td", tag("a", file.path, href=quote(file.path))), tag("td", bytes_text(file.size)))
        for entry in sorted(placed.values(), key=lambda entry: -entry.size)
        for file in entry.files
    )
    sections = (_section(wanted, placed, code, language) for language in wanted.languages)
    return page(wanted.title, _STYLE, *sections, tag("table", *rows))


def _section(wanted: PackRequest, placed: Mapping[str, PackEntry], code: str, language: str) -> Markup:
    def words(name: str, **blanks: str | float) -> str:
        return text(message(f"pack.page.{name}", **blanks), language)

    def command(options: str) -> Markup:
        return joined((tag("br"), tag("code", f"torch-wizard setup {options}")))

    size = gigabytes(sum(entry.size for entry in placed.values()))
    return tag(
        "section",
        tag("h2", wanted.title),
        tag("p", words("what", count=len(placed), size=size)),
        tag("p", words("stick"), command("--profile profile.torchlab")),
        tag("p", words("web"), command(f"--pack ADDRESS --class {code}")),
        tag("p", words("code", code=code)),
        tag("p", words("pip")),
        *([tag("p", words("conda"))] if wanted.conda else []),
        tag("p", words("check")),
        lang=language.replace("_", "-"),
    )
