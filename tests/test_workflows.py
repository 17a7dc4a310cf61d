"""The hosted workflows: readable, careful, and every command one that can be typed at a desk."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.test_version import ROOT, load
from tests.tools import LIST, PUT_IN, VARIABLE

FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
# Whole commands, or the beginning of one: our own scripts, and the two tools that no script of ours can stand for.
COMMANDS = re.compile(
    r"python start\.py test( .+)?|\.ci/run"
    r"|(\.venv/bin/)?python resources/installer/(build|try_made|sign|release|lock)\.py .+"
    r"|python -m pip install --require-hashes -r resources/installer/requirements-\$\{\{ matrix\.system \}\}\.txt"
    r"|git config --global --add safe\.directory \"\$GITHUB_WORKSPACE\"|gh release create .+"
)
_PINNED = re.compile(r"actions/[a-z-]+@[0-9a-f]{40}|\./\.github/workflows/(build|check)\.yml")


def document(path: Path) -> Any:
    return YAML(typ="safe").load(path.read_text(encoding="utf-8"))


def jobs() -> list[tuple[str, dict[str, Any]]]:
    return [(f"{path.name}: {name}", job) for path in FILES for name, job in document(path)["jobs"].items()]


def steps() -> list[tuple[str, dict[str, Any]]]:
    return [(name, step) for name, job in jobs() for step in job.get("steps", ())]


def test_there_are_workflows() -> None:
    assert [path.name for path in FILES] == ["build.yml", "check.yml", "release.yml"]


def test_a_linter_finds_nothing() -> None:
    """Schema, expressions and the usual holes, without the network."""
    command = [str(Path(sys.executable).with_name("zizmor")), "--offline", "--min-severity", "medium", str(FOLDER)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("name", "step"), steps())
def test_no_logic_lives_in_them(name: str, step: dict[str, Any]) -> None:
    assert ("run" in step) != ("uses" in step)
    if "run" in step:
        assert COMMANDS.fullmatch(step["run"]), step["run"]
        if script := re.search(r"resources/installer/\w+\.py", step["run"]):
            assert (ROOT / script[0]).is_file()


def test_actions_are_pinned_and_get_no_more_rights_than_they_need() -> None:
    used = [step["uses"] for _, step in steps() if "uses" in step] + [job["uses"] for _, job in jobs() if "uses" in job]
    assert [each for each in used if not _PINNED.fullmatch(each)] == []
    for path in FILES:
        assert document(path)["permissions"] == {"contents": "read"}
    assert [name for name, job in jobs() if job.get("permissions")] == ["release.yml: draft"]
    checkouts = [step for _, step in steps() if str(step.get("uses", "")).startswith("actions/checkout")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_nothing_is_released_before_all_checks_of_its_commit() -> None:
    release, check = (document(FOLDER / f"{name}.yml")["jobs"] for name in ("release", "check"))
    assert release["check"]["uses"].endswith("/check.yml")
    assert (release["build"]["needs"], release["draft"]["needs"]) == ("check", "build")
    assert [name for name, job in check.items() if "if" in job] == ["build"], "which the release does by itself"


def test_what_is_handed_out_is_attested() -> None:
    """All of it, by the host, before anybody can fetch it."""
    draft = document(FOLDER / "release.yml")["jobs"]["draft"]
    assert draft["permissions"] == {"contents": "write", "id-token": "write", "attestations": "write"}
    attested, created = draft["steps"][-2:]
    assert attested["uses"].startswith("actions/attest-build-provenance@")
    assert attested["with"]["subject-path"].split() == re.findall(r"dist/\S+", created["run"])


def test_the_page_of_a_release_has_its_changes_and_tells_of_smartscreen(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = document(FOLDER / "release.yml")["jobs"]["draft"]["steps"]
    [written] = [step["run"] for step in steps if "release.py" in step.get("run", "")]
    [notes] = re.findall(r"--notes-file (\S+)", steps[-1]["run"])
    assert written.endswith(f" {notes}")
    changelog = "## [Unreleased]\n\n- b\n\n## [1.2.0] - 2026-12-01\n\n- a\n\n## [1.1.0] - 2026-11-01\n\n- old\n"
    download = (ROOT / "docs" / "download.md").read_text(encoding="utf-8")
    made = load("release", monkeypatch).notes
    told = made("1.2.0", changelog, download)
    assert told == f"- a\n\n{download}"
    with pytest.raises(LookupError):
        made("1.3.0", changelog, download)
    assert all(words in told for words in ("SmartScreen", "Run anyway", "仍要运行", "SHA256SUMS"))
    assert "SmartScreen" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_python_on_both_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = document(FOLDER / "check.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert tuple(matrix["python"]) == load("lock", monkeypatch).SUPPORTED
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "windows"}


def test_nothing_is_signed_without_a_certificate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    sign = load("sign", monkeypatch)
    program = tmp_path / "x.exe"
    program.write_bytes(b"MZ")
    monkeypatch.delenv("TORCH_SETUP_CERTIFICATE", raising=False)
    assert sign.main([str(program)]) == 0
    assert "not signed" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="nothing to sign"):
        sign.main([str(tmp_path / "gone.exe")])
    monkeypatch.setenv("TORCH_SETUP_CERTIFICATE", "AAAA")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PROGRAMFILES(X86)", str(tmp_path))
    with pytest.raises(SystemExit, match="signtool was not found"):
        sign.main([str(program)])


def test_the_checks_put_in_the_tools_that_no_test_may_miss_there() -> None:
    told = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    names = re.search(r"for name in (.+?); do", told, re.DOTALL)
    assert names
    assert set(names[1].replace("\\\n", " ").split()) == set(PUT_IN)
    assert f"{VARIABLE}=1" in told
    assert f"{LIST}=" in told


_TRIED = """
import pytest
from tests.tools import needs, not_put_in, path_of

@needs("no-such-program")
def test_marked(): pass

@pytest.mark.parametrize("name", ["a b", "字"])
def test_looking(name): path_of("no-such-program")

def test_by_chance(): not_put_in("Python 2.7")

@pytest.mark.skip(reason="too cold")
def test_for_another_reason(): pass
"""


@pytest.mark.parametrize("more", [(), ("-n", "1")])
def test_what_was_skipped_for_want_of_a_program_runs_where_all_must_be(tmp_path: Path, more: tuple[str, ...]) -> None:
    (tmp_path / "test_it.py").write_text(_TRIED, encoding="utf-8")
    listed = tmp_path / "skipped"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), LIST: str(listed)}
    for name in (VARIABLE, "PYTEST_XDIST_WORKER", "PYTEST_ADDOPTS"):
        environment.pop(name, None)

    def run(*arguments: str, **variables: str) -> str:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "tests.tools",
            "-p",
            "no:cacheprovider",
            *more,
            *arguments,
        ]
        return subprocess.run(
            command, cwd=tmp_path, env={**environment, **variables}, capture_output=True, encoding="utf-8", check=False
        ).stdout

    assert "5 skipped" in run()
    named = listed.read_text(encoding="utf-8").splitlines()
    assert [name.partition("::")[2].partition("[")[0] for name in named] == [
        "test_marked",
        "test_looking",
        "test_looking",
        "test_by_chance",
    ]
    assert "2 failed, 1 passed, 1 skipped" in run(f"@{listed}", **{VARIABLE: "1"})
