"""The other half of stage 7: makes calls of tests again, outside of the test runner."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from bot.context import EvaluationContext
from bot.evaluation.on_host import concerned
from bot.evidence.damage import Proofs, kept_that_reach
from bot.evidence.made_for import table
from bot.evidence.tests.results import code_of
from bot.services import Services
from bot.task.alternatives import side_by_side
from bot.task.categories import ASKED, keeps_behavior
from bot.task.code_names import named_code
from bot.task.inputs import alike, kept_beside, kept_inputs, like_shown, same_inputs
from bot.values import ActionKind, Evidence, Observed, Step, Transition
from sandbox.base import Limits
from sandbox.elsewhere.driver import Looking
from sandbox.elsewhere.look import DRIVERS, look_again
from sandbox.elsewhere.values import Otherwise, SecondLook, WhyLeftOut
from sandbox.elsewhere.whole import WHOLE, run_again
from sandbox.test_runs.four_runs import worth_alone
from sandbox.test_runs.path_kinds import PathKind, classify
from sandbox.values import ChangeKind, Observation, Side

_STEP = Step(
    id="D2",
    goal="Call again, outside of the test runner, what the tests that speak for the change call.",
    guidance="A plain program, another folder, other names and variables, no tests beside the code.",
    requirement_ids=(),
    action=ActionKind.SECOND_LOOK,
)
_NEARBY = Step(
    id="D3",
    goal="Call what changed with the tested inputs, and with inputs near them, on base and on head.",
    guidance="One argument is changed at a time: other numbers, words and elements of the same type.",
    requirement_ids=(),
    action=ActionKind.NEARBY_INPUTS,
)
_SPEAKS_OF_UTC = re.compile(r"(?i)\b(?:utc|gmt|time ?zones?)\b")
_LOCAL = re.compile(r"(?i)\blocal\b")
_OTHERWISE = {
    Otherwise.WORSE: "{call}: base {base}, head {head}",
    Otherwise.DEFAULT: "{call}: base {base}, head {head}",
    Otherwise.TOO_LONG: "{call}, with {beside}: base answers, head {head}",
    Otherwise.UNEQUAL: "{call} on head: {head}, and with the other of {beside} {base}",
    Otherwise.UNORDERED: "{call} on head: {base}, and where hashes are others {head}",
    Otherwise.OTHER: "{call} on head: {base} alone, {head} after the tested call",
    Otherwise.CHANGED: "{call} on head: {base} alone, {head} after its argument was changed in place",
    Otherwise.SAME: "{call} on head: {base} alone, {head} called once more on the same object",
    Otherwise.MADE: "{call} on head: {base} alone, {head} after the same call on another object",
    Otherwise.SHARED: "{call} on head: all have the same {beside}",
}
_LEAST_S = 30.0
_LONGER_THAN_HEAD = 3
_MOST_TEST_FILES = 5_000
_WHY = {
    WhyLeftOut.NOT_THERE: "a plain program without the tests' setup cannot make them",
    WhyLeftOut.UNSTEADY: "they give different results each time",
    WhyLeftOut.SET_UP: "their results depend on the tests' setup",
    WhyLeftOut.TOO_MANY: "the limit of calls to repeat one by one was reached",
    WhyLeftOut.ON_BASE: "their results differ outside of the tests on base, too",
}


async def look_elsewhere(
    services: Services, case: EvaluationContext, observed: Observed, groups: tuple[Proofs, ...]
) -> Observed:
    """Return what was observed, which calls differ elsewhere, and what inputs near the tested ones show.

    `case` is on this host. What is seen is added behind the other evidence.
    """
    wanted = frozenset[str]().union(*(one.tests for one in groups))
    is_held = not wanted and keeps_behavior(case.planned.requirements)
    has_code = any(one.kind is ChangeKind.CODE for one in observed.kinds)
    if is_held and has_code:
        wanted = kept_that_reach(observed)
    if not wanted or not case.damage_seconds:
        return observed
    started = time.monotonic()
    seen = await _seen(services, case, observed, wanted, is_held=is_held)
    took_s = round(time.monotonic() - started, 2)
    found = []
    if seen.differences or seen.left_out or seen.unrecorded or seen.not_looked_at:
        found.append(_shown(_STEP, list(_again(seen)), took_s))
    if seen.inputs or seen.otherwise:
        told = (one.told(_OTHERWISE[one.how]) for one in seen.otherwise)
        lines = [*table(seen.inputs), *dict.fromkeys(told)]
        for one in (o for o in seen.swapped if not o.is_alike):
            base, head = one.swapped.on_base, one.swapped.on_head
            gives = f"base {base}, head {head}" if one.swapped.differs else f"{head} on both"
            lines.append(f"{one.swapped.call}, with {one.other} in place of {one.name}: {gives}")
        found.append(_shown(_NEARBY, lines, took_s))
    return replace(observed, second_look=seen, evidence=(*observed.evidence, *found))


async def _seen(
    services: Services,
    case: EvaluationContext,
    observed: Observed,
    wanted: frozenset[str],
    *,
    is_held: bool,
) -> SecondLook:
    asked = [one for one in observed.tests.comparisons if one.id in wanted]
    took_s = observed.suite_on_head.seconds if observed.suite_on_head else 0.0
    limits = Limits(timeout_s=min(case.damage_seconds, _LEAST_S + _LONGER_THAN_HEAD * took_s))
    files = await asyncio.to_thread(_test_files, Path(case.checkout.head_tree))
    folder = services.evaluation_folder(case.request) / "elsewhere"
    asking = case.planned.requirements.items
    # What is put side by side: one may stand in the other's place.
    alternatives = (one for r in asking for one in (*side_by_side(r), *alike(r), *like_shown(r)))
    beside = tuple(dict.fromkeys((*alternatives, *kept_beside(asking))))
    same = tuple(dict.fromkeys(pair for one in asking for pair in same_inputs(one)))
    named = frozenset[str]().union(*(named_code(one) for one in asking if one.category in ASKED))
    said = "\n".join(one.with_detail for one in asking)
    in_other_zone = bool(_SPEAKS_OF_UTC.search(said)) and not _LOCAL.search(said)
    kept, found = kept_inputs(asking), SecondLook()
    for one in concerned(case, observed, asked):
        paths, runner = tuple(sorted({*one.tests.values()})), one.environment.recipe.runner
        base = case.built.at(paths[0]).base
        looking = Looking(
            case.checkout,
            one.environment,
            base if base and base.failure is None else None,
            paths,
            tuple(sorted(one.tests)),
            files,
            folder,
            limits,
            only=worth_alone(one.tests, one.seen),
            touched=observed.impact.names if observed.impact else frozenset(),
            beside=beside,
            same=same,
            kept=kept,
            named=named,
            code=code_of(test for test in asked if test.id in one.tests),
            in_other_zone=in_other_zone,
            is_held=is_held,
        )
        if runner in DRIVERS:
            seen = await look_again(services.sandbox, looking)
        elif runner in WHOLE:
            seen = await run_again(services.sandbox, looking)
        else:
            seen = SecondLook(not_looked_at=(runner.value,))
        found += seen
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return found


def _test_files(tree: Path) -> tuple[str, ...]:
    """Return the files of head that are tests or lie with them."""
    found: list[str] = []
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(set(folders) - {".git", "node_modules"})
        for name in names:
            path = str(PurePosixPath(folder, name).relative_to(tree))
            if classify(path) in (PathKind.TEST, PathKind.SUPPORT):
                found.append(path)
        if len(found) >= _MOST_TEST_FILES:
            break
    return tuple(found)


def _shown(step: Step, lines: list[str], seconds: float) -> Evidence:
    head = Observation(Side.HEAD, "", None, "\n".join(lines), seconds)
    return Evidence(step.id, step, None, head, Transition.UNKNOWN)


def _again(seen: SecondLook) -> Iterator[str]:
    for call in seen.differences:
        if call.is_unseen:
            yield f"{call.test} in {call.path}: something took away what records its calls."
            continue
        both = f"{call.under_test} under test, {call.elsewhere} elsewhere"
        yield f"{call.call} in {call.path}: {both}{f' {call.when}' if call.when else ''}"
    if seen.compared:
        yield f"{_calls(seen.compared)} compared."
    for one in seen.left_out:
        yield f"{_calls(one.calls)} left out: {_WHY[one.why]}."
    for path in seen.unrecorded:
        yield f"No call in {path} could be recorded."
    for runner in seen.not_looked_at:
        yield f"Calls in tests that run with {runner} are not recorded."


def _calls(count: int) -> str:
    return f"{count} call{'s' if count != 1 else ''}"
