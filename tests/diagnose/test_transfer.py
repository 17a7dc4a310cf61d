"""What a repair says about its download: only what is not here yet, at the speed that a race has measured."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.diagnose.world import CUDNN, HEALTHY, Patient
from wizard.diagnose.repair.plan import RepairPreview, measured_rates, transfer_of
from wizard.model.lock import LockedFile
from wizard.model.messages import message, text
from wizard.sources.benchmark import Benchmark, save_benchmark
from wizard.sources.model import Availability, Layout, Origin, Source, SourceKind, SourceStatus, UserSettings
from wizard.sources.speed import network_fingerprint
from wizard.system import paths
from wizard.transfer.download import Downloads

NEAR = Source("near", Layout.SIMPLE, Origin.BY_HAND, "https://near.example/whl")


def race(rate: float | None, host: str | None, asked: float, network: str, name: str = "near") -> Benchmark:
    source = replace(NEAR, id=name)
    complete, words = Availability.COMPLETE, message("truth.complete")
    status = SourceStatus(source, complete, words, 0.1, asked, final_host=host, rate=rate)
    return Benchmark(SourceKind.TORCH, "torch", (status,), asked, network)


def wheel(name: str, host: str, size: int = 60_000_000) -> LockedFile:
    return LockedFile(name, "1.0", f"{name}.whl", (f"https://{host}/{name}.whl",), "ab" * 32, size)


def test_only_races_of_this_network_and_day_count(tmp_path: Path) -> None:
    now, here = time.time(), network_fingerprint(UserSettings())
    save_benchmark(tmp_path / "a.json", race(1e6, "files.near.example", now - 900, here))
    save_benchmark(tmp_path / "b.json", race(2e6, "files.near.example", now - 60, here))
    save_benchmark(tmp_path / "c.json", race(9e6, "far.example", now - 60, "another network", "far"))
    save_benchmark(tmp_path / "d.json", race(9e6, "old.example", now - 90_000, here, "old"))
    save_benchmark(tmp_path / "e.json", race(None, "silent.example", now - 60, here, "silent"))
    rates = measured_rates(UserSettings(), (NEAR,), tmp_path, now)
    assert rates == {"files.near.example": 2e6, "near.example": 2e6}


def test_the_time_is_that_of_each_host() -> None:
    files = (wheel("one", "near.example"), wheel("two", "slow.example"))
    found = transfer_of(files, {"near.example": 3e6, "slow.example": 1e6})
    assert (found.count, found.size, found.rate) == (2, 120_000_000, 1.5e6)
    assert transfer_of(files, {"near.example": 3e6}).rate is None, "half a measurement is none"
    assert transfer_of((), {}).size == 0


def download(preview: RepairPreview) -> str:
    return next(text(each, "en") for each in preview.changes if each.key.startswith("doctor.change.download"))


@pytest.mark.slow
def test_a_repair_counts_what_is_left_and_says_what_is_measured(patient: Patient) -> None:
    patient.install(f"nvidia_cudnn_cu12-{'8.9.2'}")
    library = patient.site / "torch" / "lib" / "libtorch_cpu.so"
    library.write_bytes(library.read_bytes()[:3000])
    first = patient.plan()
    sizes = {file.name: file.size or 0 for file in first.lock.files}
    assert set(sizes) == {"torch", "nvidia-cudnn-cu12"}
    assert first.download_bytes == sum(sizes.values())
    assert "has not been measured" in download(first)

    store, cudnn = Downloads(paths.downloads_dir()), first.lock.find("nvidia-cudnn-cu12")
    assert cudnn
    here = store.path_for(cudnn)
    here.parent.mkdir(parents=True)
    here.write_bytes(next((patient.wheels / "packages").glob(f"nvidia_cudnn_cu12-{CUDNN}-*.whl")).read_bytes())
    assert hashlib.sha256(here.read_bytes()).hexdigest() == cudnn.sha256
    save_benchmark(
        paths.cache_dir() / "mirror-races" / "x.json",
        race(2e6, "127.0.0.1", time.time(), network_fingerprint(patient.session.facts_of(patient.machine).settings)),
    )
    second = patient.plan()
    assert second.download_bytes == sizes["torch"]
    assert "(packages: 1): 1 min at the speed that was measured (2 MB/s)." in download(second)
    servers = (patient.world.packages, patient.world.torch)
    before = sum(server.bytes_sent for server in servers)
    assert patient.carry_out(second).returncode == 0
    sent = sum(server.bytes_sent for server in servers) - before
    assert sizes["torch"] <= sent <= 1.1 * sizes["torch"], "what was said is what comes"
    patient.install(HEALTHY[0])
    cut = library.read_bytes()[:3000]
    library.unlink()  # as a tool does it that writes anew; an edit in place would be the store's, too
    library.write_bytes(cut)
    assert download(patient.plan()) == "Nothing has to be downloaded: the files are here already."
