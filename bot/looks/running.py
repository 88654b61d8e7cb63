"""Runs a planned shell line on both sides, each with its own files: what it shows is for judges to read."""

from __future__ import annotations

from dataclasses import replace

from bot.judge import transition
from bot.looks.seen import Seen, limits
from bot.models import Evidence, Step
from bot.stages.docket import Case
from bot.stages.services import Services
from sandbox.concurrently import concurrently
from sandbox.models import Side
from sandbox.tools.bash import ShellRun, run_shell

MOST_S = 60.0
"""One line of a plan; a program that serves or waits must not eat the evaluation's time."""


async def run_on_both_sides(services: Services, case: Case, step: Step) -> Seen:
    """Run the line in a fresh copy of each side; unlike a configured check it binds nobody."""
    allowed, network = limits(case), case.policy.network_to_observe
    allowed = replace(allowed, timeout_s=min(allowed.timeout_s, MOST_S))
    checkout, built, line = case.checkout, case.built, step.arguments[0]
    base, head = await concurrently(
        *(
            run_shell(services.sandbox, ShellRun(line, side, tree, environment, allowed, network))
            for side, tree, environment in (
                (Side.BASE, checkout.base_tree, built.base),
                (Side.HEAD, checkout.head_tree, built.head),
            )
        )
    )
    return Seen((Evidence(step.id, step, base, head, transition(base, head)),))
