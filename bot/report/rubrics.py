"""The rubrics of the task and the word on the whole patch, as reports show them."""

from __future__ import annotations

from bot.models import Deliberation, PatchOpinion, TaskRubric
from bot.report.model import EvidenceView, PatchView, RubricView


def rubric_views(rubrics: tuple[TaskRubric, ...]) -> tuple[RubricView, ...]:
    """Each rubric with its standing."""
    return tuple(
        RubricView(
            name=one.name,
            issue=one.issue,
            is_golden=one.is_golden,
            version=one.version,
            path=one.path,
            approved_by=one.approved_by,
            requirement_ids=one.requirement_ids,
            rubric=one.rubric,
        )
        for one in rubrics
    )


def patch_view(deliberation: Deliberation, evidence: tuple[EvidenceView, ...]) -> PatchView | None:
    """The opinion with the pieces that it cites; None where nobody was asked."""
    opinion: PatchOpinion | None = deliberation.patch
    if opinion is None:
        return None
    seen = {one.id: one for one in evidence}
    cited = tuple(seen[id_] for id_ in opinion.evidence_ids if id_ in seen)
    return PatchView(opinion, cited)
