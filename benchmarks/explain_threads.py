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

from tests.explain.threads import ELSEWHERE, THREADS, judge, judged
from wizard.diagnose.known_errors.match import explain
from wizard.model.messages import text

VERDICTS = ("right", "partly", "wrong", "harmful", "silent")


def answers(words: str) -> tuple[str, ...]:
    return tuple(f"{text(one.cause, 'en')} {text(one.fix, 'en')}" for one in explain(words)[:3])


def main() -> None:
    for half in ("open", "held"):
        counts = Counter(judged(half, answers).values())
        print(f"{half:6}", *(f"{name} {counts[name]:3}" for name in VERDICTS), f"of {sum(counts.values())}")
    print("elsewhere: silent", sum(not explain(words) for words in ELSEWHERE), "of", len(ELSEWHERE))
    if "--open" in sys.argv:
        for thread in THREADS:
            verdict = judge(thread, answers(thread.text))
            if thread.half == "open" and verdict != "right":
                print(f"{verdict:8} {thread.id:22}", ", ".join(one.id for one in explain(thread.text)[:3]))


if __name__ == "__main__":
    main()
