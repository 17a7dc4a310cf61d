"""The class code: said and typed whole, mistyped, in the form of older programs."""

from __future__ import annotations

import random

import pytest

from wizard.classroom.code import code_of, read_code, spoken

PROFILE, KEY = "3f9a22b107cd91ee" + "0" * 48, "5d0c77ab12ef"
SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@pytest.mark.parametrize(
    "typed",
    [
        "7YD-25C8-7SP-8YWZ",
        "7yd 25c8 7sp 8ywz",
        "７ＹＤ－２５Ｃ８－７ＳＰ－８ＹＷＺ".replace("－", "-"),
        "7YD–25C8—7SP−8YWZ",
        " 7yd25c8\u00a07sp\u20118ywz\u200b\n",
        "3f9a-22b1-07cd-91ee",
        "3F9A22B107CD91EE",
    ],
)
def test_a_code_is_read_as_people_type_it(typed: str) -> None:
    assert code_of(PROFILE) == "7YD-25C8-7SP-8YWZ"
    assert read_code(typed) == (PROFILE[:16], "")


@pytest.mark.parametrize("typed", ["7YD-25C8-7SP-8YWZ+5T3-3QNC-9EYB", "3f9a-22b1-07cd-91ee+5d0c-77ab-12ef"])
def test_with_its_key_behind_a_plus(typed: str) -> None:
    assert code_of(PROFILE, KEY) == "7YD-25C8-7SP-8YWZ+5T3-3QNC-9EYB"
    assert read_code(typed) == (PROFILE[:16], KEY)


def test_what_looks_alike_is_the_same() -> None:
    assert read_code(code_of("0" * 64).replace("0", "O")) == ("0" * 16, "")
    digits = next(digits for digits in map("{:016x}".format, range(1, 99)) if "1" in code_of(digits))
    for sign in "IilL":
        assert read_code(code_of(digits).replace("1", sign)) == (digits, "")


def test_each_wrong_sign_is_told() -> None:
    dice = random.Random(19)
    for _ in range(10):
        code = code_of(f"{dice.getrandbits(64):016x}", f"{dice.getrandbits(48):012x}")
        for place, right in enumerate(code):
            for sign in (*SIGNS, "", "U", "é") if right.isalnum() else ("!",):
                if sign != right:
                    with pytest.raises(ValueError, match="length|check|sign"):
                        read_code(code[:place] + sign + code[place + 1 :])


def test_a_code_is_called_out_by_words_that_nobody_mishears() -> None:
    assert spoken("7YD-25C8", "en") == ("7 Yankee Delta", "2 5 Charlie 8")
    signs = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # all that a code may have
    (words,) = spoken(signs, "en")
    assert [word[0] for word in words.split()] == list(signs)
    assert all(len(word) > 1 for word in words.split()[10:])


def test_where_people_speak_no_english_a_code_is_called_out_sign_by_sign() -> None:
    assert spoken("7YD-25C8", "zh_CN") == ("7 Y D", "2 5 C 8")
