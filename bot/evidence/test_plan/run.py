"""Runs one item of a test plan on both sides (PRDBench's format, run as written)."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

from bot.context import Case
from bot.evidence.seen import Both, Place, Seen, limits, on_both, showing
from bot.evidence.test_plan.pytest_lines import pytest_arguments, run_by_harness
from bot.evidence.test_plan.trees import PlanTrees, folder_of, is_safe, plan_trees, tests_of
from bot.services import Services
from bot.values import ItemKind, PlanItem, PlannedCase, Step
from sandbox.terminal.file_comparison import candidates, named_paths
from sandbox.terminal.shell_interaction import Interaction, TypedCase, WantedFile, interact
from sandbox.values import ItemRun, Observation, Side

_CASE_LIMIT_S = 60.0
_TYPED_BYTES = 1 << 20
_INPUT_FILE = re.compile(r"[\w./ -]+\.(in|txt|csv|json|input|dat)")


async def run_plan_item(services: Services, case: Case, step: Step) -> Seen:
    """Run the item's commands in order in one fresh tree a side; look at the files that they left."""
    item = _item(case, step)
    if item.problem:
        seen = Observation(Side.HEAD, "", None, "", 0.0, problem=item.problem, item=ItemRun())
        return showing(step, None, seen)
    trees = await asyncio.to_thread(_trees, services, case)
    base, head = await on_both(
        partial(_run, services, case, item),
        Both(
            Place(Side.BASE, str(trees.base), case.built.base),
            Place(Side.HEAD, str(trees.head), case.built.head),
        ),
    )
    authors = tuple(path for path in tests_of(item) if path in trees.authors)
    base, head = _noted(base, item, trees, authors), _noted(head, item, trees, authors)
    return showing(step, base, head)


def _item(case: Case, step: Step) -> PlanItem:
    found = {r.id: r.item for r in case.planned.requirements.items}
    item = found[step.requirement_ids[0]]
    if item is None:
        raise AssertionError("a step of a test plan without its item")
    return item


def _trees(services: Services, case: Case) -> PlanTrees:
    plan, checkout = case.policy.test_plan, case.checkout
    if plan is None:
        raise AssertionError("a step of a test plan without the plan")
    folder = services.evaluation_folder(case.request) / "trees"
    return plan_trees(plan, Path(checkout.base_tree), Path(checkout.head_tree), folder)


async def _run(services: Services, case: Case, item: PlanItem, place: Place) -> Observation:
    bounds, network = limits(case), case.policy.network_to_observe
    is_python = place.environment is not None and place.environment.recipe.ecosystem == "python"
    if item.kind is ItemKind.UNIT_TEST and place.environment is not None and is_python:
        arguments = [pytest_arguments(one.command) for one in item.cases]
        known = [one for one in arguments if one is not None]
        if known and len(known) == len(arguments):
            side = place.side, place.tree
            return await run_by_harness(
                services.sandbox, place.environment, side, known, (bounds, network)
            )
    tree = Path(place.tree)
    wanted = Interaction(
        side=place.side,
        tree=place.tree,
        cases=tuple(_typed(one, tree) for one in item.cases),
        files=_wanted(item, tree),
        watched=_watched(item),
        environment=place.environment,
        case_limit_s=min(_CASE_LIMIT_S, bounds.timeout_s),
        limits=bounds,
        network=network,
    )
    return await interact(services.sandbox, wanted)


def _typed(planned: PlannedCase, tree: Path) -> TypedCase:
    """What is typed: the named file's text, or the text itself."""
    file = _input_file(planned, tree)
    if file is None:
        return TypedCase(planned.command, planned.typed)
    with file.open("rb") as stream:
        return TypedCase(planned.command, stream.read(_TYPED_BYTES).decode("utf-8-sig", "replace"))


def _input_file(planned: PlannedCase, tree: Path) -> Path | None:
    name = planned.typed.strip()
    if not is_safe(name) or "\n" in name:
        return None
    file = tree / name
    is_ours = file.is_file() and file.resolve().is_relative_to(tree.resolve())
    return file if is_ours else None


# --- files ------------------------------------------------------------------------------------


def _wanted(item: PlanItem, tree: Path) -> tuple[WantedFile, ...]:
    """Where each expected file stands (in the tree: the plan's own files come from base)."""
    folder = folder_of(item.cases[0].command) if item.cases else ""
    texts = [item.description, item.expected_output]
    texts += [text for one in item.cases for text in (one.command, _typed(one, tree).typed)]
    typed = {one.typed for one in item.cases}
    inputs = {*item.input_files, *item.expected_files, *typed}
    named = [path for path in named_paths(texts) if path not in inputs]
    return tuple(
        WantedFile(name, _reference(tree, name), candidates(name, named, folder))
        for name in item.expected_files
    )


def _reference(tree: Path, name: str) -> Path | None:
    if not is_safe(name):
        return None
    file = tree / name
    is_ours = file.is_file() and not file.is_symlink()
    return file if is_ours and file.resolve().is_relative_to(tree.resolve()) else None


def _watched(item: PlanItem) -> tuple[str, ...]:
    """The places of the files that the expected output says are made."""
    folder = folder_of(item.cases[0].command) if item.cases else ""
    paths = [path for path in named_paths([item.expected_output]) if path not in item.input_files]
    places = (
        f"{where}/{path}" if where else path for path in paths for where in ("", folder, "src")
    )
    return tuple(dict.fromkeys(places))[:100]


# --- what the plan lacks ----------------------------------------------------------------------


def _noted(
    seen: Observation, item: PlanItem, trees: PlanTrees, authors: tuple[str, ...]
) -> Observation:
    """Say which of the named files are nowhere, and which tests the author brought."""
    run = seen.item or ItemRun()
    return replace(seen, item=replace(run, authors=authors, lacks=tuple(_lacking(item, trees))))


def _lacking(item: PlanItem, trees: PlanTrees) -> list[str]:
    named = [path for path in item.input_files if is_safe(path)]
    for one in item.cases:
        name = one.typed.strip()
        if _INPUT_FILE.fullmatch(name) and "/" in name and is_safe(name):
            named.append(name)
        named += [path for path in _redirected(one.command) if is_safe(path)]
    named += tests_of(item)
    return [path for path in dict.fromkeys(named) if not (trees.head / path).exists()]


def _redirected(line: str) -> list[str]:
    folder = folder_of(line)
    paths = re.findall(r"(?<!<)<\s*([\w./-]+)", line)
    return [f"{folder}/{path}" if folder else path for path in paths]
