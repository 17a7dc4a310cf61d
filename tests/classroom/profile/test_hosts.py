"""What a profile may name: hosts that nobody vouches for are found, whatever they hide behind; places, too."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from tests.classroom.profile.examples import conda, entry, full, profile, wheel
from tests.classroom.profile.known import list_hosts_of
from wizard.classroom.profile.fields import address_flaw, is_wheel_at, name_flaw, place_flaw
from wizard.classroom.profile.hosts import check_hosts, foreign_hosts, is_trusted, not_trusted
from wizard.classroom.profile.model import Profile, ProfileEnvironment, ProfileSources
from wizard.classroom.profile.read_locks import check_locks
from wizard.classroom.profile.setup import profile_choices
from wizard.compatibility.model import Choices
from wizard.model.errors import UsageError
from wizard.model.messages import LANGUAGES, text
from wizard.sources.table import mirror_rows
from wizard.system.places import places

OFFICIAL = "https://download-r2.pytorch.org/whl/cu126"
# Put together here: the official package index is chosen by leaving it out, and written nowhere.
FILES, INDEX = (".".join(parts) for parts in (("files", "pythonhosted", "org"), ("pypi", "org")))


def at(*hosts: str, **sources: object) -> Profile:
    """A profile whose wheels lie there, the last one's torch."""
    locks = []
    for host in hosts:
        lock = entry("linux", "cu126", python=f"3.{10 + len(locks)}")
        files = tuple(replace(file, urls=(f"{host}/{file.filename}",)) for file in lock.files)
        locks.append(replace(lock, files=files))
    return profile(*locks, sources=ProfileSources(**sources))  # type: ignore[arg-type]


def names(some: Profile) -> list[str]:
    return [host.name for host in foreign_hosts(some)]


def test_official_places_and_mirrors_of_the_tables_need_no_yes() -> None:
    rows = [row for row in mirror_rows() if row.kind in ("pypi", "pytorch-wheels", "nvidia-wheels") and row.url]
    assert len(rows) >= 10
    known = [row.address("cu126").rstrip("/") for row in rows]
    assert names(at(OFFICIAL, f"https://{FILES}/packages/ab", index=f"https://{INDEX}/simple")) == []
    assert names(at(*known[:20])) == []
    check_hosts(at(OFFICIAL), ())


@pytest.mark.parametrize(
    "host",
    [
        "https://evil.example",
        "https://download-r2.pytorch.org.evil.example",
        "https://pytorch.org",
        "http://127.0.0.1:8",
        f"https://{FILES}.evil.example",
        f"https://x{FILES}",
        f"https://{FILES}:8443",
        "https://github.com/evil/x",
        "https://conda.anaconda.org/evil",
        "https://EVIL.example.",
    ],
)
def test_any_other_host_is_named(host: str) -> None:
    expected = host.partition("://")[2].partition("/")[0].lower().rstrip(".")
    assert names(at(OFFICIAL, host)) == [expected]
    with pytest.raises(UsageError) as caught:
        check_hosts(at(OFFICIAL, host), ())
    assert caught.value.exit_status == 2
    assert f"--trust {expected}" in text(caught.value.hint, "en")


def test_every_address_counts_and_torch_comes_first() -> None:
    made = full()
    lock = made.locks[1]
    numpy, torch = lock.files
    torch = replace(torch, urls=tuple(f"{base}/{torch.filename}" for base in (OFFICIAL, "https://a.example")))
    sources = replace(made.sources, only_share=False)
    made = replace(made, locks=(*made.locks, replace(lock, files=(numpy, torch))), sources=sources)
    found = {host.name: host for host in foreign_hosts(made)}
    assert list(found)[:2] == ["files.example.org", "a.example"]
    assert set(found) == {
        "files.example.org",
        "a.example",
        "index.example.org",
        "torch.example.org",
        "conda.example.org",
        "mirror.example.org",
        "10.0.0.7:8080",
        "pack.example.org",
    }
    assert found["10.0.0.7:8080"].roles == ("share",)
    assert found["mirror.example.org"].packages == ("python",)  # a conda package's further address
    for language in LANGUAGES:
        assert all(text(words, language) for host in found.values() for words in host.words)


