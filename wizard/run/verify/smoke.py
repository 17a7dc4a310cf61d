"""The smoke test: resources/scripts/smoke_test.py runs in the target Python, its lines become a Verification.

The script measures, what stands first finds the words, `diagnose` the cause. Whatever the child does (crash, hang,
garbage, no torch) is a result here and never an exception. This Python imports no torch.

One file: each fact of the script and its sentence stand side by side.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wizard.compatibility.cards import stated_speed
from wizard.machine.model import Machine
from wizard.model.errors import Cancelled
from wizard.model.messages import Message, Scalar, Words, catalogue, message
from wizard.process import Outcome, Request, child_environment, redact, run
from wizard.run.verify.diagnosis import diagnose
from wizard.run.verify.model import Explain, SmokeCheck, Verification, explains_nothing
from wizard.system import paths
from wizard.system.traits import this

# The sentences of the smoke test: a check's facts become a Message. Looks nothing up and judges nothing.

_LONGEST_ERROR = 300
_NO_TIME = "0.000"  # what less than half a millisecond is rounded to, which nobody believes
_SLOW = 50  # per cent of the rating: sound cards give more in such a product


def check_message(name: str, state: str, data: Mapping[str, Any], seconds: float | None) -> Message:
    """`verify.check.<name>.<state>`, or the sentence for any check where that one has none of its own."""
    params = _params(name, data, seconds)
    if name == "process":
        return Message(f"verify.check.process.{data['reason']}", params)
    if state == "skipped":
        key = f"verify.skipped.{data.get('reason')}"
        return Message(key if key in catalogue("en") else "verify.skipped.other", params)
    is_cpu = (name == "build" and data.get("is_built") is False) or data.get("device") == "cpu"
    if name == "speed" and "stated" in params:
        state = "slow" if _number(params["share"]) < _SLOW else "stated"
    on_cpu = f"verify.check.{name}.cpu"
    key = on_cpu if is_cpu and state == "ok" and on_cpu in catalogue("en") else f"verify.check.{name}.{state}"
    if params["seconds"] == _NO_TIME and f"{key}-quick" in catalogue("en"):
        key = f"{key}-quick"
    return Message(key if key in catalogue("en") else f"verify.check.other.{state}", params)


def check_name(name: str) -> Words:
    """As people know it; a name that has no words stays."""
    key = f"verify.name.{name}"
    return Message(key) if key in catalogue("en") else name


def headline(checks: Mapping[str, SmokeCheck]) -> Message:
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
        "torch": str(imported.data.get("torch")),
        "device": device,
        "count": len(failed),
        "names": ", ".join(check.name for check in failed),
    }
    if failed:
        return Message(f"verify.headline.{'gpu' if on_card else 'cpu'}-partly", params)
    return Message(f"verify.headline.{'gpu' if on_card else 'cpu'}-ok", params)


def _first_device(check: SmokeCheck | None) -> str:
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


def _speed(data: Mapping[str, Any]) -> dict[str, Scalar]:
    """`stated`: what this card is rated at, `least`: what a sound one reaches, `share`: per cent of what is rated; all
    missing for a card of no table."""
    measured, stated = _number(data.get("tflops")), stated_speed(str(data.get("name")))
    params: dict[str, Scalar] = {"tflops": f"{measured:.1f}"}
    if not stated:
        return params
    least = f"{stated * _SLOW / 100:.1f}"
    return {**params, "stated": f"{stated:.1f}", "least": least, "share": round(100 * measured / stated)}


def _difference(data: Mapping[str, Any]) -> dict[str, Scalar]:
    return {"max_difference": f"{_number(data.get('max_difference')):.1e}"}


_SPECIAL = {
    "process": _process,
    "build": _build,
    "devices": _device_words,
    "pinned": _pinned,
    "kernel": _kernel,
    "streams": _streams,
    "matmul": _difference,
    "convolution": _difference,
    "precision": _precision,
    "peers": _peers,
    "speed": _speed,
}


# Seconds. A first import from a slow disk under an antivirus takes a minute; PTX is compiled for minutes.
TIME_LIMIT = 300.0
_STDERR_LINES = 60
_STATES = ("ok", "warning", "failed", "skipped")
_GPU_CHECKS = frozenset(
    {"zeros", "kernel", "devices", "matmul", "convolution", "streams", "pinned", "precision", "peers"}
)
# NTSTATUS: what Windows gives in place of a signal.
_WINDOWS_CRASHES = {
    0xC0000005: "access violation",
    0xC000001D: "illegal instruction",
    0xC00000FD: "stack overflow",
    0xC0000135: "DLL not found",
    0xC0000374: "heap corruption",
    0xC0000409: "stack buffer overrun",
}
Entry = Mapping[str, Any]


def script_path() -> Path:
    return paths.resources_dir() / "scripts" / "smoke_test.py"


def smoke_request(
    python: Path,
    script: Path,
    environment: Mapping[str, str] | None = None,
    timeout: float = TIME_LIMIT,
    isolated: bool = True,
) -> Request:
    """`-I`: neither the current folder nor the user's own packages take part."""
    options = ("-I", "-X", "utf8") if isolated else ("-X", "utf8")
    return Request((str(python), *options, str(script)), environment=environment, timeout=timeout)


def _environment(extra: Mapping[str, str] | None, as_user: Mapping[str, str] | None) -> dict[str, str]:
    environment = child_environment(extra)
    if as_user is None:
        return environment
    del environment["PYTHONNOUSERSITE"]
    return {**environment, **as_user}


