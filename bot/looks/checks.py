"""The looks of few lines: configured checks, linters, reading files, calls with empty inputs.

No verdict rests on what reading files shows.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path, PurePosixPath

from bot.judge import promises, transition
from bot.looks.browser import look_at_pages
from bot.looks.seen import Seen, limits
from bot.models import Evidence, Step
from bot.stages.docket import Case
from bot.stages.services import Services
from sandbox.combine import combine
from sandbox.concurrently import concurrently
from sandbox.edges.calls import EmptyCall, read_call
from sandbox.edges.trial import Trial, try_calls
from sandbox.interaction.pictures import BY_BROWSER
from sandbox.linters import LintRequest, lint_change
from sandbox.models import Finding, Side
from sandbox.reading.read import Passage, read
from sandbox.reading.search import Wanted, search
from sandbox.tools.bash import ShellRun, run_shell, trusted_files
from sandbox.tools.tree_reader import TreeReader


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


async def look_at_findings(services: Services, case: Case, step: Step) -> Seen:
    """Lint the changed files on both sides; without a file to lint there is nothing to see."""
    workspace = services.evaluation_folder(case.request) / "trees"
    request = LintRequest(case.checkout, workspace, case.built.base)
    linted = await lint_change(services.sandbox, request)
    if linted is None:
        return Seen()
    moved = transition(linted.base, linted.head)
    return Seen((Evidence(step.id, step, linted.base, linted.head, moved),), findings=linted.new)


_BY_BROWSER = {".html", ".htm", ".svg", *BY_BROWSER}


async def search_code(services: Services, case: Case, step: Step) -> Seen:
    """Search both trees; the arguments are the text and, for a pattern, the word `pattern`."""
    wanted = Wanted(step.arguments[0], is_pattern=step.arguments[1:] == ("pattern",))
    base, head = await concurrently(
        *(search(services.sandbox, side, tree, wanted) for side, tree in _sides(case))
    )
    return Seen((Evidence(step.id, step, base, head, transition(base, head)),))


async def read_file(services: Services, case: Case, step: Step) -> Seen:
    """Read a file on both sides; the arguments are its path and, of text, the first and last line.

    Pages and images are looked at in the browser.
    """
    path = step.arguments[0]
    if PurePosixPath(path).suffix.lower() in _BY_BROWSER and len(step.arguments) == 1:
        return await look_at_pages(services, case, step)
    passage = Passage(path, *map(int, step.arguments[1:3]))
    base, head = await concurrently(
        *(read(services.sandbox, side, tree, passage) for side, tree in _sides(case))
    )
    return Seen((Evidence(step.id, step, base, head, transition(base, head)),))


def _sides(case: Case) -> tuple[tuple[Side, str], ...]:
    return (Side.BASE, case.checkout.base_tree), (Side.HEAD, case.checkout.head_tree)


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
