"""An export as text: requirements.txt for pip and uv, a lock (PEP 751), conda's environment.yml and list, JSON. Pure.

torch and its companions are found by `--find-links` to their own pages, not by a further index: such an index lists
other packages too, in older versions, and uv would then look for those nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from wizard.environments.conda_records import without_credentials
from wizard.errors import UsageError
from wizard.packages.lock import quoted
from wizard.plan.model import PlanSource
from wizard.session.export import Export, Exported, platform_words

SCHEMA = 1
_NOT_IN_NAME = re.compile(r"[ :#/\\]")  # conda refuses these


def requirements_text(export: Export) -> str:
    """Raises UsageError `export-no-python`."""
    listed = [each for each in export.packages if not each.is_tool]
    if not listed:
        raise UsageError("export-no-python", path=str(export.environment.prefix))
    lines = [*_heading(export, "uv pip install -r FILE"), *_options(export)]
    lines += [_requirement(each) for each in listed]
    return "\n".join(lines) + "\n"


def _heading(export: Export, command: str, where: str = ", in an environment with this Python") -> Iterator[str]:
    one = export.environment
    yield f"# {one.name}: Python {one.python or '?'}, made with torch-wizard envs export"
    yield f"# To make it again{where}: {command}"


def _requirement(each: Exported) -> str:
    if each.by_hand is None:
        return f"{each.name}=={each.version}"
    if each.by_hand.startswith(("http", "git+http", "git+ssh", "hg+http", "svn+http")) and not each.is_editable:
        return f"{each.name} @ {each.by_hand}"
    return f"# not from an index: {each.name}=={each.version} ({each.by_hand})"


def _options(export: Export) -> Iterator[str]:
    """The official index is the tools' own default: it is named by saying nothing."""
    packages = [source for source in export.sources if source.role == "packages"]
    simple = [source.url for source in packages if source.url and source.layout == "simple"]
    is_replaced = bool(packages) and all(source.url for source in packages)
    for number, url in enumerate(simple):
        option = "--index-url" if number == 0 and is_replaced else "--extra-index-url"
        yield f"{option} {without_credentials(url)}"
    for source in export.sources:
        if source.url and source.layout == "flat":
            yield f"--find-links {without_credentials(source.url)}"
    torch = next((source for source in export.sources if source.role == "torch"), None)
    if torch and torch.url and torch.layout == "simple" and torch.url not in simple:
        yield from (f"--find-links {page}" for page in _pages(torch, export))


def _pages(torch: PlanSource, export: Export) -> Iterator[str]:
    for each in export.family:
        yield f"{without_credentials(torch.url or '').rstrip('/')}/{each.name}/"


def pylock_text(export: Export) -> str:
    """Of the packages whose files are known. Raises UsageError `export-no-hashes`."""
    known = [each for each in export.packages if each.file]
    if not known:
        raise UsageError("export-no-hashes", path=str(export.environment.prefix))
    minor = ".".join((export.environment.python or "3").split(".")[:2])
    lines = ['lock-version = "1.0"', 'created-by = "torch-setup"', f"requires-python = {quoted(f'=={minor}.*')}"]
    for each in known:
        lines += ["", "[[packages]]", f"name = {quoted(each.name)}", f"version = {quoted(each.version)}"]
        lines.append(f"wheels = [{_wheel(each)}]")
    return "\n".join(lines) + "\n"


def _wheel(each: Exported) -> str:
    file = each.file
    assert file is not None  # the caller has chosen those that have one
    size = f", size = {file.size}" if file.size is not None else ""
    place = f"name = {quoted(file.name)}, url = {quoted(file.url)}{size}"
    return f"{{ {place}, hashes = {{ sha256 = {quoted(file.sha256)} }} }}"


def environment_yml(export: Export) -> str:
    """For `conda env create`: conda's packages by version, and pip's in a section of their own with their indexes.
    Strings are written as JSON, which YAML reads alike. Raises UsageError `export-no-conda`."""
    if not export.conda:
        raise UsageError("export-no-conda", path=str(export.environment.prefix))
    by_pip = [each for each in export.packages if not (each.owner or each.is_tool)]
    pip_lines = [line for line in (*_options(export), *map(_requirement, by_pip)) if not line.startswith("#")]
    channels = dict.fromkeys(each.channel for each in export.conda if each.url)
    lines = [*_heading(export, "conda env create -n NAME -f FILE", "")]
    lines += [line for line in map(_requirement, by_pip) if line.startswith("#")]
    lines += [f"name: {quoted(_NOT_IN_NAME.sub('-', export.environment.name))}", "channels:"]
    lines += [f"  - {quoted(channel)}" for channel in channels]
    lines += ["dependencies:", *(f"  - {quoted(f'{each.name}={each.version}')}" for each in export.conda)]
    if by_pip:
        lines += ["  - pip:", *(f"      - {quoted(line)}" for line in pip_lines)]
    return "\n".join(lines) + "\n"


def conda_text(export: Export) -> str:
    """As `conda list --explicit --md5`, with pip's packages as a remark. Raises UsageError `export-no-conda`."""
    if not export.conda:
        raise UsageError("export-no-conda", path=str(export.environment.prefix))
    lines = ["# To make it again: conda create --name NAME --file FILE", f"# platform: {platform_words(export.conda)}"]
    lines += [f"# by pip, not in this list: {each.name}=={each.version}" for each in export.packages if not each.owner]
    lines.append("@EXPLICIT")
    lines += [f"{each.url}#{each.md5}" if each.md5 else each.url for each in export.conda if each.url]
    return "\n".join(lines) + "\n"


def export_document(export: Export) -> dict[str, Any]:
    one = export.environment
    return {
        "schema": SCHEMA,
        "name": one.name,
        "engine": one.kind.value,
        "python": one.python,
        "torch": one.torch,
        "variant": one.variant,
        "sources": [
            {"role": source.role, "layout": source.layout, "url": source.url and without_credentials(source.url)}
            for source in export.sources
        ],
        "packages": [_package_document(each) for each in export.packages],
        "conda": [
            {"name": each.name, "version": each.version, "build": each.build, "subdir": each.subdir, "url": each.url,
             "md5": each.md5 or None, "sha256": each.sha256 or None}
            for each in export.conda
        ],
    }  # fmt: skip


def _package_document(each: Exported) -> dict[str, Any]:
    file = each.file
    return {
        "name": each.name, "version": each.version, "installer": each.installer or None, "conda": each.owner,
        "url": file.url if file else each.by_hand, "sha256": file.sha256 if file else None,
        "size": file.size if file else None, "editable": each.is_editable,
    }  # fmt: skip
