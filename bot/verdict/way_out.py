"""What a person can do where the tests proved nothing."""

from __future__ import annotations

from bot.evidence.case import Case

_NAME_THE_TESTS = "set `setup.test` in `.github/assay.yml` on the base branch"


def way_out(case: Case) -> str:
    """One sentence for the requirement that could not be told, by what the runs lacked."""
    observed, suite = case.observed, case.suite
    if observed.built_base is False or observed.built_head is False or observed.needs:
        return "Fix the build first (B1), then comment `/judge`."
    if suite is None:
        return f"Tell Assay how to build and test it: {_NAME_THE_TESTS}."
    seen = [side for side in (suite.base, suite.head) if side is not None]
    if any(side.timed_out for side in seen):
        return (
            "Fix what hangs, or raise `limits.minutes` in `.github/assay.yml` on the base branch."
        )
    if any(not side.command for side in seen):
        return f"Add tests to the base branch first, or {_NAME_THE_TESTS}."
    if all(side.tests is None for side in seen):
        return f"To get a result per test, {_NAME_THE_TESTS} to one call of a test runner that Assay knows."
    return "Read in the evidence what ended the run. Fix it and push, or comment `/judge` to try again."
