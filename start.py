"""Starts Torch Setup from a copy of its source: `python3 start.py [arguments]`, `python3 start.py test [pytest's]`.

Makes `.venv` beside this file, installs the project and the system packages it needs, then hands over. What is
done is noted in `.venv/start/`, so a second start costs a few file reads. Standard library only; no syntax newer
than Python 3.6, so that an older Python gets a sentence instead of a SyntaxError. Everything said here goes to
stderr: stdout belongs to the program. One file on purpose: Pythons that are too old to read the project's modules run
it, before anything is installed.
"""

import contextlib
import ctypes
import errno
import hashlib
import importlib.util
import json
import locale
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

OLDEST = (3, 10)
ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
NOTES = VENV / "start"
STAMP, LOG, LOCK = NOTES / "stamp.json", NOTES / "log.txt", NOTES / "lock"

TEXT = {  # key: (English, Chinese). Errors: one sentence of cause, one of what to do.
    "old": (
        "Torch Setup needs Python 3.10 or newer, and this is Python {have}. Start it with a newer one.",
        "Torch Setup 需要 Python 3.10 或更新版本，而这是 Python {have}。请用更新的 Python 启动。",
    ),
    "venv": ("Making the Python environment {path}", "正在创建 Python 环境 {path}"),
    "program": ("Installing the program and what it needs (about 130 MB)", "正在安装程序及其依赖（约 130 MB）"),
    "looking": ("looking for what it needs", "正在查找依赖"),
    "fetching": ("downloading, {done} MB so far", "正在下载，已下载 {done} MB"),
    "placing": ("putting the files in their place", "正在放置文件"),
    "packages": ("Putting in system packages: {names}", "正在安装系统软件包：{names}"),
    "by_hand": (
        "System packages are missing. Please run this line once:\n  {line}",
        "缺少系统软件包。请运行一次下面这行命令：\n  {line}",
    ),
    "waiting": ("Another start is preparing this folder; waiting for it.", "另一个启动正在准备此文件夹，请稍候。"),
    "no_display": (
        "There is no display here, so the setup runs in this terminal.",
        "这里没有图形界面，因此在终端中运行安装。",
    ),
    "no_window": (
        "Without these packages the window cannot open, so the setup runs in this terminal.",
        "缺少这些软件包时无法打开窗口，因此在终端中运行安装。",
    ),
    "stopped": ("Stopped.", "已停止。"),
    "log": ("The whole output is in {path}", "完整输出见 {path}"),
    "close": ("Press Enter to close.", "按回车键关闭。"),
    "network": (
        "The packages could not be fetched: the network or the package source did not answer. "
        "Check the connection, proxy or pip settings, then start again.",
        "无法下载软件包：网络或软件源没有响应。请检查网络、代理或 pip 设置，然后重新启动。",
    ),
    "space": (
        "There is no space left for {path} or in the temporary folder. Free about 1 GB, then start again.",
        "{path} 所在磁盘或临时文件夹空间不足。请腾出约 1 GB，然后重新启动。",
    ),
    "read_only": (
        "The folder {path} cannot be written to. Copy the project to a folder of your own and start there.",
        "无法写入文件夹 {path}。请把项目复制到您自己的文件夹，再从那里启动。",
    ),
    "no_tests": (
        "Without these packages the tests cannot run. Run the line above, then start again.",
        "缺少这些软件包时无法运行测试。请运行上面的命令，然后重新启动。",
    ),
    "no_venv": (
        "This Python cannot make environments (its venv module is not installed). Run the line above, or start "
        "with another Python.",
        "此 Python 无法创建环境（未安装 venv 模块）。请运行上面的命令，或换用其他 Python。",
    ),
    "unpublished": (
        "Your package source has no build of a needed package for this Python and system. "
        "Use a 64-bit Python 3.10 to 3.14, or another source in pip's settings.",
        "软件源中没有适用于此 Python 和系统的必需软件包。请使用 64 位 Python 3.10 至 3.14，或在 pip 设置中更换软件源。",
    ),
    "failed": (
        "{what} ended with an error. Read the end of the log; deleting {path} and starting again begins afresh.",
        "{what} 出错结束。请查看日志末尾；删除 {path} 后重新启动即可从头开始。",
    ),
}


