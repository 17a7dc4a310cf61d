"""The doctor's answer as plain text. Reads the document only. A state is a word and never a colour alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wizard.i18n import Message, message, text
from wizard.report.render import said

Document = Mapping[str, Any]
_INDENT = "  "


def render_doctor(document: Document, language: str | None = None) -> str:
    """Many lines without a last newline. `language` None: the system's."""
    return "\n".join(line.rstrip() for line in _lines(document, language))


def title(name: str, language: str | None, **params: str) -> str:
    return text(Message(f"doctor.title.{name}", params), language)


def verdict(document: Document, language: str | None) -> str:
    return text(message(f"doctor.verdict.{document['verdict']}"), language)


def look_name(look: Mapping[str, Any], language: str | None) -> str:
    return said({"key": f"doctor.name.{look['check']}", "text": look["check"]}, language)


def _lines(document: Document, language: str | None) -> Iterator[str]:
    yield title("environment", language, prefix=str(document["prefix"]))
    yield verdict(document, language)
    if document.get("verification"):
        yield f"{_INDENT}{said(document['verification']['headline'], language)}"
    if cause := document.get("cause"):
        yield ""
        yield f"{title('cause', language)}: {said(cause['cause'], language)}"
        yield from _list(title("evidence", language), cause["evidence"])
        yield f"{title('repair', language)}: {said(cause['repair'], language)}"
    yield from _list(title("others", language), [said(each["cause"], language) for each in document["others"]])
    yield from _list(title("drift", language), drift_lines(document.get("drift")))
    yield from _looks("ruled-out", document, language)
    yield from _looks("not-looked", document, language)
    if repair := document.get("repair"):
        yield from _list(title("plan", language), [said(change, language) for change in repair["changes"]])


def drift_lines(drift: Mapping[str, Any] | None) -> list[str]:
    return [
        f"{each['name']}: {each['was']} -> {each['now'] or '-'}" + (f" ({', '.join(each['by'])})" if each["by"] else "")
        for each in (drift or {}).get("changes", ())
    ]


def _looks(state: str, document: Document, language: str | None) -> Iterator[str]:
    looks = [look for look in document["looks"] if look["state"] == state]
    lines = [f"{look_name(look, language)}: {said(look['message'], language)}" for look in looks]
    yield from _list(title(state, language), lines)


def _list(heading: str, lines: Iterable[str]) -> Iterator[str]:
    told = list(lines)
    if told:
        yield ""
        yield f"{heading}:"
        yield from (f"{_INDENT}{line}" for line in told)
