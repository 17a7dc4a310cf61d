"""The hosts that a profile or a project names and nobody vouches for: each with what comes from it, and its own yes.

Shows values and says when a yes was given or taken back; what may happen then is the page's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from wizard.gui.widgets.frames import column, empty
from wizard.gui.widgets.labels import label, told_of
from wizard.model.messages import Message, message

if TYPE_CHECKING:
    from wizard.classroom.profile.hosts import ForeignHost


_MAY_BREAK = "\N{ZERO WIDTH SPACE}"

_OF_A_PROFILE = message(
    "flow.hosts.head",
    "This class profile downloads from an unknown host. Continue only if you trust it.",
)
LACKS_TRUST = message("page.welcome.lacks-trust", "Tick each host that you trust first.")


class HostsConsent(QWidget):
    changed = Signal()

    def __init__(
        self, say: Callable[[Message], str], parent: QWidget | None = None, head: Message = _OF_A_PROFILE
    ) -> None:
        """`head`: the sentence above the hosts."""
        super().__init__(parent)
        self._say, self._head = say, head
        self._hosts: tuple[ForeignHost, ...] = ()
        self._trusted: set[str] = set()
        self._rows = column(self, gap=4)
        self.boxes: dict[str, QCheckBox] = {}
        self._show_where_it_is()

    @property
    def trusted(self) -> frozenset[str]:
        return frozenset(self._trusted)

    @property
    def hosts(self) -> tuple[ForeignHost, ...]:
        return self._hosts

    @property
    def is_agreed(self) -> bool:
        """Each of them was said yes to; also where there is none."""
        return all(host.name in self._trusted for host in self._hosts)

    def show_hosts(self, hosts: tuple[ForeignHost, ...], trusted: frozenset[str] = frozenset()) -> None:
        """`trusted`: those that were said yes to before."""
        self._hosts = hosts
        self._trusted = {host.name for host in hosts if host.name in trusted}
        self.retranslate()
        self._show_where_it_is()
        self.changed.emit()

    def _show_where_it_is(self) -> None:
        """Without a place yet, it would be a window."""
        if self.parentWidget() is not None:
            self.setVisible(bool(self._hosts))

    def retranslate(self) -> None:
        empty(self._rows)
        self.boxes = {}
        if self._hosts:
            self._rows.addWidget(label(self._say(self._head)))
        for host in self._hosts:
            gives = "; ".join(map(self._say, host.words))
            # A name may be long enough to push its end, which is the part that counts, out of the window.
            name = host.name.replace(".", f".{_MAY_BREAK}")
            self._rows.addWidget(
                label(self._say(message("flow.hosts.gives", "{host}: {gives}", host=name, gives=gives)), "strong")
            )
            box = QCheckBox(self._say(message("flow.hosts.trust", "I trust this host")))
            box.setAccessibleName(told_of(host.name, box.text()))
            box.setChecked(host.name in self._trusted)
            box.toggled.connect(lambda is_on, name=host.name: self._put(name, is_on))
            box.setAccessibleDescription(gives)
            self.boxes[host.name] = box
            self._rows.addWidget(box)

    def _put(self, name: str, is_on: bool) -> None:
        (self._trusted.add if is_on else self._trusted.discard)(name)
        self.changed.emit()
