"""The evaluation, in order: this is what Assay does.

    checkout     both sides on disk, at pinned commits
    configure    the repository's policy, read from the target branch only
    environment  how each side is built, why, and the built thing
    task         what was asked, and by whom
    plan         the requirements, and what will be looked at, before anything is judged
    observe      tests four ways, linters, checks: on base and on head, in the sandbox
    damage       do the tests that speak for the change notice damage to it, and do their calls give
                 the same outside of the test runner?
    deliberate   judges that reason over the evidence, where a model is set
    judge        one verdict for each requirement, and one conclusion
    report       one view, as Markdown, HTML and JSON
    publish      the comment and the check run
    print        the same view as a PDF, for which nobody waits

Each stage is a plain function; `run` makes it a durable step, so a killed worker goes on after the
last finished one. Whatever goes wrong ends in a report that says what a person can do.
"""

from __future__ import annotations

from dataclasses import replace

from bot.context import EvaluationContext
from bot.evaluation.conclude_again import publish_decided
from bot.evaluation.configure import check_out, configure
from bot.evaluation.damage import measure_damage
from bot.evaluation.damaged_steps import planned_with_damage
from bot.evaluation.deliberate import deliberate, judge
from bot.evaluation.elsewhere import look_elsewhere
from bot.evaluation.environment import build_environments
from bot.evaluation.observe import observe
from bot.evaluation.on_host import case_here, on_this_host
from bot.evaluation.plan import make_plan
from bot.evaluation.progress import EvaluationProgress
from bot.evaluation.report import print_report, write_report
from bot.evaluation.task import collect_task
from bot.evaluation.upkeep import clean_up
from bot.evidence.case import open_case
from bot.evidence.damage import kept_that_reach
from bot.services import Services
from bot.steps import StepRunner
from bot.values import STAGES, EvaluationRequest, Observed, Part, Publication, Task
from bot.verdict.keeping import proofs_of_each
from sandbox.concurrently import FewAtATime, concurrently


async def evaluate(request: EvaluationRequest, services: Services, run: StepRunner) -> Publication:
    """Judge one request and publish what was found. Raises Transient when GitHub stays away."""
    if Part.WEB in request.without:
        services = replace(services, web=None)
    progress = EvaluationProgress(request)
    run = progress.timed(run)
    with progress.told():
        checkout = progress.checkout = await run("checkout", check_out, services, request)
        policy = progress.policy = await run("configure", configure, services, request, checkout)
        built = progress.built = await run(
            "environment", build_environments, services, request, checkout, policy
        )
        task = progress.task = await run("task", collect_task, services, request, checkout)
        planned = progress.planned = await run(
            "plan", make_plan, services, request, checkout, task, policy
        )
        case = EvaluationContext(request, checkout, built, planned, policy)
        observed = progress.observed = await run("observe", observe, services, case, task)
        case = replace(case, request=replace(request, trajectory=""))  # it was read
        observed = progress.observed = await run(
            "damage", try_tests, services, case, observed, task
        )
        deliberation = progress.deliberation = await run(
            "deliberate", deliberate, services, case, task, observed
        )
        progress.judgement = await run("judge", judge, services, case, task, observed, deliberation)
    evaluation = progress.evaluation()
    report_key = await run("report", write_report, services, evaluation)
    publication = await run(
        "publish", publish_decided, services, evaluation, progress.checkout, report_key
    )
    await run("print", print_report, services, report_key)
    await run("clean up", clean_up, services, request)
    return publication


@on_this_host
async def try_tests(
    services: Services, case: EvaluationContext, observed: Observed, task: Task
) -> Observed:
    """Return what was observed, with what damaged copies and other places show of the tests for it.

    Neither look needs what the other one shows, so both are taken at the same time.
    """
    groups = proofs_of_each(
        open_case(case.planned.requirements, observed, case.policy.configuration)
    )
    is_proposed = any(one.step.is_proposed for one in observed.evidence)
    if not (groups or is_proposed or kept_that_reach(observed)):
        return observed
    await services.origin.announce(case.request, "damage", case.planned.plan)
    case = await case_here(services, case)
    if is_proposed:
        observed = await planned_with_damage(services, case, task, observed)
    services = replace(services, sandbox=FewAtATime(services.sandbox))
    damaged, elsewhere = await concurrently(
        measure_damage(services, case, observed, groups),
        look_elsewhere(services, case, observed, groups),
    )
    more = elsewhere.evidence[len(observed.evidence) :]
    return replace(damaged, second_look=elsewhere.second_look, evidence=(*damaged.evidence, *more))
