"""Every sentence of the test, the diagnosis and the report exists in both languages with the same blanks."""

from __future__ import annotations

from string import Formatter

from wizard.model.messages import catalogue

AREAS = ("verify.", "diagnosis.", "report.")


def blanks(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def test_both_languages_have_the_same_sentences_and_blanks() -> None:
    english, chinese = catalogue("en"), catalogue("zh_CN")
    keys = {key for key in english if key.startswith(AREAS)}
    assert len(keys) > 100
    assert keys == {key for key in chinese if key.startswith(AREAS)}
    assert {key: blanks(english[key]) for key in keys} == {key: blanks(chinese[key]) for key in keys}


def test_every_cause_has_a_repair() -> None:
    keys = [key for key in catalogue("en") if key.startswith("diagnosis.") and "ruled-out" not in key]
    assert {key.rsplit(".", 1)[0] for key in keys if key.endswith(".cause")} == {
        key.rsplit(".", 1)[0] for key in keys if key.endswith(".repair")
    }
