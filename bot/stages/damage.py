"""Stage 7: runs the tests that speak for the change on damaged copies of head: do they notice?"""

from __future__ import annotations

import re
import shutil
import time
from dataclasses import replace

from bot.judge import proofs_of_each
from bot.models import (
    ActionKind,
    DamageSeen,
    Evidence,
    Observed,
    Step,
    TestComparison,
    Transition,
)
from bot.stages.docket import Case, Project
from bot.stages.on_host import case_here, on_this_host
from bot.stages.services import Services
from sandbox.base import Limits
from sandbox.damage.making import make_damages
from sandbox.damage.trial import Concerned, Trials, runs_the_tree, try_damages
from sandbox.damage.values import DamageTrial
from sandbox.models import ChangeKind, Observation, Side, TestRun
from sandbox.tools.test_order import TestOrder

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_SHORTEST_S = 30.0
_LONGER_THAN_HEAD = 3
_STEP = Step(
    id="D1",
    goal="Damage what the change touches, and see which of the tests that speak for it notice.",
    guidance="Each change taken back, functions emptied, conditions, operators and constants changed.",
    requirement_ids=(),
    action=ActionKind.DAMAGE,
)
_INSTALLED = (
    "The tests run an installed or compiled copy of the code, so damage to it shows nothing."
)
_NOTHING = "Nothing that changed can be damaged and still be loaded."
_OFF = "`limits.damage` is 0."
_LATE = "The time that `limits.damage` allows was over before a damaged copy was tried."


@on_this_host
async def measure_damage(services: Services, case: Case, observed: Observed) -> Observed:
    """Return what was observed, and what damage shows of it."""
    groups = proofs_of_each(case.planned.requirements, observed, case.policy.configuration)
    if not groups:
        return observed
    seconds = _seconds(case)
    if not seconds:
        return replace(observed, damage=DamageSeen(problem=_OFF))
    started = time.monotonic()
    await services.origin.announce(case.request, "damage", case.planned.plan)
    case = await case_here(services, case)
    seen = await _measured(services, case, observed, groups)
    if not seen.trials:
        return replace(observed, damage=seen)
    seen = replace(seen, evidence_id=_STEP.id)
    return replace(
        observed,
        damage=seen,
        evidence=(*observed.evidence, _evidence(seen, time.monotonic() - started)),
    )


def _seconds(case: Case) -> float:
    limits = case.policy.configuration.limits
    return limits.minutes * 60 * limits.damage / 100


async def _measured(
    services: Services, case: Case, observed: Observed, groups: tuple[frozenset[str], ...]
) -> DamageSeen:
    wanted = frozenset[str]().union(*groups)
    tests = [one for one in observed.tests.comparisons if one.id in wanted]
    words = {word for one in tests for word in _NAME.findall(one.source)}
    code = {one.path for one in observed.kinds if one.kind is ChangeKind.CODE}
    damages = await make_damages(services.sandbox, case.checkout, code, words)
    concerned = _concerned(case, observed, tests)
    if not damages or not concerned:
        return DamageSeen(problem=_NOTHING)
    head = next(
        (one.head for one in observed.evidence if one.id == observed.tests.evidence_id), None
    )
    longest_s = _SHORTEST_S + _LONGER_THAN_HEAD * (head.seconds if head else 0.0)
    folder = services.evaluation_folder(case.request) / "damage"
    trials = Trials(
        checkout=case.checkout,
        concerned=concerned,
        groups=groups,
        workspace=folder,
        order=TestOrder(
            Side.HEAD,
            case.checkout.head_tree,
            concerned[0].environment,
            network=case.policy.network_to_observe,
        ),
        seconds=_seconds(case),
        limits=Limits(timeout_s=longest_s),
    )
    try:
        tried = await try_damages(services.sandbox, trials, damages)
        return await _seen(services, trials, tried)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _seen(services: Services, trials: Trials, tried: tuple[DamageTrial, ...]) -> DamageSeen:
    """Where nobody noticed anything, make sure that the tests run the tree at all."""
    if not any(one.noticed or one.unnoticed for one in tried):
        return DamageSeen(problem=_NOTHING if tried else _LATE)
    if any(one.noticed for one in tried) or await runs_the_tree(services.sandbox, trials):
        return DamageSeen(tried)
    return DamageSeen(problem=_INSTALLED)


def _concerned(
    case: Case, observed: Observed, tests: list[TestComparison]
) -> tuple[Concerned, ...]:
    """The tests by the project that they are run in."""
    suite = next((one for one in observed.evidence if one.id == observed.tests.evidence_id), None)
    seen = suite.head.tests if suite and suite.head and suite.head.tests else TestRun(True, ())
    projects: dict[str, Project] = {}
    found: dict[str, dict[str, str]] = {}
    for one in tests:
        project = case.built.at(one.path)
        projects[project.root] = project
        found.setdefault(project.root, {})[one.id] = one.path
    return tuple(
        Concerned(head, found[root], seen)
        for root, project in projects.items()
        if (head := project.head) is not None and head.failure is None
    )


def _evidence(seen: DamageSeen, seconds: float) -> Evidence:
    lines = [_line(one) for one in seen.trials]
    head = Observation(Side.HEAD, "", None, "\n".join(lines), round(seconds, 2))
    return Evidence(_STEP.id, _STEP, None, head, Transition.UNKNOWN)


def _line(one: DamageTrial) -> str:
    damage = one.damage
    where = f"{damage.path}:{damage.line}"
    ran = len(one.noticed) + len(one.unnoticed)
    told = f"{len(one.noticed)} of {ran} tests noticed" if ran else "not measured: it does not load"
    return f"{where}: {damage.what}: {told}"
