"""Which options of the programs that install take a value, which is no package: a table.

By `pip install --help` of pip 23.2, `uv pip install --help` of uv 0.13 and `conda create --help`, as of 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

CONSTRAINTS = ("-c", "--constraint", "--constraints")
FILES = ("-r", "--requirement", "--requirements", *CONSTRAINTS, "-f", "--file")
INDEXES = ("-i", "--index-url", "--extra-index-url", "--index", "--default-index")
_OF_NO_INTEREST = re.compile(
    r"-(?:y?n|p|t|b|P)|--(?:abi|allow-insecure-host|build-constraints?|build-option|cache-dir|cert|client-cert|color"
    r"|config-file|config-settings?|directory|excludes|exclude-newer|exists-action|extra|fork-strategy|global-option"
    r"|group|implementation|index-strategy|install-option|keyring-provider|link-mode|log|log-file|name|no-binary"
    r"|no-build-isolation-package|only-binary|output-format|overrides|platform|prefix|prerelease|progress-bar|project"
    r"|proxy|python|python-platform|python-version|refresh-package|reinstall-package|report|resolution|retries|revision"
    r"|root|root-user-action|solver|src|subdir|target|timeout|torch-backend|trusted-host|upgrade-package"
    r"|upgrade-strategy|use-deprecated|use-feature)"
)


def with_values(tokens: list[str], conda: bool = False) -> Iterator[tuple[str, str]]:
    """Yield each token; an option that takes a value with it, but for those of no interest."""
    rest = iter(tokens)
    for token in rest:
        name, equals, value = token.partition("=") if token.startswith("--") else (token, "", "")
        is_skipped = bool(_OF_NO_INTEREST.fullmatch(name))
        takes = is_skipped or name in (*FILES, *INDEXES, "--find-links", "--channel") or (conda and name == "-c")
        if takes:
            value = value if equals else next(rest, "")
        if not is_skipped:
            yield name, value