def test_where_only_class_servers_are_asked_the_locks_name_nobody_but_a_packs_maker_asks_them() -> None:
    made = at("https://evil.example", share=("http://10.0.0.7/",), only_share=True)
    assert names(made) == ["10.0.0.7"]
    assert [host.name for host in foreign_hosts(made, for_pack=True)] == ["evil.example", "10.0.0.7"]


def test_a_channel_is_known_by_its_whole_address() -> None:
    official = next(row.url for row in mirror_rows() if (row.kind, row.id) == ("conda-forge", "official"))
    for base, expected in (
        (official, []),
        (official.rpartition("/")[0] + "/evil", ["conda.anaconda.org"]),
        (official + "/../evil", ["conda.anaconda.org"]),
        (official + "/%2e%2e/evil", ["conda.anaconda.org"]),
        (official + "x", ["conda.anaconda.org"]),
    ):
        lock = at(OFFICIAL).locks[0]
        package = conda("pip", "25.1")
        there = replace(package, file=replace(package.file, urls=(f"{base}/{package.path}",)))
        assert names(profile(replace(lock, conda=(there,)))) == expected, base


def test_a_yes_is_for_one_host_and_a_labs_own_table_is_one_for_all() -> None:
    made = at("https://a.example", "https://b.example:8443")
    assert [host.name for host in not_trusted(made, {"a.example"})] == ["b.example:8443"]
    assert is_trusted("b.example:8443", {"b.example"})
    assert is_trusted("b.example:8443", {"b.example:8443"})
    assert not is_trusted("b.example:8443", {"b.example:443", "example", "8443"})
    list_hosts_of(made)
    assert names(made) == []


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254",
        "[fe80::1]",
        "[::ffff:169.254.169.254]",
        "2852039166",
        "0xA9FEA9FE",
        "0xa9.254.43518",
        "169.254.43518",
        "0251.0376.0251.0376",
        "127.1",
        "1.2.3.4.5",
        "x.0x7f",
    ],
)
def test_services_of_the_own_network_and_numbers_that_hide_them_are_no_address(host: str) -> None:
    assert address_flaw(f"https://{host}/a.whl") is not None
    assert address_flaw(f"http://{host}/", is_share=True) is not None


def test_usual_hosts_stay_addresses() -> None:
    for host in ("a.example", "10.0.0.7", "[2001:db8::1]", "x86.example", "s3.1e100.net"):
        assert address_flaw(f"https://{host}/a.whl") is None


@pytest.mark.parametrize("share", ["file://host/share", "\\\\host\\share", "//host/share", "smb://host/x", "/mnt/x"])
def test_a_share_is_a_web_address(share: str) -> None:
    assert address_flaw(share, is_share=True) is not None


def test_a_wheels_address_ends_with_its_name() -> None:
    name = "torch-2.13.0+cu126-cp312-cp312-win_amd64.whl"
    assert is_wheel_at(f"{OFFICIAL}/{name.replace('+', '%2B')}", name)
    assert not is_wheel_at(f"https://{FILES}/packages/evil-1.0-py3-none-any.whl?{name}", name)
    lock = entry("linux", "cu126")
    numpy = wheel("numpy", "2.3.0")
    other = replace(numpy, urls=(f"https://{FILES}/packages/evil-2.3.0-py3-none-any.whl",))
    from wizard.classroom.profile.fields import Problems

    problems = Problems()
    check_locks(profile(replace(lock, files=(other, lock.files[1]))), problems)
    assert [(one.path, one.words.key) for one in problems.found] == [
        ("lock[0].file[0].url", "profile.problem.wheel-place")
    ]


# -- places


@pytest.mark.parametrize(
    "place",
    [
        "~/.ssh",
        "~/.config/autostart",
        "~/.local/share/x",
        "~/class/.hidden",
        "~/..",
        "/root/x",
        "/var/www/html",
        "/etc/cron.d/x",
        "/usr/local/bin/x",
        "/dev/shm/x",
        "/run/user/1000/x",
        "/opt/.x",
        "/boot/x",
        "~\\.ssh",
        "/",
        "/opt",
        "/opt/",
        "/srv",
        "/mnt",
        "/tmp",
        "/srv/http",
        "/srv/www/x",
        "~/bin",
        "~/bin/x",
        "~/snap/x",
    ],
)
def test_places_on_linux_that_no_file_may_choose(place: str) -> None:
    assert place_flaw(place, "linux") == "place"


