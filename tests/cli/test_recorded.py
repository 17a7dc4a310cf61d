"""Every command's options, exit status and document, held against a recording: moves within the program change none.

``TORCH_SETUP_RECORD=1`` writes the recording anew. A change of it is a change for
people's scripts: name it in CHANGELOG.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import pytest

from tests.cli.test_contract import LAPTOP
from tests.line.world import World
from wizard.cli.root import all_commands

pytestmark = pytest.mark.slow

RECORDING = Path(__file__).with_name("recorded.json")
# Words of a line that a run decides: a run's number, the environment's folder.
LINES = (
    ("--version",),
    ("frobnicate",),
    ("probe", "--json"),
    ("pick", "--json", "--offline"),
    ("pick", "--json", "--offline", "--machine", "{laptop}"),
    ("pick", "--json", "--offline", "--machine", "{laptop}", "{laptop}"),
    ("pick", "--json", "--offline", "--torch", "99.0"),
    ("pick", "--json", "--machine", "{nothing}"),
    ("setup", "--dry-run", "--name", "other", "{sources}"),
    ("setup", "--plan-only", "--name", "planned", "{sources}"),
    ("setup", "--yes", "--name", "demo", "{sources}"),
    ("setup", "--yes", "--events", "--name", "card", "--variant", "cu126", "{sources}"),
    ("setup", "--yes", "--name", "demo", "{sources}"),
    ("run", "{nothing}"),
    ("resume",),
    ("verify", "--json", "--prefix", "{demo}"),
    ("verify", "--json", "--prefix", "{nothing}"),
    ("runs", "--json"),
    ("runs", "--remove", "no-such-run"),
    ("explain", "--json", "{error}"),
    ("explain", "--json", "{laptop}"),
    ("matrices", "show", "--json"),
    ("matrices", "show", "--json", "2.15.0"),
    ("matrices", "show", "--json", "99.0"),
    ("matrices", "check", "--json"),
    ("matrices", "refresh", "--remove", "--json"),
    ("doctor", "--json", "--prefix", "{demo}"),
    ("doctor", "--json", "--prefix", "{nothing}"),
    ("envs", "list", "--json"),
    ("envs", "list", "--json", "--sizes"),
    ("envs", "show", "--json", "demo"),
    ("envs", "show", "--json", "no-such"),
    ("envs", "export", "--format", "json", "demo"),
    ("envs", "export", "--format", "requirements", "demo"),
    ("envs", "export", "--format", "pylock", "demo"),
    ("envs", "module", "demo"),
    ("envs", "clone", "demo", "--name", "copy"),
    ("envs", "delete", "copy", "--yes", "copy"),
    ("envs", "delete", "demo", "--yes", "another name"),
    ("envs", "restore", "demo", "--yes"),
    ("envs", "finish"),
    ("mirrors", "list", "--json"),
    ("mirrors", "lint", "--json"),
    ("mirrors", "use", "no-such-mirror", "--yes"),
    ("profile", "show", "--json", "{nothing}"),
    ("pack", "check", "--json", "{user}"),
    ("pack", "check", "--json", "{nothing}"),
    ("room", "--json", "{user}"),
    ("undo", "list", "--json"),
    ("undo", "--yes"),
    ("store", "show", "--json"),
    ("store", "verify", "--json"),
    ("store", "prune", "--yes", "--json"),
    ("envs", "add", "demo", "--yes", "{sources}"),
    ("envs", "add", "no-such", "einops", "--yes"),
    ("update", "--check", "--json"),
    ("update", "--undo", "--json"),
    ("envs", "history", "demo", "--json"),
    ("envs", "restore", "demo", "no-such", "--yes", "--json"),
    ("envs", "update", "demo", "--yes", "{sources}"),
    ("envs", "update", "demo", "no-such", "--yes", "{sources}"),
)


def shape(value: object) -> object:
    """Return what a reader may rely on: names and kinds, not values. Names that are data become ``*``."""
    if isinstance(value, Mapping):
        if value.keys() - {"sentence"} == {"key", "params", "text"}:
            return "a message"
        if all(str(name).isidentifier() for name in value):
            return {name: shape(each) for name, each in sorted(value.items())}
        return {"*": together(value.values())}
    if isinstance(value, list):
        return [together(value)]
    return {bool: "true or false", int: "number", float: "number", str: "text", type(None): None}[type(value)]


def together(values: object) -> object:
    """Return the different shapes, each once, in an order that does not depend on the values'."""
    assert isinstance(values, (list, type({}.values())))
    found = {json.dumps(shape(value), sort_keys=True) for value in values}
    return [json.loads(each) for each in sorted(found)]


def documents(text: str) -> object:
    """Return the shapes of the documents, one to a line or one in all; a text's first word where there is none."""
    try:
        return [shape(json.loads(text))]
    except ValueError:
        pass
    try:
        found = [json.loads(line) for line in text.splitlines()]
        if found and all("event" in each for each in found):  # which of them come depends on the time that it takes
            return ["events", shape(found[-1])]
        return together(found)
    except ValueError:
        return text.split()[0]


def filled(world: World, line: tuple[str, ...]) -> Iterator[str]:
    for word in line:
        if word == "{sources}":
            yield from world.sources
        else:
            yield word.format(
                laptop=world.home / "laptop.json",
                nothing=world.home / "nothing",
                error=world.home / "error.txt",
                demo=world.home / "state" / "envs" / "demo",
                user=world.home / "user",
            )


def options(command: click.Command, name: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield each command with its options and the names of what it wants."""
    ctx = click.Context(command, **command.context_settings)
    params = command.get_params(ctx)
    found = [name for each in params if isinstance(each, click.Option) for name in each.opts]
    found += [str(each.metavar).strip("[.] ") for each in params if isinstance(each, click.Argument)]
    yield name, sorted(found)
    for below in command.list_commands(ctx) if isinstance(command, click.Group) else ():
        made = command.get_command(ctx, below) if isinstance(command, click.Group) else None
        assert made is not None
        yield from options(made, f"{name} {below}".strip())


def covers(recorded: object, found: object) -> bool:
    """Tell whether a shape is as recorded; what a computer may lack (a card, a driver) may be null on either side."""
    if recorded is None or found is None:
        return True
    if isinstance(recorded, dict) and isinstance(found, dict):
        return recorded.keys() == found.keys() and all(covers(recorded[name], found[name]) for name in found)
    if isinstance(recorded, list) and isinstance(found, list):
        return all(any(covers(shape, each) for shape in recorded) for each in found)
    return recorded == found


def recording(part: str, found: object) -> object:
    """Return what was recorded, or record what was found where that was asked for."""
    kept = json.loads(RECORDING.read_text("utf-8")) if RECORDING.exists() else {}
    if os.environ.get("TORCH_SETUP_RECORD"):
        kept[part] = found
        RECORDING.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", "utf-8")
    return kept[part]


def test_options() -> None:
    found = dict(options(all_commands()))
    assert found == recording("options", found)


def test_exit_statuses_and_documents(world: World) -> None:
    (world.home / "laptop.json").write_text(json.dumps(LAPTOP), encoding="utf-8")
    (world.home / "error.txt").write_text("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB", "utf-8")
    found = {}
    for number, line in enumerate(LINES):
        done = world.run(*filled(world, line))
        found[f"{number:02} {' '.join(line)}"] = {"status": done.returncode, "stdout": documents(done.stdout)}
    kept = recording("lines", found)
    assert isinstance(kept, dict)
    assert found.keys() == kept.keys()
    assert {name: each for name, each in found.items() if not covers(kept[name], each)} == {}
