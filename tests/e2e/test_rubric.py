"""A rubric from draft to golden, over patches of the same task: real stages, scripted judges."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.store import open_records
from bot.values import Role, Rubric
from tests.e2e.folder import FIX, Folder, Judged, open_folder
from tests.scripted import Call, Reply, Scripted

pytestmark = [pytest.mark.real, pytest.mark.slow]
RUBRIC = Rubric("`price` gives the cents back.", ("`price` returns twice the cents",))
ON_BASE = (
    "root_cause: The price is not doubled.\n"
    "requirements: ['`price` returns twice the cents']\n"
    "unacceptable: ['`price` answers from a table']\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("rubric"))


def judged(folder: Folder, head: str, word: str, tmp_path: Path) -> Judged:
    """Judge for issue 7 with models that give one word on the patch and could tell nothing else."""

    def script(call: Call) -> Reply:
        if call.role is not Role.PATCH:
            return {"reason": "Cannot tell.", "outcome": "unverified"}
        said = {
            "thought": "t",
            "justification": "It was run.",
            "minimality": "name() is not needed",
        }
        return {**said, "verdict": word, "evidence": ["E1"]}

    scripted = Scripted(script, tmp_path / f"{head}-{word}")
    return folder.judge(head, models=scripted.open, issue=7)


def test_a_draft_advises_and_the_golden_one_blocks_every_patch(
    folder: Folder, tmp_path: Path
) -> None:
    first, second = folder.branch("first", FIX), folder.branch("second", FIX)
    name = str(folder.repository.folder)
    with open_records(folder.settings) as records:
        kept = records.keep_rubric(name, 7, RUBRIC)
        advised = judged(folder, first, "INVALID", tmp_path / "draft")
        assert advised.conclusion == "success"
        (draft,) = advised.document.rubrics
        assert (draft.is_golden, draft.requirement_ids) == (False, ())
        assert any(one.text.startswith("Advice only") for one in advised.document.reasons)
        for login in ("ben", "mara"):
            records.approve_rubric(name, 7, kept.version, login)
    for head in (first, second):
        blocked = judged(folder, head, "INVALID", tmp_path)
        assert blocked.conclusion == "action_required"
        assert "INVALID by the rubric of issue #7, version 1" in blocked.said()
        opinion = blocked.document.patch_opinion
        assert opinion
        assert (opinion.evidence_ids, opinion.votes, opinion.is_unsure) == (
            ("E1",),
            (0, 3, 0),
            False,
        )
    assert "Not needed for the task, as the judges see it: name() is not needed" in blocked.markdown
    assert "is golden: it blocks, approved by ben, mara" in blocked.markdown
    assert judged(folder, second, "VALID", tmp_path).conclusion == "success"


def test_the_file_on_base_counts_and_the_one_on_head_does_not(
    folder: Folder, tmp_path: Path
) -> None:
    folder.repository.git("checkout", "--quiet", "main")
    folder.repository.commit({".github/assay/rubrics/7.yml": ON_BASE})
    milder = ON_BASE.replace("price` answers from a table", "x").replace("twice", "once")
    edited = folder.branch("edited", {**FIX, ".github/assay/rubrics/7.yml": milder})
    found = judged(folder, edited, "VALID", tmp_path)
    rows = {row.id: row for row in found.document.requirements}
    prohibited = next(row for row in rows.values() if row.category == "prohibition")
    assert prohibited.text == "Must not hold: `price` answers from a table"
    assert (prohibited.verdict, prohibited.origin) == ("unverified", ".github/assay/rubrics/7.yml")
    assert found.conclusion == "action_required"  # VALID makes nothing of it satisfied
    without = folder.judge(edited, issue=7)
    assert without.conclusion == "action_required"
    assert without.document.patch_opinion is None
    assert folder.judge(edited).document.rubrics == ()
