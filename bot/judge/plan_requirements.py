"""Makes a requirement of every item of the test plan."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.models import Category, Requirement, Requirements, TestPlan, Trust

_MOST_DETAIL = 4000


def with_criteria(
    found: Requirements, test_plan: TestPlan, first: int, *, mandatory: bool
) -> Requirements:
    """Put the plan's items at `first`, before the task's own; C1, C2, … where no id is taken."""
    taken = {requirement.id for requirement in found.items}
    letter = "C"
    while any(re.fullmatch(rf"{letter}\d+", id_) for id_ in taken):
        letter += "_"
    criteria = tuple(
        Requirement(
            id=f"{letter}{item.number}",
            text=item.metric,
            category=Category.CRITERION,
            origin=test_plan.path,
            trust=Trust.MAINTAINER,
            mandatory=mandatory,
            detail=item.description[:_MOST_DETAIL],
            item=item,
        )
        for item in test_plan.items
    )
    return replace(found, items=(*found.items[:first], *criteria, *found.items[first:]))
