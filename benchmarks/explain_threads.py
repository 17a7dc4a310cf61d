"""What `explain` says to the texts of public threads: right, partly, wrong, harmful or silent, for each half.

    python benchmarks/explain_threads.py [--open]

`--open` lists the open half's texts that are not right, with the rows that answered. Nothing is ever listed of the
held half. No assertion: figures to look at (`tests/explain/test_threads.py` holds what must stay).
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.explain.threads import ELSEWHERE, THREADS, verdicts
from wizard.diagnose.known_errors.match import explain

VERDICTS = ("right", "partly", "wrong", "harmful", "silent")


def main() -> None:
    for half in ("open", "held"):
        counts = Counter(verdicts(half).values())
        print(f"{half:6}", *(f"{name} {counts[name]:3}" for name in VERDICTS), f"of {sum(counts.values())}")
    print("elsewhere: silent", sum(not explain(words) for words in ELSEWHERE), "of", len(ELSEWHERE))
    if "--open" in sys.argv:
        texts = {thread.id: thread.text for thread in THREADS}
        for name, verdict in verdicts("open").items():
            if verdict != "right":
                print(f"{verdict:8} {name:22}", ", ".join(one.id for one in explain(texts[name])[:3]))


if __name__ == "__main__":
    main()
