"""Plans an evaluation without running anything of it, and says what it may cost: `/judge plan`.

Both sides are fetched, the configuration, the task and the names in the code are read; nothing of the
repository is built or run. What models answer is remembered: the evaluation does not pay for it again.

Nobody knows yet which requirements the oracles will decide. At least: all of them, and models only say what
they think of the whole patch, and of its criteria. At most: none, every analyst uses all its interactions
and every panel goes all its rounds.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from bot.configuration import Configuration
from bot.context import Planned, Policy
from bot.diff.unified import unified
from bot.evaluation.configure import check_out, configure
from bot.evaluation.plan import make_plan
from bot.evaluation.task import collect_task
from bot.evaluation.upkeep import clean_up
from bot.judges.criteria_grading import SAMPLES
from bot.judges.material import DIFF_CHARS, TASK_CHARS
from bot.judges.model import price_of
from bot.judges.weighing import OPEN_TO_JUDGES
from bot.services import Announcement, Origin, Services, evaluation_key
from bot.settings import Settings
from bot.text import scrub_tree
from bot.values import (
    EvaluationRequest,
    ExpectedCalls,
    ExpectedPrice,
    Forecast,
    Plan,
    Publication,
    Requirements,
    Role,
    Task,
)
from bot.values.requests import whole_sum
from sandbox.values import Checkout


class Unannounced:
    """An origin that is read and told nothing: there is no evaluation yet."""

    def __init__(self, origin: Origin) -> None:
        self.code, self.task, self.home = origin.code, origin.task, origin.home
        self.policy_context, self.members = origin.policy_context, origin.members

    async def announce(
        self, request: EvaluationRequest, stage: str, plan: Plan | None = None
    ) -> None:
        """Nobody waits for a stage."""

    def link(self, request: EvaluationRequest) -> str:
        """There is no report page."""
        return ""

    async def artifact(
        self, request: EvaluationRequest, name: str, most_bytes: int
    ) -> bytes | None:
        """A forecast observes nothing."""
        return None

    async def publish(self, answer: Announcement) -> Publication:
        """There is nothing to publish."""
        raise AssertionError("a forecast publishes nothing")


async def foresee(services: Services, request: EvaluationRequest) -> Forecast:
    """Plan and price one evaluation. Raises UserError, Superseded and Transient as its stages do."""
    quiet = replace(services, origin=Unannounced(services.origin))
    try:
        checkout = await check_out(quiet, request)
        policy = await configure(quiet, request, checkout)
        task = await collect_task(quiet, request, checkout)
        planned = await make_plan(quiet, request, checkout, task, policy)
        # What could not be read of the task is among the plan's remarks.
        remarks = (*task.warnings, *planned.requirements.remarks)
        planned = replace(planned, requirements=replace(planned.requirements, remarks=remarks))
        told = forecast(services.settings, policy, planned, shared_chars(task, checkout))
    finally:
        await clean_up(quiet, request)
        await asyncio.to_thread(quiet.artifacts.delete, evaluation_key(request.id))
    return scrub_tree(told, services.secrets)


def shared_chars(task: Task, checkout: Checkout) -> int:
    """How long the beginning of every judge's prompt is going to be: the task and the change."""
    words = sum(len(source.title) + len(source.text) for source in task.sources)
    return min(words, TASK_CHARS) + min(len(unified(checkout.diff)), DIFF_CHARS)


def forecast(settings: Settings, policy: Policy, planned: Planned, shared: int) -> Forecast:
    """The plan with the price of what judges may ask; nothing is asked without a model."""
    configuration, limits = policy.configuration, policy.configuration.limits
    graded = policy.kept_criteria or planned.requirements.preferences
    grades = SAMPLES if graded else 0
    asked = (planned.requirements, shared, configuration, grades)
    calls = expected_calls(*asked) if settings.model else ()
    return Forecast(
        requirements=planned.requirements,
        plan=planned.plan,
        digest=planned.frozen,
        prices=tuple(_priced(settings, one) for one in calls),
        usd=limits.usd,
        interactions=limits.interactions,
        minutes=limits.minutes,
        planning_usd=whole_sum(one.usd for one in planned.usage),
    )


def _priced(settings: Settings, calls: ExpectedCalls) -> ExpectedPrice:
    role = Role.PANEL if calls.role is Role.CANARY else calls.role
    models = tuple(dict.fromkeys(settings.models_of(role)))
    told = ", ".join(models)
    prices = [price_of(settings, one, calls.input_tokens, calls.output_tokens) for one in models]
    known = [usd for usd in prices if usd is not None]
    if len(known) < len(prices):
        return ExpectedPrice(calls, told, None, None)
    return ExpectedPrice(calls, told, min(known) * calls.fewest, max(known) * calls.most)


CHARS_A_TOKEN = 4
INSTRUCTION_TOKENS = 450
EVIDENCE_TOKENS = 1_200
TURN_TOKENS = 500  # what one more interaction adds to an analyst's conversation
ANSWER_TOKENS = 300
CANARIES = 3


def expected_calls(
    requirements: Requirements, shared_chars: int, configuration: Configuration, grades: int
) -> tuple[ExpectedCalls, ...]:
    """The calls by role; `shared_chars` is the length of what every prompt begins with.

    `grades` is how often the change is graded by criteria.
    """
    open_ = sum(one.category in OPEN_TO_JUDGES for one in requirements.items)
    judges, limits = configuration.judges, configuration.limits
    asked = INSTRUCTION_TOKENS + shared_chars // CHARS_A_TOKEN + EVIDENCE_TOKENS
    talk = limits.interactions * TURN_TOKENS // 2  # on average half of the conversation is there
    tried = CANARIES * judges.count if judges.canary and open_ else 0
    rounds = open_ * judges.count * (1 + judges.rounds)
    expected = (
        ExpectedCalls(Role.ANALYST, 0, open_ * limits.interactions, asked + talk, ANSWER_TOKENS),
        ExpectedCalls(Role.CANARY, 0, tried, INSTRUCTION_TOKENS + 500, ANSWER_TOKENS),
        ExpectedCalls(Role.PANEL, 0, rounds, asked, ANSWER_TOKENS),
        ExpectedCalls(Role.PATCH, 1, judges.count, asked, ANSWER_TOKENS),
        ExpectedCalls(Role.QUANTIFIER, grades, grades, asked, ANSWER_TOKENS),
    )
    return tuple(one for one in expected if one.most)
