"""`[[lock.conda]]`: written and read back, refused where it is wrong by the place of the mistake, and no older program
takes such a profile for one that is merely badly made."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.classroom.profile.examples import HOST, conda, entry, profile, with_python
from tests.classroom.profile.test_read import refused
from wizard.classroom.profile.model import channels_of, chosen_text, from_record
from wizard.classroom.profile.read import parse_profile
from wizard.classroom.profile.read_locks import MOST
from wizard.classroom.profile.write import profile_file, profile_text

LINUX = with_python(entry("linux", "cu126"))
TEXT = profile_text(profile(LINUX))
AT = TEXT.index("[[lock.conda]]")
PIP, PYTHON = LINUX.conda


def test_what_is_written_is_read_back_and_has_the_same_bytes() -> None:
    made = profile(LINUX, with_python(entry("windows", "cpu")), with_python(entry("linux", "cu130", arch="aarch64")))
    first = profile_file(made)
    assert first == profile_file(made)
    assert parse_profile(first.data) == made
    assert len(made.conda) == 4  # pip once, Python for each system
    assert [file.filename for file in made.files[-4:]] == [package.file.filename for package in made.conda]


def test_the_schema_is_2_only_where_a_program_must_know_it() -> None:
    """One that reads 1 alone says "made by a newer version"; a profile without conda packages is as it was."""
    assert TEXT.startswith("schema = 2\n")
    assert profile_text(profile(entry("linux", "cu126"))).startswith("schema = 1\n")
    error = refused(TEXT.replace("schema = 2", "schema = 1", 1))
    assert error.details == "schema: must be 2"
    parse_profile(profile_text(profile()).replace("schema = 1", "schema = 2", 1).encode())


MISTAKES = [
    ('name = "pip"', 'name = "../pip"', "name"),
    ('name = "pip"', 'name = "pip"\n  run = "x"', "run"),
    ('version = "25.1"', 'version = "25/1"', "version"),
    ('version = "25.1"', 'version = "25.2"', "filename"),
    ('build = "h1_0"', 'build = "../x"', "build"),
    ('build = "h1_0"', 'build = "h2_0"', "filename"),
    ('build = "h1_0"', 'build = "h1_0"\n  build_number = -1', "build_number"),
    ('subdir = "noarch"', 'subdir = ".."', "subdir"),
    ('filename = "pip', 'filename = "../pip', "filename"),
    ('filename = "pip', 'filename = "/etc/pip', "filename"),
    ('-h1_0.conda"', '-h1_0.exe"', "filename"),
    (f'url = "{HOST}/forge', 'url = "http://example.org/forge', "url"),
    (f'url = "{HOST}/forge', 'url = "file:///forge', "url"),
    (f'url = "{HOST}/forge', 'url = "https://u:hunter2@example.org/forge', "url"),
    (f'url = "{HOST}/forge/noarch', f'url = "{HOST}/forge/win-64', "url"),
    (f'url = "{HOST}/forge/noarch/pip', f'url = "{HOST}/forge/noarch/pop', "url"),
    ("  size = 500\n", "", "size"),
    ("size = 500", "size = -1", "size"),
    ("size = 500", "size = 1e999", "size"),
    (f'sha256 = "{PIP.file.sha256}"', f'sha256 = "{PIP.file.sha256[:-1]}"', "sha256"),
    (f'sha256 = "{PIP.file.sha256}"', f'sha256 = "{PIP.file.sha256.upper()}"', "sha256"),
    ('depends = ["', 'depends = ["a\\u0000b", "', "depends[0]"),
    ('depends = ["', f'depends = ["{"x" * 301}", "', "depends[0]"),
    ('depends = ["', f'depends = [{", ".join(["1"] * 201)}, "', "depends"),
    ('noarch = "python"', 'noarch = "shell"', "noarch"),
    ('license = "MIT"', 'license = "<script>"', "license"),
]


@pytest.mark.parametrize(("old", "new", "field"), MISTAKES, ids=[f"{n}-{row[2]}" for n, row in enumerate(MISTAKES)])
def test_each_mistake_is_named_by_its_place(old: str, new: str, field: str) -> None:
    part = TEXT[AT:]
    assert old in part
    error = refused(TEXT[:AT] + part.replace(old, new, 1))
    assert f"lock[0].conda[0].{field}" in [line.split(": ")[0] for line in error.details.splitlines()], error.details
    assert "hunter2" not in str(error) + error.details


@pytest.mark.parametrize(
    ("package", "where"),
    [
        (conda("python", "3.11.9", "linux-64"), "lock[0].conda[1].version"),
        (conda("python", "3.120.1", "linux-64"), "lock[0].conda[1].version"),
        (conda("python", "3.12.11", "win-64"), "lock[0].conda[1].subdir"),
        (conda("python", "3.12.11", "linux-aarch64"), "lock[0].conda[1].subdir"),
        (replace(PYTHON, site_packages="lib/../../x"), "lock[0].conda[1].site_packages"),
        (conda("perl", "5.1", "linux-64"), "lock[0].conda"),  # no Python at all
        (PIP, "lock[0].conda[1]"),  # twice
    ],
)
def test_it_must_be_this_entrys_python(package: object, where: str) -> None:
    error = refused(profile_text(profile(replace(LINUX, conda=(PIP, package)))))  # type: ignore[arg-type]
    assert where in [line.split(": ")[0] for line in error.details.splitlines()], error.details


def test_one_file_of_a_channel_is_the_same_in_all_entries() -> None:
    other = replace(PYTHON, file=replace(PYTHON.file, sha256="0" * 64))
    second = replace(with_python(entry("linux", "cpu")), conda=(PIP, other))
    assert refused(profile_text(profile(LINUX, second))).details.startswith("lock[1].conda[1].sha256: differs from")


def test_more_than_anybody_needs_is_refused() -> None:
    many = tuple(conda(f"p{number}", "1") for number in range(MOST))
    error = refused(profile_text(profile(replace(LINUX, conda=(*LINUX.conda, *many)))))
    assert error.details.startswith(f"lock[0].conda: has more than {MOST} entries")


def test_what_the_engine_is_given_is_what_it_had_chosen() -> None:
    records = json.loads(chosen_text(LINUX.conda))
    assert [from_record(record, package.file.urls) for record, package in zip(records, LINUX.conda, strict=True)] == [
        *LINUX.conda
    ]
    assert [record["channel"] for record in records] == [f"{HOST}/forge"] * 2
    assert channels_of(LINUX.conda) == (f"{HOST}/forge",)
