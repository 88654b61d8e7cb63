"""Stage 3: how each side is built, why, and the built thing."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from bot.errors import UserError
from bot.models import EvaluationRequest
from bot.stages.docket import Built, Policy
from bot.stages.services import Services, layers_home
from sandbox.base import Limits, Network, SandboxError
from sandbox.concurrently import concurrently
from sandbox.environments import Recipes, choose_both, detect_both
from sandbox.environments.build import build, will_share_dependencies
from sandbox.environments.build_request import BuildRequest
from sandbox.environments.hints import SetupHints
from sandbox.environments.root import common_root
from sandbox.environments.toolchain import toolchain
from sandbox.models import Checkout, Environment, Recipe, Side, TestRunner

_ASK_AGAIN = "Ask again with /judge when the index answers."
_RELEASE_IT = (
    "Depend on a released version of it, or let Assay judge where its host can be reached; then ask again "
    "with /judge."
)


@dataclass(frozen=True, slots=True)
class _Workshop:
    """What both sides' builds share."""

    services: Services
    request: EvaluationRequest
    limits: Limits
    network: Network


async def build_environments(
    services: Services, request: EvaluationRequest, checkout: Checkout, policy: Policy
) -> Built:
    """Detect and build both sides at the same time; equal dependencies are installed once, as base's.

    Raises UserError when the sandbox itself does not work.
    """
    await services.origin.announce(request, "environment")
    setup, minutes = policy.configuration.setup, policy.configuration.limits.minutes
    root = await asyncio.to_thread(_root, policy, checkout)
    hints = SetupHints(install=setup.install or "", test=setup.test or "", root=root)
    try:
        trees = Path(checkout.base_tree), Path(checkout.head_tree)
        choice = await asyncio.to_thread(choose_both, *trees, hints)
        tools = await toolchain(services.sandbox, choice.ecosystems)
        recipes = await asyncio.to_thread(detect_both, choice, trees, hints, tools)
        limits = Limits(timeout_s=minutes * 60)
        shop = _Workshop(services, request, limits, policy.network_to_build)
        base, head = await _both(shop, checkout, recipes)
    except SandboxError as error:
        raise UserError(
            f"The sandbox does not work: {error}", "Run `assay doctor` on the machine that judges."
        ) from error
    return Built(base, _tested_as_base(base, head, checkout), services.sandbox.name)


def _root(policy: Policy, checkout: Checkout) -> str:
    """Look for the project that changed; configured lines speak of the tree as a whole."""
    setup = policy.configuration.setup
    if setup.install or setup.test or checkout.diff.truncated:
        return ""
    paths = checkout.diff.changed_paths
    return common_root(Path(checkout.base_tree), Path(checkout.head_tree), paths)


def _tested_as_base(
    base: Environment | None, head: Environment | None, checkout: Checkout
) -> Environment | None:
    """Run head's tests as base says: a pull request must not narrow what is run of its tests.

    Head's own arguments count where base has no tests, or where head moved what base names.
    """
    if base is None or head is None or base.recipe.runner is TestRunner.NONE:
        return head
    if base.recipe.ecosystem != head.recipe.ecosystem:
        return head
    arguments, root = base.recipe.test_arguments, base.recipe.root
    base_tree, head_tree = Path(checkout.base_tree, root), Path(checkout.head_tree, root)
    named = [word for word in arguments if not word.startswith("-") and (base_tree / word).exists()]
    if not all((head_tree / word).exists() for word in named):
        return head
    recipe = replace(head.recipe, runner=base.recipe.runner, test_arguments=arguments)
    return replace(head, recipe=recipe)


async def _both(
    shop: _Workshop, checkout: Checkout, recipes: Recipes
) -> tuple[Environment | None, Environment | None]:
    base = _wanted(shop, Side.BASE, checkout, recipes.base)
    head = _wanted(shop, Side.HEAD, checkout, recipes.head)
    if base and head and will_share_dependencies(base, head):
        return await _built(shop, base), await _built(shop, head)
    built = await concurrently(_built(shop, base), _built(shop, head))
    return built[0], built[1]


def _wanted(
    shop: _Workshop, side: Side, checkout: Checkout, recipe: Recipe | None
) -> BuildRequest | None:
    is_base = side is Side.BASE
    if recipe is None:
        return None
    return BuildRequest(
        side=side,
        tree=Path(checkout.base_tree if is_base else checkout.head_tree),
        recipe=recipe,
        version=checkout.base_version if is_base else checkout.head_version,
        repository=shop.request.repository,
        sha=checkout.base_sha if is_base else checkout.head_sha,
        state=layers_home(shop.services),
        evaluation_folder=shop.services.evaluation_folder(shop.request),
        limits=shop.limits,
        network=shop.network,
    )


async def _built(shop: _Workshop, wanted: BuildRequest | None) -> Environment | None:
    if wanted is None:
        return None
    environment = await build(shop.services.sandbox, wanted)
    failure = environment.failure
    if failure and failure.problem and not wanted.recipe.needs:
        is_of_git = bool(environment.unfetched)
        raise UserError(failure.problem, _RELEASE_IT if is_of_git else _ASK_AGAIN)
    return environment
