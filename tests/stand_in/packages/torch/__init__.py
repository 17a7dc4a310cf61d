"""A made-up torch: every tensor is one number on one device. `behaviour.json` beside it says what goes wrong.

Error texts are those of the real library (torch 2.x, c10/cuda and torch/cuda/__init__.py).
"""

import json
import os
import signal
import sys
import time
import warnings
from pathlib import Path
from types import SimpleNamespace

_B = json.loads(Path(__file__).with_name("behaviour.json").read_text(encoding="utf-8"))
_DO = _B.get("do", "work")
__version__ = _B["version"]
version = SimpleNamespace(cuda=_B.get("cuda"), hip=None)
uint8, bfloat16 = "uint8", "bfloat16"

NO_DRIVER = (
    "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver "
    "from http://www.nvidia.com/Download/index.aspx"
)
TOO_OLD = (
    "The NVIDIA driver on your system is too old (found version 12030). Please update your GPU driver by downloading "
    "and installing a new version from the URL: http://www.nvidia.com/Download/index.aspx Alternatively, go to: "
    "https://pytorch.org to install a PyTorch version that has been compiled with your version of the CUDA driver."
)
NO_KERNEL = "CUDA error: no kernel image is available for execution on the device"
ERRORS = {
    "no-driver": NO_DRIVER,
    "driver-too-old": TOO_OLD,
    "hidden": "No CUDA GPUs are available",
    "mismatch": "Unexpected error from cudaGetDeviceCount(). Error 803: system has unsupported display driver / cuda "
    "driver combination",
    "unknown-error": "CUDA unknown error - this may be due to an incorrectly set up environment",
    "out-of-memory": "CUDA out of memory. Tried to allocate 2.00 MiB.",
    "strange": "something that nobody has seen before",
}

if _DO == "prints":
    sys.stdout.write('{"smoke": 1, "event": "check", "name": "zeros", "state": "ok"}\nhello from a chatty library\n')
    sys.stdout.flush()
    os.write(1, b"raw bytes \xff\xfe without a line end")
if _B.get("library"):  # a compiled part that is really loaded
    import ctypes

    ctypes.CDLL(str(Path(__file__).with_name("lib") / "libtorch_cpu.so"))
if _B.get("cudnn"):  # the loader's own order decides which one comes, as for the real library
    import ctypes

    _OWN = str(Path(__file__).with_name("lib") / "libcudnn.so.9")
    try:
        ctypes.CDLL("libcudnn.so.9")
    except OSError:
        ctypes.CDLL(_OWN)
    if _OWN not in Path("/proc/self/maps").read_text(encoding="utf-8"):
        raise RuntimeError(
            "cuDNN version incompatibility: PyTorch was compiled against (9, 19, 0) but found runtime version "
            "(8, 9, 2). PyTorch already comes bundled with cuDNN. One option to resolving this error is to ensure "
            "PyTorch can find the bundled cuDNN. one possibility is that there is a conflicting cuDNN in "
            "LD_LIBRARY_PATH."
        )
if _B.get("numpy_bound"):
    from importlib import metadata

    if int(metadata.version("numpy").split(".")[0]) >= _B["numpy_bound"]:
        _DO = "numpy-1"
if _DO == "import-error":
    raise ImportError("libcudart.so.13: cannot open shared object file: No such file or directory")
if _DO == "exits":
    raise SystemExit(7)
if _DO == "leaves":
    os._exit(0)
if _DO == "numpy-1":
    warnings.warn("Failed to initialize NumPy: _ARRAY_API not found", stacklevel=1)


