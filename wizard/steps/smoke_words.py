"""The sentences of the smoke test: a check's facts become a Message. Looks nothing up and judges nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wizard.i18n import Message, Scalar, Words, catalogue, message
from wizard.steps.model import Check

_LONGEST_ERROR = 300


def check_message(name: str, state: str, data: Mapping[str, Any], seconds: float | None) -> Message:
    """`verify.check.<name>.<state>`, or the sentence for any check where that one has none of its own."""
    params = _params(name, data, seconds)
    if name == "process":
        return Message(f"verify.check.process.{data['reason']}", params)
    if state == "skipped":
        key = f"verify.skipped.{data.get('reason')}"
        return Message(key if key in catalogue("en") else "verify.skipped.other", params)
    is_cpu = name == "build" and state == "ok" and data.get("is_built") is False
    key = "verify.check.build.cpu" if is_cpu else f"verify.check.{name}.{state}"
    return Message(key if key in catalogue("en") else f"verify.check.other.{state}", params)


def check_name(name: str) -> Words:
    """As people know it; a name that has no words stays."""
    key = f"verify.name.{name}"
    return Message(key) if key in catalogue("en") else name


def headline(checks: Mapping[str, Check]) -> Message:
    """The one line above all: the zeros test, or what kept it from being run."""
    process, imported, zeros, kernel = (checks.get(name) for name in ("process", "import", "zeros", "kernel"))
    for check in (imported, zeros, kernel):
        if check is not None and check.state == "failed":
            return check.message
    failed = [check for check in checks.values() if check.state == "failed"]
    if zeros is None or imported is None:
        return process.message if process else message("verify.headline.nothing")
    on_card = str(zeros.data.get("device", "cpu")) != "cpu"
    device = _first_device(checks.get("devices"))
    params: dict[str, Scalar] = {
        "torch": str(imported.data.get("torch")), "device": device, "count": len(failed),
        "names": ", ".join(check.name for check in failed),
    }  # fmt: skip
    if failed:
        return Message(f"verify.headline.{'gpu' if on_card else 'cpu'}-partly", params)
    return Message(f"verify.headline.{'gpu' if on_card else 'cpu'}-ok", params)


def _first_device(check: Check | None) -> str:
    devices = check.data.get("devices") if check else None
    return str(devices[0].get("name")) if devices and isinstance(devices[0], dict) else "GPU"


def _params(name: str, data: Mapping[str, Any], seconds: float | None) -> dict[str, Scalar]:
    params: dict[str, Scalar] = {
        key: value if isinstance(value, (str, int, float)) else "-"
        for key, value in data.items()
        if value is None or isinstance(value, (str, int, float))
    }
    params["name"] = name
    params["seconds"] = "-" if seconds is None else f"{seconds:.1f}" if seconds >= 1 else f"{seconds:.3f}"
    if "error" in data:
        params["error"] = _short(f"{data.get('error_type')}: {data['error']}")
    if name in _SPECIAL:
        params.update(_SPECIAL[name](data))
    return params


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _short(said: str) -> str:
    line = " ".join(said.split())
    return line if len(line) <= _LONGEST_ERROR else line[: _LONGEST_ERROR - 1] + "…"


def _process(data: Mapping[str, Any]) -> dict[str, Scalar]:
    return {
        "during": str(data.get("during") or "-"),
        "how": str(data.get("signal") or f"exit {data.get('exit_code')}"),
        "said": _short(str(data.get("said") or "-").strip().rsplit("\n", 1)[-1]),
    }


def _build(data: Mapping[str, Any]) -> dict[str, Scalar]:
    return {"architectures": " ".join(map(str, data.get("architectures") or ())) or "-"}


def _device_words(data: Mapping[str, Any]) -> dict[str, Scalar]:
    devices = [device for device in data.get("devices") or () if isinstance(device, dict)]
    shown = [
        f"{device.get('name')} ({device.get('capability')}, "
        f"{_number(device.get('memory_bytes')) / 2**30:.1f} GiB, {device.get('kernels')})"
        for device in devices
    ]
    return {"names": "; ".join(shown) or "-", "count": len(devices)}


def _pinned(data: Mapping[str, Any]) -> dict[str, Scalar]:
    return {key: f"{_number(data.get(f'{key}_bytes_per_second')) / 1e9:.1f} GB/s" for key in ("to_card", "from_card")}


def _kernel(data: Mapping[str, Any]) -> dict[str, Scalar]:
    return {"first_kernel_seconds": f"{_number(data.get('first_kernel_seconds')):.3f}"}


def _streams(data: Mapping[str, Any]) -> dict[str, Scalar]:
    return {"milliseconds": f"{_number(data.get('milliseconds')):.3f}"}


def _precision(data: Mapping[str, Any]) -> dict[str, Scalar]:
    return {name: f"{_number(data.get(name)):.1e}" for name in ("bf16", "tf32")}


def _peers(data: Mapping[str, Any]) -> dict[str, Scalar]:
    return {"count": int(_number(data.get("count"))), "direct": int(_number(data.get("direct")))}


def _difference(data: Mapping[str, Any]) -> dict[str, Scalar]:
    return {"max_difference": f"{_number(data.get('max_difference')):.1e}"}


_SPECIAL = {
    "process": _process, "build": _build, "devices": _device_words, "pinned": _pinned, "kernel": _kernel,
    "streams": _streams, "matmul": _difference, "convolution": _difference,
    "precision": _precision, "peers": _peers,
}  # fmt: skip
