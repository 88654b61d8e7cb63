"""Runs what a judge wrote itself, on base and on head: a test, a program, a command."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.context import Case
from bot.evidence.seen import Place, Seen, limits, on_both, showing, sides
from bot.services import Services
from bot.values import Step
from sandbox.base import Limits
from sandbox.terminal.own_files import OwnFile, OwnRun, own_fault, placing_problem, run_own_files
from sandbox.values import Observation, Side

LONGEST_RUN_S = 120.0


async def run_judges_files(services: Services, case: Case, step: Step) -> Seen:
    """Run the judge's files; the arguments are a shell line (or ""), then a path and a text each.

    A failure that is the judge's own mistake has a `problem`: it proves nothing of the code.
    """
    line, *rest = step.arguments
    files = tuple(OwnFile(path, text) for path, text in zip(rest[::2], rest[1::2], strict=True))
    checkout = case.checkout
    problem = placing_problem(files, (checkout.base_tree, checkout.head_tree))
    if problem:
        base, head = (Observation(side, "", None, "", 0.0, problem=problem) for side in Side)
        return showing(step, base, head)
    folder = services.evaluation_folder(case.request) / "trees" / f"own-{plain(step.id)}"
    bounds, network = own_limits(case), case.policy.network_to_observe

    async def run(place: Place) -> Observation:
        side, tree, environment = place.side, place.tree, place.environment
        own = folder / side.value
        order = OwnRun(side, tree, files, line, own, environment, bounds, network)
        return await run_own_files(services.sandbox, order)

    base, head = await on_both(run, sides(case, case.built.at(files[0].path)))
    return showing(step, base, without_own_fault(base, head, files))


def plain(step_id: str) -> str:
    """A step's id as the name of a folder, whatever its requirement is called."""
    return re.sub(r"[^\w.-]", "_", step_id)


def own_limits(case: Case) -> Limits:
    """What one run of a judge may use: far less than the project's own tests."""
    return Limits(
        timeout_s=min(limits(case).timeout_s, LONGEST_RUN_S), disk_mb=1024, output_bytes=100_000
    )


def without_own_fault(
    base: Observation, head: Observation, files: tuple[OwnFile, ...]
) -> Observation:
    """Head's observation, marked where its failure is the judge's own mistake.

    What passes on base is no mistake: then head lost what the judge relied on. On base alone a name
    that does not exist yet is what a test of something new is expected to meet.
    """
    fault = own_fault(head, files) if base.exit_code != 0 or base.problem else ""
    return replace(head, problem=head.problem or fault)
