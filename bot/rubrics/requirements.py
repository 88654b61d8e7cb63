"""Makes requirements of golden rubrics; what a draft says stays advice and is no requirement.

What must hold is judged as any demand. What must not hold is a prohibition: no test can vouch for it
by its name, since a test may well assert the very thing, so it is for judges or people alone.
"""

from __future__ import annotations

import re
from dataclasses import replace

from bot.judge.categories import category_of
from bot.judge.sameness import says_the_same
from bot.models import Category, Requirement, Requirements, TaskRubric, Trust

_PROHIBITED = "Must not hold: "


def with_rubrics(
    found: Requirements, rubrics: tuple[TaskRubric, ...]
) -> tuple[Requirements, tuple[TaskRubric, ...]]:
    """The requirements with those of golden rubrics, and the rubrics with the ids that these got.

    A demand that the task makes already is raised to a maintainer's, mandatory, under its own id;
    the rest stands behind the baseline: G1, G2, … where no id is taken.
    """
    items = list(found.items)
    letter = _free_letter(items)
    numbered: list[TaskRubric] = []
    added: list[Requirement] = []
    for rubric in rubrics:
        ids: list[str] = []
        for wanted in _wanted(rubric) if rubric.is_golden else ():
            known = _known(wanted, items)
            if known is None:
                added.append(replace(wanted, id=f"{letter}{len(added) + 1}"))
                ids.append(added[-1].id)
            else:
                items[known] = _raised(items[known], rubric)
                ids.append(items[known].id)
        numbered.append(replace(rubric, requirement_ids=tuple(ids)))
    first = next((n for n, one in enumerate(items) if one.category is not Category.BASELINE), None)
    first = len(items) if first is None else first
    whole = (*items[:first], *added, *items[first:])
    return replace(found, items=whole), tuple(numbered)


def _wanted(rubric: TaskRubric) -> list[Requirement]:
    must = [
        Requirement("", text, category_of(text), rubric.name, Trust.MAINTAINER)
        for text in rubric.rubric.requirements
    ]
    return must + [
        Requirement("", _PROHIBITED + text, Category.PROHIBITION, rubric.name, Trust.MAINTAINER)
        for text in rubric.rubric.unacceptable
    ]


def _known(wanted: Requirement, items: list[Requirement]) -> int | None:
    """Where the task itself makes the same demand, as one that judges or tests decide."""
    for index, one in enumerate(items):
        if one.category is wanted.category and says_the_same(one.text, wanted.text):
            return index
    return None


def _raised(known: Requirement, rubric: TaskRubric) -> Requirement:
    if known.trust is Trust.MAINTAINER:
        return replace(known, mandatory=True)
    origin = f"{known.origin}, {rubric.name}"
    return replace(known, trust=Trust.MAINTAINER, mandatory=True, origin=origin)


def _free_letter(items: list[Requirement]) -> str:
    letter = "G"
    while any(re.fullmatch(rf"{letter}\d+", one.id) for one in items):
        letter += "_"
    return letter
