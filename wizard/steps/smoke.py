"""The smoke test: resources/scripts/smoke_test.py runs in the target Python, its lines become a Verification.

The script measures, `smoke_words` finds the sentences, `diagnose` the cause. Whatever the child does (crash, hang,
garbage, no torch) is a result here and never an exception. This Python imports no torch.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wizard import paths
from wizard.errors import Cancelled
from wizard.machine.model import Machine
from wizard.process import Outcome, Request, child_environment, redact, run
from wizard.steps.diagnose import diagnose
from wizard.steps.model import Check, Verification
from wizard.steps.smoke_words import check_message, headline
from wizard.system.traits import this

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
) -> Verification:
    """Runs the test and explains it. `environment` is added to the child's; `on_check` hears what begins.

    `as_user`: the variables of the user's own terminal; then the test runs as it would there, with the user's own
    packages and library path. Raises Cancelled.
    """

    def hear(stream: str, line: str) -> None:
        entry = _entry(line) if stream == "stdout" else None
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
    return replace(found, diagnosis=diagnose(found, machine, gpu_expected))


def parse_smoke(outcome: Outcome) -> Verification:
    """Pure. Lines that are not ours are passed over; `diagnosis` stays None, for it needs the machine."""
    entries = [entry for line in outcome.stdout.splitlines() if (entry := _entry(line))]
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


def _entry(line: str) -> Entry | None:
    if not line.startswith('{"smoke"'):
        return None
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    is_ours = isinstance(entry, dict) and entry.get("smoke") == 1 and isinstance(entry.get("event"), str)
    return entry if is_ours else None


def _check(entry: Entry) -> Check:
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
    return Check(name, state, check_message(name, state, data, seconds), seconds, data)


def _process_check(outcome: Outcome, entries: list[Entry]) -> Check | None:
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
    return Check("process", state, check_message("process", state, data, outcome.seconds), outcome.seconds, data)


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


def _gpu_ok(checks: Mapping[str, Check]) -> bool:
    if any(name not in checks or checks[name].state != "ok" for name in ("zeros", "kernel")):
        return False
    process = checks.get("process")
    if process is not None and process.state == "failed":
        return False
    return not any(check.state == "failed" for name, check in checks.items() if name in _GPU_CHECKS)


def _devices(check: Check | None) -> tuple[Mapping[str, Any], ...]:
    found = check.data.get("devices") if check else None
    return tuple(device for device in found if isinstance(device, dict)) if isinstance(found, list) else ()


def _text_or_none(value: object) -> str | None:
    return None if value is None else str(value)
