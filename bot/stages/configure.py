"""Stage 2: the repository's policy, read from the tip of the target branch only."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from bot import criteria, kept_criteria
from bot.configuration import MAX_BYTES, PATH, Configuration, ConfiguredTrigger, read_configuration
from bot.errors import UserError
from bot.models import Criterion, EvaluationRequest, TaskSource, TestPlan, Trigger, Trust
from bot.rubrics.files import (
    FOLDER,
    MOST_BYTES,
    MOST_FILES,
    NO_ISSUE,
    CommittedRubric,
    committed_rubric,
    issue_of,
    names_no_issue,
)
from bot.stages.docket import Policy
from bot.stages.services import Services
from bot.task_file import read_task_file
from sandbox.errors import CheckoutError
from sandbox.mirror import Mirror, list_paths, open_mirror, read_file
from sandbox.models import Checkout

MAX_TEMPLATE_BYTES = 64 * 1024
_AUTOMATIC = {
    Trigger.OPENED: ConfiguredTrigger.OPENED,
    Trigger.SYNCHRONIZE: ConfiguredTrigger.SYNCHRONIZE,
    Trigger.READY_FOR_REVIEW: ConfiguredTrigger.READY_FOR_REVIEW,
    Trigger.EDITED: ConfiguredTrigger.SYNCHRONIZE,
    Trigger.SWEEP: ConfiguredTrigger.OPENED,
}


async def configure(services: Services, request: EvaluationRequest, checkout: Checkout) -> Policy:
    """Read configuration and templates. Raises UserError for a broken or declining configuration."""
    await services.origin.announce(request, "configure")
    code = await services.origin.code(request)
    mirror = await asyncio.to_thread(open_mirror, services.settings.home / "git", code.source)
    try:
        policy = await asyncio.to_thread(_read, mirror, checkout.target_sha)
    except CheckoutError as error:
        raise UserError(error.what, error.next_step) from error
    _check_trigger(request, policy.configuration)
    return policy


def _read(mirror: Mirror, sha: str) -> Policy:
    raw = read_file(mirror, sha, PATH, MAX_BYTES)
    text = None if raw is None else raw.decode("utf-8", "replace")
    configuration = read_configuration(text)
    _check_projects(mirror, sha, configuration)
    listed, test_plan = _criteria(mirror, sha, configuration.criteria)
    return Policy(
        configuration,
        tuple(_templates(mirror, sha)),
        test_plan,
        rubrics=tuple(_rubrics(mirror, sha)),
        kept_criteria=tuple(_kept_criteria(mirror, sha)),
        listed=listed,
    )


def _check_projects(mirror: Mirror, sha: str, configuration: Configuration) -> None:
    """Refuse listed projects that are no folders there; git follows no link to answer."""
    for index, one in enumerate(configuration.projects):
        if not list_paths(mirror, sha, one.path):
            raise UserError(
                f"{PATH} on the base branch cannot be used: `projects[{index}].path` names no folder "
                "of that branch.",
                "Correct it on the base branch, then ask again with /judge.",
            )


def _rubrics(mirror: Mirror, sha: str) -> Iterator[CommittedRubric]:
    """The rubrics that stand on the target branch; which of them count, the task's issues say.

    So what is wrong with one is told only where it counts.
    """
    listed = list_paths(mirror, sha, FOLDER)
    yield from (CommittedRubric(path, "", NO_ISSUE) for path in filter(names_no_issue, listed))
    paths = [path for path in listed if issue_of(path)]
    if len(paths) > MOST_FILES:
        raise UserError(
            f"{FOLDER} has {len(paths)} rubrics; {MOST_FILES} is the most.",
            "Remove those of issues that are closed.",
        )
    for path in paths:
        try:
            yield committed_rubric(path, read_file(mirror, sha, path, MOST_BYTES))
        except CheckoutError as error:  # it is too large
            yield CommittedRubric(path, "", error.what.rstrip("."))


def _kept_criteria(mirror: Mirror, sha: str) -> Iterator[Criterion]:
    for path in sorted(list_paths(mirror, sha, kept_criteria.FOLDER)):
        data = read_file(mirror, sha, path, kept_criteria.MAX_BYTES)
        if data is not None and path.endswith(".json"):
            yield from kept_criteria.read_kept(data, path)


def _criteria(
    mirror: Mirror, sha: str, path: str | None
) -> tuple[TaskSource | None, TestPlan | None]:
    """A file of typed requirements, or a test plan; nothing where the configuration names none."""
    if path is None:
        return None, None
    data = read_file(mirror, sha, path, criteria.MAX_BYTES + 1)
    if data is None:
        raise criteria.missing_plan(path)
    listed = read_task_file(data.decode("utf-8-sig", "replace"), path, Trust.MAINTAINER)
    return (listed, None) if listed else (None, criteria.read_plan(data, path))


def _templates(mirror: Mirror, sha: str) -> list[str]:
    found = []
    for folder in ("", ".github", "docs"):
        for path in list_paths(mirror, sha, folder) if folder else ("PULL_REQUEST_TEMPLATE.md",):
            if "_TEMPLATE" in path.upper() and path.lower().endswith((".md", ".txt")):
                raw = read_file(mirror, sha, path, MAX_TEMPLATE_BYTES)
                found += [raw.decode("utf-8", "replace")] if raw else []
    return found


def _check_trigger(request: EvaluationRequest, configuration: Configuration) -> None:
    needed = _AUTOMATIC.get(request.trigger)
    if needed is not None and needed not in configuration.triggers:
        raise UserError(
            "This repository is judged on request only.",
            "Comment /judge to have this pull request judged.",
        )
