"""How long a whole test plan takes, without a model; PRDBench's own judge needs 426 s for one project."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.plans.judging import HERE, given_files, judged, settings_in

PAPER_S = 426.0
_TASK = "44"  # 23 items, 11 of them tests


def main() -> None:
    """Judge a complete submission twice and print the second run's seconds and their ratio."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        try:
            given = given_files(_TASK, folder, HERE / "subway_given")
        except pytest.skip.Exception as skipped:
            print(f"plans: {skipped}")
            return
        settings = settings_in(folder)
        judged(settings, given, HERE / "subway")  # warm: the environment is built
        seen = judged(settings, given, HERE / "subway").document
    seconds = sum(seen.seconds.values())
    items = len(seen.plan.items) if seen.plan else 0
    print(f"plans: a plan of {items} items on both sides: {seconds:.1f} s, no model call")
    print(
        f"  25 items at this pace: {25 * seconds / items:.1f} s, the paper's judge: {PAPER_S:g} s"
    )
    print(f"  by stage: {seen.seconds}")
