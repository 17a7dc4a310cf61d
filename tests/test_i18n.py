"""Every sentence is translated, with the same blanks, and no other is; every key that the code names exists."""

from __future__ import annotations

import os
import re
import string
import sys
from pathlib import Path

import pytest
from babel.messages import pofile

from tests.sentences import entry_name, labels, marked, po_file, wanted
from tests.sentences import messages as sentences_of_messages
from wizard.model import catalogue as catalogue_module
from wizard.model import messages
from wizard.model.catalogue import compile_all, read_po, translate
from wizard.model.errors import WizardError, kept_message
from wizard.model.messages import LANGUAGES, Message, catalogue, message, system_language, text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
_NAMED = re.compile(r"""\b(?:message|Message)\(\s*["']([a-z0-9_.-]+)["']""")
_ERRORS = re.compile(r"""\b(?:WizardError|UsageError|SourceUnreachable|Fault)\(\s*["']([a-z0-9-]+)["']""")


def blanks(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def sources() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "wizard").rglob("*.py"))


def blanks_of(sentence: str) -> list[str]:
    """Return `{name}` of messages, `%(name)s` of the command line, `%1` of labels."""
    return sorted({*blanks(sentence)} if "{" in sentence else re.findall(r"%(?:\(\w+\)s|\d)", sentence))


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_sentence_is_translated_and_nothing_else_is(language: str) -> None:
    known = read_po(po_file(language).read_text(encoding="utf-8"))
    said = {entry_name(context, sentence) for context, sentence in wanted(known)}
    assert sorted(said - known.keys()) == [], "run python -m tests.sentences, and translate"
    assert sorted(known.keys() - said - {""}) == [], "nobody says it: run python -m tests.sentences"


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_translation_has_the_blanks_of_its_sentence(language: str) -> None:
    """Babel reads the file, too: it is a catalogue for the tools of translators, and ours is read as theirs."""
    with po_file(language).open("rb") as file:
        entries = [entry for entry in pofile.read_po(file, abort_invalid=True) if entry.id]
    ours = read_po(po_file(language).read_text(encoding="utf-8"))
    assert {entry_name(entry.context or "", str(entry.id)): entry.string for entry in entries} == {
        name: words for name, words in ours.items() if name
    }
    assert [entry.id for entry in entries if entry.fuzzy] == []
    assert [entry.id for entry in entries if blanks_of(str(entry.id)) != blanks_of(str(entry.string))] == []
    assert len(entries) == len({(entry.context, entry.id) for entry in entries})


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_label_keeps_its_letter(language: str) -> None:
    for context, label in labels():
        letter = re.search(r"&(\w)", label)
        if letter:
            assert f"(&{letter[1].upper()})" in translate(label, language, context), label


def test_what_is_compiled_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text_file = tmp_path / "locale" / "xx" / "LC_MESSAGES" / "torch-wizard.po"
    text_file.parent.mkdir(parents=True)
    text_file.write_bytes(po_file("zh_CN").read_bytes())
    monkeypatch.setattr(catalogue_module.paths, "resources_dir", lambda: tmp_path)
    catalogue_module._translations.cache_clear()
    from_text = {sentence: translate(sentence, "xx", context) for context, sentence in (*labels(), *marked())}
    assert [made.name for made in compile_all(tmp_path)] == ["torch-wizard.mo"]
    os.utime(text_file, (1, 1))
    catalogue_module._translations.cache_clear()
    assert {sentence: translate(sentence, "xx", context) for context, sentence in (*labels(), *marked())} == from_text
    assert from_text["Usage:"] == "用法："
    monkeypatch.undo()
    catalogue_module._translations.cache_clear()


def test_no_key_lives_in_two_files() -> None:
    seen: dict[str, str] = {}
    for path in sorted((ROOT / "resources" / "i18n").glob("*.toml")):
        for key in messages._flatten(tomllib.loads(path.read_text(encoding="utf-8"))):
            assert key not in seen, f"{key} in {seen[key]} and {path.name}"
            seen[key] = path.name


@pytest.mark.parametrize("path", sorted((ROOT / "resources" / "i18n").glob("*.toml")), ids=lambda path: path.name)
def test_the_quick_reader_reads_what_toml_says(path: Path) -> None:
    words = path.read_text(encoding="utf-8")
    assert messages._read_plain(words) == messages._flatten(tomllib.loads(words))


@pytest.mark.parametrize(
    "line", ["a = 'b'", 'a = "b" # c', 'a = "\\n"', "a = 1", "[[a]]", 'a="b"', 'a = """x""""', 'a = "b', 'a = ["b"]']
)
def test_the_quick_reader_leaves_the_rest_of_toml_to_others(line: str) -> None:
    assert messages._read_plain(f"[t]\n{line}\n") is None


