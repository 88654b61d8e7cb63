"""Finds the rubrics of a task: of each issue that asks for it, the file on base, else what was kept."""

from __future__ import annotations

from collections.abc import Iterable

from bot.models import KeptRubric, Task, TaskRubric
from bot.rubrics.files import (
    NO_ISSUE,
    CommittedRubric,
    issue_of,
    names_no_issue,
    read_rubric_file,
    refused,
)
from bot.store import Store

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
