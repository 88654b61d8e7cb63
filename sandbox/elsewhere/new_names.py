"""The names that only head knows, and what the tests' calls give without arguments of these names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from sandbox.elsewhere.told import Outcome, Recorded, both_sides
from sandbox.elsewhere.values import RAISED, Default
from sandbox.repository.names import inside
from sandbox.values import Checkout, Diff

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_LARGEST = 1 << 20  # bytes of a file that is read for its names


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
    names = set(_NAME.findall(added_code(checkout.diff, tests)))
    for one in checkout.diff.files:
        path = inside(Path(checkout.base_tree), one.old_path or one.path)
        if one.path in tests or not path.is_file() or path.is_symlink():
            continue
        if path.stat().st_size > _LARGEST:
            return frozenset()
        names.difference_update(_NAME.findall(path.read_text("utf-8", "replace")))
    return frozenset(names)


def changed_defaults(
    calls: Sequence[Recorded],
    plain: Mapping[Recorded, Recorded],
    base: Mapping[Recorded, Outcome | None],
    head: Mapping[Recorded, Outcome | None],
) -> Iterator[Default]:
    """Yield the tests' `calls` without their new arguments (`plain`) that base answers, and head otherwise.

    Where a call of the tests gives just what head does, they show that it is meant.
    """
    told = ((plain.get(call, call), head.get(call)) for call in calls)
    shown = {(one.name, one.arguments, outcome.all) for one, outcome in told if outcome}
    for call, one in plain.items():
        on_base, on_head = base.get(one), head.get(one)
        if not on_base or not on_head or on_base.unsteady or on_head.unsteady:
            continue
        is_answered = re.match(RAISED, on_base.all) is None
        is_shown = (one.name, one.arguments, on_head.all) in shown
        if is_answered and on_base.all != on_head.all and not is_shown:
            yield Default(both_sides(one.shown, on_base.all, on_head.all), call.path)
