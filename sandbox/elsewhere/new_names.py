"""The names that only head knows, and what the tests' calls give without arguments of these names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from sandbox.elsewhere.told import CallOutcome, Recorded, both_sides
from sandbox.elsewhere.values import RAISED, OtherResult, Otherwise
from sandbox.toolchains.tree import Tree
from sandbox.values import Checkout, Diff

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_LARGEST = 1 << 20  # characters of a file that is read for its names


def added_code(diff: Diff, tests: Collection[str]) -> str:
    """Return the lines that a change adds to files that are no tests'."""
    return "\n".join(
        line[1:]
        for file in diff.files
        if file.path not in tests
        for hunk in file.hunks
        for line in hunk.lines
        if line.startswith("+")
    )


def new_names(checkout: Checkout, tests: Collection[str]) -> frozenset[str]:
    """Return the names in these lines that the files which change do not have on base."""
    names, base = (
        set(_NAME.findall(added_code(checkout.diff, tests))),
        Tree(Path(checkout.base_tree)),
    )
    for one in (one for one in checkout.diff.files if one.path not in tests):
        text = base.read(one.old_path or one.path)
        if len(text) > _LARGEST:
            return frozenset()
        names.difference_update(_NAME.findall(text))
    return frozenset(names)


def changed_defaults(
    calls: Sequence[Recorded],
    plain: Mapping[Recorded, tuple[Recorded, ...]],
    base: Mapping[Recorded, CallOutcome | None],
    head: Mapping[Recorded, CallOutcome | None],
) -> Iterator[OtherResult]:
    """Yield calls that base answers, and head otherwise: the tests' `calls` without their new arguments.

    Of each `plain` has that, and calls near it. Where a call of the tests gives just what head does, they
    show that it is meant.
    """
    told = ((plain[call][0] if call in plain else call, head.get(call)) for call in calls)
    shown = {(one.name, one.arguments, outcome.all) for one, outcome in told if outcome}
    for call, (first, *near) in plain.items():
        on_head = head.get(first)
        if on_head and (first.name, first.arguments, on_head.all) in shown:
            continue
        for one in (first, *near):
            if both := _otherwise(base.get(one), head.get(one)):
                yield OtherResult(Otherwise.DEFAULT, both_sides(one.shown, *both), call.path)
                break


def _otherwise(base: CallOutcome | None, head: CallOutcome | None) -> tuple[str, str] | None:
    """Return what base answers and what comes of head, where that is something else; None where it is not."""
    if not base or not head or base.unsteady or head.unsteady or re.match(RAISED, base.all):
        return None
    return (base.all, head.all) if base.all != head.all else None
