"""The sentences of the program, and the catalogues brought to them: `python -m tests.sentences`.

A sentence is English and stands where it is said: a label (`tr`), what is marked by `N_`, a table. What is new is put
into every `resources/locale/<language>/LC_MESSAGES/torch-wizard.po` without words, what nobody says any more goes; the
rest keeps its words, and its place follows the code's. `tests/test_i18n.py` finds what is left to translate.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from babel.messages.pofile import normalize

from wizard.model.catalogue import read_po
from wizard.model.errors import ErrorText
from wizard.model.messages import LANGUAGES, catalogue

ROOT = Path(__file__).resolve().parents[1]
_ERRORS = ("WizardError", "UsageError", "SourceUnreachable", "ErrorText")
QT = "QWidgetTextControl"  # Qt's own catalogue has it


def po_file(language: str) -> Path:
    return ROOT / "resources" / "locale" / language / "LC_MESSAGES" / "torch-wizard.po"


def entry_name(context: str, sentence: str) -> str:
    """Return what a `.mo` calls it."""
    return f"{context}\x04{sentence}" if context else sentence


def sentences() -> dict[str, set[str]]:
    """Return each English sentence with its contexts: the codes of its messages, the classes of its labels."""
    found: dict[str, set[str]] = {}
    for context, sentence in (*labels(), *marked(), *messages()):
        found.setdefault(sentence, set()).add(context)
    return found


class _Source:
    """What of one file says sentences: walked once, for all that is asked, and the rest of its syntax let go of."""

    def __init__(self, program: str) -> None:
        self.calls: dict[str, list[ast.Call]] = {name: [] for name in ("tr", "translate", "N_", "message", *_ERRORS)}
        self.classes: list[tuple[str, range]] = []  # the name, and its lines
        for node in ast.walk(ast.parse(program)):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if name in self.calls:
                    self.calls[name].append(node)
            elif isinstance(node, ast.ClassDef):
                self.classes.append((node.name, range(node.lineno, (node.end_lineno or 0) + 1)))


@cache
def _sources(having: str = "") -> Mapping[Path, _Source]:
    """Return the files with this in them: all of the program takes seconds to parse."""
    found = ((path, path.read_text(encoding="utf-8")) for path in sorted((ROOT / "wizard").rglob("*.py")))
    return {path: _Source(program) for path, program in found if having in program}


def labels() -> Iterator[tuple[str, str]]:
    """Yield (class, label) for every literal that goes through Qt's translation."""
    for path, source in _sources().items():
        for call in source.calls["tr"]:
            owners = [name for name, lines in source.classes if call.lineno in lines]
            yield owners[-1], _literal(path, call, 0)
        for call in source.calls["translate"]:
            if path.is_relative_to(ROOT / "wizard" / "gui") and len(call.args) == 2 and _literal(path, call, 0) != QT:
                yield _literal(path, call, 0), _literal(path, call, 1)


def _literal(path: Path, call: ast.Call, place: int) -> str:
    """Raises AssertionError for what is no literal: nobody could translate it."""
    argument = call.args[place]
    assert isinstance(argument, ast.Constant), f"{path.name}:{call.lineno}: only a literal can be translated"
    return str(argument.value)


def marked() -> Iterator[tuple[str, str]]:
    """Yield ("", text) for each N_(text)."""
    yield from (("", _literal(path, call, 0)) for path, source in _sources().items() for call in source.calls["N_"])


def messages(having: str = "") -> Iterator[tuple[str, str]]:
    """Yield (code, sentence) of each message that says its own, in files with this in them, and of all in tables."""
    for path, source in _sources(having).items():
        for call in source.calls["message"]:
            if len(call.args) == 2:
                yield _literal(path, call, 0), _literal(path, call, 1)
        for name in _ERRORS:
            for call in source.calls[name]:
                if len(call.args) == 3:
                    yield from _of_error(*(_literal(path, call, place) for place in range(3)))
    yield from catalogue(LANGUAGES[0]).items()


def _of_error(code: str, summary: str, hint: str) -> Iterator[tuple[str, str]]:
    return iter([(f"error.{code}.summary", summary), (f"error.{code}.hint", hint)])


def error_text(code: str) -> ErrorText:
    """Return what the program says by this code, for tests that have its windows show it."""
    said = dict(messages(f'"{code}"'))
    return ErrorText(code, said[f"error.{code}.summary"], said[f"error.{code}.hint"])


def wanted(known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (context, sentence) for each entry that belongs into the catalogue; most have no context."""
    for sentence, contexts in sentences().items():
        own = [context for context in sorted(contexts) if context and entry_name(context, sentence) in known]
        yield from ((context, sentence) for context in own)
        if contexts - set(own):
            yield "", sentence


def update(language: str) -> None:
    before = po_file(language).read_text(encoding="utf-8")
    known = read_po(before)
    entries = [before.partition("\n\n")[0]]
    for context, sentence in wanted(known):
        head = f"msgctxt {normalize(context)}\n" if context else ""
        words = normalize(known.get(entry_name(context, sentence), ""), width=0)
        entries.append(f"{head}msgid {normalize(sentence, width=0)}\nmsgstr {words}")
    po_file(language).write_text("\n\n".join(entries) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    for name in sys.argv[1:] or LANGUAGES[1:]:
        update(name)
