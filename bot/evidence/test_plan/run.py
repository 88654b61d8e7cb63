"""Runs one item of a test plan on both sides (PRDBench's format, run as written)."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath

from bot.context import EvaluationContext
from bot.evidence.seen import Both, Seen, StepSide, limits, on_both, showing, sides
from bot.services import Services
from bot.values import ItemKind, PlanItem, PlannedCase, Step, TestPlan
from sandbox.base import Sandbox
from sandbox.repository.combine import combine
from sandbox.repository.names import is_plain
from sandbox.terminal.bash import TEST_FILE, trusted_files
from sandbox.terminal.shell_interaction import (
    Interaction,
    TypedCase,
    WantedFile,
    candidates,
    interact,
    named_paths,
)
from sandbox.terminal.values import CaseRun, ItemRun
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import run_tests
from sandbox.values import Observation, Outcome, Side, TestRunner

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
    sandbox: Sandbox, order: TestOrder, calls: list[tuple[str, ...]]
) -> Observation:
    """Run each call of pytest where and within which limits an order says."""
    shorter = replace(order.limits, timeout_s=min(order.limits.timeout_s, _LONGEST_S))
    seen = []
    for arguments in calls:
        recipe = replace(
            order.environment.recipe,
            runner=TestRunner.PYTEST,
            test_arguments=arguments,
            root="",
            more_calls=(),
        )
        environment = replace(order.environment, recipe=recipe)
        call = replace(order, environment=environment, limits=shorter)
        seen.append(await run_tests(sandbox, call))

    problems = [one.problem for one in seen if one.problem]
    codes = [one.exit_code for one in seen]
    results = [result for one in seen if one.tests for result in one.tests.results]
    passed = [result for result in results if result.outcome is Outcome.PASSED]
    cases = tuple(
        CaseRun(one.command, one.exit_code, one.output[-20_000:], round(one.seconds, 3))
        for one in seen
    )
    return Observation(
        side=order.side,
        command="\n".join(one.command for one in seen),
        exit_code=None if None in codes else max((code or 0 for code in codes), default=None),
        output="\n".join(one.output[-20_000:] for one in seen),
        seconds=sum(one.seconds for one in seen),
        timed_out=any(one.timed_out for one in seen),
        truncated=any(one.truncated for one in seen),
        problem=problems[0] if problems else "",
        item=ItemRun(cases, tests=len(passed)),
    )


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
    named = {
        path
        for item in plan.items
        for path in (
            *item.input_files,
            *item.expected_files,
            *(case.typed for case in item.cases if "\n" not in case.typed),
        )
        if is_safe(path)
    }
    trusted = _trusted(plan, base, head, named)
    tests = {path for item in plan.items for path in tests_of(item)}
    only_head = sorted(
        path for path in {*named, *tests} if (head / path).is_file() and not (base / path).exists()
    )
    lent: list[str] = []
    for path in only_head:
        # The folder of an author's test, when base has nothing there, may hold a `conftest.py`.
        beside = PurePosixPath(path).parent.as_posix()
        may_be = path in tests and beside != "." and TEST_FILE.search(f"{beside}/")
        is_own = may_be and not (base / beside).exists() and (head / beside).is_dir()
        lent.append(beside if is_own else path)
    shared = combine(head, base, trusted, folder / "plan-head-shared")
    return PlanTrees(
        base=combine(base, head, lent, folder / "plan-base"),
        head=combine(shared, head, lent, folder / "plan-head"),
        authors=frozenset(path for path in only_head if path in tests),
    )


def tests_of(item: PlanItem) -> tuple[str, ...]:
    """Return the test files that an item's commands name, from the tree's root."""
    found: dict[str, None] = {}
    for case in item.cases if item.kind is ItemKind.UNIT_TEST else ():
        folder = folder_of(case.command)
        try:
            words = shlex.split(case.command)
        except ValueError:
            words = case.command.split()
        for word in words:
            path = word.partition("::")[0]
            whole = PurePosixPath(folder, path).as_posix()
            if path.endswith(".py") and TEST_FILE.search(path) and is_safe(whole):
                found[whole] = None
    return tuple(found)


def folder_of(line: str) -> str:
    """Return the folder that a line enters first; empty when it stays."""
    match = _FOLDER.match(line)
    return PurePosixPath(match[1]).as_posix() if match and is_safe(match[1]) else ""


def is_safe(path: str) -> bool:
    """Whether a path of the plan names something inside the tree."""
    return len(path) < 1000 and "\\" not in path and is_plain(path.encode(errors="replace"))


def _trusted(plan: TestPlan, base: Path, head: Path, named: Iterable[str]) -> set[str]:
    found = {path for path in named if (base / path).is_file() and not _SOURCE.search(path)}
    found |= {path for item in plan.items for path in tests_of(item) if (base / path).is_file()}
    commands = [
        case.command
        for item in plan.items
        if item.kind is ItemKind.UNIT_TEST
        for case in item.cases
    ]
    run = {path for command in commands for path in trusted_files(command, base)}
    found |= {path for path in run if PurePosixPath(path).name in _RUNS_TESTS}
    beside = PurePosixPath(plan.path).parent.as_posix()
    if beside == ".":
        return found
    # The plan's own folder is trusted where the program under test does not stand in it.
    programs = {
        path
        for item in plan.items
        if item.kind is not ItemKind.UNIT_TEST
        for case in item.cases
        for tree in (base, head)
        for path in trusted_files(case.command, tree)
    }
    is_run = any(one.startswith(f"{beside}/") and not TEST_FILE.search(one) for one in programs)
    return found if is_run else found | {beside}


_CASE_LIMIT_S = 60.0
_TYPED_BYTES = 1 << 20
_INPUT_FILE = re.compile(r"[\w./ -]+\.(in|txt|csv|json|input|dat)")


async def run_plan_item(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Run the item's commands in order in one fresh tree a side; look at the files that they left."""
    plan, checkout = case.policy.test_plan, case.checkout
    found = {r.id: r.item for r in case.planned.requirements.items}
    item = found[step.requirement_ids[0]]
    if item is None:
        raise AssertionError("a step of a test plan without its item")
    if item.problem:
        seen = Observation(Side.HEAD, problem=item.problem, item=ItemRun())
        return showing(step, None, seen)
    if plan is None:
        raise AssertionError("a step of a test plan without the plan")
    folder = services.evaluation_folder(case.request) / "trees"
    both = Path(checkout.base_tree), Path(checkout.head_tree)
    trees = await asyncio.to_thread(plan_trees, plan, *both, folder)
    places = sides(case, case.built.main)
    base, head = await on_both(
        partial(_run, services, case, item),
        Both(
            replace(places.base, tree=str(trees.base)), replace(places.head, tree=str(trees.head))
        ),
    )
    authors = tuple(path for path in tests_of(item) if path in trees.authors)
    base = _noted(base, item, trees, authors) if base else None
    return showing(step, base, _noted(head, item, trees, authors))


