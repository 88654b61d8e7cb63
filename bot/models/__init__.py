"""The words of Assay as values: what is asked, what was seen, what is concluded.

All are frozen, slotted and made of plain parts, so `pydantic.TypeAdapter` turns each to JSON and
back.
"""

from bot.models.conclusions import (
    Conclusion,
    Decider,
    Evaluation,
    GateReason,
    GateResult,
    ItemScore,
    Judgement,
    PlanScore,
    Publication,
    Standing,
    Verdict,
    VerdictOutcome,
)
from bot.models.observed import (
    Evidence,
    FourWay,
    Observed,
    TestChange,
    TestComparison,
    Transition,
)
from bot.models.requests import (
    Delivery,
    EvaluationRequest,
    Trigger,
)
from bot.models.tasks import (
    ActionKind,
    Category,
    ItemKind,
    Plan,
    PlanItem,
    PlannedCase,
    Preference,
    Requirement,
    Requirements,
    Step,
    Task,
    TaskSource,
    TestPlan,
    Trust,
)

__all__ = [
    "ActionKind",
    "Category",
    "Conclusion",
    "Decider",
    "Delivery",
    "Evaluation",
    "EvaluationRequest",
    "Evidence",
    "FourWay",
    "GateReason",
    "GateResult",
    "ItemKind",
    "ItemScore",
    "Judgement",
    "Observed",
    "Plan",
    "PlanItem",
    "PlanScore",
    "PlannedCase",
    "Preference",
    "Publication",
    "Requirement",
    "Requirements",
    "Standing",
    "Step",
    "Task",
    "TaskSource",
    "TestChange",
    "TestComparison",
    "TestPlan",
    "Transition",
    "Trigger",
    "Trust",
    "Verdict",
    "VerdictOutcome",
]