def chinese() -> bool:
    names = [os.environ.get(name) for name in ("TORCH_WIZARD_LANG", "LC_ALL", "LC_MESSAGES", "LANG")]
    named = next(filter(None, names), "")
    if not named and sys.platform == "win32":
        named = locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")
    return named.lower().startswith("zh")


def sentence(key: str, **blanks: object) -> str:
    return TEXT[key][chinese()].format(**blanks)


if sys.version_info < OLDEST:
    sys.stderr.write(sentence("old", have=sys.version.split()[0]) + "\n")
    sys.exit(2)

BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
# -I: no PYTHONPATH, no user site, no module of the folder we happen to be in
PIP = (str(PYTHON), "-I", "-X", "utf8", "-m", "pip")
MODULES = "Lib/site-packages/*" if os.name == "nt" else "lib/python*/site-packages/*"
MINOR = "{}.{}".format(*sys.version_info)
# A requirement is met by any of its names; the first that apt knows is asked for (…t64: Debian 13, Ubuntu 24.04).
PACKAGES = {
    "window": (
        "libgl1",
        "libegl1",
        "libglib2.0-0|libglib2.0-0t64",
        "libxkbcommon0",
        "libdbus-1-3",
        "libfontconfig1",
        "libgssapi-krb5-2",
        "libxcb-cursor0",
        "libxcb-icccm4",
        "libxcb-keysyms1",
        "libxcb-shape0",
        "libxkbcommon-x11-0",
    ),
    # Of the CJK fonts the smallest download: 2 MB, where fonts-noto-cjk has 57.
    "font": ("fonts-wqy-microhei|fonts-noto-cjk|fonts-wqy-zenhei|fonts-droid-fallback|fonts-arphic-uming",),
    "display": ("xvfb", "xauth"),
    # Programs that tests run; a test whose program is missing is skipped (tests/tools.py).
    "tools": (
        "git",
        "binutils",
        "xz-utils",
        "openssl",
        "desktop-file-utils",
        # The system's own Python is frozen with its library, which is a package of its own.
        *((f"libpython{MINOR}|libpython{MINOR}t64",) if sys.base_prefix == "/usr" else ()),
    ),
}
LIBRARIES = (
    "libGL.so.1",
    "libEGL.so.1",
    "libglib-2.0.so.0",
    "libxkbcommon.so.0",
    "libdbus-1.so.3",
    "libfontconfig.so.1",
    "libgssapi_krb5.so.2",
    "libxcb-cursor.so.0",
    "libxkbcommon-x11.so.0",
)
OTHER_TOOLS = {
    "dnf": "dnf install libglvnd-glx libglvnd-egl glib2 libxkbcommon-x11 dbus-libs fontconfig xcb-util-cursor "
    "xcb-util-wm xcb-util-keysyms wqy-microhei-fonts",
    "pacman": "pacman -S --needed libglvnd glib2 libxkbcommon-x11 dbus fontconfig xcb-util-cursor xcb-util-wm "
    "xcb-util-keysyms wqy-microhei",
    "zypper": "zypper install Mesa-libGL1 Mesa-libEGL1 libglib-2_0-0 libxkbcommon-x11-0 libdbus-1-3 fontconfig "
    "libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 wqy-microhei-fonts",
}
CAUSES = (  # what pip says: our sentence
    (r"No space left|Errno 28|Errno 122|not enough space", "space"),
    (r"Permission denied|Read-only file system|Errno 13|Access is denied", "read_only"),
    (r"NewConnectionError|Retrying \(|ProxyError|ConnectionError|SSLError|[Tt]imed out|HTTP error [45]", "network"),
    (r"No matching distribution|not a supported wheel|requires a different Python", "unpublished"),
)


class Trouble(Exception):
    """Ends the start; `args` are the sentence's key and blanks."""


def cause(output: str) -> str:
    return next((key for pattern, key in CAUSES if re.search(pattern, output)), "failed")


def cause_of(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "space"
    return "read_only" if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) else "failed"


def has_display() -> bool:
    """The program's own rule (wizard/cli/window.py)."""
    unseen = os.environ.get("QT_QPA_PLATFORM") in ("offscreen", "vnc", "minimal")
    shown = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return sys.platform == "win32" or unseen or bool(shown)


def is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0


def wanted_parts(arguments: Sequence[str]) -> set[str]:
    if arguments[:1] == ["test"]:
        return {"program", "tests", "window", "font", "display", "tools"}
    window = has_display() if not arguments else arguments[0] == "window"
    return {"program", "window", "font"} if window or is_root() else {"program"}


