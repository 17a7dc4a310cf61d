"""A folder as a source: wheels that lie in it, or a whole index on disk (`<folder>/<project>/index.html`).

Sizes come from the file system; hashes only from a page: nobody hashes gigabytes to look at a list.
"""

from __future__ import annotations

from pathlib import Path

from packaging.utils import canonicalize_name

from wizard.mirrors.address import file_path
from wizard.mirrors.model import Layout, Offer, Source
from wizard.mirrors.pages import offer, parse_flat, parse_simple_html
from wizard.mirrors.unreachable import SourceUnreachable


def list_folder(source: Source, project: str) -> tuple[Offer, ...]:
    """Raises SourceUnreachable `source-no-folder` when the place is not there or may not be read."""
    place = file_path(source.url or "")
    try:
        if place.is_file():
            return _read_page(place, source, project)
        if not place.is_dir():
            raise SourceUnreachable("source-no-folder", source=source.name, path=str(place))
        if source.layout is Layout.FLAT:
            return _wheels_in(place, source, project)
        own = place / canonicalize_name(project)
        page = own / "index.html"
        if page.is_file():
            return _read_page(page, source, project)
        return _wheels_in(own, source, project) if own.is_dir() else ()
    except (OSError, ValueError) as error:
        raise SourceUnreachable("source-no-folder", details=str(error), source=source.name, path=str(place)) from error


def _read_page(page: Path, source: Source, project: str) -> tuple[Offer, ...]:
    parse = parse_simple_html if source.layout is Layout.SIMPLE else parse_flat
    return parse(page.read_text(encoding="utf-8", errors="replace"), page.absolute().as_uri(), source, project)


def _wheels_in(folder: Path, source: Source, project: str) -> tuple[Offer, ...]:
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix == ".whl" and path.is_file():
            wheel = offer(source, project, path.absolute().as_uri(), filename=path.name, size=path.stat().st_size)
            found.append(wheel)
    return tuple(wheel for wheel in found if wheel)
