"""A conda that hangs, is cancelled or killed, or whose worker dies: nothing of it lives on, and the next is whole."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.stand_in.conda import StandInConda
from tests.waiting import processes_about, wait_until
from wizard.environment.conda import find
from wizard.environment.conda.engine import CondaEngine
from wizard.environment.model import Target
from wizard.environment.remove.unfinished import mark_begun, remove_unfinished
from wizard.model.errors import Cancelled, WizardError
from wizard.process import Request, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the test channel holds a Linux Python")


def never() -> bool:
    return False


def test_a_conda_that_hangs_is_given_up(order: Target, conda: StandInConda, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "INFO_SECONDS", 0.5)
    conda.install(say={"info": {"hang": 120}})
    with pytest.raises(WizardError) as caught:
        CondaEngine().create(order, lambda *_: None, never)
    assert caught.value.code == "conda-silent"
    assert processes_about(conda.root) == []


@pytest.mark.parametrize("role", ["info", "plan", "create"])
def test_cancelled_wherever_it_hangs(order: Target, conda: StandInConda, role: str) -> None:
    conda.install(say={role: {"hang": 120}})
    with pytest.raises(Cancelled):
        CondaEngine().create(order, lambda *_: None, lambda: bool(conda.calls(role)))
    assert processes_about(conda.root) == []


def test_cancelled_while_bytes_come_then_taken_back(order: Target, conda: StandInConda, home: Path) -> None:
    conda.install(fetch_pause=0.3)
    seen: list[int] = []
    mark_begun(order.prefix, "run-1")
    with pytest.raises(Cancelled):
        CondaEngine().create(order, lambda done, *_: seen.append(done), lambda: any(done > 0 for done in seen))
    assert processes_about(conda.root) == []
    assert list(conda.pkgs.glob("*.partial")), "the cache is conda's: it goes on from there"
    assert remove_unfinished(order.prefix, "run-1")
    assert sorted(path.name for path in home.iterdir()) == ["miniforge3"]


def test_killed_while_it_links_then_tried_again(order: Target, conda: StandInConda, home: Path) -> None:
    conda.install(link_pause=60)
    killed: list[int] = []

    def kill_once() -> bool:
        if (order.prefix / "lib").is_dir() and not killed:
            killed.append(conda.calls("create")[0]["pid"])
            os.kill(killed[0], signal.SIGKILL)
        return False

    mark_begun(order.prefix, "run-1")
    with pytest.raises(WizardError) as caught:
        CondaEngine().create(order, lambda *_: None, kill_once)
    assert killed
    assert caught.value.code == "conda-killed"
    assert remove_unfinished(order.prefix, "run-1")
    assert sorted(path.name for path in home.iterdir()) == ["miniforge3"]
    conda.install()
    mark_begun(order.prefix, "run-1")
    assert CondaEngine().create(order, lambda *_: None, never).packages >= 2


def test_the_worker_dies_and_conda_with_it(order: Target, conda: StandInConda, home: Path) -> None:
    """The whole tree ends with the process that started it."""
    conda.install(say={"create": {"hang": 120}})
    code = (
        "import sys; from pathlib import Path; from wizard.environment.conda.engine import CondaEngine;"
        "from wizard.environment.model import Target;"
        f"CondaEngine().create(Target(Path({str(order.prefix)!r}), {order.python!r}, 'conda',"
        f" channels={order.channels!r}, conda=Path({str(order.conda)!r})), lambda *_: None, lambda: False)"
    )
    script = home / "worker.py"
    script.write_text(f"import sys; sys.path.insert(0, {str(Path.cwd())!r})\n{code}", encoding="utf-8")
    done = run(Request((sys.executable, str(script))), is_cancelled=lambda: bool(conda.calls("create")))
    assert done.cancelled
    wait_until(lambda: processes_about(conda.root) == [])
