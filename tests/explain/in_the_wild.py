"""Errors as people paste them into public threads: (what the row is called, the text). Paths and names are made up.

Beside `samples.py`, which holds the one plain shape of each row: here are the other shapes, with the lines around them.
"""

# ruff: noqa: E501 - the lines are as the tools print them
from __future__ import annotations

WILD: tuple[tuple[str, str], ...] = (
    # calculations on the card
    (
        "cufft",
        '  File "/env/lib/python3.10/site-packages/torch/functional.py", line 632, in stft\n    return _VF.stft(input, n_fft, hop_length, win_length, window,\nRuntimeError: cuFFT error: CUFFT_INTERNAL_ERROR',
    ),
    ("cufft", "RuntimeError: cuFFT error: CUFFT_EXEC_FAILED"),
    (
        "cusolver",
        "RuntimeError: cusolver error: CUSOLVER_STATUS_INTERNAL_ERROR, when calling `cusolverDnCreate(handle)`",
    ),
    (
        "cusolver",
        "torch._C._LinAlgError: cusolver error: CUSOLVER_STATUS_EXECUTION_FAILED, when calling `cusolverDnXsyevd( handle, params, jobz)`. This error may appear if the input matrix contains NaN.",
    ),
    (
        "cublas-failed",
        "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm( handle, opa, opb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc)`",
    ),
    (
        "cublas-failed",
        "RuntimeError: CUDA error: CUBLAS_STATUS_INVALID_VALUE when calling `cublasSgemm( handle, opa, opb, m, n, k)`",
    ),
    (
        "cublas-failed",
        "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling `cublasGemmEx( handle, opa, opb, m, n, k)`",
    ),
    ("cublas-notinit", "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
    (
        "cublas-mixed",
        "Could not load library libcublasLt.so.12. Error: libcublasLt.so.12: symbol cublasLtGetVersion, version libcublasLt.so.12 not defined",
    ),
    (
        "cublas-mixed",
        "OSError: /env/lib/python3.10/site-packages/torch/lib/../../nvidia/cublas/lib/libcublas.so.11: undefined symbol: cublasLtGetStatusString, version libcublasLt.so.11",
    ),
    (
        "illegal-memory",
        "RuntimeError: CUDA error: an illegal memory access was encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1.",
    ),
    (
        "illegal-memory",
        "torch.AcceleratorError: CUDA error: an illegal memory access was encountered\nSearch for `cudaErrorIllegalAddress' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.",
    ),
    (
        "illegal-memory",
        "terminate called after throwing an instance of 'c10::Error'\n  what():  CUDA error: misaligned address",
    ),
    (
        "illegal-memory",
        "RuntimeError: cuda runtime error (700) : an illegal memory access was encountered at /pytorch/aten/src/THC/THCCachingHostAllocator.cpp:278",
    ),
    (
        "launch-failure",
        "RuntimeError: CUDA error: unspecified launch failure\nCUDA kernel errors might be asynchronously reported at some other API call",
    ),
    ("launch-timeout", "RuntimeError: CUDA error: the launch timed out and was terminated"),
    ("launch-failure", "RuntimeError: CUDA error: an illegal instruction was encountered"),
    ("no-kernel-image", "RuntimeError: CUDA error: invalid device function"),
    (
        "device-assert",
        "../aten/src/ATen/native/cuda/Loss.cu:240: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [5,0,0] Assertion `t >= 0 && t < n_classes` failed.\nTraceback (most recent call last):\nRuntimeError: CUDA error: device-side assert triggered",
    ),
    (
        "device-assert",
        '/opt/pytorch/aten/src/ATen/native/cuda/IndexKernel.cu:92: operator(): block: [0,0,0], thread: [64,0,0] Assertion `-sizes[i] <= index && index < sizes[i] && "index out of bounds"` failed.',
    ),
    ("device-assert", "torch.AcceleratorError: CUDA error: device-side assert triggered"),
    ("cudnn-mixed", "RuntimeError: cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"),
    ("cudnn-mixed", "RuntimeError: cuDNN error: CUDNN_STATUS_VERSION_MISMATCH"),
    (
        "cudnn-mixed",
        "RuntimeError: CUDNN_BACKEND_TENSOR_DESCRIPTOR cudnnFinalize failed cudnn_status: CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED",
    ),
    ("cudnn-engine", "RuntimeError: Unable to find a valid cuDNN algorithm to run convolution"),
    ("cudnn-engine", "RuntimeError: GET was unable to find an engine to execute this computation"),
    ("cudnn-notinit", "RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED"),
    (
        "cudnn-not-supported",
        "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_SUPPORTED. This error may appear if you passed in a non-contiguous input.",
    ),
    ("cudnn-not-supported", "RuntimeError: cuDNN error: CUDNN_STATUS_BAD_PARAM"),
    ("no-kernel-image", "torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device"),
    (
        "oom",
        "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 4.00 GiB total capacity; 3.28 GiB already allocated; 0 bytes free; 3.45 GiB reserved in total by PyTorch)",
    ),
    ("oom", "torch.cuda.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)"),
    ("oom", "RuntimeError: CUDA driver error: out of memory"),
    (
        "oom-host",
        "RuntimeError: [enforce fail at alloc_cpu.cpp:114] data. DefaultCPUAllocator: not enough memory: you tried to allocate 52428800 bytes.",
    ),
    (
        "oom-host",
        "RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 1179648 bytes. Error code 12 (Cannot allocate memory)",
    ),
    ("dataloader-killed", "RuntimeError: DataLoader worker (pid 12345) is killed by signal: Killed."),
    ("dataloader-killed", "RuntimeError: DataLoader worker (pid(s) 9712, 4644) exited unexpectedly"),
    ("dataloader-shm", "RuntimeError: unable to write to file </torch_4711_1234567_0>: No space left on device (28)"),
    ("dataloader-files", "RuntimeError: received 0 items of ancdata"),
    (
        "dataloader-files",
        "RuntimeError: Too many open files. Communication with the workers is no longer possible. Please increase the limit using `ulimit -n` in the shell or change the sharing strategy by calling `torch.multiprocessing.set_sharing_strategy('file_system')` at the beginning of your code",
    ),
    (
        "torch-cpu-build",
        '  File "/env/lib/python3.11/site-packages/torch/cuda/__init__.py", line 293, in _lazy_init\n    raise AssertionError("Torch not compiled with CUDA enabled")\nAssertionError: Torch not compiled with CUDA enabled',
    ),
    ("torch-cpu-build", "RuntimeError: PyTorch was compiled without CUDA support"),
    ("torch-cpu-build", "AttributeError: module 'torch._C' has no attribute '_cuda_setDevice'"),
    ("torch-cpu-build", "AttributeError: module 'torch._C' has no attribute '_cuda_getDeviceCount'"),
    (
        "torchvision-cpu-op",
        "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend. This could be because the operator doesn't exist for this backend",
    ),
    (
        "torch-cpu-build",
        "NotImplementedError: Could not run 'aten::empty.memory_format' with arguments from the 'CUDA' backend.",
    ),
    (
        "cuda-init-error",
        "RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 3: initialization error",
    ),
    (
        "cuda-init-error",
        "UserWarning: CUDA initialization: Unexpected error from cudaGetDeviceCount(). Error 304: OS call failed or operation not supported on this OS",
    ),
    ("cuda-init-error", "RuntimeError: CUDA error: initialization error"),
    (
        "driver-too-old-found",
        "UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 12020). Please update your GPU driver by downloading and installing a new version",
    ),
    (
        "no-nvidia-driver",
        "UserWarning: CUDA initialization: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx",
    ),
    ("no-cuda-gpus", "RuntimeError: CUDA error: no CUDA-capable device is detected"),
    (
        "invalid-device-ordinal",
        "torch.AcceleratorError: CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?",
    ),
    (
        "invalid-device-ordinal",
        '  File "/env/lib/python3.10/site-packages/torch/cuda/__init__.py", line 362, in get_device_properties\n    raise AssertionError("Invalid device id")\nAssertionError: Invalid device id',
    ),
    # torch.compile, Triton, extensions
    (
        "triton-missing",
        "W0101 torch/_inductor: \nBackendCompilerFailed: backend='inductor' raised:\nRuntimeError: Cannot find a working triton installation. Either the package is not installed or it is too old.",
    ),
    (
        "triton-optional",
        "A matching Triton is not available, some optimizations will not be enabled.\nTraceback (most recent call last):\n  File \"C:\\webui\\venv\\lib\\site-packages\\xformers\\__init__.py\", line 55\nModuleNotFoundError: No module named 'triton'",
    ),
    ("compiler-cl", "torch._inductor.exc.InductorError: RuntimeError: Compiler: cl is not found."),
    (
        "compiler-cl",
        "CppCompileError: C++ compile error\n\nCommand:\ncl /I C:/env/Include\n\n'cl' is not recognized as an internal or external command",
    ),
    ("compile-unsupported", "RuntimeError: Windows not yet supported for torch.compile"),
    ("compile-unsupported", "RuntimeError: Dynamo is not supported on Python 3.12+"),
    ("compile-unsupported", "RuntimeError: torch.compile is not supported on Python 3.14+"),
    (
        "triton-old-card",
        "RuntimeError: Found NVIDIA GeForce GTX 1080 Ti which is too old to be supported by the triton GPU compiler, which is used as the backend. Triton only supports devices of CUDA Capability >= 7.0, but your device is of CUDA capability 6.1",
    ),
    ("triton-ptxas", "ptxas fatal   : Value 'sm_120' is not defined for option 'gpu-name'"),
    (
        "extension-abi",
        "ImportError: /env/lib/python3.11/site-packages/flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    ),
    (
        "extension-abi",
        "ImportError: /env/lib/python3.10/site-packages/torch_scatter/_scatter_cuda.so: undefined symbol: _ZN5torch3jit17parseSchemaOrNameERKSs",
    ),
    (
        "extension-abi",
        "ImportError: DLL load failed while importing flash_attn_2_cuda: The specified procedure could not be found.",
    ),
    ("flash-attn-card", "RuntimeError: FlashAttention only supports Ampere GPUs or newer."),
    (
        "bitsandbytes",
        "RuntimeError: CUDA Setup failed despite GPU being available. Please run the following command to get more information:\n\npython -m bitsandbytes",
    ),
    (
        "bitsandbytes",
        "UserWarning: The installed version of bitsandbytes was compiled without GPU support. 8-bit optimizers, 8-bit multiplication, and GPU quantization are unavailable.",
    ),
    (
        "build-from-source-torch",
        '  File "/tmp/pip-build-env/overlay/lib/python3.10/site-packages/torch/utils/cpp_extension.py", line 1780\nOSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.',
    ),
    (
        "build-isolation",
        "  × Getting requirements to build wheel did not run successfully.\n  │ exit code: 1\n  ╰─> [20 lines of output]\n      File \"<string>\", line 22, in <module>\n      ModuleNotFoundError: No module named 'torch'\n      [end of output]\nerror: subprocess-exited-with-error",
    ),
    (
        "build-isolation",
        "  × Failed to build `flash-attn==2.8.3`\n  ├─▶ The build backend returned an error\n  ╰─▶ Call to `setuptools.build_meta:__legacy__.build_wheel` failed (exit status: 1)\n      ModuleNotFoundError: No module named 'torch'",
    ),
    (
        "msvc-missing",
        'error: Microsoft Visual C++ 14.0 or greater is required. Get it with "Microsoft C++ Build Tools": https://visualstudio.microsoft.com/visual-cpp-build-tools/\n  ERROR: Failed building wheel for insightface\npip install insightface',
    ),
    (
        "torchvision-nms",
        '  File "/env/lib/python3.12/site-packages/torchvision/_meta_registrations.py", line 163, in <module>\n    @torch.library.register_fake("torchvision::nms")\nRuntimeError: operator torchvision::nms does not exist',
    ),
    (
        "torchvision-image",
        "UserWarning: Failed to load image Python extension: '[WinError 127] The specified procedure could not be found'If you don't plan on using image functionality from `torchvision.io`, you can ignore this warning.",
    ),
    (
        "torchvision-image",
        "UserWarning: Failed to load image Python extension: /env/lib/python3.9/site-packages/torchvision/image.so: undefined symbol: _ZN5torch3jit17parseSchemaOrNameERKSs",
    ),
    ("torchaudio-backend", "RuntimeError: Couldn't find appropriate backend to handle uri a.wav and format None."),
    (
        "torchcodec",
        "RuntimeError: Could not load libtorchcodec. Likely causes:\n          1. FFmpeg is not properly installed in your environment.",
    ),
    # import
    (
        "no-module-torch",
        "Traceback (most recent call last):\n  File \"C:\\work\\train.py\", line 1, in <module>\n    import torch\nModuleNotFoundError: No module named 'torch'",
    ),
    ("no-module-companion", "ModuleNotFoundError: No module named 'torchvision'"),
    ("no-module-companion", "ModuleNotFoundError: No module named 'torchaudio'"),
    (
        "circular-torch",
        "AttributeError: partially initialized module 'torch' has no attribute 'nn' (most likely due to a circular import)",
    ),
    (
        "winerror-193",
        'OSError: [WinError 193] %1 is not a valid Win32 application. Error loading "C:\\env\\Lib\\site-packages\\torch\\lib\\cusolver64_11.dll" or one of its dependencies.',
    ),
    (
        "winerror-193",
        'OSError: [WinError 193] %1 不是有效的 Win32 应用程序。 Error loading "D:\\Python311\\Lib\\site-packages\\torch\\lib\\cublas64_12.dll" or one of its dependencies.',
    ),
    (
        "dll-126",
        'OSError: [WinError 126] 找不到指定的模块。 Error loading "D:\\env\\lib\\site-packages\\torch\\lib\\c10_cuda.dll" or one of its dependencies.',
    ),
    (
        "winerror-127",
        'OSError: [WinError 127] 找不到指定的程序。 Error loading "D:\\env\\lib\\site-packages\\torch\\lib\\torch_python.dll" or one of its dependencies.',
    ),
    (
        "c10-1114",
        'OSError: [WinError 1114] 动态链接库(DLL)初始化例程失败。 Error loading "D:\\env\\lib\\site-packages\\torch\\lib\\c10.dll" or one of its dependencies.',
    ),
    (
        "dll-126",
        'ImportError: DLL load failed while importing _C: The specified module could not be found.\n  File "C:\\env\\lib\\site-packages\\torch\\__init__.py", line 7',
    ),
    (
        "glibcxx",
        "ImportError: /env/bin/../lib/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by /env/lib/python3.9/site-packages/torch/lib/libtorch_python.so)",
    ),
    ("cuda-lib-missing", "ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory"),
    (
        "cuda-lib-missing",
        "Traceback (most recent call last):\n    import torch\nImportError: libcusparseLt.so.0: cannot open shared object file: No such file or directory",
    ),
    ("cuda-lib-missing", "OSError: libcublas.so.13: cannot open shared object file: No such file or directory"),
    ("cuda-lib-missing", "ImportError: libcupti.so.12: cannot open shared object file: No such file or directory"),
    ("torch-lib-missing", "ImportError: libtorch_cuda.so: cannot open shared object file: No such file or directory"),
    ("torch-lib-missing", "ImportError: libc10.so: cannot open shared object file: No such file or directory"),
    (
        "cudnn9-missing",
        "Unable to load any of {libcudnn_cnn.so.9.1.0, libcudnn_cnn.so.9.1, libcudnn_cnn.so.9, libcudnn_cnn.so}\nInvalid handle. Cannot load symbol cudnnCreateConvolutionDescriptor",
    ),
    (
        "libgomp",
        '  File "/usr/local/lib/python3.12/site-packages/torch/__init__.py", line 290, in _load_global_deps\nOSError: libgomp.so.1: cannot open shared object file: No such file or directory',
    ),
    (
        "typing-extensions",
        "ImportError: cannot import name 'TypeIs' from 'typing_extensions' (/env/lib/python3.10/site-packages/typing_extensions.py)\n  File \"/env/lib/python3.10/site-packages/torch/_dynamo/__init__.py\"",
    ),
    (
        "mkl-ijit",
        "ImportError: /env/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so: undefined symbol: iJIT_IsProfilingActive",
    ),
    # driver
    ("nvml-no-permission", "Failed to initialize NVML: Insufficient Permissions"),
    ("nvml-container-lost", "Failed to initialize NVML: Unknown Error"),
    ("smi-nocomm", "Failed to initialize NVML: Driver Not Loaded"),
    (
        "nvml-not-found",
        "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA Display Driver is properly installed and present in your system.",
    ),
    ("nvml-mismatch", "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 560.35"),
    ("smi-handle-not-found", "Unable to determine the device handle for GPU0000:41:00.0: Unknown Error"),
    ("gpu-lost", "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
    (
        "apt-nvidia-deps",
        "The following packages have unmet dependencies:\n nvidia-driver-580 : Depends: libnvidia-gl-580 (= 580.65.06-0ubuntu1) but it is not going to be installed\nE: Unable to correct problems, you have held broken packages.",
    ),
    (
        "dkms-build",
        'ERROR: An error occurred while performing the step: "Building kernel modules". See /var/log/nvidia-installer.log for details.',
    ),
    # NCCL and several processes
    (
        "nccl",
        "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1691, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.19.3",
    ),
    (
        "nccl",
        "RuntimeError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:219, invalid argument, NCCL version 2.14.3\nncclInvalidArgument: Invalid value for an argument",
    ),
    (
        "nccl-duplicate",
        "ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\nDuplicate GPU detected : rank 1 and rank 0 both on CUDA device 1000",
    ),
    (
        "nccl-timeout",
        "[rank0]:[E ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=133, OpType=ALLREDUCE, NumelIn=1, Timeout(ms)=600000) ran for 600026 milliseconds before timing out.",
    ),
    (
        "rendezvous-port",
        "torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).",
    ),
    ("libuv", "RuntimeError: use_libuv was requested but PyTorch was built without libuv support"),
    # pip and uv
    ("no-module-pip", "/home/x/env/bin/python: No module named pip"),
    ("no-module-pip", "ModuleNotFoundError: No module named 'pip'"),
    (
        "no-version",
        "ERROR: Could not find a version that satisfies the requirement torch==2.1.0+cu118 (from versions: 2.6.0, 2.7.0)\nERROR: No matching distribution found for torch==2.1.0+cu118",
    ),
    ("no-version", "ERROR: No matching distribution found for torchvision==0.15.2+cu117"),
    (
        "pip-conflict-torch",
        "ERROR: Cannot install torch==2.1.0 and torchvision==0.18.0 because these package versions have conflicting dependencies.\n\nThe conflict is caused by:\n    The user requested torch==2.1.0\n    torchvision 0.18.0 depends on torch==2.3.0\n\nERROR: ResolutionImpossible: for help visit https://pip.pypa.io",
    ),
    (
        "resolution-conflict-torch",
        "ERROR: pip's dependency resolver does not currently take into account all the packages that are installed.\nxformers 0.0.23 requires torch==2.1.1, but you have torch 2.3.0 which is incompatible.",
    ),
    (
        "uv-no-solution-torch",
        "  × No solution found when resolving dependencies:\n  ╰─▶ Because torch==2.5.1+cu124 has no wheels with a matching Python ABI tag (e.g., `cp314`), we can conclude that torch==2.5.1+cu124 cannot be used.",
    ),
    (
        "hashes",
        "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions, please update the hashes.\n    torch from https://files.example/torch-2.1.0.whl:\n        Expected sha256 aaaa\n             Got        bbbb",
    ),
    ("hashes", "error: Failed to download `torch==2.7.0`\n  Caused by: Hash mismatch for `torch==2.7.0`"),
    (
        "pep668",
        "error: externally-managed-environment\n\n× This environment is externally managed\n╰─> To install Python packages system-wide, try apt install python3-xyz",
    ),
    ("pep668", "error: The interpreter at /usr is externally managed, and indicates the following:"),
    (
        "uv-no-venv",
        "error: No virtual environment found; run `uv venv` to create an environment, or pass `--system` to install into a non-virtual environment",
    ),
    (
        "bad-zip",
        "pip install torch-2.7.0-cp311-cp311-win_amd64.whl\nERROR: Exception:\nTraceback (most recent call last):\nzipfile.BadZipFile: File is not a zip file",
    ),
    ("bad-zip", "ERROR: Wheel 'torch' located at /tmp/torch-2.1.0-cp310-cp310-linux_x86_64.whl is invalid."),
    (
        "no-record-file",
        "error: uninstall-no-record-file\n\n× Cannot uninstall torch 2.1.0\n╰─> The package's contents are unknown: no RECORD file was found for torch.",
    ),
    (
        "no-record-file",
        "ERROR: Cannot uninstall 'sympy'. It is a distutils installed project and thus we cannot accurately determine which files belong to it which would lead to only a partial uninstall.\npip install torch",
    ),
    ("python-too-old", "ERROR: Package 'torch' requires a different Python: 3.9.2 not in '>=3.10'"),
    (
        "nospace",
        "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device: '/tmp/pip-unpack-abc/torch-2.7.0.whl'",
    ),
    (
        "nospace",
        "error: Failed to install: nvidia_cublas_cu12-12.8.4.1-py3-none-manylinux.whl\n  Caused by: No space left on device (os error 28)",
    ),
    ("nospace", "ERROR: Could not install packages due to an OSError: [Errno 28] 设备上没有空间"),
    (
        "longpath",
        "error: Failed to install: torch-2.7.0\n  Caused by: failed to copy file\n  Caused by: The filename or extension is too long. (os error 206)",
    ),
    (
        "permission-site",
        "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/usr/local/lib/python3.10/dist-packages/torch'\nConsider using the `--user` option or check the permissions.",
    ),
    (
        "winerror5",
        "ERROR: Could not install packages due to an OSError: [WinError 5] 拒绝访问。: 'D:\\\\env\\\\Lib\\\\site-packages\\\\~orch\\\\lib\\\\asmjit.dll'\nConsider using the `--user` option or check the permissions.",
    ),
    (
        "pip-decode",
        "  File \"C:\\env\\lib\\site-packages\\pip\\_internal\\utils\\encoding.py\", line 1\nUnicodeDecodeError: 'cp936' codec can't decode byte 0x80 in position 11: illegal multibyte sequence",
    ),
    (
        "pip-decode",
        "      File \"<string>\", line 8\n    UnicodeDecodeError: 'gbk' codec can't decode byte 0x9a in position 120: illegal multibyte sequence\n    [end of output]\n  note: This error originates from a subprocess, and is likely not a problem with pip.",
    ),
    ("killed-oom", "$ pip install torch\nCollecting torch\n  Downloading torch-2.7.0.whl (821.2 MB)\nKilled"),
    (
        "killed-oom",
        'ERROR: Exception:\n  File "/usr/lib/python3/dist-packages/pip/_internal/network/download.py", line 1\n  File "/usr/lib/python3/dist-packages/pip/_vendor/msgpack/fallback.py"\nMemoryError',
    ),
    # networks
    (
        "proxy-tunnel",
        "WARNING: Retrying (Retry(total=4)) after connection broken by 'ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 407 Proxy Authentication Required'))': /simple/torch/",
    ),
    (
        "proxy-tunnel",
        "error: Failed to fetch: `https://download.example/whl/cu128/torch/`\n  Caused by: client error (Connect)\n  Caused by: tunnel error: proxy authorization required",
    ),
    (
        "proxy-refused",
        "WARNING: Retrying after connection broken by 'ProxyError('Cannot connect to proxy.', NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object>: Failed to establish a new connection: [WinError 10061] 由于目标计算机积极拒绝，无法连接。'))': /simple/torch/",
    ),
    (
        "proxy-refused",
        "CondaHTTPError... ProxyError: Conda cannot proceed due to an error in your proxy configuration.\nCheck for typos and other configuration errors in any '.netrc' file in your home directory",
    ),
    (
        "ssl-verify",
        "WARNING: Retrying after connection broken by 'SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate in certificate chain (_ssl.c:1000)'))': /simple/torch/",
    ),
    (
        "ssl-verify",
        "error: Failed to fetch: `https://files.example/simple/torch/`\n  Caused by: invalid peer certificate: UnknownIssuer",
    ),
    (
        "ssl-eof",
        "WARNING: Retrying after connection broken by 'SSLError(SSLEOFError(8, '[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol (_ssl.c:1006)'))': /simple/torch/",
    ),
    (
        "ssl-eof",
        "CondaSSLError: Encountered an SSL error. Most likely a certificate verification issue.\n\nException: HTTPSConnectionPool(host='mirror.example', port=443): Max retries exceeded with url: /anaconda/pkgs/main/win-64/repodata.json (Caused by SSLError(SSLZeroReturnError(6, 'TLS/SSL connection has been closed (EOF)')))",
    ),
    (
        "dns",
        "error: Failed to fetch: `https://download.example/whl/cu126/torch/`\n  Caused by: dns error: failed to lookup address information: Temporary failure in name resolution",
    ),
    (
        "readtimeout",
        "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='files.example', port=443): Read timed out.\nERROR: Exception:",
    ),
    (
        "readtimeout",
        "WARNING: Retrying (Retry(total=4, connect=None)) after connection broken by 'ReadTimeoutError(\"HTTPSConnectionPool(host='files.example', port=443): Read timed out. (read timeout=15)\")': /simple/torch/",
    ),
    (
        "connect-failed",
        "WARNING: Retrying (Retry(total=4, connect=None, read=None)) after connection broken by 'ConnectTimeoutError(<pip._vendor.urllib3.connection.HTTPSConnection object>, 'Connection to download.example timed out. (connect timeout=15)')': /whl/cu124/torch/",
    ),
    (
        "connect-failed",
        "WARNING: Retrying after connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object>: Failed to establish a new connection: [Errno 101] Network is unreachable')': /simple/torch/",
    ),
    (
        "incomplete-download",
        "pip._vendor.urllib3.exceptions.IncompleteRead: IncompleteRead(170917888 bytes read, 649917440 more expected)",
    ),
    (
        "incomplete-download",
        "error: Failed to download `torch==2.7.0`\n  Caused by: Failed to extract archive\n  Caused by: error decoding response body\n  Caused by: request or response body error",
    ),
    (
        "index-server-error",
        "error: Failed to fetch: `https://download.example/whl/cu124/pycparser/`\n  Caused by: HTTP status server error (500 Internal Server Error) for url (https://download.example/whl/cu124/pycparser/)",
    ),
    ("index-server-error", "ERROR: HTTP error 503 while getting https://mirror.example/simple/torch/torch-2.7.0.whl"),
    (
        "too-many-requests",
        "ERROR: HTTP error 429 while getting https://mirror.example/packages/torch-2.7.0-cp312.whl\nERROR: Could not install requirement torch",
    ),
    (
        "index-forbidden",
        "ERROR: HTTP error 403 while getting https://download.example/whl/cu128/torch-2.7.1%2Bcu128-cp310-cp310-win_amd64.whl.metadata",
    ),
    # conda
    (
        "conda-429",
        "CondaHTTPError: HTTP 429 TOO MANY REQUESTS for url <https://mirror.example/anaconda/pkgs/main/linux-64/repodata.json>\nElapsed: 00:26.243557",
    ),
    (
        "conda-429",
        "CondaHTTPError: HTTP 429 TERMS OF SERVICE RATE LIMIT EXCEEDED for url <https://conda.example/conda-forge/linux-64/repodata.json>",
    ),
    (
        "conda-http-status",
        "CondaHTTPError: HTTP 503 SERVICE UNAVAILABLE FOR URL for url <https://mirror.example/anaconda/cloud/conda-forge/linux-64/repodata.json>",
    ),
    (
        "conda-http-status",
        "CondaHTTPError: HTTP 403 FORBIDDEN for url <https://mirror.example/anaconda/pkgs/main/win-64/repodata.json>",
    ),
    (
        "conda-http-status",
        "CondaHTTPError: HTTP 404 NOT FOUND for url <https://mirror.example/anaconda/pkgs/main/win-64/a.conda>",
    ),
    (
        "conda-http000",
        "CondaHTTPError: HTTP 000 CONNECTION FAILED for url <https://conda.example/pytorch/linux-64/repodata.json>\nElapsed: -\n\nAn HTTP error occurred when trying to retrieve this URL.",
    ),
    (
        "incomplete-download",
        "CondaError: Downloaded bytes did not match Content-Length\n  url: https://conda.example/pytorch/linux-64/pytorch-2.1.0.tar.bz2\n  target_path: /opt/conda/pkgs/pytorch-2.1.0.tar.bz2",
    ),
    (
        "libmamba-unsat",
        "LibMambaUnsatisfiableError: Encountered problems while solving:\n  - package pytorch-2.5.1-py3.12_cuda12.4_cudnn9.1.0_0 requires python >=3.12,<3.13.0a0, but none of the providers can be installed",
    ),
    (
        "libmamba-unsat",
        "UnsatisfiableError: The following specifications were found to be incompatible with your system:\n  - feature:/linux-64::__glibc==2.27=0\n  - pytorch -> __glibc[version='>=2.28']",
    ),
    (
        "pkgs-notfound",
        "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - pytorch-cuda=12.8\n\nCurrent channels:\n  - https://conda.example/pytorch/linux-64",
    ),
    (
        "conda-corrupt",
        'InvalidArchiveError("Error with archive /opt/conda/pkgs/pytorch-2.1.0.conda.  You probably need to delete and re-download or re-create this file.")',
    ),
    ("conda-activate", "CondaError: Run 'conda init' before 'conda activate'"),
    # what the environment is
    (
        "no-module-torch",
        "ModuleNotFoundError: No module named 'torch'\n  File ~/x.ipynb Cell In[1], line 1\n----> 1 import torch",
    ),
    # beyond the trial of 2026-11-21: conda's environments, companions of another CUDA, what a card does not offer
    (
        "cuda-not-supported",
        "RuntimeError: CUDA error: operation not supported\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    ),
    ("cuda-not-supported", "RuntimeError: CUDA driver error: operation not supported"),
    (
        "cuda-ipc-windows",
        "RuntimeError: cuda runtime error (801) : operation not supported at ..\\torch/csrc/generic/StorageSharing.cpp:247",
    ),
    (
        "companion-cuda-mismatch",
        "RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA major versions. PyTorch has CUDA Version=12.1 and torchvision has CUDA Version=11.8. Please reinstall the torchvision that matches your PyTorch install.",
    ),
    (
        "companion-cuda-mismatch",
        "RuntimeError: Detected that PyTorch and torchvision were compiled with different\nCUDA versions. PyTorch has CUDA Version=11.7 and torchvision has CUDA \nVersion=11.8.",
    ),
    (
        "companion-cuda-mismatch",
        "RuntimeError: Detected that PyTorch and TorchAudio were compiled with different CUDA versions. PyTorch has CUDA version 11.8 whereas TorchAudio has CUDA version 12.1.",
    ),
    (
        "conda-env-name",
        "EnvironmentNameNotFound: Could not find conda environment: dl\nYou can list all discoverable environments with `conda info --envs`.",
    ),
    ("conda-env-name", "(base) C:\\work>conda activate dl\nCould not find conda environment: dl"),
    ("conda-env-location", "\nEnvironmentLocationNotFound: Not a conda environment: /home/user/miniconda3/envs/dl\n"),
    (
        "conda-env-location",
        "DirectoryNotACondaEnvironmentError: The target directory exists, but it is not a conda environment.\nUse 'conda create' to convert the directory to a conda environment.",
    ),
    ("conda-prefix-exists", "CondaValueError: prefix already exists: C:\\Users\\me\\Anaconda3\\envs\\dl"),
    (
        "conda-lock",
        "error    libmamba Could not set lock (Resource temporarily unavailable)\nwarning  libmamba Cannot lock '/home/user/pkgs/x.conda'",
    ),
    (
        "conda-clobber",
        "ClobberError: This transaction has incompatible packages due to a shared path.\n  packages: defaults/linux-64::jpeg-9e-h5eee18b_3, pytorch/linux-64::libjpeg-turbo-2.0.0-h9bf148f_0",
    ),
    (
        "setuptools-packaging",
        "  File \"/env/lib/python3.8/site-packages/torch/utils/cpp_extension.py\", line 25, in <module>\n    from pkg_resources import packaging\nImportError: cannot import name 'packaging' from 'pkg_resources'",
    ),
    (
        "pip-in-python",
        '>>> pip install torch\n  File "<stdin>", line 1\n    pip install torch\n        ^^^^^^^\nSyntaxError: invalid syntax',
    ),
    (
        "no-ssl-module",
        "WARNING: pip is configured with locations that require TLS/SSL, however the ssl module in Python is not available.",
    ),
)
