"""`torch-wizard update` as it is typed: asked and never silent, off by one setting, and what the next start says."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clone import typed
from tests.servers.fault_server import Faults
from tests.update.conftest import DOCUMENT, MAKER, Maker
from wizard import __version__
from wizard.app.update.offer import VARIABLE
from wizard.classroom.profile.signature import new_key, secret_text
from wizard.model.table_update import in_use_file, updates_dir
from wizard.system import paths

pytestmark = pytest.mark.slow

PAGE = "https://example.org/torch-setup"


def updating(*words: str, language: str = "en", **more: str) -> subprocess.CompletedProcess[str]:
    return typed("--lang", language, *words, env={**os.environ, **more})


def test_a_setting_that_is_wrong_is_said_in_words(tmp_path: Path) -> None:
    none = updating("update", "--check", **{VARIABLE: "on"})
    assert (none.returncode, f"{VARIABLE}=on is neither “off” nor a file" in none.stderr) == (2, True), none.stderr
    source = tmp_path / "source.toml"
    source.write_text('tables = 1\naddresses = ["http://lab.example/update.json"]\nkeys = []\n', encoding="utf-8")
    plain = updating("update", "--check", **{VARIABLE: str(source)})
    assert (plain.returncode, "expected an https address" in plain.stderr) == (2, True), plain.stderr
    assert not any(odd in none.stderr + plain.stderr for odd in ("Errno", "regex"))


def test_no_number_is_given_out_twice(tmp_path: Path) -> None:
    """Who has seen the one document would refuse the other."""
    key, out = tmp_path / "lab.key", tmp_path / "out"
    key.write_text(secret_text(new_key()), encoding="utf-8")
    command = [sys.executable, str(MAKER), str(out), "--key", str(key), "--number"]
    first = subprocess.run([*command, "2"], capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stderr
    before = (out / "update.json").read_bytes()
    for number in ("2", "1"):
        again = subprocess.run([*command, number], capture_output=True, text=True, check=False)
        assert (again.returncode, "has number 2: take 3" in again.stderr) == (2, True), again.stderr
    assert (out / "update.json").read_bytes() == before


def test_the_whole_way(maker: Maker) -> None:
    maker.publish(2, newest={"version": "99.1", "page": PAGE})
    told = updating("update", "--check")
    assert told.returncode == 0
    assert "newer tables: number 2" in told.stderr
    assert f"99.1 (this one is {__version__})" in told.stderr
    assert PAGE in told.stderr
    assert not in_use_file().exists()
    assert "update" not in updating("--version").stdout

    refused = updating("update")
    assert (refused.returncode, "--yes" in refused.stderr) == (2, True), "nobody to ask, nothing taken"
    assert not in_use_file().exists()

    done = updating("update", "--yes")
    assert (done.returncode, "next start" in done.stderr) == (0, True)
    assert "update 2" in updating("--version").stdout
    assert updating("matrices", "check").returncode == 0
    assert "are the newest: number 2" in updating("update", "--yes").stderr
    assert {path.rpartition("/")[0] for path in maker.server.sent} <= {"", "/2"}, "nothing of a newer program"

    changes = json.loads(updating("undo", "list", "--json").stdout)["changes"]
    assert ["newer tables" in one["reason"]["text"] for one in changes] == [True]
    assert updating("update", "--undo").returncode == 0
    assert "update" not in updating("--version").stdout
    assert updating("update", "--undo").returncode == 2


def test_for_programs(maker: Maker) -> None:
    maker.publish(2, newest={"version": "99.1", "page": PAGE})
    said = json.loads(updating("update", "--check", "--json").stdout)
    assert (said["state"], said["taken"]) == ("newer", False)
    assert (said["tables"]["here"], said["tables"]["offered"]) == (1, 2)
    assert said["program"] == {"here": __version__, "newer": "99.1", "page": PAGE}
    assert json.loads(updating("update", "--yes", "--json").stdout)["taken"] is True
    said = json.loads(updating("update", "--yes", "--json").stdout)
    assert (said["state"], said["taken"], said["tables"]["here"]) == ("same", False, 2)
    assert json.loads(updating("update", "--undo", "--json").stdout)["undone"] == "1"


def test_off_by_one_setting(maker: Maker) -> None:
    maker.publish(2)
    for words in (("update",), ("update", "--check"), ("update", "--yes")):
        off = updating(*words, **{VARIABLE: "off"})
        assert (off.returncode, "switched off" in off.stderr) == (2, True)
    assert maker.server.times == [], "nobody was asked"


def test_a_copy_without_a_key_offers_none(maker: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the copies are that are made today, and those of a packager."""
    monkeypatch.delenv(VARIABLE)
    none = updating("update", "--check")
    assert (none.returncode, "offers no updates" in none.stderr) == (2, True)
    assert "更新" in updating("update", "--check", language="zh_CN").stderr
    address = json.dumps([maker.server.root + DOCUMENT])
    (maker.folder / "source.toml").write_text(f"tables = 1\naddresses = {address}\nkeys = []\n", encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(maker.folder / "source.toml"))
    assert "offers no updates" in updating("update", "--check").stderr
    assert maker.server.times == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tables = 1\naddresses = ['http://127.0.0.1/update.json']\nkeys = ['x']\n",
        "tables = 1\naddresses = ['https://127.0.0.1/update.json']\nkeys = ['RWno-key']\n",
    ],
)
def test_a_source_that_cannot_be_believed_is_named(maker: Maker, text: str) -> None:
    (maker.folder / "source.toml").write_text(text, encoding="utf-8")
    bad = updating("update", "--yes")
    assert (bad.returncode, "source.toml" in bad.stderr, "Traceback" in bad.stderr) == (2, True, False)


