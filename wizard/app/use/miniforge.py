"""Miniforge for who wants conda itself: found, fetched, checked, installed; one use case for the window and terminal.

The newest release and its SHA-256 come from the official place over https; the bytes from there, from a mirror, or from
a folder or class server that was named (a lab's own copy): believed by that SHA-256 alone.
Nothing is installed before a person has agreed to the licence. A killed start is resumed by the next one: the bytes
that came are kept, a half-made folder is removed first. PATH and shell files are left alone.

One file: each refusal stands where it is found, with its sentences.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from wizard.environment.conda import miniforge_install
from wizard.environment.conda.miniforge import InstallerRow, check_root, miniforge_table, no_place, propose_root
from wizard.environment.conda.miniforge_install import begun_at
from wizard.environment.model import OnProgress
from wizard.environment.naming import BAD_PREFIX, absolute_prefix
from wizard.machine.host.operating_system import normal_arch
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import Message, message
from wizard.process import redact
from wizard.sources.table import mirror_rows, official
from wizard.system import paths
from wizard.transfer.address import join_path
from wizard.transfer.download import Downloads, Fetcher, FetchProgress
from wizard.transfer.download.fetcher import Options
from wizard.transfer.download.sizes import with_sizes
from wizard.transfer.download.transport import file_path
from wizard.transfer.http import Client
from wizard.transfer.proxy.environment import present_environment, with_direct
from wizard.transfer.proxy.model import Network

BOOTSTRAP_NO_HASH = ErrorText(
    "bootstrap-no-hash",
    "The official SHA-256 of {file} can't be read, so no installer was fetched or run.",
    "Check the network or the proxy and try again.",
)
BOOTSTRAP_NO_RELEASE = ErrorText(
    "bootstrap-no-release",
    "The newest Miniforge release can't be found out at {source}.",
    "Check the network or the proxy and try again, or install Miniforge yourself from its web page.",
)

KIND = "miniforge-installers"
_TAG = re.compile(r"/releases/tag/v?(\d+\.\d+[\w.+-]*)/?$")
_RELEASE = re.compile(r"\d{1,4}\.\d{1,4}[0-9A-Za-z.+-]{0,40}")
_SHA256 = re.compile(r"^\s*([0-9a-fA-F]{64})(?:\s|$)")
_MOST_BYTES = 4096  # of a page that is only looked at


@dataclass(frozen=True, slots=True)
class InstallerPlaces:
    """Where releases are: `latest` leads on to .../releases/tag/<version>; `mirrors` hold the newest one's files."""

    latest: str
    mirrors: tuple[str, ...] = ()

    def official_file(self, version: str, name: str) -> str:
        return join_path(self.latest.removesuffix("/latest"), "download", version, name)


@dataclass(frozen=True, slots=True)
class BootstrapPlan:
    """Everything that will be done. `changes`: in words, the licence last."""

    prefix: Path
    version: str
    file: LockedFile
    row: InstallerRow
    environment: Mapping[str, str]
    changes: tuple[Message, ...]
    from_near: bool = False


@dataclass(frozen=True, slots=True)
class Bootstrapped:
    prefix: Path
    conda: Path
    version: str  # of conda
    message: Message


def installer_places(mirror: str | None = None) -> InstallerPlaces:
    """`mirror`: the id of one in `matrices/mirrors.toml`, asked before the official place; without one, the others come
    after it. Raises UsageError `bootstrap-no-mirror` for an id that is none."""
    mirrors = {row.id: row.address() for row in mirror_rows() if row.kind == KIND and row.id != "official"}
    if mirror is not None and mirror not in ("official", *mirrors):
        raise UsageError(
            "bootstrap-no-mirror",
            "No mirror called “{mirror}” has Miniforge.",
            "Take “official” or one of these: {known}.",
            mirror=mirror,
            known=", ".join(mirrors) or "-",
        )
    chosen = (mirrors[mirror],) if mirror not in (None, "official") else tuple(mirrors.values())
    return InstallerPlaces(official(KIND).address(), chosen)


