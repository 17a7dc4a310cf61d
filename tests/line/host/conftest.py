"""The computer far away: a real sshd on loopback, with its own port, keys and settings."""

from __future__ import annotations

import contextlib
import getpass
import io
import os
import random
import shlex
import socket
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.line.world import ROOT, World
from tests.tools import path_of
from tests.waiting import wait_until

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
            with socket.socket() as sock, contextlib.suppress(OSError):
                sock.settimeout(1.0)
                sock.connect(("127.0.0.1", self.port))
                return sock.recv(4) == b"SSH-"  # a port that nobody serves may be reached from that very port
            return False

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
