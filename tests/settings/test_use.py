"""`mirrors use` and `undo` whole: real files, the real pip and uv as judges, a conda that answers as recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.settings import readers
from tests.settings.world import Computer
from wizard.errors import UsageError, WizardError
from wizard.i18n import LANGUAGES, message, text
from wizard.mirrors.table import mirror_rows
from wizard.session import settings as use_cases
from wizard.settings.apply import propose
from wizard.settings.model import Edit, Tool
from wizard.settings.use import LASTING, conda_wish, pip_wish, rows_of, uv_wish
from wizard.settings.verify import Answer, verify
from wizard.undo.model import How

ROOT = Path(__file__).resolve().parents[2]
linux = pytest.mark.skipif(sys.platform == "win32", reason="folders and scripts of Linux")
PIP, UV, RC = ".config/pip/pip.conf", ".config/uv/uv.toml", ".condarc"
PACKAGES = next(row.address() for row in mirror_rows() if (row.kind, row.id) == ("pypi", "tuna"))
FORGE = next(row.address() for row in mirror_rows() if (row.kind, row.id) == ("conda-forge", "tuna"))
OLD = "https://old.example/simple"


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    return Computer(tmp_path / "home", {"PATH": os.environ["PATH"], "TORCH_WIZARD_HOME": str(tmp_path / "own-home")})


def use(computer: Computer, mirror: str, *kinds: str) -> use_cases.Used:
    return use_cases.use(use_cases.plan_use(mirror, kinds, computer.around), computer.around)


def answers(used: use_cases.Used) -> dict[Tool, Answer]:
    for check in used.checks:
        assert all(text(check.words, language) for language in LANGUAGES)
    return {check.tool: check.answer for check in used.checks}


def code_of(error: pytest.ExceptionInfo[WizardError]) -> str:
    assert all(text(error.value.summary, language) and text(error.value.hint, language) for language in LANGUAGES)
    return error.value.code


# --- the whole way


@linux
def test_pip_and_uv_say_what_was_written_and_undo_gives_every_byte_back(computer: Computer) -> None:
    before = b"# mine\r\n[global]\r\ntimeout = 7\r\n"
    path = computer.write(PIP, before)
    path.chmod(0o600)
    used = use(computer, "tuna")
    assert answers(used) == {Tool.PIP: Answer.CONFIRMED, Tool.UV: Answer.CONFIRMED}
    assert readers.read_pip(path.read_bytes()) == {"global.timeout": "7", "global.index-url": PACKAGES}
    assert path.stat().st_mode & 0o777 == 0o600
    assert PACKAGES in computer.pip("config", "get", "global.index-url")
    assert not (computer.home / RC).exists()
    assert used.change
    done = use_cases.undo(used.change)
    assert [file.how for file in done.files] == [How.RESTORED, How.REMOVED]
    assert path.read_bytes() == before
    assert not (computer.home / ".config" / "uv").exists()


@linux
def test_official_takes_the_setting_out(computer: Computer) -> None:
    computer.write(PIP, f"[global]\nindex-url = {OLD}\ntimeout = 3\n[install]\nindex-url = {OLD}\n")
    computer.write(UV, f"index-url = '{OLD}'\n[pip]\nindex-url = '{OLD}'\nstrict = true\n")
    computer.write(RC, "custom_channels: {conda-forge: https://old.example}\nchannels: [conda-forge]\n")
    used = use(computer, "official")
    assert answers(used) == {Tool.PIP: Answer.CONFIRMED, Tool.UV: Answer.CONFIRMED, Tool.CONDA: Answer.NOT_ASKED}
    assert readers.read_pip((computer.home / PIP).read_bytes()) == {"global.timeout": "3"}
    assert readers.read_uv((computer.home / UV).read_bytes()) == {"pip": {"strict": True}}
    assert readers.read_conda((computer.home / RC).read_bytes()) == {"channels": ["conda-forge"]}
    again = use_cases.plan_use("official", (), computer.around)
    assert again.diffs == ()


@linux
def test_a_variable_makes_it_count_for_nothing_and_that_is_said(computer: Computer) -> None:
    computer.environ.update(PIP_INDEX_URL=OLD, UV_DEFAULT_INDEX="https://me:hunter2@corp.example/s")
    plan = use_cases.plan_use("tuna", ("packages",), computer.around)
    assert [notice.params["variable"] for notice in plan.notices] == ["PIP_INDEX_URL", "UV_DEFAULT_INDEX"]
    used = use_cases.use(plan, computer.around)
    assert answers(used) == {Tool.PIP: Answer.DIFFERS, Tool.UV: Answer.DIFFERS}
    assert "hunter2" not in "".join(text(check.words) for check in used.checks)


@linux
def test_other_options_of_the_same_file_that_win_are_set_too(computer: Computer) -> None:
    computer.write(PIP, f"[install]\nindex-url = {OLD}\n")
    computer.write(UV, f"[pip]\nindex-url = '{OLD}'\n")
    assert answers(use(computer, "tuna")) == {Tool.PIP: Answer.CONFIRMED, Tool.UV: Answer.CONFIRMED}
    assert OLD.encode() not in (computer.home / PIP).read_bytes() + (computer.home / UV).read_bytes()


@linux
def test_a_file_that_pip_itself_cannot_read_is_said(computer: Computer) -> None:
    """Bytes of another system's encoding are kept, and pip's own complaint is handed on."""
    computer.environ["LC_ALL"] = "C.UTF-8"
    path = computer.write(PIP, "# 镜像\n[global]\n".encode("gbk"))
    used = use(computer, "tuna", "packages")
    assert answers(used)[Tool.PIP] is Answer.DIFFERS
    assert path.read_bytes().startswith("# 镜像\n".encode("gbk"))


def test_further_indexes_go_on_being_asked_and_that_is_said(computer: Computer) -> None:
    sound = "[[index]]\nurl = 'https://a.example/simple'\n"
    for content, is_told in (
        ("[[index]]\nurl = 'https://a.example/simple'\nexplicit = true\n", False),
        (f"[[index]]\nurl = '{OLD}'\ndefault = true\n", False),
        (sound, True),
        ("extra-index-url = ['https://a.example/simple']\n", True),
        ("[pip]\nextra-index-url = ['https://a.example/simple']\n", True),
    ):
        place = computer.write(UV, content)
        notices = use_cases.plan_use("tuna", ("packages",), computer.around).notices
        assert [notice.params["path"] for notice in notices] == [str(place)] * is_told
        assert all("further indexes" in text(notice, "en") for notice in notices)


# --- what is left alone


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (PIP, "[global]\nindex-url = https://me:hunter2@corp.example/simple\n"),
        (PIP, "[global]\nindex-url = https://corp.example/simple\n"),  # its password is in .netrc
        (UV, "[[index]]\nurl = 'https://corp.example/simple'\ndefault = true\n"),
        (UV, "[[index]]\nurl = 'https://x.example'\ndefault = true\nauthenticate = 'always'\n"),
        (UV, "[[index]]\nurl = 'https://x.example'\ndefault = true\nname = 'my-corp'\n"),
        (RC, "custom_channels:\n  conda-forge: https://corp.example/t/to-ken/x\n"),
        (RC, "custom_channels:\n  conda-forge: https://corp.example/x\n"),
    ],
)
def test_a_private_source_is_left_alone_and_so_are_all_files(computer: Computer, path: str, content: str) -> None:
    computer.write(".netrc", "machine corp.example login me password pw\n").chmod(0o600)
    computer.environ["UV_INDEX_MY_CORP_PASSWORD"] = "pw"
    place = computer.write(path, content)
    for mirror in ("tuna", "official"):
        with pytest.raises(WizardError) as error:
            use_cases.plan_use(mirror, (), computer.around)
        assert code_of(error) == "settings-secret"
    assert place.read_text() == content
    assert use_cases.changes() == ()


def test_a_login_in_a_file_that_is_not_understood_counts_too(computer: Computer) -> None:
    """Python's reader stumbles over the whole file; uv's may not."""
    computer.write(".netrc", "machine corp.example login me password pw\nrubbish here\n").chmod(0o600)
    place = computer.write(UV, "[[index]]\nurl = 'https://corp.example/simple'\ndefault = true\n")
    with pytest.raises(WizardError) as error:
        use_cases.plan_use("tuna", (), computer.around)
    assert code_of(error) == "settings-secret"
    place.write_text("[[index]]\nurl = 'https://other.example/simple'\ndefault = true\n")
    assert use_cases.plan_use("tuna", ("packages",), computer.around).diffs


def test_only_sources_that_serve_everything_last(computer: Computer) -> None:
    for mirror, kinds, code in (
        ("nowhere", (), "settings-no-mirror"), ("nju", (), "settings-no-mirror"),
        ("sjtu", ("torch",), "settings-not-lasting"), ("tuna", ("miniforge",), "settings-not-lasting"),
        ("aliyun", ("conda",), "settings-no-mirror"),
    ):  # fmt: skip
        with pytest.raises(UsageError) as error:
            use_cases.plan_use(mirror, kinds, computer.around)
        assert code_of(error) == code


@pytest.mark.parametrize("row", [row for row in mirror_rows() if row.kind in LASTING.values()], ids=lambda row: row.id)
def test_every_known_mirror_can_be_used(tmp_path: Path, row: object) -> None:
    computer = Computer(tmp_path / "home")
    kind = next(kind for kind, name in LASTING.items() if name == row.kind)  # type: ignore[attr-defined]
    rows = rows_of(row.id, (kind,))  # type: ignore[attr-defined]
    assert list(rows) == [kind]
    plan = use_cases.plan_use(row.id, (kind,), computer.around)  # type: ignore[attr-defined]
    assert bool(plan.diffs) == (row.id != "official")  # type: ignore[attr-defined]
    assert all(diff.after.isascii() for diff in plan.diffs)  # pip reads its files in the system's encoding


# --- conda


SOURCES = """#!{python}
import json, pathlib, sys
log = pathlib.Path({log!r})
log.write_text((log.read_text() if log.exists() else "") + " ".join(sys.argv[1:]) + "\\n")
if sys.argv[1] == "config":
    import ruamel.yaml
    rc = pathlib.Path({rc!r})
    own = ruamel.yaml.YAML(typ="safe", pure=True).load(rc.read_text())
    rest = {{"cmd_line": {{"json": True}}, "envvars": {{"solver": "classic"}}}}
    print(json.dumps({{str(rc): own, **json.loads({more!r}), **rest}}))
