"""What is in an environment, exactly, as a value: every package with the file that it came from, as far as is known.

From its metadata, conda's records and the locks of runs on this computer; nothing is run and no network is asked. A
file counts as known when a finished run locked that name and version in a wheel of the same tags, or pip noted its
address and digest. Passwords in addresses are left out.

One file: every form is written from the one value above it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.utils import parse_wheel_filename

from wizard.app.use.clone import CLONE_NOT_WHOLE
from wizard.compatibility.model import Plan, PlanSource
from wizard.environment.conda.records import owners_of_files, read_records, without_credentials
from wizard.environment.layout import site_packages
from wizard.environment.model import Environment
from wizard.install.lock import quoted
from wizard.model.distributions import FAMILY, Distribution, read_distributions
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.model.lock import LockedFile
from wizard.model.redact import redact
from wizard.project.changed import noted_clone
from wizard.run.plan.plan_file import read_plan
from wizard.run.run_folder import RunFolder, run_folders
from wizard.run.runs import run_info
from wizard.sources.table import official
from wizard.system import paths

EXPORT_NO_CONDA = ErrorText(
    "export-no-conda",
    "“{path}” is not a conda environment, so conda has no list of it.",
    "Choose another format[| (--format requirements, pylock or json)].",
)

_TOOLS = ("pip", "setuptools", "wheel")  # they come with the environment, as pip freeze says too
_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class File:
    url: str
    sha256: str
    size: int | None
    name: str


@dataclass(frozen=True, slots=True)
class Exported:
    """`owner`: conda's package, else None. `by_hand`: the address of what is in no index (a folder, a repository, a
    single file). `is_editable`: a folder of this computer, not a repository that pip has cloned into the environment.
    `is_secret`: of a file that only a login or a key gives, which the address here lacks."""

    name: str
    version: str
    installer: str
    owner: str | None
    file: File | None
    by_hand: str | None
    is_editable: bool = False
    is_secret: bool = False

    @property
    def is_public(self) -> bool:
        """Return whether pip gets what is in no index by its address on another computer."""
        is_far = (self.by_hand or "").startswith(("http", "git+http", "git+ssh", "hg+http", "svn+http"))
        return is_far and not (self.is_editable or self.is_secret)

    @property
    def is_tool(self) -> bool:
        return self.name in _TOOLS


@dataclass(frozen=True, slots=True)
class ExportedPackage:
    name: str
    version: str
    build: str
    subdir: str
    url: str
    md5: str
    sha256: str

    @property
    def channel(self) -> str:
        return self.url.rpartition("/")[0].removesuffix(f"/{self.subdir}")


@dataclass(frozen=True, slots=True)
class Export:
    """`sources`: of the run that set it up, else the official place of this build (`is_guessed`)."""

    environment: Environment
    packages: tuple[Exported, ...]
    conda: tuple[ExportedPackage, ...]
    sources: tuple[PlanSource, ...]
    is_guessed: bool

    @property
    def family(self) -> tuple[Exported, ...]:
        return tuple(each for each in self.packages if each.name in FAMILY)


def export_of(one: Environment) -> Export:
    """Raises UsageError `clone-not-whole` for an environment that is not there whole."""
    if one.state.value != "ok":
        raise UsageError(CLONE_NOT_WHOLE, path=str(one.prefix))
    site = site_packages(one.prefix, one.python)
    found = read_distributions((site,)) if site else ()
    runs = tuple(_finished_runs())
    known = _locked_files(folder for folder, _ in runs)
    owners = owners_of_files(one.prefix)
    packages = tuple(_exported(one.prefix, each, known, owners) for each in sorted(found, key=lambda each: each.name))
    plan = next((plan for _, plan in runs if Path(plan.prefix) == one.prefix), None)
    sources = _sources(plan, one)
    return Export(one, packages, tuple(_conda_packages(one.prefix)), sources, plan is None and bool(sources))


def _finished_runs() -> Iterator[tuple[RunFolder, Plan]]:
    """The newest first."""
    for folder in run_folders():
        try:
            plan = read_plan(folder.plan)
            if run_info(folder).state == "finished":
                yield folder, plan
        except WizardError:
            continue


def _locked_files(folders: Iterable[RunFolder]) -> Mapping[tuple[str, str], tuple[LockedFile, ...]]:
    from wizard.app.worker import read_run_lock

    found: dict[tuple[str, str], tuple[LockedFile, ...]] = {}
    for folder in folders:
        try:
            files = read_run_lock(folder).files
        except WizardError:
            continue
        for file in files:
            found[(file.name, file.version)] = (*found.get((file.name, file.version), ()), file)
    return found


def _exported(
    prefix: Path, one: Distribution, known: Mapping[tuple[str, str], tuple[LockedFile, ...]], owners: Mapping[str, str]
) -> Exported:
    direct = _direct_url(one.info)
    direct = noted_clone(str(direct.get("url") or ""), prefix / "src") or direct
    noted, archive = str(direct.get("url") or ""), direct.get("archive_info")
    url = redact(without_credentials(noted))
    is_secret = (isinstance(archive, dict) and url != noted) or "***" in url
    is_editable = (
        bool(direct.get("dir_info", {}).get("editable")) if isinstance(direct.get("dir_info"), dict) else False
    )
    inside = one.info.relative_to(prefix).as_posix() if prefix in one.info.parents else ""
    owner = owners.get(f"{inside}/METADATA") or owners.get(f"{inside}/RECORD") or owners.get(inside)
    file = _archived(url, archive) if isinstance(archive, dict) and "***" not in url else None
    locked = next((each for each in known.get((one.name, one.version), ()) if _is_of(each, one)), None)
    if file is None and locked is not None and not url:
        file = File(without_credentials(locked.urls[0]), locked.sha256, locked.size, locked.filename)
    by_hand = _versioned(url, direct) if url else None
    return Exported(one.name, one.version, one.installer, owner, file, by_hand, is_editable, is_secret)


def _direct_url(info: Path) -> dict[str, Any]:
    """PEP 610. Empty for what came from an index."""
    try:
        with (info / "direct_url.json").open("rb") as stream:
            data = json.loads(stream.read(_MOST_BYTES))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def _archived(url: str, archive: Mapping[str, Any]) -> File | None:
    hashes = archive.get("hashes")
    digest = hashes.get("sha256") if isinstance(hashes, dict) else None
    if not url.startswith(("https://", "http://")) or not isinstance(digest, str):
        return None
    return File(url, digest.lower(), None, url.rsplit("/", 1)[-1].partition("#")[0])


def _versioned(url: str, direct: Mapping[str, Any]) -> str:
    """`git+https://…@commit#subdirectory=…` of a repository."""
    vcs, inner = direct.get("vcs_info"), direct.get("subdirectory")
    if isinstance(vcs, dict) and vcs.get("vcs") and vcs.get("commit_id"):
        url = f"{vcs['vcs']}+{url}@{vcs['commit_id']}"
    return f"{url.partition('#')[0]}#subdirectory={inner}" if isinstance(inner, str) and inner else url


def _is_of(file: LockedFile, one: Distribution) -> bool:
    """A wheel of the same tags. An installed one without tags says nothing against it."""
    try:
        _, _, _, tags = parse_wheel_filename(file.filename)
    except ValueError:
        return False
    return not one.tags or bool({str(tag) for tag in tags} & set(_single(one.tags)))


def _single(tags: Iterable[str]) -> Iterator[str]:
    from packaging.tags import parse_tag

    for text in tags:
        yield from map(str, parse_tag(text))


def _sources(plan: Plan | None, one: Environment) -> tuple[PlanSource, ...]:
    if plan is not None:
        return plan.sources
    if one.torch is None or one.variant is None:
        return ()
    row = official("pytorch-wheels")
    return (PlanSource("torch", "simple", "official", row.address(one.variant), row.operator),)


def _conda_packages(prefix: Path) -> Iterator[ExportedPackage]:
    for record in read_records(prefix):
        url = without_credentials(record.url or "")
        named = (record.name, record.version, record.build, record.subdir)
        yield ExportedPackage(*named, url, record.md5 or "", record.sha256 or "")


def platform_words(conda: Iterable[ExportedPackage]) -> str:
    """conda's word for this system, from the records themselves."""
    return next((each.subdir for each in conda if each.subdir != "noarch"), paths.os_name())


