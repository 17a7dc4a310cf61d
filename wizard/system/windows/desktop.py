"""What Windows' desktop is told or asked: the window in front, the bar on the task bar's button, what a console is;
words in a box of Windows' own, and whether a named pipe is there.

The bar on a window's button in Windows' task bar (ITaskbarList3). A wish: where it is refused, nothing is shown.

COM by its table of functions, in the order of Microsoft's shobjidl_core.h: three of IUnknown, five of ITaskbarList, one
of ITaskbarList2, then ours. Only for the thread that has COM ready, which is the window's.
"""

from __future__ import annotations

import contextlib
import ctypes
import uuid
from typing import Any

from wizard.system.windows.calls import DWORD, HANDLE, POINTER, last_error, load

# What Windows' desktop has to be told of this program: that another window of ours may come to the front, and its name
# in the task bar. Wishes: where they are refused, nothing is lost.

APP_ID = "TorchSetup.TorchSetup"
_ANY_PROCESS = 0xFFFF_FFFF  # ASFW_ANY


def may_come_forward(user32: Any = None) -> None:
    """Only who was started by a click may show a window in front, and may hand that on: else the first window would
    only blink in the task bar."""
    with contextlib.suppress(OSError):
        (user32 or load("user32")).AllowSetForegroundWindow(_ANY_PROCESS)


def name_for_taskbar(shell32: Any = None) -> None:
    """Windows groups windows by this name, else by the program: python.exe. Before the first window is made."""
    with contextlib.suppress(OSError):
        (shell32 or load("shell32")).SetCurrentProcessExplicitAppUserModelID(APP_ID)


def is_console(number: int) -> bool:
    """Tell whether this open file is a console: only that has a mode. NUL counts as a terminal too, by isatty."""
    import msvcrt

    handle = msvcrt.get_osfhandle(number)  # type: ignore[attr-defined,unused-ignore]
    return bool(load("kernel32").GetConsoleMode(handle, ctypes.byref(DWORD())))


_CLASS = uuid.UUID("56FDF344-FD6D-11D0-958A-006097C9A090")  # CLSID_TaskbarList
_FACE = uuid.UUID("EA1AFB91-9E28-4B86-90E9-9E9F8A5EEFAF")  # IID_ITaskbarList3
_IN_PROCESS = 1
_HR_INIT, _SET_VALUE, _SET_STATE = 3, 9, 10
NOTHING, NORMAL, PAUSED = 0, 2, 8  # TBPF_NOPROGRESS, TBPF_NORMAL, TBPF_PAUSED
_WHOLE = 100
_FUNCTION = getattr(ctypes, "WINFUNCTYPE", ctypes.CFUNCTYPE)


def _called(this: int, place: int, *arguments: tuple[Any, Any]) -> int:
    """Calls a function of a COM object; `arguments` are (type, value). A negative answer is a refusal."""
    table = ctypes.cast(ctypes.c_void_p(this), ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p))).contents
    kind = _FUNCTION(ctypes.c_int32, ctypes.c_void_p, *(kind for kind, _ in arguments))
    return int(kind(table[place])(this, *(value for _, value in arguments)))


class TaskbarButton:
    """`this`: an ITaskbarList3, which stays as long as the program."""

    def __init__(self, this: int) -> None:
        self._this = this

    def show(self, window: int, percent: int | None, paused: bool = False) -> None:
        """None takes the bar away."""
        handle = (HANDLE, window)
        state = NOTHING if percent is None else PAUSED if paused else NORMAL
        if percent is not None:
            _called(self._this, _SET_VALUE, handle, (ctypes.c_uint64, percent), (ctypes.c_uint64, _WHOLE))
        _called(self._this, _SET_STATE, handle, (ctypes.c_int32, state))


def taskbar_button(ole: Any = None) -> TaskbarButton | None:
    """None where there is no task bar. `ole`: the library, which only a test brings along."""
    made = ctypes.c_void_p()
    try:
        library = ole or load("ole32")
    except OSError:
        return None
    one, face = (ctypes.create_string_buffer(wanted.bytes_le, 16) for wanted in (_CLASS, _FACE))
    answer = library.CoCreateInstance(
        ctypes.cast(one, POINTER),
        None,
        _IN_PROCESS,
        ctypes.cast(face, POINTER),
        ctypes.cast(ctypes.byref(made), POINTER),
    )
    if answer < 0 or not made.value or _called(made.value, _HR_INIT) < 0:
        return None
    return TaskbarButton(made.value)


_ERROR_IN_FRONT = 0x0000_0010 | 0x0001_0000  # MB_ICONERROR, MB_SETFOREGROUND


def message_box(title: str, words: str, user32: Any = None) -> bool:
    """Waits until it is closed. False: nothing could be shown (elsewhere than on Windows, always)."""
    with contextlib.suppress(OSError):
        return bool((user32 or load("user32")).MessageBoxW(None, words, title, _ERROR_IN_FRONT))
    return False


_NO_SUCH_FILE = 2
_SHORTEST_MS = 1  # 0 would be the time that the pipe's maker has named


def is_pipe_there(name: str, kernel: Any = None) -> bool:
    """True also where it cannot be found out. Windows answers at once for a pipe that nobody has made."""
    try:
        found = (kernel or load("kernel32")).WaitNamedPipeW(f"\\\\.\\pipe\\{name}", _SHORTEST_MS)
    except OSError:
        return True
    return bool(found) or getattr(last_error(), "winerror", None) != _NO_SUCH_FILE
