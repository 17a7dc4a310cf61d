"""The class code: 64 bits of a profile's SHA-256, and the key behind its `+`, as people say, project and type them.

Letters and digits of which no two look alike (Crockford's base 32: no I, L, O, U), with a check, so that a wrong sign
is told at once and not looked for in the network. Codes of older programs, in hexadecimal digits, are read, too.
"""

from __future__ import annotations

import re
import unicodedata

from wizard.model.messages import LANGUAGES

CODE_SIGNS, KEY_SIGNS = 16, 12  # hexadecimal digits: 64 and 48 bits
_SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LIKE = str.maketrans("OIL", "011")
_CHECK = 61  # the largest prime of 6 bits: finds each single wrong sign, and nearly every two that changed places
_BETWEEN, _MINUS = ("Pd", "Zs", "Cc", "Cf"), "−"  # dashes, blanks, and what is not seen: mail and chats put them there
_OLD = re.compile(f"[0-9a-f]{{{CODE_SIGNS},64}}")
_OLD_KEY = re.compile(f"[0-9a-f]{{{KEY_SIGNS}}}")


def code_of(sha256: str, class_key: str = "") -> str:
    """Return the code of a profile: `7YD-25C8-7SP-8YWZ`. 64 bits: nobody makes a second profile to it in the time of a
    course. `class_key`: with it, behind a `+`, results are proven."""
    return "+".join(_said(part) for part in (sha256[:CODE_SIGNS], class_key) if part)


_SPOKEN = [
    "Alfa",
    "Bravo",
    "Charlie",
    "Delta",
    "Echo",
    "Foxtrot",
    "Golf",
    "Hotel",
    "Juliett",
    "Kilo",
    "Mike",
    "November",
    "Papa",
    "Quebec",
    "Romeo",
    "Sierra",
    "Tango",
    "Victor",
    "Whiskey",
    "X-ray",
    "Yankee",
    "Zulu",
]
_WORDS = {word[0]: word for word in _SPOKEN}


def spoken(code: str, language: str) -> tuple[str, ...]:
    """Return the groups of a code as they are called out: in English, letters by the words of radio, `7 Yankee Delta`
    and `2 5 Charlie 8`. Those words help in no other language: there each sign stands alone, `7 Y D`."""
    words = _WORDS if language == LANGUAGES[0] else {}
    return tuple(" ".join(words.get(sign, sign) for sign in group) for group in code.split("-"))


def read_code(typed: str) -> tuple[str, str]:
    """Return how the profile's SHA-256 begins, and the class's key ("": none was typed), in hexadecimal digits. Raises
    ValueError for what is no code: `sign`, with one that no code has, `length`, or `check`: one of them is wrong."""
    code, plus, key = unicodedata.normalize("NFKC", typed).partition("+")  # Chinese keyboards have wide digits
    return _read(code, CODE_SIGNS, _OLD), _read(key, KEY_SIGNS, _OLD_KEY) if plus else ""


def _length(digits: int) -> int:
    """Return how many signs so many hexadecimal digits and their check take."""
    return -(-(4 * digits + 6) // 5)


def _said(digits: str) -> str:
    """In groups of three and four, as telephone numbers are said."""
    value, signs = int(digits, 16), _length(len(digits))
    value = value * 64 + value % _CHECK
    said = "".join(_SIGNS[value >> 5 * place & 31] for place in reversed(range(signs)))
    groups = -(-signs // 4)
    ends = [signs * number // groups for number in range(groups + 1)]
    return "-".join(said[start:end] for start, end in zip(ends, ends[1:], strict=False))


def _read(typed: str, digits: int, old: re.Pattern[str]) -> str:
    plain = "".join(sign for sign in typed if sign != _MINUS and unicodedata.category(sign) not in _BETWEEN)
    if old.fullmatch(plain.lower()):
        return plain.lower()
    plain = plain.upper().translate(_LIKE)
    if strange := next((sign for sign in plain if sign not in _SIGNS), ""):
        raise ValueError("sign", strange)
    if len(plain) != _length(digits):
        raise ValueError("length")
    value, check = divmod(sum(_SIGNS.index(sign) << 5 * place for place, sign in enumerate(reversed(plain))), 64)
    if check != value % _CHECK or value >> 4 * digits:
        raise ValueError("check")
    return f"{value:0{digits}x}"