@pytest.mark.parametrize(
    "place",
    [
        "~/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup",
        "~/appdata/Local/x",
        "~\\APPDATA\\x",
        "C:/Windows/System32",
        "D:/windows/x",
        "C:/Program Files/x",
        "C:\\ProgramData\\x",
        "C:/PROGRA~1/x",
        "~/APPDAT~1/x",
        "~/Documents/WindowsPowerShell/Modules",
        "~/Documents/PowerShell",
        "C:/Documents and Settings/x",
        "~/.ssh",
        "\\\\host\\share\\x",
        "//host/share/x",
        "\\\\?\\C:\\x",
        "C:x",
        "C:/x/.git/hooks",
        "~/Start Menu/x",
    ],
)
def test_places_on_windows_that_no_file_may_choose(place: str) -> None:
    assert place_flaw(place, "windows") == "place"


def test_usual_places_may_be_chosen() -> None:
    for place in ("~/class", "/opt/class", "/srv/class/2026", "/data/envs", "/run/media/me/STICK/x", "/mnt/d/class"):
        assert place_flaw(place, "linux") is None, place
    for place in ("~/class", "D:/class", "C:\\class\\2026", "C:/Users/Public/class", "~/Documents/class"):
        assert place_flaw(place, "windows") is None, place
    assert name_flaw("deep learning") is None
    assert name_flaw(".ssh") == "name"


@pytest.mark.skipif(sys.platform == "win32", reason="the folders of Linux")
def test_a_full_path_or_a_name_leads_no_further() -> None:
    """What `~/bin` may not be, the home folder written out or a name right below it is not either."""
    for place, name in ((f"{Path.home()}/bin", "x"), ("~/", "bin"), (str(Path.home()), "snap")):
        wish = ProfileEnvironment(name, place_linux=place)
        with pytest.raises(UsageError) as caught:
            profile_choices(replace(profile(entry("linux", "cpu")), environment=wish), Choices())
        assert caught.value.code == "profile-place"


def test_whose_home_it_is() -> None:
    posix, me = places("linux"), PurePosixPath("/home/me")
    for place, expected in (
        ("/home/me/x", False),
        ("/home/you/x", True),
        ("/root/x", True),
        ("/home/mean", True),
        ("/srv/x", False),
    ):
        assert posix.is_anothers(PurePosixPath(place), me) is expected, place
    assert posix.is_anothers(PurePosixPath("/nfs/lab/you/x"), PurePosixPath("/nfs/lab/me"))
    assert not posix.is_anothers(PurePosixPath("/srv/x"), PurePosixPath("/root"))
    windows, mine = places("windows"), PureWindowsPath("C:/Users/Me")
    for place, expected in (
        ("C:/users/me/x", False),
        ("C:/Users/You/x", True),
        ("C:/Users/Default/x", True),
        ("C:/Users/Public/x", False),
        ("D:/class", False),
    ):
        assert windows.is_anothers(PureWindowsPath(place), mine) is expected, place


def test_a_place_is_looked_at_again_where_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only here is it known whose home this is, and where links lead."""
    home = tmp_path / "homes" / "me"
    (home / ".config").mkdir(parents=True)
    (home / "class").symlink_to(home / ".config")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("wizard.system.traits.os_name", lambda: "linux")
    for place, refused in (
        (str(tmp_path / "homes" / "you"), True),
        ("~/class", True),
        ("~/lesson", False),
        (str(home / "lesson"), False),
    ):
        made = profile(environment=ProfileEnvironment("deep", "venv", place_linux=place))
        if refused:
            with pytest.raises(UsageError) as caught:
                profile_choices(made, Choices())
            assert caught.value.code == "profile-place"
        else:
            assert profile_choices(made, Choices()).prefix