@dataclass(frozen=True, slots=True)
class Near:
    """A lab's own copy. `base`: address of the folder that holds the installer; `release`: the one that it is."""

    base: str | None = None
    release: str | None = None


def near_copy(spec: str | None, release: str | None) -> Near:
    """As a person types them. Raises UsageError `bootstrap-no-near`, `bootstrap-bad-release`."""
    if release is not None and not _RELEASE.fullmatch(release):
        raise UsageError(
            "bootstrap-bad-release",
            "“{release}” is not a release of Miniforge.",
            "Write it as in the installer's name, such as 25.3.1-0, or leave it out for the newest.",
            release=release[:80],
        )
    if spec is None:
        return Near(None, release)
    if urlsplit(spec).scheme in ("http", "https") and urlsplit(spec).hostname:
        return Near(spec, release)
    folder = Path(spec).expanduser().absolute()
    if not folder.is_dir():
        raise UsageError(
            "bootstrap-no-near",
            "“{place}” is neither a folder nor a web address.",
            "Name the folder that holds the installer, such as the folder “program” of a class, or its address.",
            place=redact(spec),
        )
    return Near(folder.as_uri(), release)


def plan_bootstrap(
    prefix: str | None = None,
    mirror: str | None = None,
    environment: Mapping[str, str] | None = None,
    places: InstallerPlaces | None = None,
    near: Near | None = None,
    on_ask: Callable[[], None] = lambda: None,
) -> BootstrapPlan:
    """For this computer. Asks the official place; changes nothing. `environment`: the way to the network; `on_ask`:
    the place will do, and the network is asked now.

    Raises UsageError for a place or a system that cannot be, WizardError bootstrap-no-release, bootstrap-no-hash.
    """
    near = near or Near()
    row = miniforge_table().row(paths.os_name(), normal_arch(platform.machine()))
    root = _root(prefix, row)
    if begun_at(root) is None:
        check_root(root, row)
    places = places or installer_places(mirror)
    known = dict(present_environment(Network()) if environment is None else environment)
    on_ask()
    client = Client(environment=known)
    try:
        version = near.release or _newest(client, places)
        name = row.filename(version)
        origin = places.official_file(version, name)
        sha256 = _official_sha256(client, f"{origin}.sha256", name)
    finally:
        client.close()
    mirrored = tuple(join_path(place, name) for place in places.mirrors)
    urls = (*mirrored, origin) if mirror not in (None, "official") else (origin, *mirrored)
    if near.base:
        urls, known = (join_path(near.base, name), *urls), with_direct(known, (near.base,))
    file = LockedFile("miniforge", version, name, urls, sha256)
    return BootstrapPlan(root, version, file, row, known, _changes(root, version, name, urls[0]), bool(near.base))


def with_size(plan: BootstrapPlan) -> BootstrapPlan:
    """With the installer's size where a source tells it: asked by one byte."""
    if plan.from_near:
        return plan
    return replace(plan, file=with_sizes(Lock((plan.file,), ""), plan.environment).files[0])


