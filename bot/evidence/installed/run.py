"""Uses the package of a project by itself, on both sides."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from bot.context import EvaluationContext, Project
from bot.diff.kinds import is_test_file
from bot.diff.lines import is_gone, is_new, old_path
from bot.evidence.seen import Seen, ShownBoth, StepSide, on_both, showing, sides
from bot.services import Services, build_request
from bot.values import Step
from sandbox.installed.node import can_be_packed, load_packed
from sandbox.installed.python import Wanted, can_be_installed, import_installed
from sandbox.installed.values import InstalledSide, broken, doubts, shut
from sandbox.toolchains.tree import Tree
from sandbox.values import Environment, FileChange, Observation, Side

_MOST_FILES = 3_000


async def use_installed(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Use the first project that users can install of those that the paths in the arguments are of."""
    for project in dict.fromkeys(map(case.built.at, step.arguments)):
        if shown := await _used(services, case, project, step):
            base, head = _observed(shown)
            return showing(step, base, head)
    return Seen()


async def _used(
    services: Services, case: EvaluationContext, project: Project, step: Step
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
    # Base alone says whether there are users: head cannot stop the look by calling itself private.
    if not await asyncio.to_thread(can, environments[0], Path(both.base.tree)):
        return None

    async def run(place: StepSide) -> InstalledSide:
        environment = environments[place.side is Side.HEAD]
        if is_python:
            wanted = await asyncio.to_thread(_wanted, case, place, environment.recipe.root, step)
            return await _imported(services, case, environment, wanted)
        return await load_packed(services.sandbox, environment, Path(place.tree))

    return await on_both(run, both)


async def _imported(
    services: Services, case: EvaluationContext, environment: Environment, wanted: Wanted
) -> InstalledSide:
    side, policy = environment.side, case.policy
    request = replace(
        build_request(services, case.request, case.checkout, side, environment.recipe),
        network=policy.network_to_build,
        is_trusted=side is Side.BASE and policy.base_is_trusted,
    )
    return await import_installed(services.sandbox, request, environment, wanted)


def _wanted(case: EvaluationContext, place: StepSide, root: str, step: Step) -> Wanted:
    """Return what to look at: changed modules, and new files. Base's files show whether it leaves any out."""
    is_base = place.side is Side.BASE
    changes = [one for one in case.checkout.diff.files if not is_test_file(one.path)]
    there = [one for one in changes if not (is_new(one) if is_base else is_gone(one))]
    modules = (old_path(one) if is_base else one.path for one in there)
    above = f"{root}/" if root else ""
    if is_base:
        files = [f"{above}{path}" for path in Tree(Path(place.tree, root)).files()]
    else:
        files = [one.path for one in there if one.path in step.arguments and _is_new_place(one)]
    files = [path for path in files if not is_test_file(path)][:_MOST_FILES]
    return Wanted(
        _below(above, (one for one in modules if one.endswith(".py"))), _below(above, files)
    )


def _is_new_place(one: FileChange) -> bool:
    return is_new(one) or bool(one.old_path)


def _below(above: str, paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(path.removeprefix(above) for path in paths if path.startswith(above))


def _observed(shown: ShownBoth[InstalledSide]) -> tuple[Observation | None, Observation]:
    """Tell what was seen on each side, and whether head lost anything."""
    base, head = shown
    if base is None:
        return None, _observation(Side.HEAD, head, 0)
    is_lost = broken(base, head) or doubts(base, head) or shut(base, head)
    return _observation(Side.BASE, base, 0), _observation(Side.HEAD, head, int(bool(is_lost)))


def _observation(side: Side, seen: InstalledSide, exit_code: int) -> Observation:
    lines = [f"{one.what}: {one.error or 'fine'}" for one in seen.uses]
    for one in seen.lacking:
        what = f"imports what only the tests have, from {one.package}"
        lines.append(f"{one.path}: {what if one.package else 'not in the package'}")
    lines += [f"{path}: not in exports" for path in seen.closed]
    problem = f"Not measured. {seen.problem}" if seen.problem else ""
    output = "\n".join(lines)
    code = None if problem else exit_code
    return Observation(
        side, seen.command, code, output, seen.seconds, problem=problem, installed=seen
    )
