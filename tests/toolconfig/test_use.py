"""A mirror for good, asked of the real pip and uv: written, checked, taken back; what is private is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.toolconfig import readers
from tests.toolconfig.using import OLD, PACKAGES, PIP, RC, UV, answers, by_locale, code_of, use
from tests.toolconfig.world import Computer
from wizard.app.use import settings as use_cases
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import message, text
from wizard.sources.table import mirror_rows
from wizard.toolconfig.edit import propose
from wizard.toolconfig.model import Edit, Tool
from wizard.toolconfig.use import LASTING, pip_request, rows_of, uv_request
from wizard.toolconfig.verify import ToolAnswer, verify
from wizard.undo.model import How


def test_pip_and_uv_say_what_was_written_and_undo_gives_every_byte_back(computer: Computer) -> None:
    before = b"# mine\r\n[global]\r\ntimeout = 7\r\n"
    path = computer.write(PIP, before)
    path.chmod(0o600)
    mode = path.stat().st_mode
    used = use(computer, "tuna")
    assert answers(used) == {Tool.PIP: ToolAnswer.CONFIRMED, Tool.UV: ToolAnswer.CONFIRMED}
    assert readers.read_pip(path.read_bytes()) == {"global.timeout": "7", "global.index-url": PACKAGES}
    assert path.stat().st_mode == mode
    assert PACKAGES in computer.pip("config", "get", "global.index-url")
    assert not (computer.home / RC).exists()
    assert used.change
    [kept] = use_cases.changes()
    assert "清华大学 TUNA" in text(kept.reason, "zh_CN"), "by the mirror's name, not by our word for it"
    done = use_cases.undo(used.change)
    assert [file.how for file in done.files] == [How.RESTORED, How.REMOVED]
    assert path.read_bytes() == before
    assert not (computer.home / UV).parent.exists()


def test_official_takes_the_setting_out(computer: Computer) -> None:
    computer.write(PIP, f"[global]\nindex-url = {OLD}\ntimeout = 3\n[install]\nindex-url = {OLD}\n")
    computer.write(UV, f"index-url = '{OLD}'\n[pip]\nindex-url = '{OLD}'\nstrict = true\n")
    computer.write(RC, "custom_channels: {conda-forge: https://old.example}\nchannels: [conda-forge]\n")
    used = use(computer, "official")
    assert answers(used) == {
        Tool.PIP: ToolAnswer.CONFIRMED,
        Tool.UV: ToolAnswer.CONFIRMED,
        Tool.CONDA: ToolAnswer.NOT_ASKED,
    }
    assert readers.read_pip((computer.home / PIP).read_bytes()) == {"global.timeout": "3"}
    assert readers.read_uv((computer.home / UV).read_bytes()) == {"pip": {"strict": True}}
    assert readers.read_conda((computer.home / RC).read_bytes()) == {"channels": ["conda-forge"]}
    again = use_cases.plan_use("official", (), computer.around)
    assert again.diffs == ()


def test_a_variable_makes_it_count_for_nothing_and_that_is_said(computer: Computer) -> None:
    computer.environ.update(PIP_INDEX_URL=OLD, UV_DEFAULT_INDEX="https://me:hunter2@corp.example/s")
    plan = use_cases.plan_use("tuna", ("packages",), computer.around)
    assert [notice.params["variable"] for notice in plan.notices] == ["PIP_INDEX_URL", "UV_DEFAULT_INDEX"]
    used = use_cases.use(plan, computer.around)
    assert answers(used) == {Tool.PIP: ToolAnswer.DIFFERS, Tool.UV: ToolAnswer.DIFFERS}
    assert "hunter2" not in "".join(text(check.words) for check in used.checks)


def test_other_options_of_the_same_file_that_win_are_set_too(computer: Computer) -> None:
    computer.write(PIP, f"[install]\nindex-url = {OLD}\n")
    computer.write(UV, f"[pip]\nindex-url = '{OLD}'\n")
    assert answers(use(computer, "tuna")) == {Tool.PIP: ToolAnswer.CONFIRMED, Tool.UV: ToolAnswer.CONFIRMED}
    assert OLD.encode() not in (computer.home / PIP).read_bytes() + (computer.home / UV).read_bytes()


@by_locale
def test_a_file_that_pip_itself_cannot_read_is_said(computer: Computer) -> None:
    """Bytes of another system's encoding are kept, and pip's own complaint is handed on."""
    computer.environ["LC_ALL"] = "C.UTF-8"
    path = computer.write(PIP, "# 镜像\n[global]\n".encode("gbk"))
    used = use(computer, "tuna", "packages")
    assert answers(used)[Tool.PIP] is ToolAnswer.DIFFERS
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
        ("nowhere", (), "settings-no-mirror"),
        ("nju", (), "settings-no-mirror"),
        ("sjtu", ("torch",), "settings-not-lasting"),
        ("tuna", ("miniforge",), "settings-not-lasting"),
        ("aliyun", ("conda",), "settings-no-mirror"),
    ):
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


def test_a_uv_that_says_it_in_another_form_is_checked_by_reading(computer: Computer) -> None:
    from wizard.process import Outcome, Request, run

    def mute(request: Request) -> Outcome:
        argv = tuple(part for part in request.argv if part != "--show-settings")
        return run(Request(argv, request.cwd, request.environment, timeout=60))

    request = uv_request(OLD, computer.around)
    for diff in propose(request.edits):
        computer.write(diff.path, diff.after)
    assert verify(request, computer.around, mute).answer is ToolAnswer.READ
    computer.write(UV, "index-url = 'https://other.example'\n")
    assert verify(request, computer.around, mute).answer is ToolAnswer.DIFFERS
    computer.write(UV, "no-such-key = 1\n")
    assert verify(request, computer.around, mute).answer is ToolAnswer.DIFFERS


def test_without_any_python_pip_is_not_asked(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.system.paths.is_frozen", lambda: True)
    computer.environ["PATH"] = str(computer.home)
    assert verify(pip_request(OLD, computer.around), computer.around).answer is ToolAnswer.NOT_ASKED


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
        propose([Edit(Tool.UV, path, f"index[{OLD}]", PACKAGES)]),
        message("settings-file.reason.source", id="x", name="x"),
    )
    path.write_bytes(path.read_bytes() + b"# later\n")
    assert use_cases.undo(change).files[0].how is How.TAKEN_OUT
    assert readers.read_uv(path.read_bytes()) == {"index": [{"name": "x", "url": OLD}]}


def test_a_tool_is_asked_with_the_users_own_variables(computer: Computer) -> None:
    """Not with ours, which hide them; and pip decodes its files as it does for the user, not as our children do."""
    from wizard.process import Outcome, Request

    asked: list[Request] = []

    def note(request: Request) -> Outcome:
        asked.append(request)
        return Outcome(request, 0, "", "", 0.0)

    computer.environ.update(PIP_PROXY="http://p", UV_OFFLINE="1", LD_PRELOAD="x")
    verify(pip_request(None, computer.around), computer.around, note)
    verify(uv_request(None, computer.around), computer.around, note)
    environments = [dict(request.environment or {}) for request in asked]
    assert (environments[0]["PIP_PROXY"], environments[0]["PYTHONUTF8"]) == ("http://p", "0")
    assert "UV_OFFLINE" not in environments[0]
    assert environments[1]["UV_OFFLINE"] == "1"
    assert not any("LD_PRELOAD" in environment for environment in environments)
    assert all(environment["HOME"] == str(computer.home) for environment in environments)
