"""Words for the folders whose tests were run, and for those that were not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from bot.values import FourWay, NotRun, TestComparison, TestedFolder
from sandbox.test_runs.four_runs import is_below

MOST_TOLD = 4


def shown(one: TestedFolder | NotRun) -> str:
    """A folder's name in a sentence."""
    return _named(one.folder)


def in_folders(folders: Sequence[TestedFolder]) -> str:
    """Words such as " in packages/alpha/ and packages/beta/"; "" for the whole repository."""
    names = list(map(shown, folders))
    return f" in {_listed(names)}" if any(one.folder for one in folders) else ""


def counted(tests: Iterable[TestComparison], ran: FourWay) -> str:
    """Words such as "48 tests in packages/alpha/ and 12 in packages/beta/"."""
    found: Counter[str] = Counter()
    for test in tests:
        inside = [one.folder for one in ran.folders if is_below(test.path, (one.folder,))]
        found[max(inside, key=len, default="")] += 1
    return _counts(found)


def what_was_run(ran: FourWay) -> str:
    """A sentence of its own, with a space before it, for a reason that does not say it; "" for nothing."""
    found = {one.folder: max(one.base, one.head) for one in ran.folders if one.base or one.head}
    was = "was" if sum(found.values()) == 1 else "were"
    return f" {_counts(found)} {was} run." if found else ""


def what_was_not(ran: FourWay) -> str:
    """Say what was run, and what the change can break beside it."""
    names = _listed(list(map(shown, ran.folders))) or "nothing"
    was = "were" if len(ran.folders) > 1 else "was"
    told: list[str] = []
    for one in ran.not_run[:MOST_TOLD]:
        uses = ", ".join(f"`{name}`" for name in one.uses)
        told.append(f"{shown(one)} {f'uses {uses}' if uses else 'is changed too'} ({one.why})")
    if (more := len(ran.not_run) - MOST_TOLD) > 0:
        told.append(f"and {more} more")
    return f"Only {names} {was} run; {'; '.join(told)}.{what_was_run(ran)}"


def _counts(found: Mapping[str, int]) -> str:
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    told = [f"{count} in {_named(folder)}" for folder, count in ordered]
    if ordered:
        folder, count = ordered[0]
        told[0] = f"{count} test{'' if count == 1 else 's'} in {_named(folder)}"
    return _listed(told)


def _named(folder: str) -> str:
    return f"{folder}/" if folder else "the root directory"


def _listed(names: Sequence[str]) -> str:
    told, more = list(names[:MOST_TOLD]), len(names) - MOST_TOLD
    if more > 0:
        told.append(f"{more} more")
    return " and ".join(filter(None, (", ".join(told[:-1]), *told[-1:])))
