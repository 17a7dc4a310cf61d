"""`setup --host` and those who lie: addresses that are none, and a computer that is a stranger's or answers as none."""

from __future__ import annotations

import contextlib
import json
import shlex
import signal
import subprocess
import sys

import psutil
import pytest

from tests.line.host.conftest import Box
from tests.tools import needs
from tests.waiting import wait_until
from wizard.app.host import FarHost, host_named
from wizard.model.errors import UsageError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the computer far away is a Linux"),
    needs("/usr/sbin/sshd", "ssh", "ssh-keygen", "xz"),
]


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
