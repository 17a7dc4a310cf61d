"""`setup --host`: a real sshd on loopback, with its own port, keys and settings, and the real worker behind it."""

from __future__ import annotations

import contextlib
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
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest

from tests.classroom.profile.known import make_official
from tests.line.world import ROOT, SITE, World
from tests.tools import needs, path_of
from tests.waiting import wait_until
from wizard.app.bring import sent
from wizard.app.host import FarHost, host_named
from wizard.model.errors import UsageError
from wizard.model.messages import bytes_text

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
    assert f"({bytes_text(len(whole) - 1_500_000)})" in done.stderr, "only what is missing goes"

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
    said = "shows another key than" if who == "other computer" else "ssh does not get to box"
    assert (refused.returncode, said in refused.stderr) == (1, True), refused.stderr
    assert not (box.home / "program").exists()


@pytest.mark.parametrize("option", ["--pack", "--class", "--label", "--serve-after"])
def test_what_is_about_a_class_in_this_room_does_not_go_along(box: Box, option: str) -> None:
    refused = box.typed(*box.setup(option, "7"))
    assert (refused.returncode, f"{option} does not go with --host" in refused.stderr) == (2, True), refused.stderr


def test_a_project_is_read_here_and_only_what_it_declares_goes(box: Box) -> None:
    project = box.folder / "it's mine"
    project.mkdir()
    (project / "requirements.txt").write_text("torch\npadding-a==1.0\n-r more/extra.txt\n-e ./lib\n")
    (project / "more").mkdir()
    (project / "more" / "extra.txt").write_text("numpy==2.2.0\n")
    ran = box.folder / "ran"
    (project / "setup.py").write_text(f"open({str(ran)!r}, 'w')\nfrom setuptools import setup\nsetup()\n")
    for name in (".env", "model.py", "data.bin"):
        (project / name).write_text("not to be carried anywhere")
    asked = box.setup("--project", str(project), "--name", "demo")
    refused = box.typed(*asked)
    assert (refused.returncode, "--relax numpy" in refused.stderr) == (2, True), refused.stderr
    strict = box.typed(*asked, "--strict")
    assert strict.returncode == 1, strict.stderr
    done = box.typed(*asked, "--relax", "numpy")
    assert done.returncode == 0, done.stderr
    assert "what it needs go to box (3)" in done.stderr
    assert "-m pip install --no-deps -e FOLDER/lib" in done.stderr, "the code is not there"
    assert (box.home / "envs" / "demo" / SITE / "padding_a").is_dir()
    assert not (box.home / "sent").exists()
    assert not ran.exists(), "nothing of it was run"


def test_a_profile_is_read_here(box: Box) -> None:
    make_official(box.world)
    here = replace(box.world, channel=None).sources
    lesson = box.folder / "lesson.torchlab"
    made = box.world.run("profile", "make", "--name", "demo", "-o", str(lesson), *here)
    assert made.returncode == 0, made.stderr
    asked = ("setup", "--host", "box", "--archive", str(box.archive), "--profile", str(lesson), "--yes", "--events")
    done = box.typed(*asked)
    assert done.returncode == 0, done.stderr
    assert events(done.stdout)[-1]["event"] == "run-finished"
    assert (box.home / "envs" / "demo").is_dir()
    assert not (box.home / "sent").exists()
    again = box.typed(*asked)
    assert [one["event"] for one in events(again.stdout)] == ["unchanged"], again.stderr
    lesson.write_text(lesson.read_text()[:-40])
    bad = box.typed(*asked)
    assert (bad.returncode, bad.stdout) == (2, ""), bad.stderr


def test_files_go_whole_and_are_taken_away(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "PATH"):
        monkeypatch.setenv(name, box.environment[name])
    files = {"-p/it's.txt": b"a\0b", "-p/新/x.toml": b""}
    with sent(host_named("box"), files) as place:
        found = {str(path.relative_to(place)): path.read_bytes() for path in Path(place).rglob("*") if path.is_file()}
        assert found == files
        assert all(path.stat().st_mode & 0o077 == 0 for path in Path(place).rglob("*.txt"))
    assert not (box.home / "sent").exists()


@pytest.mark.parametrize(
    "address",
    [
        "box",
        "user@box",
        "user@192.0.2.7",
        "ssh://user@box:2222",
        "gpu-7.example.org",
        "gpu_box",
        "user@::1",
        "ssh://user@[::1]:22",
    ],
)
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
        "ssh://::1",
        "[::1]",
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


# What a stranger's computer says, by what is asked of it: the look at it, the plan, the run, the report.
STRANGER = r"""
import json, os, sys, time
asked, told = os.environ.get("SSH_ORIGINAL_COMMAND", ""), json.loads(open(sys.argv[1]).read())
kind = (
    "look" if "uname" in asked else "report" if "report.json" in asked
    else "plan" if "-only" in asked or "--dry-run" in asked else "run"
)
sys.stdout.write(told.get(kind, ""))
sys.stderr.write(told.get("error", ""))
sys.exit(told.get(f"{kind}-status", 0))
"""
THERE = "hello from .bashrc\ntorch-setup:\nLinux x86_64\nthere\n"
PLANNED = '{"event": "planned", "run": "r1"}\n'