def test_tables_of_a_folder_of_ones_own_take_no_update(maker: Maker) -> None:
    maker.publish(2)
    own = updating("update", "--yes", **{paths.MATRICES_VARIABLE: str(paths.matrices_dir())})
    assert (own.returncode, paths.MATRICES_VARIABLE in own.stderr) == (2, True)
    assert maker.server.times == []


def test_no_other_command_asks(maker: Maker) -> None:
    maker.publish(2)
    for words in (
        ("matrices", "show"),
        ("matrices", "check"),
        ("pick", "--offline"),
        ("mirrors", "list"),
        ("--version",),
    ):
        updating(*words)
    assert maker.server.times == []
    root = Path(paths.__file__).resolve().parents[1]
    callers = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("wizard.app.update")
    }
    by_hand = {"cli/sources/update.py", "app/update/take.py", "gui/tools/versions.py"}  # the last by a button
    assert callers <= by_hand, "nobody who asks without being asked"


def test_damaged_and_earlier_tables_are_told_where_tables_are_shown(maker: Maker) -> None:
    maker.publish(2)
    assert updating("update", "--yes").returncode == 0
    said = json.loads(in_use_file().read_text(encoding="utf-8"))
    in_use_file().write_text(json.dumps({**said, "program": "98.0"}), encoding="utf-8")
    assert "checked by program 98.0" in updating("matrices", "show").stderr
    in_use_file().write_text(json.dumps(said), encoding="utf-8")
    (updates_dir() / "2" / "gpus.csv").unlink()
    shown = updating("matrices", "show")
    assert (shown.returncode, "are damaged" in shown.stderr) == (0, True)


def test_a_lie_ends_with_a_sentence_and_status_1(maker: Maker) -> None:
    maker.publish(2)
    maker.faulty(DOCUMENT, Faults(wrong_byte=20))
    lied = updating("update", "--yes")
    assert (lied.returncode, "not signed by a key" in lied.stderr, "Traceback" in lied.stderr) == (1, True, False)
