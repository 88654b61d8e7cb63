"""The run that decided a verdict stands in its evidence, and the changed code beside the test that broke."""

from __future__ import annotations

import pytest

from bot.report.machine import EvidenceDocument, RequirementDocument
from tests.e2e.folder import FIX, Folder, Judged, open_folder

pytestmark = pytest.mark.real

BROKEN = "def price(cents):\n    return 2 * cents\n\n\ndef name():\n    return 'stall'\n"
LOOSE = "import shop\n\n\ndef test_name():\n    assert shop.name()\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("evidence"))


def cited(judged: Judged, requirement: str) -> tuple[RequirementDocument, list[EvidenceDocument]]:
    (row,) = [one for one in judged.document.requirements if one.id == requirement]
    seen = {one.id: one for one in judged.document.evidence}
    return row, [seen[name] for name in row.evidence]


def test_a_loosened_test_leads_to_the_run_in_which_its_base_version_failed(folder: Folder) -> None:
    head = folder.branch("loosened", {**FIX, "shop.py": BROKEN, "tests/test_shop.py": LOOSE})
    judged = folder.judge(head)
    row, (run,) = cited(judged, "B2")

    assert row.verdict == "unsatisfied"
    assert (run.id, run.transition.value) == ("E1b", "regressed")
    assert run.head is not None and run.head.failed and "'stall' == 'shop'" in run.head.output
    assert judged.document.tests
    (broken,) = [t for t in judged.document.tests.compared if t.id in row.tests]
    assert broken.assertion == "AssertionError: assert 'stall' == 'shop'"
    assert [place.name for place in broken.reaches] == ["name"]
    line = (
        "  - <code>tests/test_shop.py::test_name</code>: "
        "<code>AssertionError: assert 'stall' == 'shop'</code>, reaches <code>shop.py: name</code>, "
        "changed here"
    )
    assert line in judged.markdown.splitlines()


def test_a_proof_leads_to_the_run_in_which_it_failed_with_the_old_code(folder: Folder) -> None:
    judged = folder.judge(folder.branch("fixed", FIX))
    row, runs = cited(judged, "R1")

    assert row.verdict == "satisfied"
    assert [(run.id, run.transition.value) for run in runs] == [("E1h", "fixed"), ("D1", "unknown")]
    assert runs[0].base is not None and "assert 4 == 8" in runs[0].base.output
    assert [run.id for run in cited(judged, "B2")[1]] == ["E1"]


def test_a_test_of_another_file_that_fails_on_both_sides_says_nothing_of_a_crosswise_run(
    folder: Folder,
) -> None:
    old = {"tests/test_old.py": "def test_old():\n    assert False\n"}
    base = folder.branch("old", old)
    judged = folder.judge(folder.branch("fixed-beside-old", FIX, base), base)
    row, runs = cited(judged, "R1")

    assert row.verdict == "satisfied"
    assert [(run.id, run.transition.value) for run in runs][:1] == [("E1h", "fixed")]
    assert runs[0].head is not None and runs[0].head.failed  # told as it was seen
