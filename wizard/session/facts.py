"""Facts as a document: `machine.json` with what was judged about it and where the user's settings lie."""

from __future__ import annotations

from typing import Any

from wizard.machine.serialize import machine_to_json
from wizard.process import redact
from wizard.session.model import Facts


def facts_document(facts: Facts) -> dict[str, Any]:
    settings = facts.settings
    return {
        **machine_to_json(facts.machine),
        "settings": {
            "files": list(settings.files),
            "index_url": redact(settings.index_url) if settings.index_url else None,
            "extra_index_urls": [redact(url) for url in settings.extra_index_urls],
            "find_links": [redact(url) for url in settings.find_links],
        },
        "checks": [
            {"name": row.name, "state": row.state, "blocks": row.blocks, "fact": row.fact.to_json()}
            for row in facts.requirements
        ],
    }
