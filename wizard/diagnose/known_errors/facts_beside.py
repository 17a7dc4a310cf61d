"""Read what an error text says of what stands beside torch: companions, who called, the card's memory."""

from __future__ import annotations

from wizard.diagnose.known_errors.match import owner_of
from wizard.model.patterns import compiled

_CONFLICT = r"(?m)^(?:ERROR: )?([A-Za-z][\w.-]* \d\S*) requires ([^\n;]{1,90}?)(?:;.*?)?, but you have (\S+ [^\s,]+)"
_HELD = r"Process (\d+) has ([\d.]+) GiB memory in use"
_OWN_MEMORY = r"this process has [\d.]+ GiB"
_ALLOCATED = r"([\d.]+) GiB is allocated by PyTorch"
_CAPACITY = r"total capacity of ([\d.]+) GiB"
_NOT_BESIDE = ("torch", "torchgen", "functorch", "nvidia", "numpy")
_FAILED_FILE = (
    r"(?:site|dist)-packages[\\/]+(?:(\w+)[\\/]+)?(?:[\w.-]+[\\/]+){0,6}([A-Za-z_]\w*)[\w.-]*\.(?:so|pyd|dll)\b[^\n]{0,40}"
    r"(?:undefined symbol|cannot open|or one of its dependencies|not defined)"
)
# What a file's or a version's own name says of the torch that it was compiled for: 1.0.0+torch2.7, 2.8.3+cu12torch2.8.
_MADE_FOR = r"((?:[A-Za-z]\w*-)?\d[\w.]*\+(?:cu\d+\.?)?(?:torch|pt)(\d\.\d{1,2})[\w.]*)"
_FRAME = r'\bFile "([^"\n]+)", line \d+'
_FRAME_OF = r"(?:site|dist)-packages[\\/]+([A-Za-z_]\w*)|[\\/](custom_nodes)[\\/]+([\w.-]+)"
_PYTHONS_OWN = r"^<|[\\/][Ll]ib[\\/](?:python3\.\d+[\\/])?\w+(?:[\\/]\w+)?\.py$|^ctypes\b"
_ASKED_MEMORY = r"Tried to allocate ([\d.]+) GiB(?:\. GPU \d+ has a total capac?i?ty of | \(GPU \d+; )([\d.]+) GiB"
# What torch asked for and what the driver then called free, in both forms of the message, with their units.
_FREE_MEMORY = (
    r"Tried to allocate ([\d.]+) ([KMG])iB(?:[^\n]{0,90} of which | \(GPU [^)\n]{0,90}allocated; )"
    r"([\d.]+) ([KMG])iB (?:is )?free"
)
_GIB = {"K": 1 / 1024 / 1024, "M": 1 / 1024, "G": 1.0}


def last_groups(expression: str, words: str) -> tuple[str | None, ...] | None:
    found = list(compiled(expression).finditer(words))
    return tuple(found[-1].groups()) if found else None


def last_word(expression: str, words: str) -> str:
    found = last_groups(expression, words)
    return (found[0] or "") if found else ""


def asked_memory(words: str) -> tuple[float, float] | None:
    found = last_groups(_ASKED_MEMORY, words)
    return (float(found[0] or 0), float(found[1] or 0)) if found else None


def free_memory(words: str) -> tuple[float, float] | None:
    found = last_groups(_FREE_MEMORY, words)
    if found is None:
        return None
    asked, asked_unit, free, free_unit = (each or "" for each in found)
    return float(asked) * _GIB[asked_unit], float(free) * _GIB[free_unit]


def made_for(words: str) -> tuple[str, str] | None:
    found = last_groups(_MADE_FOR, words)
    return (found[0] or "", found[1] or "") if found else None


def held_memory(words: str) -> tuple[str, float, float] | None:
    """The process that is not this one and has most; in a container torch does not know its own by number."""
    total = float(last_word(_CAPACITY, words) or 0)
    others = [(match[1], float(match[2])) for match in compiled(_HELD).finditer(words)]
    if others and not compiled(_OWN_MEMORY).search(words):
        own = float(last_word(_ALLOCATED, words) or 0)
        others.remove(min(others, key=lambda one: abs(one[1] - own)))
    number, most = max(others, key=lambda one: one[1], default=("", 0.0))
    return (number, most, total) if most > total / 10 > 0 else None


def pip_conflicts(words: str) -> tuple[str, ...]:
    said = (f"{match[1]} → {match[2]} ({match[3]})" for match in compiled(_CONFLICT).finditer(words))
    return tuple(sorted(dict.fromkeys(said), key=lambda one: "torch" not in one))


def failed_file(words: str) -> str:
    found = last_groups(_FAILED_FILE, words)
    name = (found[0] or found[1] or "") if found else ""
    return "" if name in _NOT_BESIDE else owner_of(name).removesuffix("_cuda")


def caller(words: str) -> str:
    """Empty where it is a file of the program itself."""
    for match in reversed(list(compiled(_FRAME).finditer(words))):
        owner = last_groups(_FRAME_OF, match[1])
        name = (owner[0] or owner[2] or "") if owner else ""
        if name and name not in _NOT_BESIDE:
            return name
        if not name and not compiled(_PYTHONS_OWN).search(match[1]):
            return ""
    return ""
