"""Does PyTorch work here? Run by the Python that is to be tested; standard library and torch only, Python >= 3.6.

One JSON object per line, written at once, so that a crash or a hang keeps what was found before it: `begin`
names a check, `check` is its result, `summary` ends what counts; `speed` follows it, so that a measurement can fail
nothing. Every check is guarded on its own. The lines go
to a private copy of stdout; whatever a library prints on stdout lands on stderr. No words for people here:
the program that started this makes them. Not a benchmark: times and rates are single readings. One file on
purpose: the tested Python sees nothing of ours but this script.
"""

import contextlib
import faulthandler
import importlib
import importlib.util
import json
import os
import platform
import re
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Data = dict[str, Any]

SCHEMA = 1
TOLERANCE = 0.1  # float32 (or TF32) against float64: 1e-4 to 3e-2 is rounding, a wrong kernel is off by tens
PINNED_BYTES = 64 * 2**20
SIDES = (1024, 4096)  # of the measured matrices; four of the large ones take 256 MiB
SPEED_SECONDS = 0.3  # for the products of one size
MOST_PRODUCTS = 200
TOO_SLOW_SECONDS = 0.02  # for a small product: 0.1 TFLOP/s; a large one takes 64 times as long
LARGE_NEEDS_BYTES = 2**30
_MAX_WARNINGS = 5
_MAX_TEXT = 2000
_METADATA = re.compile(r"^(torch|torchvision|torchaudio|numpy)-([^-]+)(-py3\.\d+)?\.(dist|egg)-info$")
_ARCH = re.compile(r"^(sm|compute)_(\d{1,2})(\d)([af]?)$")


class Skipped(Exception):
    """The check does not apply; the argument is a reason code: not-installed, cpu-build, zeros-failed."""


class Doubtful(Exception):
    """A warning: the check's data, something is worth a look but torch works."""

    def __init__(self, data: "Data") -> None:
        super().__init__()
        self.data = data


class WrongResult(Exception):
    """The device computed something else than the processor. `data` is shown beside the message."""


class Voice:
    """The private copy of stdout. From its making on, file descriptor 1 is stderr for everyone else."""

    def __init__(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        self._descriptor = os.dup(1)
        os.dup2(2, 1)
        self._write(b"\n")  # a start-up hook of the environment may have left an unfinished line

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._descriptor, data) :]

    def say(self, event: str, **fields: Any) -> None:
        line = {"smoke": SCHEMA, "event": event}
        line.update(fields)
        self._write(json.dumps(line, default=str).encode("ascii") + b"\n")


