"""The script or a library that prints, crashes, hangs or leaves: what was found before it is kept and named."""

from __future__ import annotations

import sys

import pytest

from tests.abilities import patience
from tests.stand_in import site_packages
from tests.verify.conftest import WITH_CARD, MakeEnvironment, code, evidence, states
from wizard.model.errors import Cancelled
from wizard.model.messages import text
from wizard.run.verify.smoke import verify


def test_prints_of_a_library_change_nothing(environment: MakeEnvironment) -> None:
    """Even a line that looks like one of ours."""
    python = environment("prints")
    hook = site_packages(python.parent.parent) / "chatty.pth"
    hook.write_text("import sys; sys.stdout.write('half a line')\n", encoding="utf-8")
    found = verify(python, True, WITH_CARD)
    assert (found.ok, found.gpu_ok) == (True, True)
    assert [check.name for check in found.checks].count("zeros") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="a signal")
def test_crash_keeps_what_was_found(environment: MakeEnvironment) -> None:
    found = verify(environment("segfault"), True, WITH_CARD)
    assert (found.ok, found.gpu_ok, code(found)) == (False, False, "crashed")
    assert states(found) == {"python": "ok", "import": "ok", "process": "failed"}
    assert found.torch == "2.15.0+cu132"
    assert "SIGSEGV" in text(found.headline, "en")
    assert "zeros" in text(found.headline, "en")
    assert "Segmentation fault" in evidence(found)  # faulthandler said where


@pytest.mark.slow
def test_hang_is_stopped_and_named(environment: MakeEnvironment) -> None:
    found = verify(environment("hang"), True, WITH_CARD, timeout=patience(3.0))
    assert (found.ok, code(found)) == (False, "timed-out")
    assert states(found)["import"] == "ok"
    assert found.checks[-1].data["during"] == "zeros"


def test_cancel_stops_a_hang(environment: MakeEnvironment) -> None:
    heard: list[str] = []
    with pytest.raises(Cancelled):
        verify(environment("hang"), True, WITH_CARD, is_cancelled=lambda: "zeros" in heard, on_check=heard.append)


@pytest.mark.skipif(sys.platform == "win32", reason="a signal")
def test_crash_at_exit_is_a_warning(environment: MakeEnvironment) -> None:
    found = verify(environment("crash-at-exit"), True, WITH_CARD)
    assert (found.ok, found.gpu_ok) == (True, True)
    assert (found.checks[-1].name, found.checks[-1].state) == ("process", "warning")


def test_import_that_leaves(environment: MakeEnvironment) -> None:
    found = verify(environment("leaves"), True, WITH_CARD)
    assert (found.ok, code(found)) == (False, "no-answer")
    assert found.headline.key == "verify.check.process.ended-early"