async def _run(
    services: Services, case: EvaluationContext, item: PlanItem, place: StepSide
) -> Observation:
    bounds, network = limits(case), case.policy.network_to_observe
    environment = place.environment
    is_python = environment is not None and environment.recipe.ecosystem == "python"
    if item.kind is ItemKind.UNIT_TEST and environment is not None and is_python:
        arguments = [pytest_arguments(one.command) for one in item.cases]
        known = [one for one in arguments if one is not None]
        if known and len(known) == len(arguments):
            order = TestOrder(place.side, place.tree, environment, limits=bounds, network=network)
            return await run_by_harness(services.sandbox, order, known)
    tree = Path(place.tree)
    # The places of the files that the expected output says are made.
    folder = folder_of(item.cases[0].command) if item.cases else ""
    paths = [path for path in named_paths([item.expected_output]) if path not in item.input_files]
    made = (f"{at}/{path}" if at else path for path in paths for at in ("", folder, "src"))
    wanted = Interaction(
        side=place.side,
        tree=place.tree,
        cases=tuple(_typed(one, tree) for one in item.cases),
        files=_wanted(item, tree),
        watched=tuple(dict.fromkeys(made))[:100],
        environment=environment,
        case_limit_s=min(_CASE_LIMIT_S, bounds.timeout_s),
        limits=bounds,
        network=network,
    )
    return await interact(services.sandbox, wanted)


def _typed(planned: PlannedCase, tree: Path) -> TypedCase:
    """What is typed: the named file's text, or the text itself."""
    name = planned.typed.strip()
    file = _in_tree(tree, name) if "\n" not in name else None
    if file is None:
        return TypedCase(planned.command, planned.typed)
    with file.open("rb") as stream:
        return TypedCase(planned.command, stream.read(_TYPED_BYTES).decode("utf-8-sig", "replace"))


def _in_tree(tree: Path, name: str) -> Path | None:
    """A file that the plan names, where it stands in the tree and leads nowhere else."""
    if not is_safe(name):
        return None
    file = tree / name
    return file if file.is_file() and file.resolve().is_relative_to(tree.resolve()) else None


# --- files ------------------------------------------------------------------------------------


def _wanted(item: PlanItem, tree: Path) -> tuple[WantedFile, ...]:
    """Where each expected file stands (in the tree: the plan's own files come from base)."""
    folder = folder_of(item.cases[0].command) if item.cases else ""
    texts = [item.description, item.expected_output]
    texts += [text for one in item.cases for text in (one.command, _typed(one, tree).typed)]
    typed = {one.typed for one in item.cases}
    inputs = {*item.input_files, *item.expected_files, *typed}
    named = [path for path in named_paths(texts) if path not in inputs]
    found: list[WantedFile] = []
    for name in item.expected_files:
        file = _in_tree(tree, name)
        reference = file if file and not file.is_symlink() else None
        found.append(WantedFile(name, reference, candidates(name, named, folder)))
    return tuple(found)


# --- what the plan lacks ----------------------------------------------------------------------


def _noted(
    seen: Observation, item: PlanItem, trees: PlanTrees, authors: tuple[str, ...]
) -> Observation:
    """Say which of the named files are nowhere, and which tests the author brought."""
    named = [path for path in item.input_files if is_safe(path)]
    for one in item.cases:
        name = one.typed.strip()
        if _INPUT_FILE.fullmatch(name) and "/" in name and is_safe(name):
            named.append(name)
        folder = folder_of(one.command)
        for path in re.findall(r"(?<!<)<\s*([\w./-]+)", one.command):
            whole = f"{folder}/{path}" if folder else path
            named += [whole] if is_safe(whole) else []
    named += tests_of(item)
    lacks = tuple(path for path in dict.fromkeys(named) if not (trees.head / path).exists())
    return replace(seen, item=replace(seen.item or ItemRun(), authors=authors, lacks=lacks))
