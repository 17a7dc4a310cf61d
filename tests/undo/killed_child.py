"""Does one thing with the journal in child after child, and kills each a touch of the file system later.

Not a test: `test_kill.py` runs it and looks at what lies in the folders afterwards. `<base>/<n>` is the world of
the child that was killed at its n-th touch; the last one of all came through. Without fork each child is a Python that
has to start, so that every tenth touch is tried, as a rule.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.thorough import times
from wizard.model.messages import message
from wizard.undo.journal import UndoJournal
from wizard.undo.model import FileChange, TakenOut, Write

WHY = message("settings-file.reason.source", id="example", name="example")
OLD, NEW = b"old\r\n# \xd6\xd0", b"new\n"
WANTED = (NEW, NEW, NEW, None)  # the last one is taken away
TOUCHES = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.chown", "os.utime", "os.truncate")
MOST = 400
STEP = times(1, 10) if sys.platform == "win32" else 1


def files(folder: Path) -> list[Path]:
    return [folder / "first", folder / "made" / "here" / "second", folder / "third", folder / "fourth"]


def prepare(folder: Path) -> None:
    folder.mkdir(parents=True)
    for path in (file for file in files(folder) if file.name != "second"):
        path.write_bytes(OLD)
        path.chmod(0o640)


def write(folder: Path) -> None:
    bases = [path.read_bytes() if path.exists() else None for path in files(folder)]
    UndoJournal(folder / "undo").write_all(
        [Write(path, new, base) for path, new, base in zip(files(folder), WANTED, bases, strict=True)], WHY
    )


def undo(folder: Path) -> None:
    UndoJournal(folder / "undo").undo(None, keep)


def recover(folder: Path) -> None:
    UndoJournal(folder / "undo").recover(keep)


def keep(file: FileChange, now: bytes) -> TakenOut:
    return TakenOut(None)


DEEDS = {"write": write, "undo": undo, "recover": recover}


def killed(deed: str, folder: Path, touches: int) -> bool:
    """Whether the child was killed before it was done."""
    if sys.platform == "win32":
        child = subprocess.run([sys.executable, "-m", "tests.undo.killed_child", deed, folder, str(touches)])
        assert child.returncode in (0, signal.SIGTERM)
        return child.returncode != 0
    pid = os.fork()
    if pid == 0:
        _die_at(folder, touches)
        DEEDS[deed](folder)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


def _die_at(folder: Path, touches: int) -> None:
    seen = 0

    def look(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if event in TOUCHES and str(folder) in str(arguments[0]):
            seen += 1
            if seen > touches:
                os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))  # on Windows the same

    sys.addaudithook(look)


def main(what: str, base: Path) -> None:
    for touches in range(0, MOST, STEP):
        folder = base / f"{touches:03}"
        prepare(folder)
        if what == "undo":
            write(folder)
        if what == "recover":
            assert killed("write", folder, int(os.environ["KILL_WRITE_AT"]))
        if not killed(what, folder, touches):
            return
    raise SystemExit("never came through")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        _die_at(Path(sys.argv[2]), int(sys.argv[3]))
        DEEDS[sys.argv[1]](Path(sys.argv[2]))
    else:
        main(sys.argv[1], Path(sys.argv[2]))
