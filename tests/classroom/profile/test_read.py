"""Profiles from strangers: each mistake is named by its place in one sentence, and nothing else happens."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.classroom.profile.examples import HOST, entry, full, profile
from wizard.classroom.profile.choose import lock_of
from wizard.classroom.profile.model import LARGEST_BYTES, Profile, ProfileSources
from wizard.classroom.profile.read import parse_profile, read_profile
from wizard.classroom.profile.write import profile_file, profile_text
from wizard.install.lock import parse_lock
from wizard.model.errors import ExitStatus, UsageError
from wizard.model.messages import LANGUAGES, text

TEXT = profile_text(profile(ask=("name",)))
NUMPY, TORCH = (file.filename for file in entry("windows", "cu126").files)
SHA = entry("windows", "cu126").files[0].sha256


def refused(content: str | bytes) -> UsageError:
    with pytest.raises(UsageError) as caught:
        parse_profile(content.encode() if isinstance(content, str) else content)
    error = caught.value
    assert error.exit_status is ExitStatus.USAGE
    for language in LANGUAGES:
        said = text(error.summary, language) + text(error.hint, language)
        assert "\n" not in said
        assert len(said) < 900
        assert "Traceback" not in said
    return error


def with_line(old: str, new: str) -> str:
    assert TEXT.count(old) >= 1, old
    return TEXT.replace(old, new, 1)


NAME = 'name = "deep"'
URL = f'url = "{HOST}/{NUMPY}"'
INVISIBLE = "\u00ad\u034f\u061c\u115f\u1160\u180e\u2060\u3164\uffa0\U000e0041"
MISTAKES = [
    ("schema = 1", "schema = 0", "schema"),
    ("schema = 1", "schema = true", "schema"),
    ("schema = 1\n", "", "schema"),
    ('title = "Deep learning 101"', "title = 5", "title"),
    ('title = "Deep learning 101"', 'title = ""', "title"),
    ('title = "Deep learning 101"', 'title = "a\\u0000b"', "title"),
    ('title = "Deep learning 101"', 'title = "a\\u202Eb"', "title"),
    *(('title = "Deep learning 101"', f'title = "a{sign}b"', "title") for sign in INVISIBLE),
    ('ask = ["name"]', 'ask = ["na\\u00ADme"]', "ask[0]"),
    ('title = "Deep learning 101"', f'title = "{"x" * 3000}"', "title"),
    ('title = "Deep learning 101"', 'title = "<img src=x>"', "title"),
    ('made = "2026-11-21"', 'made = "yesterday"', "made"),
    ('made = "2026-11-21"', "made = 2026-11-21", "made"),
    ('made_by = "0.1.0"', 'made_by = "; rm -rf /"', "made_by"),
    ('ask = ["name"]', 'ask = ["everything"]', "ask[0]"),
    ('ask = ["name"]', 'ask = "name"', "ask"),
    ('ask = ["name"]', 'ask = ["name"]\nlanguage = "xx"', "language"),
    ('ask = ["name"]', 'ask = ["name"]\nrun = "calc.exe"', "run"),
    # the environment: names and places
    (NAME, 'name = "../../etc"', "environment.name"),
    (NAME, 'name = ".."', "environment.name"),
    (NAME, 'name = "/abs"', "environment.name"),
    (NAME, 'name = "C:\\\\Windows"', "environment.name"),
    (NAME, 'name = "CON"', "environment.name"),
    (NAME, 'name = "nul.txt"', "environment.name"),
    (NAME, 'name = "--index-url=x"', "environment.name"),
    (NAME, 'name = "a\\nb"', "environment.name"),
    (NAME, 'name = "base"', "environment.name"),
    (NAME, 'name = ""', "environment.name"),
    (NAME, NAME + '\nplace = "~/../../etc"', "environment.place"),
    (NAME, NAME + '\nplace = "/etc"', "environment.place"),
    (NAME, NAME + '\nplace = "~"', "environment.place"),
    (NAME, NAME + '\nplace = { linux = "/etc" }', "environment.place.linux"),
    (NAME, NAME + '\nplace = { linux = "/srv/../etc" }', "environment.place.linux"),
    (NAME, NAME + '\nplace = { linux = "relative" }', "environment.place.linux"),
    (NAME, NAME + '\nplace = { windows = "C:/Windows" }', "environment.place.windows"),
    (NAME, NAME + '\nplace = { windows = "//server/share" }', "environment.place.windows"),
    (NAME, NAME + '\nplace = { windows = "\\\\\\\\?\\\\C:\\\\x" }', "environment.place.windows"),
    (NAME, NAME + '\nplace = { windows = "C:/a/COM1" }', "environment.place.windows"),
    (NAME, NAME + '\nplace = { macos = "/x" }', "environment.place.macos"),
    # options and addresses in place of packages
    ("extras = []", 'extras = ["--index-url=http://x"]', "environment.extras[0]"),
    ("extras = []", 'extras = ["-r file.txt"]', "environment.extras[0]"),
    ("extras = []", 'extras = ["git+ssh://x/y"]', "environment.extras[0]"),
    ("extras = []", 'extras = ["name @ http://x/y.whl"]', "environment.extras[0]"),
    ("extras = []", 'extras = ["name @ https://x/y.whl"]', "environment.extras[0]"),
    ("extras = []", 'extras = ["torch==1.0"]', "environment.extras[0]"),
    ("extras = []", 'extras = ["numpy", "a b c"]', "environment.extras[1]"),
    ("extras = []", f'extras = ["{"a" * 300}"]', "environment.extras[0]"),
    ("companions = []", 'companions = ["numpy"]', "environment.companions[0]"),
    ("companions = []", 'companions = ["torchaudio"]', "lock[0].file"),
    ("companions = []", 'companions = []\ntorch = "2.13.0"', "lock[0].torch"),
    ("companions = []", 'companions = []\npython = "3.11"', "lock[0].python"),
    ('engine = "auto"', 'engine = "docker"', "environment.engine"),
    # sources
    ("[environment]", '[sources]\nindex = "http://example.org/simple"\n[environment]', "sources.index"),
    ("[environment]", '[sources]\nindex = "file:///etc"\n[environment]', "sources.index"),
    ("[environment]", '[sources]\nindex = "javascript:alert(1)"\n[environment]', "sources.index"),
    ("[environment]", '[sources]\nindex = "https://u:p@example.org/"\n[environment]', "sources.index"),
    ("[environment]", '[sources]\nindex = "https://example.org/?token=abc"\n[environment]', "sources.index"),
    ("[environment]", '[sources]\nconda_channel = "https://x.org/t/abcdef/c"\n[environment]', "sources.conda_channel"),
    ("[environment]", '[sources]\ntorch_index = "https://a b/"\n[environment]', "sources.torch_index"),
    ("[environment]", '[sources]\nshare = ["ftp://x/"]\n[environment]', "sources.share[0]"),
    ("[environment]", '[sources]\nshare = ["http://u@x/"]\n[environment]', "sources.share[0]"),
    ("[environment]", '[sources]\nonly_share = "yes"\n[environment]', "sources.only_share"),
    # the lock
    ('os = "windows"', 'os = "macos"', "lock[0].os"),
    ('os = "windows"', 'os = "windows"\nglibc = "2.28"', "lock[0].glibc"),
    ('os = "windows"', 'os = "linux"', "lock[0].glibc"),
    ('arch = "x86_64"', 'arch = "../x"', "lock[0].arch"),
    ('python = "3.12"', 'python = "2.7"', "lock[0].python"),
    ('python = "3.12"', 'python = "3.11"', "lock[0].file[1].filename"),
    ('torch = "2.14.1"', 'torch = "2.13.0"', "lock[0].file[1].version"),
    ('variant = "cu126"', 'variant = "cu130"', "lock[0].file[1].version"),
    ('variant = "cu126"', 'variant = "rocm"', "lock[0].variant"),
    ("  [[lock.file]]", "  [[lock.flie]]\n  x = 1\n  [[lock.file]]", "lock[0].flie"),
    (f'sha256 = "{SHA}"', 'sha256 = "abc"', "lock[0].file[0].sha256"),
    (f'sha256 = "{SHA}"', f'sha256 = "{SHA}0"', "lock[0].file[0].sha256"),
    (f'sha256 = "{SHA}"', f'sha256 = "{SHA.upper()}"', "lock[0].file[0].sha256"),
    (f'  sha256 = "{SHA}"\n', "", "lock[0].file[0].sha256"),
    ("size = 1000", "size = -1", "lock[0].file[0].size"),
    ("size = 1000", "size = 1.5", "lock[0].file[0].size"),
    ("size = 1000", "size = 99999999999999999999", "lock[0].file[0].size"),
    (URL, f'url = "http://example.org/{NUMPY}"', "lock[0].file[0].url"),
    (URL, 'url = ""', "lock[0].file[0].url"),
    (NAME, NAME + '\nplace = ""', "environment.place"),
    (URL, 'url = "file:///etc/passwd"', "lock[0].file[0].url"),
    (URL, f'url = "https://user:pass@example.org/{NUMPY}"', "lock[0].file[0].url"),
    (URL, 'url = "https:///nothing"', "lock[0].file[0].url"),
    (URL, 'url = "https://-o-ProxyCommand=x/y"', "lock[0].file[0].url"),
    (URL, 'url = "https://example.org:99999/"', "lock[0].file[0].url"),
    (URL, URL + '\n  also = ["http://example.org/x"]', "lock[0].file[0].also[0]"),
    (f'filename = "{NUMPY}"', 'filename = "../../../x.whl"', "lock[0].file[0].filename"),
    (f'filename = "{NUMPY}"', 'filename = "x.exe"', "lock[0].file[0].filename"),
    (f'filename = "{NUMPY}"', 'filename = "a.whl"', "lock[0].file[0].filename"),
    (f'filename = "{NUMPY}"', 'filename = "other-2.3.0-py3-none-any.whl"', "lock[0].file[0].filename"),
    (f'filename = "{NUMPY}"', 'filename = "numpy-9-py3-none-any.whl"', "lock[0].file[0].filename"),
    (f'filename = "{NUMPY}"', 'filename = "numpy-2.3.0-cp312-cp312-win_arm64.whl"', "lock[0].file[0].filename"),
    ('name = "numpy"', 'name = "Numpy/../x"', "lock[0].file[0].name"),
    ('name = "numpy"', 'name = "-r"', "lock[0].file[0].name"),
    ('version = "2.3.0"', 'version = "not a version"', "lock[0].file[0].version"),
    ('version = "2.3.0"', 'version = "abc"', "lock[0].file[0].version"),
]


@pytest.mark.parametrize(
    ("old", "new", "path"), MISTAKES, ids=[f"{n}-{path}" for n, (_, _, path) in enumerate(MISTAKES)]
)
def test_each_mistake_is_named_by_its_place(old: str, new: str, path: str) -> None:
    error = refused(with_line(old, new))
    assert error.code == "profile-bad"
    assert [line.split(": ")[0] for line in error.details.splitlines()] == [path]


def test_a_secret_is_not_repeated() -> None:
    error = refused(with_line(URL, f'url = "https://user:hunter2@example.org/{NUMPY}"'))
    assert "hunter2" not in str(error) + error.details


def test_several_mistakes_are_told_at_once_and_the_first_ones_shown() -> None:
    lines = TEXT.replace('os = "windows"', 'os = "x"').replace(NAME, 'name = ".."').replace("size = 1000", "size = 0")
    error = refused(lines)
    assert [line.split(": ")[0] for line in error.details.splitlines()] == [
        "environment.name",
        "lock[0].os",
        "lock[0].file[0].size",
        "lock[0].file[1].size",
    ]
    assert "(+1)" in str(error)
    assert "lock[0].file[0].size" in str(error)


def test_the_same_lock_or_the_same_package_twice() -> None:
    one = entry("windows", "cu126")
    twice = profile_text(profile(one, entry("linux", "cpu"), one))
    assert "lock[2]: " in refused(twice).details
    text_of_file = TEXT[
        TEXT.index("  [[lock.file]]") : TEXT.index("  [[lock.file]]", TEXT.index("  [[lock.file]]") + 5)
    ]
    assert refused(TEXT + text_of_file).details.startswith("lock[0].file[2]: ")


def test_one_hash_has_one_size() -> None:
    both = profile_text(profile(entry("windows", "cu126"), entry("windows", "cpu")))
    at = both.rindex("size = 1000", 0, both.rindex('name = "torch"'))
    assert refused(both[:at] + both[at:].replace("size = 1000", "size = 999", 1)).details.startswith(
        "lock[1].file[0].size"
    )


def test_what_only_the_class_gives_has_a_size() -> None:
    """A server of a class is not believed, and could send without end."""
    lock = entry("windows", "cu126")
    lock = replace(lock, files=(replace(lock.files[0], size=None), *lock.files[1:]))
    assert parse_profile(profile_file(profile(lock)).data).locks == (lock,)
    error = refused(profile_text(profile(lock, sources=ProfileSources(only_share=True))))
    assert error.details.startswith("lock[0].file[0].size: ")


def test_no_lock_at_all() -> None:
    assert "lock: " in refused(TEXT[: TEXT.index("[[lock]]")]).details
    assert "lock[0].file: " in refused(TEXT[: TEXT.index("  [[lock.file]]")]).details


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\x00", b"{}", b"[[[", b"a = " + b"[" * 100_000, b"\x00", b"x = " + b"9" * 5000]
)
def test_what_is_no_profile(content: bytes) -> None:
    assert refused(content).code in ("profile-not-toml", "profile-bad")


def test_a_newer_schema_is_said_before_anything_else() -> None:
    error = refused('schema = 4\nwhatever = "a newer program knows it"\n')
    assert error.code == "profile-newer"
    assert "newer version" in str(error)


def test_nothing_larger_than_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.torchlab"
    with path.open("wb") as file:
        file.truncate(40 * LARGEST_BYTES)
    with pytest.raises(UsageError) as caught:
        read_profile(path)
    assert caught.value.code == "profile-too-large"


@pytest.mark.parametrize("name", ["none.torchlab", ".", "a\0b", "pipe"])
def test_what_cannot_be_read(tmp_path: Path, name: str) -> None:
    if name == "pipe":
        os.mkfifo(tmp_path / name)
    with pytest.raises(UsageError) as caught:
        read_profile(tmp_path / name)
    assert caught.value.code == "profile-unreadable"


@pytest.mark.parametrize("made", [full(), profile(), profile(entry("linux", "cu130", arch="aarch64"))])
def test_what_is_written_is_read_back_and_has_the_same_bytes(made: Profile) -> None:
    first, second = profile_file(made), profile_file(made)
    assert first == second
    assert first.profile == made
    assert parse_profile(b"\xef\xbb\xbf" + first.data.replace(b"\n", b"\r\n")) == made


def test_the_writer_refuses_what_nobody_could_read() -> None:
    with pytest.raises(UsageError, match="place"):
        profile_file(profile(environment=full().environment.__class__("deep", place_linux="/etc")))


def test_the_lock_of_an_entry_is_its_files() -> None:
    made = entry("linux", "cu126")
    lock = lock_of(made)
    assert lock.files == made.files
    assert parse_lock(lock.text).files == made.files


def test_each_file_counts_once_however_many_entries_have_it() -> None:
    made = profile(entry("windows", "cu126"), entry("windows", "cpu"), entry("linux", "cpu"))
    names = [file.filename for file in made.files]
    assert len(names) == len(set(names)) == 4
