"""Holds what a companion gets (`setup --with NAME`) against brute force: uv asked for each release, the newest first.

`python benchmarks/companions.py RESULTS [NAME...]`: a line of JSON for each of 40 companions on four machines, appended
to RESULTS; cells that it has are not run again. Both sides see one torch index on loopback, made from the tables
(pages and metadata, no wheels); all else is asked of the package index. The rival knows nothing of our choice: torch is
free within the builds that run there, and the first release that goes with one of them is the best.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from packaging.version import Version

from wizard.app.refused_lock import with_lacking
from wizard.app.session import Session
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.machine.model import Driver, Gpu, Machine, PythonInstall
from wizard.model.capability import ComputeCapability
from wizard.model.distributions import FAMILY
from wizard.model.errors import WizardError
from wizard.model.lock import Lock
from wizard.model.messages import text
from wizard.run.model import Facts, SelectedBuild
from wizard.run.plan.checked_index import CheckedIndex
from wizard.run.plan.computed import Asker
from wizard.run.plan.held_back import held_back
from wizard.run.plan.other_packages import locked_somewhere
from wizard.run.plan.preview import lock_request
from wizard.sources.model import Layout, Origin, Source, UserSettings
from wizard.sources.read import Reader, default_index_url
from wizard.sources.remote_wheel import read_metadata
from wizard.sources.wanted import fitting_versions, platform_tags
from wizard.system import paths

COMPANIONS = [
    "accelerate",
    "bitsandbytes",
    "causal-conv1d",
    "deepspeed",
    "detectron2",
    "facenet-pytorch",
    "fbgemm-gpu",
    "flash-attn",
    "flash-linear-attention",
    "gptqmodel",
    "gsplat",
    "kornia",
    "lightning",
    "liger-kernel",
    "lmdeploy",
    "mamba-ssm",
    "mmcv",
    "natten",
    "open-clip-torch",
    "openai-whisper",
    "peft",
    "pyannote-audio",
    "sageattention",
    "sglang",
    "spconv-cu120",
    "speechbrain",
    "timm",
    "torch-geometric",
    "torch-scatter",
    "torchao",
    "torchcodec",
    "torchdata",
    "torchmetrics",
    "torchrec",
    "torchtext",
    "triton",
    "unsloth",
    "vllm",
    "whisperx",
    "xformers",
]
_TRIES, _SECONDS = 60, 240  # for a cell
_OFFICIAL = Source("official", Layout.SIMPLE, Origin.OFFICIAL, None)


def machine(system: str, card: str, capability: str, driver: str, python: str) -> Machine:
    cards = (Gpu("nvidia", card, None, ComputeCapability.parse(capability)),) if card else ()
    glibc = "2.39" if system == "linux" else None
    pythons = (PythonInstall(f"/nobody/python{python}", f"{python}.5", True),)
    return Machine(system, "x86_64", glibc, Driver(driver) if driver else None, cards, pythons=pythons)


MACHINES = {
    "5090": machine("linux", "NVIDIA GeForce RTX 5090", "12.0", "610.43.02", "3.12"),
    "1080ti": machine("linux", "NVIDIA GeForce GTX 1080 Ti", "6.1", "535.183.01", "3.11"),
    "4060-windows": machine("windows", "NVIDIA GeForce RTX 4060 Laptop GPU", "8.9", "576.88", "3.12"),
    "no-card": machine("linux", "", "", "", "3.13"),
}


class Index:
    """torch, torchvision and torchaudio as the tables name them: `url/simple/`; `url/MACHINE/` has what runs there."""

    def __init__(self) -> None:
        self._reader, self._matrix = Reader(), load_matrix()
        self._fits: dict[str, frozenset[tuple[str, str]]] = {}
        self._guard = threading.Lock()
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.answer))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_address[1]}"

    def limit(self, name: str, fits: frozenset[tuple[str, str]]) -> None:
        self._fits[name] = fits

    def answer(self, path: str) -> tuple[int, bytes]:
        _, place, project, *rest = path.split("/")
        if project not in FAMILY:
            return 404, b""
        if rest and rest[0]:
            metadata = self._metadata(project, rest[0].split("-")[1].split("%2B")[0].split("+")[0], "cpu" in rest[0])
            return (200, metadata) if metadata and rest[0].endswith(".metadata") else (404, b"")
        return 200, "".join(self._links(place, project)).encode()

    def _links(self, place: str, project: str) -> list[str]:
        found = []
        for build in self._matrix.builds:
            version = self._version(project, build.torch)
            is_there = place == "simple" or (build.torch, build.variant) in self._fits[place]
            if (
                not version
                or not is_there
                or build.platform.endswith("aarch64")
                or Version(build.torch) < Version("2.0")
            ):
                continue
            metadata = self._metadata(project, version, build.variant == "cpu")
            for python in build.pythons if metadata else ():
                tag = "cp" + python.replace(".", "")
                stem = f"{project}-{version}+{build.local_version or build.variant}-{tag}-{tag}"
                found += self._link(stem, build.platform, metadata or b"")
        return found

    def _link(self, stem: str, platform: str, metadata: bytes) -> list[str]:
        """Return the link with the SHA-256 that the tables hold; [] where they know that there is no such wheel."""
        names = [f"{stem}-{one}.whl" for one in (platform, f"manylinux_2_28_{platform[6:]}")]
        pins = {name: next(iter(self._matrix.pinned_sha256(name)), None) for name in names}
        free = [name for name in names if pins[name] or not self._matrix.contradicts_pin(name, "0")]
        name = max(free, key=lambda one: bool(pins[one]), default=None)
        if name is None or platform == "win_amd64" and name != names[0]:
            return []
        digest, own = pins[name] or hashlib.sha256(name.encode()).hexdigest(), hashlib.sha256(metadata).hexdigest()
        address = f"{name.replace('+', '%2B')}#sha256={digest}"
        return [f'<a href="{address}" data-dist-info-metadata="sha256={own}">{name}</a>\n']

    def _version(self, project: str, torch: str) -> str | None:
        release = self._matrix.releases[torch]
        return {"torch": torch, "torchvision": release.torchvision, "torchaudio": release.torchaudio}[project]

    def _metadata(self, project: str, version: str, is_cpu: bool) -> bytes | None:
        with self._guard:
            return self._read(project, version, is_cpu)

    @cache  # noqa: B019
    def _read(self, project: str, version: str, is_cpu: bool) -> bytes | None:
        """Return the package index's own, without what is a build's own: its CUDA packages."""
        offers = self._reader.offers(_OFFICIAL, project)
        offer = next((one for one in offers if str(one.version) == version and "x86_64" in one.filename), None)
        if offer is None:
            return None
        lines = read_metadata(self._reader.client, offer).decode().splitlines()
        dropped = ("nvidia", "cuda-", "triton") if is_cpu else ("nvidia", "cuda-")
        needs = tuple(f"Requires-Dist: {name}" for name in dropped)
        return "\n".join(line for line in lines if not line.startswith(needs)).encode()


def _handler(answer: Any) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = answer(self.path)
            self.send_response(status)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, format: str, *args: object) -> None: ...

    return Handler


def ours(session: Session, facts: Facts, index: Index, name: str) -> dict[str, Any]:
    """Return what the program locks, and what it says of it."""
    choices = Choices(torch_index=f"{index.url}/simple", extras=(name,), engine="venv")
    try:
        selected = session.select_build(facts, choices)
    except WizardError as error:
        return {"error": error.code, "said": [str(error)], "details": error.details}

    def lock(some: SelectedBuild) -> Lock:
        sources = (some.torch_source, *some.package_sources)
        checked_index = CheckedIndex(sources, facts.settings, Asker(choices, _never), some.further)
        with checked_index as checked, tempfile.TemporaryDirectory() as folder:
            return checked.lock(lock_request(facts, some), Path(folder))

    def refusal(line: str) -> str:
        try:
            lock(replace(selected, requirements=(*selected.requirements, line)))
        except WizardError as error:
            return error.details
        return ""

    try:
        found, selected = locked_somewhere(facts, choices, selected, lock, _never)
    except WizardError as error:
        error = with_lacking(error, facts, selected)
        return {"error": error.code, "said": [str(error)], "details": error.details}
    behind = held_back(facts, selected, found, _never, refusal)
    said = [text(one, "en") for one in (*selected.notices, *(one.said for one in behind))]
    file, torch = found.find(name), found.find("torch")
    return {"version": file and str(Version(file.version)), "torch": torch and torch.version, "said": said}


def rival(facts: Facts, place: str, name: str) -> dict[str, Any]:
    """Return the newest release of `name` that uv resolves with any torch of `place`, and how many were tried."""
    m = facts.machine
    python = m.pythons[0].minor
    with Reader(facts.settings) as reader:
        listed = fitting_versions(reader.offers(_OFFICIAL, name), python, platform_tags(python, m.os, m.arch, m.glibc))
    versions = sorted((one for one in listed if not one.is_prerelease), reverse=True)
    platform = "x86_64-pc-windows-msvc" if m.os == "windows" else "x86_64-manylinux_2_39"
    options = ["--python-version", f"{python}.99", "--python-platform", platform, "--only-binary", ":all:"]
    options += ["--config-file", str(_settings(place))]
    begun = time.monotonic()
    for tried, version in enumerate(versions[:_TRIES], 1):
        if time.monotonic() - begun > _SECONDS:
            return {"version": None, "tried": tried - 1, "newest": str(versions[0]), "is_cut": True}
        asked = f"{name}=={version}\ntorch\n"
        command = [str(paths.uv_executable()), "pip", "compile", "-q", "--no-header", "--no-annotate"]
        done = subprocess.run([*command, *options, "-"], input=asked, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            torch = next((line.split("==")[1] for line in done.stdout.splitlines() if line.startswith("torch==")), None)
            return {"version": str(version), "torch": torch, "tried": tried, "newest": str(versions[0])}
    return {"version": None, "tried": len(versions[:_TRIES]), "newest": str(versions[0]) if versions else None}


@cache
def _settings(place: str) -> Path:
    """Return uv.toml with `place` before the package index, of which no page is asked twice within an hour."""
    file = Path(tempfile.mkdtemp(prefix="torch-wizard-")) / "uv.toml"
    keep = 'cache-control = { api = "max-age=3600", files = "max-age=31536000, immutable" }'
    file.write_text(f'[[index]]\nurl = "{place}"\n[[index]]\nurl = "{default_index_url()}"\ndefault = true\n{keep}\n')
    return file


def _never() -> bool:
    return False


def kind(mine: dict[str, Any], best: dict[str, Any], name: str) -> str:
    """Return what the two come to.

    `agrees`: the newest that is listed for this Python and system; `told`: an older one, an older torch or none, and
    said so; `differs`: the other resolves a newer one, and what was said names the package; `missed`: that, and it does
    not; `silent`: older, and not said; `newer`: than the other's; `not compared`: it took too long."""
    is_named = any(name in one for one in mine["said"])
    version, other = mine.get("version"), best["version"]
    if best.get("is_cut"):
        return "not compared"
    if version != other and other and (not version or Version(version) < Version(other)):
        return "differs" if is_named else "missed"
    torches = [Version(one.partition("+")[0]) for one in (mine.get("torch"), best.get("torch")) if one]
    has_all = version is not None and version == best["newest"] and torches == sorted(torches, reverse=True)
    if has_all:
        return "agrees"
    return "told" if is_named else "newer" if version and version != other else "silent"


