"""What is hidden, what is not, and that a line without end takes no time without end."""

from __future__ import annotations

import subprocess
import sys

import pytest

from wizard.process import redact

SECRET = "s3cr3tW0rd"


@pytest.mark.parametrize(
    "text",
    [
        f"https://user:{SECRET}@host/simple",
        f"https://user:a@{SECRET}/b@host/simple, then",
        f"see 'https://{SECRET}@host' and https://x:{SECRET}@y",
        f"https://host/x?access_token={SECRET}&a=b",
        f"git+https://user:{SECRET}@host.example/a/b.git@v1",
        f"git+https://{SECRET}@host.example/a/b@v1",
        f"https://first.last:12/{SECRET}@host.example/simple",
        f"https://first.last:a@b.example/{SECRET}@host.example/a",
        f"https://conda.example/t/{SECRET}/channel",
        f"https://host/x.whl?X-Amz-Credential={SECRET}&X-Amz-Signature={SECRET}&auth={SECRET}",
        f"git+https://host/a/b.git?pat={SECRET}#egg=b",
        f"https://host/a/b.whl#key={SECRET}&egg=b",
        f"git+https://host/a/b.git@v1#egg=b#key={SECRET}",
        f"git+https://host/a/b#egg=b&key%3D{SECRET}",
        f"https://host/a/b-1.0.zip#{SECRET}",
        f"git+https://host/a/b.git@v1#{SECRET}&egg=b",
        f"https://user:pw@host/simple?t={SECRET}",
        f"see “https://host/x?{SECRET}”, or https://host/y?a=1;b={SECRET}.",
        f"地址是 https://host/x?t={SECRET}。请换一个",
        *(f"host/x?{name}={SECRET}" for name in ("jwt", "access_key", "pwd", "pass", "code")),
        f"--proxy user:{SECRET}@host:3128",
        f"Authorization: Bearer {SECRET}",
        f"{{'Proxy-Authorization': 'Basic {SECRET}=='}}",
        f"git+https://me:12/{SECRET}@host.example/a/b.git",
        f"git+https://me:{SECRET}@host.example:8443/a/b.git@v1",
        f"HF_TOKEN={SECRET}",
        f"export MY_LAB_API_KEY='{SECRET}'",
        f"password: {SECRET}",
        f"ghp_{SECRET * 4}",
        f"using hf_{SECRET * 4} to log in",
    ],
)
def test_a_secret_is_hidden(text: str) -> None:
    assert SECRET not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "KeyError: 'token'",
        "tokenizer = AutoTokenizer",
        "SyntaxError: Unexpected token: }",
        "mail a@b.example about https://example.org/x",
        "git@host.example:a/b",
        "Try it by hand with “ssh ssh://li@box.example:22”",
        "torch==2.13.0+cpu from https://example.org/whl/cpu",
        "/home/a@b/env/lib",
        "pip install --no-deps git+https://host.example/a/b@v4.49.0-Gemma-3",
        "git+https://host.example/a/b.git@feature/x#egg=b",
        "https://cdn.example/npm/x@1.2/y",
        "git+https://gitlab.lab.example:8443/g/r.git@v1.2",
        "git+https://lab:8443/g/r@v1.2#subdirectory=libs/inner",
        "https://gitlab.lab.example:8443/g/r.git@feature/x",
        "Is it https://host.example/x? Then try (https://host.example/y#sha256=12).",
        "用 https://host.example/x？请看",
        "see https://host.example/page#part-2, or https://host.example/a.whl#sha256=12",
    ],
)
def test_what_is_no_secret_is_left(text: str) -> None:
    assert redact(text) == text


def test_of_a_repository_with_a_password_the_place_is_left() -> None:
    shown = redact(f"git+https://me:{SECRET}@host.example/a/b.git@v1")
    assert shown == "git+https://***@host.example/a/b.git@v1"


def test_of_a_query_the_names_are_left_and_the_sentence_around_it() -> None:
    shown = redact(f"(https://host/x.whl?a={SECRET}&b={SECRET}#sha256=12, https://host/y?c={SECRET}). 用 z://h?d=1。好")
    assert shown == "(https://host/x.whl?a=***&b=***#sha256=12, https://host/y?c=***). 用 z://h?d=***。好"


def test_a_line_without_end_is_no_work_without_end() -> None:
    """An expression that reads the rest again from every beginning would take hours: the time limit is no measure."""
    pieces = ("a://", "--proxy=", "authorization:", "a_", "token=", "/t/", "://", "a-", "a://?&", "?a=)")
    code = f"from wizard.process import redact\nfor piece in {pieces!r}: redact(piece * (300_000 // len(piece)))"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
