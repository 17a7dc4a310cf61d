"""How this computer reaches the network: by the system, straight, or by a proxy of one's own; and whose certificates.

A password is typed into a field that hides it and is never shown again; what cannot be right is refused in words.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)

from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.fields import PathField
from wizard.gui.widgets.frames import column, line_up
from wizard.gui.widgets.labels import label, without_key
from wizard.transfer.proxy.bypass import checked_entries, checked_proxy, login_of, shown
from wizard.transfer.proxy.model import Mode, Network, SystemProxy
from wizard.transfer.tls import checked_certificate

_MODES = (Mode.SYSTEM, Mode.NONE, Mode.CUSTOM)
_PAC = "network.notice.script"


def system_words(system: SystemProxy, translator: Translator) -> str:
    """What the system says, without passwords; None of it is a wish of ours."""
    addresses = [shown(url) for url in (system.https, system.http, system.other) if url]
    if addresses:
        words = QCoreApplication.translate("NetworkForm", "The system says: proxy %1.")
        said = [words.replace("%1", translator.listed(dict.fromkeys(addresses)))]
        if system.no_proxy:
            words = QCoreApplication.translate("NetworkForm", "Not for: %1.")
            said.append(words.replace("%1", translator.listed(system.no_proxy)))
    else:
        said = [QCoreApplication.translate("NetworkForm", "The system says: no proxy.")]
    for notice in system.notices:
        if notice.key == _PAC:
            said.append(
                QCoreApplication.translate(
                    "NetworkForm",
                    "Your system finds its proxy by a script (PAC), which this program cannot run: ask your "
                    "administrator for the proxy's address.",
                )
            )
        else:
            said.append(translator.say(notice))
    return translator.join(said)


class NetworkForm(QWidget):
    wished = Signal()

    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._translator = translator
        self._system: SystemProxy | None = None
        self.modes = {mode: QRadioButton() for mode in _MODES}
        self._group = QButtonGroup(self)
        for button in self.modes.values():
            self._group.addButton(button)
        self._said = label("", "muted")
        self.address, self.user, self.password = QLineEdit(), QLineEdit(), QLineEdit()
        self.except_hosts, self.certificate = QLineEdit(), PathField()
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self._browse, self.apply = QPushButton(), QPushButton()
        self._browse.clicked.connect(self._choose_file)
        self.apply.clicked.connect(self.wished)
        self._labels = [QLabel() for _ in range(5)]
        self._own = QWidget()
        self._lay_out()
        self._group.buttonToggled.connect(lambda button, checked: self._turn())
        self.show_network(Network(), None)

    @property
    def _fields(self) -> tuple[QLineEdit, ...]:
        return (self.address, self.user, self.password, self.except_hosts, self.certificate)

    @property
    def chosen_mode(self) -> QRadioButton:
        return next(button for button in self.modes.values() if button.isChecked())

    def _lay_out(self) -> None:
        rows = column(self, gap=4)
        rows.addWidget(self.modes[Mode.SYSTEM])
        rows.addWidget(self._said)
        rows.addWidget(self.modes[Mode.NONE])
        rows.addWidget(self.modes[Mode.CUSTOM])
        own, rest = _form(self._own), QWidget()
        more = _form(rest)
        for row, (text, field) in enumerate(zip(self._labels, self._fields, strict=True)):
            text.setBuddy(field)
            grid = more if field is self.certificate else own
            grid.addWidget(text, row, 0)
            grid.addWidget(field, row, 1)
        more.addWidget(self._browse, 4, 2)
        rows.addWidget(self._own)
        rows.addWidget(rest)
        line = line_up()
        line.addWidget(self.apply)
        line.addStretch(1)
        rows.addLayout(line)

    def _turn(self) -> None:
        self._own.setVisible(self.modes[Mode.CUSTOM].isChecked())

    def retranslate(self) -> None:
        self.modes[Mode.SYSTEM].setText(self.tr("Use s&ystem settings"))
        self.modes[Mode.NONE].setText(self.tr("N&o proxy"))
        self.modes[Mode.CUSTOM].setText(self.tr("A proxy of my own"))
        words = (
            self.tr("A&ddress"),
            self.tr("User na&me"),
            self.tr("Password"),
            self.tr("&Except for"),
            self.tr("Cert&ificates"),
        )
        for text, word, field in zip(self._labels, words, self._fields, strict=True):
            text.setText(word)
            field.setAccessibleName(without_key(word))
        self.address.setPlaceholderText("http://proxy.example:3128")
        self.except_hosts.setPlaceholderText(".lab.example, 10.0.0.0/8")
        self.certificate.setPlaceholderText(self.tr("The system's own; or a PEM file"))
        self._browse.setText(self.tr("Browse…"))
        self._browse.setAccessibleName(self.tr("Browse for a certificate file"))
        self.apply.setText(self.tr("Use these settin&gs"))
        self._say_system()

    # -- values

    def show_network(self, network: Network, system: SystemProxy | None) -> None:
        """Show how the network is reached; a password of the proxy stands in its own field."""
        self._system = system
        self.modes[network.mode].setChecked(True)
        parts = urlsplit(network.proxy or "")
        place = (parts.netloc.rpartition("@")[2] if network.proxy else "") or ""
        user, password = (login_of(network.proxy) if network.proxy else None) or ("", "")
        self.address.setText(f"{parts.scheme}://{place}" if place else "")
        self.user.setText(user)
        self.password.setText(password)
        self.except_hosts.setText(", ".join(network.no_proxy))
        self.certificate.setText(network.certificate or "")
        self._turn()
        self._say_system()

    def _say_system(self) -> None:
        self._said.setText(system_words(self._system, self._translator) if self._system else "")
        self._said.setVisible(bool(self._said.text()))

    @property
    def said(self) -> str:
        return self._said.text()

    def network(self) -> Network:
        """Raises UsageError `network-…` for what was typed and cannot be."""
        mode = next(mode for mode, button in self.modes.items() if button.isChecked())
        hosts = checked_entries(self.except_hosts.text(), self.except_hosts.accessibleName())
        named = self.certificate.text().strip()
        certificate = checked_certificate(named, self.certificate.accessibleName()) if named else None
        proxy = checked_proxy(self._typed_proxy(), self.address.accessibleName()) if mode is Mode.CUSTOM else None
        return Network(mode, proxy, hosts if mode is Mode.CUSTOM else (), certificate)

    def _typed_proxy(self) -> str:
        """A login that was pasted with the address counts where the fields for it are empty."""
        address, user = self.address.text().strip(), self.user.text().strip()
        if not user:
            return address
        scheme, sign, rest = address.rpartition("://")
        place = rest.rpartition("@")[2]
        return f"{scheme}{sign}{user}:{self.password.text()}@{place}"

    def _choose_file(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, self.certificate.accessibleName(), self.certificate.start())
        if chosen:
            self.certificate.setText(chosen)


def _form(holder: QWidget) -> QGridLayout:
    grid = QGridLayout(holder)
    grid.setContentsMargins(24, 0, 0, 0)
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(6)
    grid.setColumnStretch(1, 1)
    grid.setColumnMinimumWidth(0, 96)
    return grid
