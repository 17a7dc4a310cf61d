"""Can what a project imports be imported here? Run by the Python that is asked; standard library only, Python >= 3.6.

stdin: a JSON list of [module, [names that are taken from it]]. One JSON object per line, written at once, so that a
crash or a hang keeps what was found before it: `installed` once, then `begin` and `check` by the number of each. What a
package prints lands on stderr. Nothing of the project lies on the path, and no words for people are made here.
"""

import contextlib
import importlib
import json
import os
import sys
import traceback
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    Data = dict[str, Any]

_MAX_TEXT = 4000


def installed() -> "Data":
    """Return the versions by name, and which packages bring which top-level module; nothing where Python is too old."""
    try:
        from importlib.metadata import distributions
    except ImportError:  # Python 3.6 and 3.7
        return {"versions": {}, "brings": {}}
    versions: Data = {}
    brings: Data = {}
    for one in distributions():
        with contextlib.suppress(Exception):  # what lies there half removed has no name
            name = str(one.metadata["Name"])
            if name in versions:
                continue
            versions[name] = str(one.version)
            for module in top_level(one):
                brings.setdefault(module, []).append(name)
    return {"versions": versions, "brings": brings}


def top_level(one: Any) -> "set[str]":
    said = (one.read_text("top_level.txt") or "").split()
    found = {name.split("/")[0] for name in said}
    for file in one.files or ():
        first = file.parts[0]
        if len(file.parts) > 1 or first.endswith((".py", ".so", ".pyd")):
            found.add(first.split(".")[0])
    return {name for name in found if name.isidentifier()}


def take(module: str, names: "Iterable[str]") -> None:
    found = importlib.import_module(module)
    for name in names:
        if hasattr(found, name):
            continue
        inner = module + "." + name
        try:
            importlib.import_module(inner)
        except ModuleNotFoundError as error:
            if error.name not in (inner, module):  # the latter: it is no package
                raise
            raise ImportError(f"cannot import name {name!r} from {module!r}", name=module) from None


def main() -> None:
    wanted = json.loads(sys.stdin.read())
    sys.stdout.flush()
    voice = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)

    def say(event: str, **fields: Any) -> None:
        line = {"smoke": 1, "event": event}
        line.update(fields)
        voice.write(json.dumps(line, default=str) + "\n")
        voice.flush()

    voice.write("\n")
    say("installed", data=installed())
    warnings.simplefilter("ignore")
    for number, (module, names) in enumerate(wanted):
        say("begin", name=number)
        data: Data = {}
        try:
            take(module, names)
        except (Exception, SystemExit) as error:
            data = {"type": type(error).__name__, "error": str(error)[:_MAX_TEXT], "trace": traceback.format_exc()}
            data["trace"] = data["trace"][-_MAX_TEXT:]
            data["missing"] = error.name if isinstance(error, ModuleNotFoundError) else None
        say("check", name=number, state="failed" if data else "ok", data=data)
    voice.flush()
    os._exit(0)  # how a package ends its threads is not asked here


if __name__ == "__main__":
    main()
