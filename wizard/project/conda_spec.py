"""Says conda's package specs in pip's words: `pytorch::pytorch=1.11.0=py3.9_0` is torch, `==1.11.0` and a build."""

from __future__ import annotations

import re

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from wizard.project.model import FileLine, Statement, normalized

NAMES = {
    "pytorch": "torch",
    "pytorch-gpu": "torch",
    "pytorch-cpu": "torch",
    "py-opencv": "opencv-python",
    "pyg": "torch-geometric",
    "pytorch_geometric": "torch-geometric",
    **{f"pytorch-{part}": f"torch-{part}" for part in ("scatter", "sparse", "cluster", "spline-conv")},
}
_SPEC = re.compile(
    r"^(?:(?P<channel>[^\s:\[\]]+)::)?(?P<name>[A-Za-z0-9_][\w.-]*)\s*(?P<version>[^\s\[]+(?:\s*[,|]\s*[^\s\[]+)*)?"
    r"(?:\s+(?P<build>[^\s\[]+))?\s*(?:\[(?P<extra>.*)\])?$"
)
_AROUND = re.compile(r"\s*([<>!~=]=?|[,|])\s*")
_IN_BRACKETS = re.compile(r"(version|build)\s*=\s*[\"']?([^\"',\]]+)")


def conda_specifier(version: str) -> tuple[str, str]:
    """Return PEP 440 words and the build string of `=1.12.1`, `==2.0`, `1.11.*`, `>=1,<2`, `=1.11.0=py39_0`.

    A single `=` means that version and what begins with it. What cannot be said is any version.
    """
    version = version.strip().strip("\"'").split("|")[0]
    build = ""
    pinned = re.fullmatch(r"(==?|)\s*([^=<>!~,]+)=([^=<>!~,]+)", version)
    if pinned:
        version, build = f"=={pinned[2]}", pinned[3]
    parts = []
    for part in re.split(r"\s*,\s*", version):
        part = part.strip().replace(" ", "")
        if not part or part == "*":
            continue
        fuzzy = re.fullmatch(r"=?([0-9][^=<>!~]*)", part)
        if fuzzy:
            parts.append(f"=={fuzzy[1]}" if fuzzy[1].endswith("*") else f"=={fuzzy[1]}.*")
        else:
            parts.append(re.sub(r"^(~=|[<>!=]=?)", r"\1", part))
    specifier = ",".join(re.sub(r"(?<![.])\*$", ".*", part) for part in parts)
    try:
        SpecifierSet(specifier)
    except InvalidSpecifier:
        return "", build
    return specifier, build


def conda_statement(words: str, where: FileLine, group: str = "") -> Statement | None:
    """None: no package is named."""
    match = _SPEC.match(_AROUND.sub(r"\1", words.strip().strip("\"'")))
    if not match or match["name"].startswith("_"):
        return None
    # "conda create" writes name=1.2=build, people write "name =1.2", "name 1.2 build" and "name[version='>=1']".
    raw, build = match["version"] or "", match["build"] or ""
    if match["extra"]:
        inside = dict(_IN_BRACKETS.findall(match["extra"]))
        raw, build = inside.get("version", raw), inside.get("build", build)
    specifier, named = conda_specifier(raw)
    name = NAMES.get(match["name"].lower(), match["name"])
    return Statement(normalized(name), specifier, where, group=group, build=build or named, conda=True)
