"""Settings files as people have them, made at random: comments, blanks, odd but legal spellings, any line end.

Each strategy gives bytes that the tool itself can read. What nobody can read is in the tests of refusals.
"""

from __future__ import annotations

from hypothesis import strategies as st

from tests.toolconfig.joining import joined

HOSTS = ("https://pkgs.example/simple", "http://127.0.0.1:9/simple", "https://pkgs.example/a/b/?x=1")
BLANKS = st.sampled_from(["", "", "  ", "\t"])
WORDS = st.sampled_from(["# 清华镜像", "# index-url = https://old.example", "#", "# a ; b = [c]: {d}", "# [global]"])
NEWLINES = st.sampled_from(["\n", "\n", "\r\n", "mixed"])

# --- pip

_PIP_VALUES = st.sampled_from(["3", "https://pkgs.example/simple", "%(odd)s", "a = b", "yes # not a comment", "中文"])
_PIP_NAMES = (
    "timeout",
    "Retries",
    "cert",
    "--proxy",
    "no_cache_dir",
    "extra-index-url",
    "find_links",
    "trusted-host",
    "index-url",
    "format",
    "use-mirrors",
)


@st.composite
def _pip_option(draw: st.DrawFn, name: str) -> list[str]:
    indent = draw(st.sampled_from(["", "", "", "  "]))
    sign = draw(st.sampled_from([" = ", "=", ": ", "\t=\t", " :"]))
    lines = [f"{indent}{name}{sign}{draw(_PIP_VALUES)}"]
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        if draw(st.booleans()):
            lines.append(draw(st.sampled_from(["    # inside", "; inside", ""])))
        lines.append(draw(st.sampled_from(["      more", "\tmore", "    https://pkgs.example/c"])))
    return lines


@st.composite
def pip_files(draw: st.DrawFn) -> bytes:
    lines: list[str] = []
    loose = st.one_of(BLANKS, WORDS, st.just("; another"))
    lines += draw(st.lists(loose, max_size=2))
    for section in draw(st.lists(st.sampled_from(["global", "install", "download", "list"]), unique=True, max_size=3)):
        lines.append(f"[{section}]" + draw(st.sampled_from(["", "", "  "])))
        for name in draw(st.lists(st.sampled_from(_PIP_NAMES), unique=True, max_size=4)):
            lines += draw(st.lists(loose, max_size=1)) + draw(_pip_option(name))
        lines += draw(st.lists(loose, max_size=2))
    codec = draw(st.sampled_from(["utf-8", "utf-8", "gbk"]))
    return joined(_legal_pip(lines), draw(NEWLINES), draw(st.booleans()), codec)


def _legal_pip(lines: list[str]) -> list[str]:
    """An option that is deeper than the one before it would be part of that one's value: not what is meant here."""
    kept: list[str] = []
    depth = 0
    for line in lines:
        is_option = not line.startswith((" ", "\t", "#", ";", "[")) and bool(line.strip())
        if line.startswith("["):
            depth = 0
        elif line.startswith("  ") and not line.startswith("   ") and line.strip() and depth == 0:
            line, is_option = line.lstrip(), True
        kept.append(line)
        depth = 0 if is_option else depth
    return kept


# --- uv

_UV_ROOT = (
    "index-url = 'https://old.example/simple'",
    'extra-index-url = ["https://a.example", "https://b.example"]',
    "extra-index-url = [\n  'https://a.example', # one\n  # two\n  'https://b.example',\n]",
    '"offline" = false',
    "concurrent-downloads = 4",
    "cache-dir = '''C:\\cache'''",
    "environments = [\"sys_platform == 'linux'\"]",
    "  no-cache=true # why",
    'index-strategy = "first-index"',
    'note = """\n[[index]]\nurl = "text"\n"""',
)
_UV_ENTRIES = (
    "url = 'https://corp.example/simple'",
    'url="https://corp.example/simple"\nname = "corp"\nexplicit = true',
    "# the flat one\nurl = 'https://flat.example'\nformat = 'flat'",
    "default = true\nurl = 'https://first.example/simple' # mine",
    "url='https://x.example'\n\n# end of it",
    "url='https://y.example'\nignore-error-codes = [\n  403, 401,\n]",
)
_UV_PIP = (
    "strict = true",
    "index-url = 'https://inner.example'",
    "\n# in pip\nno-deps = false",
    "extra = [\n 'a',\n 'b' ]",
)


