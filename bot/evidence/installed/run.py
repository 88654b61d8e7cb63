"""Uses the package of a project by itself, on both sides."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bot.context import EvaluationContext, Project
from bot.diff.kinds import is_test_file
from bot.diff.lines import is_gone, is_new, old_path
from bot.evidence.installed.weigh import broken, closed, doubts
from bot.evidence.seen import Seen, ShownBoth, StepSide, on_both, showing, sides
from bot.services import Services, build_request
from bot.values import Step
from sandbox.installed.node import can_be_packed, load_packed
from sandbox.installed.python import (
    Wanted,
    can_be_installed,
    import_installed,
    providers,
)
from sandbox.installed.values import InstalledSide, Provider
from sandbox.toolchains.tree import Tree
from sandbox.values import Environment, Observation, Side

_MOST_FILES = 3_000


async def use_installed(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Use the first project that users can install of those that the paths in the arguments are of."""
    for project in dict.fromkeys(map(case.built.at, step.arguments)):
        if shown := await _used(services, case, project):
            base, head = _observed(shown)
            return showing(step, base, head)
    return Seen()


async def _used(
    services: Services, case: EvaluationContext, project: Project
) -> ShownBoth[InstalledSide] | None:
    both = sides(case, project)
    environments = [
        one.environment for one in both if one.environment and not one.environment.failure
    ]
    kinds = {one.recipe.ecosystem for one in environments}
    if len(environments) < len(both) or len(kinds) > 1 or both.base.is_off:
        return None
    is_python = kinds == {"python"}
    can = can_be_installed if is_python else can_be_packed
    if not (is_python or kinds == {"node"}):
        return None
    trees = [Path(one.tree) for one in both]
    if not all(
        [await asyncio.to_thread(can, *one) for one in zip(environments, trees, strict=True)]
    ):
        return None

    async def run(place: StepSide) -> InstalledSide:
        environment = environments[place.side is Side.HEAD]
        if is_python:
            return await _imported(services, case, place, environment)
        return await load_packed(services.sandbox, environment, Path(place.tree))

    return await on_both(run, both)


async def _imported(
    services: Services, case: EvaluationContext, place: StepSide, environment: Environment
) -> InstalledSide:
    policy, recipe = case.policy, environment.recipe
    is_base = place.side is Side.BASE
    request = replace(
        build_request(services, case.request, case.checkout, place.side, recipe),
        network=policy.network_to_build,
        is_trusted=is_base and policy.base_is_trusted,
    )
    above = f"{recipe.root}/" if recipe.root else ""
    changes = [one for one in case.checkout.diff.files if not is_test_file(one.path)]
    there = [one for one in changes if not (is_new(one) if is_base else is_gone(one))]
    modules = _below(above, (old_path(one) if is_base else one.path for one in there))
    if is_base:  # whether it leaves out what it has is the measure for what is new
        tree = Tree(Path(place.tree, recipe.root))
        files = tuple(one for one in await asyncio.to_thread(tree.files) if not is_test_file(one))
    else:
        files = _below(above, (one.path for one in there if is_new(one) or one.old_path))
    wanted = Wanted(tuple(one for one in modules if one.endswith(".py")), files[:_MOST_FILES])
    seen = await import_installed(services.sandbox, request, environment, wanted)
    layer = environment.dependencies_layer
    brought = [
        Provider(module, name)
        for module in sorted(seen.missing)
        for name in await asyncio.to_thread(providers, layer, module.partition(".")[0])
    ]
    return replace(seen, providers=tuple(brought))


def _below(above: str, paths: Iterator[str]) -> tuple[str, ...]:
    return tuple(path.removeprefix(above) for path in paths if path.startswith(above))


def _observed(shown: ShownBoth[InstalledSide]) -> tuple[Observation | None, Observation]:
    """Tell what was seen on each side, and whether head lost anything."""
    base, head = shown
    if base is None:
        return None, _observation(Side.HEAD, head, 0)
    is_lost = broken(base, head) or doubts(base, head) or closed(base, head)
    return _observation(Side.BASE, base, 0), _observation(Side.HEAD, head, int(bool(is_lost)))


def _observation(side: Side, seen: InstalledSide, exit_code: int) -> Observation:
    lines = [f"{one.what}: {one.error or 'fine'}" for one in seen.uses]
    lines += [f"{one.path} imports {one.package}, which is not installed" for one in seen.unmet]
    lines += [f"not in the package: {path}" for path in seen.left_out]
    lines += [f"not in exports: {path}" for path in seen.closed]
    problem = f"Not measured. {seen.problem}" if seen.problem else ""
    return Observation(
        side,
        seen.command,
        None if problem else exit_code,
        "\n".join(lines),
        seen.seconds,
        problem=problem,
        installed=seen,
    )
