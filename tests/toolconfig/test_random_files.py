"""500 random settings files: `use` changes what it means to and nothing else, `undo` gives back every byte."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tests.thorough import times
from tests.toolconfig import readers
from tests.toolconfig.random_files import conda_files, pip_files, uv_files
from wizard.model.messages import message
from wizard.toolconfig.edit import apply, propose, undo
from wizard.toolconfig.model import Edit, Tool
from wizard.toolconfig.text_file import one_place, read_text
from wizard.undo.journal import UndoJournal
from wizard.undo.model import How

CALM = settings(
    max_examples=times(340, 170),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
URL = "https://mirror.example/pypi/simple"
WHY = message("settings-file.reason.source", id="example", name="example")


class Place:
    """One file and a journal, gone afterwards (hypothesis runs many in one test)."""

    def __init__(self, folder: str, content: bytes) -> None:
        self.path, self.journal = Path(folder) / "settings", UndoJournal(Path(folder) / "undo")
        self.path.write_bytes(content)

    def use(self, tool: Tool, *keys: tuple[str, str | tuple[str, ...] | None]) -> bool:
        """False: the file says so already."""
        diffs = propose([Edit(tool, self.path, key, value) for key, value in keys])
        for diff in diffs:
            event(f"{tool.value}: {len(one_place(*_texts(diff.before, diff.after))[1])} lines")
        return bool(diffs and apply(diffs, WHY, self.journal))

    @property
    def content(self) -> bytes:
        return self.path.read_bytes()


def _texts(*contents: bytes | None) -> tuple[str, str]:
    first, second = (read_text(content or b"").text for content in contents)
    return first, second


def without(document: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != key}


def there_and_back(
    content: bytes, tool: Tool, keys: tuple[tuple[str, Any], ...], check: Callable[[bytes], None]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, content)
        changed = place.use(tool, *keys)
        check(place.content)
        assert changed == (place.content != content)
        if changed:
            gone, _ = one_place(*_texts(content, place.content))
            assert place.content.count(b"\n") >= content.count(b"\n") - len(gone)
            assert [file.how for file in undo(None, place.journal).files] == [How.RESTORED]
        assert place.content == content


@pytest.mark.slow
@given(pip_files())
@CALM
def test_pip(content: bytes) -> None:
    def check(now: bytes) -> None:
        before, after = readers.read_pip(content), readers.read_pip(now)
        assert after["global.index-url"] == URL
        assert without(after, "global.index-url") == without(before, "global.index-url")

    there_and_back(content, Tool.PIP, (("global.index-url", URL),), check)


@pytest.mark.slow
@given(uv_files())
@CALM
def test_uv(content: bytes) -> None:
    def check(now: bytes) -> None:
        before, after = readers.read_uv(content), readers.read_uv(now)
        defaults = [entry for entry in after["index"] if entry.get("default")]
        assert defaults[0]["url"] == URL
        assert without(after, "index") == without(before, "index")
        rest = [entry for entry in after["index"] if entry is not defaults[0]]
        first = next((entry for entry in before.get("index", []) if entry.get("default")), None)
        assert rest == [entry for entry in before.get("index", []) if entry is not first]

    there_and_back(content, Tool.UV, (("index", URL),), check)


@pytest.mark.slow
@given(conda_files())
@CALM
def test_conda(content: bytes) -> None:
    def check(now: bytes) -> None:
        before, after = readers.read_conda(content), readers.read_conda(now)
        assert after["custom_channels"]["conda-forge"] == URL
        assert without(after["custom_channels"], "conda-forge") == without(
            before.get("custom_channels") or {}, "conda-forge"
        )
        assert without(after, "custom_channels") == without(before, "custom_channels")

    there_and_back(content, Tool.CONDA, (("custom_channels.conda-forge", URL),), check)


ADDED = {
    Tool.PIP: (b"# mine\n[freeze]\nuser = yes\n", readers.read_pip, ("global.index-url", URL)),
    Tool.UV: (b"# mine\n[sources]\nmine = 1\n", readers.read_uv, ("index", URL)),
    Tool.CONDA: (b"# mine\nmine: [1]\n", readers.read_conda, ("custom_channels.conda-forge", URL)),
}


def added(content: bytes, lines: bytes) -> bytes:
    return content.rstrip(b" \t") + b"\n" + lines


@pytest.mark.slow
@given(
    st.one_of(
        *(
            st.tuples(st.just(tool), files)
            for tool, files in ((Tool.PIP, pip_files()), (Tool.UV, uv_files()), (Tool.CONDA, conda_files()))
        )
    )
)
@CALM
def test_what_the_user_edits_in_between_stays(case: tuple[Tool, bytes]) -> None:
    """Afterwards the file says what it would say if we had never been there."""
    tool, content = case
    lines, read, key = ADDED[tool]
    if b"all in one" in content:  # nothing can be added below it
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, content)
        if not place.use(tool, key):
            return
        place.path.write_bytes(added(place.content, lines))
        with_ours = place.content
        done = undo(None, place.journal)
        assert [(file.how, file.left) for file in done.files] == [(How.TAKEN_OUT, ())]
        assert lines in place.content
        assert URL.encode() not in place.content
        without_us = _without_holders(tool, read(added(content, lines)))
        assert _without_holders(tool, read(place.content)) == without_us, (content, with_ours, place.content)


def _without_holders(tool: Tool, document: dict[str, Any]) -> dict[str, Any]:
    """An empty `custom_channels` means the same as none."""
    return {key: value for key, value in document.items() if tool is not Tool.CONDA or value not in (None, {})}
