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
    Judgement,
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
    Plan,
    Preference,
    Requirement,
    Requirements,
    Step,
    Task,
    TaskSource,
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
    "Judgement",
    "Observed",
    "Plan",
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
    "Transition",
    "Trigger",
    "Trust",
    "Verdict",
    "VerdictOutcome",
]