class Tensor:
    def __init__(self, value, device="cpu", size=1, side=0):
        self.value, self.device, self.size, self.side = value, device, size, side

    def _new(self, value):
        if self.device != "cpu" and _DO == "no-kernels":
            raise RuntimeError(NO_KERNEL)
        return Tensor(value, self.device, self.size)

    def cuda(self):
        if _DO == "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        if _DO == "hang":
            time.sleep(600)
        if version.cuda is None:
            raise AssertionError("Torch not compiled with CUDA enabled")
        if _DO in ERRORS:
            raise RuntimeError(ERRORS[_DO])
        if _DO == "no-kernels":
            warnings.warn(
                "NVIDIA GeForce GTX 1060 with CUDA capability sm_61 is not compatible with the current PyTorch "
                "installation.",
                stacklevel=2,
            )
        return Tensor(self.value, "cuda:0", self.size)

    def to(self, device):
        if device == bfloat16:
            return self
        return Tensor(self.value, "cuda:0" if device == "cuda" else device, self.size)

    def cpu(self):
        return Tensor(self.value, "cpu", self.size)

    def item(self):
        return self.value

    def double(self):
        return self

    def float(self):
        return self._new(self.value + (9.0 if _DO == "wrong-bf16" else 0.0))

    def pin_memory(self):
        return self

    def copy_(self, other, non_blocking=False):
        self.value = other.value

    def numpy(self):
        if _DO == "numpy-1":
            raise RuntimeError("Numpy is not available")
        return self

    def sum(self):
        return Tensor(self.value * self.size)

    def max(self):
        return self

    def abs(self):
        return Tensor(abs(self.value), self.device, self.size)

    def __add__(self, other):
        return self._new(self.value + other)

    def __sub__(self, other):
        return self._new(self.value - other.value)

    def __mul__(self, other):
        return self._new(self.value * other)

    def __matmul__(self, other):
        if self.side:  # a product that is measured
            time.sleep(2 * self.side**3 / (_B.get("tflops", 400) * 1e12))
        wrong = 40.0 if _DO == "wrong-results" and self.device != "cpu" else 0.0
        return self._new(self.value * other.value + wrong)

    def __float__(self):
        return float(self.value)


def zeros(size):
    return Tensor(0.0)


def ones(size, dtype=None):
    return Tensor(1 if dtype == uint8 else 1.0, size=size)


def randn(*shape, device="cpu"):
    if _DO == "no-room-for-more" and device != "cpu":
        raise RuntimeError(ERRORS["out-of-memory"])
    if _DO == "crash-when-measured" and device != "cpu":
        os.kill(os.getpid(), signal.SIGSEGV)
    return Tensor(0.5, device, side=0 if device == "cpu" else shape[0])


def tensor(values):
    return Tensor(0.0)


def from_numpy(array):
    return Tensor(array.sum())


def manual_seed(seed):
    pass


def get_num_threads():
    return 2


class _Event:
    def __init__(self, enable_timing=False):
        pass

    def record(self, stream=None):
        pass

    def elapsed_time(self, other):
        return -0.25 if _DO == "streams-out-of-order" else 0.25


class _Stream:
    def wait_stream(self, other):
        pass

    def wait_event(self, event):
        pass

    def synchronize(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        return None


_CAPABILITY = _B.get("capability", [8, 6])
cuda = SimpleNamespace(
    synchronize=lambda: None,
    is_available=lambda: _DO == "work" and version.cuda is not None,
    device_count=lambda: _B.get("cards", 1),
    can_device_access_peer=lambda source, target: _DO != "no-peers",
    get_device_properties=lambda index: SimpleNamespace(
        name=_B.get("name", "NVIDIA GeForce RTX 3060"),
        major=_CAPABILITY[0],
        minor=_CAPABILITY[1],
        total_memory=12 * 2**30,
    ),
    mem_get_info=lambda index: (11 * 2**30, 12 * 2**30),
    get_arch_list=lambda: [],
    current_stream=_Stream,
    Stream=_Stream,
    Event=_Event,
    stream=lambda stream: stream,
)
_C = SimpleNamespace(_cuda_getArchFlags=lambda: _B.get("archs", "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"))
if not _B.get("memory_info", True):  # before torch 1.11
    del cuda.mem_get_info
nn = SimpleNamespace(functional=SimpleNamespace(conv2d=lambda image, weight: image @ weight))
backends = SimpleNamespace(
    cuda=SimpleNamespace(is_built=lambda: version.cuda is not None, matmul=SimpleNamespace(allow_tf32=False)),
    cudnn=SimpleNamespace(version=lambda: 91900, is_available=lambda: True, enabled=True),
)

if _DO == "crash-at-exit":
    import atexit

    atexit.register(os.abort)