def verify(
    python: Path,
    gpu_expected: bool,
    machine: Machine,
    is_cancelled: Callable[[], bool] = lambda: False,
    environment: Mapping[str, str] | None = None,
    timeout: float = TIME_LIMIT,
    on_check: Callable[[str], None] | None = None,
    as_user: Mapping[str, str] | None = None,
    explain: Explain = explains_nothing,
) -> Verification:
    """Runs the test and explains it. `environment` is added to the child's; `on_check` hears what begins.

    `as_user`: the variables of the user's own terminal; then the test runs as it would there, with the user's own
    packages and library path. `explain`: what the known errors say of words that no rule here knows. Raises Cancelled.
    """

    def hear(stream: str, line: str) -> None:
        entry = entry_of(line) if stream == "stdout" else None
        if on_check and entry and entry["event"] == "begin":
            on_check(str(entry.get("name")))

    request = smoke_request(
        python, script_path(), _environment(environment, as_user), timeout, isolated=as_user is None
    )
    outcome = run(request, on_line=hear, is_cancelled=is_cancelled)
    if outcome.cancelled:
        raise Cancelled
    found = parse_smoke(outcome)
    if gpu_expected and found.gpu_ok is None and found.torch is not None:
        found = replace(found, ok=False, gpu_ok=False)  # the CPU build beside a card that was to be used
    return replace(found, diagnosis=diagnose(found, machine, gpu_expected, explain))


def parse_smoke(outcome: Outcome) -> Verification:
    """Pure. Lines that are not ours are passed over; `diagnosis` stays None, for it needs the machine."""
    entries = [entry for line in outcome.stdout.splitlines() if (entry := entry_of(line))]
    checks = [_check(entry) for entry in entries if entry["event"] == "check" and entry.get("state") in _STATES]
    if trouble := _process_check(outcome, entries):
        checks.append(trouble)
    by_name = {check.name: check for check in checks}
    imported = by_name["import"].data if "import" in by_name and by_name["import"].state == "ok" else {}
    python = by_name["python"].data if "python" in by_name else {}
    return Verification(
        ok=bool(checks) and not any(check.state == "failed" for check in checks),
        gpu_ok=_gpu_ok(by_name) if imported.get("cuda") or imported.get("hip") else None,
        headline=headline(by_name),
        checks=tuple(checks),
        torch=_text_or_none(imported.get("torch")),
        python=_text_or_none(python.get("version")),
        devices=_devices(by_name.get("devices")),
    )


def entry_of(line: str) -> Entry | None:
    """Return what the script says in this line; None for a line of somebody else's."""
    if not line.startswith('{"smoke"'):
        return None
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    is_ours = isinstance(entry, dict) and entry.get("smoke") == 1 and isinstance(entry.get("event"), str)
    return entry if is_ours else None


def _check(entry: Entry) -> SmokeCheck:
    data = dict(entry["data"]) if isinstance(entry.get("data"), dict) else {}
    error = entry.get("error")
    if isinstance(error, dict):
        details = error.get("data")
        data = {**data, **(details if isinstance(details, dict) else {})}
        data["error_type"], data["error"] = str(error.get("type")), redact(str(error.get("message")))
        data["error_module"] = error.get("module")
    if isinstance(entry.get("warnings"), list):
        data["warnings"] = [redact(str(said)) for said in entry["warnings"]]
    name, state = str(entry.get("name")), str(entry["state"])
    seconds = entry.get("seconds")
    seconds = float(seconds) if isinstance(seconds, (int, float)) else None
    return SmokeCheck(name, state, check_message(name, state, data, seconds), seconds, data)


def _process_check(outcome: Outcome, entries: list[Entry]) -> SmokeCheck | None:
    """How the child ended, when it did not end well."""
    begun = [str(entry.get("name")) for entry in entries if entry["event"] == "begin"]
    finished = any(entry["event"] == "summary" for entry in entries)
    if finished and outcome.exit_code == 0:
        return None
    data: dict[str, Any] = {
        "reason": _reason(outcome, bool(begun), finished),
        "during": begun[-1] if begun and not finished else None,
        "exit_code": outcome.exit_code,
        "signal": signal_name(outcome.exit_code),
        "said": redact("\n".join((outcome.stderr or outcome.start_error).strip().splitlines()[-_STDERR_LINES:])),
    }
    state = "warning" if finished else "failed"
    return SmokeCheck("process", state, check_message("process", state, data, outcome.seconds), outcome.seconds, data)


def _reason(outcome: Outcome, begun: bool, finished: bool) -> str:
    if outcome.exit_code is None:
        return "not-started"
    if finished:
        return "failed-at-exit"
    if outcome.timed_out:
        return "timed-out"
    if signal_name(outcome.exit_code):
        return "killed" if outcome.exit_code == -9 else "crashed"
    return "ended-early" if begun else "no-answer"


def signal_name(exit_code: int | None) -> str | None:
    """`SIGSEGV` for -11, `access violation` for 0xC0000005; None for an ordinary end."""
    if exit_code is None or 0 <= exit_code < 0xC0000000:
        return None
    if exit_code >= 0xC0000000:
        return _WINDOWS_CRASHES.get(exit_code, f"0x{exit_code:08X}")
    try:
        return signal.Signals(-exit_code).name
    except ValueError:
        return f"signal {-exit_code}" if this().negative_exits_are_signals else None


def _gpu_ok(checks: Mapping[str, SmokeCheck]) -> bool:
    if any(name not in checks or checks[name].state != "ok" for name in ("zeros", "kernel")):
        return False
    process = checks.get("process")
    if process is not None and process.state == "failed":
        return False
    return not any(check.state == "failed" for name, check in checks.items() if name in _GPU_CHECKS)


def _devices(check: SmokeCheck | None) -> tuple[Mapping[str, Any], ...]:
    found = check.data.get("devices") if check else None
    return tuple(device for device in found if isinstance(device, dict)) if isinstance(found, list) else ()


def _text_or_none(value: object) -> str | None:
    return None if value is None else str(value)
