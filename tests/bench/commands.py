"""How soon a command is answered on its thread, with idle workers and beside a judgement that runs.

`python -m tests.bench commands`: the forge with Assay's own web and worker; from the comment to its reply, or
to the sign that it is done where a command has no reply; without a model.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.project import ASKED
from tests.e2e.talking import UNTESTED, opened, replies_to
from tests.e2e.town import Place, Town, eventually, running_town

LINES = (
    "/judge help",
    "/judge explain R1",
    "/judge plan",
    "/judge agree R1 it is as I see it",
    "/judge disagree R1 a test in another repository shows it",
    "/judge pause",
    "/judge resume",
    "/judge accept R1 seen by hand",
)
SLOW_TESTS = {"tests/test_slow.py": "import time\n\n\ndef test_slow():\n    time.sleep(60)\n"}


def answered(place: Place, number: int) -> dict[str, float]:
    """Seconds from each command to its answer, looked for ten times a second."""
    took = {}
    for line in LINES:
        began = time.perf_counter()
        comment = place.command(number, line)
        eventually(lambda at=comment: _is_answered(place, number, at), f"an answer to {line}", 120)
        took[line] = time.perf_counter() - began
    return took


def _is_answered(place: Place, number: int, comment: int) -> bool:
    """Say whether there is a reply, or the sign that what was asked for is done."""
    return bool(replies_to(place, number, comment)) or "rocket" in place.reactions(comment)


@contextmanager
def judging(town: Town) -> Iterator[None]:
    """Have another pull request judged meanwhile, whose tests take a minute on each side."""
    place = town.place(SLOW_TESTS)
    sha = place.push("slow", UNTESTED)
    place.open("slow", ASKED)
    eventually(lambda: place.runs(sha), "the slow judgement's beginning")
    time.sleep(5)
    yield
    if place.runs(sha)[-1].status == "completed":
        raise RuntimeError("the slow judgement ended too early: nothing was measured beside it")


def main() -> None:
    """Print the seconds of each command and the ratio of the two rounds."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        Path(folder).chmod(0o755)
        with running_town(Path(folder)) as town:
            quiet, other = town.place(), town.place()
            numbers = []
            for place in (quiet, other):
                sha, number = opened(place, UNTESTED)
                place.completed(sha)
                numbers.append(number)
            town.settle()
            alone = answered(quiet, numbers[0])
            with judging(town):
                beside = answered(other, numbers[1])
    for line in LINES:
        print(f"  {line:<58} {alone[line]:5.2f} s alone, {beside[line]:5.2f} s beside a judgement")
    ratio = statistics.median(beside.values()) / statistics.median(alone.values())
    slowest = max(*alone.values(), *beside.values())
    print(
        f"commands, answered on their thread: {ratio:.2f}x beside a judgement; the slowest {slowest:.2f} s;"
        f" load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )


if __name__ == "__main__":
    main()
