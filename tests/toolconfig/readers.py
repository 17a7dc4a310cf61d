"""The tools' own readers: what pip, uv and conda would find in a file. Nothing of ours is used here."""

from __future__ import annotations

import configparser
import io
import sys
from typing import Any

from ruamel.yaml import YAML

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_pip(content: bytes) -> dict[str, str]:
    """As pip does: text with any line end, RawConfigParser, names in one spelling. Bytes stand for themselves."""
    parser = configparser.RawConfigParser()
    parser.read_file(io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", errors="surrogateescape"))
    return {
        f"{section}.{name.lower().replace('_', '-').removeprefix('--')}": value
        for section in parser.sections()
        for name, value in parser.items(section)
    }


def read_uv(content: bytes) -> dict[str, Any]:
    return tomllib.loads(content.decode("utf-8-sig").replace("\r\n", "\n"))


def read_conda(content: bytes) -> dict[str, Any]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("gbk")
    loaded = YAML(typ="safe", pure=True).load(text)
    return loaded or {}