def of_nobody(settings: UserSettings) -> UserSettings:
    """Return the way to the network alone: what this computer's people have added is none of the comparison's."""
    way = {name: getattr(settings, name) for name in ("certificate", "proxy", "environment")}
    return UserSettings(**way)


def fits(session: Session, facts: Facts) -> frozenset[tuple[str, str]]:
    """Return the builds that run there: on the card where there is one."""
    candidates = session.propose(facts, Choices()).candidates
    return frozenset(
        (one.torch, one.variant)
        for one in candidates
        if one.fits and (one.variant == "cpu") == (not facts.machine.gpus)
    )


def main(results: Path, names: list[str]) -> None:
    session, index = Session(), Index()
    for project in FAMILY:  # read what the pages need before anybody waits for one
        index.answer(f"/simple/{project}/")
    done = {tuple(json.loads(line)["cell"]) for line in results.read_text().splitlines()} if results.exists() else set()
    for place, described in MACHINES.items():
        facts = session.facts_of(described)
        facts = replace(facts, settings=of_nobody(facts.settings))
        index.limit(place, fits(session, facts))
        for name in names or COMPANIONS:
            if (place, name) in done:
                continue
            started = time.monotonic()
            mine, best = ours(session, facts, index, name), rival(facts, f"{index.url}/{place}/", name)
            row = {"cell": [place, name], "kind": kind(mine, best, name), "ours": mine, "best": best}
            with results.open("a") as file:
                file.write(json.dumps(row) + "\n")
            seconds = f"{time.monotonic() - started:.0f} s"
            print(place, name, row["kind"], mine.get("version"), best["version"], seconds, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
