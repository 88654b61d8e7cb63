"""What one evaluation leaves behind never decides another one: layers, downloads, packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.poison import POISONINGS, Poisoning, judged_after

pytestmark = [pytest.mark.real, pytest.mark.slow]


@pytest.mark.parametrize("case", POISONINGS, ids=lambda case: case.name)
def test_an_evil_base_decides_nothing_for_others(tmp_path: Path, case: Poisoning) -> None:
    lured, judged = judged_after(tmp_path, case, "bubblewrap")
    assert lured.document.evidence, lured.said()
    assert judged.conclusion == "failure", judged.said()