def bootstrap(
    plan: BootstrapPlan,
    agreed: bool,
    on_progress: OnProgress = lambda done, total, words: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Bootstrapped:
    """`agreed`: a person has said yes to the licence. Raises UsageError `bootstrap-needs-yes`, WizardError `fetch-…`,
    `bootstrap-…`, Cancelled; the bytes that came are kept, nothing else is left."""
    licence = miniforge_table().licence
    if not agreed:
        raise UsageError(
            "bootstrap-needs-yes",
            "Miniforge comes under the {licence} licence ({url}); it is installed only when you agree.",
            "Read it, then say yes[| (--yes)].",
            licence=licence.name,
            url=licence.url,
        )
    if begun_at(plan.prefix) is None:
        check_root(plan.prefix, plan.row)
    installer = _fetched(plan, on_progress, is_cancelled)
    on_progress(
        0,
        None,
        message(
            "bootstrap.install",
            "Installing Miniforge {version} into {path}",
            version=plan.version,
            path=str(plan.prefix),
        ),
    )
    info = miniforge_install.install(plan.row, installer, plan.prefix, plan.environment, is_cancelled)
    conda = plan.prefix / plan.row.conda
    done = message(
        "bootstrap.done",
        "Miniforge {version} is in {path}. Use it [on the page {page.place}|with --conda {path}], or as `{command}`.",
        version=plan.version,
        path=str(plan.prefix),
        command=str(conda),
    )
    return Bootstrapped(plan.prefix, conda, info.version, done)


def _root(prefix: str | None, row: InstallerRow) -> Path:
    if prefix is not None:
        if not prefix.strip() or "\0" in prefix:
            raise UsageError(BAD_PREFIX, path=prefix)
        return absolute_prefix(prefix)
    interrupted = next((begun.prefix for begun in miniforge_install.unfinished()), None)
    proposed = interrupted or propose_root(row, os.environ)
    if proposed is None:
        raise no_place(row, os.environ)
    return proposed


def _newest(client: Client, places: InstallerPlaces) -> str:
    """The official place sends us on to the newest release: its tag is the last part of the address."""
    host = urlsplit(places.latest).hostname or ""
    try:
        page = client.get(places.latest, host, {"Accept": "text/html"}, _MOST_BYTES)
    except WizardError as error:
        raise WizardError(BOOTSTRAP_NO_RELEASE, details=f"{error}\n{error.details}", source=host) from error
    found = _TAG.search(urlsplit(page.url).path)
    if page.status != 200 or found is None:
        raise WizardError(BOOTSTRAP_NO_RELEASE, details=f"{page.status} {page.url}", source=host)
    return found[1]


def _official_sha256(client: Client, url: str, name: str) -> str:
    try:
        page = client.get(url, urlsplit(url).hostname or "", {"Accept-Encoding": "identity"}, _MOST_BYTES)
    except WizardError as error:
        raise WizardError(BOOTSTRAP_NO_HASH, details=f"{error}\n{error.details}", file=name) from error
    found = parse_sha256(page.text, name) if page.status == 200 else None
    if found is None:
        raise WizardError(BOOTSTRAP_NO_HASH, details=f"{page.status} {page.url}\n{page.text[:200]}", file=name)
    return found


def parse_sha256(document: str, name: str) -> str | None:
    """`<hash>  ./<name>`, as sha256sum writes it; None when it is of another file or no hash at all."""
    found = _SHA256.match(document)
    named = document.split()[1:2]
    if found is None or (named and Path(named[0].lstrip("*")).name != name):
        return None
    return found[1].lower()


def _fetched(plan: BootstrapPlan, on_progress: OnProgress, is_cancelled: Callable[[], bool]) -> Path:
    words = message("bootstrap.fetch", "Fetching {file}", file=plan.file.filename)

    def tell(progress: FetchProgress) -> None:
        on_progress(progress.done, progress.total, words)

    fetcher = Fetcher(
        Downloads(paths.downloads_dir()), options=Options(environment=plan.environment, allow_http=plan.from_near)
    )
    return fetcher.fetch([plan.file], tell, is_cancelled=is_cancelled).paths[0]


def _changes(prefix: Path, version: str, name: str, url: str) -> tuple[Message, ...]:
    licence = miniforge_table().licence
    will = message(
        "bootstrap.will",
        "Miniforge {version} is installed into {path}: {file} from {source}, checked by the "
        "official SHA-256. PATH and your shell's files are not touched.",
        version=version,
        path=str(prefix),
        file=name,
        source=urlsplit(url).hostname or str(file_path(url).parent),
    )
    return (
        will,
        message(
            "bootstrap.licence",
            "Licence: {licence}, {url}. {note}",
            licence=licence.name,
            url=licence.url,
            note=licence.note,
        ),
    )