def test_a_sentence_is_found_without_reading_all_areas(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    whole = messages._area
    monkeypatch.setattr(messages, "_area", lambda path: read.append(path.name) or whole(path))
    assert text(message("safety.crash.close"), "en")
    found = messages.sentences_of("page.hint.welcome", "zh_CN")
    assert set(read) == {"safety.en.toml", "page.en.toml"}
    assert found == {
        key.removeprefix("page.hint.welcome."): words
        for key, words in catalogue("zh_CN").items()
        if key.startswith("page.hint.welcome.")
    }


def test_every_key_is_found_by_its_table() -> None:
    for key, words in catalogue("en").items():
        assert messages._template(key) == words
    with pytest.raises(KeyError):
        messages._template("no.such.key")


def test_every_key_in_the_code_has_words() -> None:
    known = {*catalogue("en"), *(code for code, _ in sentences_of_messages())}
    missing = [key for key in sorted(set(_NAMED.findall(sources()))) if key not in known]
    assert missing == []


@pytest.mark.parametrize("part", ["summary", "hint"])
def test_every_error_says_its_cause_and_what_to_do(part: str) -> None:
    known = {*catalogue("en"), *(code for code, _ in sentences_of_messages())}
    missing = [code for code in sorted(set(_ERRORS.findall(sources()))) if f"error.{code}.{part}" not in known]
    assert missing == []


def test_a_message_is_rendered_at_the_edge() -> None:
    value = message("step.install.will", count=3)
    assert text(value, "en") == "Installing packages: 3"
    assert text(value, "zh_CN") == "安装 3 个软件包"
    assert Message.from_json(value.to_json()) == value


def test_an_error_that_was_kept_is_said_in_another_language() -> None:
    kept = WizardError("a-code", "Nothing was changed.", "Nothing was changed.").to_json("en")
    assert [text(kept_message(kept, part), "zh_CN") for part in ("summary", "hint")] == ["没有做任何改动。"] * 2
    older = {"code": "of-another-version", "params": {"path": "x"}, "summary": "{path} is x."}
    assert text(kept_message(older, "summary"), "zh_CN") == "{path} is x."


def test_a_message_that_was_kept_is_said_in_another_language() -> None:
    own = message("a.code", "Nothing was changed.")
    assert text(Message.from_json(own.to_json("en")), "zh_CN") == "没有做任何改动。"
    within = message("report.labelled", name=own, words="x")
    assert text(Message.from_json(within.to_json("en")), "zh_CN") == text(within, "zh_CN")
    older = {"key": "a.code.of.another.version", "params": {"path": "x"}, "text": "{path} is x."}
    assert text(Message.from_json(older), "zh_CN") == "{path} is x."


@pytest.mark.parametrize(
    ("lang", "expected"), [("zh_CN.UTF-8", "zh_CN"), ("zh-Hans", "zh_CN"), ("de_DE", "en"), ("C", "en"), ("", "en")]
)
def test_language_of_the_system(monkeypatch: pytest.MonkeyPatch, lang: str, expected: str) -> None:
    for name in ("TORCH_WIZARD_LANG", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", lang)
    assert system_language() == expected


@pytest.mark.parametrize("slip", ["{stray} words", "a brace { too many", "{path.nothing[0]}"])
def test_a_slip_in_a_translation_gives_the_english_sentence(
    slip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text_file = tmp_path / "locale" / "xx" / "LC_MESSAGES" / "torch-wizard.po"
    text_file.parent.mkdir(parents=True)
    text_file.write_text(f'msgid "“{{path}}” is closed."\nmsgstr "{slip}"\n', encoding="utf-8")
    table = tmp_path / "i18n" / "a.en.toml"
    table.parent.mkdir()
    table.write_text('[error.a]\nsummary = "“{path}” is closed."\n', encoding="utf-8")
    monkeypatch.setattr(messages.paths, "resources_dir", lambda: tmp_path)
    cached = (messages._tables, messages._english, catalogue_module._translations)
    for each in cached:
        each.cache_clear()
    try:
        assert text(message("error.a.summary", path="x"), "xx") == "“x” is closed."
    finally:
        monkeypatch.undo()
        for each in cached:
            each.cache_clear()


def test_chinese_sentences_have_no_space_between_them() -> None:
    assert messages.joined(("One.", "Two."), "en") == "One. Two."
    assert messages.joined(("一。", "二。"), "zh_CN") == "一。二。"