class SmokeTest:
    """The checks in order. `torch` is None until it is imported; `device` is where tensors go."""

    def __init__(self, voice: Voice) -> None:
        self.voice = voice
        self.torch: Any = None
        self.device = "cpu"
        self.gpu_build = False
        self.gpu_works = False
        self._sink: Any = None
        self.states: dict[str, str] = {}

    def perform(self, name: str, function: "Callable[[], Data | None]", needs_gpu: bool = False) -> bool:
        """Runs one check and tells its result. KeyboardInterrupt alone passes: it means stop."""
        self.voice.say("begin", name=name)
        started = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = self._result(function, needs_gpu)
        said = [str(entry.message)[:_MAX_TEXT] for entry in caught if entry.category in (UserWarning, RuntimeWarning)]
        if said:
            result["warnings"] = said[:_MAX_WARNINGS]
        self.states[name] = result["state"]
        self.voice.say("check", name=name, seconds=round(time.perf_counter() - started, 6), **result)
        return bool(result["state"] in ("ok", "warning"))

    def _result(self, function: "Callable[[], Data | None]", needs_gpu: bool) -> "Data":
        try:
            if needs_gpu and not self.gpu_works:
                raise Skipped("zeros-failed" if self.gpu_build else "cpu-build")
            return {"state": "ok", "data": function() or {}}
        except Skipped as reason:
            return {"state": "skipped", "data": {"reason": str(reason)}}
        except Doubtful as doubt:
            return {"state": "warning", "data": doubt.data}
        except (Exception, SystemExit) as error:
            return {"state": "failed", "data": {}, "error": describe(error)}

    # -- in the order of the run

    def python(self) -> "Data":
        return {
            "version": platform.python_version(),
            "implementation": platform.python_implementation(),
            "executable": sys.executable,
            "prefix": sys.prefix,
            "packages": installed_versions(),
            "cuda_visible_devices": os.environ.get("CUDA_VISIBLE_DEVICES"),
        }

    def import_torch(self) -> "Data":
        self.torch = torch = importlib.import_module("torch")
        self.gpu_build = bool(torch.version.cuda or getattr(torch.version, "hip", None))
        return {
            "torch": str(torch.__version__),
            "cuda": torch.version.cuda,
            "hip": getattr(torch.version, "hip", None),
            "file": getattr(torch, "__file__", None),
        }

    def zeros(self) -> "Data":
        torch = self.torch
        if not self.gpu_build:
            expect(float((torch.zeros(1) + 1).item()) == 1.0, "0 + 1 is not 1 on the processor")
            return {"device": "cpu"}
        tensor = torch.zeros(1).cuda()
        torch.cuda.synchronize()
        expect(float(tensor.cpu().item()) == 0.0, "the zero that came back from the card is not zero")
        self.gpu_works, self.device = True, "cuda"
        return {"device": str(tensor.device)}

    def kernel(self) -> "Data":
        """`.cuda()` only copies. The first addition is the first code that was compiled for the card."""
        tensor = self.torch.zeros(1).cuda()
        started = time.perf_counter()
        value = float((tensor + 1).cpu().item())
        expect(value == 1.0, f"0 + 1 is {value!r} on the card")
        return {"first_kernel_seconds": round(time.perf_counter() - started, 6)}

    def build(self) -> "Data":
        return {"architectures": architectures(self.torch), "is_built": bool(self.torch.backends.cuda.is_built())}

    def devices(self) -> "Data":
        archs = architectures(self.torch)
        found = [self._device(index, archs) for index in range(self.torch.cuda.device_count())]
        data = {"count": len(found), "devices": found, "architectures": archs}
        bad = [device for device in found if device["kernels"] == "none" or device.get("error")]
        if not found or (bad and bad[0]["index"] == 0):
            cause = (bad[0].get("error") or "no kernels for it in this build") if bad else "none is visible"
            raise WrongResult(f"the first card cannot be used: {cause}", data)
        if bad:
            raise Doubtful(data)
        return data

    def _device(self, index: int, archs: "list[str]") -> "Data":
        properties = self.torch.cuda.get_device_properties(index)
        capability = (int(properties.major), int(properties.minor))
        device: Data = {
            "index": index,
            "name": str(properties.name),
            "capability": f"{capability[0]}.{capability[1]}",
            "memory_bytes": int(properties.total_memory),
            "kernels": kernels_for(capability, archs),
        }
        try:
            if hasattr(self.torch.cuda, "mem_get_info"):  # since torch 1.11
                device["free_bytes"] = int(self.torch.cuda.mem_get_info(index)[0])
            value = float((self.torch.zeros(1).to(f"cuda:{index}") + 1).cpu().item())
            expect(value == 1.0, f"0 + 1 is {value!r}")
        except Exception as error:
            device["error"] = describe(error)["message"]
        return device

    def matmul(self) -> "Data":
        torch = self.torch
        torch.manual_seed(0)
        left, right = torch.randn(256, 256), torch.randn(256, 256)
        actual = left.to(self.device) @ right.to(self.device)
        return self._compare(actual, left.double() @ right.double())

    def convolution(self) -> "Data":
        torch = self.torch
        torch.manual_seed(0)
        image, weight = torch.randn(1, 3, 32, 32), torch.randn(8, 3, 3, 3)
        conv2d = torch.nn.functional.conv2d
        return self._compare(
            conv2d(image.to(self.device), weight.to(self.device)), conv2d(image.double(), weight.double())
        )

    def _compare(self, actual: Any, reference: Any) -> "Data":
        difference = float((actual.cpu().double() - reference).abs().max().item())
        # "not <=" and not ">": NaN must fail too.
        if not difference <= TOLERANCE:
            raise WrongResult(f"differs from the processor's result by {difference!r}", {"device": self.device})
        return {"device": self.device, "max_difference": difference}

    def cudnn(self) -> "Data":
        cudnn = self.torch.backends.cudnn
        data = {"version": cudnn.version(), "available": bool(cudnn.is_available()), "enabled": bool(cudnn.enabled)}
        if not (data["available"] and data["enabled"]):
            raise Doubtful(data)
        return data

    def backends(self) -> "Data":
        data: Data = {"cuda_available": bool(self.torch.cuda.is_available()), "threads": self.torch.get_num_threads()}
        for name in ("cuda", "mps", "mkl", "mkldnn", "openmp"):
            backend = getattr(self.torch.backends, name, None)
            for question in ("is_built", "is_available"):
                if hasattr(backend, question):
                    data[f"{name}_{question}"] = bool(getattr(backend, question)())
        return data

    def streams(self) -> "Data":
        """Two streams, the second waiting for an event of the first: the order must hold, in the result and in time.

        The first has enough to do that a second one which did not wait would read before it has written.
        """
        cuda, torch = self.torch.cuda, self.torch
        source, busy = torch.ones(65536).to(self.device), torch.randn(512, 512).to(self.device)
        begin, middle, end = (cuda.Event(enable_timing=True) for _ in range(3))
        first, second = cuda.Stream(), cuda.Stream()
        first.wait_stream(cuda.current_stream())
        with cuda.stream(first):
            begin.record(first)
            for _ in range(20):
                self._sink = busy @ busy
            doubled = source * 2
            middle.record(first)
        second.wait_event(middle)
        with cuda.stream(second):
            result = doubled + 1
            end.record(second)
        second.synchronize()
        total = float(result.cpu().sum().item())
        expect(total == 196608.0, f"65536 times 2 + 1 over two streams is {total!r}")
        parts = [float(begin.elapsed_time(middle)), float(middle.elapsed_time(end))]
        expect(min(parts) >= 0.0, f"the second stream did not wait for the first: {parts!r} ms")
        return {"milliseconds": round(sum(parts), 3)}

    def precision(self) -> "Data":
        """bf16 and TF32 where the card has them (compute capability 8.0): coarser numbers, the same result roughly."""
        torch = self.torch
        if int(torch.cuda.get_device_properties(0).major) < 8:
            raise Skipped("older-card")
        torch.manual_seed(0)
        left, right = torch.randn(256, 256), torch.randn(256, 256)
        reference = left.double() @ right.double()
        limit = 0.02 * max(1.0, float(reference.abs().max().item()))
        found: Data = {}
        for name, product in (("bf16", self._bf16), ("tf32", self._tf32)):
            difference = float((product(left, right).cpu().double() - reference).abs().max().item())
            if not difference <= limit:
                raise WrongResult(f"{name} differs from double precision by {difference!r}", found)
            found[name] = difference
        return found

    def _bf16(self, left: Any, right: Any) -> Any:
        kind = self.torch.bfloat16
        return (left.to(self.device).to(kind) @ right.to(self.device).to(kind)).float()

    def _tf32(self, left: Any, right: Any) -> Any:
        settings = self.torch.backends.cuda.matmul
        before = settings.allow_tf32
        settings.allow_tf32 = True
        try:
            return left.to(self.device) @ right.to(self.device)
        finally:
            settings.allow_tf32 = before

    def peers(self) -> "Data":
        """Every pair of cards: may one read the other's memory, and does a copy between them arrive."""
        torch, count = self.torch, int(self.torch.cuda.device_count())
        if count < 2:
            raise Skipped("one-card")
        pairs = []
        for source in range(count):
            for target in range(count):
                if source != target:
                    direct = bool(torch.cuda.can_device_access_peer(source, target))
                    total = float(torch.ones(1024).to(f"cuda:{source}").to(f"cuda:{target}").cpu().sum().item())
                    expect(total == 1024.0, f"1024 ones became {total!r} on the way from card {source} to {target}")
                    pairs.append({"from": source, "to": target, "direct": direct})
        return {"pairs": pairs, "direct": sum(pair["direct"] for pair in pairs), "count": len(pairs)}

    def pinned(self) -> "Data":
        torch = self.torch
        host = torch.ones(PINNED_BYTES, dtype=torch.uint8).pin_memory()
        card = host.to(self.device)
        rates = {}
        for name, target, source in (("to_card", card, host), ("from_card", host, card)):
            torch.cuda.synchronize()
            started = time.perf_counter()
            for _ in range(4):
                target.copy_(source, non_blocking=True)
            torch.cuda.synchronize()
            rates[name + "_bytes_per_second"] = round(4 * PINNED_BYTES / (time.perf_counter() - started))
        expect(int(host.sum().item()) == PINNED_BYTES, "bytes changed on the way to the card and back")
        return dict(rates, bytes=PINNED_BYTES)

    def speed(self) -> "Data":
        """The fastest float32 product seen, in TFLOP/s. Bounded in time and memory; what goes wrong is no failure."""
        try:
            settings = self.torch.backends.cuda.matmul
            before = settings.allow_tf32
            settings.allow_tf32 = False
            try:
                return self._fastest()
            finally:
                settings.allow_tf32 = before
        except Exception:
            raise Skipped("not-measured") from None

    def _fastest(self) -> "Data":
        cuda, side = self.torch.cuda, SIDES[0]
        seconds = self._product_seconds(side)
        free = int(cuda.mem_get_info(0)[0]) if hasattr(cuda, "mem_get_info") else 0
        if seconds < TOO_SLOW_SECONDS and free >= LARGE_NEEDS_BYTES:
            side = SIDES[1]
            seconds = self._product_seconds(side)
        name = str(cuda.get_device_properties(0).name)
        return {"name": name, "side": side, "tflops": round(2 * side**3 / seconds / 1e12, 3)}

    def _product_seconds(self, side: int) -> float:
        """The shortest of many: a card at rest needs some products to reach its clock."""
        left, right = (self.torch.randn(side, side, device=self.device) for _ in range(2))
        self._sink = left @ right
        self.torch.cuda.synchronize()
        until, shortest = time.perf_counter() + SPEED_SECONDS, SPEED_SECONDS
        for _ in range(MOST_PRODUCTS):
            started = time.perf_counter()
            self._sink = left @ right
            self.torch.cuda.synchronize()
            shortest = min(shortest, time.perf_counter() - started)
            if time.perf_counter() > until:
                break
        return shortest

    def numpy(self) -> "Data":
        numpy = optional("numpy")
        back = (self.torch.from_numpy(numpy.arange(4.0)) * 2).numpy()
        expect(float(back.sum()) == 12.0, f"2 * (0 + 1 + 2 + 3) is {float(back.sum())!r}")
        return {"version": str(numpy.__version__)}

    def torchvision(self) -> "Data":
        torchvision, torch = optional("torchvision"), self.torch
        boxes = torch.tensor([[0.0, 0.0, 10.0, 10.0], [0.0, 0.0, 10.0, 9.0], [20.0, 20.0, 30.0, 30.0]])
        kept = torchvision.ops.nms(boxes.to(self.device), torch.tensor([0.9, 0.8, 0.7]).to(self.device), 0.5)
        expect(kept.cpu().tolist() == [0, 2], f"nms kept {kept.cpu().tolist()!r} of three boxes")
        return {"version": str(torchvision.__version__), "operator": "ops.nms", "device": self.device}

    def torchaudio(self) -> "Data":
        torchaudio, torch = optional("torchaudio"), self.torch
        tensors = [torch.tensor(values).to(self.device) for values in ([0.1, 0.2, 0.3], [1.0, 0.0], [0.5, 0.0])]
        filtered = [round(value, 3) for value in torchaudio.functional.lfilter(*tensors).cpu().tolist()]
        expect(filtered == [0.05, 0.1, 0.15], f"lfilter answered {filtered!r}")
        return {"version": str(torchaudio.__version__), "operator": "functional.lfilter", "device": self.device}

    def run(self) -> None:
        started = time.perf_counter()
        self.perform("python", self.python)
        if self.perform("import", self.import_torch):
            self.perform("zeros", self.zeros)
            self.perform("kernel", self.kernel, needs_gpu=True)
            self.perform("build", self.build)
            self.perform("devices", self.devices, needs_gpu=True)
            for name in ("matmul", "convolution"):
                self.perform(name, getattr(self, name))
            self.perform("cudnn", self.cudnn, needs_gpu=True)
            self.perform("backends", self.backends)
            self.perform("streams", self.streams, needs_gpu=True)
            self.perform("pinned", self.pinned, needs_gpu=True)
            self.perform("precision", self.precision, needs_gpu=True)
            self.perform("peers", self.peers, needs_gpu=True)
            for name in ("numpy", "torchvision", "torchaudio"):
                self.perform(name, getattr(self, name))
        failed = [name for name, state in self.states.items() if state == "failed"]
        seconds = round(time.perf_counter() - started, 6)
        self.voice.say("summary", ok=not failed, failed=failed, gpu_build=self.gpu_build, seconds=seconds)
        if self.gpu_works:
            self.perform("speed", self.speed)


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise WrongResult(otherwise)


