"""The lines by which a person sees again what one test showed: which tests, on whose code."""

from __future__ import annotations

import shlex

from bot.values import TestChange, TestComparison
from sandbox.values import Outcome

_FAILING = (Outcome.FAILED, Outcome.ERROR)
_BASES = (TestChange.PASS_TO_FAIL, TestChange.EXPECTATION_CHANGED, TestChange.REMOVED)


def repeat(test: TestComparison, base_sha: str, head_sha: str) -> str:
    """Shell lines for a clean clone that holds both commits; only pytest's node ids name one test.

    Where the pull request edited the test, head's own version need not show what base's shows.
    """
    file, is_of_pytest, _ = test.id.partition("::")
    if not (is_of_pytest and file.endswith(".py")):
        return ""
    run = f"python -m pytest {shlex.quote(test.id)}"
    if not (test.path and base_sha and head_sha):
        return run
    base, head, path = base_sha[:12], head_sha[:12], shlex.quote(test.path)
    on_base, on_head = f"git checkout -q {base}", f"git checkout -q {head}"
    if test.change is TestChange.FAIL_TO_PASS and test.head_on_base in _FAILING:
        there, back = _with_tests_of(head, path), _with_tests_of(base, path)
        return f"{on_base} && {there} && {run}; {back}\n{on_head} && {run}"
    if test.change in _BASES and test.head_on_head not in _FAILING:
        there, back = _with_tests_of(base, path), _with_tests_of(head, path)
        return f"{on_head} && {there} && {run}; {back}"
    return f"{on_head} && {run}" if test.head_on_head is not None else run


def _with_tests_of(sha: str, path: str) -> str:
    """Put a file as it is in a commit (also where it is not there) into the tree."""
    return f"git restore -s {sha} -SW -- {path}"
