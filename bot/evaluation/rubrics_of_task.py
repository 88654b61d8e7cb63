"""Finds the rubrics of a task, and makes requirements of the golden ones; a draft stays advice.

Of each issue that asks for one, the file on base counts, else what was kept. What must hold is judged as any
demand. What must not hold is a prohibition: no test can vouch for it by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from bot.store import Store
from bot.task.categories import category_of
from bot.task.rubrics.files import (
    NO_ISSUE,
    CommittedRubric,
    issue_of,
    names_no_issue,
    read_rubric_file,
    refused,
)
from bot.task.wording import says_the_same
from bot.values import Category, KeptRubric, Requirement, Requirements, Task, TaskRubric, Trust

_MOST_TOLD = 5


def rubrics_of(
    task: Task,
    committed: Iterable[CommittedRubric],
    kept: dict[int, tuple[KeptRubric, ...]],
    needed: int,
) -> tuple[TaskRubric, ...]:
    """One rubric at most for each issue. Raises UserError for a file that cannot be used.

    Of what was kept, the newest version that `needed` people besides the author approved is golden;
    else the newest is a draft.
    """
    files = tuple(committed)
    found = (
        _rubric_of(issue, files, kept.get(issue, ()), (needed, task.author))
        for issue in issues(task)
    )
    return tuple(one for one in found if one is not None)


def unused(committed: Iterable[CommittedRubric]) -> tuple[str, ...]:
    """A remark on each file that looks like a rubric and is nobody's."""
    found = [one.path for one in committed if names_no_issue(one.path)]
    return tuple(
        f"{path} is not used: {NO_ISSUE} (`7.yml` is issue 7's)." for path in found[:_MOST_TOLD]
    )


def issues(task: Task) -> tuple[int, ...]:
    """The issues of the repository that ask for this task."""
    return tuple(dict.fromkeys(source.issue for source in task.sources if source.issue))


def kept_rubrics(store: Store, repository: str, task: Task) -> dict[int, tuple[KeptRubric, ...]]:
    """What was drafted and approved for the task's issues."""
    return {issue: store.rubrics(repository, issue) for issue in issues(task)}


def _rubric_of(
    issue: int,
    files: tuple[CommittedRubric, ...],
    kept: tuple[KeptRubric, ...],
    rule: tuple[int, str],
) -> TaskRubric | None:
    needed, author = rule
    own = [file for file in files if issue_of(file.path) == issue]
    if len(own) > 1:
        raise refused(own[1].path, f"{own[0].path} is a rubric of the same issue; keep one")
    if own:
        rubric = read_rubric_file(own[0])
        return TaskRubric(issue, rubric, is_golden=True, path=own[0].path)
    if not kept:
        return None
    golden = [one for one in kept if len(one.approvals(author)) >= needed]
    one = (golden or kept)[-1]
    approved_by = one.approvals(author)
    return TaskRubric(issue, one.rubric, bool(golden), one.version, approved_by)


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