def describe(error: BaseException) -> "Data":
    data: Data = {"type": type(error).__name__, "message": str(error)[:_MAX_TEXT]}
    if isinstance(error, WrongResult):
        data["message"] = str(error.args[0])[:_MAX_TEXT]
        if len(error.args) > 1:
            data["data"] = error.args[1]
    if isinstance(error, ImportError):
        data["module"] = error.name
    return data


def optional(name: str) -> Any:
    if importlib.util.find_spec(name) is None:
        raise Skipped("not-installed")
    return importlib.import_module(name)


def installed_versions() -> "Data":
    """By the names of their metadata folders: a package that cannot be imported has a version too.

    Not by importlib.metadata, which Python 3.6 and 3.7 lack; of several the first on the path counts, as there.
    """
    versions: Data = {}
    for folder in sys.path:
        with contextlib.suppress(OSError):
            for match in filter(None, (_METADATA.match(entry.name) for entry in Path(folder).iterdir())):
                versions.setdefault(match.group(1), match.group(2))
    return versions


def architectures(torch: Any) -> "list[str]":
    """What this build has machine code (sm_) or PTX (compute_) for; known without a card, too."""
    with contextlib.suppress(Exception):  # private, but get_arch_list() is empty where CUDA does not start
        return [str(arch) for arch in torch._C._cuda_getArchFlags().split()]
    return [str(arch) for arch in torch.cuda.get_arch_list()]


def kernels_for(capability: "tuple[int, int]", archs: "list[str]") -> str:
    """`cubin`, `ptx` or `none`; `unknown` when the build does not say what it holds."""
    answers = {_runs_on(capability, arch) for arch in archs}
    return next((kind for kind in ("cubin", "ptx") if kind in answers), "none" if archs else "unknown")


def _runs_on(capability: "tuple[int, int]", arch: str) -> str:
    match = _ARCH.match(arch)
    if not match:
        return "none"
    built_for = (int(match.group(2)), int(match.group(3)))
    if match.group(4) == "a":  # made for this one card family member, PTX too
        fits = built_for == capability
    elif match.group(1) == "sm" or match.group(4) == "f":
        fits = built_for[0] == capability[0] and built_for[1] <= capability[1]
    else:
        fits = built_for <= capability
    return ("cubin" if match.group(1) == "sm" else "ptx") if fits else "none"


def main() -> None:
    voice = Voice()
    faulthandler.enable()
    if hasattr(faulthandler, "register"):  # not on Windows: where did it hang, told when it is stopped
        faulthandler.register(signal.SIGTERM, chain=True)
    SmokeTest(voice).run()


if __name__ == "__main__":
    main()
