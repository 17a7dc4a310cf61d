"""What a written file does to a real resolve: pip and uv go to the new index on loopback, and not to the old one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.line.wheel import build_wheel
from tests.servers.index_server import IndexServer
from tests.toolconfig.using import PIP, UV
from tests.toolconfig.world import Computer
from wizard.model.messages import message
from wizard.system import paths
from wizard.toolconfig.edit import apply, propose, undo
from wizard.toolconfig.use import SettingsRequest, pip_request, uv_request

WHY = message("settings-file.reason.source", id="example", name="example")


@pytest.fixture
def indexes(tmp_path: Path) -> Iterator[tuple[IndexServer, IndexServer]]:
    for name, version in (("old", "1.0"), ("new", "2.0")):
        build_wheel(tmp_path / name, "lone", version, {"lone.py": b""})
    with IndexServer(tmp_path / "old") as old, IndexServer(tmp_path / "new") as new:
        yield old, new


def written(request: SettingsRequest) -> None:
    apply(propose(request.edits), WHY)


STYLES = (
    "[[index]]\nurl = '{old}'\ndefault = true\n",
    "index-url = '{old}'\n",
    "[pip]\nindex-url = '{old}'\n",
    "index = [{{ url = '{old}', default = true }}]\n",
    "index-url = '{old}'\n[pip]\nindex-url = '{old}'\n",
)


@pytest.mark.parametrize("style", STYLES)
def test_uv_resolves_from_the_new_index(tmp_path: Path, indexes: tuple[IndexServer, IndexServer], style: str) -> None:
    old, new = indexes
    computer = Computer(tmp_path / "home")
    computer.write(UV, style.format(old=old.simple))
    uv = str(paths.uv_executable())
    resolve = (
        uv,
        "pip",
        "compile",
        "--emit-index-annotation",
        "--no-cache",
        "--python",
        sys.executable,
        str(computer.write("lone.in", "lone\n")),
    )
    assert f"# from {old.simple}" in computer.ask(*resolve)
    written(uv_request(new.simple, computer.around))
    asked = len(old.requests)
    said = computer.ask(*resolve)
    assert "lone==2.0" in said
    assert f"# from {new.simple}" in said
    assert len(old.requests) == asked
    undo(None)
    assert f"# from {old.simple}" in computer.ask(*resolve)


@pytest.mark.parametrize(
    "style", ["[global]\nindex-url = {old}\n", "[install]\nindex-url={old}\n", "[global]\nIndex_URL : {old}\n"]
)
def test_pip_installs_from_the_new_index(tmp_path: Path, indexes: tuple[IndexServer, IndexServer], style: str) -> None:
    old, new = indexes
    computer = Computer(tmp_path / "home")
    computer.write(PIP, style.format(old=old.simple))
    install = ("install", "--no-deps", "--no-cache-dir", "--target", str(tmp_path / "lib"), "--upgrade", "lone")
    assert "lone-1.0" in computer.pip(*install)
    written(pip_request(new.simple, computer.around))
    asked = len(old.requests)
    assert "lone-2.0" in computer.pip(*install)
    assert len(old.requests) == asked
    undo(None)
    assert "lone-1.0" in computer.pip(*install)
