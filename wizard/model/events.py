"""The worker's voice: one JSON object per line, appended to `runs/<id>/events.jsonl` and printed by `--events`.

The window, the command line and tests read the same lines, live or after a restart. Readers ignore
kinds and fields that they do not know. `bytes` are bytes, `seconds` seconds, `time` seconds since 1970.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SCHEMA = 1


class EventKind(str, enum.Enum):
    ATTEMPT_STARTING = "attempt-starting"  # a further attempt; in the file only: endings before it are not its own
    RUN_STARTED = "run-started"  # steps: [{name, weight}], plan
    STEP_STARTED = "step-started"  # step, message
    PROGRESS = "progress"  # step, done, total, unit, rate, eta, detail, limited_by
    STEP_FINISHED = "step-finished"  # step, outcome: done|skipped|failed|cancelled, seconds, message
    LOG = "log"  # step, text
    NOTICE = "notice"  # message: something the person should know, the run goes on
    RUN_FINISHED = "run-finished"  # status (exit status), outcome, error, report, prefix


@dataclass(frozen=True, slots=True)
class Event:
    kind: EventKind
    seq: int
    time: float
    run: str
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_line(self) -> str:
        """Return the event as one line of JSON, the common fields first."""
        head = {
            "schema": SCHEMA,
            "event": self.kind.value,
            "seq": self.seq,
            "time": self.time,
            "run": self.run,
        }
        return json.dumps({**head, **self.data}, ensure_ascii=False)


_HEAD = ("schema", "event", "seq", "time", "run")


def parse_line(line: str) -> Event | None:
    """None for a line that is cut short (a killed worker) or of a kind from the future."""
    try:
        data = json.loads(line)
        rest = {key: value for key, value in data.items() if key not in _HEAD}
        return Event(EventKind(data["event"]), int(data["seq"]), float(data["time"]), str(data["run"]), rest)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
