"""Stages 1 and 2: both sides on disk at pinned commits; the policy, from the target branch's tip only."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from bot.configuration import (
    PATH,
    ConfigurationFile,
    Effective,
    Layer,
    PolicyContext,
    effective,
    loosened,
    reading_of,
    refusal,
)
from bot.context import Policy
from bot.errors import UserError
from bot.evaluation.on_host import on_this_host, portable, take_trees, trees_here
from bot.services import Services
from bot.task import kept_criteria
from bot.task import test_plans as criteria
from bot.task.agents import trailers_of
from bot.task.rubrics.files import (
    FOLDER,
    MOST_BYTES,
    MOST_FILES,
    NO_ISSUE,
    CommittedRubric,
    committed_rubric,
    issue_of,
    names_no_issue,
)
from bot.task.task_file import read_task_file
from bot.values import Criterion, EvaluationRequest, Part, TaskSource, TestPlan, Trust
from bot.values.rules import CONFIGURATION, POLICY_LOOSENED
from sandbox.errors import CheckoutError
from sandbox.repository.mirror import Mirror, list_paths, messages, open_mirror, read_file
from sandbox.values import Checkout, Finding, Severity

T = TypeVar("T")
MAX_TEMPLATE_BYTES = 64 * 1024
MOST_TOLD = 5
_MOST_READ = 1 << 20
_CHECKER = "assay config check"


@on_this_host
async def check_out(services: Services, request: EvaluationRequest) -> Checkout:
    """Fetch base and head and export both. Raises UserError when one of them is not to be had."""
    await services.origin.announce(request, "checkout")
    code = await services.origin.code(request)
    shas = (code.target, code.head)
    checkout = await asyncio.to_thread(take_trees, services, request, code, shas)
    if not checkout.diff.files:
        raise UserError(
            "The head changes nothing over its base: there is nothing to judge.",
            "Push the commits that belong to this pull request.",
        )
    return portable(services, checkout)


@on_this_host
async def configure(services: Services, request: EvaluationRequest, checkout: Checkout) -> Policy:
    """Read configuration and templates. Raises UserError for what stops every evaluation.

    A broken file on the target branch stops all but the change that touches it.
    """
    await services.origin.announce(request, "configure")
    code = await services.origin.code(request)
    context = await services.origin.policy_context(request)
    await trees_here(services, request, checkout)  # and with them the commits
    mirror = await asyncio.to_thread(open_mirror, services.settings.home / "git", code.source)
    policy = await asyncio.to_thread(_read, mirror, checkout, context, request.base_ref)
    # What the request goes without is switched off where it has a key of the configuration.
    configuration, without = policy.configuration, request.without
    judges, web = configuration.judges, configuration.web
    if Part.NEGOTIATION in without:
        judges = judges.model_copy(update={"rounds": 0})
    if Part.BROWSER in without or Part.EXECUTION in without:
        web = web.model_copy(update={"enabled": False})
    configuration = configuration.model_copy(update={"judges": judges, "web": web})
    return replace(policy, configuration=configuration)


def _read(mirror: Mirror, checkout: Checkout, context: PolicyContext, base_ref: str) -> Policy:
    sha = checkout.target_sha
    before, after = _layer(mirror, checkout.base_sha), _layer(mirror, checkout.head_sha)
    held = effective(_layer(mirror, sha, base_ref), context)
    remarks, is_edited = list(held.remarks), before != after and context.can_be_mended
    configuration, missing = held.configuration, list(_missing_projects(mirror, sha, held))
    if missing:
        configuration = configuration.model_copy(update={"projects": ()})
    if problem := held.problem or "; ".join(why for _, why in missing[:MOST_TOLD]):
        if not is_edited:
            raise refusal(problem)
        remarks.append(
            f"{PATH} on {base_ref} cannot be used: {problem}. "
            "This change edits the file, so it is judged with the defaults."
        )
    plan = configuration.criteria
    changed = checkout.diff.changed_paths if context.can_be_mended else ()
    listed, test_plan = _or_mended(
        lambda: _criteria(mirror, sha, plan), is_edited or plan in changed, remarks
    ) or (None, None)
    is_kept = any(path.startswith(f"{kept_criteria.FOLDER}/") for path in changed)
    kept = _or_mended(lambda: tuple(_kept_criteria(mirror, sha)), is_kept, remarks)
    return Policy(
        configuration,
        tuple(_templates(mirror, sha)),
        test_plan,
        rubrics=tuple(_rubrics(mirror, sha)),
        kept_criteria=kept or (),
        listed=listed,
        remarks=tuple(remarks),
        proposed=tuple(_proposed(mirror, checkout, before, after)) if is_edited else (),
        base_is_trusted=context.base_is_trusted,
        trailers=trailers_of(messages(mirror, checkout.base_sha, checkout.head_sha)),
    )


def _or_mended(read: Callable[[], T], is_edited: bool, remarks: list[str]) -> T | None:
    """What the target branch says; where that is broken and the change edits it, None and a remark."""
    try:
        return read()
    except (UserError, CheckoutError) as error:
        if not is_edited:
            raise
        remarks.append(f"{error.what} This change edits it, so it is judged without.")
        return None


def _layer(mirror: Mirror, sha: str, name: str = "") -> Layer:
    """The file as it stands at a commit; one that is far too large is not read."""
    try:
        return Layer(name, read_file(mirror, sha, PATH, _MOST_READ))
    except CheckoutError as error:
        return Layer(name, None, error.what.rstrip("."))


def _proposed(mirror: Mirror, checkout: Checkout, before: Layer, after: Layer) -> Iterator[Finding]:
    """What is wrong with head's file, each at its line; else what it loosens."""
    reading = reading_of(after)
    for problem in reading.problems:
        yield _finding(CONFIGURATION, Severity.BLOCK, problem.line, problem.message)
    for index, why in _missing_projects(mirror, checkout.head_sha, reading):
        line = reading.line("projects", index, "path")
        yield _finding(CONFIGURATION, Severity.BLOCK, line, why)
    path = reading.configuration.criteria
    if path and read_file(mirror, checkout.head_sha, path, criteria.MAX_BYTES + 1) is None:
        why = "`criteria` names a file that is not there"
        yield _finding(CONFIGURATION, Severity.BLOCK, reading.line("criteria"), why)
    if not reading.problems:
        for key in loosened(reading_of(before).configuration, reading.configuration):
            message = f"Once merged, `{key}` is looser than before."
            yield _finding(POLICY_LOOSENED, Severity.ADVISE, reading.line(*key.split(".")), message)


def _finding(rule: str, severity: Severity, line: int, message: str) -> Finding:
    return Finding(rule, severity, PATH, max(line, 1), message, tool=_CHECKER)


def _missing_projects(
    mirror: Mirror, sha: str, held: Effective | ConfigurationFile
) -> Iterator[tuple[int, str]]:
    """Listed projects that are no folders there, and the problem; git follows no link to answer."""
    for index, one in enumerate(held.configuration.projects):
        if not list_paths(mirror, sha, one.path):
            yield index, f"`projects[{index}].path` names no folder of that branch"


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
        raise criteria.refused(path, "there is no such file")
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
