"""The doctor's answer as plain text. Reads the document only. A state is a word and never a colour alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wizard.i18n import Message, message, text
from wizard.report.render import heading, labelled, said

Document = Mapping[str, Any]
_INDENT = "  "


def render_doctor(document: Document, language: str | None = None) -> str:
    """Many lines without a last newline. `language` None: the system's."""
    return "\n".join(line.rstrip() for line in _doctor_lines(document, language))


def title(name: str, language: str | None, **params: str) -> str:
    return text(Message(f"doctor.title.{name}", params), language)


def verdict(document: Document, language: str | None) -> str:
    return text(message(f"doctor.verdict.{document['verdict']}"), language)


def look_name(look: Mapping[str, Any], language: str | None) -> str:
    return said({"key": f"doctor.name.{look['check']}", "text": look["check"]}, language)


def _doctor_lines(document: Document, language: str | None) -> Iterator[str]:
    yield title("environment", language, prefix=str(document["prefix"]))
    yield verdict(document, language)
    if document.get("verification"):
        yield f"{_INDENT}{said(document['verification']['headline'], language)}"
    if cause := document.get("cause"):
        yield ""
        yield labelled(title("cause", language), said(cause["cause"], language), language)
        yield from _doctor_list("evidence", evidence_lines(cause, language), language)
        yield labelled(title("repair", language), said(cause["repair"], language), language)
    yield from _doctor_list("others", [said(each["cause"], language) for each in document["others"]], language)
    yield from _doctor_list("drift", drift_lines(document.get("drift")), language)
    yield from _looks("ruled-out", document, language)
    yield from _looks("not-looked", document, language)
    if repair := document.get("repair"):
        yield from _doctor_list("plan", [said(change, language) for change in repair["changes"]], language)


def evidence_lines(value: Mapping[str, Any], language: str | None) -> list[str]:
    """Of a finding or a look; a document of an older version has the text only."""
    if proof := value.get("proof"):
        return [said(line, language) for line in proof]
    return list(value["evidence"])


def drift_lines(drift: Mapping[str, Any] | None) -> list[str]:
    return [
        f"{each['name']}: {each['was']} -> {each['now'] or '-'}" + (f" ({', '.join(each['by'])})" if each["by"] else "")
        for each in (drift or {}).get("changes", ())
    ]


def _looks(state: str, document: Document, language: str | None) -> Iterator[str]:
    looks = [look for look in document["looks"] if look["state"] == state]
    lines = [labelled(look_name(look, language), said(look["message"], language), language) for look in looks]
    yield from _doctor_list(state, lines, language)


def _doctor_list(name: str, lines: Iterable[str], language: str | None) -> Iterator[str]:
    told = list(lines)
    if told:
        yield ""
        yield heading(title(name, language), language)
        yield from (f"{_INDENT}{line}" for line in told)
