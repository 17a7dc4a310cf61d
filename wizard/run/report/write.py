"""Put a report on disk whole or not at all: a reader never sees half of one.

`save_as` writes it as the ending of the name says: a page (.html), data (.json), or text. The page needs nothing else:
no script, no picture, no address to load. It reads the document only, so what is not in the allow-list cannot get here;
every text is escaped. Dark where the reader's system is dark; a state is a word and not a colour alone.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from wizard.model.markup import Markup, joined, page, tag
from wizard.model.messages import message, system_language, text
from wizard.run.report.text import (
    check_words,
    drift_lines,
    error_words,
    evidence_lines,
    facts_lines,
    hash_lines,
    look_name,
    other_checks,
    render_doctor,
    render_text,
    said,
    step_words,
    title,
    to_do,
    verdict,
)
from wizard.system import moving, paths

Document = Mapping[str, Any]
Row = tuple[str, str, str, str]  # class, state, name, sentence


def render_html(document: Document, language: str | None = None) -> str:
    """Return the whole page. `language` None: the system's."""
    chosen = language or system_language()
    is_doctor = document.get("kind") == "doctor"
    heading, body = _doctor(document, chosen) if is_doctor else _report(document, chosen)
    parts = (tag("h1", heading), *body, tag("p", _signature(document), class_="soft"))
    return page(heading, _style(), joined(parts, "\n"), language=chosen)


def _style() -> str:
    return (paths.resources_dir() / "style" / "report.css").read_text(encoding="utf-8")


def _signature(document: Document) -> str:
    product = document.get("product") or {}
    return f"{product.get('name')} {product.get('version')} · {document.get('created')}"


def _report(document: Document, language: str) -> tuple[str, Iterator[Markup]]:
    return text(message("report.title", created=str(document.get("created"))), language), _report_body(
        document, language
    )


def _report_body(document: Document, language: str) -> Iterator[Markup]:
    verification, diagnosis = document.get("verification"), document.get("diagnosis")
    yield _lead(_label(f"outcome.{document.get('outcome')}", language))
    if verification:
        yield _lead(said(verification["headline"], language))
    if error := document.get("error"):
        told = (error_words(error, part, language) for part in ("summary", "hint"))
        yield _section(_label("error", language), _lines(told))
    if diagnosis:
        yield _section(_label("cause", language), _lines([said(diagnosis["cause"], language)]))
    yield _section(_label("repair", language), _lines(to_do(document, language)))
    if diagnosis:
        yield _raw(_label("evidence", language), diagnosis.get("evidence") or ())
        ruled_out = [said(line, language) for line in diagnosis.get("ruled_out") or ()]
        yield _section(_label("ruled-out", language), _lines(ruled_out))
    if verification:
        rows = (check_words(check, language) for check in other_checks(document))
        yield _section(_label("checks", language), _table(rows))
    yield _section(
        _label("steps", language), _table(step_words(step, language) for step in document.get("steps") or ())
    )
    yield _section(_label("files", language), _lines(hash_lines(document, language)))
    yield _section(_label("computer", language), _lines(facts_lines(document, language)))
    if plan := document.get("plan"):
        notices = [said(notice, language) for notice in plan.get("notices") or ()]
        yield _section(_label("notices", language), _lines(notices))


def _doctor(document: Document, language: str) -> tuple[str, Iterator[Markup]]:
    return title("environment", language, prefix=str(document["prefix"])), _doctor_body(document, language)


def _doctor_body(document: Document, language: str) -> Iterator[Markup]:
    yield _lead(verdict(document, language))
    if cause := document.get("cause"):
        yield _section(title("cause", language), _lines([said(cause["cause"], language)]))
        yield _raw(title("evidence", language), evidence_lines(cause, language))
        yield _section(title("repair", language), _lines([said(cause["repair"], language)]))
    yield _section(title("others", language), _lines(said(each["cause"], language) for each in document["others"]))
    yield _section(title("drift", language), _lines(drift_lines(document.get("drift"))))
    if repair := document.get("repair"):
        yield _section(title("plan", language), _lines(said(change, language) for change in repair["changes"]))
    for state in ("found", "ruled-out", "not-looked"):
        rows = [
            (
                state,
                look_name(look, language),
                said(look["message"], language),
                "; ".join(evidence_lines(look, language)[:2]),
            )
            for look in document["looks"]
            if look["state"] == state
        ]
        yield _section(title("found" if state == "found" else state, language), _table(rows))
    if verification := document.get("verification"):
        checks = (check_words(check, language) for check in verification.get("checks") or ())
        yield _section(_label("checks", language), _table(checks))
    yield _section(_label("computer", language), _lines(facts_lines(document, language)))


def _label(name: str, language: str) -> str:
    return said({"key": f"report.{name}", "text": name}, language)


def _lead(sentence: str) -> Markup:
    return tag("p", sentence, class_="lead")


def _lines(lines: Iterable[str]) -> Markup:
    return joined(tag("p", line) for line in lines if line)


def _raw(heading: str, lines: Iterable[str]) -> Markup:
    written = "\n".join(lines)
    return _section(heading, tag("pre", written) if written else Markup())


def _section(heading: str, inside: Markup) -> Markup:
    """Return a headline with what is below it; nothing where there is nothing to say."""
    return joined((tag("h2", heading), inside), "\n") if inside else Markup()


def _table(rows: Iterable[Row]) -> Markup:
    lines = [
        tag("tr", tag("td", first, class_=kind), tag("td", second), tag("td", third))
        for kind, first, second, third in rows
    ]
    return tag("table", *lines) if lines else Markup()


def write_report(path: Path, document: Mapping[str, Any]) -> None:
    """Raises OSError; what was at `path` is then as before."""
    _write(path, json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def save_as(path: Path, document: Mapping[str, Any], language: str | None = None) -> None:
    """Raises OSError. For a person, and in that language (None: the system's)."""
    if path.suffix.lower() == ".json":
        write_report(path, document)
    elif path.suffix.lower() in (".html", ".htm"):
        _write(path, render_html(document, language))
    else:
        render = render_doctor if document.get("kind") == "doctor" else render_text
        _write(path, render(document, language) + "\n")


def _write(path: Path, words: str) -> None:
    put_whole(path, words.encode("utf-8"))


def put_whole(path: Path, data: bytes) -> None:
    """Write where others may write, too. Raises OSError; what was at `path` is then as before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    moving.write_whole(path, data, unfinished=unfinished_name(path))


def unfinished_name(path: Path) -> Path:
    """A name that nobody can guess, and with mode "x" no link that somebody has put there: what is written may lie
    where others may write. Two results of one machine may come at once, too."""
    return path.with_name(f".{path.name[:60]}.{secrets.token_hex(8)}")
