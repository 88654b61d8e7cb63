"""The looks of few lines: configured checks, linters, reading files, calls with empty inputs.

No verdict rests on what reading files shows.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path, PurePosixPath

from bot.context import Case
from bot.evidence.empty_inputs.find import promises
from bot.evidence.pages.run import look_at_pages
from bot.evidence.seen import Place, Seen, limits, on_both, showing, sides
from bot.services import Services
from bot.values import Step
from sandbox.edges.calls import EmptyCall, read_call
from sandbox.edges.trial import Trial, try_calls
from sandbox.linters import LintRequest, lint_change
from sandbox.reading.read import Passage, read
from sandbox.reading.search import Wanted, search
from sandbox.repository.combine import combine
from sandbox.repository.tree_reader import TreeReader
from sandbox.terminal.bash import ShellRun, run_shell, trusted_files
from sandbox.terminal.pictures import BY_BROWSER
from sandbox.values import Finding, Observation, Side


async def run_check(services: Services, case: Case, step: Step) -> Seen:
    """Run a configured shell line on both sides; the files that it runs come from base on both."""
    line, checkout = step.arguments[0], case.checkout
    base_tree, head_tree = Path(checkout.base_tree), Path(checkout.head_tree)
    trusted = trusted_files(line, base_tree)
    if trusted:
        folder = services.evaluation_folder(case.request) / "trees" / f"check-{step.id}"
        head_tree = await asyncio.to_thread(combine, head_tree, base_tree, trusted, folder)
    network = case.policy.network_to_observe

    async def run(place: Place) -> Observation:
        order = ShellRun(line, place.side, place.tree, place.environment, limits(case), network)
        return await run_shell(services.sandbox, order)

    places = sides(case, case.built)
    places = places._replace(head=replace(places.head, tree=str(head_tree)))
    return showing(step, *await on_both(run, places))


async def look_at_findings(services: Services, case: Case, step: Step) -> Seen:
    """Lint the changed files on both sides; without a file to lint there is nothing to see."""
    workspace = services.evaluation_folder(case.request) / "trees"
    request = LintRequest(case.checkout, workspace, case.built.base)
    linted = await lint_change(services.sandbox, request)
    if linted is None:
        return Seen()
    return showing(step, linted.base, linted.head, linted.new)


_BY_BROWSER = {".html", ".htm", ".svg", *BY_BROWSER}


async def search_code(services: Services, case: Case, step: Step) -> Seen:
    """Search both trees; the arguments are the text and, for a pattern, the word `pattern`."""
    wanted = Wanted(step.arguments[0], is_pattern=step.arguments[1:] == ("pattern",))

    async def run(place: Place) -> Observation:
        return await search(services.sandbox, place.side, place.tree, wanted)

    return showing(step, *await on_both(run, sides(case, case.built)))


async def read_file(services: Services, case: Case, step: Step) -> Seen:
    """Read a file on both sides; the arguments are its path and, of text, the first and last line.

    Pages and images are looked at in the browser.
    """
    path = step.arguments[0]
    if PurePosixPath(path).suffix.lower() in _BY_BROWSER and len(step.arguments) == 1:
        return await look_at_pages(services, case, step)
    passage = Passage(path, *map(int, step.arguments[1:3]))

    async def run(place: Place) -> Observation:
        return await read(services.sandbox, place.side, place.tree, passage)

    return showing(step, *await on_both(run, sides(case, case.built)))


async def call_with_nothing(services: Services, case: Case, step: Step) -> Seen:
    """Make every call of the step on both sides; a file that was renamed is found on base."""
    calls = tuple(call for text in step.arguments if (call := read_call(text)))
    checkout = case.checkout
    before = {one.path: one.old_path or one.path for one in checkout.diff.files}

    async def run(place: Place) -> Observation:
        names = before if place.side is Side.BASE else {}
        paths = tuple(names.get(call.path, call.path) for call in calls)
        trial = Trial(place.side, place.tree, place.environment, calls, paths)
        return await try_calls(services.sandbox, trial)

    base, head = await on_both(run, sides(case, case.built))
    tree = TreeReader(Path(checkout.head_tree))
    told = zip(head.findings, calls, strict=False)
    head = replace(head, findings=tuple(_promised(f, call, tree) for f, call in told))
    return showing(step, base, head)


def _promised(finding: Finding, call: EmptyCall, tree: TreeReader) -> Finding:
    return replace(finding, hunk=promises(tree.read(call.path), call.name)[:2_000])
