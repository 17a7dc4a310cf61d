"""What conda prints, from recorded output: documents, plans, facts; and each recorded failure as a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.stand_in.conda import RECORDED, recorded
from wizard.environment.conda.answer import CondaInfo, parse_document, parse_info, parse_plan
from wizard.environment.conda.errors import CondaErrorRow, complaints, error_rows, failure
from wizard.environment.model import Target
from wizard.model.messages import LANGUAGES, catalogue, text
from wizard.process import Outcome, Request

TARGET = Target(
    Path("/home/lin/envs/torch"),
    "3.12",
    "conda",
    channels=("https://ann:s3cret@conda.example/forge",),
    conda=Path("/home/lin/miniforge3/bin/conda"),
)


def outcome(stdout: str = "", stderr: str = "", code: int | None = 1) -> Outcome:
    return Outcome(Request(("/home/lin/miniforge3/bin/conda", "create")), code, stdout, stderr, 1.0)


def test_a_plan() -> None:
    plan = parse_plan(parse_document(recorded("dryrun.json")) or {})
    assert plan is not None
    assert [(fetch.filename, fetch.size) for fetch in plan.fetches] == [
        ("pip-26.3-pyh0_0.tar.bz2", 1633968),
        ("python-3.11.7-0_cpython.tar.bz2", 17381863),
    ]
    assert (plan.packages, plan.python, plan.bytes_to_fetch) == (2, "3.11.7", 19015831)


@pytest.mark.parametrize("name", ["create_nonempty.json", "create_parent_space.json", "create_unicode.json"])
def test_a_plan_of_cached_packages_fetches_nothing(name: str) -> None:
    plan = parse_plan(parse_document(recorded(name)) or {})
    assert plan is not None
    assert (plan.fetches, plan.packages) == ((), 2)


@pytest.mark.parametrize(
    "document", [{}, {"success": True}, {"actions": []}, {"actions": {"FETCH": []}}, {"actions": {"LINK": {}}}]
)
def test_what_is_no_plan(document: dict[str, object]) -> None:
    assert parse_plan(document) is None


def test_odd_rows_in_a_plan_are_passed_over() -> None:
    fetches = [None, {"fn": ""}, {"fn": "../../a.conda", "size": True}, {"fn": "b.conda", "size": -4}]
    plan = parse_plan({"actions": {"LINK": [3, {"name": "pip"}], "FETCH": fetches}})
    assert plan is not None
    assert [(fetch.filename, fetch.size) for fetch in plan.fetches] == [("a.conda", 0), ("b.conda", 0)]
    assert (plan.packages, plan.python) == (1, None)


def test_progress_before_the_document_is_passed_over() -> None:
    document = parse_document(recorded("create_http_pty_progress.json"))
    assert document is not None
    assert document["prefix"] == "/home/lin/envs/c5"


@pytest.mark.parametrize("printed", ["", "conda: command not found", "{", "[1, 2]", '{"a": ', "{" * 5000, "null"])
def test_what_is_no_document(printed: str) -> None:
    assert parse_document(printed) is None


def test_a_warning_and_a_brace_before_the_document() -> None:
    assert parse_document('note {x}: y\n{"success": true}\n') == {"success": True}


def test_facts_of_conda_and_of_mamba() -> None:
    root = Path("/home/lin/miniforge3")
    assert parse_info(recorded("info.json")) == CondaInfo(
        "conda", "26.7.1", root, (root / "pkgs", Path("/home/lin/.conda/pkgs")), is_libmamba=False
    )
    root = Path("/home/lin/micromamba")
    assert parse_info(recorded("mamba_info.json")) == CondaInfo(
        "micromamba", "2.3.2", root, (root / "pkgs", Path("/home/lin/.mamba/pkgs")), is_libmamba=True
    )
    old = json.loads(recorded("mamba_info.json"))
    del old["micromamba version"], old["package cache"]
    found = parse_info(json.dumps({**old, "pkgs_dirs": ["/p"]}))  # the keys of libmamba 1
    assert found is not None
    assert (found.kind, found.version, found.pkgs_dirs) == ("mamba", "2.3.2", (Path("/p"),))
    wrapped = parse_info(json.dumps({**json.loads(recorded("info.json")), "mamba_version": "1.5.8"}))
    assert wrapped is not None
    assert (wrapped.kind, wrapped.version, wrapped.is_libmamba) == ("mamba", "1.5.8", False)
    assert parse_info('{"success": true}') is None


CODES = {
    "err_404": ("conda-channel-missing", {"channel": "http://127.0.0.1:8765/nochannel"}),
    "err_env_not_found": ("conda-no-environment", {"path": "/nonexistent"}),
    "err_frozen": ("conda-frozen", {"path": "/home/lin/envs/c2"}),
    "frozen_remove": ("conda-frozen", {"path": "/home/lin/envs/c2"}),
    "err_gpu": ("conda-virtual-package", {"package": "__cuda[version='>=12']"}),
    "err_http": ("conda-unreachable", {"channel": "http://127.0.0.1:9/linux-64/current_repodata.json"}),
    "err_name_clash": ("conda-name-reserved", {"name": "base"}),
    "create_text_noexist_dir": ("conda-name-characters", {}),
    "err_offline": ("conda-set-offline", {}),
    "err_perm": ("conda-no-permission", {"path": "/proc/nope/x"}),
    "err_pkg_not_found": ("conda-package-missing", {"packages": "nosuchpkg=1"}),
    "err_unsat": ("conda-package-missing", {"packages": "does-not-exist[version='>=2']"}),
    "err_tos": ("conda-terms", {"channels": "http://127.0.0.1:8765"}),
    "err_tos_remove": ("conda-terms", {"channels": "http://127.0.0.1:8765"}),
    "err_tos_env_remove": ("conda-terms", {"channels": "http://127.0.0.1:8765"}),
    "install_no_env": ("conda-no-environment", {"path": "/home/lin/envs/nope"}),
    "rm_base": ("conda-not-environment", {"path": "/home/lin/miniforge3"}),
    "mamba_unsolvable": ("conda-package-missing", {"packages": "python 3.99**"}),
    "mamba_virtual": ("conda-virtual-package", {"package": "__cuda >=12 needed by gpuonly-1.0-0"}),
}


@pytest.mark.parametrize("name", sorted(CODES))
def test_each_recorded_failure_has_a_sentence_and_a_way_out(name: str) -> None:
    error = failure(outcome(recorded(f"{name}.json")), TARGET, "conda")
    code, params = CODES[name]
    assert error.code == code
    assert {key: error.params[key] for key in params} == params
    for language in LANGUAGES:
        said = f"{text(error.summary, language)} {text(error.hint, language)}"
        assert all(str(value) in said for value in params.values())
    assert "s3cret" not in json.dumps(error.to_json())
    assert json.loads(recorded(f"{name}.json")).get("exception_name", "") in error.details


def test_no_recorded_failure_is_left_out() -> None:
    failures = [path.stem for path in RECORDED.glob("*.json") if "success" not in path.read_text(encoding="utf-8")]
    said = {name for name in failures if "info" not in name}
    assert said | {"mamba_unsolvable", "mamba_virtual"} == set(CODES)


def test_terms_are_explained_and_other_ways_offered() -> None:
    error = failure(outcome(recorded("err_tos.json")), TARGET, "conda")
    assert "never accepts terms for you" in str(error)
    assert "conda-forge" in str(error)
    assert "--engine rattler" in str(error)


def test_several_errors_in_one_are_told_once() -> None:
    document = parse_document(recorded("err_offline.json"))
    heard = complaints(document, "")
    assert {each.exception for each in heard} == {"OfflineError"}
    assert len(heard) == 2  # of three, two are the same


def said_by(exception: str, message: str) -> str:
    return json.dumps({"exception_name": exception, "message": message})


@pytest.mark.parametrize(
    ("stdout", "stderr", "exit_code", "code"),
    [
        (
            said_by("UnavailableInvalidChannel", "HTTP 403 FORBIDDEN for channel x <https://h/x>"),
            "",
            1,
            "conda-channel-login",
        ),
        (
            said_by("CondaHTTPError", "HTTP 503 SERVICE UNAVAILABLE for url <https://h/x>"),
            "",
            1,
            "conda-channel-status",
        ),
        (said_by("CondaHTTPError", "HTTP 401 UNAUTHORIZED for url <https://u:p@h/x>"), "", 1, "conda-channel-login"),
        (said_by("CondaSSLError", "x"), "", 1, "conda-certificate"),
        (said_by("ProxyError", "x"), "", 1, "conda-proxy"),
        (said_by("UnsatisfiableError", "x"), "", 1, "conda-unsolvable"),
        (said_by("LibMambaUnsatisfiableError", "package a needs __cuda >=12"), "", 1, "conda-virtual-package"),
        (said_by("LibMambaUnsatisfiableError", "x"), "", 1, "conda-unsolvable"),
        (said_by("NoWritablePkgsDirError", "x"), "", 1, "conda-no-cache"),
        (said_by("CondaOSError", "OSError(28, 'No space left on device')"), "", 1, "env-disk-full"),
        (
            said_by("ChecksumMismatchError", "Conda detected a mismatch\n  url: https://h/a.conda\n"),
            "",
            1,
            "conda-damaged-package",
        ),
        (said_by("CondaValueError", "prefix already exists: /p"), "", 1, "target-is-environment"),
        (said_by("SomethingNew", "of which nobody knew"), "", 1, "conda-failed"),
        (said_by("CondaToSNonInteractiveError", ""), "", 1, "conda-terms"),
        ("", "Traceback …\nOSError: [Errno 28] No space left on device", 1, "env-disk-full"),
        ("", "critical libmamba Non-conda folder exists at prefix - aborting.", 1, "target-not-empty"),
        ("", "error    libmamba Could not solve for environment specs", 1, "conda-unsolvable"),
        (
            "",
            "critical libmamba Download error (7) Couldn't connect to server [https://h/noarch/repodata.json.zst]",
            1,
            "conda-unreachable",
        ),
        ("", "error    libmamba Something else", 1, "conda-failed"),
        ("", "", -9, "conda-killed"),
        ("not json at all", "", 1, "conda-no-answer"),
        ("{}", "", 3, "conda-failed"),
        ("", "", None, "conda-not-started"),
    ],
)
def test_further_failures(stdout: str, stderr: str, exit_code: int | None, code: str) -> None:
    error = failure(outcome(stdout, stderr, exit_code), TARGET, "conda")
    assert error.code == code
    for language in LANGUAGES:
        assert text(error.summary, language)
        assert text(error.hint, language)
    assert "u:p@" not in json.dumps(error.to_json())


def test_every_row_has_words_and_a_source() -> None:
    known = catalogue("en")
    for row in error_rows():
        assert f"error.{row.code}.summary" in known
        assert f"error.{row.code}.hint" in known
    assert CondaErrorRow(exception="X", code="y", source="s", as_of="2026-11").find("X", "anything")