def fingerprint() -> list[str]:
    """What the environment depends on: another Python or place means a new one."""
    return [MINOR, str(ROOT)]


def project_hash() -> str:
    return hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + repr(PACKAGES).encode()).hexdigest()


def modules() -> set[str]:
    """What is importable there. Names with a version change at every upgrade by the user, so they don't count."""
    names = {path.name for path in VENV.glob(MODULES)}
    return {name for name in names if "-" not in name and name != "__pycache__"}


def noted() -> dict[str, Any]:
    try:
        stamp = json.loads(STAMP.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def is_whole(stamp: dict[str, Any]) -> bool:
    """Whether the noted environment is still there, by looking only: no process is started."""
    try:
        home = re.search(r"^home *= *(.+)$", (VENV / "pyvenv.cfg").read_text("utf-8"), re.MULTILINE)
    except (OSError, ValueError):
        return False
    usable = home is not None and Path(home[1]).is_dir() and PYTHON.exists()
    return usable and stamp.get("tree") == fingerprint() and modules().issuperset(stamp.get("modules", ()))


def parts_done(stamp: dict[str, Any]) -> set[str]:
    return set(stamp["parts"]) if is_whole(stamp) and stamp.get("project") == project_hash() else set()


def write_stamp(parts: set[str]) -> None:
    stamp = {"tree": fingerprint(), "project": project_hash(), "parts": sorted(parts), "modules": sorted(modules())}
    fresh = STAMP.with_suffix(".new")
    fresh.write_text(json.dumps(stamp), "utf-8")
    fresh.replace(STAMP)


def installed_names(listing: str) -> set[str]:
    """From dpkg-query's lines of package and state."""
    lines = (line.split() for line in listing.splitlines())
    return {words[0] for words in lines if words[1:] == ["installed"]}


def known_names(policy: str) -> set[str]:
    """From `apt-cache policy`: the packages that have a candidate."""
    found = re.findall(r"^(\S+):\n  Installed: .*\n  Candidate: (.+)$", policy, re.MULTILINE)
    return {name for name, candidate in found if candidate != "(none)"}


def ask(*command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        env=dict(os.environ, LC_ALL="C"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def missing_packages(requirements: Sequence[str]) -> list[str]:
    names = [name for each in requirements for name in each.split("|")]
    present = installed_names(ask("dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n", *names).stdout)
    return [each for each in requirements if not present.intersection(each.split("|"))]


def choose_names(requirements: Sequence[str]) -> list[str]:
    """The name to ask apt for, of each requirement; "" where apt knows none."""
    names = [name for each in requirements for name in each.split("|")]
    known = known_names(ask("apt-cache", "policy", *names).stdout)
    return [next((name for name in each.split("|") if name in known), "") for each in requirements]


def rights() -> list[str] | None:
    """What goes before a command for root to run it; None: this user may not."""
    if is_root():
        return []
    return ["sudo", "-n"] if shutil.which("sudo") and ask("sudo", "-n", "true").returncode == 0 else None


def missing_libraries() -> bool:
    def loads(name: str) -> bool:
        with contextlib.suppress(OSError):
            return bool(ctypes.CDLL(name))
        return False

    return not all(map(loads, LIBRARIES))


def try_lock(handle: BinaryIO) -> bool:
    """False while another start holds it. A file system without locks counts as ours."""
    try:
        if sys.platform == "win32":
            import msvcrt

            handle.seek(0)
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    return True


def show(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def has_own_console() -> bool:
    """A double click on Windows opens one that closes with the program, before anybody has read what it said."""
    if sys.platform != "win32":
        return False
    count: int = ctypes.windll.kernel32.GetConsoleProcessList((ctypes.c_uint32 * 4)(), 4)
    return 0 < count <= 2  # py.exe and Python


@contextlib.contextmanager
def only_start() -> Iterator[BinaryIO]:
    NOTES.mkdir(parents=True, exist_ok=True)
    with LOCK.open("a+b") as lock:
        if not try_lock(lock):
            show(sentence("waiting"))
            while not try_lock(lock):
                time.sleep(0.2)
        yield lock


class Progress:
    """What is going on, as one line that is written anew; without a terminal a line for each thing that is done."""

    EXPECTED = 150  # MB that a first start downloads
    SIZE = re.compile(r"^ *Downloading .*\(([\d.]+) (kB|MB)\)|^Get:.*\[([\d.,]+) (kB|MB)\]")

    def __init__(self) -> None:
        self.done = 0.0  # MB whose download has begun
        self.shown = ""

    def read(self, line: str) -> None:
        """Follow a line of pip or apt."""
        size = self.SIZE.match(line)
        if size:
            self.done += float((size[1] or size[3]).replace(",", "")) / (1 if "MB" in size.groups() else 1000)
            self.show("fetching", min(0.8, self.done / self.EXPECTED), done=round(self.done))
        elif line.startswith(("Installing collected", "Setting up ")):
            self.show("placing", 0.85)
        elif line.startswith("Collecting") and not self.shown:
            self.show("looking", 0.02)

    def show(self, key: str, share: float, **blanks: object) -> None:
        words = sentence(key, **blanks)
        if sys.stderr.isatty():
            bar = "#" * round(24 * share)
            line = f"  [{bar:-<24}] {words}"
            sys.stderr.write("\r" + line.ljust(len(self.shown)))
            self.shown = line
        elif key != self.shown:
            show("  " + words)
            self.shown = key
        sys.stderr.flush()

    def end(self) -> None:
        if self.shown and sys.stderr.isatty():
            sys.stderr.write("\r" + " " * 2 * len(self.shown) + "\r")
        self.shown = ""


class Preparation:
    """What a first start does, told on stderr in short and in the log whole."""

    def __init__(self, log: BinaryIO, lock: BinaryIO) -> None:
        self.log = log
        self.lock = lock
        self.progress = Progress()

    def say(self, key: str, **blanks: object) -> None:
        show(sentence(key, **blanks))
        self.log.write((sentence(key, **blanks) + "\n").encode("utf-8", "replace"))

    def run(self, *command: str) -> str | None:
        """None when all went well, else what it printed. A child keeps our lock, should we be killed before it."""
        self.log.write(("$ " + " ".join(map(shlex.quote, command)) + "\n").encode("utf-8", "replace"))
        self.log.flush()
        keep = () if os.name == "nt" else (self.lock.fileno(),)
        environment = dict(
            os.environ, PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_INPUT="1", PIP_USER="0", PIP_ROOT_USER_ACTION="ignore"
        )
        with subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            pass_fds=keep,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as child:
            try:
                output = "".join(map(self._follow, child.stdout or ()))
            except KeyboardInterrupt:
                child.send_signal(signal.SIGTERM if os.name == "nt" else signal.SIGINT)
                raise
            finally:
                self.progress.end()
        return None if child.returncode == 0 else output

    def _follow(self, raw: bytes) -> str:
        self.log.write(raw)
        line = raw.decode("utf-8", "replace")
        self.progress.read(line)
        return line

    def put_in(self, requirements: Sequence[str]) -> bool:
        """System packages, where this user may; else the line to run. True when nothing is missing any more."""
        if not sys.platform.startswith("linux"):
            return True
        if not shutil.which("apt-get"):
            return self._name_for_others()
        missing = missing_packages(requirements)
        if not missing:
            return True
        before = rights()
        if before is not None and self._install([*before, "env", "DEBIAN_FRONTEND=noninteractive"], missing):
            return True
        names = choose_names(missing)
        likely = [name or each.split("|")[0] for name, each in zip(names, missing, strict=True)]
        line = "sudo apt-get install --no-install-recommends " + " ".join(likely)
        self.say("by_hand", line=line if all(names) else "sudo apt-get update && " + line)
        return False

    def _install(self, before: Sequence[str], missing: Sequence[str]) -> bool:
        apt = [*before, "apt-get", "-q", "-o", "DPkg::Lock::Timeout=120"]
        names = choose_names(missing)
        for is_retry in (False, True):
            if is_retry or not all(names):  # the lists are too old, or were never fetched
                self.run(*apt, "update")
                names = choose_names(missing)
            self.say("packages", names=" ".join(filter(None, names)))
            if self.run(*apt, "install", "-y", "--no-install-recommends", *filter(None, names)) is None:
                return True
        return False

    def _name_for_others(self) -> bool:
        line = next((line for tool, line in OTHER_TOOLS.items() if shutil.which(tool)), OTHER_TOOLS["dnf"])
        if not missing_libraries():
            return True
        self.say("by_hand", line="sudo " + line)
        return False

    def make_environment(self) -> None:
        """A new one, unless the one that lies here works. Our own notes stay: they hold the lock."""
        stamp = noted()
        # Without notes it is one that was interrupted, or the reader's own.
        if is_whole(stamp or {"tree": fingerprint()}) and self.run(*PIP, "--version") is None:
            return
        self.say("venv", path=VENV)
        for item in VENV.iterdir():
            if item != NOTES:
                shutil.rmtree(item) if item.is_dir() and not item.is_symlink() else item.unlink()
        # A venv of a venv is made by the Python behind both.
        maker = getattr(sys, "_base_executable", None) or sys.executable
        self.do("venv", maker, "-I", "-m", "venv", str(VENV))

    def do(self, what: str, *command: str) -> None:
        output = self.run(*command)
        if output is not None:
            raise Trouble(cause(output), {"what": what, "path": VENV})

    def prepare(self, missing: set[str]) -> set[str]:
        """Returns the parts that could be made."""
        packages = [name for part in sorted(missing) for name in PACKAGES.get(part, ())]
        has_venv = importlib.util.find_spec("ensurepip") is not None
        if not has_venv:
            packages.append("python" + MINOR + "-venv|python3-venv")
        complete = not packages or self.put_in(packages)
        if not has_venv and not complete:
            raise Trouble("no_venv", {})
        if missing & {"program", "tests"}:
            self.make_environment()
            self.say("program")
            self.do("pip", *PIP, "install", "pip>=22.3")  # older ones cannot install a project in place
            self.do("pip", *PIP, "install", "--editable", ".[test,freeze]" if "tests" in missing else ".")
        return missing if complete else {part for part in missing if not self.still_lacks(part)}

    def still_lacks(self, part: str) -> bool:
        return part in PACKAGES and (not shutil.which("dpkg-query") or bool(missing_packages(PACKAGES[part])))


def prepare_once(wanted: set[str]) -> set[str]:
    """The parts that are there afterwards. Another start may have made them while this one waited."""
    with only_start() as lock:
        done = parts_done(noted())
        if not wanted <= done:
            with LOG.open("wb") as log:
                done |= Preparation(log, lock).prepare(wanted - done)
            write_stamp(done)
    return done


def program(arguments: Sequence[str], window: bool) -> list[str]:
    """The command that was wanted; without arguments the window where it can open, else the same job as text."""
    if arguments[:1] == ["test"]:
        at_once = str(min(2 * (os.cpu_count() or 1), 8))  # most of them wait for a child or a server
        balanced = ["-n", at_once, "--dist", "worksteal"]  # nobody waits for the last long tests of another
        return [str(PYTHON), "-m", "pytest", *balanced, *(arguments[1:] or ["-m", "not slow"])]
    if not arguments and not window:
        show(sentence("no_window" if has_display() else "no_display"))
        arguments = ["setup"]
    return [str(PYTHON), "-I", "-m", "wizard", *arguments]


def hand_over(command: list[str], environment: dict[str, str]) -> int:
    if os.name != "nt":
        os.execve(command[0], command, environment)
    with subprocess.Popen(command, env=environment) as child:
        while True:
            # Ctrl+C reaches the program too, which ends in its own way.
            with contextlib.suppress(KeyboardInterrupt):
                return child.wait()


def main(arguments: Sequence[str]) -> int:
    wanted = wanted_parts(arguments)
    done = parts_done(noted())
    if not wanted <= done:
        done = prepare_once(wanted)
    environment = dict(os.environ)
    if arguments[:1] == ["test"]:
        if "window" not in done and missing_libraries():  # the tests load Qt before anything else
            raise Trouble("no_tests", {})
        os.chdir(ROOT)
        environment = {name: value for name, value in environment.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        if not has_display():
            environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    return hand_over(program(arguments, has_display() and "window" in done), environment)


def start() -> int:
    try:
        return main(sys.argv[1:])
    except KeyboardInterrupt:
        show(sentence("stopped"))
        return 130
    except Trouble as trouble:
        key, blanks = trouble.args
    except OSError as error:
        key, blanks = cause_of(error), {"what": str(error), "path": VENV}
    show(sentence(key, **blanks))
    if LOG.exists():
        show(sentence("log", path=LOG))
    if has_own_console():
        show(sentence("close"))
        sys.stdin.readline()
    return 1


if __name__ == "__main__":
    sys.exit(start())
