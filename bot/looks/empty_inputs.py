"""Calls new and changed functions with empty inputs, on both sides."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bot.judge import promises, transition
from bot.looks.seen import Seen
from bot.models import Evidence, Step
from bot.stages.docket import Case
from bot.stages.services import Services
from sandbox.concurrently import concurrently
from sandbox.edges.calls import EmptyCall, read_call
from sandbox.edges.trial import Trial, try_calls
from sandbox.models import Finding, Side
from sandbox.tools.tree_reader import TreeReader


async def call_with_nothing(services: Services, case: Case, step: Step) -> Seen:
    """Make every call of the step on both sides; a file that was renamed is found on base."""
    calls = tuple(call for text in step.arguments if (call := read_call(text)))
    checkout, built = case.checkout, case.built
    before = {one.path: one.old_path or one.path for one in checkout.diff.files}
    base_paths = tuple(before.get(call.path, call.path) for call in calls)
    head_paths = tuple(call.path for call in calls)
    base, head = await concurrently(
        try_calls(
            services.sandbox,
            Trial(Side.BASE, checkout.base_tree, built.base, calls, base_paths),
        ),
        try_calls(
            services.sandbox,
            Trial(Side.HEAD, checkout.head_tree, built.head, calls, head_paths),
        ),
    )
    tree = TreeReader(Path(checkout.head_tree))
    told = zip(head.findings, calls, strict=False)
    head = replace(head, findings=tuple(_promised(f, call, tree) for f, call in told))
    return Seen((Evidence(step.id, step, base, head, transition(base, head)),))


def _promised(finding: Finding, call: EmptyCall, tree: TreeReader) -> Finding:
    return replace(finding, hunk=promises(tree.read(call.path), call.name)[:2_000])
