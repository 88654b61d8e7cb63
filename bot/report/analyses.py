"""What analysts did, as the report shows it: each analysis beside the steps that it rests on."""

from __future__ import annotations

from collections.abc import Iterable

from bot.models import Analysis
from bot.report.model import AnalysisView, EvidenceView


def analysis_rows(
    analyses: Iterable[Analysis], evidence: Iterable[EvidenceView]
) -> tuple[AnalysisView, ...]:
    """Each analysis with its own steps, in the order in which they were taken."""
    seen = {one.id: one for one in evidence}
    return tuple(
        AnalysisView(one, _of(one.evidence_ids, seen), _of(one.refuted_by, seen))
        for one in analyses
    )


def _of(ids: tuple[str, ...], seen: dict[str, EvidenceView]) -> tuple[EvidenceView, ...]:
    return tuple(seen[id_] for id_ in ids if id_ in seen)
