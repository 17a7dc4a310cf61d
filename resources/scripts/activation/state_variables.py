"""Print what a shell must run for the variables that `conda env config vars set` keeps in conda-meta/state.

Run by the activation scripts with the shell's kind, in the environment's own Python, whatever its
version. One line: how to take them back, for `deactivate`, then how to set them. Nothing for a file that is none.
`lines` and `lines-off`, for the command prompt and PowerShell: NAME=VALUE, without a value to take NAME away; what was
there before is kept in variables of our own meanwhile, and which those are in _TORCH_SETUP_STATE.
"""

# ruff: noqa: UP006, UP035, UP045 (the Python of the environment may be 3.6)
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Optional, Tuple

UNSET = "***unset***"  # conda's word for a variable that the environment wants gone
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")


def quote_sh(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def quote_fish(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def quote_csh(text: str) -> str:
    return quote_sh(text).replace("!", "\\!").replace("\n", "\\\n")


SHELLS: Dict[
    str, Tuple[Callable[[str], str], str, str, str]
] = {  # quoting, set, take away, the variable that keeps the way back
    "sh": (quote_sh, "export {}={}", "unset {}", "_TORCH_SETUP_STATE_OFF={}"),
    "fish": (quote_fish, "set -gx {} {}", "set -e {}", "set -g _TORCH_SETUP_STATE_OFF {}"),
    "csh": (quote_csh, "setenv {} {}", "unsetenv {}", "set _TORCH_SETUP_STATE_OFF = {}"),
}


def read(prefix: Path) -> Dict[str, Any]:
    try:
        text = Path(prefix, "conda-meta", "state").read_text(encoding="utf-8")
        return dict(json.loads(text)["env_vars"])
    except (OSError, ValueError, LookupError, TypeError):
        return {}


def code(shell: str, prefix: Path) -> str:
    quote, assign, remove, keep = SHELLS[shell]

    def line(name: str, value: Optional[str]) -> str:
        return remove.format(name) if value is None or value == UNSET else assign.format(name, quote(value))

    found = {name: value for name, value in read(prefix).items() if NAME.match(name) and isinstance(value, str)}
    on = [line(name, value) for name, value in found.items()]
    off = [line(name, os.environ.get(name)) for name in found]
    return "; ".join([keep.format(quote("; ".join(off))), *on]) if found else ""


def wanted(prefix: Path) -> Dict[str, str]:
    """Without what no line of a shell can hold."""
    return {
        name: "" if value == UNSET else value
        for name, value in read(prefix).items()
        if NAME.match(name) and isinstance(value, str) and not set(value) & set("\r\n\0")
    }


def lines(prefix: Path) -> str:
    found = wanted(prefix)
    kept = {"_TORCH_SETUP_STATE_" + name: os.environ.get(name, "") for name in found}
    told = {"_TORCH_SETUP_STATE": " ".join(found), **kept, **found} if found else {}
    return "".join(f"{name}={value}\r\n" for name, value in told.items())


def lines_off() -> str:
    names = os.environ.get("_TORCH_SETUP_STATE", "").split()
    before = {name: os.environ.get("_TORCH_SETUP_STATE_" + name, "") for name in names}
    own = ["_TORCH_SETUP_STATE", *("_TORCH_SETUP_STATE_" + name for name in names)]
    told = {**before, **dict.fromkeys(own, "")}
    return "".join(f"{name}={value}\r\n" for name, value in told.items())


def encoding() -> str:
    """What the shell takes our words for: on Windows the console's code page."""
    if sys.platform != "win32":
        return "utf-8"
    import ctypes

    page = ctypes.windll.kernel32.GetConsoleOutputCP()
    return f"cp{page}" if page and page != 65001 else "utf-8"


def main(kind: str, prefix: Path) -> str:
    return {"lines": lambda: lines(prefix), "lines-off": lines_off}.get(kind, lambda: code(kind, prefix))()


if __name__ == "__main__":
    told = main(sys.argv[1], Path(__file__).absolute().parent.parent)
    sys.stdout.buffer.write(told.encode(encoding(), "surrogateescape" if encoding() == "utf-8" else "replace"))
