"""`setup --host`: a real sshd on loopback, with its own port, keys and settings, and the real worker behind it."""

from __future__ import annotations

import getpass
import io
import json
import os
import random
import shlex
import signal
import socket
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.line.world import ROOT, SITE, World
from tests.tools import needs, path_of
from tests.waiting import wait_until
from wizard.app.host import FarHost, host_named
from wizard.model.errors import UsageError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the computer far away is a Linux"),
    needs("/usr/sbin/sshd", "ssh", "ssh-keygen", "xz"),
]
SSHD = "/usr/sbin/sshd"


@dataclass
class Box:
    """The computer far away is `world`; `here` is the person's own. Both are this one, with a home each."""

    world: World
    folder: Path
    port: int
    sshd: subprocess.Popen[bytes] | None = None

    @property
    def archive(self) -> Path:
        return self.folder / "TorchSetup-linux-x86_64.tar.xz"

    @property
    def home(self) -> Path:
        return self.world.home / "state"

    @property
    def brought(self) -> list[str]:
        return sorted(path.name for path in (self.home / "program").glob("*"))

    def start(self) -> None:
        with (self.folder / "sshd.log").open("ab") as log:
            command = [SSHD, "-D", "-e", "-f", str(self.folder / "sshd_config")]
            self.sshd = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=log)

        def answers() -> bool:
            assert self.sshd is not None
            assert self.sshd.poll() is None, (self.folder / "sshd.log").read_text()
            with socket.socket() as sock:
                return sock.connect_ex(("127.0.0.1", self.port)) == 0

        wait_until(answers)

    def sessions(self) -> list[psutil.Process]:
        """The processes of sshd that hold the lines: what runs behind them is not among them."""
        assert self.sshd is not None
        found = []
        for process in psutil.Process(self.sshd.pid).children(recursive=True):
            try:
                if process.name().startswith("sshd"):
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def cut(self) -> None:
        """Every line that is open now."""
        for process in self.sessions():
            try:
                process.kill()
            except psutil.Error:
                continue

    def stop(self) -> None:
        if self.sshd is not None:
            self.cut()
            self.sshd.kill()
            self.sshd.wait()
            self.sshd = None

    @property
    def environment(self) -> dict[str, str]:
        own = {"TORCH_WIZARD_HOME": str(self.folder / "here"), "HOME": str(self.folder / "user")}
        return {**self.world.environment, **own, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}

    def typed(self, *words: str) -> subprocess.CompletedProcess[str]:
        program = self.begun(*words)
        out, err = program.communicate(timeout=600)
        return subprocess.CompletedProcess(words, program.returncode, out, err)

    def begun(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "wizard", "--lang", "en", *words],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def setup(self, *more: str) -> tuple[str, ...]:
        return ("setup", "--host", "box", "--archive", str(self.archive), "--yes", *more, *self.world.sources)


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def key(path: Path) -> None:
    subprocess.run([path_of("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)


def pack(archive: Path) -> None:
    """A program like the one that is handed out: its launcher starts the program of this copy."""
    start = f'#!/bin/sh\nexec env PYTHONPATH={shlex.quote(str(ROOT))} {shlex.quote(sys.executable)} -m wizard "$@"\n'
    files = {"torch-wizard": start.encode(), "data.bin": random.Random(1).randbytes(2_000_000)}
    with tarfile.open(archive, "w:xz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(f"TorchSetup/{name}")
            info.size, info.mode = len(data), 0o755
            tar.addfile(info, io.BytesIO(data))


@pytest.fixture
def box(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    folder = tmp_path_factory.mktemp("box")
    port = free_port()
    for name in ("host", "user-key", "stranger"):
        key(folder / name)
    (folder / "authorized").write_bytes((folder / "user-key.pub").read_bytes())
    there = {
        name: value
        for name, value in world.environment.items()
        if name.startswith("TORCH_") or name in ("HOME", "PIP_CONFIG_FILE")
    }
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder / 'host'}\nAuthorizedKeysFile {folder / 'authorized'}\n"
        "PidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n"
        "SetEnv " + " ".join(f'"{name}={value}"' for name, value in there.items()) + "\n"
    )
    public = " ".join((folder / "host.pub").read_text().split()[:2])
    (folder / "known").write_text(f"[127.0.0.1]:{port} {public}\n")
    (folder / "ssh_config").write_text(
        f"Host box stranger\nHostName 127.0.0.1\nPort {port}\nUser {getpass.getuser()}\nIdentitiesOnly yes\n"
        f"IdentityFile {folder / 'user-key'}\nUserKnownHostsFile {folder / 'known'}\nStrictHostKeyChecking ask\n"
    )
    (folder / "bin").mkdir()
    (folder / "user").mkdir()
    ssh = folder / "bin" / "ssh"  # it reads the settings of the account, not of HOME
    ssh.write_text(f'#!/bin/sh\nexec {path_of("ssh")} -F {folder / "ssh_config"} "$@"\n')
    ssh.chmod(0o755)
    pack(folder / "TorchSetup-linux-x86_64.tar.xz")
    if os.geteuid() == 0:  # sshd of root wants an empty folder of its own
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    made = Box(world, folder, port)
    made.start()
    try:
        yield made
    finally:
        made.stop()
        world.kill_all(but=os.getpid())


def events(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_the_whole_job_there_and_nothing_here(box: Box) -> None:
    prefix = box.world.home / "it's $HOME; a place"
    done = box.typed(*box.setup("--prefix", str(prefix)))
    assert done.returncode == 0, done.stderr
    assert "Bringing the program to box (2.0 MB)" in done.stderr
    assert "✓" in done.stderr
    assert (prefix / SITE / "torch" / "__init__.py").is_file()
    assert not (box.folder / "here" / "runs").exists(), "nothing was planned or made on this side"
    assert len(box.brought) == 2, box.brought
    assert "current" in box.brought
    again = box.typed(*box.setup("--prefix", str(prefix), "--if-missing"))
    assert (again.returncode, "Bringing" in again.stderr) == (0, False), again.stderr
    refused = box.typed("setup", "--host", "box", "--yes", "--prefix", str(prefix), *box.world.sources)
    assert (refused.returncode, "✗" in refused.stderr) == (2, True), "the reason from there, in a sentence"


def test_a_dry_run_shows_the_plan_and_a_refusal_needs_no_archive(box: Box) -> None:
    none = box.typed("setup", "--host", "box", "--dry-run", *box.world.sources)
    assert (none.returncode, "--archive" in none.stderr) == (2, True)
    assert not (box.home / "program").exists()
    shown = box.typed(*box.setup("--dry-run", "--name", "demo", "--events"))
    assert shown.returncode == 0, shown.stderr
    assert [one["event"] for one in events(shown.stdout)] == ["planned"]
    assert not (box.home / "envs").exists()
    nobody = box.typed("setup", "--host", "box", "--name", "demo", *box.world.sources)
    assert (nobody.returncode, "--yes" in nobody.stderr) == (2, True)


def test_a_cut_line_is_gone_back_to_and_nothing_is_told_twice(box: Box) -> None:
    program = box.begun(*box.setup("--name", "demo", "--events"))
    assert program.stdout is not None
    said = []
    for line in program.stdout:
        said.append(line)
        if json.loads(line)["event"] == "run-started":
            break
    box.cut()
    out, err = program.communicate(timeout=600)
    assert program.returncode == 0, err
    assert "going back there" in err
    told = [one for one in events("".join(said) + out) if one["event"] not in ("planned", "progress")]
    assert told[-1]["event"] == "run-finished"
    numbers = [one["seq"] for one in told]
    assert numbers == sorted(set(numbers)), "one worker, one voice"
    assert (box.home / "envs" / "demo").is_dir()


def test_a_computer_that_is_gone_goes_on_and_is_resumed(box: Box) -> None:
    program = box.begun(*box.setup("--name", "demo", "--events"))
    assert program.stdout is not None
    for line in program.stdout:
        if json.loads(line)["event"] == "run-started":
            break
    box.stop()
    _, err = program.communicate(timeout=600)
    assert program.returncode == 1, err
    assert "torch-wizard resume --host box" in err
    box.start()
    done = box.typed("resume", "--host", "box")
    assert done.returncode == 0, done.stderr
    assert (box.home / "envs" / "demo").is_dir()
    assert "PyTorch" in done.stderr, "and what the result is"


def test_ctrl_c_cancels_there(box: Box) -> None:
    program = box.begun(*box.setup("--name", "demo", "--events"))
    assert program.stdout is not None
    for line in program.stdout:
        if json.loads(line)["event"] == "run-started":
            break
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=600)
    assert events(out)[-1]["event"] == "run-finished", err
    assert program.returncode == 130, err


def test_a_transfer_that_was_cut_goes_on_where_it_was(box: Box) -> None:
    whole = box.archive.read_bytes()
    box.typed(*box.setup("--dry-run", "--name", "demo"))
    digest = next(name for name in box.brought if name != "current")
    program = box.home / "program"
    (program / digest / "torch-wizard").unlink()
    (program / f"{digest}.part").write_bytes(whole[:1_500_000])
    done = box.typed(*box.setup("--dry-run", "--name", "demo"))
    assert done.returncode == 0, done.stderr
    assert f"({(len(whole) - 1_500_000) / 1e6:.1f} MB)" in done.stderr, "only what is missing goes"

    (program / digest / "torch-wizard").unlink()
    (program / f"{digest}.part").write_bytes(bytes(1_500_000))
    altered = box.typed(*box.setup("--dry-run", "--name", "demo"))
    assert (altered.returncode, "not the archive that was sent" in altered.stderr) == (1, True)
    assert not (program / f"{digest}.part").exists()
    assert box.typed(*box.setup("--dry-run", "--name", "demo")).returncode == 0


@pytest.mark.parametrize("who", ["unknown computer", "other computer", "other key", "nobody there"])
def test_who_is_not_known_is_not_believed(box: Box, who: str) -> None:
    known = box.folder / "known"
    if who == "unknown computer":
        known.write_text("")
    elif who == "other computer":
        known.write_text(known.read_text().split(" ")[0] + " " + (box.folder / "stranger.pub").read_text())
    elif who == "other key":
        (box.folder / "authorized").write_bytes((box.folder / "stranger.pub").read_bytes())
    else:
        box.stop()
    refused = box.typed(*box.setup("--name", "demo"))
    assert (refused.returncode, "ssh does not get to box" in refused.stderr) == (1, True), refused.stderr
    assert not (box.home / "program").exists()


def test_files_of_this_side_do_not_go_along(box: Box) -> None:
    refused = box.typed(*box.setup("--profile", "class.torchlab"))
    assert (refused.returncode, "--profile does not go with --host" in refused.stderr) == (2, True)


@pytest.mark.parametrize("address", ["box", "user@box", "user@192.0.2.7", "ssh://user@box:2222", "gpu-7.example.org"])
def test_addresses(address: str) -> None:
    made = host_named(address)
    assert made.request("true").argv[-2] == address
    assert made.request("true").argv[-3] == "--"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "-oProxyCommand=x",
        "user@-box",
        "a b",
        "$(id)",
        "box;id",
        "box:2222",
        "a@b@c",
        "`id`",
        "box\n",
        "ssh://",
        "-",
    ],
)
def test_what_ssh_could_take_for_something_else_is_refused(address: str) -> None:
    with pytest.raises(UsageError) as caught:
        host_named(address)
    assert caught.value.code == "host-bad"


def test_words_reach_the_other_side_as_they_are() -> None:
    words = ("it's", "$HOME", "a  b", "`id`", "\\", '"', "*", "新", "")
    request = FarHost("box", "ssh").request('for w in "$@"; do printf "%s|" "$w"; done', *words)
    said = subprocess.run(["/bin/sh", "-c", request.argv[-1]], capture_output=True, check=True, encoding="utf-8")
    assert said.stdout == "|".join(words) + "|"
