"""The trees in which a test plan is run: each side's code, with everything that the plan names from base.

What stands beside the plan (`evaluation/`) is the plan's: a pull request must not bring a `conftest.py`
or an expected file of its own. What the plan names and base does not have (the tests that the plan asks
the author to write) comes from head, on both sides, and is the author's.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bot.values import ItemKind, PlanItem, TestPlan
from sandbox.repository.combine import combine
from sandbox.repository.names import is_plain
from sandbox.terminal.bash import trusted_files

_TEST = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$|(^|/)tests?/")
_SOURCE = re.compile(
    r"\.(py|js|mjs|cjs|ts|tsx|jsx|c|cc|cpp|h|hpp|go|rs|java|rb|php|sh|pl|cs|kt|swift)$"
)
_RUNS_TESTS = {
    "Makefile", "makefile", "GNUmakefile", "noxfile.py", "tox.ini", "justfile", "Justfile",
}  # fmt: skip
_FOLDER = re.compile(r"^\s*cd\s+([\w./-]+)\s*(?:&&|;)")


@dataclass(frozen=True, slots=True)
class PlanTrees:
    """Both sides as the plan is run on them; `authors` are the named test files that base lacks."""

    base: Path
    head: Path
    authors: frozenset[str]


def plan_trees(plan: TestPlan, base: Path, head: Path, folder: Path) -> PlanTrees:
    """Put both trees together below `folder`, once; later calls return what is there."""
    named = _named(plan)
    trusted = _trusted(plan, base, head, named)
    tests = {path for item in plan.items for path in tests_of(item)}
    only_head = sorted(path for path in {*named, *tests} if _is_only_on(path, head, base))
    lent = [_with_company(path, base, head) if path in tests else path for path in only_head]
    shared = combine(head, base, trusted, folder / "plan-head-shared")
    return PlanTrees(
        base=combine(base, head, lent, folder / "plan-base"),
        head=combine(shared, head, lent, folder / "plan-head"),
        authors=frozenset(path for path in only_head if path in tests),
    )


def tests_of(item: PlanItem) -> tuple[str, ...]:
    """Return the test files that an item's commands name, from the tree's root."""
    if item.kind is not ItemKind.UNIT_TEST:
        return ()
    return tuple(dict.fromkeys(path for case in item.cases for path in _test_files(case.command)))


def folder_of(line: str) -> str:
    """Return the folder that a line enters first; empty when it stays."""
    match = _FOLDER.match(line)
    return PurePosixPath(match[1]).as_posix() if match and is_safe(match[1]) else ""


def is_safe(path: str) -> bool:
    """Whether a path of the plan names something inside the tree."""
    return len(path) < 1000 and "\\" not in path and is_plain(path.encode(errors="replace"))


def _test_files(line: str) -> Iterable[str]:
    folder = folder_of(line)
    try:
        words = shlex.split(line)
    except ValueError:
        words = line.split()
    for word in words:
        path = word.partition("::")[0]
        whole = PurePosixPath(folder, path).as_posix()
        if path.endswith(".py") and _TEST.search(path) and is_safe(whole):
            yield whole


def _named(plan: TestPlan) -> frozenset[str]:
    """Every path that the plan names as input, as expected, or as a file to type."""
    paths = (
        path
        for item in plan.items
        for path in (
            *item.input_files,
            *item.expected_files,
            *(case.typed for case in item.cases if "\n" not in case.typed),
        )
    )
    return frozenset(path for path in paths if is_safe(path))


def _trusted(plan: TestPlan, base: Path, head: Path, named: Iterable[str]) -> set[str]:
    found = {path for path in named if (base / path).is_file() and not _SOURCE.search(path)}
    found |= {path for item in plan.items for path in tests_of(item) if (base / path).is_file()}
    found |= {path for path in _run_by_tests(plan, base) if PurePosixPath(path).name in _RUNS_TESTS}
    beside = PurePosixPath(plan.path).parent.as_posix()
    if beside != "." and not _runs_from(plan, beside, base, head):
        found.add(beside)
    return found


def _run_by_tests(plan: TestPlan, base: Path) -> set[str]:
    items = (item for item in plan.items if item.kind is ItemKind.UNIT_TEST)
    return {p for item in items for one in item.cases for p in trusted_files(one.command, base)}


def _runs_from(plan: TestPlan, folder: str, base: Path, head: Path) -> bool:
    """Whether the program under test stands in the plan's own folder."""
    run = {
        path
        for item in plan.items
        if item.kind is not ItemKind.UNIT_TEST
        for case in item.cases
        for tree in (base, head)
        for path in trusted_files(case.command, tree)
    }
    return any(path.startswith(f"{folder}/") and not _TEST.search(path) for path in run)


def _is_only_on(path: str, tree: Path, other: Path) -> bool:
    return (tree / path).is_file() and not (other / path).exists()


def _with_company(path: str, base: Path, head: Path) -> str:
    """The folder of an author's test, when base has nothing there: it may hold a `conftest.py`."""
    folder = PurePosixPath(path).parent.as_posix()
    is_own = folder != "." and not (base / folder).exists() and (head / folder).is_dir()
    return folder if is_own and _TEST.search(f"{folder}/") else path
