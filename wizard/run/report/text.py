"""A report as plain text for the terminal. Reads the document only, so old reports can be shown, in any language.

A state is a word and never a colour alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wizard.model.errors import kept_message
from wizard.model.lock import BY_PROFILE, BY_TABLES
from wizard.model.messages import Message, message, text

_INDENT = "  "
Document = Mapping[str, Any]


def render_text(document: Document, language: str | None = None) -> str:
    """Many lines without a last newline. `language` None: the system's."""
    return "\n".join(line.rstrip() for line in _lines(document, language))


def _lines(document: Document, language: str | None) -> Iterator[str]:
    def label(name: str) -> str:
        return text(message(f"report.{name}"), language)

    def line(name: str, words: str) -> str:
        return labelled(label(name), words, language)

    verification, diagnosis = document.get("verification"), document.get("diagnosis")
    yield text(message("report.title", created=str(document.get("created"))), language)
    yield ""
    yield line("result", label(f"outcome.{document.get('outcome')}"))
    if verification:
        yield f"{_INDENT}{said(verification['headline'], language)}"
    if error := document.get("error"):
        yield line("error", f"{error_words(error, 'summary', language)} {error_words(error, 'hint', language)}")
    if diagnosis:
        yield line("cause", said(diagnosis["cause"], language))
    yield from _one_or_more(label("repair"), to_do(document, language), language)
    if diagnosis:
        yield from _list(label("evidence"), diagnosis.get("evidence") or (), language)
        yield from _list(
            label("ruled-out"), [said(each, language) for each in diagnosis.get("ruled_out") or ()], language
        )
    if verification:
        yield from _list(label("checks"), [_check(check, language) for check in other_checks(document)], language)
    yield from _list(label("steps"), [_step(step, language) for step in document.get("steps") or ()], language)
    yield from _list(label("files"), hash_lines(document, language), language)
    yield ""
    yield from facts_lines(document, language)
    if plan := document.get("plan"):
        yield from _list(label("notices"), [said(notice, language) for notice in plan.get("notices") or ()], language)


def to_do(document: Document, language: str | None) -> list[str]:
    """Return what a person has to do: of the diagnosis, and for each part of a project that is not in or was left out,
    with the reason. These come first where PyTorch works."""
    told = [said(check["message"], language) for check in _tested(document) if _is_to_do(check)]
    if not (diagnosis := document.get("diagnosis")):
        return told
    repair = [said(diagnosis["repair"], language)]
    return [*told, *repair] if (document.get("verification") or {}).get("ok") else [*repair, *told]


def parts_left(document: Document) -> tuple[str, ...]:
    """Return the names of the project's parts that are not in; one that is in may have left something to do, too."""
    data = (check["data"] for check in _tested(document) if _is_to_do(check))
    return tuple(dict.fromkeys(str(one["part"]) for one in data if not one.get("part_is_in")))


def other_checks(document: Document) -> list[Mapping[str, Any]]:
    """Return the checks that `to_do` does not say."""
    return [check for check in _tested(document) if not _is_to_do(check)]


def _tested(document: Document) -> Iterable[Mapping[str, Any]]:
    return (document.get("verification") or {}).get("checks") or ()


def _is_to_do(check: Mapping[str, Any]) -> bool:
    return bool((check.get("data") or {}).get("part"))


def hash_lines(document: Document, language: str | None) -> list[str]:
    """Who promised the hashes of the files that are here, each by its name where nobody did; how many did not come."""
    every = document.get("files") or ()
    files = [file for file in every if file.get("here", True)]  # reports before this field said it of all
    promised = Counter(str(file["promised_by"]) for file in files if file.get("promised_by"))
    lines = []
    for host, count in promised.items():
        key = f"report.hash.{host}" if host in (BY_PROFILE, BY_TABLES) else "report.hash.promised"
        lines.append(text(message(key, host=host, count=count), language))
    for file in files:
        if not file.get("promised_by"):
            key = "report.hash.computed" if file.get("sha256") else "report.hash.none"
            lines.append(text(message(key, file=str(file["name"]), sha256=str(file.get("sha256"))), language))
    if missing := len(every) - len(files):
        lines.append(text(message("report.hash.not-here", count=missing), language))
    return lines


