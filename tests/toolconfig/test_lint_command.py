"""`torch-wizard mirrors lint` as a person runs it: findings, JSON, mending through the journal, taking it back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.clone import typed
from tests.stand_in import put_program
from wizard.toolconfig.edit import undo
from wizard.undo.model import How

PIP = b"# mine\r\n[global]\r\nindex-url = http://pypi.douban.com/simple/\r\ntrusted-host = pypi.douban.com\r\n"
OTHER = b"linux-64" if sys.platform == "win32" else b"win-64"  # a channel of the other system
CONDA = b"channels:\n  - defaults   # office\n  - https://c.example/lab/" + OTHER + b"\nssl_verify: no\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    (folder / ".config" / "pip").mkdir(parents=True)
    (folder / ".config" / "pip" / "pip.conf").write_bytes(PIP)
    (folder / ".condarc").write_bytes(CONDA)
    return folder


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return program(home, "mirrors", "lint", *arguments)


def program(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    foreign = ("PIP_", "UV_", "XDG_", "CONDA")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    environment = {
        **kept,
        "HOME": str(home),
        "USERPROFILE": str(home),
        "TORCH_WIZARD_LANG": "en",
        "PIP_CONFIG_FILE": str(home / ".config" / "pip" / "pip.conf"),
    }
    return typed(*arguments, env=environment)


def codes(document: dict[str, Any]) -> set[str]:
    return {finding["code"] for finding in document["findings"]}


def test_findings_in_words_and_as_a_document(home: Path) -> None:
    said = run(home)
    assert said.returncode == 1
    assert "dead-mirror" in said.stdout
    assert "line 3" in said.stdout
    document = json.loads(run(home, "--json").stdout)
    assert document["schema"] == 1
    assert codes(document) >= {"dead-mirror", "trusted-host", "tls-off", "channel-platform"}
    (dead,) = (finding for finding in document["findings"] if finding["code"] == "dead-mirror")
    assert (dead["severity"], dead["tool"], dead["line"], dead["fixable"], dead["touches_install"]) == (
        "error",
        "pip",
        3,
        True,
        True,
    )
    assert set(dead["cause"]) == {"key", "params", "text"}
    assert document["counts"]["error"] >= 3


def test_mending_and_taking_it_back(home: Path) -> None:
    pip, conda = home / ".config" / "pip" / "pip.conf", home / ".condarc"
    said = run(home, "--fix", "all", "--yes", "--json")
    document = json.loads(said.stdout)
    assert said.returncode == 0, said.stdout
    assert document["counts"]["error"] == 0
    assert "-index-url = http://pypi.douban.com/simple/" in said.stderr
    living = b"https://mirrors.tuna.tsinghua.edu.cn/pypi/web/simple"
    assert pip.read_bytes() == b"# mine\r\n[global]\r\nindex-url = " + living + b"\r\n"
    assert conda.read_bytes() == b"channels:\n  - defaults   # office\n  - https://c.example/lab\n"
    undone = undo(document["change"])
    assert {file.how for file in undone.files} == {How.RESTORED}
    assert (pip.read_bytes(), conda.read_bytes()) == (PIP, CONDA)


def test_condas_stored_lists_go_after_its_file_was_mended(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = home / "asked"
    noting = f"import sys\nopen({str(asked)!r}, 'a').write(' '.join(sys.argv[1:]))\n"
    conda = put_program(home / "bin" / "conda", noting)
    monkeypatch.setenv("PATH", f"{conda.parent}{os.pathsep}{os.environ['PATH']}")
    run(home, "--fix", "dead-mirror", "--yes")
    assert not asked.exists() or "clean" not in asked.read_text(encoding="utf-8"), "pip's file alone was mended"
    said = run(home, "--fix", "tls-off", "--yes")
    assert "clean --index-cache --yes" in asked.read_text(encoding="utf-8")
    assert "package lists of the old source were removed" in said.stderr
    put_program(home / "bin" / "conda", "raise SystemExit(1)")
    assert "run “conda clean --index-cache”" in run(home, "--fix", "channel-platform", "--yes").stderr


def test_one_code_alone(home: Path) -> None:
    said = run(home, "--fix", "tls-off", "--yes")
    assert said.returncode == 1, "errors remain"
    assert (home / ".condarc").read_bytes() == CONDA.replace(b"ssl_verify: no\n", b"")
    assert (home / ".config" / "pip" / "pip.conf").read_bytes() == PIP
    assert run(home, "--fix", "tls-off", "--yes").returncode == 2, "there is no such finding any more"


def test_nothing_is_written_without_a_yes(home: Path) -> None:
    said = run(home, "--fix", "all")
    assert said.returncode == 2
    assert "--yes" in said.stderr
    assert (home / ".condarc").read_bytes() == CONDA


def test_a_private_index_is_never_overwritten(home: Path) -> None:
    """The file that holds a password is left, the other one is mended."""
    pip = home / ".config" / "pip" / "pip.conf"
    private = b"[global]\nindex-url = http://me:topsecret@mirrors.aliyun.com/pypi/simple/\n"
    pip.write_bytes(private)
    said = run(home, "--fix", "all", "--yes")
    assert pip.read_bytes() == private
    assert b"ssl_verify" not in (home / ".condarc").read_bytes()
    assert "topsecret" not in said.stdout + said.stderr
    assert said.returncode == 1


def test_nothing_to_object_to(home: Path) -> None:
    (home / ".config" / "pip" / "pip.conf").write_text(
        "[global]\nindex-url = https://pypi.tuna.tsinghua.edu.cn/simple\n"
    )
    (home / ".condarc").write_text("channels: [conda-forge]\n")
    said = run(home)
    assert (said.returncode, said.stdout) == (0, "")
    assert "Nothing to object to" in said.stderr


def test_the_check_page_says_what_touches_this_install(home: Path) -> None:
    """By `probe`, which shows the same rows: warnings, and none of them blocks."""
    (home / ".config" / "pip" / "pip.conf").write_bytes(PIP + b"[broken\r\n")
    before = json.loads(program(home, "probe", "--json").stdout)["checks"]
    assert [row["fact"]["key"] for row in before if row["name"] == "settings"].count("lint.file-syntax.cause") == 1
    (home / ".config" / "pip" / "pip.conf").write_bytes(PIP)
    rows = [row for row in json.loads(program(home, "probe", "--json").stdout)["checks"] if row["name"] == "settings"]
    keys = {row["fact"]["key"]: row for row in rows}
    assert keys["lint.dead-mirror.cause-gone"]["state"] == "warning"
    assert keys["settings.channel-terms"]["state"] == "note"
    assert "settings.address-not-secure" not in keys, "said once"
    assert "lint.tls-off.cause" not in keys, "setup does not follow it"
    assert not any(row["blocks"] for row in rows)
