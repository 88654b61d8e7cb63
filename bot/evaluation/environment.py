"""Stage 3: which projects are built, how, why, and the built things."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath

from bot.context import Built, Policy, Project
from bot.errors import UserError
from bot.evaluation.on_host import as_configured, on_this_host, portable_layers, trees_here
from bot.evidence.code_map.run import find_dependents
from bot.services import Services, build_request
from bot.values import Dependent, EvaluationRequest, Part
from sandbox.concurrently import a_few_at_a_time, cores
from sandbox.test_runs.path_kinds import PathKind, classify
from sandbox.test_runs.test_order import calling
from sandbox.toolchains import Choice, choose_both, detect_both
from sandbox.toolchains.build import build_both
from sandbox.toolchains.ecosystem import BuildRequest, SetupHints, toolchain
from sandbox.toolchains.projects import MOST_PROJECTS, Projects
from sandbox.toolchains.test_line import test_places
from sandbox.toolchains.tree import Tree
from sandbox.values import Checkout, Environment, Recipe, Side, TestCall, TestRunner

_OLD_S = 90 * 24 * 3600
_ASK_AGAIN = "Ask again with /judge when the index answers."
_RELEASE_IT = (
    "Depend on a released version of it, or let Assay judge where its host can be reached; then ask again "
    "with /judge."
)


@dataclass(frozen=True, slots=True)
class _Workshop:
    """What all builds share."""

    services: Services
    request: EvaluationRequest
    checkout: Checkout
    policy: Policy


@on_this_host
async def build_environments(
    services: Services, request: EvaluationRequest, checkout: Checkout, policy: Policy
) -> Built:
    """Detect and build the projects that the change touches, and those that use what it touches."""
    await services.origin.announce(request, "environment")
    if Part.EXECUTION in request.without:
        return Built((Project("", None, None),), services.sandbox.name)
    checkout = await trees_here(services, request, checkout)
    setup = policy.configuration.setup
    shop = _Workshop(services, request, checkout, policy)
    trees = Path(checkout.base_tree), Path(checkout.head_tree)
    listed = tuple(one.path for one in policy.configuration.projects)
    projects = await asyncio.to_thread(Projects, *trees, listed)
    concerned = await _concerned(shop, projects)
    wanted = await asyncio.to_thread(_wanted_projects, shop, projects, concerned)
    built = await _built_projects(shop, wanted, concerned if not setup.test else {})
    return portable_layers(services, replace(built, concerned=tuple(concerned.values())))


# --- which projects ---------------------------------------------------------------------------


async def _concerned(shop: _Workshop, projects: Projects) -> dict[str, Dependent]:
    """Return the projects that the change touches, then those that the code graph finds beside them."""
    checkout = shop.checkout
    if checkout.diff.truncated:
        return {"": Dependent("", ())}
    changed = checkout.diff.changed_paths
    touched = await asyncio.to_thread(projects.touched, changed)
    found = {one: Dependent(one, ()) for one in touched}
    if await asyncio.to_thread(lambda: set(projects.all) - set(touched)):
        using = await find_dependents(shop.services, shop.request, checkout, projects)
        tested = [one for one in using if one.folder or projects.has_top]
        found |= {one.folder: one for one in tested if one.folder not in found}
    return found


def _wanted_projects(
    shop: _Workshop, projects: Projects, concerned: dict[str, Dependent]
) -> tuple[SetupHints, ...]:
    """Return how each project is set up; a configured test line says itself where tests are run."""
    configuration = shop.policy.configuration
    setup = configuration.setup
    install, before, newest_s = setup.install or "", "", shop.checkout.newest_commit_s
    if newest_s and time.time() - newest_s >= _OLD_S:
        # The newest commit is old, so packages are as of the day after it. The target's tip counts too: a
        # pull request cannot choose older packages by its own commits' dates.
        newest = datetime.fromtimestamp(newest_s, UTC)
        before = (newest + timedelta(days=1)).date().isoformat()
    if setup.test:
        calls = test_places(setup.test, Tree(Path(shop.checkout.base_tree)))
        return tuple(
            SetupHints(install, one.line, one.folder, released_before=before) for one in calls
        )
    own = {one.path: one.setup for one in configuration.projects}
    found = []
    roots = tuple(concerned)[:MOST_PROJECTS]
    # What is changed at the top may concern any project; what only uses the change there concerns itself.
    is_user = "" in concerned and bool(concerned[""].uses)
    apart = projects.all if is_user else tuple(filter(None, roots))
    for root in roots:
        line, test = (own[root].install, own[root].test) if root in own else (None, None)
        calls = test_places(test or "", Tree(Path(shop.checkout.base_tree, root)))
        followed = calls[0].line if not any(call.folder for call in calls) else test or ""
        at = root if line else ""
        others = () if root else apart
        found.append(SetupHints(line or install, followed, root, at, before, others))
    return tuple(found)


# --- the builds -------------------------------------------------------------------------------


async def _built_projects(
    shop: _Workshop, wanted: tuple[SetupHints, ...], concerned: dict[str, Dependent]
) -> Built:
    """Build them a few at a time; those that the change touches may not fail for want of a network."""
    trees = Path(shop.checkout.base_tree), Path(shop.checkout.head_tree)
    choices = [await asyncio.to_thread(choose_both, *trees, hints) for hints in wanted]
    asked = dict.fromkeys(one for choice in choices for one in choice.ecosystems)
    tools = await toolchain(shop.services.sandbox, asked)

    async def built(hints: SetupHints, choice: Choice) -> Project:
        recipes = await asyncio.to_thread(detect_both, choice, trees, hints, tools)
        is_touched = hints.root not in concerned or not concerned[hints.root].uses
        on_base = None if Part.BASE_SIDE in shop.request.without else recipes.base
        requests = _request(shop, Side.BASE, on_base), _request(shop, Side.HEAD, recipes.head)
        base, head = await build_both(shop.services.sandbox, *requests)
        for one in (base, head):
            failure = one.failure if one else None
            if one and failure and failure.problem and not one.recipe.needs and is_touched:
                raise UserError(failure.problem, _RELEASE_IT if one.unfetched else _ASK_AGAIN)
        head = _tested_as_base(base, head, shop.checkout)
        return Project(hints.root, base, head, is_touched)

    pairs = zip(wanted, choices, strict=True)
    steps = [built(hints, choice) for hints, choice in pairs]
    first, *others = await a_few_at_a_time(max(1, cores() // 2), steps)
    # What the change is most about counts as touched, whatever else uses what it touches.
    return Built((replace(first, is_touched=True), *others), shop.services.sandbox.name)


def _tested_as_base(
    base: Environment | None, head: Environment | None, checkout: Checkout
) -> Environment | None:
    """Run head's tests as base says: a pull request must not narrow what is run of its tests.

    Head's own calls count where base has no tests, and besides where head moved what base names, or where
    base names single files and head names new ones.
    """
    if base is None or head is None or base.recipe.runner is TestRunner.NONE:
        return head
    if base.recipe.ecosystem != head.recipe.ecosystem:
        return head
    root = base.recipe.root
    base_tree, head_tree = Path(checkout.base_tree, root), Path(checkout.head_tree, root)
    words = {word for call in base.recipe.calls for word in call.arguments}
    named = {word for word in words if not word.startswith("-") and (base_tree / word).exists()}
    gone = {word for word in named if not (head_tree / word).exists()}
    first, *more = (
        replace(call, arguments=tuple(word for word in call.arguments if word not in gone))
        for call in base.recipe.calls
    )
    own = [call for call in head.recipe.calls if call not in (first, *more)] if gone else []
    own += _of_new_files(head.recipe.calls, named, base_tree, head_tree)
    calls = dict.fromkeys((*more, *own))
    return calling(head, first, *calls)


def _of_new_files(
    calls: Iterable[TestCall], named: set[str], base_tree: Path, head_tree: Path
) -> Iterator[TestCall]:
    """Yield head's calls of new files of tests, where base names such files, and without these."""
    known = {word for word in named if classify(word) is PathKind.TEST}
    folders = [word for word in named if (base_tree / word).is_dir()]
    for call in calls if known else ():
        words = [word for word in call.arguments if classify(word) is PathKind.TEST]
        if any(
            (head_tree / word).is_file()
            and not (base_tree / word).exists()
            and not any(PurePosixPath(word).is_relative_to(one) for one in folders)
            for word in words
        ):
            yield replace(call, arguments=tuple(one for one in call.arguments if one not in known))


def _request(shop: _Workshop, side: Side, recipe: Recipe | None) -> BuildRequest | None:
    if recipe is None:
        return None
    wanted = build_request(shop.services, shop.request, shop.checkout, side, recipe)
    return as_configured(wanted, shop.policy)
