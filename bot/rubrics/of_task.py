"""Finds the rubrics of a task: of each issue that asks for it, the file on base, else what was kept."""

from __future__ import annotations

from collections.abc import Iterable

from bot.models import KeptRubric, Task, TaskRubric
from bot.rubrics.files import CommittedRubric, paths_for, read_rubric_file
from bot.store import Store


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
    files = {one.path: one for one in committed}
    found = (
        _rubric_of(issue, files, kept.get(issue, ()), (needed, task.author))
        for issue in issues(task)
    )
    return tuple(one for one in found if one is not None)


def issues(task: Task) -> tuple[int, ...]:
    """The issues of the repository that ask for this task."""
    return tuple(dict.fromkeys(source.issue for source in task.sources if source.issue))


def kept_rubrics(store: Store, repository: str, task: Task) -> dict[int, tuple[KeptRubric, ...]]:
    """What was drafted and approved for the task's issues."""
    return {issue: store.rubrics(repository, issue) for issue in issues(task)}


def _rubric_of(
    issue: int,
    files: dict[str, CommittedRubric],
    kept: tuple[KeptRubric, ...],
    rule: tuple[int, str],
) -> TaskRubric | None:
    needed, author = rule
    for path in paths_for(issue):
        if path in files:
            rubric = read_rubric_file(files[path])
            return TaskRubric(issue, rubric, is_golden=True, path=path)
    if not kept:
        return None
    golden = [one for one in kept if len(one.approvals(author)) >= needed]
    one = (golden or kept)[-1]
    approved_by = one.approvals(author)
    return TaskRubric(issue, one.rubric, bool(golden), one.version, approved_by)