# An export as text: requirements.txt for pip and uv, a lock (PEP 751), conda's environment.yml and list, JSON. Pure.
#
# torch and its companions are found by `--find-links` to their own pages, not by a further index: such an index lists
# other packages too, in older versions, and uv would then look for those nowhere else.

SCHEMA = 1
_NOT_IN_NAME = re.compile(r"[ :#/\\]")  # conda refuses these


def requirements_text(export: Export) -> str:
    """Raises UsageError `export-no-python`."""
    listed = [each for each in export.packages if not each.is_tool]
    if not listed:
        raise UsageError(
            "export-no-python",
            "There are no Python packages in “{path}”.",
            "Choose conda's format[| (--format conda)], or another environment.",
            path=str(export.environment.prefix),
        )
    lines = [*_heading(export, "uv pip install -r FILE"), *dict.fromkeys(_options(export))]
    lines += [_requirement(each) for each in listed]
    return "\n".join(lines) + "\n"


def _heading(export: Export, command: str, where: str = ", in an environment with this Python") -> Iterator[str]:
    one = export.environment
    yield f"# {one.name}: Python {one.python or '?'}, made with torch-wizard envs export"
    yield f"# To make it again{where}: {command}"


def _requirement(each: Exported) -> str:
    if each.by_hand is None:
        return f"{each.name}=={each.version}"
    if each.is_public:
        return f"{each.name} @ {each.by_hand}"
    return f"# not from an index: {each.name}=={each.version} ({each.by_hand})"


