"""Makes one observation of several calls of a project's tests: every test once."""

from __future__ import annotations

from dataclasses import replace

from sandbox.values import Observation, Outcome, TestResult, TestRun

_RANKS = {Outcome.SKIPPED: 0, Outcome.FAILED: 2, Outcome.ERROR: 2}


def joined_calls(seen: tuple[Observation, ...]) -> Observation:
    """Join the calls in their order. A test that one call skips or deselects ran where another ran it."""
    exits = [one.exit_code for one in seen if one.exit_code != 0]
    problems = (one.problem for one in seen if one.problem)
    tests = joined_runs(tuple(one.tests for one in seen if one.tests is not None))
    is_whole = all(one.tests is not None for one in seen)
    return replace(
        seen[0],
        command=" && ".join(one.command for one in seen),
        exit_code=None if None in exits else max((code or 0 for code in exits), default=0),
        output="\n".join(one.output for one in seen),
        seconds=sum(one.seconds for one in seen),
        timed_out=any(one.timed_out for one in seen),
        truncated=any(one.truncated for one in seen),
        tests=tests if is_whole else None,
        problem=tests.problem if is_whole else next(problems, ""),
    )


def joined_runs(runs: tuple[TestRun, ...]) -> TestRun:
    """Join runs of one tree: of two results for one test the worse one, a skip last of all."""
    found: dict[str, TestResult] = {}
    for result in (result for run in runs for result in run.results):
        known = found.get(result.id)
        if known is None or _RANKS.get(result.outcome, 1) > _RANKS.get(known.outcome, 1):
            found[result.id] = result
    wanting = [run for run in runs if not run.complete]
    told = wanting or (() if found else runs)  # a call without tests of its own is no problem
    return TestRun(
        complete=not wanting,
        results=tuple(found.values()),
        problem=next((run.problem for run in told if run.problem), ""),
        forged=any(run.forged for run in runs),
    )
