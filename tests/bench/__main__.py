"""`python -m tests.bench`: what Assay costs, as ratios within one run (about ten minutes).

Parts can be named: `python -m tests.bench tiny environments slow damage webhook commands browser docker plans
static`.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path

from tests.bench import browser, commands, damage, docker, plans, static, webhook
from tests.bench.judging import Rounds, measure, measure_environments
from tests.bench.projects import SLOW, TINY, Size

JUDGE = "assay judge REPOSITORY --base BASE --head HEAD --task TASK"
BY_HAND = "git archive, uv pip install and pytest on both sides at once, ruff, new tests on base"


_FOLDER = "assay-bench-"


def _judging(name: str, size: Size, rounds: int) -> None:
    with tempfile.TemporaryDirectory(prefix=_FOLDER) as folder:
        found = measure(Path(folder), size, rounds)
    ratio, more_s = found.added()
    _tell(f"{name} suite, warm: whole judgement over the same by hand", f"{ratio:.2f}x", found)
    print(f"  that is {more_s:+.1f} s; {_load()}")
    doubting = statistics.median(found.doubting)
    print(f"  damaged copies and the second look: {doubting:.0%} of the observing")
    print(f"  second pull request on the same base: {found.saved():.2f}x as fast as the first")


def _tell(what: str, ratio: str, found: Rounds) -> None:
    print(f"{what}: {ratio}")
    print(f"  judged  {_listed(found.first)}  `{JUDGE}`")
    print(f"  again   {_listed(found.second)}  the same once more: base's results are known")
    print(f"  by hand {_listed(found.by_hand)}  {BY_HAND}")


def _listed(seconds: list[float]) -> str:
    return " ".join(f"{one:.1f}" for one in seconds) + " s"


def _load() -> str:
    return f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def tiny() -> None:
    """Print the constant."""
    _judging("tiny", TINY, 5)


def slow() -> None:
    """Print the ratio on a suite of 20 seconds."""
    _judging("slow", SLOW, 3)


def environments() -> None:
    """Print what a kept environment saves."""
    with tempfile.TemporaryDirectory(prefix=_FOLDER) as folder:
        found = measure_environments(Path(folder), TINY, 3)
    print(f"environments, cold over warm: {found.cold_s / found.warm_s:.1f}x")
    print(
        f"  {found.cold_s:.2f} s, then {found.warm_s:.2f} s: `environment` in report.json; {_load()}"
    )
    print(f"  `{JUDGE}` twice, with a fresh ASSAY_HOME each round")


PARTS = {
    "tiny": tiny,
    "environments": environments,
    "slow": slow,
    "damage": damage.main,
    "webhook": webhook.main,
    "commands": commands.main,
    "browser": browser.main,
    "docker": docker.main,
    "plans": plans.main,
    "static": static.main,
}


def main() -> None:
    """Run the named parts, or all."""
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()
        print(flush=True)


if __name__ == "__main__":
    main()
