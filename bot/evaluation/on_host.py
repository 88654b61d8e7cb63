"""What earlier stages left on a disk, made sure of on the host where the next one runs.

A stage's result names folders relative to `home`, so any host can go on with it: whoever needs the
folders looks first whether they are here, and makes them again from commits and digests where not.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import ParamSpec, TypeVar

from bot.context import Built, EvaluationContext, Policy, Project
from bot.errors import Transient, UserError
from bot.services import CodeSource, Services, build_request
from bot.values import EvaluationRequest, Observed, TestComparison
from sandbox.base import Limits, SandboxError
from sandbox.damage.trial import Concerned
from sandbox.disk import disk_trouble
from sandbox.errors import CheckoutError, CheckoutUnavailable, HostTrouble
from sandbox.repository.checkout import CheckoutRequest, take
from sandbox.toolchains.build import build_both
from sandbox.toolchains.ecosystem import BuildRequest
from sandbox.values import Checkout, Environment, Side, TestRun

log = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")
_TRY_AGAIN_S = 30.0


@contextmanager
def host_errors() -> Iterator[None]:
    """Turn what the sandbox, git and the disk raise into errors that are told or tried again.

    Trouble of the machine is tried again: it is never the change's fault.
    """
    try:
        yield
    except HostTrouble as error:
        raise Transient(error.what, _TRY_AGAIN_S, tries=error.tries) from error
    except CheckoutUnavailable as error:
        raise Transient(error.what, _TRY_AGAIN_S) from error
    except CheckoutError as error:
        raise UserError(error.what, error.next_step) from error
    except SandboxError as error:
        raise UserError(
            f"The sandbox does not work: {error}",
            "Run `assay doctor` on the machine that judges.",
        ) from error
    except OSError as error:
        if what := disk_trouble(error):
            raise Transient(what, _TRY_AGAIN_S) from error
        raise


def on_this_host(stage: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Run a stage with `host_errors`."""

    @functools.wraps(stage)
    async def run(*args: P.args, **kwargs: P.kwargs) -> T:
        with host_errors():
            return await stage(*args, **kwargs)

    return run


# --- trees ----------------------------------------------------------------------------------


def take_trees(
    services: Services, request: EvaluationRequest, code: CodeSource, shas: tuple[str, str]
) -> Checkout:
    """Bring a target and a head to this host. Raises what `sandbox.repository.checkout.take` does."""
    wanted = CheckoutRequest(request.id, code.source, *shas, request.patch)
    return take(services.settings.home / "git", wanted)


def portable(services: Services, checkout: Checkout) -> Checkout:
    """Return the checkout with folders as any host finds them: relative to `home`."""
    base, head = (_relative(services, tree) for tree in (checkout.base_tree, checkout.head_tree))
    return replace(checkout, base_tree=base, head_tree=head)


async def trees_here(
    services: Services, request: EvaluationRequest, checkout: Checkout
) -> Checkout:
    """Return the checkout with this host's folders; on another host both sides are brought again.

    Raises Superseded where nobody wants the answer any more, CheckoutError where a commit is gone.
    """
    base, head = (_here(services, tree) for tree in (checkout.base_tree, checkout.head_tree))
    if await asyncio.to_thread(lambda: base.is_dir() and head.is_dir()):
        return replace(checkout, base_tree=str(base), head_tree=str(head))
    log.info("%s: its trees are not on this host and are brought again", request.id)
    code, shas = await services.origin.code(request), (checkout.target_sha, checkout.head_sha)
    again = await asyncio.to_thread(take_trees, services, request, code, shas)
    is_same = (again.base_sha, again.head_sha) == (checkout.base_sha, checkout.head_sha)
    if not is_same or again.missing_submodules != checkout.missing_submodules:
        raise HostTrouble("The commits could not be brought to this host as they were judged.", 5)
    return replace(checkout, base_tree=again.base_tree, head_tree=again.head_tree)


async def case_here(services: Services, case: EvaluationContext) -> EvaluationContext:
    """Return the case with this host's trees and environments, made again where they are missing."""
    case = replace(case, checkout=await trees_here(services, case.request, case.checkout))
    return replace(case, built=await built_here(services, case))


