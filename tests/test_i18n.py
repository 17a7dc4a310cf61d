"""Every sentence exists in both languages, with the same blanks; every key that the code names exists."""

from __future__ import annotations

import re
import string
import sys
from pathlib import Path

import pytest

from wizard.model import messages
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


def test_both_languages_have_the_same_keys_and_blanks() -> None:
    english, chinese = (catalogue(language) for language in LANGUAGES)
    assert sorted(english) == sorted(chinese)
    different = [key for key in english if blanks(english[key]) != blanks(chinese[key])]
    assert different == []


def test_no_key_lives_in_two_files() -> None:
    from wizard.model.messages import _flatten

    for language in LANGUAGES:
        seen: dict[str, str] = {}
        for path in sorted((ROOT / "resources" / "i18n").glob(f"*.{language}.toml")):
            for key in _flatten(tomllib.loads(path.read_text(encoding="utf-8"))):
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
    assert set(read) == {"safety.en.toml", "page.zh_CN.toml"}
    assert found == {
        key.removeprefix("page.hint.welcome."): words
        for key, words in catalogue("zh_CN").items()
        if key.startswith("page.hint.welcome.")
    }


def test_every_key_is_found_by_its_table() -> None:
    for language in LANGUAGES:
        for key, words in catalogue(language).items():
            assert messages._template(key, language) == words
    with pytest.raises(KeyError):
        messages._template("no.such.key", "en")


def test_every_key_in_the_code_has_words() -> None:
    known = catalogue("en")
    missing = [key for key in sorted(set(_NAMED.findall(sources()))) if key not in known]
    assert missing == []


@pytest.mark.parametrize("part", ["summary", "hint"])
def test_every_error_says_its_cause_and_what_to_do(part: str) -> None:
    known = catalogue("en")
    missing = [code for code in sorted(set(_ERRORS.findall(sources()))) if f"error.{code}.{part}" not in known]
    assert missing == []


def test_a_message_is_rendered_at_the_edge() -> None:
    value = message("step.install.will", count=3)
    assert text(value, "en") == "Installing packages: 3"
    assert text(value, "zh_CN") == "安装 3 个软件包"
    assert Message.from_json(value.to_json()) == value


@pytest.mark.parametrize(
    ("lang", "expected"), [("zh_CN.UTF-8", "zh_CN"), ("zh-Hans", "zh_CN"), ("de_DE", "en"), ("C", "en"), ("", "en")]
)
def test_language_of_the_system(monkeypatch: pytest.MonkeyPatch, lang: str, expected: str) -> None:
    for name in ("TORCH_WIZARD_LANG", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", lang)
    assert system_language() == expected


@pytest.mark.parametrize(
    "slip",
    [
        'summary = "{stray} words"',
        'summary = "a brace { too many"',
        'summary = "{path.nothing[0]}"',
        "summary = 7",
        "summary = [1]",
        "summary = ",
    ],
)
def test_a_slip_in_a_translation_gives_the_english_sentence(
    slip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "i18n"
    folder.mkdir()
    (folder / "a.en.toml").write_text('[error.a]\nsummary = "{path} is closed."\n', encoding="utf-8")
    (folder / "a.zh_CN.toml").write_text(f"[error.a]\n{slip}\n", encoding="utf-8")
    monkeypatch.setattr(messages.paths, "resources_dir", lambda: tmp_path)
    for cached in (messages._area, messages._tables, messages.catalogue):
        cached.cache_clear()
    try:
        assert text(message("error.a.summary", path="x"), "zh_CN") == "x is closed."
    finally:
        monkeypatch.undo()
        for cached in (messages._area, messages._tables, messages.catalogue):
            cached.cache_clear()


def test_chinese_sentences_have_no_space_between_them() -> None:
    assert messages.joined(("One.", "Two."), "en") == "One. Two."
    assert messages.joined(("一。", "二。"), "zh_CN") == "一。二。"
