"""HTML pages from parts: every text is escaped, only what these functions made stays as it is.

A page needs nothing else: no script, no picture, no address to load, and it says so to the browser.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_VOID = ("br", "input", "meta")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def joined(parts: Iterable[str], between: str = "") -> Markup:
    """Return the parts one after the other, those that are plain text escaped."""
    return Markup(between.join(part if isinstance(part, Markup) else escape(part) for part in parts))


def tag(element: str, *inside: str, **attributes: str) -> Markup:
    """Return an element. `class_` is the attribute `class`, `http_equiv` is `http-equiv`; "" is one without a value."""
    pairs = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    written = "".join(f' {key}="{escape(value)}"' if value else f" {key}" for key, value in pairs)
    return Markup(f"<{element}{written}>" + ("" if element in _VOID else f"{joined(inside)}</{element}>"))


def page(title: str, style: str, *body: str, language: str | None = None) -> str:
    """Return a whole page, UTF-8 to be."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width,initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("title", title),
        tag("style", Markup(style)),
    )
    spoken = {"lang": language.replace("_", "-")} if language else {}
    html = tag("html", head, Markup("\n"), tag("body", *body), **spoken)
    return f"<!DOCTYPE html>\n{html}\n"
