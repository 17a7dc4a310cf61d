"""A lab's own list of mirrors for tests: every known place stands on loopback, the official ones too."""

from __future__ import annotations

from pathlib import Path

_KINDS = {"pypi": "simple", "pytorch-wheels": "simple", "conda-forge": "channel"}
NOWHERE = "http://127.0.0.1:9"


def write_mirrors(
    home: Path, rows: dict[tuple[str, str], str], layouts: dict[tuple[str, str], str] | None = None
) -> None:
    """(kind, id) -> address. Official places that are not named lead nowhere; no shipped mirror is left."""
    official = {(kind, "official"): f"{NOWHERE}/{kind}" for kind in _KINDS}
    lines = ["only_these = true"]
    for (kind, name), url in {**official, **rows}.items():
        layout = (layouts or {}).get((kind, name), _KINDS[kind])
        lines += ["[[mirror]]", f'kind = "{kind}"', f'id = "{name}"', f'layout = "{layout}"', f'url = "{url}"']
    home.mkdir(parents=True, exist_ok=True)
    (home / "mirrors.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