@st.composite
def uv_files(draw: st.DrawFn) -> bytes:
    keys = draw(st.lists(st.sampled_from(_UV_ROOT), unique_by=_name, max_size=4))
    lines = draw(st.lists(st.one_of(BLANKS, WORDS), max_size=2))
    for key in keys:
        lines += [key, *draw(st.lists(st.one_of(BLANKS, WORDS), max_size=1))]
    style = draw(st.sampled_from(["none", "tables", "tables", "inline", "many lines"]))
    if style == "inline":
        lines.append("index = [{ url = 'https://corp.example/simple' }, {url='https://z.example',name='z'}]")
    if style == "many lines":
        lines.append('index = [\n  {url = "https://corp.example/simple", default = true}, # ours\n  # end\n]')
    blocks = [f"[pip]\n{draw(st.sampled_from(_UV_PIP))}"] if draw(st.booleans()) else []
    if style == "tables":
        head = draw(st.sampled_from(["[[index]]", "[[ index ]] # table", '[["index"]]']))
        blocks += [f"{head}\n{entry}" for entry in draw(st.lists(st.sampled_from(_UV_ENTRIES), min_size=1, max_size=3))]
        blocks = draw(st.permutations(blocks))
    for block in blocks:
        lines += [*draw(st.lists(st.one_of(BLANKS, WORDS), max_size=2)), block]
    lines += draw(st.lists(st.one_of(BLANKS, WORDS), max_size=2))
    flat = "\n".join(lines).split("\n")
    mark = draw(st.sampled_from(["", "", "\ufeff"]))
    newline = draw(st.sampled_from(["\n", "\r\n", "mixed"]))
    return mark.encode() + joined(flat, newline, draw(st.booleans()))


def _name(text: str) -> str:
    return text.partition("=")[0].strip().strip('"')


# --- conda

_CONDA = (
    "channels: [conda-forge, 'defaults']",
    "channels:\n  - conda-forge # first\n  - defaults",
    "channels:\n- https://pkgs.example/x\n# between\n- conda-forge",
    "channels: # two\n\n    - a\n    - b",
    "channel_priority: strict",
    "ssl_verify: true",
    "show_channel_urls: yes",
    "'auto_activate_base': false",
    "proxy_servers:\n  http: http://proxy.example:8080\n  https: 'http://proxy.example:8080'",
    'custom_channels:\n  pytorch: https://pkgs.example/c\n  # more\n  conda-forge: "https://old.example" # x',
    "custom_channels: {pytorch: https://pkgs.example, bioconda: 'https://pkgs.example' }",
    "custom_channels:",
    "custom_channels: {}",
    "custom_channels:\n    msys2: https://pkgs.example/cloud",
    "custom_channels: {\n  conda-forge: https://old.example, # x\n  b: c}",
    "default_channels: &main\n  - https://pkgs.example/main\nallowlist_channels: *main",
    'envs_dirs:\n  - ~/envs\n  - "D:\\\\envs"',
    "note: |\n  channels:\n    - text\n\n  end",
    "note: >-\n  folded\n  text",
    "remote_read_timeout_secs: 60.0",
    "env_prompt: '({name}) '",
    "pinned_packages: [ a=1 ,\n  b ]",
)


@st.composite
def conda_files(draw: st.DrawFn) -> bytes:
    keys = draw(st.lists(st.sampled_from(_CONDA), unique_by=lambda text: text.partition(":")[0], max_size=5))
    lines = draw(st.lists(st.one_of(st.just(""), WORDS), max_size=2))
    if draw(st.integers(0, 5)) == 0:
        lines.append("---")
    for key in keys:
        lines += [key, *draw(st.lists(st.one_of(st.just(""), WORDS), max_size=1))]
    if draw(st.integers(0, 9)) == 0:
        lines = ["{channels: [a], 'custom_channels': {x: y}} # all in one"]
    flat = "\n".join(lines).split("\n")
    codec, mark = draw(st.sampled_from([("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("gbk", b"")]))
    return mark + joined(flat, draw(NEWLINES), draw(st.booleans()), codec)