sys.exit({status})
"""


def install_conda(computer: Computer, more: str = "{}", status: int = 0) -> Path:
    """Prints what `conda config --show-sources --json` printed on a real computer, with this home's file in it."""
    log = computer.home / "conda-log"
    script = SOURCES.format(python=sys.executable, log=str(log), rc=str(computer.home / RC), more=more, status=status)
    computer.write("bin/conda", script).chmod(0o755)
    computer.environ["PATH"] = f"{computer.home / 'bin'}:{computer.environ['PATH']}"
    return log


@linux
def test_conda_is_led_to_the_mirror_asked_and_its_lists_cleaned(computer: Computer) -> None:
    log = install_conda(computer)
    used = use(computer, "tuna", "conda")
    assert answers(used) == {Tool.CONDA: Answer.CONFIRMED}
    parent = FORGE.removesuffix("/conda-forge")
    assert readers.read_conda((computer.home / RC).read_bytes()) == {
        "custom_channels": {"conda-forge": parent}, "channels": ["conda-forge"]
    }  # fmt: skip
    assert log.read_text().splitlines() == ["config --show-sources --json", "clean --index-cache --yes"]
    assert [words.key for words in used.after] == ["settings-file.cleaned"]
    again = use(computer, "tuna", "conda")
    assert (again.change, again.after) == (None, ())


