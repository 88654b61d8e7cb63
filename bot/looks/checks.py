"""Runs a check of the configuration on both sides."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot.judge import transition
from bot.looks.seen import Seen, limits
from bot.models import Evidence, Step
from bot.stages.docket import Case
from bot.stages.services import Services
from sandbox.combine import combine
from sandbox.concurrently import concurrently
from sandbox.models import Side
from sandbox.tools.bash import ShellRun, run_shell, trusted_files


async def run_check(services: Services, case: Case, step: Step) -> Seen:
    """Run a configured shell line on both sides; the files that it runs come from base on both."""
    line, checkout = step.arguments[0], case.checkout
    base_tree, head_tree = Path(checkout.base_tree), Path(checkout.head_tree)
    trusted = trusted_files(line, base_tree)
    if trusted:
        folder = services.evaluation_folder(case.request) / "trees" / f"check-{step.id}"
        head_tree = await asyncio.to_thread(combine, head_tree, base_tree, trusted, folder)
    network = case.policy.network_to_observe
    base, head = await concurrently(
        *(
            run_shell(
                services.sandbox,
                ShellRun(line, side, str(tree), environment, limits(case), network),
            )
            for side, tree, environment in (
                (Side.BASE, base_tree, case.built.base),
                (Side.HEAD, head_tree, case.built.head),
            )
        )
    )
    return Seen((Evidence(step.id, step, base, head, transition(base, head)),))
