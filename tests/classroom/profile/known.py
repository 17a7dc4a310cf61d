"""The tables of a test's home: hosts that stand for official places and mirrors, as a lab's own `mirrors.toml` may."""

from __future__ import annotations

from pathlib import Path

from tests.line.world import World
from wizard.classroom.profile.hosts import foreign_hosts
from wizard.classroom.profile.model import Profile
from wizard.system import paths

_LAYOUT = {"pypi": "simple", "pytorch-wheels": "simple", "conda-forge": "channel"}


def list_hosts_of(profile: Profile, home: Path | None = None) -> None:
    """All that this profile names, of wheels and of channels, as mirrors."""
    rows = [
        _row(kind, f"test-{number}", f"{'http' if host.name.startswith('127.') else 'https'}://{host.name}/")
        for number, host in enumerate(foreign_hosts(profile))
        for kind in ("pypi", "conda-forge")
    ]
    _write(home or paths.home(), rows)


def make_official(world: World, home: Path | None = None) -> None:
    """Its two indexes are the official ones of that home, or of its own."""
    pypi = _row("pypi", "official", world.packages.simple)
    torch = _row("pytorch-wheels", "official", world.torch.simple)
    _write(home or world.home / "state", [pypi, torch])


def make_official_at(url: str, mirror: str | None = None) -> None:
    """One index for torch and for all else, in this test's own home; and a mirror of the tables."""
    rows = [_row(kind, "official", url) for kind in ("pypi", "pytorch-wheels")]
    _write(paths.home(), [*rows, *([_row("pypi", "test-mirror", mirror)] if mirror else [])])


def _row(kind: str, name: str, url: str) -> str:
    return f'[[mirror]]\nkind = "{kind}"\nid = "{name}"\nurl = "{url}"\nlayout = "{_LAYOUT[kind]}"\n'


def _write(home: Path, rows: list[str]) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "mirrors.toml").write_text("\n".join(rows), encoding="utf-8")
