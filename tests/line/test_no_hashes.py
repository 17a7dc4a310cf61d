"""A whole setup from indexes that promise no hash, with ranges and without, and killed on the way."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.line.world import PYTHON, World
from tests.servers.mirror_server import MirrorServer, Ways
from tests.waiting import wait_until
from wizard.run.report.text import render_text
from wizard.system.paths import MATRICES_VARIABLE, matrices_dir

PLAIN = Ways(json=False, hashes=False)


@dataclass
class Lab:
    world: World
    packages: MirrorServer
    torch: MirrorServer

    @property
    def setup(self) -> tuple[str, ...]:
        sources = ("--index", self.packages.simple, "--torch-index", self.torch.simple)
        return ("setup", "--name", "demo", "--engine", "venv", "--python", PYTHON, *sources)

    @property
    def state(self) -> Path:
        return self.world.home / "state"

    def be(self, ways: Ways) -> None:
        for server in (self.packages, self.torch):
            server.ways = ways
            server.forget()

    def wheels(self) -> dict[str, Path]:
        return {path.name: path for server in (self.packages, self.torch) for path in server.wheels()}

    def whole(self) -> set[str]:
        """What this computer has, packed or unpacked."""
        kept = {path.name for path in self.state.glob("store/[0-9a-f]*/*.whl")}
        # Not rglob: before Python 3.13 it raises when the program takes a folder away meanwhile.
        coming = {name for _, _, names in os.walk(self.state / "downloads") for name in names if name.endswith(".whl")}
        return kept | coming

    def asked(self) -> set[str]:
        """Whose bytes were asked for, more than the one that tells the size."""
        lines = [*self.packages.asked, *self.torch.asked]
        return {path.rpartition("/")[2] for path, part in lines if path.startswith("/files/") and part != "bytes=0-0"}

    def sent(self) -> int:
        return self.packages.files_sent() + self.torch.files_sent()

    def report(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads((self.world.runs()[-1] / "report.json").read_text(encoding="utf-8"))
        return document

    def kill_all(self) -> None:
        for process in self.world.processes():
            if process.pid != os.getpid():
                with suppress(psutil.NoSuchProcess):
                    process.send_signal(signal.SIGKILL)
        wait_until(lambda: not self.world.processes())


@pytest.fixture
def lab(world: World, wheels: Path, tmp_path: Path) -> Iterator[Lab]:
    """The tables know nothing of the stand-ins."""
    tables = tmp_path / "tables"
    shutil.copytree(matrices_dir(), tables)
    hashes = tables / "wheel_hashes.csv"
    hashes.write_text(hashes.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    with ExitStack() as stack:
        packages, torch = (stack.enter_context(MirrorServer(wheels / name, PLAIN)) for name in ("packages", "torch"))
        yield Lab(replace(world, more={MATRICES_VARIABLE: str(tables)}), packages, torch)


def check_done(lab: Lab) -> None:
    """Every file is what the server has, and the report says that its hash was only computed."""
    report = lab.report()
    assert report["outcome"] == "done", report["error"]
    assert len(report["files"]) == 7
    words = render_text(report, "en")
    for file in report["files"]:
        assert file["sha256"] == hashlib.sha256(lab.wheels()[file["name"]].read_bytes()).hexdigest()
        assert (file["promised_by"], file["here"]) == (None, True)
        assert f"{file['name']}: promised by nobody, only computed: {file['sha256']}" in words
    assert "as promised" not in words


def test_without_ranges_it_is_seen_and_comes_once(lab: Lab) -> None:
    lab.be(replace(PLAIN, knows_ranges=False))
    planned = lab.world.run(*lab.setup, "--dry-run", "--events")
    assert planned.returncode == 0, planned.stderr
    events = [json.loads(line) for line in planned.stdout.splitlines()]
    shown = {event["detail"] for event in events if event["event"] == "progress" and event["step"] == "resolve"} - {""}
    assert shown  # ten times a second at most, so not every file is told
    assert shown <= lab.whole()
    assert len(lab.whole()) == 7
    for name in lab.whole():
        assert planned.stderr.count(f"so this one comes whole now, and is kept: {name}") == 1
    size = sum(lab.wheels()[name].stat().st_size for name in lab.whole())
    assert events[-1]["event"] == "planned"
    assert events[-1]["here_bytes"] == events[-1]["download_bytes"] == size
    assert "To be downloaded: 0 B at most" in planned.stderr
    assert "Here already, and not downloaded again: 18 MB (packages: 7)" in planned.stderr
    lab.be(lab.torch.ways)
    done = lab.world.run(*lab.setup, "--yes")
    assert done.returncode == 0, done.stderr
    assert lab.asked() == set()
    assert "no source promises their checksums" in done.stderr
    assert "the others" not in done.stderr
    assert lab.sent() == 0
    check_done(lab)


def test_with_ranges_only_the_ends_are_read_before_the_download(lab: Lab) -> None:
    planned = lab.world.run(*lab.setup, "--dry-run")
    assert planned.returncode == 0, planned.stderr
    assert lab.sent() < 400_000
    assert "To be downloaded: 18 MB at most" in planned.stderr
    lab.be(PLAIN)
    done = lab.world.run(*lab.setup, "--yes")
    assert done.returncode == 0, done.stderr
    assert lab.sent() < sum(lab.wheels()[name].stat().st_size for name in lab.whole()) + 400_000
    check_done(lab)


@pytest.mark.slow
@pytest.mark.parametrize("knows_ranges", [False, True], ids=["no-ranges", "ranges"])
def test_killed_in_the_middle_it_goes_on(lab: Lab, knows_ranges: bool) -> None:
    """While resolving without ranges, while downloading with them: what is whole is never asked for again."""
    lab.be(replace(PLAIN, knows_ranges=knows_ranges))
    running = lab.world.start(*lab.setup, "--yes", "--limit-rate", "1M")
    wait_until(lambda: len(lab.whole()) >= 3)
    assert running.poll() is None, running.communicate()
    lab.kill_all()
    running.communicate()
    whole, before = lab.whole(), lab.sent()
    assert 3 <= len(whole) < 7
    lab.be(lab.torch.ways)
    done = lab.world.run(*(("resume",) if knows_ranges else (*lab.setup, "--yes")))
    assert done.returncode == 0, done.stderr
    assert not whole & lab.asked()
    if knows_ranges:  # a second's worth, and what the sockets held
        assert before + lab.sent() < sum(lab.wheels()[name].stat().st_size for name in lab.whole()) + 8_000_000
    check_done(lab)


def test_of_a_run_that_fetched_nothing_no_file_is_as_promised(lab: Lab) -> None:
    lab.be(Ways())
    plan = json.loads(lab.world.run(*lab.setup, "--plan-only").stdout)["plan"]
    lab.be(Ways(refuses="files"))
    assert lab.world.run("run", plan).returncode == 1
    words = render_text(lab.report(), "en")
    assert "as promised" not in words
    assert "7 did not come" in words
