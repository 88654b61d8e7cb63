"""What tests say in check runs."""

from __future__ import annotations

from dataclasses import replace

from bot.github import CheckReport, CheckStatus
from bot.values.conclusions import Annotation, AnnotationLevel
from tests.world import Place


def report(place: Place, **changes: object) -> CheckReport:
    plain = CheckReport(
        name="Assay",
        head_sha=place.head(),
        external_id="evaluation-1",
        status=CheckStatus.QUEUED,
        title="Queued",
        summary="Waiting for a worker.",
        details_url="http://127.0.0.1/evaluations/1",
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def remarks(count: int) -> tuple[Annotation, ...]:
    return tuple(
        Annotation("hello.py", 1, 1, AnnotationLevel.WARNING, f"remark {index}", "ruff F401")
        for index in range(count)
    )
