"""Other programs' answers for tests: recorded text in, an outcome out, without starting anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wizard.machine.asking import Ask
from wizard.process import Outcome, Request

DATA = Path(__file__).parent.parent / "data" / "probe"


def recorded(name: str) -> str:
    return (DATA / name).read_bytes().decode("utf-8")


def outcome(
    request: Request, stdout: str = "", exit_code: int | None = 0, stderr: str = "", timed_out: bool = False
) -> Outcome:
    return Outcome(request, exit_code, stdout, stderr, 0.0, timed_out=timed_out)


def answering(answer: Callable[[tuple[str, ...]], tuple[str, int | None]]) -> Ask:
    """An Ask from a function of the arguments to (what is printed, exit status)."""

    def ask(request: Request) -> Outcome:
        said, code = answer(request.argv)
        return outcome(request, said, code)

    return ask
