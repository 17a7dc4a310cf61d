"""Signed profiles: by us, by minisign itself, by somebody else, and by nobody where a class had a key."""

from __future__ import annotations

import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.classroom.pack.classes import make_class, publish
from tests.classroom.profile.examples import entry, profile
from tests.classroom.profile.known import list_hosts_of
from tests.servers.fault_server import FaultServer
from tests.tools import needs
from wizard.classroom.code import code_of
from wizard.classroom.join import Asked, enter
from wizard.classroom.pack.build import BuildOptions, build
from wizard.classroom.pack.make import read_listing, wanted_of
from wizard.classroom.profile.keys import check_signature, own_key, own_key_file, remember_key, sign_profile
from wizard.classroom.profile.model import ProfileFile
from wizard.classroom.profile.read import read_profile
from wizard.classroom.profile.signature import (
    new_key,
    parse_public,
    parse_secret,
    public_text,
    secret_text,
    sign,
    signature_path,
    verify,
)
from wizard.classroom.profile.write import profile_file
from wizard.classroom.server.share import serve_on
from wizard.cli.main import main
from wizard.model.errors import UsageError
from wizard.transfer.download import Downloads

DATA = Path(__file__).parents[2] / "data" / "minisign"  # made by minisign 0.11: -G -W, -S, -S -l
Call = Callable[..., "tuple[int, str]"]


def saved(path: Path, title: str = "Deep learning 101") -> ProfileFile:
    from dataclasses import replace

    made = replace(profile(entry("linux", "cu126")), title=title)
    list_hosts_of(made)
    path.write_bytes(profile_file(made).data)
    return read_profile(path)


def code(work: Callable[[], object]) -> str:
    with pytest.raises(UsageError) as caught:
        work()
    return caught.value.code


def test_what_minisign_has_signed_is_read() -> None:
    data, key = (DATA / "signed.txt").read_bytes(), parse_public((DATA / "m.pub").read_text())
    assert parse_secret((DATA / "m.sec").read_text(), "m.sec").public == key
    for name in ("m.minisig", "legacy.minisig"):
        signature = (DATA / name).read_bytes()
        assert verify(data, signature, key) == key
        assert code(lambda signature=signature: verify(data + b"!", signature, key)) == "signature-bad"
        assert code(lambda signature=signature: verify(data, signature)) == "signature-no-key"
        assert code(lambda signature=signature: verify(data, signature, new_key().public)) == "signature-other-key"