def line(event: str, seq: int, **data: object) -> str:
    return json.dumps({"schema": 1, "event": event, "seq": seq, "time": 1.0, "run": "r1", **data}) + "\n"


END = line("run-finished", 9, status=0)


def be_a_stranger(box: Box, **told: object) -> None:
    (box.folder / "stranger.py").write_text(STRANGER)
    (box.folder / "told.json").write_text(json.dumps({"look": THERE, "plan": PLANNED, "run": END, **told}))
    command = shlex.join((sys.executable, str(box.folder / "stranger.py"), str(box.folder / "told.json")))
    config = box.folder / "sshd_config"
    if "ForceCommand" not in config.read_text():
        box.stop()
        config.write_text(config.read_text() + f"ForceCommand {command}\n")
        box.start()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("Linux riscv64\n", "no Linux that this program could be brought to (Linux riscv64)"),
        ("FreeBSD amd64\n", "(FreeBSD amd64)"),
        ("Linux aarch64\n", "made for x86_64"),
        ("Linux x86_64\nlacks xz\n", "has no xz"),
        ("Linux x86_64\nclosed /home/me\n", "/home/me on box may not be written"),
        ("Linux x86_64\nnoexec /srv/me\n", "run from /srv/me on box: its disk is mounted with noexec"),
        ("Linux x86_64\npart -5\nroom 1000\n", "wants 0.01 GB"),
    ],
)
def test_what_could_not_work_is_said_before_anything_goes(box: Box, told: str, said: str) -> None:
    be_a_stranger(box, look=f"hello\ntorch-setup:\n{told}")
    refused = box.typed(*box.setup())
    assert (refused.returncode, said in refused.stderr, "Bringing" in refused.stderr) == (1, True, False), refused


def test_a_folder_that_cannot_be_made_is_no_fault_of_the_line(box: Box) -> None:
    config = box.folder / "sshd_config"
    home = f'"TORCH_WIZARD_HOME={box.home}"'
    assert home in config.read_text()
    box.stop()
    config.write_text(config.read_text().replace(home, '"TORCH_WIZARD_HOME=/dev/null/no"'))
    box.start()
    refused = box.typed(*box.setup())
    assert refused.returncode == 1
    assert "ssh does not get" not in refused.stderr
    assert "/dev" in refused.stderr


@pytest.mark.parametrize(
    "run",
    [
        line("step-started", 1) + line("progress", 2, step="fetch", unit="bytes", done="x", total={}) + END,
        line("notice", 1, message={"key": "x", "sentence": "{a:>99999999999}", "params": {"a": "b"}}) + END,
        '{"schema":1,"event":"notice","seq":1e999,"time":1,"run":"r1"}\n' + "[" * 100_000 + "\n[1]\nnull\n" + END,
        line("notice", 1, message={"key": "x", "text": "\x1b]0;mine\x07\u202e"})
        + line("run-finished", 9, status=0, report=1),
    ],
)
def test_events_of_a_stranger_do_no_harm(box: Box, run: str) -> None:
    be_a_stranger(box, run=run, error="\x1b[2J\x9bm\n", report='torch-setup:\n{"verification": [1], "error": 5}')
    done = box.typed("setup", "--host", "box", "--yes")
    assert (done.returncode, "mistake of its own" in done.stderr) == (0, False), done.stderr
    assert not set(done.stderr) & {"\x1b", "\x07", "\x9b", "\u202e"}


@pytest.mark.parametrize("plan", ["", "[" * 100_000, '{"event": "planned", "run": "r1; id #"}\n', "no JSON\n"])
def test_who_does_not_answer_as_this_program_is_not_taken_for_done(box: Box, plan: str) -> None:
    be_a_stranger(box, plan=plan)
    refused = box.typed("setup", "--host", "box", "--yes")
    assert (refused.returncode, "is not what this program says there" in refused.stderr) == (1, True), refused.stderr
    assert "id #" not in refused.stderr


@pytest.mark.parametrize(("status", "exit_code"), [(77, 1), ("x", 1), (None, 1), (3, 3)])
def test_an_end_of_a_stranger(box: Box, status: object, exit_code: int) -> None:
    be_a_stranger(box, run=line("run-finished", 1, status=status))
    assert box.typed("setup", "--host", "box", "--yes").returncode == exit_code


def is_stranger_asked() -> bool:
    for each in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if "stranger.py" in " ".join(each.cmdline()):
                return True
    return False


def test_ctrl_c_is_heard_while_the_program_is_brought(box: Box) -> None:
    be_a_stranger(box)
    (box.folder / "stranger.py").write_text("import time\ntime.sleep(600)\n")
    program = box.begun("setup", "--host", "box", "--yes")
    wait_until(lambda: len(box.sessions()) > 0)
    wait_until(is_stranger_asked)
    program.send_signal(signal.SIGINT)
    _, err = program.communicate(timeout=60)
    assert program.returncode == 130, err