# --- environments ---------------------------------------------------------------------------


def as_configured(wanted: BuildRequest, policy: Policy) -> BuildRequest:
    """Return what building a side asks for with the configuration's limits and network."""
    return replace(
        wanted,
        limits=Limits(timeout_s=policy.configuration.limits.minutes * 60),
        network=policy.network_to_build,
        is_trusted=wanted.side is Side.BASE and policy.base_is_trusted,
    )


def portable_layers(services: Services, built: Built) -> Built:
    """Return the environments with folders as any host finds them: relative to `home`."""
    return _each(built, lambda one: _moved(one, lambda layer: _relative(services, layer)))


async def built_here(services: Services, case: EvaluationContext) -> Built:
    """Return the environments with this host's folders; what is missing is built again, as before.

    `case` has this host's trees. Raises HostTrouble where it cannot be built again.
    """
    built = case.built
    here = _each(built, lambda one: _moved(one, lambda layer: str(_here(services, layer))))
    if built.sandbox == services.sandbox.name and await asyncio.to_thread(_are_there, here):
        return here
    log.info("%s: its environments are not on this host and are built again", case.request.id)
    again = [await _built_again(services, case, one) for one in here.projects]
    return replace(here, projects=tuple(again))


async def _built_again(services: Services, case: EvaluationContext, project: Project) -> Project:
    sides = [side if side and not side.failure else None for side in (project.base, project.head)]
    wanted = [
        as_configured(
            build_request(services, case.request, case.checkout, one.side, one.recipe), case.policy
        )
        if one
        else None
        for one in sides
    ]
    made = await build_both(services.sandbox, *wanted)
    again: list[Environment | None] = []
    for before, now in zip(sides, made, strict=True):
        if now and before and now.failure:
            raise HostTrouble("What was built on another host could not be built on this one.", 5)
        layers = dict(zip(_layers(before), _layers(now), strict=True)) if before and now else {}
        again.append(_moved(before, layers.__getitem__) if before and now else None)
    return replace(project, base=again[0] or project.base, head=again[1] or project.head)


def _each(built: Built, change: Callable[[Environment], Environment]) -> Built:
    def changed(one: Project) -> Project:
        base, head = (change(side) if side else None for side in (one.base, one.head))
        return replace(one, base=base, head=head)

    return replace(built, projects=tuple(map(changed, built.projects)))


def _moved(environment: Environment, place: Callable[[str], str]) -> Environment:
    toolchain, dependencies, project = (place(one) if one else "" for one in _layers(environment))
    return replace(
        environment,
        toolchain_layer=toolchain,
        dependencies_layer=dependencies,
        project_layer=project,
    )


def _layers(one: Environment) -> tuple[str, str, str]:
    return one.toolchain_layer, one.dependencies_layer, one.project_layer


def _are_there(built: Built) -> bool:
    sides = (side for one in built.projects for side in one.sides)
    return all(Path(layer).is_dir() for side in sides for layer in _layers(side) if layer)


def concerned(
    case: EvaluationContext, observed: Observed, tests: list[TestComparison]
) -> tuple[Concerned, ...]:
    """Return these tests by the project that they are run in, where head is built."""
    suite = observed.suite_on_head
    seen = suite.tests if suite and suite.tests else TestRun(True, ())
    projects: dict[str, Project] = {}
    found: dict[str, dict[str, str]] = {}
    for one in tests:
        project = case.built.at(one.path)
        projects[project.root] = project
        found.setdefault(project.root, {})[one.id] = one.path
    lonely = {one.id for one in tests if one.needs_others}
    return tuple(
        Concerned(head, found[root], seen, among_all=not lonely.isdisjoint(found[root]))
        for root, project in projects.items()
        if (head := project.head) is not None and head.failure is None
    )


# --- paths ----------------------------------------------------------------------------------


def _here(services: Services, folder: str) -> Path:
    """Where a recorded folder is on this host; older records are absolute, and stay what they are."""
    return services.settings.home.absolute() / folder


def _relative(services: Services, folder: str) -> str:
    home = services.settings.home.absolute()
    path = Path(folder)
    return str(path.relative_to(home)) if path.is_relative_to(home) else folder
