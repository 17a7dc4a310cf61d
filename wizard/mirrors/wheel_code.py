"""What the files inside a torch wheel say of its machine code. Pure: text or bytes in, values out; nothing is run.

`torch/version.py` names the CUDA. `torch/cuda/__init__.py` has, since torch 2.9, the table of that release's builds
(for Linux; Windows builds may differ). The compiled Python library holds the very string that
`torch.cuda.get_arch_list()` returns: the proof, but megabytes deep.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

ANY_HOST = "*"
_TABLE = "PYTORCH_RELEASES_CODE_CC"
_FLAGS = re.compile(rb"\x00((?:sm|compute)_\d{2,3}[af]?(?: (?:sm|compute)_\d{2,3}[af]?)+)\x00")
_ONE_FLAG = re.compile(rb"\x00((?:sm|compute)_\d{2,3})\x00")
_OVERLAP = 512  # the string may lie across two chunks
_PLAIN = re.compile(r"^(?:sm|compute)_\d{2,3}$")

Table = Mapping[str, Mapping[str, tuple[str, ...]]]  # CUDA -> host ("x86_64", "aarch64", "*") -> architectures


def _assigned(text: str) -> Iterable[tuple[str, ast.expr]]:
    """The names that a module sets at its top level. A module that does not parse sets none."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            yield node.target.id, node.value
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value


def parse_version_file(text: str) -> tuple[str | None, str | None]:
    """(version, CUDA) of `torch/version.py`: ("2.15.0+cu132", "13.2"); the CPU build has no CUDA."""
    values = {name: node.value for name, node in _assigned(text) if isinstance(node, ast.Constant)}
    version, cuda = values.get("__version__"), values.get("cuda")
    return version if isinstance(version, str) else None, cuda if isinstance(cuda, str) else None


def parse_release_table(text: str) -> Table:
    """{} when the table is not there or is of another form."""
    for name, node in _assigned(text):
        if name == _TABLE:
            try:
                return _table(ast.literal_eval(node))
            except (ValueError, TypeError, RecursionError, MemoryError):
                return {}
    return {}


def _table(value: object) -> Table:
    """By host since torch 2.13; before, one set for all."""
    if not isinstance(value, dict):
        return {}
    table: dict[str, dict[str, tuple[str, ...]]] = {}
    for cuda, by_host in value.items():
        hosts = by_host if isinstance(by_host, dict) else {ANY_HOST: by_host}
        table[str(cuda)] = {str(host): _architectures(codes) for host, codes in hosts.items()}
    return table


def _architectures(codes: object) -> tuple[str, ...]:
    if not isinstance(codes, (set, list, tuple)):
        raise TypeError("not a list of capabilities")
    numbers = sorted(code for code in codes if isinstance(code, int) and 10 <= code <= 999)
    return tuple(f"sm_{number}" for number in numbers)


def find_arch_flags(chunks: Iterable[bytes]) -> tuple[str, ...]:
    """The first list of architectures in a compiled library, read piece by piece; () when there is none.

    A build for one architecture has a list of one, which looks like any other name: taken if no other name is there.
    """
    rest, alone = b"", set[bytes]()
    for chunk in chunks:
        alone.update(_ONE_FLAG.findall(rest + chunk))
        found = _FLAGS.search(rest + chunk)
        if found:
            names = found[1].decode("ascii").split(" ")
            # sm_90a is code for 9.0 alone, beside the general code; it widens nothing.
            return tuple(dict.fromkeys(name for name in names if _PLAIN.match(name)))
        rest = (rest + chunk)[-_OVERLAP:]
    return (alone.pop().decode("ascii"),) if len(alone) == 1 else ()
