"""What the lint claims that pip and uv would do, they do: the real programs on a loopback index."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.line.wheel import build_wheel
from tests.servers.index_server import IndexServer
from tests.toolconfig.using import by_locale
from wizard.system import paths
from wizard.toolconfig.edit import propose
from wizard.toolconfig.lint.finding import LintContext
from wizard.toolconfig.lint.lint import edits_of, lint
from wizard.toolconfig.settings import read_own_settings


@dataclass(frozen=True)
class Desk:
    """A home with a pip.conf, and the real pip in it."""

    home: Path

    @property
    def file(self) -> Path:
        return self.home / ".config" / "pip" / "pip.conf"

    def write(self, content: str | bytes) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_bytes(content.encode() if isinstance(content, str) else content)

    def environment(self, **more: str) -> dict[str, str]:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "XDG_", "CONDA"))
        }
        silent = {
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_RETRIES": "0",
            "PIP_FIND_LINKS": "",
            "PIP_NO_CACHE_DIR": "1",
        }
        own = {"HOME": str(self.home), "PIP_CONFIG_FILE": str(self.file), "NO_PROXY": "*"}  # pip's own files alone
        return {**kept, **silent, **own, **more}

    def pip(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pip", *arguments],
            env=self.environment(**more),
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=120,
            cwd=self.home,
        )

    def got(self, requirement: str, **more: str) -> list[str]:
        """The wheels that pip takes for it; [] when it takes none."""
        folder = self.home / "got"
        folder.mkdir(exist_ok=True)
        outcome = self.pip("download", "--no-deps", "-q", "-d", str(folder), requirement, **more)
        names = sorted(path.name for path in folder.iterdir())
        assert (outcome.returncode == 0) == bool(names), outcome.stderr
        assert names or "No matching distribution" in outcome.stderr
        return names

    def codes(self, encoding: str = "utf-8") -> list[str]:
        own = read_own_settings({}, self.home, "linux", self.home / "root", encoding=encoding)
        return [finding.code for finding in lint(own, LintContext("linux"))]

    def mend(self) -> None:
        own = read_own_settings({}, self.home, "linux", self.home / "root", encoding="utf-8")
        for diff in propose(edits_of(lint(own, LintContext("linux")))):
            diff.path.write_bytes(diff.after)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "home")


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[IndexServer, IndexServer]]:
    for folder, project, version in (
        ("main", "lab", "1.0"),
        ("main", "torch", "2.14.1"),
        ("extra", "lab", "9.0"),
        ("extra", "torch", "2.14.1+cu118"),
    ):
        build_wheel(tmp_path / folder, project, version, {f"{project}/__init__.py": b""})
    with IndexServer(tmp_path / "main") as main, IndexServer(tmp_path / "extra") as extra:
        yield main, extra


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\xef\xbb\xbf[global]\ntimeout = 3\n", "file-mark"),
        pytest.param("[global]\n# 镜像\ntimeout = 3\n".encode("gbk"), "file-encoding", marks=by_locale),
        (b"timeout = 3\n", "file-syntax"),
        (b"[global]\na = 1\na = 2\n", "file-syntax"),
    ],
)
def test_pip_stops_at_these_files(desk: Desk, content: bytes, code: str) -> None:
    desk.write(content)
    assert desk.codes() == [code]
    assert desk.pip("config", "list", LC_ALL="C.UTF-8").returncode != 0
    desk.write(b"[global]\ntimeout = 3\n")
    assert desk.codes() == []
    assert desk.pip("config", "list", LC_ALL="C.UTF-8").returncode == 0


@by_locale
def test_other_letters_stop_pip_in_a_plain_locale(desk: Desk) -> None:
    desk.write("[global]\n# 镜像\ntimeout = 3\n")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert desk.codes(encoding="ascii") == ["file-encoding"]
    assert desk.pip("config", "list", **plain).returncode != 0
    assert desk.codes(encoding="utf-8") == []
    assert desk.pip("config", "list", LC_ALL="C.UTF-8").returncode == 0


def test_a_comment_becomes_part_of_the_value(desk: Desk) -> None:
    desk.write("[global]\nindex-url = https://mirrors.ustc.edu.cn/pypi/simple # campus\n")
    assert desk.codes() == ["inline-comment"]
    assert "index-url='https://mirrors.ustc.edu.cn/pypi/simple # campus'" in desk.pip("config", "list").stdout
    desk.mend()
    assert "index-url='https://mirrors.ustc.edu.cn/pypi/simple'" in desk.pip("config", "list").stdout


def test_the_highest_version_of_any_index_wins(desk: Desk, servers: tuple[IndexServer, IndexServer]) -> None:
    """foreign-index and torch-index-other: pip has no order of indexes."""
    main, extra = servers
    desk.write(f"[global]\nindex-url = {main.simple}\nextra-index-url = {extra.simple}\n")
    assert desk.got("lab") == ["lab-9.0-py3-none-any.whl"]


def test_a_foreign_variant_wins_among_equals(desk: Desk, servers: tuple[IndexServer, IndexServer]) -> None:
    main, extra = servers
    desk.write(f"[global]\nindex-url = {main.simple}\nextra-index-url = {extra.simple}\n")
    assert desk.got("torch==2.14.1") == ["torch-2.14.1+cu118-py3-none-any.whl"]


def test_uv_keeps_to_the_first_index(desk: Desk, servers: tuple[IndexServer, IndexServer], tmp_path: Path) -> None:
    """Why a private index beside a public one is no finding for uv, and unsafe-best-match is one."""
    main, extra = servers
    arguments = [
        str(paths.uv_executable()),
        "pip",
        "compile",
        "-q",
        "--no-header",
        "--no-annotate",
        "-",
        "--default-index",
        extra.simple,
        "--index",
        main.simple,
        "--python",
        sys.executable,
        "--cache-dir",
        str(tmp_path / "uv"),
    ]
    (desk.home).mkdir()
    environment = desk.environment(UV_NO_CONFIG="1")
    for strategy, expected in (("first-index", "lab==1.0"), ("unsafe-best-match", "lab==9.0")):
        said = subprocess.run(
            [*arguments, "--index-strategy", strategy],
            input="lab\n",
            env=environment,
            text=True,
            capture_output=True,
            timeout=120,
            check=True,
        )
        assert said.stdout.split() == [expected]


def test_a_listing_is_no_index(desk: Desk, servers: tuple[IndexServer, IndexServer]) -> None:
    main, _ = servers
    desk.write(f"[global]\nindex-url = {main.flat}\n")
    assert desk.got("lab") == []
    desk.write(f"[global]\nno-index = true\nfind-links = {main.flat}\n")
    assert desk.got("lab") == ["lab-1.0-py3-none-any.whl"]


def test_plain_http_is_passed_over_without_a_request(desk: Desk) -> None:
    """Nothing is sent: the test would hang on a name that no server has."""
    desk.write("[global]\nindex-url = http://lab.example/simple\n")
    assert desk.codes() == ["plain-http"]
    outcome = desk.pip("download", "--no-deps", "lab")
    assert outcome.returncode != 0
    assert "not a trusted or secure host" in outcome.stderr + outcome.stdout


def test_no_index_and_no_folder_is_no_source(desk: Desk, servers: tuple[IndexServer, IndexServer]) -> None:
    main, _ = servers
    desk.write(f"[global]\nindex-url = {main.simple}\nno-index = true\n")
    assert desk.codes() == ["no-index"]
    assert desk.got("lab") == []
    desk.mend()
    assert desk.got("lab") == ["lab-1.0-py3-none-any.whl"]


def test_use_mirrors_does_nothing(desk: Desk, servers: tuple[IndexServer, IndexServer]) -> None:
    main, extra = servers
    desk.write(f"[global]\nindex-url = {main.simple}\nuse-mirrors = true\nmirrors = {extra.simple}\n")
    assert desk.codes() == ["use-mirrors", "use-mirrors"]
    assert desk.got("lab") == ["lab-1.0-py3-none-any.whl"]


def test_which_place_wins_is_what_pip_debug_says(desk: Desk) -> None:
    desk.write("[global]\nindex-url = https://a.example/s\n[install]\nindex-url = https://b.example/s\n")
    assert desk.codes() == ["contradiction"]
    said = desk.pip("config", "debug", PIP_INDEX_URL="https://c.example/s").stdout
    assert str(desk.file) in said
    assert "PIP_INDEX_URL='https://c.example/s'" in said


def test_target_sends_packages_away(desk: Desk, servers: tuple[IndexServer, IndexServer], tmp_path: Path) -> None:
    main, _ = servers
    target = tmp_path / "elsewhere"
    desk.write(f"[global]\nindex-url = {main.simple}\ntarget = {target}\n")
    assert desk.codes() == ["elsewhere"]
    assert desk.pip("install", "-q", "--no-deps", "lab").returncode == 0
    assert any(path.name.startswith("lab-1.0") for path in target.iterdir())
