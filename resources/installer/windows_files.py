"""What Windows wants to know of a program: its version, its icon, its manifest. Made from our one version and one SVG.

Nothing here needs Windows, so all of it is made and tested on Linux too.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

SIZES = (16, 20, 24, 32, 40, 48, 64, 128, 256)
COPYRIGHT = "MIT licence"

# asInvoker: no administrator. Per-monitor DPI: sharp text on a second screen. longPathAware: environments are deep.
# UTF-8: C libraries that take a `char *` path (rattler's, uv's) find folders with Chinese names.
MANIFEST = """\
<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0">
  <assemblyIdentity type="win32" name="TorchSetup" version="{version}" processorArchitecture="amd64"/>
  <trustInfo xmlns="urn:schemas-microsoft-com:asm.v3">
    <security>
      <requestedPrivileges>
        <requestedExecutionLevel level="asInvoker" uiAccess="false"/>
      </requestedPrivileges>
    </security>
  </trustInfo>
  <dependency>
    <dependentAssembly>
      <assemblyIdentity type="win32" name="Microsoft.Windows.Common-Controls" version="6.0.0.0"
                        processorArchitecture="*" publicKeyToken="6595b64144ccf1df" language="*"/>
    </dependentAssembly>
  </dependency>
  <compatibility xmlns="urn:schemas-microsoft-com:compatibility.v1">
    <application>
      <supportedOS Id="{{8e0f7a12-bfb3-4fe8-b9a5-48fd50a15a9a}}"/>
    </application>
  </compatibility>
  <application xmlns="urn:schemas-microsoft-com:asm.v3">
    <windowsSettings>
      <dpiAware xmlns="http://schemas.microsoft.com/SMI/2005/WindowsSettings">true/pm</dpiAware>
      <dpiAwareness xmlns="http://schemas.microsoft.com/SMI/2016/WindowsSettings"
        >PerMonitorV2, PerMonitor</dpiAwareness>
      <longPathAware xmlns="http://schemas.microsoft.com/SMI/2016/WindowsSettings">true</longPathAware>
      <activeCodePage xmlns="http://schemas.microsoft.com/SMI/2019/WindowsSettings">UTF-8</activeCodePage>
    </windowsSettings>
  </application>
</assembly>
"""

VERSION_INFO = """\
VSVersionInfo(
  ffi=FixedFileInfo(filevers={four}, prodvers={four}, mask=0x3F, flags={flags}, OS=0x40004, fileType=0x1,
                    subtype=0x0, date=(0, 0)),
  kids=[
    StringFileInfo([
      StringTable('040904B0', [
        StringStruct('CompanyName', 'Torch Setup'),
        StringStruct('FileDescription', {description!r}),
        StringStruct('FileVersion', {version!r}),
        StringStruct('InternalName', {name!r}),
        StringStruct('LegalCopyright', {copyright!r}),
        StringStruct('OriginalFilename', {file!r}),
        StringStruct('ProductName', 'Torch Setup'),
        StringStruct('ProductVersion', {version!r}),
      ])
    ]),
    VarFileInfo([VarStruct('Translation', [0x0409, 1200])])
  ]
)
"""


def four_numbers(version: str) -> tuple[int, int, int, int]:
    """`1.2.3rc1` is 1.2.3.0: Windows knows numbers only."""
    release = re.match(r"\d+(\.\d+)*", version)
    numbers = [int(part) for part in release[0].split(".")] if release else []
    first, second, third, fourth = [*numbers, 0, 0, 0, 0][:4]
    return first, second, third, fourth


def version_info(name: str, description: str, version: str) -> str:
    """For PyInstaller's EXE(version=FILE)."""
    is_final = re.fullmatch(r"\d+(\.\d+)*", version) is not None
    return VERSION_INFO.format(
        four=four_numbers(version),
        flags="0x0" if is_final else "0x2",
        description=description,
        version=version,
        name=name,
        copyright=COPYRIGHT,
        file=f"{name}.exe",
    )


def manifest(version: str) -> str:
    return MANIFEST.format(version=".".join(map(str, four_numbers(version))))


def make_icon(svg: Path, icon: Path) -> None:
    """256 pixels as PNG, smaller ones as bitmaps: installers and old dialogs read no PNG in them."""
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    renderer = QSvgRenderer(str(svg))
    if not renderer.isValid():
        raise ValueError(f"{svg} cannot be drawn")
    pictures = []
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        if size < 256:
            pictures.append(_bitmap(bytes(image.constBits()), size))
            continue
        content = QByteArray()
        buffer = QBuffer(content)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        image.save(buffer, "PNG")  # type: ignore[call-overload]
        pictures.append(bytes(content.data()))
    icon.write_bytes(ico(list(zip(SIZES, pictures, strict=True))))


def make_side_picture(svg: Path, picture: Path) -> None:
    """What the installer's first and last page show at the left; twice as large as it is shown on a plain screen."""
    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(328, 628, QImage.Format.Format_RGB888)
    painter = QPainter(image)
    colours = QLinearGradient(0, 0, 0, image.height())
    colours.setColorAt(0, QColor("#3b6fe0"))
    colours.setColorAt(1, QColor("#1f3f94"))
    painter.fillRect(image.rect(), colours)
    QSvgRenderer(str(svg)).render(painter, QRectF(64, 180, 200, 200))
    painter.end()
    if not image.save(str(picture)):
        raise OSError(f"{picture} cannot be written")


def _bitmap(pixels: bytes, size: int) -> bytes:
    """A picture as an icon holds it: bottom-up BGRA, then a mask of one bit each, which nobody reads beside alpha."""
    header = struct.pack("<IiiHHIIiiII", 40, size, size * 2, 1, 32, 0, len(pixels), 0, 0, 0, 0)
    rows = [pixels[at : at + size * 4] for at in range(0, len(pixels), size * 4)]
    return header + b"".join(reversed(rows)) + bytes((size + 31) // 32 * 4 * size)


def ico(pictures: list[tuple[int, bytes]]) -> bytes:
    at = 6 + 16 * len(pictures)
    head, body = struct.pack("<HHH", 0, 1, len(pictures)), b""
    for size, data in pictures:
        head += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(data), at + len(body))
        body += data
    return head + body