@linux
def test_a_stronger_conda_file_is_found_by_conda_itself(computer: Computer) -> None:
    install_conda(computer, json.dumps({"/opt/conda/.condarc": {"custom_channels": {"conda-forge": OLD}}}))
    assert answers(use(computer, "tuna", "conda")) == {Tool.CONDA: Answer.DIFFERS}


@linux
def test_a_conda_that_fails_is_not_believed(computer: Computer) -> None:
    install_conda(computer, status=1)
    used = use(computer, "tuna", "conda")
    assert [words.key for words in used.after] == ["settings-file.not-cleaned"]


def test_the_users_own_channels_stay(computer: Computer) -> None:
    computer.write(RC, "channels:\n  - https://me:hunter2@corp.example/x\n  - bioconda\n")
    wish = conda_wish(FORGE, computer.around)
    assert [edit.key for edit in wish.edits] == ["custom_channels.conda-forge"]
    assert [notice.key for notice in wish.notices] == ["settings-file.forge-not-used"]
    assert "hunter2" not in str(wish.notices)
    computer.write(RC, "channels: [bioconda, conda-forge]\n")
    assert conda_wish(FORGE, computer.around).notices == ()


# --- a uv that speaks in other words


@linux
def test_a_uv_that_says_it_in_another_form_is_checked_by_reading(computer: Computer) -> None:
    from wizard.process import Outcome, Request, run

    def mute(request: Request) -> Outcome:
        argv = tuple(part for part in request.argv if part != "--show-settings")
        return run(Request(argv, request.cwd, request.environment, timeout=60))

    wish = uv_wish(OLD, computer.around)
    for diff in propose(wish.edits):
        computer.write(diff.path, diff.after)
    assert verify(wish, computer.around, mute).answer is Answer.READ
    computer.write(UV, "index-url = 'https://other.example'\n")
    assert verify(wish, computer.around, mute).answer is Answer.DIFFERS
    computer.write(UV, "no-such-key = 1\n")
    assert verify(wish, computer.around, mute).answer is Answer.DIFFERS


