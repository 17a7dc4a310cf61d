"""The task bar's button against a COM object made here: the table's order, the arguments, and every refusal."""

from __future__ import annotations

import ctypes
import uuid
from typing import Any

import pytest

from wizard.system.windows.calls import SIGNATURES
from wizard.system.windows.desktop import taskbar_button

_FUNCTION = getattr(ctypes, "WINFUNCTYPE", ctypes.CFUNCTYPE)
OK, REFUSED = 0, -2147467259  # S_OK, E_FAIL
# shobjidl_core.h: the functions of ITaskbarList3 in their order, as far as we go.
ORDER = (
    "QueryInterface",
    "AddRef",
    "Release",
    "HrInit",
    "AddTab",
    "DeleteTab",
    "ActivateTab",
    "SetActiveAlt",
    "MarkFullscreenWindow",
    "SetProgressValue",
    "SetProgressState",
)
TAKES: dict[str, tuple[Any, ...]] = {
    "SetProgressValue": (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64),
    "SetProgressState": (ctypes.c_void_p, ctypes.c_int32),
}


class FakeTaskbar:
    """An object whose first word points at a table of functions, as every COM object's does."""

    def __init__(self, init: int = OK) -> None:
        self.calls: list[tuple[Any, ...]] = []
        answers = {"HrInit": init}
        self._kept = [self._function(name, answers.get(name, OK)) for name in ORDER]
        addresses = [ctypes.cast(one, ctypes.c_void_p).value for one in self._kept]
        self._table = (ctypes.c_void_p * len(ORDER))(*addresses)
        self._object = ctypes.c_void_p(ctypes.addressof(self._table))
        self.address = ctypes.addressof(self._object)

    def _function(self, name: str, answer: int) -> Any:
        def called(this: int, *arguments: int) -> int:
            assert this == self.address
            self.calls.append((name, *arguments))
            return answer

        return _FUNCTION(ctypes.c_int32, ctypes.c_void_p, *TAKES.get(name, ()))(called)


class FakeOle:
    def __init__(self, taskbar: FakeTaskbar, answer: int = OK) -> None:
        self._taskbar, self._answer = taskbar, answer
        self.asked: list[tuple[uuid.UUID, uuid.UUID, int]] = []

    def CoCreateInstance(self, one: Any, outer: Any, where: int, face: Any, out: Any) -> int:
        made_of, seen_as = (uuid.UUID(bytes_le=ctypes.string_at(each.value, 16)) for each in (one, face))
        self.asked.append((made_of, seen_as, where))
        assert outer is None
        if self._answer == OK:
            ctypes.c_void_p.from_address(out.value).value = self._taskbar.address
        return self._answer


def test_the_bar_is_filled_held_and_taken_away() -> None:
    taskbar = FakeTaskbar()
    ole = FakeOle(taskbar)
    button = taskbar_button(ole)
    assert button is not None
    for percent, paused in ((46, False), (47, True), (None, False)):
        button.show(0x7FFF12345678, percent, paused)
    window = 0x7FFF12345678
    assert taskbar.calls == [
        ("HrInit",),
        ("SetProgressValue", window, 46, 100),
        ("SetProgressState", window, 2),
        ("SetProgressValue", window, 47, 100),
        ("SetProgressState", window, 8),
        ("SetProgressState", window, 0),
    ]
    clsid, iid = "56fdf344-fd6d-11d0-958a-006097c9a090", "ea1afb91-9e28-4b86-90e9-9e9f8a5eefaf"
    assert ole.asked == [(uuid.UUID(clsid), uuid.UUID(iid), 1)]


@pytest.mark.parametrize("ole", [FakeOle(FakeTaskbar(), REFUSED), FakeOle(FakeTaskbar(init=REFUSED))])
def test_a_refusal_is_no_button(ole: FakeOle) -> None:
    assert taskbar_button(ole) is None


def test_the_library_function_is_declared() -> None:
    result, arguments = SIGNATURES["ole32"]["CoCreateInstance"]
    assert (result, len(arguments)) == (ctypes.c_int32, 5)
