"""The records that conda reads: without passwords, named and filled as conda's own."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import pytest

from tests.environment.test_rattler_engine import never, target
from wizard.environment.conda.records import (
    Record,
    environments_list,
    history_entry,
    register,
    without_credentials,
)
from wizard.environment.create.rattler_engine import RattlerEngine
from wizard.model.typed import from_json

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the test channel holds a Linux Python")

CONDA = Path(__file__).resolve().parents[1] / "data" / "conda"


@pytest.mark.parametrize(
    ("written", "clean"),
    [
        ('"url": "https://ann:s3@h/c/x.conda"', '"url": "https://h/c/x.conda"'),
        ('"channel": "http://ann:********@127.0.0.1:8/"', '"channel": "http://127.0.0.1:8/"'),
        ("https://h:8/t/ab-12_3/forge/noarch", "https://h:8/forge/noarch"),
        ("https://h/forge/t/x", "https://h/forge/t/x"),
        ("mail to ann@h, file:///t/x@y/", "mail to ann@h, file:///t/x@y/"),
    ],
)
def test_credentials_go_from_the_records(written: str, clean: str) -> None:
    assert without_credentials(written) == clean


def test_a_history_entry_reads_as_condas() -> None:
    data = {
        "name": "pip",
        "version": "25.0",
        "build": "py_0",
        "subdir": "noarch",
        "channel": "https://u:p@h/forge/noarch",
    }
    record = from_json(json.dumps(data), Record)
    lines = history_entry((record,), ("python 3.12.*", "pip"), 0.0).splitlines()
    assert lines[1:] == [
        "# cmd: torch-setup",
        "+https://h/forge/noarch::pip-25.0-py_0",
        "# update specs: ['python 3.12.*', 'pip']",
    ]


def test_conda_would_find_no_altered_file(prefix: Path, minor: str, conda_channel: str) -> None:
    """As `conda doctor` compares: what a record says of a link, with the file that the link leads to."""
    RattlerEngine().create(target(prefix, minor, conda_channel), lambda *_: None, never)
    links = 0
    for path in (prefix / "conda-meta").glob("*.json"):
        for entry in json.loads(path.read_text(encoding="utf-8"))["paths_data"]["paths"]:
            file, said = prefix / entry["_path"], entry.get("sha256_in_prefix")
            links += file.is_symlink()
            if said and file.is_file() and not entry["_path"].endswith((".pyc", ".pyo")):
                assert hashlib.sha256(file.read_bytes()).hexdigest() == said, entry
    assert links


@pytest.mark.slow
def test_our_records_are_named_and_filled_as_condas_own(prefix: Path, minor: str, conda_channel: str) -> None:
    """conda finds a package by its record's file name, and names packages in its own output the same way."""
    recorded = json.loads((CONDA / "create_http_progress.json").read_text(encoding="utf-8"))
    condas = {f"{row['name']}-{row['version']}-{row['build_string']}" for row in recorded["actions"]["LINK"]}
    assert condas == {row["dist_name"] for row in recorded["actions"]["LINK"]}
    RattlerEngine().create(target(prefix, minor, conda_channel), lambda *_: None, never)
    history = (prefix / "conda-meta" / "history").read_text(encoding="utf-8")
    for path in (prefix / "conda-meta").glob("*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        assert path.stem == f"{record['name']}-{record['version']}-{record['build']}"
        assert f"{record['subdir']}::{path.stem}\n" in history
        assert {"build_number", "channel", "depends", "files", "fn", "paths_data", "url"} <= set(record)
        assert all((prefix / file).exists() or (prefix / file).is_symlink() for file in record["files"])


def test_a_list_that_conda_writes_at_the_same_moment_keeps_its_line(home: Path, prefix: Path) -> None:
    """Added at the end in one write: nothing that is there is read and written again."""
    listed = environments_list()
    listed.parent.mkdir()
    listed.write_bytes(b"/users/own/env\n")
    with listed.open("ab") as conda:
        register(prefix)
        conda.write(b"/of/conda\n")
    assert listed.read_bytes() == f"/users/own/env\n{prefix}\n/of/conda\n".encode()
    inode = listed.stat().st_ino
    register(prefix)
    assert listed.read_bytes().count(str(prefix).encode()) == 1
    assert listed.stat().st_ino == inode
