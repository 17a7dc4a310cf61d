"""Taking what was offered: whole and checked, or nothing; from the next start on; and back."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from filelock import FileLock

from tests.servers.fault_server import Faults
from tests.undo.noting import in_a_child, posix
from tests.update.conftest import DOCUMENT, Maker, next_start, say
from tests.waiting import HANG
from wizard.app.update.offer import ask
from wizard.app.update.take import missing_bytes, take, take_back
from wizard.app.use import settings
from wizard.classroom.profile.signature import ENDING
from wizard.compatibility.data.load import load_matrix, parse_policy
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import text
from wizard.model.table_update import in_use_file, tables_dir, updates_dir
from wizard.system import paths

POLICY = "/2/policy.toml"


def taken(maker: Maker, timeouts: tuple[float, float] = (30.0, 60.0)) -> None:
    client = maker.client(timeouts)
    take(client, ask(client, maker.source()))


def python_of(folder: Path) -> str:
    return parse_policy((folder / "policy.toml").read_text(encoding="utf-8")).default_python


def newer_python(folder: Path) -> None:
    path = folder / "policy.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('"3.12"', '"3.13"', 1), encoding="utf-8", newline="")


def test_the_next_start_reads_them_and_this_one_does_not(maker: Maker) -> None:
    maker.publish(2, newer_python)
    before = tables_dir()
    taken(maker)
    assert tables_dir() == before == paths.matrices_dir(), "in the middle of its work a program changes no table"
    now = next_start()
    assert (now.version, now.left_out, now.folder) == (2, "", updates_dir() / "2")
    assert (python_of(before), python_of(now.folder)) == ("3.12", "3.13")
    assert load_matrix(now.folder).releases == load_matrix(before).releases
    assert (now.folder / "update.json").read_bytes() == maker.served(DOCUMENT), "with its signature, for who asks later"
    assert (now.folder / ("update.json" + ENDING)).is_file()


def test_only_what_is_not_here_is_fetched(maker: Maker) -> None:
    maker.publish(2)
    offered = ask(maker.client(), maker.source())
    assert missing_bytes(offered) == len(maker.served(POLICY))
    taken(maker)
    assert maker.server.requests(POLICY) == 1
    assert maker.server.requests("/2/gpus.csv") == 0


def test_a_table_that_the_document_does_not_name_is_the_programs_own(maker: Maker) -> None:
    maker.publish(2)
    maker.publish_document(tables={})
    taken(maker)
    assert next_start().version == 2
    assert (next_start().folder / "gpus.csv").read_bytes() == (paths.matrices_dir() / "gpus.csv").read_bytes()


@pytest.mark.parametrize(
    ("faults", "code"),
    [
        (Faults(wrong_byte=10), "update-altered"),
        (Faults(html=True), "update-altered"),
        (Faults(end_after=100, says_length=False), "update-altered"),
        (Faults(end_after=100), "source-offline"),
        (Faults(drop_after=100), "source-offline"),
        (Faults(stall_after=100), "source-timeout"),
        (Faults(status=404), "source-status"),
        (Faults(redirect="http://example.org/policy.toml"), "source-insecure"),
    ],
)
def test_a_table_that_is_not_what_was_signed_changes_nothing(maker: Maker, faults: Faults, code: str) -> None:
    maker.publish(2)
    maker.faulty(POLICY, faults)
    with pytest.raises(WizardError) as caught:
        taken(maker, (30.0, 1.0 if faults.stall_after else 60.0))
    assert caught.value.code == code
    assert nothing_is_left()
    maker.faulty(POLICY, Faults())
    taken(maker)
    assert next_start().version == 2


def nothing_is_left() -> bool:
    """Neither tables, nor half of them, nor a change to take back."""
    kept = {path.name for path in updates_dir().iterdir()} - {"seen.json", "lock"}
    return next_start().update is None and not kept and settings.changes() == ()


def test_a_table_without_an_end_is_left(maker: Maker) -> None:
    maker.publish(2)
    maker.faulty(POLICY, Faults(says_length=False), data=bytes(200_000_000))
    with pytest.raises(WizardError) as caught:
        taken(maker)
    assert caught.value.code == "update-altered"
    assert maker.server.sent[POLICY] < 100_000_000
    assert nothing_is_left()


@pytest.mark.parametrize(
    ("table", "words", "named"),
    [
        ("policy.toml", "stray = 1\n", "stray"),
        ("policy.toml", "[[[\n", "policy"),
        ("gpus.csv", "10de:ffff,only two cells\n", "gpus"),
        ("releases.csv", "2.15.0,2026-01-01,,,,high,x,2026-01\n", "releases"),
        ("builds.csv", "\udcff", "utf-8"),
        ("lint.toml", '[[option]]\nfile = "x"\n', "lint"),
    ],
)
def test_what_the_checked_loader_refuses_is_not_taken_though_it_is_signed(
    maker: Maker, table: str, words: str, named: str
) -> None:
    maker.publish(2)
    data = maker.served(f"/2/{table}") + words.encode("utf-8", "surrogateescape")
    maker.server.add(f"/2/{table}", data)
    maker.publish_document(tables={table: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}})
    with pytest.raises(WizardError) as caught:
        taken(maker)
    assert caught.value.code == "update-refused"
    assert named in str(caught.value)
    assert nothing_is_left()


def test_the_maintainers_script_makes_nothing_of_unsound_tables(maker: Maker) -> None:
    with pytest.raises(ValueError, match="policy.*stray"):
        maker.publish(2, say("policy.toml", "stray = 1\n"))


def test_one_by_one_they_are_taken_and_taken_back(maker: Maker) -> None:
    for number in (2, 3):
        maker.publish(number)
        taken(maker)
        assert next_start().version == number
    take_back()
    assert next_start().version == 2
    take_back()
    assert next_start().update is None
    with pytest.raises(UsageError) as caught:
        take_back()
    assert caught.value.code == "update-none"
    assert ask(maker.client(), maker.source()).state == "newer", "and what was taken back may be taken again"
    taken(maker)
    assert next_start().version == 3


def test_after_going_back_an_older_one_is_still_refused(maker: Maker) -> None:
    maker.publish(2)
    older = {path: maker.served(path) for path in (DOCUMENT, DOCUMENT + ENDING)}
    maker.publish(3)
    taken(maker)
    take_back()
    for path, data in older.items():
        maker.server.add(path, data)
    with pytest.raises(WizardError) as caught:
        taken(maker)
    assert caught.value.code == "update-older"


def test_undo_knows_it(maker: Maker) -> None:
    maker.publish(2)
    taken(maker)
    (change,) = settings.changes()
    assert text(change.reason, "en").startswith("newer tables, number 2 of 20")
    assert settings.undo_diffs(change)[0].path == str(in_use_file())
    settings.undo(settings.to_undo(None))
    assert next_start().update is None
    assert not in_use_file().exists()


def test_a_list_that_somebody_edited_is_let_be_by_undo(maker: Maker) -> None:
    maker.publish(2)
    taken(maker)
    in_use_file().write_text("{}", encoding="utf-8")
    (change,) = settings.changes()
    settings.undo_diffs(change)
    settings.undo(change)
    assert in_use_file().read_text(encoding="utf-8") == "{}"
    assert next_start().update is None


@pytest.mark.parametrize("harm", ["edited", "shorter", "gone", "stray", "folder"])
def test_damaged_tables_do_not_count_and_come_anew(maker: Maker, harm: str) -> None:
    maker.publish(2)
    taken(maker)
    path = updates_dir() / "2" / "gpus.csv"
    if harm == "edited":
        path.write_bytes(path.read_bytes().replace(b"10de", b"10df", 1))
    elif harm == "shorter":
        path.write_bytes(path.read_bytes()[:-50])
    elif harm == "gone":
        path.unlink()
    elif harm == "stray":
        path.with_name("stray.csv").write_bytes(b"")
    else:
        path.parent.rename(path.parent.with_name("elsewhere"))
    assert (next_start().left_out, next_start().folder, next_start().version) == (
        "damaged",
        paths.matrices_dir(),
        None,
    )
    taken(maker)
    assert next_start().version == 2
    take_back()
    assert next_start().update is None, "one change, though they came twice"


def test_another_version_of_the_program_reads_its_own_tables(maker: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    maker.publish(2)
    taken(maker)
    monkeypatch.setattr("wizard.model.table_update.__version__", "98.0")
    assert (next_start().left_out, next_start().folder) == ("program", paths.matrices_dir())
    assert ask(maker.client(), maker.source()).state == "newer", "asked again, they are checked again"


def test_two_do_not_take_at_once(maker: Maker) -> None:
    maker.publish(2)
    updates_dir().mkdir(parents=True)
    with FileLock(updates_dir() / "lock"), pytest.raises(WizardError) as caught:
        taken(maker)
    assert caught.value.code == "update-busy"


def test_a_home_that_cannot_be_written_is_told(maker: Maker) -> None:
    maker.publish(2)
    updates_dir().parent.mkdir(parents=True, exist_ok=True)
    updates_dir().write_text("in the way", encoding="utf-8")
    with pytest.raises(WizardError) as caught:
        taken(maker)
    assert caught.value.code == "state-not-writable"


@posix
def test_a_full_disk_is_told_as_that(maker: Maker) -> None:
    """A real limit of the system on the size of files: the write breaks off in the middle."""
    maker.publish(2)

    def take_it() -> object:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        return taken(maker)

    assert in_a_child(take_it) == "update-no-room"
    assert not in_use_file().exists()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nobody is killed like that here")
def test_a_kill_in_the_middle_leaves_the_old_ones_and_the_next_try_ends(maker: Maker) -> None:
    maker.publish(2)
    maker.faulty(POLICY, Faults(stall_after=100))
    command = [sys.executable, "-m", "wizard", "--lang", "en", "update", "--yes"]
    with subprocess.Popen(command, env=dict(os.environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        until = time.monotonic() + HANG
        while not maker.server.requests(POLICY):
            assert child.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        child.kill()
    assert next_start().update is None
    maker.faulty(POLICY, Faults())
    taken(maker)
    assert next_start().version == 2
    assert not (updates_dir() / ".fresh").exists()
