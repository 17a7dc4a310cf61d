"""What an edit makes of a file, byte for byte, and which files are left alone with a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.toolconfig import readers
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, text
from wizard.toolconfig.edit import edited, key_after, propose, value_of
from wizard.toolconfig.model import Edit, Tool
from wizard.undo.model import Value

FILE = Path("settings")
PIP, UV, CONDA = Tool.PIP, Tool.UV, Tool.CONDA
U = "https://m.example/simple"
GBK = "# 镜像".encode("gbk")
FORGE = "custom_channels.conda-forge"
INDEX = "global.index-url"


CASES: tuple[tuple[Tool, str, Value, bytes, bytes], ...] = (
    (PIP, INDEX, U, b"", b"[global]\nindex-url = %s\n"),
    (PIP, INDEX, U, b"[global]\nindex-url = a ; b\n", b"[global]\nindex-url = %s\n"),
    (PIP, INDEX, U, b"[global]\n--Index_URL:a", b"[global]\n--Index_URL:%s"),
    (
        PIP,
        INDEX,
        U,
        b"[global]\r\n\ttimeout = 3\r\n\r\n[install]\r\n",
        b"[global]\r\n\ttimeout = 3\r\n\tindex-url = %s\r\n\r\n[install]\r\n",
    ),
    (PIP, INDEX, U, b"; a\n[install]\nuser=1\n# end", b"; a\n[install]\nuser=1\n# end\n\n[global]\nindex-url = %s"),
    (PIP, INDEX, U, GBK + b"\n[global]\ntimeout=3\n", GBK + b"\n[global]\ntimeout=3\nindex-url = %s\n"),
    (PIP, INDEX, None, b"[global]\nindex-url=\n  a\n# keep\ntimeout=3\n", b"[global]\n# keep\ntimeout=3\n"),
    (
        PIP,
        "global.extra-index-url",
        (U, "https://b.example"),
        b"[global]\nextra-index-url = https://a.example\n",
        b"[global]\nextra-index-url =\n    %s\n    https://b.example\n",
    ),
    (
        PIP,
        "global.extra-index-url",
        (U,),
        b"[global]\nextra-index-url =\n   https://a.example\n  ; keep\n   %s\n\n[x]\n",
        b"[global]\nextra-index-url = %s\n  ; keep\n\n[x]\n",
    ),
    (PIP, "global.trusted-host", (), b"[global]\ntrusted-host = a b\nx = 1\n", b"[global]\nx = 1\n"),
    (UV, "index", U, b"", b'[[index]]\nurl = "%s"\ndefault = true\n'),
    (
        UV,
        "index",
        U,
        b"\xef\xbb\xbfoffline = true\r\n",
        b'\xef\xbb\xbfoffline = true\r\n\r\n[[index]]\r\nurl = "%s"\r\ndefault = true\r\n',
    ),
    (
        UV,
        "index",
        U,
        b"[[index]]\nurl = 'x' # mine\ndefault = true\nname = 'n'\n",
        b"[[index]]\nurl = \"%s\" # mine\ndefault = true\nname = 'n'\n",
    ),
    (
        UV,
        "index",
        None,
        b"a = 1\n\n[[index]]\nurl = 'x'\ndefault = true\n# keep\n[pip]\nstrict = true\n",
        b"a = 1\n\n# keep\n[pip]\nstrict = true\n",
    ),
    (
        UV,
        "index[https://old.example]",
        U,
        b"[[index]]\nurl = 'https://old.example' #c\n",
        b'[[index]]\nurl = "%s" #c\n',
    ),
    (
        UV,
        "index[https://old.example]",
        None,
        b"[[index]]\nurl = 'https://old.example'\n\n[[index]]\nurl = 'k'\n",
        b"\n[[index]]\nurl = 'k'\n",
    ),
    (UV, "index", U, b"index = [{url = 'k'}]\n", b"index = [{url = 'k'}, {url = \"%s\", default = true}]\n"),
    (UV, "pip.index-url", U, b"[pip]\nindex-url = 'x' # c\r\n", b'[pip]\nindex-url = "%s" # c\r\n'),
    (UV, "extra-index-url", (U,), b"# c\n\n[pip]\n", b'# c\nextra-index-url = ["%s"]\n\n[pip]\n'),
    (CONDA, FORGE, U, b"", b"custom_channels:\n  conda-forge: %s\n"),
    (
        CONDA,
        FORGE,
        U,
        b"channels:\n- a # x\n\n# end",
        b"channels:\n- a # x\ncustom_channels:\n  conda-forge: %s\n\n# end",
    ),
    (
        CONDA,
        FORGE,
        U,
        b"custom_channels:\r\n    b: c  # d\r\nx: 1\r\n",
        b"custom_channels:\r\n    b: c  # d\r\n    conda-forge: %s\r\nx: 1\r\n",
    ),
    (CONDA, FORGE, U, b"custom_channels: {b: c} # d\n", b'custom_channels: {b: c, "conda-forge": %s} # d\n'),
    (CONDA, FORGE, None, b"custom_channels:\n  conda-forge: x\nchannels: [a]\n", b"channels: [a]\n"),
    (CONDA, FORGE, None, b"custom_channels: {conda-forge: x, b: c}\n", b"custom_channels: {b: c}\n"),
    (CONDA, FORGE, U, b"note: |\n  text", b"custom_channels:\n  conda-forge: %s\nnote: |\n  text"),
    (
        CONDA,
        "channels",
        ("b", "a"),
        b"channels:\n  # one\n  - a # first\n  # two\n  - b\n  - c\nx: 1\n",
        b"channels:\n  # one\n  - b\n  # two\n  - a # first\nx: 1\n",
    ),
    (CONDA, "channels", ("conda-forge",), b"channels: &c [a]\n" + GBK, b'channels: &c ["conda-forge"]\n' + GBK),
    (
        CONDA,
        "channel_priority",
        "flexible",
        b"channel_priority:   strict   # why\n",
        b"channel_priority:   flexible   # why\n",
    ),
    (CONDA, "ssl_verify", None, b"# a\nssl_verify: false\n# b\n", b"# a\n# b\n"),
)


@pytest.mark.parametrize(("tool", "key", "value", "before", "after"), CASES)
def test_byte_for_byte(tool: Tool, key: str, value: Value, before: bytes, after: bytes) -> None:
    before, after = (content.replace(b"%s", U.encode()) for content in (before, after))
    assert edited(tool, FILE, before, key, value) == after
    assert (value_of(tool, FILE, after, key_after(key, value)) or ()) == (value or ())


def code_of(error: pytest.ExceptionInfo[WizardError]) -> str:
    for language in LANGUAGES:
        assert text(error.value.summary, language)
        assert text(error.value.hint, language)
    return error.value.code


REFUSED = (
    (PIP, INDEX, b"[global]\na=1\n[global]\nb=1\n", "settings-unreadable"),
    (PIP, INDEX, b"[global]\na=1\na=2\n", "settings-unreadable"),
    (PIP, INDEX, b"index-url = x\n", "settings-unreadable"),
    (PIP, INDEX, b"[global]\nno value\n", "settings-unreadable"),
    (PIP, INDEX, b"[global]\nindex-url=a\nindex_url=b\n", "settings-unreadable"),
    (PIP, INDEX, b"\xef\xbb\xbf[global]\n", "settings-mark"),
    (PIP, INDEX, b"[DEFAULT]\ntimeout=3\n", "settings-not-editable"),  # would begin to count
    (PIP, INDEX, "[global]\n".encode("utf-16"), "settings-unreadable"),
    (UV, "index", b"index = [\n", "settings-unreadable"),
    (UV, "index", b"a = 1\na = 2\n", "settings-unreadable"),
    (UV, "index", b"index = 'x'\n", "settings-unreadable"),
    (UV, "index", b"[" * 5000, "settings-unreadable"),
    (UV, "extra-index-url", b"extra-index-url = [\n 'a',\n # two\n 'b']\n", "settings-not-editable"),
    (CONDA, FORGE, b"channels: [a\n", "settings-unreadable"),
    (CONDA, FORGE, b"\tchannels: a\n", "settings-unreadable"),
    (CONDA, FORGE, b"a: 1\na: 2\n", "settings-unreadable"),
    (CONDA, FORGE, b"- a\n", "settings-unreadable"),
    (CONDA, FORGE, b"a: 1\n---\nb: 2\n", "settings-unreadable"),
    (CONDA, FORGE, b"custom_channels: [a]\n", "settings-unreadable"),
    (CONDA, FORGE, b"a: &x {b: c}\ncustom_channels: *x\n", "settings-not-editable"),
    (CONDA, FORGE, b"a: &x [*x]\n", "settings-not-editable"),  # a list that holds itself
    (CONDA, FORGE, b"\x00\x01", "settings-unreadable"),
)


@pytest.mark.parametrize(("tool", "key", "content", "code"), REFUSED)
def test_refused_and_untouched(tmp_path: Path, tool: Tool, key: str, content: bytes, code: str) -> None:
    path = tmp_path / "settings"
    path.write_bytes(content)
    value: Value = (U,) if key == "extra-index-url" else U
    with pytest.raises(WizardError) as error:
        propose([Edit(tool, path, key, value)])
    assert code_of(error) == code
    assert path.read_bytes() == content


PRIVATE = (
    (PIP, INDEX, b"[global]\nindex-url = https://me:pw@corp.example/simple\n"),
    (
        PIP,
        "global.extra-index-url",
        b"[global]\nextra-index-url = https://a.example https://me:pw@corp.example/simple\n",
    ),
    (UV, "index", b"[[index]]\nurl = 'https://me:pw@corp.example/simple'\ndefault = true\n"),
    (CONDA, FORGE, b"custom_channels:\n  conda-forge: https://corp.example/t/abc-123/ch\n"),
    (CONDA, "channels", b"channels:\n  - https://corp.example/x?token=abc\n"),
)


@pytest.mark.parametrize(("tool", "key", "content"), PRIVATE)
def test_a_private_source_is_never_replaced_nor_taken_out(tmp_path: Path, tool: Tool, key: str, content: bytes) -> None:
    path = tmp_path / "settings"
    path.write_bytes(content)
    old = value_of(tool, path, content, key)
    for value in (None, U if isinstance(old, str) else (U,)):
        with pytest.raises(WizardError) as error:
            propose([Edit(tool, path, key, value)])
        assert code_of(error) == "settings-secret"
        assert "pw" not in str(error.value)
    if isinstance(old, tuple):  # one that stays where it is may have other neighbours
        (diff,) = propose([Edit(tool, path, key, (*old, U))])
        assert U in diff.text


def test_the_difference_tells_no_password(tmp_path: Path) -> None:
    path = tmp_path / "pip.conf"
    path.write_bytes(
        b"[global]\nextra-index-url = https://me:hunter2@corp.example/s?token=abc\nproxy = http://u:p4ss@p:1\n"
    )
    (diff,) = propose([Edit(PIP, path, INDEX, U)])
    assert f"+index-url = {U}" in diff.text
    assert not any(secret in diff.text for secret in ("hunter2", "abc", "p4ss"))
    assert b"hunter2" in diff.after


def test_several_edits_of_one_file_are_one_difference(tmp_path: Path) -> None:
    path = tmp_path / ".condarc"
    edits = [Edit(CONDA, path, FORGE, U), Edit(CONDA, path, "channels", ("conda-forge",))]
    (diff,) = propose(edits)
    assert readers.read_conda(diff.after) == {"custom_channels": {"conda-forge": U}, "channels": ["conda-forge"]}
    assert (diff.before, [ours.key for ours in diff.ours]) == (None, [edit.key for edit in edits])
    path.write_bytes(diff.after)
    assert propose(edits) == ()
