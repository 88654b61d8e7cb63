"""What one evaluation has found so far; a later failure still reports the earlier findings."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from bot.configuration import CheckPolicy, NetworkPolicy
from bot.context import Built, Planned, Policy, Project
from bot.errors import OutOfTime, Superseded, UserError
from bot.steps import StepRunner
from bot.task.agents import agent_of
from bot.text.clipping import clip_line
from bot.values import (
    Conclusion,
    Deliberation,
    Evaluation,
    EvaluationRequest,
    GateReason,
    GateResult,
    Judgement,
    Observed,
    Task,
    Trigger,
)
from bot.verdict.acceptance import acceptable, after_acceptances
from bot.verdict.headline import MAX_TITLE
from sandbox.toolchains.layers import INSIDE
from sandbox.values import Checkout

_AGAIN = (
    "Click Re-run, or comment /judge. If it happens again, the log of Assay's worker says more."
)


@dataclass(slots=True)
class EvaluationProgress:
    """Gathers the stages' results; `told()` turns a known error into the gate's answer."""

    request: EvaluationRequest
    checkout: Checkout | None = None
    policy: Policy | None = None
    built: Built | None = None
    task: Task | None = None
    planned: Planned | None = None
    observed: Observed | None = None
    deliberation: Deliberation | None = None
    judgement: Judgement | None = None
    stopped: GateResult | None = None
    seconds: list[tuple[str, float]] = field(default_factory=list)

    def timed(self, run: StepRunner) -> StepRunner:
        """Return a runner that notes how long each stage took (next to nothing when replayed)."""

        async def timed_run(name: str, step: Any, /, *args: Any, **kwargs: Any) -> Any:
            started = time.monotonic()
            try:
                return await run(name, step, *args, **kwargs)
            finally:
                self.seconds.append((name, round(time.monotonic() - started, 2)))

        return cast(StepRunner, timed_run)

    @contextmanager
    def told(self) -> Iterator[None]:
        """Turn UserError and Superseded into a conclusion; everything else is a bug and goes on."""
        try:
            yield
        except OutOfTime as error:
            self.stopped = stopped(Conclusion.TIMED_OUT, error.what, error.next_step)
        except UserError as error:
            next_step = error.next_step or ("" if self.request.trigger is Trigger.LOCAL else _AGAIN)
            self.stopped = stopped(Conclusion.ACTION_REQUIRED, error.what, next_step)
        except Superseded as error:
            self.stopped = stopped(Conclusion.CANCELLED, error.by, "")

    def evaluation(self) -> Evaluation:
        """Put together what the report is made of."""
        gate = after_acceptances(self.judgement) if self.judgement else self.stopped
        if gate is None:
            raise AssertionError("an evaluation ended without a conclusion")
        plan = self.planned.plan if self.planned else None
        if plan and self.deliberation:  # the judging stage saw to it that nothing was taken away
            plan = plan.extended(*self.deliberation.extensions)
        deliberation = self.deliberation
        if deliberation is None and self.planned and self.planned.usage:
            deliberation = Deliberation(usage=self.planned.usage)  # what models took for the plan
        head = self.built.main.head if self.built else None
        return Evaluation(
            request=self.request,
            base_sha=self.checkout.base_sha if self.checkout else self.request.base_sha,
            head_sha=self.checkout.head_sha if self.checkout else self.request.head_sha,
            task=self.task,
            plan=plan,
            plan_digest=self.planned.frozen if self.planned else "",
            observed=self.observed,
            deliberation=deliberation,
            rubrics=self.planned.rubrics if self.planned else (),
            judgement=self.judgement,
            gate=gate,
            environment=_environment(self.built, self.policy),
            environment_digest=head.digest if head else "",
            seconds=tuple(self.seconds),
            warnings=self._warnings(),
            problem=gate.title if self.judgement is None else "",
            acceptable=acceptable(gate) if self.request.number else (),
            checks_each=self.policy is not None
            and self.policy.configuration.checks is CheckPolicy.PER_REQUIREMENT,
            agent=self._agent(),
        )

    def _agent(self) -> str:
        """The agent that sent the patch, or whose marks the change bears."""
        request, policy = self.request, self.policy
        if request.agent or policy is None:
            return request.agent
        login = self.task.author if self.task else ""
        return agent_of(policy.configuration, login, request.head_ref, policy.trailers)

    def _warnings(self) -> tuple[str, ...]:
        claims = self.observed.claims if self.observed else None
        unread_log = (
            [f"The agent's log was left out. {claims.problem}"] if claims and claims.problem else []
        )
        return (
            *(self.checkout.warnings if self.checkout else ()),
            *(self.policy.remarks if self.policy else ()),
            *(self.task.warnings if self.task else ()),
            *(self.planned.requirements.remarks if self.planned else ()),
            *unread_log,
        )


def stopped(conclusion: Conclusion, what: str, next_step: str) -> GateResult:
    """Return the gate's answer for an evaluation that ended before it could judge."""
    reason = GateReason("evaluation", conclusion, what, next_step)
    return GateResult(conclusion, clip_line(what, MAX_TITLE), (reason,))


MOST_COMMANDS, MOST_COMMAND_CHARS = 6, 300
_NETWORK = {
    NetworkPolicy.NONE: "without network",
    NetworkPolicy.BUILD: "without network after the build",
    NetworkPolicy.ALWAYS: "with network, as the repository's configuration says",
}


def _environment(built: Built | None, policy: Policy | None) -> tuple[str, ...]:
    if built is None or policy is None:
        return ()
    sides = (side for one in built.projects for side in one.sides)
    needs = dict.fromkeys(need for side in sides for need in side.recipe.needs)
    return (
        *(line for one in built.projects for line in _how_built(one, len(built.projects) > 1)),
        *(f"This machine lacks {need}." for need in needs),
        # Tools of development that were not installed.
        *(
            f"The {tool.what} {tool.name} could not be installed, so the tests ran without "
            f"{tool.owner or 'it'}."
            for one in built.projects
            for tool in (one.head.unfetched if one.head else ())
            if tool.left_out
        ),
        f"Everything ran in the {built.sandbox} sandbox, "
        f"{_NETWORK[policy.configuration.sandbox.network]}.",
    )


def _how_built(project: Project, among_others: bool) -> Iterator[str]:
    """How head of one project was built, and why; Assay's own programs beside it are left out."""
    if project.head is None:
        return
    recipe = project.head.recipe
    where = f"{project.root or 'The root directory'}: " if among_others else ""
    yield from (f"{where}{reason}" for reason in recipe.reasons)
    lines = [
        clip_line(shlex.join(argv).replace("`", "'"), MOST_COMMAND_CHARS)
        for argv in (*recipe.install, *recipe.install_project)
        if not any(word.startswith(INSIDE) for word in argv)
    ]
    if lines:
        shown = ", then ".join(f"`{line}`" for line in lines[:MOST_COMMANDS])
        yield f"{where}Head was built by {shown}."
