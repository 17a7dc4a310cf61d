"""What has replaced PyTorch since it worked, in words: for the doctor and for a start. Looks at nothing itself."""

from __future__ import annotations

from wizard.cli.terminal import Terminal
from wizard.doctor.good_state import Drift
from wizard.i18n import message


def tell_drift(drift: Drift, terminal: Terminal) -> None:
    prefix = str(drift.prefix)
    for change in drift.changes:
        if change.now is None:
            terminal.say(message("doctor.say.drift-gone", prefix=prefix, name=change.name, was=change.was))
        elif change.now == change.was:
            terminal.say(message("doctor.say.drift-same", prefix=prefix, name=change.name, was=change.was))
        else:
            terminal.say(message("doctor.say.drift", prefix=prefix, name=change.name, was=change.was, now=change.now))
        if change.by:
            terminal.say(message("doctor.say.drift-by", by=", ".join(change.by)))
    terminal.say(message("doctor.say.drift-repair", prefix=prefix))