@linux
def test_without_any_python_pip_is_not_asked(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.paths.is_frozen", lambda: True)
    computer.environ["PATH"] = str(computer.home)
    assert verify(pip_wish(OLD, computer.around), computer.around).answer is Answer.NOT_ASKED


# --- edited in between


@linux
def test_the_users_later_edits_stay_and_what_they_changed_of_ours_is_said(computer: Computer) -> None:
    computer.write(PIP, f"[global]\nindex-url = {OLD}\n")
    computer.write(UV, "offline = false\n")
    used = use(computer, "tuna", "packages")
    assert used.change
    pip, uv = computer.home / PIP, computer.home / UV
    pip.write_bytes(pip.read_bytes() + b"retries = 9  \n")
    uv.write_bytes(uv.read_bytes().replace(PACKAGES.encode(), b"https://mine.example"))
    done = use_cases.undo(used.change)
    assert [(file.how, file.left) for file in done.files] == [(How.TAKEN_OUT, ()), (How.LEFT, ("index",))]
    assert pip.read_bytes() == f"[global]\nindex-url = {OLD}\nretries = 9  \n".encode()
    assert b"https://mine.example" in uv.read_bytes()


def test_an_entry_that_was_given_another_address_gets_its_own_back(computer: Computer) -> None:
    path = computer.write(UV, f"[[index]]\nname = 'x'\nurl = '{OLD}'\n")
    change = use_cases.door.apply(
        propose([Edit(Tool.UV, path, f"index[{OLD}]", PACKAGES)]), message("settings-file.reason.use", id="x")
    )
    path.write_bytes(path.read_bytes() + b"# later\n")
    assert use_cases.undo(change).files[0].how is How.TAKEN_OUT
    assert readers.read_uv(path.read_bytes()) == {"index": [{"name": "x", "url": OLD}]}


# --- the command line


def line(computer: Computer, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "wizard", "--lang", "en", *arguments], cwd=ROOT, env=computer.environ,
        capture_output=True, text=True, encoding="utf-8", timeout=120, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@linux
@pytest.mark.slow
def test_the_command_line(computer: Computer) -> None:
    computer.write(PIP, "[global]\nextra-index-url = https://me:hunter2@corp.example/simple\n")
    asked = line(computer, "mirrors", "use", "tuna")
    assert (asked.returncode, "--yes" in asked.stderr) == (2, True)
    assert not (computer.home / UV).exists()
    used = line(computer, "mirrors", "use", "tuna", "--yes")
    assert used.returncode == 0, used.stderr
    assert f"+index-url = {PACKAGES}" in used.stdout
    assert "extra-index-url" in used.stderr
    listed = line(computer, "undo", "list", "--json")
    (change,) = json.loads(listed.stdout)["changes"]
    assert [file["path"] for file in change["files"]] == [str(computer.home / PIP), str(computer.home / UV)]
    assert [file["keys"] for file in change["files"]] == [["global.index-url"], ["index"]]
    assert line(computer, "undo", "--yes").returncode == 0
    assert not (computer.home / UV).exists()
    twice = line(computer, "undo", change["id"], "--yes")
    assert (twice.returncode, "already" in twice.stderr) == (2, True)
    said = "".join(done.stdout + done.stderr for done in (asked, used, listed, twice))
    assert "hunter2" not in said
    assert "Traceback" not in said


@linux
@pytest.mark.slow
def test_the_next_start_settles_what_a_kill_left(computer: Computer, tmp_path: Path) -> None:
    path = computer.write(PIP, "[global]\ntimeout = 3\n")
    assert line(computer, "mirrors", "use", "tuna", "--yes").returncode == 0
    record = tmp_path / "own-home" / "undo" / "1" / "record.json"
    record.write_text(record.read_text().replace('"written"', '"prepared"'))
    (computer.home / UV).unlink()  # as if the kill had come between the two files
    (tmp_path / "own-home" / "undo" / "unfinished").touch()
    started = line(computer, "undo", "list")
    assert "taken back" in started.stderr
    assert path.read_text() == "[global]\ntimeout = 3\n"
    assert "taken back" not in line(computer, "undo", "list").stderr


def test_a_tool_is_asked_with_the_users_own_variables(computer: Computer) -> None:
    """Not with ours, which hide them; and pip decodes its files as it does for the user, not as our children do."""
    from wizard.process import Outcome, Request

    asked: list[Request] = []

    def note(request: Request) -> Outcome:
        asked.append(request)
        return Outcome(request, 0, "", "", 0.0)

    computer.environ.update(PIP_PROXY="http://p", UV_OFFLINE="1", LD_PRELOAD="x")
    verify(pip_wish(None, computer.around), computer.around, note)
    verify(uv_wish(None, computer.around), computer.around, note)
    environments = [dict(request.environment or {}) for request in asked]
    assert (environments[0]["PIP_PROXY"], environments[0]["PYTHONUTF8"]) == ("http://p", "0")
    assert "UV_OFFLINE" not in environments[0]
    assert environments[1]["UV_OFFLINE"] == "1"
    assert not any("LD_PRELOAD" in environment for environment in environments)
    assert all(environment["HOME"] == str(computer.home) for environment in environments)