def _options(export: Export) -> Iterator[str]:
    """The official index is the tools' own default: it is named by saying nothing."""
    packages = [source for source in export.sources if source.role == "packages"]
    simple = [source.url for source in packages if source.url and source.layout == "simple"]
    is_replaced = bool(packages) and all(source.url for source in packages)
    for number, url in enumerate(simple):
        option = "--index-url" if number == 0 and is_replaced else "--extra-index-url"
        yield f"{option} {redact(without_credentials(url))}"
    for source in export.sources:
        if source.url and source.layout == "flat":
            yield f"--find-links {redact(without_credentials(source.url))}"
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
        raise UsageError(
            "export-no-hashes",
            "It is not known of any package in “{path}” which file it came from, so no lock can be written.",
            "Choose a list of requirements[| (--format requirements)]; only environments that this program has "
            "set up can be locked afterwards.",
            path=str(export.environment.prefix),
        )
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
        raise UsageError(EXPORT_NO_CONDA, path=str(export.environment.prefix))
    by_pip = [each for each in export.packages if not (each.owner or each.is_tool)]
    pip_lines = [
        line for line in (*dict.fromkeys(_options(export)), *map(_requirement, by_pip)) if not line.startswith("#")
    ]
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
        raise UsageError(EXPORT_NO_CONDA, path=str(export.environment.prefix))
    lines = ["# To make it again: conda create --name NAME --file FILE", f"# platform: {platform_words(export.conda)}"]
    lines += [f"# by pip, not in this list: {each.name}=={each.version}" for each in export.packages if not each.owner]
    lines.append("@EXPLICIT")
    lines += [f"{each.url}#{each.md5}" if each.md5 else each.url for each in export.conda if each.url]
    return "\n".join(lines) + "\n"


def export_document(export: Export) -> dict[str, Any]:
    """Return an export as JSON values; logins are taken out of the addresses."""
    one = export.environment
    return {
        "schema": SCHEMA,
        "name": one.name,
        "engine": one.kind.value,
        "python": one.python,
        "torch": one.torch,
        "variant": one.variant,
        "sources": [
            {
                "role": source.role,
                "layout": source.layout,
                "url": source.url and redact(without_credentials(source.url)),
            }
            for source in export.sources
        ],
        "packages": [_package_document(each) for each in export.packages],
        "conda": [
            {
                "name": each.name,
                "version": each.version,
                "build": each.build,
                "subdir": each.subdir,
                "url": each.url,
                "md5": each.md5 or None,
                "sha256": each.sha256 or None,
            }
            for each in export.conda
        ],
    }


def _package_document(each: Exported) -> dict[str, Any]:
    file = each.file
    return {
        "name": each.name,
        "version": each.version,
        "installer": each.installer or None,
        "conda": each.owner,
        "url": file.url if file else each.by_hand,
        "sha256": file.sha256 if file else None,
        "size": file.size if file else None,
        "editable": each.is_editable,
    }
