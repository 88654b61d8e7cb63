"""Weighs changes that the task did not ask for: advice, unless `gate.scope` says that they block."""

from __future__ import annotations

from collections.abc import Iterator

from bot.configuration import Weight
from bot.judge.case import Case
from bot.judge.categories import NARROW, upkeep_area
from bot.judge.rules import OUT_OF_SCOPE
from bot.models import Category, Conclusion, GateReason


def scope_reasons(case: Case) -> Iterator[GateReason]:
    """Source in a task that is about none, and files that nothing asked speaks of."""
    weight = Conclusion.SUCCESS
    if case.configuration.gate.scope is Weight.BLOCK:
        weight = Conclusion.FAILURE
    for message in (_source_in_a_narrow_task(case), _files_nobody_asked_for(case)):
        if message:
            yield GateReason("scope", weight, message)


def _source_in_a_narrow_task(case: Case) -> str:
    """A task about documents, tests or automation only has no business in the source."""
    asked = [r for r in case.requirements.items if r.category is not Category.BASELINE]
    areas = {upkeep_area(r.text) for r in asked if r.category is Category.UPKEEP}
    if not asked or any(r.category is not Category.UPKEEP for r in asked) or not areas <= NARROW:
        return ""
    beyond = case.code_changes
    return (
        f"The task is about {', '.join(sorted(a for a in areas if a))}, but source files changed: "
        f"{', '.join(f'`{path}`' for path in beyond[:3])}."
        if beyond
        else ""
    )


def _files_nobody_asked_for(case: Case) -> str:
    beyond = [found.path for found in case.observed.integrity if found.rule == OUT_OF_SCOPE]
    shown = ", ".join(f"`{path}`" for path in beyond[:3])
    return f"The task does not mention {shown}." if beyond else ""
