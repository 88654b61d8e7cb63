"""A plan's pytest lines, run by the recorder that the tree cannot write: an exit code proves little."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

from sandbox.base import Limits, Network, Sandbox
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import run_tests
from sandbox.values import (
    CaseRun,
    Environment,
    ItemRun,
    Observation,
    Outcome,
    Side,
    TestRunner,
)

_SHELL = re.compile(r"[|&;<>$`(){}\n\0*?]")
_PYTHON = re.compile(r"python(3(\.\d+)?)?")
_LOOKS_ONLY = re.compile(
    r"-[vqs]+|--tb=\w+|-r\w+|--(no-header|verbose|quiet|color=\w+|capture=\w+)"
)
_LONGEST_S = 600.0


def pytest_arguments(line: str) -> tuple[str, ...] | None:
    """Return the arguments of a line that is one plain call of pytest; None for any other line."""
    if _SHELL.search(re.sub(r"\[[^\]\s]{0,300}\]", "", line)):
        return None
    try:
        words = shlex.split(line)
    except ValueError:
        return None
    if len(words) > 2 and _PYTHON.fullmatch(words[0]) and words[1:3] == ["-m", "pytest"]:
        words = words[2:]
    if not words or words[0] not in {"pytest", "py.test"}:
        return None
    return tuple(word for word in words[1:] if not _LOOKS_ONLY.fullmatch(word))


async def run_by_harness(
    sandbox: Sandbox,
    environment: Environment,
    place: tuple[Side, str],
    calls: list[tuple[str, ...]],
    bounds: tuple[Limits, Network],
) -> Observation:
    """Run each call of pytest on one side (side, tree); `bounds` are limits and network."""
    side, tree = place
    limits, network = bounds
    shorter = replace(limits, timeout_s=min(limits.timeout_s, _LONGEST_S))
    seen = []
    for arguments in calls:
        recipe = replace(
            environment.recipe,
            runner=TestRunner.PYTEST,
            test_arguments=arguments,
            root="",
            more_calls=(),
        )
        order = TestOrder(
            side, tree, replace(environment, recipe=recipe), limits=shorter, network=network
        )
        seen.append(await run_tests(sandbox, order))
    return _together(side, seen)


def _together(side: Side, seen: list[Observation]) -> Observation:
    problems = [one.problem for one in seen if one.problem]
    codes = [one.exit_code for one in seen]
    results = [result for one in seen if one.tests for result in one.tests.results]
    passed = [result for result in results if result.outcome is Outcome.PASSED]
    cases = tuple(
        CaseRun(one.command, one.exit_code, one.output[-20_000:], round(one.seconds, 3))
        for one in seen
    )
    return Observation(
        side=side,
        command="\n".join(one.command for one in seen),
        exit_code=None if None in codes else max((code or 0 for code in codes), default=None),
        output="\n".join(one.output[-20_000:] for one in seen),
        seconds=sum(one.seconds for one in seen),
        timed_out=any(one.timed_out for one in seen),
        truncated=any(one.truncated for one in seen),
        problem=problems[0] if problems else "",
        item=ItemRun(cases, tests=len(passed)),
    )