def facts_lines(document: Document, language: str | None) -> Iterator[str]:
    """Build, environment, computer, driver, cards."""

    def line(name: str, words: str) -> str:
        return labelled(text(message(f"report.{name}"), language), words, language)

    if plan := document.get("plan"):
        yield line("build", f"torch {plan['torch']}+{plan['variant']}, Python {plan['python']}")
    if document.get("prefix"):
        yield line("environment", str(document["prefix"]))
    machine = document.get("machine")
    if not machine:
        return
    glibc = f", glibc {machine['glibc']}" if machine.get("glibc") else ""
    yield line("computer", f"{machine.get('os_version') or machine.get('os')}, {machine.get('arch')}{glibc}")
    driver = machine.get("driver")
    yield line("driver", str(driver["version"]) if driver else text(message("report.none"), language))
    for gpu in machine.get("gpus") or ():
        yield line("card", str(gpu.get("name") or gpu.get("pci_id") or gpu.get("vendor")))


def labelled(name: str, words: str, language: str | None) -> str:
    """With the colon of the language."""
    return text(message("report.labelled", name=name, words=words), language)


def heading(name: str, language: str | None) -> str:
    return labelled(name, "", language).rstrip()


def said(value: Mapping[str, Any], language: str | None) -> str:
    """A sentence of the document in this language; the stored text where this version has no words for it."""
    try:
        return text(Message.from_json(value), language)
    except (KeyError, IndexError, ValueError):
        return str(value.get("text") or value.get("key"))


def error_words(error: Mapping[str, Any], part: str, language: str | None) -> str:
    try:
        return text(kept_message(error, part), language)
    except (KeyError, IndexError, ValueError):
        return str(error.get(part) or error["code"])


def check_words(check: Mapping[str, Any], language: str | None) -> tuple[str, str, str, str]:
    """(state as it is, state in words, name in words, sentence)"""
    name = said({"key": f"verify.name.{check['name']}", "text": check["name"]}, language)
    state = said({"key": f"verify.state.{check['state']}", "text": check["state"]}, language)
    return str(check["state"]), state, name, said(check["message"], language)


def step_words(step: Mapping[str, Any], language: str | None) -> tuple[str, str, str, str]:
    seconds = f"({step['seconds']:.1f} s)" if step.get("seconds") is not None else ""
    words = said(step["message"], language) if step.get("message") else ""
    outcome, name = str(step["outcome"]), step_name(str(step["name"]), language)
    return outcome, step_state(outcome, language), name, f"{words} {seconds}".strip()


def step_name(name: str, language: str | None) -> str:
    """As people are told of it; the code itself for a step of a later version."""
    return said({"key": f"step-name.{name}", "text": name}, language)


def step_state(state: str, language: str | None) -> str:
    return said({"key": f"step-state.{state}", "text": state}, language)


def _check(check: Mapping[str, Any], language: str | None) -> str:
    _, state, name, sentence = check_words(check, language)
    return f"[{state}] {labelled(name, sentence, language)}"


def _step(step: Mapping[str, Any], language: str | None) -> str:
    _, state, name, words = step_words(step, language)
    return f"[{state}] {labelled(name, words, language) if step.get('message') else f'{name} {words}'.rstrip()}"


def _one_or_more(title: str, lines: list[str], language: str | None) -> Iterator[str]:
    if len(lines) == 1:
        yield labelled(title, lines[0], language)
    else:
        yield from _list(title, lines, language)


def _list(title: str, lines: Any, language: str | None) -> Iterator[str]:
    if lines:
        yield heading(title, language)
        yield from (f"{_INDENT}{line}" for line in lines)


# The doctor's answer as plain text. Reads the document only. A state is a word and never a colour alone.


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
