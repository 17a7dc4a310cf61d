"""Asks the resolver through the index that is put in front of it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.servers.index_server import Answer
from wizard.compatibility.model import Choices
from wizard.install.lock import LockRequest
from wizard.model.errors import WizardError
from wizard.model.lock import Lock
from wizard.run.plan.checked_index import CheckedIndex
from wizard.run.plan.computed import Asker
from wizard.sources.model import Layout, Origin, Source, UserSettings

ASKER = Asker(Choices(), lambda: False)
LIBRARY = random.Random(3).randbytes(3_000_000)


def source(url: str, layout: Layout = Layout.SIMPLE) -> Source:
    return Source(url, layout, Origin.BY_HAND, url, "Lab")


def resolve(
    folder: Path,
    torch: Source,
    *others: Source,
    settings: UserSettings | None = None,
    wanted: Sequence[str] = ("torch", "extra"),
    asker: Asker = ASKER,
    further: Mapping[str, Sequence[Source]] | None = None,
) -> Lock:
    simple = [one.url or "" for one in others if one.layout is Layout.SIMPLE]
    request = LockRequest(
        tuple(wanted),
        "3.12",
        "linux",
        "x86_64",
        "2.36",
        torch.url,
        torch.layout.value,
        simple[0] if simple else None,
        tuple(simple[1:]),
        tuple(one.url or "" for one in others if one.layout is Layout.FLAT),
        no_index=not simple,
    )
    folder.mkdir(exist_ok=True)
    known = settings if settings and Path(settings.certificate or "").exists() else UserSettings()
    with CheckedIndex((torch, *others), known, asker, further) as index:
        return index.lock(request, folder)


def failure(folder: Path, *sources: Source, settings: UserSettings | None = None) -> WizardError:
    with pytest.raises(WizardError) as caught:
        resolve(folder, *sources, settings=settings)
    return caught.value


def links(*hrefs: str) -> Answer:
    return Answer("".join(f'<a href="{href}">x</a>\n' for href in hrefs).encode())