@needs("minisign")
def test_what_we_have_signed_minisign_verifies(tmp_path: Path) -> None:
    key = new_key()
    (tmp_path / "a").write_bytes(b"x" * 5000)
    (tmp_path / "a.minisig").write_bytes(sign(b"x" * 5000, key, "a comment"))
    (tmp_path / "pub").write_text(public_text(key.public))
    for option in (("-P", key.public.text), ("-p", str(tmp_path / "pub"))):
        done = subprocess.run(["minisign", "-V", *option, "-m", str(tmp_path / "a")], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_every_changed_sign_is_found() -> None:
    key, data = new_key(), b"a profile"
    assert parse_secret(secret_text(key), "-") == key
    signature = sign(data, key, "made for a test")
    assert verify(data, signature) == key.public
    found = []
    for at in range(len(signature)):
        changed = signature[:at] + bytes([signature[at] ^ 1]) + signature[at + 1 :]
        try:
            found.append(verify(data, changed))
        except UsageError:
            continue
    # What is left is how the same bytes are written: the ends of lines, and the unused bits of base64.
    assert set(found) == {key.public}
    assert len(found) < 10
    for bad in (b"", b"\xff", b"\n\n\n\n", signature * 2, signature[:-20], b"x" * 10_000):
        assert code(lambda bad=bad: verify(data, bad)).startswith("signature-")


def test_a_key_is_made_once_and_for_its_owner_alone() -> None:
    key = own_key()
    assert own_key() == key
    assert stat.S_IMODE(own_key_file().stat().st_mode) == 0o600


def test_a_class_keeps_its_first_key(tmp_path: Path) -> None:
    path = tmp_path / "a.torchlab"
    unsigned = saved(path)
    assert check_signature(unsigned).words.key == "profile.unsigned"
    sign_profile(path, unsigned)
    signed = read_profile(path)
    assert check_signature(signed).is_new
    assert check_signature(signed).is_new, "a look alone remembers nothing"
    assert check_signature(signed).words.key == "profile.signed-own"
    own_key_file().rename(tmp_path / "key")
    assert check_signature(signed).words.key == "profile.signed-first"
    remember_key(signed)
    assert check_signature(signed).words.key == "profile.signed"
    for title in ("Deep learning 101", "DEEP  learning 101", "Ｄeep learning 101", "Deep\ufe0f learning 101"):
        assert code(lambda title=title: check_signature(saved(tmp_path / "b.torchlab", title))) == "signature-missing"
    other = saved(tmp_path / "c.torchlab")
    signature_path(tmp_path / "c.torchlab").write_bytes(sign(other.data, new_key(), "-"))
    assert code(lambda: check_signature(read_profile(tmp_path / "c.torchlab"))) == "signature-changed"
    assert check_signature(saved(tmp_path / "d.torchlab", "Another class")).key is None
    path.write_bytes(path.read_bytes() + b"# changed\n")
    assert code(lambda: check_signature(read_profile(path))) == "signature-bad"


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    monkeypatch.setenv("TORCH_WIZARD_LANG", "en")

    def run(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        status = main(arguments, lambda session, file, self_test: 99)
        said = capsys.readouterr()
        return status, said.out + said.err

    return run


def test_the_teacher_signs_and_the_student_sees_who_it_was(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "a.torchlab"
    saved(path)
    assert call("profile", "verify", str(path)) == (
        1,
        "The class profile is not signed: check with your teacher that the code is theirs.\n",
    )
    status, key = call("profile", "key", "-o", str(tmp_path / "key.pub"))
    assert (status, parse_public((tmp_path / "key.pub").read_text()).text) == (0, key.splitlines()[0])
    assert call("profile", "sign", str(path))[0] == 0
    status, said = call("profile", "verify", str(path))
    assert (status, "Signed with your own key" in said) == (0, True), said
    assert call("profile", "verify", str(path), "--key", str(tmp_path / "key.pub"))[0] == 0
    assert "had before" in call("profile", "verify", str(path))[1]
    assert "had before" in call("profile", "show", str(path))[1]

    signature_path(path).write_bytes(sign(path.read_bytes(), stranger := new_key(), "-"))
    for command in (
        ("profile", "check", str(path)),
        ("profile", "verify", str(path)),
        ("setup", "--yes", "--profile", str(path)),
    ):
        status, said = call(*command)
        assert (status, "signed with another" in said, stranger.public.fingerprint in said) == (2, True, True), said
    assert call("profile", "verify", str(path), "--key", key.splitlines()[0])[0] == 2
    assert call("profile", "verify", str(path), "--key", stranger.public.text)[0] == 0, "the teacher has a new one"
    assert call("profile", "verify", str(path))[0] == 0
    signature_path(path).unlink()
    status, said = call("setup", "--yes", "--profile", str(path))
    assert (status, "this profile is not signed" in said) == (2, True), said
    assert call("profile", "verify", str(path), "--key", "RWnonsense")[0] == 2


@pytest.mark.slow
def test_the_signature_travels_with_the_pack_and_over_the_class_server(tmp_path: Path) -> None:
    with FaultServer() as origin:
        course = make_class(origin.root)
        publish(origin, course)
        path = course.write(tmp_path / "course.torchlab")
        public = sign_profile(path, read_profile(path))
        pack = tmp_path / "pack"
        build(wanted_of(read_profile(path)), pack, BuildOptions(), Downloads(tmp_path / "own"))
        server = serve_on(pack, False, lambda count: None, lambda: False)
        try:
            asked = Asked(pack=f"http://127.0.0.1:{server.server.port}/", code=code_of(course.file.sha256))
            found = enter(asked)
            assert check_signature(found.file).key == public
            assert check_signature(read_profile(found.path)).key == public, "it is kept beside the profile"
        finally:
            server.stop()
        assert check_signature(enter(Asked(pack=str(pack))).file).key == public
        other = make_class(origin.root, builds=(("linux", "cu126"),), title="Another")
        build(wanted_of(other.file), pack, BuildOptions(), Downloads(tmp_path / "own"))
    assert check_signature(enter(Asked(pack=str(pack))).file).key is None, "no signature of an earlier profile"
    assert read_listing(pack).profile_sha256 == other.file.sha256
